"""A row per implementation and instance of any operation: rate, share of the roof, ratio to the library."""

from __future__ import annotations

from analysis.tables.kind import TableKind
from analysis.tables.rates import rates_table

KIND = TableKind(
    title="what each reaches",
    about="rate, share of the roof and ratio to the fastest library, a row per implementation and instance of any operation",
    table=rates_table)
