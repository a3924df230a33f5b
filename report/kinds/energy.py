"""Joules per product and GFLOP/s per watt of GPU and CPU."""

from __future__ import annotations

from analysis.answer.answer_tables import energy_table
from analysis.tables.kind import TableKind
from records.schema.operations import GEMM

KIND = TableKind(
    title="energy",
    about="joules per product and GFLOP/s per watt of GPU and CPU",
    of=GEMM,
    table=energy_table)
