"""Hardware counters of profiled points: the table, and for each step of the ladder the counter that explains it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable

from .case import Case
from .language import say
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

    key: str  # of its title and of how it is said
    value: Callable[[Metrics], float | None]
    scale: float
    unit: str
    floor: float
    better: int

    @property
    def title(self) -> str:
        return say(f"counter.{self.key}_title")

    @property
    def said(self) -> str:
        return say(f"counter.{self.key}_said")


def _sum(*names: str) -> Callable[[Metrics], float | None]:
    return lambda metrics: None if any(name not in metrics for name in names) else sum(metrics[name] for name in names)


def _conflicts(metrics: Metrics) -> float | None:
    """Bank conflicts of loads and stores for 1,000 warp instructions."""
    total, instructions = _sum("shared_load_bank_conflicts", "shared_store_bank_conflicts")(metrics), metrics.get("instructions")
    return 1000 * total / instructions if total is not None and instructions else None


COUNTERS = (
    Counter("dram", _sum("dram_read_bytes", "dram_write_bytes"), 1e6, "MB", 1e5, -1),
    Counter("l2", _sum("l2_bytes"), 1e6, "MB", 1e5, -1),
    Counter("load", _sum("global_load_sectors_per_request"), 1, "", 1.0, -1),
    Counter("store", _sum("global_store_sectors_per_request"), 1, "", 1.0, -1),
    Counter("conflicts", _conflicts, 1, "", 1.0, -1),
    Counter("occupancy", _sum("occupancy"), 0.01, "%", 0.01, 1),
    Counter("fma", _sum("fma_pipe"), 0.01, "%", 0.01, 0),
    Counter("tensor", _sum("tensor_pipe"), 0.01, "%", 0.01, 1),
    Counter("instructions", _sum("instructions"), 1e6, "million", 1e3, -1))


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
        return empty(view, say("counter.none"))
    tools = sorted({str(view.counters[case.case_id].get("tool") or say("counter.tool")) for _, case, _ in found})
    table = Table(view.kind, view.full_title, say("counter.caption", tools=", ".join(tools), dash=DASH),
                  (say("table.implementation"), say("table.plain_shape")),
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
    verdict = say("counter.verdict", verdict=ratio.verdict) if ratio.tie else ""
    head = say("counter.step", below=names[0], above=names[1], value=plain(ratio.value), verdict=verdict)
    if ratio.tie:
        return say("counter.tie", head=head)
    gain = math.log(ratio.value)
    changes = [(math.copysign(1, gain) * change[0], change, counter) for counter in COUNTERS if counter.better
               and (change := _change(counter, *metrics)) is not None]
    best = max(changes, key=lambda entry: entry[0], default=None)
    if best is None or best[0] < math.log(LEAST_CHANGE):
        return say("counter.unexplained", head=head)
    size, (_, before, after), counter = best
    unit = f" {say('counter.million') if counter.unit == 'million' else counter.unit}" if counter.unit else ""
    text = say("counter.fell" if after < before else "counter.rose", head=head, said=counter.said,
               before=plain(before / counter.scale), after=plain(after / counter.scale), unit=unit)
    return text + say("number.stop" if size >= EXPLAINS * abs(gain) else "counter.little")


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
    return [say("counter.opening", shape=shape_text(*shape), step=steps[0]), *steps[1:]]
