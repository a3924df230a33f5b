"""Each rung of a CPU ladder beside the fastest before it, with the processor's counters."""

from __future__ import annotations

from analysis.ladder.cpu_steps import cpu_steps_table
from analysis.tables.kind import TableKind
from records.schema.operations import GEMM

KIND = TableKind(title="each rung beside the fastest before it",
                 about="each rung of a CPU ladder beside the fastest before it, with what the "
                 "processor counted of it",
                 of=GEMM,
                 table=cpu_steps_table,
                 has=lambda case: case.device == "cpu",
                 explains=True)
