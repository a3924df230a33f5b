"""What a finding is, and the words that all of them use."""

from __future__ import annotations

from dataclasses import dataclass

from ..answer.words import faster, rounded
from ..case import Case
from ..language import say
from ..naming import name_of
from ..numbers import with_interval
from ..ratios import Ratio
from ..said import named

__all__ = ["Head", "called", "compared", "faster", "rate", "rounded"]


@dataclass(frozen=True)
class Head:
    """What heads a section, in a line without intervals; and the numbers that it rests on, with theirs, and the reason."""

    finding: str
    sentences: tuple[str, ...] = ()


def called(case: Case) -> str:
    """Its name as in figures; "(disturbed)" behind it where other work took its cores."""
    return named(case, name_of(case.implementation, case.parameters, case.label))


def compared(name: str, ratio: Ratio, other: str) -> str:
    """"packed is 1.2 times as fast as OpenBLAS", "packed is level with OpenBLAS"."""
    return say("{name} is {compared}", name=name, compared=faster(ratio, other))


def rate(case: Case) -> str:
    return with_interval(case.gflop_per_s, *(case.gflop_ci95 or (None, None)), "GFLOP/s")
