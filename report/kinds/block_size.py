"""Time, GFLOP/s and speedup by block size."""

from __future__ import annotations

from analysis.ladder.parameter_sentences import by_parameter
from analysis.ladder.sweeps import block_finding
from analysis.tables.kind import TableKind
from analysis.tables.parameter_tables import block_table
from records.schema.operations import GEMM

KIND = TableKind(
    title="block size",
    about="time, GFLOP/s and speedup by block size",
    of=GEMM,
    table=block_table,
    has=lambda case: "block" in case.parameters,
    heads=(lambda section: block_finding(section.view, section.counted),),
    before=10,
    says=lambda section: by_parameter(section.view, "block"))
