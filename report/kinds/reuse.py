"""How often A and B must be used again on the card before their transfers are paid."""

from __future__ import annotations

from ..answer.tables import reuse_table
from ..kind import TableKind

KIND = TableKind(
    title="when the transfers are paid",
    about="how often A and B must be used again on the card before their transfers are paid",
    table=reuse_table)
