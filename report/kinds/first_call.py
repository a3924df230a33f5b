"""Phases of the first call in a process, beside a steady call."""

from __future__ import annotations

from statistics import median

from analysis.tables.evidence_tables import (
    first_call_sentences,
    first_call_table,
    first_calls,
    phase_name,
    steady_ratio,
)
from analysis.tables.heads import Head, rounded
from analysis.tables.kind import Section, TableKind
from language import say
from records.cases.series import series_of
from records.names.numbers import duration


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
