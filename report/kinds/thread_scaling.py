"""Time, speedup over one thread and efficiency by number of threads."""

from __future__ import annotations

from analysis.tables.kind import TableKind
from analysis.tables.parameter_tables import thread_table

KIND = TableKind(
    title="threads",
    about="time, speedup over one thread and efficiency by number of threads",
    table=thread_table,
    has=lambda case: "threads" in case.parameters)
