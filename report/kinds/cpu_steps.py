"""Each rung of a CPU ladder beside the fastest before it, with what the processor counted of each,
or why it counted nothing."""

from __future__ import annotations

from typing import Any

from analysis.counters.counted import Metrics, metrics_of
from analysis.counters.cpu_counter_worth import CYCLES, INSTRUCTIONS
from analysis.ladder.ladder import Ladder, Rung, ladders_of
from analysis.tables.kind import TableKind
from analysis.tables.tables import Cell, Row, Table, empty, sentences
from language import recorded, say
from records.names.naming import isa_text
from records.names.numbers import DASH, ends_of, joined, plain, ratio_text
from records.schema.operations import GEMM, shape_text
from records.view import View

MILLION = 1e6
MISSES = ("l1d_load_misses", "dtlb_load_misses", "llc_load_misses")


def _refused(records: list[dict[str, Any]]) -> list[str]:
    """The reasons for which a counter has no value, each once."""
    return sorted({str(metric["reason"]) for record in records
                   for metric in (record.get("metrics") or {}).values() if isinstance(metric, dict)
                   and metric.get("value") is None and metric.get("reason")})


def _counted(metrics: Metrics) -> list[Cell]:
    """Cycles, instructions per cycle, and misses."""
    cycles, instructions = metrics.get(CYCLES), metrics.get(INSTRUCTIONS)
    per_cycle = instructions / cycles if cycles and instructions is not None else None
    values = [(cycles, MILLION, "million"), (per_cycle, 1.0, ""),
              *((metrics.get(name), MILLION, "million") for name in MISSES)]
    return [Cell(DASH) if value is None else Cell(plain(value / scale), value / scale, unit=unit)
            for value, scale, unit in values]


def _times(rung: Rung) -> Cell:
    ratio = rung.ratio
    if ratio is None:
        return Cell(DASH)
    return Cell(ratio_text(ratio.value,
                           *ends_of(ratio.decision)) + (f", {ratio.verdict}" if ratio.tie else ""),
                ratio.value, *ends_of(ratio.decision), "times")


def _metrics(view: View, rung: Rung) -> Metrics:
    return metrics_of(view.counters.get(rung.case.case_id) or {})


def _is_counted(view: View, ladder: Ladder) -> bool:
    return any(_metrics(view, rung).keys() - {"time_s"} for rung in ladder.rungs)


def _caption(view: View, ladder: Ladder) -> str:
    records = [view.counters[rung.case.case_id] for rung in ladder.rungs
               if rung.case.case_id in view.counters]
    others = {record.get("host_id")
              for record in records} - {(view.run.get("host") or {}).get("id"), None}
    told = [say("At {shape}; brackets hold the 99 % interval of the ratio.",
                shape=shape_text(*ladder.shape))]
    if not records:
        told.append(say("Nothing was counted: `gemmlab profile {experiment} --cpu` counts.",
                        experiment=view.experiment))
    elif not _is_counted(view, ladder):
        told.append(say("The machine counts nothing: {reason}.",
                        reason=joined([recorded(one) for one in _refused(records)])))
    else:
        told.append(say("Counted by perf_event_open per call, all threads together, user code "
                        "alone; misses are of loads. What can account for a step: the counter "
                        "whose change is worth most, and at least half, of the change in cycles, "
                        "at 14 cycles for a miss of L1, 30 of the TLB, 300 of the last cache, 1/4 "
                        "for an instruction. It may cost less where other work hides it."))
        told += [say("Not counted: {reason}.", reason=recorded(one)) for one in _refused(records)]
        told.append(say("A {dash}: not counted, or no counter accounts for it.", dash=DASH))
    told += [say("Counted on another host than the times.")] if others else []
    return sentences(*told)


def cpu_steps_table(view: View) -> Table:
    """A row a rung of the widest instruction set that was measured, each beside the fastest before
    it; without the columns of counters where the machine gave none."""
    ladders = [ladder for ladder in ladders_of(view) if ladder.rungs[0].case.device == "cpu"]
    if not ladders or len(ladders[-1].rungs) < 2:
        return empty(view, say("No two rungs of a CPU ladder have a number that may be shown."))
    ladder = ladders[-1]
    title = view.full_title + (f" ({isa_text(ladder.isa)})" if ladder.isa else "")
    heads = say("Rung"), say("Beside")
    columns: tuple[str, ...] = (say("times as fast"),)
    if not _is_counted(view, ladder):
        rows = [Row((rung.name, rung.over or DASH), (_times(rung),)) for rung in ladder.rungs]
        return Table(view.kind, title, _caption(view, ladder), heads, columns, rows,
                     reference=view.reference)
    rows = [Row((rung.name, rung.over or DASH, rung.why or DASH),
                (_times(rung), *_counted(_metrics(view, rung)))) for rung in ladder.rungs]
    columns += (say("cycles, millions"), say("instructions per cycle"), say("L1 misses, millions"),
                say("TLB misses, millions"), say("last-level misses, millions"))
    return Table(view.kind, title, _caption(view, ladder), (*heads, say("What can account for it")),
                 columns, rows, reference=view.reference)


KIND = TableKind(title="each rung beside the fastest before it",
                 about="each rung of a CPU ladder beside the fastest before it, with what the "
                 "processor counted of it",
                 of=GEMM,
                 table=cpu_steps_table,
                 has=lambda case: case.device == "cpu",
                 explains=True)
