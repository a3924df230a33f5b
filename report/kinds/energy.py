"""Joules per product and GFLOP/s per watt of GPU and CPU."""

from __future__ import annotations

from ..answer.tables import energy_table
from ..kind import TableKind
from ..operations import GEMM

KIND = TableKind(
    title="energy",
    about="joules per product and GFLOP/s per watt of GPU and CPU",
    of=GEMM,
    table=energy_table)
