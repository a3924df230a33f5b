"""Replicas and handicaps told apart."""

from __future__ import annotations

from ..kind import TableKind
from ..evidence_tables import noise_table

KIND = TableKind(
    title="what can be told apart",
    about="replicas and handicaps told apart",
    table=noise_table)
