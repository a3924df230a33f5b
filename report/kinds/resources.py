"""Registers, spills, shared memory and occupancy of GPU kernels."""

from __future__ import annotations

from analysis.tables.evidence_tables import resources_table
from analysis.tables.kind import TableKind

KIND = TableKind(
    title="what a kernel occupies",
    about="registers, spills, shared memory and occupancy of GPU kernels",
    table=resources_table,
    has=lambda case: case.device == "gpu",
    explains=True)
