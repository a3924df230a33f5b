"""What the records of an experiment come to: a finding to head its section, at most two sentences,
and the rest.

The kinds of tables and figures that its definition asks for say what that is (`heads` and `says` of
analysis/tables/kind.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from analysis.tables.heads import Head, with_remark
from analysis.tables.kind import Kind, Section, Wanted
from language import say
from records.cases.case import Case, disturbed_words
from records.cases.phrases import by_medians, mark, over_its_own, pairing, unsound
from records.cases.ratios import speedup
from records.cases.series import series_of
from records.schema.operations import GEMM
from records.view import View
from report.asked import registry
from report.kinds.versus import contest_finding

from .folded import of_group, other_classes, over_baselines, parts_of, reasons, side_by_side
from .others import baseline_finding, fastest_finding, transfer_finding
from .standing import fastest

MOST_SENTENCES = 2
MOST_GROUPS = 8
# where no kind asked for has a finding
OTHERWISE = (transfer_finding, contest_finding, baseline_finding, fastest_finding)


@dataclass(frozen=True)
class Found:
    """Of one experiment on one host. `finding` is empty where no point has a number. `why`: what
    explains the result."""

    finding: str
    sentences: list[str]
    more: list[str] = field(default_factory=list)
    why: list[str] = field(default_factory=list)
    cases: tuple[Case, ...] = ()  # that the finding is made of, where it is not a mean over many


def found_in(view: View, wanted: Wanted, counted: Sequence[View] = ()) -> Found:
    """What the tables and figures wanted come to. `counted`: views of other experiments, whose
    counters may say why. Where every point was disturbed, one sentence says so at their head, and
    the others name no point as such."""
    if not view.shown:
        return Found("", [say("No point has a number that may be shown." if view.cases else
            "No point was measured on this machine.")])
    if not all(case.disturbed for case in view.shown):
        return _found(Section(view=view, wanted=wanted, counted=counted), [])
    calm = replace(view, cases=tuple(replace(case, run_queue_delay_s=None, steal_s=None)
                                     for case in view.cases))
    return _found(Section(view=calm, wanted=wanted, counted=counted), [say(
        "{points} What follows of places and ratios is not certain: end other programs, and "
        "measure again with --fresh.", points=view.disturbed_text())])


def _kinds(section: Section) -> list[Kind]:
    """Those asked for, of which each is one of a table and of a figure, the one that heads a
    section first."""
    return sorted((kind for name in sorted(section.kinds) for kind in registry.named(name)),
                  key=lambda kind: kind.before)


def head_of(section: Section) -> Head:
    """What the first finding comes to that is asked for and has something to say; an empty one
    where none has."""
    finders = dict.fromkeys([*(find for kind in _kinds(section) for find in kind.heads),
                             *OTHERWISE])
    return next((head for find in finders if (head := find(section))), Head(""))


def _found(section: Section, first: list[str]) -> Found:
    head = head_of(section)
    every = list(dict.fromkeys([*first, *head.sentences]))
    told = every[:MOST_SENTENCES]
    more = [text for text in dict.fromkeys([*every, *every_sentence(section)]) if text not in told]
    finding = with_remark(head.finding, unsound(*head.cases) if head.cases else "")
    for over in dict.fromkeys(over_its_own(case) for case in head.cases if not case.above_ceiling):
        finding = with_remark(finding, over)
    if len(head.cases) == 2:
        ratio = speedup(*head.cases)
        finding = with_remark(finding, pairing(ratio))
        finding = with_remark(finding, say("not resolved") if ratio.undecided else "")
        finding = with_remark(finding, by_medians(  # a title says how many times, never how few
            ratio if ratio.value >= 1 else speedup(*reversed(head.cases))))
    finding = say("; ").join(filter(None, (finding, head.further)))
    return Found(finding, told, more, reasons(section.view, section.wanted), head.cases)


def every_sentence(section: Section) -> list[str]:
    """The sentences that the tables and figures wanted call for, most telling first."""
    view, kinds = section.view, section.kinds
    said = [text for kind in _kinds(section) if kind.says for text in kind.says(section)]
    if kinds == {"accuracy"}:  # it asks for errors, and times them only as far as it must
        return said
    parts = parts_of(view, section.wanted)
    beside = side_by_side(parts)
    found = [*beside]
    # of others their chapter's head tells it
    parts = [(name, cases) for name, cases in parts if cases[0].operation == GEMM]
    for name, cases in [] if beside or "noise" in kinds else parts[:MOST_GROUPS]:
        found += of_group(name, fastest(series_of(cases), view.everywhere))
    if len(parts) > MOST_GROUPS:
        found.append(say("{count} more groups stand in the tables.",
                         count=len(parts) - MOST_GROUPS))
    found += [*other_classes(view), *over_baselines(view, section.wanted)]
    if any(case.copy for case in view.shown):
        found.append(say("Replicas and handicapped points are not ranked."))
    found += said
    if any(case.disturbed for case in view.shown) and any(mark() in text for text in found):
        found.append(say("“{mark}”: {how}; what is said of its place is not certain.", mark=mark(),
                         how=disturbed_words()))
    return list(dict.fromkeys(found))
