"""Registers, spills, shared memory and occupancy of GPU kernels."""

from __future__ import annotations

from ..kind import TableKind
from ..evidence_tables import resources_table

KIND = TableKind(
    title="what a kernel occupies",
    about="registers, spills, shared memory and occupancy of GPU kernels",
    table=resources_table,
    has=lambda case: case.device == "gpu",
    explains=True)
