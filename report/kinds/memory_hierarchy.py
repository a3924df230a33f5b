"""The memory hierarchy of this machine: size, latency and bandwidth of each level, CPU and GPU side by side."""

from __future__ import annotations

from analysis.memory.hierarchy_tables import hierarchy_table
from analysis.tables.kind import TableKind

KIND = TableKind(
    title="The memory hierarchy of this machine",
    about="size, latency and bandwidth of each level of the memory hierarchy, CPU and GPU side by side",
    table=hierarchy_table)
