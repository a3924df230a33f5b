"""How often A and B must be used again on the card before their transfers are paid."""

from __future__ import annotations

from analysis.answer.answer_tables import reuse_table
from analysis.tables.kind import TableKind
from records.schema.operations import GEMM

KIND = TableKind(
    title="when the transfers are paid",
    about="how often A and B must be used again on the card before their transfers are paid",
    of=GEMM,
    table=reuse_table)
