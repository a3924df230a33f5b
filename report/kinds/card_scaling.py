"""Time, rate and speedup over one card by number of cards."""

from __future__ import annotations

from analysis.scaling.cards import cards_head, places_text
from analysis.tables.kind import TableKind
from analysis.tables.tables import (
    Cell,
    Notes,
    Row,
    Table,
    brackets_note,
    empty,
    marked,
    of_count,
    rate_cell,
    ratio_cell,
    sentences,
    size_head,
    tie_note,
    time_cell,
)
from language import say
from records.cases.case import Case
from records.cases.ratios import speedup
from records.cases.series import by_value, having, series_of, shapes_of
from records.names.numbers import DASH
from records.schema.operations import shape_text
from records.view import View


def cards_table(view: View) -> Table:
    """A row per implementation, shape and number of cards that has a number: time, rate, times one
    card, share of linear."""
    cases = [case for case in having(view.cases, "gpus") if case.shown]
    if not cases:
        return empty(view, say("No point says on how many cards it ran, or none has a number."))
    notes = Notes(view)
    table = Table.of(view, sentences(
        say("Times one card: the same with the same parameters on one card. Of linear: that over "
            "the number of cards."), places_text(cases),
        brackets_note(),
        tie_note(), view.left_out_text() if view.left_out else ""),
        (say("Implementation"), size_head(cases), say("cards")),
        (say("time"), "GFLOP/s", say("times one card"), say("of linear")))
    for series in series_of(cases, without="gpus"):
        lookup = by_value(series, "gpus")
        for shape in shapes_of(series.cases):
            for cards, case in sorted(lookup[shape].items()):
                one = lookup[shape].get(1)
                cells = (marked(time_cell(case), notes, case),
                         marked(rate_cell(case, notes), notes, case),
                         *_gain_cells(one, case, notes))
                table.rows.append(Row((series.name, shape_text(*shape), str(cards)), cells))
    table.notes = notes.texts()
    return table


def _gain_cells(one: Case | None, case: Case, notes: Notes) -> tuple[Cell, Cell]:
    if one is None:
        return Cell(DASH), Cell(DASH)
    ratio = speedup(one, case)
    share = ratio.value / case.cards
    return marked(ratio_cell(ratio, one is case), notes, case, one,
                  ratio=ratio), Cell(of_count(share), share, unit="1")


KIND = TableKind(
    title="cards",
    about="time, rate and speedup over one card by number of cards",
    table=cards_table,
    has=lambda case: "gpus" in case.parameters,
    heads=(lambda section: cards_head(section.view),),
    before=15)
