"""Size from which the GPU wins for good, pair by pair, for each way of timing the GPU."""

from __future__ import annotations

from analysis.answer.crossings import crossing_of
from analysis.answer.names import way_text
from analysis.answer.pairs import PAIRINGS
from analysis.answer.points import contest_in
from analysis.tables.kind import TableKind
from analysis.tables.tables import Cell, Row, Table, empty, sentences
from language import say
from records.names.numbers import DASH
from records.schema.operations import GEMM
from records.view import View
from report.kinds.versus import contest_finding, left_out, no_contest, ways_in


def break_even_table(view: View) -> Table:
    """From which square size the GPU wins: a row a pairing and way of timing."""
    contest = contest_in(view)
    if contest is None:
        return no_contest(view)
    table = Table.of(view, sentences(
        say("From which square size on the GPU is faster at every size measured. A tie does not "
            "count as a win."),
        say("The size is interpolated between the two measured ones beside it, both axes "
            "logarithmic; its interval is where the 95 % ends of the ratios cross 1."),
        left_out(contest)), (say("Compared"), say("GPU timed as")),
        (say("GPU wins from N"), say("largest size not won"), say("won from there on")))
    for pairing in PAIRINGS:
        for way in ways_in(contest):
            told = crossing_of(contest, way, pairing)
            if told is None:
                continue
            found = told.own
            ends = (found.size, found.low, found.high) if found.size else (None, None, None)
            size = Cell(told.text, found.sizes[0] if found.always else ends[0], *ends[1:], unit="N")
            bracket = (Cell(str(one), one, unit="N") if one else Cell(DASH)
                       for one in (found.lost, found.won))
            table.rows.append(Row((say(pairing.name), way_text(way)), (size, *bracket)))
    return table if table.rows else empty(view, say("CPU and GPU share fewer than two square "
                                                    "sizes, so that there is no break-even."))


KIND = TableKind(title="from which size the GPU wins",
                 about="size from which the GPU wins for good, pair by pair, for each way of "
                 "timing the GPU; led by `reuse`",
                 of=GEMM,
                 table=break_even_table,
                 led_by="reuse",
                 heads=(contest_finding,),
                 before=9)
