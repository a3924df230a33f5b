"""The share of fuzz.py that CI runs, in half a minute; and that it finds what is planted."""

from __future__ import annotations

import os
from pathlib import Path

import fuzz
import mutate
import pytest

from report.__main__ import COMMANDS

PROGRAM = Path(os.environ["GEMMLAB_FUZZED"]) if os.environ.get("GEMMLAB_FUZZED") else None
SEEDS = {"records": 8, "definitions": 30, "traces": 30, "resumed": 10}


@pytest.mark.parametrize("kind", SEEDS)
def test_no_file_ends_a_command_otherwise_than_it_says(kind):
    if kind != "records" and PROGRAM is None:
        pytest.skip("the program is not built")
    assert [line for seed in range(1, 1 + SEEDS[kind])
            for line in fuzz.faults_of(kind, seed, PROGRAM)] == []


@pytest.mark.parametrize("make", [mutate.records, mutate.definition, mutate.trace])
def test_a_seed_gives_the_same_file_and_another_another(make):
    assert make(3) == make(3) and len({make(seed) for seed in range(20)}) > 15


def crash(_):
    raise KeyError("planted")


def escape(arguments):
    (Path(arguments[-1]).parent.parent / "escaped").write_text("planted")


def loud(_):
    print("Traceback (most recent call last):")


def killed(_):
    os.kill(os.getpid(), 9)


@pytest.mark.parametrize(("planted", "said"), [(crash, "exit code 3"), (escape, "leaves "),
                                               (loud, "traceback"), (killed, "exit code -9")])
def test_what_is_planted_is_found(monkeypatch, planted, said):
    monkeypatch.setitem(COMMANDS, "export", ("gemmlab export", planted))
    found = fuzz.faults_of("records", 1, None)
    assert found and all("export" in line and said in line for line in found), found
