"""Each rung of a GPU ladder beside the fastest before it, with the counters of both."""

from __future__ import annotations

from analysis.ladder.climb import ladder_finding
from analysis.ladder.ladder_steps import steps_table
from analysis.tables.kind import TableKind
from records.schema.operations import GEMM

KIND = TableKind(
    title="each rung beside the fastest before it",
    about="each rung of a GPU ladder beside the fastest before it, with the counters of both",
    of=GEMM,
    table=steps_table,
    has=lambda case: case.device == "gpu",
    explains=True,
    heads=(ladder_finding,),
    before=13)
