"""What the report answers first: one sentence and a few numbers. Tables and plots:
report/summary/."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Number:
    """One large number of the first screen: "23×", what it is, its interval and what was compared,
    and where more stands."""

    value: str
    label: str
    detail: str
    anchor: str  # the name of the exhibit that shows it; empty where there is none


@dataclass(frozen=True)
class Answer:
    """The answer that one machine's records give."""

    sentence: str
    numbers: tuple[Number, ...] = ()  # at most four
    badges: tuple[tuple[str, str], ...] = ()  # (what, value): host, card, scope, cache, date
    lines: tuple[str, ...] = ()  # three for a terminal, in ASCII, at most 100 columns each
    machine: str = ""
    missing: tuple[str, ...] = ()  # what these records lack, and what to run
    # what a GPU brings, by the committed records of another machine; None with a GPU of one's own
    borrowed: Answer | None = None
