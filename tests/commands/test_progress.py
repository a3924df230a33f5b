"""What a command that takes a while shows on standard error."""

from __future__ import annotations

import os
import pty
import time

import pytest
from sample_records import DATA

from commands import progress
from report.__main__ import main

pytestmark = pytest.mark.usefixtures("quick_forms")


def read_all(reader: int) -> str:
    said = b""
    while True:
        try:
            part = os.read(reader, 4096)
        except OSError:  # a terminal's other end is closed
            part = b""
        if not part:
            os.close(reader)
            return said.decode()
        said += part


def said_within(seconds: float, pair: tuple[int, int], *doings: str) -> str:
    reader, writer = pair
    with progress.shown("here", writer):
        for doing in doings:
            progress.now(doing)
            time.sleep(seconds / len(doings))
    os.close(writer)
    return read_all(reader)


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch):
    monkeypatch.setattr(progress, "QUIET_S", 0.3)
    monkeypatch.setattr(progress, "TERMINAL_S", 0.05)
    monkeypatch.setattr(progress, "PLAIN_S", 60)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)


def test_what_is_soon_done_says_nothing():
    assert said_within(0.0, os.pipe(), "reading") == ""
    assert said_within(0.0, pty.openpty(), "reading") == ""


def test_a_terminal_shows_one_line_in_place_that_is_gone_at_the_end():
    said = said_within(1.2, pty.openpty(), "reading", "drawing")
    assert "\r\x1b[Khere: drawing (" in said and "\n" not in said
    assert said.endswith("\r\x1b[K")


@pytest.mark.parametrize(("name", "value"), [("TERM", "dumb"), ("TERM", ""), ("NO_COLOR", "1")])
def test_a_terminal_that_asks_for_plain_lines_gets_them(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    said = said_within(1.2, pty.openpty(), "reading", "drawing")
    assert "\x1b" not in said and said.startswith("here: ") and said.count("\n") == 1


def test_elsewhere_a_line_now_and_then():
    said = said_within(1.2, os.pipe(), "reading", "drawing")
    assert len(said.splitlines()) == 1 and said.startswith("here: ") and said.endswith(" s)\n")


def test_an_error_within_ends_it():
    reader, writer = pty.openpty()
    with pytest.raises(KeyError), progress.shown("here", writer):
        raise KeyError
    os.close(writer)
    assert read_all(reader) == ""


@pytest.mark.parametrize("command", [["build", "--no-pdf"], ["bundle"]])
def test_the_report_and_the_bundle_say_what_they_are_at(monkeypatch, tmp_path, command):
    told: list[str] = []
    now = progress.now

    def telling(doing):
        told.append(doing if isinstance(doing, str) else doing())
        now(doing)

    monkeypatch.setattr(progress, "now", telling)
    monkeypatch.setattr("plots.FORMATS", ("svg",))
    results = DATA / "workstation" / "thread_scaling.jsonl"
    assert main([*command, str(results), "--output", str(tmp_path / "output")]) == 0
    begins = ["reading ", "tables of thread_scaling, experiment 1 of 1",
              "findings, and what others published", "the explorer"]
    assert all(any(text.startswith(begin) for text in told) for begin in begins)
