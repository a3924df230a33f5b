"""Each rung of a GPU ladder beside the fastest before it, with the counters of both."""

from __future__ import annotations

from ..kind import TableKind
from ..ladder_steps import steps_table
from ..operations import GEMM

KIND = TableKind(
    title="each rung beside the fastest before it",
    about="each rung of a GPU ladder beside the fastest before it, with the counters of both",
    of=GEMM,
    table=steps_table,
    has=lambda case: case.device == "gpu",
    explains=True)
