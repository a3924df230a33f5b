"""Judges claims: reproduced, direction only, not reproduced, or not measurable here. data/published/README.md has the rule."""

from __future__ import annotations

from dataclasses import dataclass

from ..case import Case
from ..experiment import Results
from .claims import Claim, published_number
from .measures import Value, measure, ratio_value
from .points import Absent, Points

NEAR = (0.90, 1.10)
TWICE_NEAR = (0.80, 1.20)
MOST_APART = 2.0  # times the published gain, either way
REPRODUCED, DIRECTION, NOT_REPRODUCED, NOT_HERE = "reproduced", "direction only", "not reproduced", "not measurable here"
VERDICTS = (REPRODUCED, DIRECTION, NOT_REPRODUCED, NOT_HERE)


@dataclass(frozen=True)
class Failed:
    """A further condition that does not hold: the key of its text, and time(over) / time(under)."""

    key: str
    value: Value
    over: Case
    under: Case


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict. `absent` says why nothing could be measured, `failed` what does not hold where something
    beside the figure itself does not."""

    claim: Claim
    verdict: str
    measured: Value | None = None
    absent: Absent | None = None
    failed: Failed | None = None

    @property
    def value(self) -> Value:
        """What was measured. Raises ValueError where `absent` says why nothing was."""
        if self.measured is None:
            raise ValueError(f"claim '{self.claim.claim}' was not measured")
        return self.measured


def _gain(claim: Claim, shown: float) -> float:
    """What a figure says was gained: the slower's time over the faster's, less 1. Of added time, that time."""
    if claim.shown == "added ms":
        return shown
    ratio = shown / 100 if claim.shown == "percent" else shown
    return (1 / ratio if claim.holds == "below" else ratio) - 1


def _size_holds(claim: Claim, value: Value) -> bool:
    """Is it as large as the claim says? By the number in its statement where that names one, else by the published figure."""
    if claim.least is not None:
        return value.ends[0] > claim.least
    shown = value.shown()[0]
    if claim.range:
        return claim.range[0] <= shown <= claim.range[1]
    published = published_number(claim) if claim.names is None else claim.names
    if published is None:
        return True
    there, here = _gain(claim, published), _gain(claim, shown)
    return there > 0 and 1 / MOST_APART <= here / there <= MOST_APART


def _within(value: Value, band: tuple[float, float]) -> bool:
    low, high = value.ends
    return band[0] <= low and high <= band[1]


def _direction_holds(holds: str, value: Value) -> bool:
    """Of a ratio: does its interval lie where the claim wants it, whatever its size?"""
    if value.low is None or value.high is None:
        return False
    return {"above": value.low > 1, "below": value.high < 1, "near": _within(value, NEAR)}[holds]


def _verdict(claim: Claim, value: Value) -> str:
    if claim.holds == "equal":
        published = published_number(claim)
        near = published is not None and NEAR[0] * published <= value.value <= NEAR[1] * published
        return REPRODUCED if near else NOT_REPRODUCED
    if claim.holds == "within":
        return REPRODUCED if claim.range[0] <= value.shown()[0] <= claim.range[1] else NOT_REPRODUCED
    if claim.holds == "near":
        return REPRODUCED if _within(value, NEAR) else DIRECTION if _within(value, TWICE_NEAR) else NOT_REPRODUCED
    if not _direction_holds(claim.holds, value):
        return NOT_REPRODUCED
    return REPRODUCED if _size_holds(claim, value) else DIRECTION


def _beside(claim: Claim, points: Points, value: Value) -> Failed | None:
    """What of the claim's further conditions does not hold; None where all do. What was not measured decides nothing."""
    for other in claim.also:
        try:
            over, under = points.pair(other["over"], other["under"])
        except Absent:
            continue
        found = ratio_value(over, under)
        if not _direction_holds(other.get("holds", claim.holds), found):
            return Failed("also_fails", found, over, under)
    for other in claim.largest_of:
        # raises Absent: the largest of what, then?
        over, under = points.pair(other["over"], other["under"])
        found = ratio_value(over, under)
        if found.high is None or not value.ends[0] > found.high:
            return Failed("not_largest", found, over, under)
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
