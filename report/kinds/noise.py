"""Replicas and handicaps told apart."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from analysis.tables.heads import Head
from analysis.tables.kind import Section, TableKind
from analysis.tables.tables import Cell, Row, Table, empty, listed
from language import say
from records.cases.case import Case
from records.cases.ratios import Ratio, speedup
from records.names.numbers import counted, percent, ratio_text
from records.schema.operations import shape_text
from records.view import View


@dataclass
class Comparisons:
    """Points against their plain self: `expected` counts the ties of equal code, the slower ones of
    handicapped code."""

    implementation: str
    what: str
    handicap: float
    # times faster than the plain point
    ratios: list[tuple[Case, Ratio]] = field(default_factory=list)

    @property
    def ties(self) -> int:
        return sum(ratio.tie for _, ratio in self.ratios)

    @property
    def slower(self) -> int:
        return sum(not ratio.tie and ratio.value < 1 for _, ratio in self.ratios)

    @property
    def expected(self) -> int:
        return self.slower if self.handicap else self.ties

    @property
    def exceptions(self) -> list[str]:
        return [say("{label} at {shape}: {value} times", label=case.name,
                    shape=shape_text(*case.shape),
                    value=ratio_text(ratio.value, ratio.low, ratio.high))
                for case, ratio in self.ratios
                if (ratio.tie or ratio.value >= 1 if self.handicap else not ratio.tie)]


def _point(case: Case) -> tuple:
    return (case.group, case.implementation, json.dumps(case.parameters, sort_keys=True),
            case.shape, case.regime)


def comparisons(cases: list[Case]) -> list[Comparisons]:
    """Every shown replica and handicapped point against the plain point, by implementation and
    handicap."""
    plain_points = {_point(case): case for case in cases if not case.replica and not case.handicap}
    found: dict[tuple[str, float], Comparisons] = {}
    for case in cases:
        base = plain_points.get(_point(case))
        if base is None or base is case:
            continue
        key = case.implementation, case.handicap
        what = say("{share} % of the rows computed twice",
                   share=f"{100 * case.handicap:g}") if case.handicap else say(
            "the same code under another label")
        found.setdefault(key, Comparisons(*key[:1], what,
                                          case.handicap)).ratios.append((case, speedup(base, case)))
    return [found[key] for key in sorted(found, key=lambda key: (key[1], key[0]))]


def _together(of: list[Comparisons]) -> list[Comparisons]:
    """The sum over implementations, for each handicap that several have."""
    made = []
    for handicap in dict.fromkeys(one.handicap for one in of):
        parts = [one for one in of if one.handicap == handicap]
        if len(parts) > 1:
            made.append(Comparisons(say("all"), parts[0].what, handicap,
                                    [pair for one in parts for pair in one.ratios]))
    return made


def noise_table(view: View) -> Table:
    """How often the same code ties with itself, and code made slower on purpose is found slower."""
    found = comparisons(view.shown)
    if not found:
        return empty(view, say("No point of this experiment was measured under two labels or made "
                               "slower on purpose."))
    floors = sorted({case.noise for case in view.shown})
    table = Table.of(view, say(
        "A difference is declared where the 99 % interval of the ratio lies wholly outside 1 ± the "
        "noise floor ({floors}). Equal code should tie, code with a handicap should be found "
        "slower; the notes name what did otherwise.",
        floors=say(" or ").join(map(percent, floors))),
                     (say("Implementation"), say("Against the plain point")),
                     (say("comparisons"), say("as expected"), say("ties"), say("found slower"),
                      say("found faster")))
    for one in [*found, *_together(found)]:
        count, note = len(one.ratios), 0
        if one.exceptions and one in found:
            table.notes.append(say("Not found slower: {points}." if one.handicap
                                   else "Told apart: {points}.",
                                   points=listed(one.exceptions)))
            note = len(table.notes)
        numbers = one.ties, one.slower, count - one.ties - one.slower
        table.rows.append(Row((one.implementation, one.what), (
            Cell(str(count), count), Cell(say("{count} of {all}", count=one.expected, all=count),
                                          one.expected, note=note),
            *(Cell(str(number), number) for number in numbers))))
    return table


def noise_sentences(view: View) -> list[str]:
    """"The same code under another label tied in 98 of 100 comparisons." and the like, over all
    implementations."""
    found = comparisons(view.shown)
    texts = []
    for handicap in sorted({one.handicap for one in found}):
        parts = [one for one in found if one.handicap == handicap]
        of, expected = sum(len(one.ratios) for one in parts), sum(one.expected for one in parts)
        texts.append(say("With {what}, {expected} of {points} were found slower.",
                         what=parts[0].what, expected=expected, points=counted(of,
            "point")) if handicap
                     else say("The same code under another label tied in {expected} of "
                              "{comparisons}.", expected=expected,
                              comparisons=counted(of, "comparison")))
    return texts


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
