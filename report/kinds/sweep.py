"""One rate over the number that varies: a stride, a width, a degree, an occupancy."""

from __future__ import annotations

from analysis.tables.kind import TableKind
from analysis.tables.swept import sweep_table

KIND = TableKind(
    title="swept",
    about="one rate over the number that varies among the points (dimension, option or parameter), relative to its first value",
    table=sweep_table)
