"""Times faster than the baseline at the same shape, round by round."""

from __future__ import annotations

from analysis.tables.kind import TableKind
from analysis.tables.tables import speedup_table

KIND = TableKind(
    title="speedup",
    about="times faster than the `baseline` at the same shape, round by round",
    table=speedup_table,
    needs_baseline=True)
