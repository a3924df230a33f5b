"""How sentences say a ratio, and name a point that other work disturbed."""

from __future__ import annotations

from typing import Iterable

from .case import Case
from .numbers import plain, with_interval
from .ratios import Ratio
from .series import Series, Shape

MARK = "disturbed"


def times(ratio: Ratio) -> str:
    """"1.34 times [1.30, 1.39]"."""
    return f"{with_interval(ratio.value, ratio.low, ratio.high, '')}".replace(" [", " times [", 1) \
        if ratio.low is not None else f"{plain(ratio.value)} times"


def named(case: Case, name: str = "") -> str:
    """The name, or the label, with "(disturbed)" behind it where other work took the case's cores."""
    return f"{name or case.label} ({MARK})" if case.disturbed else name or case.label


def named_over(series: Series, shapes: Iterable[Shape]) -> str:
    """"tiled (disturbed at 2 of 3 shapes)" over the shapes that it is ranked at; "tiled (disturbed)" at one."""
    cases = [series.by_shape[shape] for shape in shapes if shape in series.by_shape]
    count = sum(case.disturbed for case in cases)
    if len(cases) == 1:
        return named(cases[0], series.name)
    return f"{series.name} ({MARK} at {count} of {len(cases)} shapes)" if count else series.name
