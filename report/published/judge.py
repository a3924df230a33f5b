"""Judges claims: reproduced, direction only, not reproduced, or not measurable here. data/published/README.md has the rule."""

from __future__ import annotations

from dataclasses import dataclass

from ..experiment import Results
from .claims import Claim
from .measures import Value, measure, ratio_value
from .points import Absent, Points

NEAR = (0.90, 1.10)
TWICE_NEAR = (0.80, 1.20)
MOST_APART = 2.0  # times the published gain, either way
REPRODUCED, DIRECTION, NOT_REPRODUCED, NOT_HERE = "reproduced", "direction only", "not reproduced", "not measurable here"
VERDICTS = (REPRODUCED, DIRECTION, NOT_REPRODUCED, NOT_HERE)


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict. `absent` says why nothing could be measured, `failed` what does not hold where something
    beside the figure itself does not: a key of the texts and its values."""

    claim: Claim
    verdict: str
    measured: Value | None = None
    absent: Absent | None = None
    failed: tuple[str, dict[str, Value]] | None = None


def published_number(claim: Claim) -> float | None:
    """The published figure without its unit; None where it is a word or nothing."""
    try:
        return float(claim.published.split()[0])
    except (ValueError, IndexError):
        return None


def _gain(claim: Claim, shown: float) -> float:
    """What a figure says was gained: the slower's time over the faster's, less 1. Of added time, that time."""
    if claim.shown == "added ms":
        return shown
    ratio = shown / 100 if claim.shown == "percent" else shown
    return (1 / ratio if claim.holds == "below" else ratio) - 1


def _size_holds(claim: Claim, value: Value) -> bool:
    """Is it as large as the claim says? By the number in its statement where that names one, else by the published figure."""
    if claim.least is not None:
        return value.low > claim.least
    shown = value.shown()[0]
    if claim.range:
        return claim.range[0] <= shown <= claim.range[1]
    published = published_number(claim) if claim.names is None else claim.names
    if published is None:
        return True
    there, here = _gain(claim, published), _gain(claim, shown)
    return there > 0 and 1 / MOST_APART <= here / there <= MOST_APART


def _within(value: Value, band: tuple[float, float]) -> bool:
    return band[0] <= value.low and value.high <= band[1]


def _direction_holds(holds: str, value: Value) -> bool:
    """Of a ratio: does its interval lie where the claim wants it, whatever its size?"""
    if value.low is None or value.high is None:
        return False
    return {"above": value.low > 1, "below": value.high < 1, "near": _within(value, NEAR)}[holds]


def _verdict(claim: Claim, value: Value) -> str:
    if claim.holds == "equal":
        published = published_number(claim)
        return REPRODUCED if NEAR[0] * published <= value.value <= NEAR[1] * published else NOT_REPRODUCED
    if claim.holds == "within":
        return REPRODUCED if claim.range[0] <= value.shown()[0] <= claim.range[1] else NOT_REPRODUCED
    if claim.holds == "near":
        return REPRODUCED if _within(value, NEAR) else DIRECTION if _within(value, TWICE_NEAR) else NOT_REPRODUCED
    if not _direction_holds(claim.holds, value):
        return NOT_REPRODUCED
    return REPRODUCED if _size_holds(claim, value) else DIRECTION


def _beside(claim: Claim, points: Points, value: Value) -> tuple[str, dict[str, Value]] | None:
    """What of the claim's further conditions does not hold; None where all do. What was not measured decides nothing."""
    for other in claim.also:
        try:
            found = ratio_value(*points.pair(other["over"], other["under"]))
        except Absent:
            continue
        if not _direction_holds(other.get("holds", claim.holds), found):
            return "also_fails", {"other": found}
    for other in claim.largest_of:
        found = ratio_value(*points.pair(other["over"], other["under"]))  # raises Absent: the largest of what, then?
        if found.high is None or not value.low > found.high:
            return "not_largest", {"other": found}
    return None


def judge(claim: Claim, points: Points) -> Judged:
    """The claim on this machine."""
    try:
        value = measure(claim, points)
        if value.low is None or value.high is None:
            raise Absent("no_interval")
        verdict = _verdict(claim, value)
        failed = None if verdict == NOT_REPRODUCED else _beside(claim, points, value)
    except Absent as absent:
        return Judged(claim, NOT_HERE, absent=absent)
    return Judged(claim, NOT_REPRODUCED if failed else verdict, value, failed=failed)


def judge_all(claims: tuple[Claim, ...], results: Results) -> list[Judged]:
    """Every claim, in the order of the book."""
    points = Points(results)
    return [judge(claim, points) for claim in claims]
