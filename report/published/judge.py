"""Judges claims: reproduced, direction only, not reproduced, or not judged. data/published/README.md has the rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import geometric_mean, median
from typing import Any

from ..case import Case
from ..counter_tables import Metrics
from ..experiment import Results
from ..hierarchy import cycles_of, told_cycles
from ..hosts import first_card, host_of
from ..numbers import ends_of, plain
from ..operations import is_time, volume
from ..ratios import LEAST_PAIRS, UNSURE, Ratio, median_interval, speedup
from ..where import short_host
from .book import Claim, Point, Sides
from .points import Absent, Counted, Points

NEAR, TWICE_NEAR = (0.90, 1.10), (0.80, 1.20)
MOST_APART = 2.0  # times the published gain, either way
REPRODUCED, DIRECTION, NOT_REPRODUCED, NOT_JUDGED = VERDICTS = ("reproduced", "direction only", "not reproduced", "not judged")
PROCESSES = 4  # in a row, as many as a source has
_TERM_BYTES = 8  # a float of A and one of B
_LANE_BYTES, _LANES = 4, 32


@dataclass(frozen=True)
class Value:
    """A measured figure in the claim's unit. `rough`: too few samples for an interval, so that its ends are the nearest and the
    farthest samples', a quarter wider."""

    value: float
    low: float | None = None
    high: float | None = None
    rough: bool = False
    ratio: Ratio | None = None
    cases: tuple[Case, ...] = ()
    counted: tuple[Counted, ...] = ()

    @property
    def ends(self) -> tuple[float, float]:
        """Its interval. Raises Absent where it has none."""
        if self.low is None or self.high is None:
            raise Absent("no_interval")
        return self.low, self.high


@dataclass(frozen=True)
class Part:
    """A claim at one of its sizes."""

    sides: Sides
    value: Value
    idle: bool  # told, but judging nothing: the card is not filled
    verdict: str


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict. `absent` says why nothing could be measured; `larger` what is larger than the largest; `elsewhere`
    which of its points were measured on other hosts alone, `lacking` which of its sizes not at all."""

    claim: Claim
    verdict: str
    measured: Value | None = None
    absent: Absent | None = None
    host: str = ""
    parts: tuple[Part, ...] = ()
    larger: Value | None = None
    elsewhere: tuple[tuple[str, str], ...] = ()  # (name, host)
    lacking: tuple[str, ...] = ()

    @property
    def value(self) -> Value:
        """What was measured. Raises ValueError where `absent` says why nothing was."""
        if self.measured is None:
            raise ValueError(f"claim '{self.claim.claim}' was not measured")
        return self.measured


def processes(case: Case) -> list[float]:
    """The first multiplication of consecutive processes, in their order, in seconds. Raises Absent of fewer than two."""
    found = [sample for _, sample in sorted(zip(case.rounds, case.samples_s))][:PROCESSES]
    if len(found) < 2:
        raise Absent("one_process", label=case.name)
    return found


def _first(case: Case) -> Value:
    """The first process's time over the median of those that follow; its ends are over the slowest and the fastest of these."""
    first, *later = processes(case)
    return Value(first / median(later), first / max(later) / UNSURE, first / min(later) * UNSURE, True)


def _longest(case: Case) -> Value:
    """The most that a process took over the one before it: one sample a side."""
    known = processes(case)
    most = max(later / before for before, later in pairwise(known))
    return Value(most, most / UNSURE, most * UNSURE, True)


def _phase(case: Case, name: str) -> Value:
    """Milliseconds of a phase of a fresh process's first call."""
    sums = [1e3 * one for one in case.first_call_s.get(name) or ()]
    if not sums:
        raise Absent("no_phases", label=case.name)
    ends = median_interval(sums) if len(sums) >= LEAST_PAIRS else None
    low, high = ends or (min(sums) / UNSURE, max(sums) * UNSURE)
    return Value(median(sums), low, high, ends is None)


def _of_time(case: Case, value: float, slower_is_more: bool = False) -> Value:
    """What is formed of a case's median time, with ends as far apart as those of the time."""
    rough = case.ci95_s is None
    fast, slow = case.ci95_s or (min(case.samples_s, default=case.median_s) / UNSURE, max(case.samples_s, default=case.median_s) * UNSURE)
    ends = value * fast / case.median_s, value * slow / case.median_s
    return Value(value, *(ends if slower_is_more else (value * case.median_s / slow, value * case.median_s / fast)), rough)


def _cycles(case: Case) -> Value:
    """The kernel's own count, by the rule of the memory hierarchy's table."""
    cycles, counted, mhz = told_cycles(case), cycles_of(case), case.clock_mhz or 0
    if counted is None:
        raise Absent("no_fact", label=case.name)
    if cycles is None:
        raise Absent("cycles_elsewhere", counted=plain(counted), ns=plain(case.rate), mhz=plain(mhz, 0), cycles=plain(case.rate * mhz * 1e-3))
    return _of_time(case, cycles, slower_is_more=True)


def _exact(value: Any) -> Value:
    return Value(float(value), float(value), float(value))


def _rate(case: Case) -> Value:
    return _of_time(case, case.rate, is_time(case.rate_unit))


OF_CASE: dict[str, Callable[[Case], Value]] = {
    "rate": _rate, "spread": _rate, "cycles": _cycles, "first process": _first, "longest process": _longest,
    "context": lambda case: _phase(case, "context"), "allocation": lambda case: _phase(case, "allocation"),
    "asked": lambda case: _of_time(case, _TERM_BYTES * volume(case.shape) / 1e9 / case.median_s),  # GB/s, whatever cache serves it
    "registers": lambda case: _exact(case.resources.get("registers") or 0)}


def bytes_asked_for(metrics: Metrics, block: Any) -> float:
    """By loads of a float a lane, in blocks of block×block threads: of a small one not all lanes of a warp load."""
    return metrics["global_load_requests"] * min(_LANES, int(block or _LANES)**2) * _LANE_BYTES


OF_COUNTERS: dict[str, Callable[[Metrics, Counted, Point], float]] = {
    "sectors": lambda metrics, _, __: metrics["global_load_sectors_per_request"],
    "intensity": lambda metrics, counted, point: 2.0 * volume(counted.shape) / bytes_asked_for(metrics, point.get("block")),
    "conflict fold": lambda metrics, _, __: metrics["shared_wavefronts"] / (
        metrics["shared_wavefronts"] - metrics["shared_load_bank_conflicts"]),
    "barrier share": lambda metrics, _, __: metrics["stalled_barrier"] / metrics["warps_per_issue"],
    "occupancy": lambda metrics, _, __: metrics["occupancy"]}


def _by_host(points: Points, claim: Claim, point: Point) -> dict[str, Any]:
    """What is known of a point, by host, the preferred host last. Raises Absent."""
    if "ceiling" in point:
        return {host: Value(*one) for host, one in points.ceilings(point["ceiling"]).items()}
    if "card" in point:
        group, key = point["card"].split(".")
        found = {host_of(run): _exact(first_card(run)[group][key]) for run in points.results.runs
                 if isinstance((first_card(run).get(group) or {}).get(key), (int, float))}
        if not found:
            raise Absent("no_fact" if points.has_gpu else "no_gpu", label=point["card"], experiments="memory")
        return found
    if claim.of in OF_COUNTERS:
        counted = points.counted(point)
        try:
            value = _exact(OF_COUNTERS[claim.of](counted.metrics, counted, point))
        except KeyError as error:
            raise Absent("counter_missing", counter=error.args[0], experiments=point["experiments"][0]) from error
        return {counted.host or counted.card: replace(value, counted=(counted,))}
    made: dict[str, list[Case]] = {}
    for case in points.find(point):
        made.setdefault(case.host, made.pop(case.host, [])).append(case)
    return made


_Known = list[tuple[str, dict[str, Any]]]  # of a side: each point's name with what is known of it by host


def _side(points: Points, claim: Claim, side: tuple[Point, ...], whys: list[Absent]) -> _Known:
    """What is known of a side's points; `whys` gets the reason of each of which nothing is."""
    made: _Known = []
    for point in side:
        try:
            found = _by_host(points, claim, point)
            made.append((next((cases[-1].name for cases in found.values() if isinstance(cases, list)), ""), found))
        except Absent as absent:
            whys.append(absent)
    return made


def _has(sides: list[_Known], host: str) -> bool:
    return all(any(host in known for _, known in side) for side in sides)


def _take(points: Points, sides: list[_Known], host: str) -> list[Any]:
    """Of each side what is known on the host: of several points the fastest, of cases the last, of the same rounds as the other
    side's where there are such."""
    here = [[known[host] for _, known in side if host in known] for side in sides]
    best = [min(side, key=lambda one: one[-1].median_s) if isinstance(side[0], list) else side[0] for side in here]
    if len(best) == 2 and all(isinstance(one, list) for one in best):
        return list(points.pair(best[0], best[1], host))
    return [one[-1] if isinstance(one, list) else one for one in best]


def ratio_of(over: Case, under: Case) -> Value:
    """time(over) / time(under) with its 95 % interval, or with bounds where there are too few samples for one."""
    ratio = speedup(over, under)
    sure = ratio.low is not None and ratio.high is not None
    low, high = (ratio.low, ratio.high) if sure else ends_of(ratio.bounds)
    return Value(ratio.value, low, high, not sure, ratio, (over, under))


def _formed(claim: Claim, taken: list[Any]) -> Value:
    """The claim's figure from what was taken of its sides, in its own unit."""
    if claim.of == "time":
        over, under = taken
        found = ratio_of(over, under)
        scale, offset = (1e3 * under.median_s, 1.0) if claim.neutral == 0 else (claim.neutral * claim.factor, 0.0)
        low, high = (None if end is None else (end - offset) * scale for end in (found.low, found.high))
        return replace(found, value=(found.value - offset) * scale, low=low, high=high)
    values = [replace(OF_CASE[claim.of](one), cases=(one,)) if isinstance(one, Case) else one for one in taken]
    value, *rest = values
    scale = (claim.neutral or 1.0) * claim.factor
    base = rest[0] if rest else _exact(1.0)
    (low, high), (its_low, its_high) = value.ends, base.ends
    return Value(scale * value.value / base.value, scale * low / its_high, scale * high / its_low, any(one.rough for one in values), None,
                 tuple(case for one in values for case in one.cases), tuple(each for one in values for each in one.counted))


def _gain(claim: Claim, shown: float) -> float:
    """What a figure says was gained: the slower's time over the faster's, less 1. Of added time, that time."""
    if claim.unit == "ms":
        return shown
    ratio = shown / claim.neutral
    return (1 / ratio if claim.rule == "below" else ratio) - 1


def _size_holds(claim: Claim, value: Value) -> bool:
    """Is it as large as the claim says? By the number in its statement where that names one, else by the published figure."""
    if claim.least is not None:
        return value.ends[0] > claim.least
    if claim.range:
        return claim.range[0] <= value.value <= claim.range[1]
    published = claim.number if claim.names is None else claim.names
    if published is None:
        return True
    there, here = _gain(claim, published), _gain(claim, value.value)
    return there > 0 and 1 / MOST_APART <= here / there <= MOST_APART


def verdict_of(claim: Claim, value: Value) -> str:
    """Of one value. Raises Absent where it has no interval."""
    low, high = value.ends
    neutral = claim.neutral
    if claim.rule == "equal":
        return REPRODUCED if NEAR[0] <= value.value / (claim.number or 1.0) <= NEAR[1] else NOT_REPRODUCED
    if claim.rule == "within":
        return REPRODUCED if claim.range[0] <= value.value <= claim.range[1] else NOT_REPRODUCED
    if claim.rule == "near":
        inside = [band[0] * neutral <= low and high <= band[1] * neutral for band in (NEAR, TWICE_NEAR)]
        return REPRODUCED if inside[0] else DIRECTION if inside[1] else NOT_REPRODUCED
    if not (low > neutral if claim.rule == "above" else high < neutral):
        return NOT_REPRODUCED
    return REPRODUCED if _size_holds(claim, value) else DIRECTION


def together(values: list[Value], spread: bool = False) -> Value:
    """Of several sizes the geometric mean, with the lowest and the highest end; of a spread the highest over the lowest."""
    cases = tuple(case for one in values for case in one.cases)
    if spread:
        most, least = (choose(values, key=lambda one: one.value) for choose in (max, min))
        (low, high), (its_low, its_high) = most.ends, least.ends
        return Value(most.value / least.value, low / its_high, high / its_low, cases=cases)
    if len(values) == 1:
        return values[0]
    return Value(geometric_mean([one.value for one in values]), min(one.ends[0] for one in values), max(one.ends[1] for one in values),
                 any(one.rough for one in values), cases=cases, counted=tuple(each for one in values for each in one.counted))


def _apart(sides: list[_Known]) -> Absent:
    over, under = (f"{name} ({', '.join(map(short_host, found))})" for name, found in (sides[0][0], sides[-1][0]))
    return Absent("several_hosts", over=over, under=under)


def _host_for(known: list[list[_Known]], whys: list[Absent]) -> str:
    """The host that has both sides of the most parts; of several the one that the first point prefers. Raises Absent."""
    hosts = [host for sides in known for _, found in sides[0] for host in found]
    best = max(hosts, key=lambda host: (sum(_has(sides, host) for sides in known), hosts.index(host)), default="")
    if not any(_has(sides, best) for sides in known):
        raise whys[0] if whys else _apart(known[0])
    return best


def judge(claim: Claim, points: Points) -> Judged:
    """The claim on this machine."""
    if claim.missing:
        return Judged(claim, NOT_JUDGED, absent=Absent("missing"))
    try:
        return _judged(claim, points)
    except Absent as absent:
        return Judged(claim, NOT_JUDGED, absent=absent)


def _judged(claim: Claim, points: Points) -> Judged:
    whys: list[Absent] = []
    known = [[_side(points, claim, side, whys) for side in sides if side] for sides in claim.parts]
    host = _host_for(known, whys)
    parts = []
    for sides, found in zip(claim.parts, known):
        if _has(found, host):
            value = _formed(claim, _take(points, found, host))
            idle = len(known) > 1 and not claim.idle and any(points.idle(case) for case in value.cases)
            parts.append(Part(sides, value, idle, "" if claim.of == "spread" else verdict_of(claim, value)))
    judging = [part for part in parts if not part.idle] or parts
    if claim.of == "spread" and len(judging) < 2:
        raise Absent("one_size")
    value = together([part.value for part in judging], claim.of == "spread")
    verdict = verdict_of(claim, value) if claim.of == "spread" else max((part.verdict for part in judging), key=VERDICTS.index)
    larger = _larger(claim, points, value, host) if verdict != NOT_REPRODUCED else None
    elsewhere = dict.fromkeys((name, next(iter(there))) for sides in known for side in sides for name, there in side if host not in there)
    lacking = tuple(str(sides[0][0].get("size", "")) for sides, found in zip(claim.parts, known) if not _has(found, host))
    return Judged(claim, NOT_REPRODUCED if larger else verdict, value, None, host, tuple(parts), larger, tuple(elsewhere), lacking)


def _larger(claim: Claim, points: Points, value: Value, host: str) -> Value | None:
    """Of the ratios that this one must exceed the first that it does not. Raises Absent: the largest of what, then?"""
    for sides in claim.largest_of:
        whys: list[Absent] = []
        found = [_side(points, claim, side, whys) for side in sides]
        if not _has(found, host):
            raise whys[0] if whys else _apart(found)
        other = _formed(claim, _take(points, found, host))
        if not value.ends[0] > other.ends[1]:
            return other
    return None


def judge_all(claims: tuple[Claim, ...], results: Results) -> list[Judged]:
    """Every claim, in the order of the book."""
    points = Points(results)
    return [judge(claim, points) for claim in claims]


def statuses(judged: list[Judged]) -> dict[str, int]:
    """How many of each verdict, under the names that the text of the counts has."""
    return {verdict.replace(" ", "_"): sum(one.verdict == verdict for one in judged) for verdict in VERDICTS} | {"count": len(judged)}
