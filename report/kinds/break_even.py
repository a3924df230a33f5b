"""Size from which the GPU wins for good, pair by pair, for each way of timing the GPU."""

from __future__ import annotations

from analysis.answer.answer_tables import break_even_table
from analysis.tables.kind import TableKind
from records.schema.operations import GEMM
from report.kinds.versus import contest_finding

KIND = TableKind(title="from which size the GPU wins",
                 about="size from which the GPU wins for good, pair by pair, for each way of "
                 "timing the GPU; led by `reuse`",
                 of=GEMM,
                 table=break_even_table,
                 led_by="reuse",
                 heads=(contest_finding,),
                 before=9)
