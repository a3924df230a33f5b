"""Joules per product and GFLOP/s per watt of GPU and CPU."""

from __future__ import annotations

from analysis.answer.energy import cpu_unreadable, spent_of
from analysis.answer.names import side, way_text
from analysis.answer.points import way_of
from analysis.tables.kind import TableKind
from analysis.tables.tables import Cell, Row, Table, empty, sentences
from language import say
from records.names.numbers import DASH, plain
from records.schema.operations import GEMM, shape_text
from records.view import View

JOULE, PER_WATT, WATT = "J", "GFLOP/s/W", "W"


def energy_table(view: View) -> Table:
    """What a product costs: a row per shape and point."""
    spent = spent_of(view.cases)
    why = cpu_unreadable(view.run, view.cases)
    remark = say("The CPU's energy {why}.", why=why) if why else ""
    if not spent:
        return empty(view, sentences(say("No point has an energy: cards and processors renew their "
                                         "counters every 20 to 100 ms, and these points were too "
                                         "short."), remark))
    table = Table.of(view, sentences(
        say("Energy of one product, and GFLOP/s per watt; one reading over many calls, so that "
            "there is no interval."),
        say("GPU: the card alone, end to end too; the host's share is not in it."), remark),
        (say("Size"), say("Implementation"), say("GPU timed as"), say("read from")),
        (say("J per product"), say("GFLOP/s per watt"), say("W")))
    for one in spent:
        way = way_text(way_of(one.case)) if one.case.device == "gpu" else DASH
        values = ((one.joules, JOULE), (one.gflop_per_joule, PER_WATT), (one.watts, WATT))
        table.rows.append(Row((shape_text(*one.case.shape), side(one.case), way, one.source), tuple(
            Cell(plain(value), value, unit=unit) for value, unit in values)))
    return table


KIND = TableKind(
    title="energy",
    about="joules per product and GFLOP/s per watt of GPU and CPU",
    of=GEMM,
    table=energy_table)
