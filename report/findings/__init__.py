"""What the records of an experiment come to: a finding to head its section, at most two sentences, and the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from analysis.answer.sustained import sustained_head
from analysis.answer.words import unsound, with_remark
from analysis.ladder.sweeps import block_finding, thread_finding
from analysis.scaling.cards import cards_head
from analysis.tables.heads import Head
from language import say
from records.cases.case import Case
from records.view import View

from .climb import ladder_finding
from .forms import forms_head
from .operations import density_head, hierarchy_head, rates_head, sweep_head
from .others import (
    accuracy_finding,
    baseline_finding,
    contest_finding,
    fastest_finding,
    first_call_finding,
    noise_finding,
    transfer_finding,
)
from .peers import peers_finding
from .split import split_finding
from .standing import ties_text
from .told import every_sentence, reasons

__all__ = ["MOST_SENTENCES", "Found", "found_in", "head_of", "ties_text"]

MOST_SENTENCES = 2
Wanted = list[dict[str, Any]]


@dataclass(frozen=True)
class Found:
    """Of one experiment on one host. `finding` is empty where no point has a number. `why`: what explains the result."""

    finding: str
    sentences: list[str]
    more: list[str] = field(default_factory=list)
    why: list[str] = field(default_factory=list)
    cases: tuple[Case, ...] = ()  # that the finding is made of, where it is not a mean over many


def _asked(*kinds: str) -> Callable[[Wanted], bool]:
    """Does the definition ask for a table or figure of one of these kinds?"""
    return lambda wanted: any(spec["kind"] in kinds for spec in wanted)


# What an experiment's finding may be, the most special first: is it asked for, and what it is; None where the records lack it.
FINDERS: tuple[tuple[Callable[[Wanted], bool], Callable[[View, Wanted, Sequence[View]], Head | None]], ...] = (
    (lambda wanted: {spec["kind"] for spec in wanted} == {"accuracy"}, lambda view, wanted, _: accuracy_finding(view, wanted)),
    (_asked("memory_hierarchy"), lambda view, *_: hierarchy_head(view)),
    (_asked("density"), lambda view, *_: density_head(view)),
    (_asked("rates"), lambda view, *_: forms_head(view)),
    (_asked("rates"), lambda view, *_: rates_head(view)),
    (_asked("sweep"), lambda view, *_: sweep_head(view)),
    (_asked("sustained"), lambda view, *_: sustained_head(view)),
    (_asked("noise"), lambda view, *_: noise_finding(view)),
    (_asked("first_call"), lambda view, *_: first_call_finding(view)),
    (_asked("versus", "break_even"), lambda view, *_: contest_finding(view)),
    (_asked("block_size", "block_heatmap"), lambda view, _, counted: block_finding(view, counted)),
    (_asked("speedup"), lambda view, wanted, _: split_finding(view, wanted)),
    (_asked("speedup", "speedup_bars", "ratio_to_library"), lambda view, wanted, _: peers_finding(view, wanted)),
    (_asked("ladder_bars", "ladder_steps"), lambda view, wanted, _: ladder_finding(view, wanted)),
    (_asked("thread_scaling"), lambda view, *_: thread_finding(view)),
    (_asked("card_scaling", "card_shares"), lambda view, *_: cards_head(view)),
    (lambda _: True, lambda view, *_: transfer_finding(view)),
    (lambda _: True, lambda view, *_: contest_finding(view)),
    (lambda _: True, lambda view, wanted, _: baseline_finding(view, wanted)),
    (lambda _: True, lambda view, *_: fastest_finding(view)))


def found_in(view: View, wanted: Wanted, counted: Sequence[View] = ()) -> Found:
    """What the tables and figures wanted come to. `counted`: views of other experiments, whose counters may say why. Where every point was disturbed, one sentence says so at their head, and the
    others name no point as such."""
    if not view.shown:
        return Found("", [say("No point has a number that may be shown." if view.cases else
            "No point was measured on this machine.")])
    if not all(case.disturbed for case in view.shown):
        return _found(view, wanted, counted, [])
    calm = replace(view, cases=tuple(replace(case, run_queue_delay_s=None, steal_s=None) for case in view.cases))
    return _found(calm, wanted, counted, [say("{points} What follows of places and ratios is not "
                                              "certain: end other programs, and measure again "
                                              "with --fresh.", points=view.disturbed_text())])


def head_of(view: View, wanted: Wanted, counted: Sequence[View] = ()) -> Head:
    """What the first of FINDERS says that is asked for and has something to say; an empty one where none has."""
    return next((head for asked, find in FINDERS if asked(wanted) and (head := find(view, wanted, counted))), Head(""))


def _found(view: View, wanted: Wanted, counted: Sequence[View], first: list[str]) -> Found:
    head = head_of(view, wanted, counted)
    every = list(dict.fromkeys([*first, *head.sentences]))
    told = every[:MOST_SENTENCES]
    more = [text for text in dict.fromkeys([*every, *every_sentence(view, wanted)]) if text not in told]
    finding = with_remark(head.finding, unsound(*head.cases) if head.cases else "")
    return Found(finding, told, more, reasons(view, wanted), head.cases)
