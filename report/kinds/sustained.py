"""A burst against a sustained load: rates, clock, power and joules per product."""

from __future__ import annotations

from analysis.answer.sustained import sustained_head, sustained_table
from analysis.tables.kind import TableKind
from records.schema.operations import GEMM

KIND = TableKind(title="in a burst, and for good",
                 about="rates in a burst and under a sustained load, with clock, power, joules per "
                 "product and GFLOP/s per watt",
                 of=GEMM,
                 has=lambda case: bool(case.load),
                 table=sustained_table,
                 heads=(lambda section: sustained_head(section.view),),
                 before=6)
