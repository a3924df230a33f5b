"""Largest error of each distribution and shape, beside the baseline's where one is given."""

from __future__ import annotations

from dataclasses import replace

from analysis.tables.accuracy_tables import (
    accuracy_counts,
    accuracy_sentences,
    accuracy_table,
    split_speed,
)
from analysis.tables.heads import Head
from analysis.tables.kind import Section, TableKind
from language import say
from records.cases.phrases import quoted
from records.names.numbers import joined
from records.view import View, cases_of


def errors_of(section: Section) -> list[View]:
    """The points of each table of errors."""
    return [replace(section.view, cases=cases_of(section.view, spec), baseline=spec.get("baseline"))
            for spec in section.wanted if spec["kind"] == "accuracy"]


def told(section: Section) -> list[str]:
    return [text for view in errors_of(section) for text in accuracy_sentences(view)]


def accuracy_finding(section: Section) -> Head | None:
    """"tensor is at or below cuBLAS's error at all 42 distributions and shapes; pipelined at
    39"."""
    if section.kinds != {"accuracy"}:
        return None
    errors = errors_of(section)[0]
    library, counts = accuracy_counts(errors)
    if not counts:
        return None
    most = max(every for _, every in counts.values())
    whole = [label for label, (held, every) in counts.items() if held == every]
    part = [say("{label} at {held} of {every}", label=quoted(label), held=held, every=every)
            for label, (held, every) in counts.items() if held < every]
    texts = [
        say("{labels}: error at or below that of {library} at all {count} distributions and shapes",
            labels=joined(list(map(quoted, whole))), library=library, count=most)] if whole else []
    told = [text for _, text in sorted(zip(counts, accuracy_sentences(errors)),
                                       key=lambda pair: pair[0] in whole)]
    return Head(say("; ").join(filter(None, [*texts, *part, split_speed(errors)])), tuple(told[:2]))


KIND = TableKind(title="error",
                 about="largest error of each distribution and shape, beside the `baseline`'s "
                 "where one is given",
                 table=accuracy_table,
                 of_hidden=True,
                 heads=(accuracy_finding,),
                 before=1,
                 says=told)
