"""Median time of each line at each shape, with its interval."""

from __future__ import annotations

from analysis.tables.kind import TableKind
from analysis.tables.tables import Table, brackets_note, grid, sentences, time_cell
from language import say
from records.schema.operations import GEMM
from records.view import View


def time_table(view: View) -> Table:
    """Median time per multiplication."""
    what = say("Median time of one multiplication C = A·B.") if all(case.operation == GEMM
        for case in view.cases) else say("Median time of one call.")
    return grid(view, "", sentences(what, brackets_note()),
                 lambda case, notes: time_cell(case))


KIND = TableKind(
    title="time",
    about="median time of each line at each shape, with its interval",
    table=time_table)
