"""Largest error of each distribution and shape, beside the baseline's where one is given."""

from __future__ import annotations

from analysis.tables.accuracy_tables import accuracy_table
from analysis.tables.kind import TableKind

KIND = TableKind(
    title="error",
    about="largest error of each distribution and shape, beside the `baseline`'s where one is given",
    table=accuracy_table,
    of_hidden=True)
