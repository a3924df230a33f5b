"""One rate over the number that varies: a stride, a width, a degree, an occupancy."""

from __future__ import annotations

from analysis.tables.heads import Head
from analysis.tables.kind import Section, TableKind
from analysis.tables.swept import sweep_finding, sweep_table


def sweep_head(section: Section) -> Head | None:
    """The ends of the one number that varies."""
    finding = sweep_finding(section.view)
    return Head(finding) if finding else None


KIND = TableKind(title="swept",
                 about="one rate over the number that varies among the points (dimension, option "
                 "or parameter), relative to its first value",
                 table=sweep_table,
                 heads=(sweep_head,),
                 before=5)
