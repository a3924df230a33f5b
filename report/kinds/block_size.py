"""Time, GFLOP/s and speedup by block size."""

from __future__ import annotations

from ..kind import TableKind
from ..operations import GEMM
from ..parameter_tables import block_table

KIND = TableKind(
    title="block size",
    about="time, GFLOP/s and speedup by block size",
    of=GEMM,
    table=block_table,
    has=lambda case: "block" in case.parameters)
