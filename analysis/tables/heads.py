"""What a finding is, and the words that all of them use."""

from __future__ import annotations

from dataclasses import dataclass

from language import say
from records.cases.case import Case
from records.cases.ratios import Ratio
from records.cases.said import named
from records.names.numbers import ends_of, plain, with_interval


@dataclass(frozen=True)
class Head:
    """What heads a section, in a line without intervals; and the numbers that it rests on, with theirs, and the reason."""

    finding: str
    sentences: tuple[str, ...] = ()


def rounded(value: float) -> str:
    """"23", "2,300", "1.34": for a headline, whose interval stands elsewhere."""
    return plain(float(f"{value:.3g}"), 0 if value >= 9.95 else 1 if value >= 2 else 2)


def faster(ratio: Ratio, other: str) -> str:
    """"23 times as fast as X", "level with X", "1.4 times slower than X"."""
    if ratio.tie:
        return say("not to be told from {other}", other=other) if ratio.undecided else say("level with {other}", other=other)
    if ratio.value > 1:
        return say("{times} times as fast as {other}", times=rounded(ratio.value), other=other)
    return say("{times} times slower than {other}", times=rounded(1 / ratio.value), other=other)


def called(case: Case) -> str:
    """Its name as in figures; "(disturbed)" behind it where other work took its cores."""
    return named(case, case.name)


def compared(name: str, ratio: Ratio, other: str) -> str:
    """"packed is 1.2 times as fast as OpenBLAS", "packed is level with OpenBLAS"."""
    return say("{name} is {compared}", name=name, compared=faster(ratio, other))


def rate(case: Case) -> str:
    return with_interval(case.rate, *ends_of(case.rate_ci95), case.rate_unit)
