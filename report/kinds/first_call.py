"""Phases of the first call in a process, beside a steady call."""

from __future__ import annotations

from statistics import median

from analysis.tables.first_calls import first_calls, phase_name, phases_of, steady_ratio
from analysis.tables.heads import Head, rounded
from analysis.tables.kind import Section, TableKind
from analysis.tables.tables import (
    MOST_NAMES,
    Cell,
    Row,
    Table,
    brackets_note,
    empty,
    ratio_cell,
    sentences,
)
from language import say
from records.cases.series import series_of
from records.names.numbers import DASH, duration, plain, time_unit, with_interval
from records.schema.operations import shape_text
from records.view import View


def first_call_sentences(view: View) -> list[str]:
    """"First call at 1024: naive, lazy takes 264 ms, 292 times its steady call, most of it context
    (214 ms)." for each implementation at the largest shape, at most MOST_NAMES."""
    cases = first_calls(list(view.cases))
    texts = []
    for series in series_of(cases)[:MOST_NAMES]:
        case = series.cases[-1]
        ratio = steady_ratio(case)
        longest = max(((name, median(values)) for name, values in case.first_call_s.items()
                       if values), key=lambda one: one[1])
        steady = say(", {value} times its steady call",
                     value=with_interval(ratio.value, ratio.low, ratio.high)) if ratio else ""
        texts.append(say("The first call of {name} at {shape} takes {time}{steady}; the longest "
                         "phase is {phase}, with {longest}.", name=series.name,
                         shape=shape_text(*case.shape), steady=steady,
                         time=_seconds(case.median_s).text, phase=phase_name(longest[0]),
                         longest=_seconds(longest[1]).text))
    return texts


def _seconds(value: float | None) -> Cell:
    if value is None:
        return Cell(DASH)
    scale, unit = time_unit(value)
    return Cell(f"{plain(value / scale)} {unit}", value, unit="s")


def first_call_table(view: View) -> Table:
    """The phases of a fresh process's first multiplication, and the same call later on."""
    cases = first_calls(list(view.cases))
    if not cases:
        return empty(view, say("No point has the scope first-call, so the first call is not split "
                               "into phases."))
    phases = phases_of(cases)
    table = Table.of(view, sentences(say(
        "One fresh process per sample: median of each phase of its first multiplication, of their "
        "total, and of a steady call later in the same process; the ratio is taken process by "
        "process."), brackets_note()),
                     (say("Implementation"), say("Shape")),
                     (*map(phase_name, phases), say("first call"), say("steady call"),
                      say("times longer")))
    for series in series_of(cases):
        for case in series.cases:
            known = [case.first_call_s.get(name) for name in phases]
            ratio = steady_ratio(case)
            table.rows.append(Row((series.name, shape_text(*case.shape)), (
                *(_seconds(median(values) if values else None) for values in known),
                _seconds(case.median_s),
                _seconds(median(case.steady_s) if case.steady_s else None),
                ratio_cell(ratio, itself=True) if ratio else Cell(DASH))))
    return table


def first_call_finding(section: Section) -> Head | None:
    """"The first call of tiled 32 in a process takes 282 ms, 1,108 times a later one; 280 ms of it
    is context"."""
    every = series_of(first_calls(list(section.view.cases)))
    if not every:
        return None
    first = next((series for series in every if series.first.device == "gpu"), every[0])
    case, ratio = first.cases[-1], steady_ratio(first.cases[-1])
    phase, longest = max(((name, median(values)) for name, values in case.first_call_s.items()
                          if values), key=lambda one: one[1])
    later = say(", {times} times a later one", times=rounded(ratio.value)) if ratio else ""
    text = say(
        "The first call of {name} in a process takes {time}{later}; {longest} of it: {phase}",
        name=case.name, time=duration(case.median_s), later=later,
        longest=duration(longest), phase=phase_name(phase))
    dearest = max(range(len(every)), key=lambda place: every[place].cases[-1].median_s)
    sentences = first_call_sentences(section.view)
    told = [sentences[place] for place in dict.fromkeys((every.index(first), dearest))
            if place < len(sentences)]
    return Head(text, tuple(told))


KIND = TableKind(
    title="phase by phase",
    about="phases of the first call in a process, beside a steady call",
    table=first_call_table,
    has=lambda case: bool(case.first_call_s),
    heads=(first_call_finding,),
    before=8,
    says=lambda section: first_call_sentences(section.view))
