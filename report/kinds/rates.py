"""A row per implementation and instance of any operation: rate, share of the roof, ratio to the
library."""

from __future__ import annotations

from analysis.tables.kind import TableKind
from analysis.tables.rates import rates_table
from report.findings.forms import forms_head
from report.findings.roofs import rates_head

KIND = TableKind(title="what each reaches",
                 about="rate, share of the roof and ratio to the fastest library, a row per "
                 "implementation and instance of any operation",
                 table=rates_table,
                 heads=(forms_head, rates_head),
                 before=4)
