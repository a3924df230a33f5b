"""How sentences say a ratio, and name a point that other work disturbed."""

from __future__ import annotations

from typing import Iterable

from .case import Case
from .language import say
from .numbers import ratio_text
from .ratios import Ratio
from .series import Series, Shape


def mark() -> str:
    """"disturbed"."""
    return say("said.disturbed")


def times(ratio: Ratio) -> str:
    """"1.34 times [1.30, 1.39]"."""
    value, bracket, rest = ratio_text(ratio.value, ratio.low, ratio.high).partition(" [")
    return say("said.times", value=value, interval=bracket + rest)


def named(case: Case, name: str = "") -> str:
    """The name, or the label, with "(disturbed)" behind it where other work took the case's cores."""
    return say("said.marked", name=name or case.label, mark=mark()) if case.disturbed else name or case.label


def named_over(series: Series, shapes: Iterable[Shape]) -> str:
    """"tiled (disturbed at 2 of 3 shapes)" over the shapes that it is ranked at; "tiled (disturbed)" at one."""
    cases = [series.by_shape[shape] for shape in shapes if shape in series.by_shape]
    count = sum(case.disturbed for case in cases)
    if len(cases) == 1:
        return named(cases[0], series.name)
    return say("said.marked_at", name=series.name, mark=mark(), count=count, shapes=len(cases)) if count else series.name
