"""How sentences say a ratio, and name a point that other work disturbed."""

from __future__ import annotations

from collections.abc import Iterable

from language import say
from records.names.numbers import ratio_text

from .case import Case
from .ratios import Ratio
from .series import Series, Shape


def mark() -> str:
    """"disturbed"."""
    return say("disturbed")


def times(ratio: Ratio) -> str:
    """"1.34 times [1.30, 1.39]"."""
    value, bracket, rest = ratio_text(ratio.value, ratio.low, ratio.high).partition(" [")
    return say("{value} times{interval}", value=value, interval=bracket
               + rest) + (say(" (the clock was held down)") if ratio.throttled else "")


def quoted(name: str) -> str:
    """In quotation marks where a comma in it would read as the sentence's own: “pipelined, tile 256x128”."""
    return say("“{name}”", name=name) if "," in name else name


def named(case: Case, name: str = "") -> str:
    """The name, or the label, with "(disturbed)" behind it where other work took the case's cores."""
    shown = quoted(name or case.name)
    return say("{name} ({mark})", name=shown, mark=mark()) if case.disturbed else shown


def named_over(series: Series, shapes: Iterable[Shape]) -> str:
    """"tiled (disturbed at 2 of 3 shapes)" over the shapes that it is ranked at; "tiled (disturbed)" at one."""
    cases = [series.by_shape[shape] for shape in shapes if shape in series.by_shape]
    count = sum(case.disturbed for case in cases)
    if len(cases) == 1:
        return named(cases[0], series.name)
    name = quoted(series.name)
    return say("{name} ({mark} at {count} of {shapes} shapes)", name=name, mark=mark(),
               count=count, shapes=len(cases)) if count else name
