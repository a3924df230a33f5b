"""Times faster than the baseline at the same shape, round by round."""

from __future__ import annotations

from analysis.compared.meetings import peers_finding
from analysis.tables.kind import TableKind
from analysis.tables.tables import speedup_table
from report.findings.matrix_units import split_finding

KIND = TableKind(
    title="speedup",
    about="times faster than the `baseline` at the same shape, round by round",
    table=speedup_table,
    heads=(split_finding, peers_finding),
    before=11)
