"""What a claim's figure is formed of: the quantities of one case, of one kernel's counters, and the
ratio of two times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import Any

from msgspec.structs import replace as struct_replace

from analysis.counters.counted import Metrics
from analysis.memory.hierarchy import cycles_of, told_cycles
from records.cases.case import Case
from records.cases.ratios import ACCORD, LEAST_PAIRS, UNSURE, Ratio, median_interval, speedup
from records.names.numbers import ends_of, plain
from records.schema.operations import is_time, volume

from .book import Claim, Point
from .points import Absent, Counted

_TERM_BYTES = 8  # a float of A and one of B
_LANE_BYTES, _LANES = 4, 32


@dataclass(frozen=True)
class Value:
    """A measured figure in the claim's unit. `rough`: too few samples for an interval, so that its
    ends are the nearest and the farthest samples', a quarter wider. `medians`: the same by the
    medians over all rounds, where that of shared rounds lies over ACCORD off."""

    value: float
    low: float | None = None
    high: float | None = None
    rough: bool = False
    ratio: Ratio | None = None
    cases: tuple[Case, ...] = ()
    counted: tuple[Counted, ...] = ()
    medians: float | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """Its interval. Raises Absent where it has none."""
        if self.low is None or self.high is None:
            raise Absent("no_interval")
        return self.low, self.high


def _valued(ratio: Ratio, over: Case, under: Case, medians: float) -> Value:
    """With its 95 % interval, or with bounds where there are too few samples for one."""
    sure = ratio.low is not None and ratio.high is not None
    low, high = (ratio.low, ratio.high) if sure else ends_of(ratio.bounds)
    apart = max(medians / ratio.value, ratio.value / medians) - 1 > ACCORD
    return Value(ratio.value, low, high, not sure, ratio, (over, under),
                 medians=medians if apart else None)


def ratio_of(over: Case, under: Case) -> Value:
    """time(over) / time(under)"""
    return _valued(speedup(over, under), over, under, over.median_s / under.median_s)


def rates_of(over: Case, under: Case) -> Value:
    """rate(over) / rate(under): the ratio of their times by what each did in it."""
    slow, fast = (over, under) if is_time(over.rate_unit) else (under, over)
    ratio, work = speedup(slow, fast), over.rate / under.rate / (slow.median_s / fast.median_s)
    scaled = {name: work * end for name in ("value", "low", "high", "least", "most")
              if (end := getattr(ratio, name)) is not None}
    decision = ratio.decision and (work * ratio.decision[0], work * ratio.decision[1])
    return _valued(struct_replace(ratio, decision=decision, **scaled), over, under,
                   over.rate / under.rate)


RATIOS = {"time": ratio_of, "rate": rates_of}


def added_ms(ratio: Value) -> Value:
    """What the first of a ratio's cases takes more than the second, in ms, with its ends: the
    ratio less 1, as it was formed of shared rounds or of medians, of the second's median."""
    def added(times: float) -> float:
        return (times - 1) * 1e3 * ratio.cases[1].median_s

    low, high, medians = (one and added(one) for one in (*ratio.ends, ratio.medians))
    return replace(ratio, value=added(ratio.value), low=low, high=high, medians=medians)


def processes(case: Case) -> list[float]:
    """The first multiplication of consecutive processes, in their order, in seconds. Raises Absent
    of fewer than two."""
    found = [sample for _, sample in sorted(zip(case.rounds, case.samples_s))]
    if len(found) < 2:
        raise Absent("one_process", label=case.name)
    return found


def _first(case: Case) -> Value:
    """The first process's time over the median of those that follow; its ends are over the slowest
    and the fastest of these."""
    first, *later = processes(case)
    return Value(first / median(later), first / max(later) / UNSURE,
                 first / min(later) * UNSURE, True)


def _second(case: Case) -> Value:
    """The first process's time over the second's: one sample a side."""
    first, second, *_ = processes(case)
    return Value(first / second, first / second / UNSURE, first / second * UNSURE, True)


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
    fast, slow = case.ci95_s or (min(case.samples_s, default=case.median_s) / UNSURE,
                                 max(case.samples_s, default=case.median_s) * UNSURE)
    ends = value * fast / case.median_s, value * slow / case.median_s
    return Value(value, *(ends if slower_is_more
                          else (value * case.median_s / slow, value * case.median_s / fast)), rough)


def _cycles(case: Case) -> Value:
    """The kernel's own count, by the rule of the memory hierarchy's table."""
    cycles, counted, mhz = told_cycles(case), cycles_of(case), case.clock_mhz or 0
    if counted is None:
        raise Absent("no_fact", label=f"{case.name}: cycles")
    if cycles is None:
        raise Absent("cycles_elsewhere", counted=plain(counted), ns=plain(case.rate),
                     mhz=plain(mhz, 0), cycles=plain(case.rate * mhz * 1e-3))
    return _of_time(case, cycles, slower_is_more=True)


def by_counted_cycles(claim: Claim, cases: tuple[Case, ...]) -> str:
    """A ratio of two latencies by the cycles that were counted of both, where those of one are not
    told since its loads took another time; else empty."""
    counted = [cycles_of(case) for case in cases]
    if (claim.of != "rate" or len(cases) != 2 or None in counted
            or all(told_cycles(case) is not None for case in cases)):
        return ""
    over, under = (float(one or 0) for one in counted)
    return plain(claim.factor * over / under)


def _registers(case: Case) -> Value:
    if not case.resources.get("registers"):
        raise Absent("no_fact", label=f"{case.name}: registers")
    return exact(case.resources["registers"])


def exact(value: Any) -> Value:
    return Value(float(value), float(value), float(value))


def _rate(case: Case) -> Value:
    return _of_time(case, case.rate, is_time(case.rate_unit))


OF_CASE: dict[str, Callable[[Case], Value]] = {
    "rate": _rate, "spread": _rate, "cycles": _cycles,
    "first process": _first, "second process": _second,
    "longest process": _longest, "context": lambda case: _phase(case, "context"),
    "allocation": lambda case: _phase(case, "allocation"),
    # GB/s, whatever cache serves it
    "asked": lambda case: _of_time(case, _TERM_BYTES * volume(case.shape) / 1e9 / case.median_s),
    "registers": _registers}


def bytes_asked_for(metrics: Metrics, block: Any) -> float:
    """By loads of a float a lane, in blocks of block×block threads: of a small one not all lanes of
    a warp load."""
    return metrics["global_load_requests"] * min(_LANES, int(block or _LANES)**2) * _LANE_BYTES


OF_COUNTERS: dict[str, Callable[[Metrics, Counted, Point], float]] = {
    "sectors": lambda metrics, _, __: metrics["global_load_sectors_per_request"],
    "intensity": lambda metrics, counted, point: 2.0
    * volume(counted.shape) / bytes_asked_for(metrics, point.get("block")),
    "conflict fold": lambda metrics, _, __: metrics["shared_wavefronts"] / (
        metrics["shared_wavefronts"] - metrics["shared_load_bank_conflicts"]),
    "barrier share": lambda metrics, _, __: metrics["stalled_barrier"] / metrics["warps_per_issue"],
    "occupancy": lambda metrics, _, __: metrics["occupancy"]}
