"""How a verdict becomes a mark, as the judge has read it from the rule's table [grading]."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from .verdict import Shape


class Share(msgspec.Struct, frozen=True):
    """Points for speed: none at speed 0, all of them from `full` of the reference's speed on."""

    shape: Shape
    device: str  # cpu, gpu or empty: both
    reference: str  # "library" or an entry of the ladder
    full: float
    points: float


class Group(msgspec.Struct, frozen=True):
    """Points for right results at a group of shapes, for what is wrong at others."""

    name: str
    where: Literal["square", "whole", "odd", "thin", "large"]
    points: float
    why: str  # what a kernel that is right there has shown


THIN, LARGE, TILE, QUARTER = 8, 256, 8, 4  # what rules/default.toml says of groups


def group_of(shape: Shape) -> str:
    """The first group that a shape fits, as the rule names it in `where`."""
    sides = (shape.M, shape.N, shape.K)
    if max(sides) > THIN * min(sides):
        return "thin"
    if max(sides) >= LARGE:
        return "large"
    if len(set(sides)) == 1 and shape.M % QUARTER == 0:
        return "square"
    return "odd" if any(side % TILE for side in sides) else "whole"


class Grading(msgspec.Struct, frozen=True):
    most: float
    correct: float
    reduced_precision: float
    bands: int  # equal steps that points for speed come in; 0: in proportion
    groups: tuple[Group, ...]
    shares: tuple[Share, ...]
    warning: float  # points that one compiler warning costs
    warnings_at_most: float
    spills: float
    first_call: float


def grading_from(answer: dict[str, Any] | None) -> Grading | None:
    """From the `grading` of the judge's answer on the rule; None where the rule has none."""
    return None if answer is None else msgspec.convert(answer, Grading)
