"""What ./gemmlab profile counted; led by ladder_steps."""

from __future__ import annotations

from ..kind import TableKind
from ..counter_tables import counters_table

KIND = TableKind(
    title="hardware counters",
    about="what `./gemmlab profile` counted; led by `ladder_steps`",
    table=counters_table,
    has=lambda case: case.device == "gpu",
    explains=True,
    led_by="ladder_steps")
