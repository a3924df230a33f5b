"""Tables in which one parameter varies: block size, and threads."""

from __future__ import annotations

from typing import Any

from language import say
from records.cases.case import Case
from records.cases.ratios import speedup
from records.cases.series import Series, Shape, series_of, shapes_of, values_of
from records.names.numbers import DASH
from records.schema.operations import shape_text
from records.view import View

from .tables import (
    Cell,
    Notes,
    Row,
    Table,
    brackets_note,
    empty,
    marked,
    of_count,
    rate_cell,
    ratio_cell,
    sentences,
    share_text,
    size_head,
    tie_note,
    time_cell,
)


def having(view: View, parameter: str) -> list[Case]:
    """The cases that have the parameter at all."""
    return [case for case in view.cases if parameter in case.parameters]


def by_value(series: Series, parameter: str) -> dict[Shape, dict[Any, Case]]:
    """shape -> parameter value -> case."""
    found: dict[Shape, dict[Any, Case]] = {}
    for case in series.cases:
        found.setdefault(case.shape, {})[case.parameters[parameter]] = case
    return found


def block_table(view: View) -> Table:
    """For each shape: time, GFLOP/s, and speedup over the smallest block, a column per block."""
    cases = having(view, "block")
    if not cases:
        return empty(view, say("No point of this experiment has a block size."))
    blocks = values_of(cases, "block")
    notes = Notes(view)
    table = Table.of(view, sentences(
        say("By block size; speedup is over block {first} at the same shape.", first=blocks[0]),
        brackets_note(), share_text([case for case in cases if case.shown]), tie_note()),
                     (say("Implementation"), size_head(cases), say("Quantity")),
                     tuple(say("block {value}", value=block) for block in blocks))
    for series in series_of(cases, without="block"):
        lookup = by_value(series, "block")
        for shape in shapes_of(series.cases):
            row = [lookup[shape].get(block) for block in blocks]
            heads = (series.name, shape_text(*shape))
            table.rows.append(Row((*heads, say("time")),
                                  tuple(_shown(case, notes, time_cell) for case in row)))
            table.rows.append(Row((*heads, "GFLOP/s"), tuple(
                _shown(case, notes, lambda one: rate_cell(one, notes)) for case in row)))
            table.rows.append(Row((*heads, say("times faster")),
                                  tuple(_over(row[0], case, notes) for case in row)))
    table.notes = notes.texts()
    return table


def _shown(case: Case | None, notes: Notes, make) -> Cell:
    return marked(make(case), notes, case) if case is not None and case.shown else notes.dash(case)


def _over(first: Case | None, case: Case | None, notes: Notes) -> Cell:
    if case is None or not case.shown:
        return notes.dash(case)
    if first is None or not first.shown:
        return Cell(DASH)
    ratio = speedup(first, case)
    return marked(ratio_cell(ratio, first is case), notes, case, first, ratio=ratio)


def thread_table(view: View) -> Table:
    """For each implementation, shape and number of threads: time, speedup over one thread,
    efficiency."""
    cases = having(view, "threads")
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
