"""What the program says of the names of its implementations; Python makes the same of records."""

from __future__ import annotations

import json
import re
from collections import Counter
from copy import deepcopy
from typing import Any

import pytest
from checks import BUILD, PROGRAM
from markdown import ROOT
from scratch import must

from language import LANGUAGES, catalogue
from records.names.naming import HOLE, name_from
from report.untranslated import english_texts, names_of, unsaid

pytestmark = pytest.mark.skipif(
    not PROGRAM.is_file(),
    reason="GEMMLAB_BUILD_FOLDER names no build: ctest -R python.recipes does",
)


def asked(*words: str) -> Any:
    return json.loads(must(PROGRAM, *words, cwd=ROOT, GEMMLAB_ROOT=str(ROOT)))


@pytest.fixture(scope="module", name="listed")
def _listed() -> list[dict[str, Any]]:
    """Of the GPU's rows also those that can be emulated."""
    return asked("list", "--json")["implementations"]


def test_each_brace_of_a_name_is_a_parameter(listed):
    for one in listed:
        text = one["name"] + "".join(spec["told"] for spec in one["parameters"])
        assert set(re.findall(r"\{(\w*)", text)) <= {spec["name"] for spec in one["parameters"]}, (
            one["id"],
            text,
        )


def test_no_two_implementations_of_an_operation_on_a_device_have_one_name(listed):
    named = [
        (
            one["operation"],
            one["device"],
            name_from(
                (one["name"] or one["id"],),
                {spec["name"]: spec["default"] for spec in one["parameters"]},
            ),
        )
        for one in listed
    ]
    assert [name for name, count in Counter(named).items() if count > 1] == []


def test_what_is_to_be_translated_has_the_names_and_what_tells_a_parameter():
    names = names_of(str(PROGRAM))
    assert {"ikj", "tiled {block}", "{gpus} cards", "one B for all"} <= names
    assert not {"", " {block}"} & names, "what holds no word"


@pytest.mark.skipif("zh" not in LANGUAGES, reason="zh is not there")
def test_every_translation_is_of_a_text_that_is_said(monkeypatch):
    program = str(PROGRAM)
    said = english_texts(program)
    assert unsaid("zh", said, program) == []
    planted = deepcopy(catalogue("zh"))
    planted.add("said no longer {x}", "{x}")
    monkeypatch.setattr("report.untranslated.catalogue", lambda _: planted)
    assert unsaid("zh", said, program) == ["said no longer {x}"]


@pytest.mark.skipif(
    not (BUILD / "emulator/rows/libgemmlab_gpu_emulated.so").is_file(), reason="no emulated kernels"
)
@pytest.mark.parametrize(
    ("name", "own", "implementation", "meaning"),
    [
        ("kernel 3", {}, "gpu.tiled", "'kernel 3' is gpu.tiled, block 32"),
        ("kernel 3", {"block": 16}, "gpu.tiled", "'kernel 3' is gpu.tiled, block 16"),
        ("朴素", {}, "gpu.naive", "'朴素' is gpu.naive"),  # and the CPU's naive loops
        ("gpu.tiled", {"block": 8}, "gpu.tiled", ""),
    ],
)
def test_explain_understands_what_others_call_them(name, own, implementation, meaning):
    size = ("--m", "64", "--n", "64", "--k", "64", "--blocks", "1")
    found = asked("counts", "--implementation", name, "--parameters", json.dumps(own), *size)
    assert (found["implementation"], found["meaning"]) == (implementation, meaning)
    assert own.items() <= found["parameters"].items()


@pytest.mark.parametrize(
    "experiment", sorted(path.stem for path in (ROOT / "experiments").glob("*.toml"))
)
def test_python_makes_the_same_name_of_its_parts_as_the_program(experiment):
    """Of the points that this build has: without CUDA none on a GPU."""
    points = asked("points", experiment)
    assert all(
        set(HOLE.findall("".join(point["name_parts"]))) <= point["parameters"].keys()
        for point in points
    )
    assert [
        point["name"]
        for point in points
        if name_from(point["name_parts"], point["parameters"]) != point["name"]
    ] == []
