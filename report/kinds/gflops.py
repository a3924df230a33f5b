"""2·m·n·k over the median time, with the share of the ceiling that binds."""

from __future__ import annotations

from analysis.tables.kind import TableKind
from analysis.tables.tables import gflops_table

KIND = TableKind(
    title="GFLOP/s",
    about="2·m·n·k over the median time, with the share of the ceiling that binds",
    table=gflops_table)
