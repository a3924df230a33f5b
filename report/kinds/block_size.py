"""Time, GFLOP/s and speedup by block size."""

from __future__ import annotations

from ..kind import TableKind
from ..parameter_tables import block_table

KIND = TableKind(
    title="block size",
    about="time, GFLOP/s and speedup by block size",
    table=block_table,
    has=lambda case: "block" in case.parameters)
