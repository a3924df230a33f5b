"""How a verdict becomes a mark, as the judge has read it from the rule's table [grading]."""

from __future__ import annotations

from typing import Any

import msgspec

from .verdict import Shape


class Share(msgspec.Struct, frozen=True):
    """Points for speed: none at speed 0, all of them from `full` of the reference's speed on."""

    shape: Shape
    device: str  # cpu, gpu or empty: both
    reference: str  # "library" or an entry of the ladder
    full: float
    points: float


class Grading(msgspec.Struct, frozen=True):
    most: float
    correct: float
    reduced_precision: float
    shares: tuple[Share, ...]
    warning: float  # points that one compiler warning costs
    warnings_at_most: float
    spills: float
    first_call: float


def grading_from(answer: dict[str, Any] | None) -> Grading | None:
    """From the `grading` of the judge's answer on the rule; None where the rule has none."""
    return None if answer is None else msgspec.convert(answer, Grading)
