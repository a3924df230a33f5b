"""A finding: what is wrong, with its numbers, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from language import say
from records.cases.case import Case
from records.names.numbers import counted
from records.schema.operations import shape_text

PROBLEM, NOTE = "problem", "note"


@dataclass(frozen=True)
class Finding:
    """`severity` is "problem" (the numbers mislead, or time is lost) or "note" (worth knowing);
    `rule` an id that stays; `experiment` the names, joined with ", ", empty for what concerns the
    machine alone."""

    severity: str
    rule: str
    text: str
    advice: str
    experiment: str = ""


def problem(rule: str, text: str, advice: str) -> Finding:
    return Finding(PROBLEM, rule, text, advice)


def note(rule: str, text: str, advice: str) -> Finding:
    return Finding(NOTE, rule, text, advice)


def point_text(case: Case) -> str:
    """"tiled, block 16 at 1024"."""
    return say("{label} at {shape}", label=case.name, shape=shape_text(*case.shape))


def and_more(cases: Sequence[Case]) -> str:
    """" and at 3 more points" beside the one that is named; empty where it is the only one."""
    return say(" and at {points}", points=counted(len(cases) - 1, "more point")) if len(
        cases) > 1 else ""
