"""Hardware counters of profiled points: the table, and for each step of the ladder the counter that explains it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable

from .case import Case
from .numbers import DASH, plain, shape_text
from .ratios import speedup
from .series import series_of, shapes_of
from .tables import Cell, Row, Table, empty
from .view import View

Metrics = dict[str, float]
LEAST_CHANGE = 1.1  # less than a tenth explains nothing
EXPLAINS = 0.5  # of the gain, on the log scale: a counter that changed by less than half of it is not the main reason


@dataclass(frozen=True)
class Counter:
    """One column. `floor` is what counts as none; `better` is -1 where less is faster, 1 where more is, 0 where the
    counter follows the speed instead of causing it."""

    title: str
    said: str
    value: Callable[[Metrics], float | None]
    scale: float
    unit: str
    floor: float
    better: int


def _sum(*names: str) -> Callable[[Metrics], float | None]:
    return lambda metrics: None if any(name not in metrics for name in names) else sum(metrics[name] for name in names)


def _conflicts(metrics: Metrics) -> float | None:
    """Bank conflicts of loads and stores for 1,000 warp instructions."""
    total, instructions = _sum("shared_load_bank_conflicts", "shared_store_bank_conflicts")(metrics), metrics.get("instructions")
    return 1000 * total / instructions if total is not None and instructions else None


COUNTERS = (
    Counter("DRAM MB", "DRAM traffic", _sum("dram_read_bytes", "dram_write_bytes"), 1e6, "MB", 1e5, -1),
    Counter("L2 MB", "L2 traffic", _sum("l2_bytes"), 1e6, "MB", 1e5, -1),
    Counter("sectors a load", "sectors a load request", _sum("global_load_sectors_per_request"), 1, "", 1.0, -1),
    Counter("sectors a store", "sectors a store request", _sum("global_store_sectors_per_request"), 1, "", 1.0, -1),
    Counter("bank conflicts in 1,000 instructions", "bank conflicts in 1,000 instructions", _conflicts, 1, "", 1.0, -1),
    Counter("occupancy %", "achieved occupancy", _sum("occupancy"), 0.01, "%", 0.01, 1),
    Counter("FMA pipe %", "FMA pipe use", _sum("fma_pipe"), 0.01, "%", 0.01, 0),
    Counter("tensor pipe %", "tensor pipe use", _sum("tensor_pipe"), 0.01, "%", 0.01, 1),
    Counter("instructions, millions", "instructions", _sum("instructions"), 1e6, "million", 1e3, -1))


def metrics_of(record: dict[str, Any]) -> Metrics:
    """name -> value of a `counters` record; what is no number is left out."""
    return {name: float(entry["value"]) for name, entry in (record.get("metrics") or {}).items()
            if isinstance(entry, dict) and isinstance(entry.get("value"), (int, float))}


def profiled(view: View) -> list[tuple[str, Case, Metrics]]:
    """(name, case, metrics) of each shown case that was profiled, in the order of the ladder, small shapes first."""
    known = [case for case in view.shown if case.case_id in view.counters]
    return [(series.name, case, metrics_of(view.counters[case.case_id])) for series in series_of(known)
            for case in series.cases]


def counters_table(view: View) -> Table:
    """A row a profiled point."""
    found = profiled(view)
    if not found:
        return empty(view, "No point was profiled: `gemmlab profile EXPERIMENT` on a machine with a GPU and ncu does so.")
    tools = sorted({str(view.counters[case.case_id].get("tool") or "an unnamed tool") for _, case, _ in found})
    table = Table(view.kind, view.full_title, f"Counted by {', '.join(tools)} over one call; DRAM and L2 count reads and "
                  "writes. A sector is 32 bytes: a warp's coalesced 4-byte loads take 4 a request. Occupancy and pipes are "
                  f"shares of their peak. A {DASH}: not counted.", ("Implementation", "Shape"),
                  tuple(counter.title for counter in COUNTERS), reference=view.reference)
    for name, case, metrics in found:
        values = [(counter, counter.value(metrics)) for counter in COUNTERS]
        table.rows.append(Row((name, shape_text(*case.shape)), tuple(
            Cell(DASH) if value is None else Cell(plain(value / counter.scale), value / counter.scale, unit=counter.unit)
            for counter, value in values)))
    return table


def _change(counter: Counter, below: Metrics, above: Metrics) -> tuple[float, float, float] | None:
    """(ln of how much better it got, value below, value above); None where it was not counted on both sides."""
    before, after = counter.value(below), counter.value(above)
    if before is None or after is None:
        return None
    return counter.better * math.log(max(after, counter.floor) / max(before, counter.floor)), before, after


def _step(names: tuple[str, str], cases: tuple[Case, Case], metrics: tuple[Metrics, Metrics]) -> str:
    """What one step changed most in the direction that makes it faster (or slower, where it is)."""
    ratio = speedup(*cases)
    head = f"{names[0]} → {names[1]} ({plain(ratio.value)} times{f', {ratio.verdict}' if ratio.tie else ''})"
    if ratio.tie:
        return f"{head}: nothing to explain."
    gain = math.log(ratio.value)
    changes = [(math.copysign(1, gain) * change[0], change, counter) for counter in COUNTERS if counter.better
               and (change := _change(counter, *metrics)) is not None]
    best = max(changes, key=lambda entry: entry[0], default=None)
    if best is None or best[0] < math.log(LEAST_CHANGE):
        return f"{head}: no counter moved by a tenth the way that would explain it."
    size, (_, before, after), counter = best
    unit = f" {counter.unit}" if counter.unit else ""
    verb = "fell" if after < before else "rose"
    text = f"{head}: {counter.said} {verb} most, from {plain(before / counter.scale)} to {plain(after / counter.scale)}{unit}"
    return text + ("." if size >= EXPLAINS * abs(gain) else ", which is too little to be the whole reason.")


def counter_sentences(view: View) -> list[str]:
    """A sentence for each step of the profiled ladder, at the shape at which most of its points were profiled."""
    found = profiled(view)
    at = {shape: [entry for entry in found if entry[1].shape == shape and entry[1].precision == "fp32"]
          for shape in shapes_of(case for _, case, _ in found)}
    shape = max(at, key=lambda one: (len(at[one]), one[0] * one[1] * one[2], one), default=None)
    if shape is None or len(at[shape]) < 2:
        return []
    climbed = at[shape]
    steps = [_step((below[0], above[0]), (below[1], above[1]), (below[2], above[2]))
             for below, above in zip(climbed, climbed[1:])]
    return [f"What the counters say at {shape_text(*shape)}, step by step: {steps[0]}", *steps[1:]]
