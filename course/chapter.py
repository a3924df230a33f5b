"""What a chapter says and what it is made of: `chapters/*.toml`, one file per chapter, in the order
of their names.

Every text is English and its own key, with `{name}`s that `numbers` forms from records; its
Chinese is in course/zh.po.
No text holds a measured number of its own.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

AFTER = "after"  # the point where a chapter ends
FOLDER = Path(__file__).parent / "chapters"


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the parts below share: an unknown key is a mistake."""


class Wanted(Part, frozen=True):
    """A point of the records: what tells it from its neighbours."""

    experiment: str
    implementation: str  # or "library": the fastest of the group
    size: int  # m = n = k
    group: str = ""
    parameters: dict[str, Any] = {}


class Cut(Part, frozen=True):
    """Lines of a source file: from the first that matches `begin` after `within` to the next that
    matches `end`, both regular expressions. `mark`: which of them are the point."""

    file: str
    begin: str
    end: str
    mark: list[str]
    said: str
    within: str = ""


class Shown(Part, frozen=True):
    """The table: a column per point, a row per counter, or "time", "rate", "moved" or "error"."""

    points: list[str]
    rows: list[str]


class Figure(Part, frozen=True):
    """`kind`: a function of figures.py; `of`: what it draws, by its own rule."""

    kind: str
    title: str
    of: list[str]


class Wrong(Part, frozen=True):
    """What notes say, and what the records show."""

    said: str
    shown: str


class Asked(Part, frozen=True):
    """A question that readers ask, and its answer from the records."""

    said: str
    shown: str


class Exercise(Part, frozen=True):
    task: str
    command: str
    answer: str


class Chapter(Part, frozen=True):
    short: str  # its name in lists
    title: str  # the finding
    idea: list[str]
    rungs: list[str]  # implementations, whose usual names are shown
    points: dict[str, Wanted]
    numbers: dict[str, str]  # name -> "measure argument argument", a method of measures.py
    code: list[Cut]
    why: list[str]
    figure: list[Figure]
    exercise: Exercise
    counters: Shown = Shown([], [])
    asked: list[Asked] = []
    wrong: list[Wrong] = []
    name: str = ""  # of its file, as "02-coalescing"

    @property
    def page(self) -> str:
        return f"{self.name}.html"

    @property
    def texts(self) -> list[str]:
        """Everything that is said with numbers in it."""
        return [self.title, *self.idea, *self.why, *(figure.title for figure in self.figure),
                *(cut.said for cut in self.code), self.exercise.task, self.exercise.answer,
                *(text for asked in self.asked for text in (asked.said, asked.shown)),
                *(text for wrong in self.wrong for text in (wrong.said, wrong.shown))]


def _read(path: Path) -> Chapter:
    try:
        return msgspec.convert(
            tomllib.loads(path.read_text(encoding="utf-8")) | {"name": path.stem}, Chapter)
    except (msgspec.ValidationError, tomllib.TOMLDecodeError) as error:
        raise ValueError(f"{path.name}: {error}") from error


@cache
def chapters() -> tuple[Chapter, ...]:
    """All of them, in order. Raises ValueError over a file that is not one."""
    return tuple(_read(path) for path in sorted(FOLDER.glob("*.toml")))


@cache
def glossary() -> dict[str, str]:
    """Term -> what it means, both English and their own keys."""
    return tomllib.loads((Path(__file__).parent / "glossary.toml").read_text(encoding="utf-8"))


def texts() -> set[str]:
    """All that a chapter or the glossary says."""
    return {text for one in chapters() for text in (one.short, *one.texts)} | {
        text for pair in glossary().items() for text in pair}
