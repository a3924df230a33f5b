"""Time, speedup over one thread and efficiency by number of threads."""

from __future__ import annotations

from analysis.ladder.parameter_sentences import by_parameter
from analysis.ladder.sweeps import thread_finding
from analysis.tables.kind import TableKind
from analysis.tables.tables import (
    Cell,
    Notes,
    Row,
    Table,
    brackets_note,
    empty,
    marked,
    of_count,
    ratio_cell,
    sentences,
    size_head,
    tie_note,
    time_cell,
)
from language import say
from records.cases.case import Case
from records.cases.ratios import speedup
from records.cases.series import by_value, having, series_of, shapes_of, values_of
from records.names.numbers import DASH
from records.schema.operations import shape_text
from records.view import View


def thread_table(view: View) -> Table:
    """For each implementation, shape and number of threads: time, speedup over one thread,
    efficiency."""
    cases = having(view.cases, "threads")
    if not cases:
        return empty(view, say("No point of this experiment has a number of threads."))
    notes = Notes(view)
    beyond = say(" (beyond the {cores} cores that the machine has it must fall)",
                 cores=view.cores) if view.cores > 1 and any(
        case.parameters["threads"] > view.cores for case in cases) else ""
    table = Table.of(view, sentences(
        say("Speedup over 1 thread; efficiency is speedup over the number of threads{beyond}.",
            beyond=beyond), brackets_note(), tie_note()),
                     (say("Implementation"), size_head(cases), say("Threads")),
                     (say("threads that ran"), say("time"), say("times faster"), say("efficiency")))
    without_one = False
    for series in series_of(cases, without="threads"):
        lookup = by_value(series, "threads")
        for shape in shapes_of(series.cases):
            one = lookup[shape].get(1)
            for threads in values_of(lookup[shape].values(), "threads"):
                case = lookup[shape][threads]
                without_one |= case.shown and (one is None or not one.shown)
                table.rows.append(Row((series.name, shape_text(*shape), str(threads)),
                                      _thread_cells(one, case, notes)))
    table.notes = notes.texts()
    if without_one:
        table.caption = sentences(table.caption, say(
            "A {dash} without a note: the run with 1 thread has no number, so no speedup is "
            "formed.", dash=DASH))
    return table


def _thread_cells(one: Case | None, case: Case, notes: Notes) -> tuple[Cell, ...]:
    if not case.shown:
        return (notes.dash(case),) * 4
    ran = (Cell(str(case.threads_actual), case.threads_actual, unit="threads")
           if case.threads_actual else Cell(""))
    if one is None or not one.shown:
        return ran, marked(time_cell(case), notes, case), Cell(DASH), Cell(DASH)
    ratio = speedup(one, case)
    share = ratio.value / float(case.parameters["threads"])
    return (ran, marked(time_cell(case), notes, case),
            marked(ratio_cell(ratio, one is case), notes, case, one, ratio=ratio),
            Cell(of_count(share), share, unit="1"))


KIND = TableKind(
    title="threads",
    about="time, speedup over one thread and efficiency by number of threads",
    table=thread_table,
    has=lambda case: "threads" in case.parameters,
    heads=(lambda section: thread_finding(section.view),),
    before=14,
    says=lambda section: by_parameter(section.view, "threads"))
