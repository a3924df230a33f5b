"""What ./gemmlab profile counted; led by ladder_steps."""

from __future__ import annotations

from analysis.counters.counter_tables import counters_table
from analysis.tables.kind import TableKind

KIND = TableKind(
    title="hardware counters",
    about="what `./gemmlab profile` counted; led by `ladder_steps`",
    table=counters_table,
    has=lambda case: case.device == "gpu",
    explains=True,
    led_by="ladder_steps")
