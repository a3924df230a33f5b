"""A burst against a sustained load: rates, clock, power and joules per product."""

from __future__ import annotations

from ..kind import TableKind
from ..loads import sustained_table
from ..operations import GEMM

KIND = TableKind(
    title="in a burst, and for good",
    about="rates in a burst and under a sustained load, with clock, power, joules per product and GFLOP/s per watt",
    of=GEMM,
    has=lambda case: bool(case.load),
    table=sustained_table)
