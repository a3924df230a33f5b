"""Time, rate and speedup over one card by number of cards."""

from __future__ import annotations

from analysis.scaling.card_tables import cards_table
from analysis.scaling.cards import cards_head
from analysis.tables.kind import TableKind

KIND = TableKind(
    title="cards",
    about="time, rate and speedup over one card by number of cards",
    table=cards_table,
    has=lambda case: "gpus" in case.parameters,
    heads=(lambda section: cards_head(section.view),),
    before=15)
