"""Times that the emulator's counts predict, beside the measured ones."""

from __future__ import annotations

from analysis.tables.kind import TableKind
from emulator.explain.predicted import has_counts, predicted_table
from records.schema.operations import GEMM

KIND = TableKind(always=1,
    title="predicted against measured",
    about="times of GPU kernels as predicted from emulated counts, beside the measured ones",
    of=GEMM,
    table=predicted_table,
    has=has_counts,
    explains=True)
