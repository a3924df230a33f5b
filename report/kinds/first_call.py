"""Phases of the first call in a process, beside a steady call."""

from __future__ import annotations

from analysis.tables.evidence_tables import first_call_table
from analysis.tables.kind import TableKind

KIND = TableKind(
    title="phase by phase",
    about="phases of the first call in a process, beside a steady call",
    table=first_call_table,
    has=lambda case: bool(case.first_call_s))
