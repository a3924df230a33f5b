"""2·m·n·k over the median time, with the share of the ceiling that binds."""

from __future__ import annotations

from analysis.tables.kind import TableKind
from analysis.tables.tables import (
    Table,
    brackets_note,
    grid,
    rate_cell,
    sentences,
    share_text,
    units_text,
)
from language import say
from records.schema.operations import GEMM
from records.view import View


def gflops_table(view: View) -> Table:
    """The operation's rate at the median time: GFLOP/s of a gemm."""
    gemm = all(case.operation == GEMM for case in view.cases)
    what = say("GFLOP/s: 2·m·n·k over the median time.") if gemm else say(
        "The operation's rate over the median time.")
    return grid(view, units_text(view.shown),
                 sentences(what, brackets_note(), share_text(view.shown)), rate_cell)


KIND = TableKind(
    title="GFLOP/s",
    about="2·m·n·k over the median time, with the share of the ceiling that binds",
    table=gflops_table)
