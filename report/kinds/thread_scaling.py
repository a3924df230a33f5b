"""Time, speedup over one thread and efficiency by number of threads."""

from __future__ import annotations

from analysis.ladder.parameter_sentences import by_parameter
from analysis.ladder.sweeps import thread_finding
from analysis.tables.kind import TableKind
from analysis.tables.parameter_tables import thread_table

KIND = TableKind(
    title="threads",
    about="time, speedup over one thread and efficiency by number of threads",
    table=thread_table,
    has=lambda case: "threads" in case.parameters,
    heads=(lambda section: thread_finding(section.view),),
    before=14,
    says=lambda section: by_parameter(section.view, "threads"))
