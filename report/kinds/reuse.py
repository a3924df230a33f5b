"""How often A and B must be used again on the card before their transfers are paid."""

from __future__ import annotations

from ..answer.tables import reuse_table
from ..kind import TableKind
from ..operations import GEMM

KIND = TableKind(
    title="when the transfers are paid",
    about="how often A and B must be used again on the card before their transfers are paid",
    of=GEMM,
    table=reuse_table)
