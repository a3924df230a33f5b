"""Replicas and handicaps told apart."""

from __future__ import annotations

from analysis.tables.evidence_tables import comparisons, noise_sentences, noise_table
from analysis.tables.heads import Head
from analysis.tables.kind import Section, TableKind
from language import say


def noise_finding(section: Section) -> Head | None:
    """"Equal code ties in 98 of 100 comparisons; code made 2 % slower is found slower at 95 of
    100"."""
    texts = []
    every = comparisons(section.view.shown)
    for handicap in sorted({one.handicap for one in every}):
        of = [one for one in every if one.handicap == handicap]
        said = {"held": sum(one.expected for one in of),
                "count": sum(len(one.ratios) for one in of), "share": f"{100 * handicap:g}"}
        texts.append(say("code made {share} % slower is found slower in {held} of {count}", **said)
                     if handicap
                     else say("Equal code ties in {held} of {count} comparisons", **said))
    return Head(say("; ").join([texts[0], *texts[-1:]][:len(texts)]),
                tuple(noise_sentences(section.view)[:2])) if texts else None


KIND = TableKind(
    title="what can be told apart",
    about="replicas and handicaps told apart",
    table=noise_table,
    heads=(noise_finding,),
    before=7,
    says=lambda section: noise_sentences(section.view))
