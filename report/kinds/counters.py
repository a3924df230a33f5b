"""What ./gemmlab profile counted; led by ladder_steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from analysis.counters.counted import Metrics, conflicts, counted_elsewhere, profiled, summed
from analysis.tables.kind import TableKind
from analysis.tables.tables import Cell, Row, Table, empty, sentences
from language import say
from records.cases.case import Case
from records.names.numbers import DASH, percent, plain
from records.schema.operations import shape_text
from records.view import View

SEEN = 0.0005  # a share that the table shows as more than nothing


@dataclass(frozen=True)
class Counter:
    """One column."""

    name: str  # English
    value: Callable[[Metrics], float | None]
    scale: float
    unit: str

    @property
    def title(self) -> str:
        return say(self.name)


COUNTERS = (
    Counter("DRAM MB", summed("dram_read_bytes", "dram_write_bytes"), 1e6, "MB"),
    Counter("L2 MB", summed("l2_bytes"), 1e6, "MB"),
    Counter("sectors per load", summed("global_load_sectors_per_request"), 1, ""),
    Counter("sectors a store", summed("global_store_sectors_per_request"), 1, ""),
    Counter("bank conflicts in 1,000 instructions", conflicts, 1, ""),
    Counter("occupancy %", summed("occupancy"), 0.01, "%"),
    Counter("FMA pipe %", summed("fma_pipe"), 0.01, "%"),
    Counter("tensor pipe %", summed("tensor_pipe"), 0.01, "%"),
    Counter("instructions, millions", summed("instructions"), 1e6, "million"))


def _tensor_error(found: list[tuple[str, Case, Metrics]]) -> str:
    """How busy the tensor pipe was counted to be for our own kernels of plain fp32, which have no
    instruction for it."""
    most = max((metrics.get("tensor_pipe", 0.0) for _, case, metrics in found
                if case.precision == "fp32" and not case.library), default=0.0)
    return say("The tensor pipe is counted at up to {most} for kernels that have no instruction "
               "for it: so far its figures may be off.", most=percent(most)) if most > SEEN else ""


def counters_table(view: View) -> Table:
    """A row a profiled point."""
    found = profiled(view)
    if not found:
        return empty(view, say("No point was profiled: `gemmlab profile EXPERIMENT` on a machine "
                               "with a GPU and ncu does so."))
    tools = sorted({str(view.counters[case.case_id].get("tool") or say("an unnamed tool")) for _,
                    case, _ in found})
    caption = sentences(
        say("Counted by {tools} over one call; DRAM and L2 count reads and writes. A sector is 32 "
            "bytes: a warp's coalesced 4-byte loads take 4 per request. Occupancy and pipes are "
            "shares of their peak. A {dash}: not counted.", tools=", ".join(tools), dash=DASH),
        _tensor_error(found),
        counted_elsewhere([view.counters[case.case_id] for _, case, _ in found], view.run))
    table = Table.of(view, caption, (say("Implementation"), say("Shape")),
                     tuple(counter.title for counter in COUNTERS))
    for name, case, metrics in found:
        values = [(counter, counter.value(metrics)) for counter in COUNTERS]
        table.rows.append(Row((name, shape_text(*case.shape)), tuple(
            Cell(DASH) if value is None
            else Cell(plain(value / counter.scale), value / counter.scale, unit=counter.unit)
            for counter, value in values)))
    return table


KIND = TableKind(
    title="hardware counters",
    about="what `./gemmlab profile` counted; led by `ladder_steps`",
    table=counters_table,
    has=lambda case: case.device == "gpu",
    explains=True,
    led_by="ladder_steps")
