"""Sparse beside dense: at which density the dense product becomes the faster one."""

from __future__ import annotations

from analysis.tables.densities import density_finding, density_table
from analysis.tables.heads import Head
from analysis.tables.kind import Section, TableKind
from report.findings.patterns import pattern_sentence
from report.findings.roofs import DEVICES, rates_head


def density_head(section: Section) -> Head | None:
    """Up to which density sparse is faster; and which kernel is the fastest for which pattern."""
    finding = density_finding(section.view)
    patterns = tuple(text for device in DEVICES if (text := pattern_sentence(section.view, device)))
    return Head(finding, patterns) if finding else rates_head(section)


KIND = TableKind(title="sparse against dense",
                 about="spmv beside gemv of the same size, a row per line and density: up to which "
                 "density sparse is faster",
                 table=density_table,
                 heads=(density_head,),
                 before=3)
