"""What the report answers first: one sentence, a few numbers, two figures, and short answers to what readers ask most."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..view import View


@dataclass(frozen=True)
class Number:
    """One large number of the first screen: "23×", what it is, its interval and what was compared, and where more stands."""

    value: str
    label: str
    detail: str
    anchor: str  # the id of a section; empty where there is none


@dataclass(frozen=True)
class Answer:
    """The answer that one machine's records give."""

    sentence: str
    numbers: tuple[Number, ...] = ()  # at most four
    badges: tuple[tuple[str, str], ...] = ()  # (what, value): host, card, scope, cache, date
    figures: tuple[tuple[View, str], ...] = ()  # (view, stem of its files), to be drawn for the first screen
    lines: tuple[str, ...] = ()  # three for a terminal, in ASCII, at most 100 columns each
    questions: tuple[tuple[str, str, str], ...] = ()  # (question, short answer, anchor)
    machine: str = ""
    reference: bool = False  # the GPU's numbers are those of the committed records of another machine
    missing: tuple[str, ...] = field(default=())  # what these records lack, and what to run
