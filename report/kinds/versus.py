"""Times faster the GPU is than the CPU, pair by pair, for each way of timing the GPU."""

from __future__ import annotations

from analysis.answer.answer_tables import versus_table
from analysis.tables.kind import TableKind
from records.schema.operations import GEMM

KIND = TableKind(
    title="GPU over CPU",
    about="times faster the GPU is than the CPU, pair by pair, for each way of timing the GPU",
    of=GEMM,
    table=versus_table)
