"""Sparse beside dense: at which density the dense product becomes the faster one."""

from __future__ import annotations

from analysis.tables.densities import density_table
from analysis.tables.kind import TableKind

KIND = TableKind(
    title="sparse against dense",
    about="spmv beside gemv of the same size, a row per line and density: up to which density sparse is faster",
    table=density_table)
