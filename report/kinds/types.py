"""What each type of matrices, and each precision of float32's, buys over float32."""

from __future__ import annotations

from analysis.compared.by_type import types_finding, types_table
from analysis.tables.kind import TableKind
from records.schema.operations import GEMM

KIND = TableKind(
    title="types beside float32",
    about="time, rate, joules and error of the fastest method of each type, beside float32",
    of=GEMM,
    table=types_table,
    heads=(types_finding,),
    before=1)
