"""What a claim's figure is here: a value with its interval, from the records of one machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import median

from ..case import Case
from ..ceilings import every_ceiling, trusted
from ..numbers import ends_of
from ..operations import volume
from ..ratios import LEAST_PAIRS, UNSURE, Ratio, median_interval, speedup
from .claims import Claim
from .points import Absent, Point, Points, experiments_of

_LANES = 32
_FLOAT_BYTES = 4
PROCESSES = 4  # in a row, as many as a source has
_PASS_BYTES = 128  # that a pass of shared memory can move: 32 banks of 4 bytes


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
    host: str = ""  # of what has no cases

    @property
    def ends(self) -> tuple[float, float]:
        """Its interval. Raises ValueError where it has none: `judge` asks before it goes on."""
        if self.low is None or self.high is None:
            raise ValueError(f"{self.value:g} {self.unit} has no interval")
        return self.low, self.high

    def shown(self) -> tuple[float, float | None, float | None]:
        """(value, low, high) in the unit of the published figure."""
        ends = [None if end is None else (end + self.offset) * self.scale for end in (self.low, self.high)]
        return (self.value + self.offset) * self.scale, ends[0], ends[1]


def ratio_value(over: Case, under: Case) -> Value:
    """time(over) / time(under) with its 95 % interval, or with bounds where there are too few samples for one."""
    ratio = speedup(over, under)
    if ratio.low is not None and ratio.high is not None:
        return Value(ratio.value, ratio.low, ratio.high, False, ratio, over, under)
    low, high = ends_of(ratio.bounds)
    return Value(ratio.value, low, high, True, ratio, over, under)


def _ratio(claim: Claim, points: Points) -> Value:
    over, under = points.pair(claim.over, claim.under)
    found = ratio_value(over, under)
    if claim.shown == "percent":
        return replace(found, scale=100.0, unit="%")
    if claim.shown == "added ms":
        return replace(found, scale=1e3 * under.median_s, offset=-1.0, unit="ms")
    return replace(found, scale=claim.factor)


def processes(case: Case) -> list[float]:
    """The first multiplication of consecutive processes, in their order, in seconds."""
    return [sample for _, sample in sorted(zip(case.rounds, case.samples_s))]


def _processes(claim: Claim, points: Points) -> Value:
    """The first process's time over the median of the three that follow it; its ends are over the slowest and over the
    fastest of these, a quarter wider: of the first there is one sample."""
    case = points.find(claim.over[0])[-1]
    first, *later = processes(case)[:PROCESSES]
    if not later:
        raise Absent("one_process", label=case.name)
    return Value(first / median(later), first / max(later) / UNSURE, first / min(later) * UNSURE, True, over=case)


def _phases(claim: Claim, points: Points) -> Value:
    """The claim's phases of a fresh process's first call, together, in milliseconds."""
    case = points.find(claim.over[0])[-1]
    phases = [case.first_call_s[name] for name in claim.phases if case.first_call_s.get(name)]
    sums = [sum(parts) for parts in zip(*phases)]
    if not sums:
        raise Absent("no_phases", label=case.name)
    ends = median_interval(sums) if len(sums) >= LEAST_PAIRS else None
    low, high = ends or (min(sums) / UNSURE, max(sums) * UNSURE)
    return Value(median(sums), low, high, ends is None, over=case, scale=1e3, unit="ms")


def bytes_asked_for(metrics: dict[str, float], lanes: int) -> float | None:
    """By a kernel whose loads take one float a lane, `lanes` of them in each warp; None where its requests were not counted."""
    requests = metrics.get("global_load_requests")
    return _floats_bytes(requests, lanes) if requests else None


def _floats_bytes(requests: float, lanes: int) -> float:
    return requests * lanes * _FLOAT_BYTES


def lanes_of(tile: int) -> int:
    """Lanes of a warp that load, in a block of tile×tile threads."""
    return min(_LANES, tile * tile) if tile else _LANES


def _of(metrics: dict[str, float], name: str, point: Point) -> float:
    if name not in metrics:
        raise Absent("counter_missing", counter=name, experiments=" ".join(experiments_of(point)))
    return metrics[name]


def _exact(value: float) -> Value:
    return Value(value, value, value)


def _intensity(claim: Claim, points: Points) -> Value:
    metrics, shape = points.counters(claim.over[0])
    requests = _of(metrics, "global_load_requests", claim.over[0])
    return _exact(2.0 * volume(shape) / _floats_bytes(requests, lanes_of(claim.tile)))


def _counter(claim: Claim, points: Points) -> Value:
    point = claim.over[0]
    metrics, shape = points.counters(point)
    if "size" in point and shape != (point["size"],) * 3:
        raise Absent("not_counted_there", what=point["implementation"], size=point["size"],
                     experiments=" ".join(experiments_of(point)[:1]))
    whole = _of(metrics, claim.share_of, point) if claim.share_of else 1.0
    value = _exact(_of(metrics, claim.counter, point) / whole)
    return replace(value, scale=100.0, unit="%") if claim.shown == "percent" else value


def _conflict_fold(claim: Claim, points: Points) -> Value:
    """Passes of shared memory over what would be needed without the conflicts of its loads."""
    metrics, _ = points.counters(claim.over[0])
    passes = _of(metrics, "shared_wavefronts", claim.over[0])
    return _exact(passes / (passes - _of(metrics, "shared_load_bank_conflicts", claim.over[0])))


def _ceiling(points: Points, wanted: dict[str, str]) -> dict[str, Value]:
    """By host its latest trusted value, with the lowest and the highest of all runs there as ends. Raises Absent."""
    found = {}
    for host, entries in every_ceiling(points.results.runs):
        used = [entry for entry in entries if trusted(entry)]
        if used and all(str(used[-1].get(key)) == value for key, value in wanted.items()):
            values = [entry["value"] for entry in used]
            found[host] = Value(values[-1], min(values), max(values), unit=str(used[-1].get("unit") or ""), host=host)
    if not found:
        raise Absent("no_gpu" if wanted.get("device") == "gpu" and not points.has_gpu else "no_ceiling",
                     what=" ".join(wanted.values()))
    return found


def _ceilings(claim: Claim, points: Points) -> Value:
    found = [_ceiling(points, wanted) for wanted in claim.ceilings]
    host = points.latest_of(set.intersection(*map(set, found)))
    if host is None:
        raise Absent("several_hosts", over=claim.ceilings[0]["level"], under=claim.ceilings[-1]["level"])
    over, *rest = (values[host] for values in found)
    if not rest:
        return over
    under = rest[0]
    (low, high), (its_low, its_high) = over.ends, under.ends
    return Value(over.value / under.value, low / its_high, high / its_low, host=host)


def _shared_rate(claim: Claim, points: Points) -> Value:
    """What the kernel that drives shared memory hardest moves through it, at 128 bytes a pass, over the claim's ceiling."""
    found: list[float] = []
    why: Absent | None = None
    for point in claim.over:
        try:
            metrics, _ = points.counters(point)
            found.append(_of(metrics, "shared_wavefronts", point) * _PASS_BYTES / _of(metrics, "time_s", point) / 1e9)
        except Absent as absent:
            why = why or absent
    if not found:
        raise why or Absent("not_measured", what="", experiments="")
    ceiling = _ceilings(claim, points)
    low, high = ceiling.ends
    return Value(max(found) / ceiling.value, max(found) / high, max(found) / low, host=ceiling.host)


def _rate(claim: Claim, points: Points) -> Value:
    case = points.find(claim.over[0])[-1]
    return Value(case.rate, *ends_of(case.rate_ci95), over=case, unit="GFLOP/s")


def _spread(claim: Claim, points: Points) -> Value:
    """The highest of the points' rates over the lowest, on the latest host that has all of them."""
    of_points = [{case.host: case for case in points.find(point)} for point in claim.over]
    host = points.latest_of(set.intersection(*map(set, of_points)))
    if host is None:
        raise Absent("several_hosts", **{side: next(iter(of_points[place].values())).name
                                         for side, place in (("over", 0), ("under", -1))})
    cases = [by_host[host] for by_host in of_points]
    high, low = (choose(cases, key=lambda case: case.rate) for choose in (max, min))
    value = high.rate / low.rate
    if high.rate_ci95 is None or low.rate_ci95 is None:
        return Value(value, over=high, under=low)
    return Value(value, high.rate_ci95[0] / low.rate_ci95[1], high.rate_ci95[1] / low.rate_ci95[0], over=high, under=low)


def _cycles(claim: Claim, points: Points) -> Value:
    """A fact of the kernel's own clock, its last call's; its ends as far apart as those of the time of a call."""
    case = points.find(claim.over[0])[-1]
    cycles = case.chosen.get(claim.fact)
    if not cycles:
        raise Absent("no_fact", fact=claim.fact, label=case.name)
    if case.ci95_s is None:
        return Value(cycles, over=case)
    low, high = (cycles * (end / case.median_s) for end in case.ci95_s)
    return Value(cycles, low, high, over=case)


def _none(claim: Claim, points: Points) -> Value:
    raise Absent("missing", **{key: claim.reasons[key] for key in ("missing", "missing_zh")})


COUNTED = ("counter", "intensity", "conflict fold", "shared rate")  # by ncu
_OF: dict[str, Callable[[Claim, Points], Value]] = {
    "ratio": _ratio, "counter": _counter, "intensity": _intensity, "conflict fold": _conflict_fold, "shared rate": _shared_rate,
    "processes": _processes, "phases": _phases, "ceiling": _ceilings, "rate": _rate, "spread": _spread, "cycles": _cycles,
    "none": _none}


def measure(claim: Claim, points: Points) -> Value:
    """The claim's figure from the records. Raises Absent where it cannot be had."""
    return _OF[claim.measure](claim, points)
