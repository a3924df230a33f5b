"""How often A and B must be used again on the card before their transfers are paid."""

from __future__ import annotations

from analysis.answer.break_even import Reuse, reuse_of
from analysis.answer.names import side, way_text
from analysis.answer.points import END_TO_END, contest_in
from analysis.tables.kind import TableKind
from analysis.tables.tables import Cell, Row, Table, empty
from language import say
from records.names.numbers import DASH, plain
from records.schema.operations import GEMM, shape_text
from records.view import View
from report.kinds.versus import no_contest, ways_in


def _uses_cell(found: Reuse | None) -> Cell:
    if found is None:
        return Cell(DASH)
    if found.uses is None:
        return Cell(say("never"))
    low, high = found.low or found.uses, found.high
    ends = plain(high, 0) if high else "∞"
    return Cell(f"{plain(found.uses, 0)} [{plain(low, 0)}, {ends}]", found.uses, low, high,
                say("products"))


def reuse_table(view: View) -> Table:
    """How often A and B must be used on the card until their transfer is paid: a row per shape, a
    column a kind of host memory."""
    contest = contest_in(view)
    if contest is None:
        return no_contest(view)
    ways = [way for way in END_TO_END if way in ways_in(contest)]
    table = Table.of(view, say(
        "In how many products A and B must take part on the card until the GPU, transfers "
        "included, is ahead of the CPU's best: the smallest r with (transfer + r·call)/r below "
        "the CPU's time; a call counts its launch and the wait for it, and the kernel alone stands "
        "for it where no call was timed. Both are taken as shares of the CPU's time, of the rounds "
        "that they share with it; the interval holds what the 95 % ends of both allow; ∞: perhaps "
        "never."),
        (say("Size"), say("CPU"), say("GPU")), tuple(map(way_text, ways)))
    for shape in contest.shapes:
        found = {way: reuse_of(contest, shape, way) for way in ways}
        one = next((reuse for reuse in found.values() if reuse), None)
        if one:
            table.rows.append(Row((shape_text(*shape), side(one.match.cpu), side(one.match.gpu)),
                                  tuple(_uses_cell(found[way]) for way in ways)))
    return table if table.rows else empty(view, say("No kernel was timed end to end beside the "
                                                    "CPU, so that nothing is known of transfers."))


KIND = TableKind(
    title="when the transfers are paid",
    about="how often A and B must be used again on the card before their transfers are paid",
    of=GEMM,
    table=reuse_table)
