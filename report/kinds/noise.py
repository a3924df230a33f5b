"""Replicas and handicaps told apart."""

from __future__ import annotations

from analysis.tables.evidence_tables import noise_table
from analysis.tables.kind import TableKind

KIND = TableKind(
    title="what can be told apart",
    about="replicas and handicaps told apart",
    table=noise_table)
