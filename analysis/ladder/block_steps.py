"""Which block size is the fastest, what each block gains over the next smaller one, and which
counters moved with it.

Counters are counted of one shape as a rule, and maybe in another experiment of the same records:
they are told per 32 multiply-adds (what a warp does in one instruction), so that they hold for
other large shapes, too.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any

from analysis.counters.counted import Metrics, counted_elsewhere, metrics_of
from analysis.counters.counter_worth import (
    DRAM,
    INSTRUCTIONS,
    L1,
    L2,
    Work,
    card_of,
    parts_of,
    waits_of,
)
from analysis.tables.tables import sentences
from language import say
from records.cases.case import Case
from records.cases.hosts import cards_of
from records.cases.ratios import Ratio, speedup
from records.cases.series import Series, Shape, by_value, having, series_of, shapes_of, values_of
from records.names.numbers import capital, counted, joined, plain, ratio_text
from records.schema.older import counted_shape
from records.schema.operations import shape_text, volume
from records.view import View

from .sweeps import block_finding

PART = 0.25  # of the time saved: a counter worth less is not a reason
MOST_REASONS = 2
MOVED = 1.1  # occupancy that changed by less than a tenth is none either
WARP = 32  # multiply-adds of one warp instruction
Record = dict[str, Any]


@dataclass(frozen=True)
class Reason:
    """A counter of the smaller and of the larger block, per 32 multiply-adds (`share`: occupancy,
    of 1)."""

    what: str
    before: float
    after: float
    share: bool = False

    @property
    def text(self) -> str:
        """"instructions 4.27 → 3.11"."""
        before, after = (f"{plain(100 * value, 0)} %" if self.share else plain(value)
                         for value in (self.before, self.after))
        return f"{self.what} {before} → {after}"


@dataclass(frozen=True)
class Row:
    """One block at the shape that the steps are told of; `gain` over the next smaller block, None
    for the smallest."""

    block: Any
    case: Case
    gain: Ratio | None
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class BlockSteps:
    """One implementation. `rows`: smallest block first, at its largest shape with two blocks;
    `records`: the `counters` that the reasons are of, none where there are no reasons."""

    series: Series
    shape: Shape
    rows: tuple[Row, ...]
    records: tuple[Record, ...] = ()

    @property
    def best(self) -> Row:
        """That of the fastest block."""
        return min(self.rows, key=lambda row: row.case.median_s)

    def short(self, block: Any) -> str:
        """"32×32", "64"."""
        return f"{block}×{block}" if self.series.first.device == "gpu" else str(block)

    def name(self, block: Any) -> str:
        """"32×32" of a square tile in a GPU's shared memory, "block 64" of a loop."""
        return self.short(block) if self.series.first.device == "gpu" else say("block {value}",
            value=block)


def block_steps(view: View) -> list[BlockSteps]:
    """Each implementation that has numbers of two blocks at one shape."""
    made = []
    for series in series_of((case for case in having(view.cases, "block")
                             if case.shown and not case.copy), without="block"):
        lookup = by_value(series, "block")
        shapes = [shape for shape in shapes_of(series.cases) if len(lookup[shape]) > 1]
        if shapes:
            made.append(_steps(view, series, shapes[-1], lookup[shapes[-1]]))
    return made


def _steps(view: View, series: Series, shape: Shape, cases: dict[Any, Case]) -> BlockSteps:
    blocks = values_of(cases.values(), "block")
    records = _counted(view, [cases[block] for block in blocks])
    rows = [Row(blocks[0], cases[blocks[0]], None)]
    for below, above in itertools.pairwise(blocks):
        gain = speedup(cases[below], cases[above])
        reasons = () if gain.tie or not records else _reasons(view, cases[below], cases[above],
                                                              records[below], records[above])
        rows.append(Row(above, cases[above], gain, reasons))
    return BlockSteps(series, shape, tuple(rows),
                      tuple(records.values()) if any(row.reasons for row in rows) else ())


def _counted(view: View, cases: list[Case]) -> dict[Any, Record]:
    """block -> `counters` record, all of one experiment, shape and card, that of the times if there
    is a choice, at the largest shape; empty where not every block was counted."""
    wanted = {(case.implementation, _key(case.parameters)): case.parameters["block"]
              for case in cases}
    places: dict[tuple, dict[Any, Record]] = {}
    for record in view.counted:
        block = wanted.get((str(record.get("implementation")),
                            _key(record.get("parameters") or {})))
        if block is not None and (shape := counted_shape(record)):
            place = (record.get("gpu_uuid") in cards_of(view.run)[:1], volume(shape), shape,
                     str(record.get("experiment")), str(record.get("gpu_uuid")))
            places.setdefault(place, {})[block] = record
    whole = [place for place, found in places.items() if len(found) == len(cases)]
    return places[max(whole)] if whole else {}


def _key(parameters: dict[str, Any]) -> tuple:
    return tuple(sorted((name, str(value)) for name, value in parameters.items()))


def _names() -> dict[Work, str]:
    return {INSTRUCTIONS: say("instructions"), L1: say("cycles of L1 and shared memory"),
            L2: say("bytes from L2"), DRAM: say("bytes from DRAM")}


def _reasons(view: View, below: Case, above: Case, before: Record,
             after: Record) -> tuple[Reason, ...]:
    """What was worth most of the time that the counted kernels saved (or lost), and how far the SMs
    were filled."""
    metrics: tuple[Metrics, Metrics] = metrics_of(before), metrics_of(after)
    below, above = (replace(case, measured_s=one.get("time_s") or 0.0)
                    for case, one in zip((below, above), metrics))
    # of the counted kernels, whose shape may be another than that of the times
    delta_s = above.median_s - below.median_s
    shape = counted_shape(after)
    if not below.median_s or not above.median_s or not delta_s or shape is None:
        return ()
    unit, names = volume(shape) / WARP, _names()
    waits = waits_of(below, metrics[0]), waits_of(above, metrics[1])
    parts = [part for part in parts_of(*metrics, card_of(view, above), delta_s, waits)
             if part.work in names and part.worth_s >= PART * abs(delta_s)]
    reasons = [Reason(names[part.work], part.before / unit, part.after / unit)
               for part in parts[:MOST_REASONS]]
    was, now = metrics[0].get("occupancy"), metrics[1].get("occupancy")
    if was is not None and now is not None and (now > MOVED * was) == (delta_s < 0) \
            and max(was, now) > MOVED * min(was, now):
        reasons.append(Reason(say("occupancy"), was, now, share=True))
    return tuple(reasons)


def finding(view: View) -> str:
    """"A 32×32 tile is 1.11 times as fast as 16×16, and 5.6 times as fast as 4×4": of the first
    implementation, which is named where there are several; empty where there is none."""
    every = block_steps(view)
    head = block_finding(view, ()) if every else None
    if head is None:
        return ""
    if len(every) > 1:
        return say("{name}: {finding}", name=every[0].series.name, finding=head.finding)
    return capital(head.finding)


def described(view: View) -> str:
    """Each block's rate, gain and reasons in words: what the figure shows, for whoever cannot see
    it."""
    told = []
    for steps in block_steps(view):
        rows = [f"{steps.name(row.block)} {plain(row.case.rate)} GFLOP/s" + _why(row)
                for row in steps.rows]
        told.append(say("{name} at {shape}: {rows}.", name=steps.series.name,
                        shape=shape_text(*steps.shape), rows=say("; ").join(rows)))
    return say(" ").join(told)


def _why(row: Row) -> str:
    if row.gain is None:
        return ""
    gain = ratio_text(row.gain.value, row.gain.low, row.gain.high)
    reasons = say(", ").join(reason.text for reason in row.reasons)
    return (say(" ({gain} times the next smaller: {reasons})", gain=gain, reasons=reasons)
            if reasons else say(" ({gain} times the next smaller)", gain=gain))


def counted_text(view: View, every: list[BlockSteps]) -> str:
    """What the reasons are counts of; empty where there are none."""
    records = [record for steps in every for record in steps.records]
    if not records:
        return ""
    shapes = sorted({shape for record in records if (shape := counted_shape(record))})
    return sentences(say("Reasons: what ncu counted at {shapes}, per 32 multiply-adds (one "
                         "instruction of a warp).",
                         shapes=joined([shape_text(*shape) for shape in shapes])),
                     counted_elsewhere(records, view.run))


def left_out_text(every: list[BlockSteps], drawn: int) -> str:
    """That not all implementations are drawn."""
    return say("{count} of {all} drawn: see the table.", count=drawn,
               all=counted(len(every), "implementation")) if len(every) > drawn else ""
