"""Time, GFLOP/s and speedup by block size."""

from __future__ import annotations

from analysis.ladder.parameter_sentences import by_parameter
from analysis.ladder.sweeps import block_finding
from analysis.tables.kind import TableKind
from analysis.tables.tables import (
    Cell,
    Notes,
    Row,
    Table,
    brackets_note,
    empty,
    marked,
    rate_cell,
    ratio_cell,
    sentences,
    share_text,
    size_head,
    tie_note,
    time_cell,
)
from language import say
from records.cases.case import Case
from records.cases.ratios import speedup
from records.cases.series import by_value, having, series_of, shapes_of, values_of
from records.names.numbers import DASH
from records.schema.operations import GEMM, shape_text
from records.view import View


def block_table(view: View) -> Table:
    """For each shape: time, GFLOP/s, and speedup over the smallest block, a column per block."""
    cases = having(view.cases, "block")
    if not cases:
        return empty(view, say("No point of this experiment has a block size."))
    blocks = values_of(cases, "block")
    notes = Notes(view)
    table = Table.of(view, sentences(
        say("By block size; speedup is over block {first} at the same shape.", first=blocks[0]),
        brackets_note(), share_text([case for case in cases if case.shown]), tie_note()),
                     (say("Implementation"), size_head(cases), say("Quantity")),
                     tuple(say("block {value}", value=block) for block in blocks))
    for series in series_of(cases, without="block"):
        lookup = by_value(series, "block")
        for shape in shapes_of(series.cases):
            row = [lookup[shape].get(block) for block in blocks]
            heads = (series.name, shape_text(*shape))
            table.rows.append(Row((*heads, say("time")),
                                  tuple(_shown(case, notes, time_cell) for case in row)))
            table.rows.append(Row((*heads, "GFLOP/s"), tuple(
                _shown(case, notes, lambda one: rate_cell(one, notes)) for case in row)))
            table.rows.append(Row((*heads, say("times faster")),
                                  tuple(_over(row[0], case, notes) for case in row)))
    table.notes = notes.texts()
    return table


def _shown(case: Case | None, notes: Notes, make) -> Cell:
    return marked(make(case), notes, case) if case is not None and case.shown else notes.dash(case)


def _over(first: Case | None, case: Case | None, notes: Notes) -> Cell:
    if case is None or not case.shown:
        return notes.dash(case)
    if first is None or not first.shown:
        return Cell(DASH)
    ratio = speedup(first, case)
    return marked(ratio_cell(ratio, first is case), notes, case, first, ratio=ratio)


KIND = TableKind(
    title="block size",
    about="time, GFLOP/s and speedup by block size",
    of=GEMM,
    table=block_table,
    has=lambda case: "block" in case.parameters,
    heads=(lambda section: block_finding(section.view, section.counted),),
    before=10,
    says=lambda section: by_parameter(section.view, "block"))
