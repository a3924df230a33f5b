"""Median time of each line at each shape, with its interval."""

from __future__ import annotations

from analysis.tables.kind import TableKind
from analysis.tables.tables import time_table

KIND = TableKind(
    title="time",
    about="median time of each line at each shape, with its interval",
    table=time_table)
