"""Largest error of each distribution and shape, beside the baseline's where one is given."""

from __future__ import annotations

from ..kind import TableKind
from ..accuracy_tables import accuracy_table

KIND = TableKind(
    title="error",
    about="largest error of each distribution and shape, beside the `baseline`'s where one is given",
    table=accuracy_table,
    of_hidden=True)
