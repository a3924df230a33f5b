"""Judges claims: reproduced, not reproduced, or not measurable here.

A directional claim ("above", "below") is reproduced where the 95 % interval of its ratio lies wholly on its side of 1; one
of a little difference ("near") where it lies within 0.90 to 1.10; a count ("equal") where it lies within 0.90 to 1.10 of the
published figure.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import median

from ..case import Case
from ..ratios import LEAST_PAIRS, UNSURE, Ratio, median_interval, speedup
from ..records import Results
from .book import Claim
from .points import Absent, Points, experiments_of

NEAR = (0.90, 1.10)
REPRODUCED, NOT_REPRODUCED, NOT_HERE = "reproduced", "not reproduced", "not measurable here"
_LANES = 32
_FLOAT_BYTES = 4


@dataclass(frozen=True)
class Value:
    """A measured figure. `rough`: too few samples for an interval; low and high are the ratios of the samples that lie
    nearest and farthest, with a quarter more on both sides. `scale` brings it into the figure's own unit."""

    value: float
    low: float | None = None
    high: float | None = None
    rough: bool = False
    ratio: Ratio | None = None
    over: Case | None = None
    under: Case | None = None
    scale: float = 1.0
    offset: float = 0.0
    unit: str = ""  # none of a ratio or a count

    def shown(self) -> tuple[float, float | None, float | None]:
        """(value, low, high) in the unit of the published figure."""
        ends = [None if end is None else (end + self.offset) * self.scale for end in (self.low, self.high)]
        return (self.value + self.offset) * self.scale, ends[0], ends[1]


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict. `absent` says why nothing could be measured, `failed` what does not hold where something
    beside the figure itself does not: a key of the texts and its values."""

    claim: Claim
    verdict: str
    measured: Value | None = None
    absent: Absent | None = None
    failed: tuple[str, dict[str, Value]] | None = None


def ratio_value(over: Case, under: Case) -> Value:
    """time(over) / time(under) with its 95 % interval, or with bounds where there are too few samples for one."""
    ratio = speedup(over, under)
    if ratio.low is not None and ratio.high is not None:
        return Value(ratio.value, ratio.low, ratio.high, False, ratio, over, under)
    low, high = ratio.bounds or (None, None)
    return Value(ratio.value, low, high, True, ratio, over, under)


def _first_call(claim: Claim, points: Points) -> Value:
    """The claim's phases of a fresh process's first multiplication over a steady call of the same process."""
    case = points.find(claim.over[0])[-1]
    phases = [case.first_call_s[name] for name in claim.phases if case.first_call_s.get(name)]
    ratios = [sum(parts) / steady for *parts, steady in zip(*phases, case.steady_s) if steady > 0] if phases else []
    if not ratios:
        raise Absent("no_phases", label=case.label)
    rough = len(ratios) < LEAST_PAIRS
    low, high = (min(ratios) / UNSURE, max(ratios) * UNSURE) if rough else median_interval(ratios)
    return Value(median(ratios), low, high, rough, over=case)


def bytes_asked_for(metrics: dict[str, float], lanes: int) -> float | None:
    """By a kernel whose loads take one float a lane, `lanes` of them in each warp; None where its requests were not counted."""
    requests = metrics.get("global_load_requests")
    return requests * lanes * _FLOAT_BYTES if requests else None


def lanes_of(tile: int) -> int:
    """Lanes of a warp that load, in a block of tile×tile threads."""
    return min(_LANES, tile * tile) if tile else _LANES


def _counted(claim: Claim, points: Points) -> Value:
    metrics, (m, n, k) = points.counters(claim.over[0])
    wanted = " ".join(experiments_of(claim.over[0]))
    if claim.measure == "intensity":
        asked = bytes_asked_for(metrics, lanes_of(claim.tile))
        if asked is None:
            raise Absent("counter_missing", counter="global_load_requests", experiments=wanted)
        value = 2.0 * m * n * k / asked
    elif claim.counter in metrics:
        value = metrics[claim.counter]
    else:
        raise Absent("counter_missing", counter=claim.counter, experiments=wanted)
    return Value(value, value, value)


def measure(claim: Claim, points: Points) -> Value:
    """The claim's figure from the records. Raises Absent where it cannot be had."""
    if claim.measure == "first call":
        return _first_call(claim, points)
    if claim.measure in ("counter", "intensity"):
        return _counted(claim, points)
    found = ratio_value(*points.pair(claim.over, claim.under))
    if claim.shown == "percent":
        return replace(found, scale=100.0, unit="%")
    if claim.shown == "added ms":
        return replace(found, scale=1e3 * found.under.median_s, offset=-1.0, unit="ms")
    return found


def _holds(claim: Claim, value: Value) -> bool:
    if value.low is None or value.high is None:
        return False
    if claim.holds == "equal":
        published = float(claim.published)
        return NEAR[0] * published <= value.value <= NEAR[1] * published
    return {"above": value.low > 1, "below": value.high < 1,
            "near": NEAR[0] <= value.low and value.high <= NEAR[1]}[claim.holds]


def _beside(claim: Claim, points: Points, value: Value) -> tuple[str, dict[str, Value]] | None:
    """What of the claim's further conditions does not hold; None where all do. What was not measured decides nothing."""
    for other in claim.also:
        try:
            found = ratio_value(*points.pair(other["over"], other["under"]))
        except Absent:
            continue
        if not _holds(claim, found):
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
        if not _holds(claim, value):
            return Judged(claim, NOT_REPRODUCED, value)
        failed = _beside(claim, points, value)
    except Absent as absent:
        return Judged(claim, NOT_HERE, absent=absent)
    return Judged(claim, NOT_REPRODUCED if failed else REPRODUCED, value, failed=failed)


def judge_all(claims: tuple[Claim, ...], results: Results) -> list[Judged]:
    """Every claim, in the order of the book."""
    points = Points(results)
    return [judge(claim, points) for claim in claims]
