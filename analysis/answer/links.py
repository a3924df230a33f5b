"""The GPU's times with transfers over the links of other hosts that have the same card: clouds put
one card into hosts whose memory, and with it the copies, differ in speed."""

from __future__ import annotations

from array import array
from dataclasses import replace

from records.cases.case import Case
from records.cases.phrases import unsound

from .points import END_TO_END, KERNEL, Contest, Match, way_of


def _code(case: Case) -> tuple:
    return case.implementation, case.parameters


def _kernel_of(case: Case, among: list[Case]) -> Case | None:
    """The same code on the same host, without transfers: of its own group where that has it, the
    fastest."""
    return min((one for one in among if way_of(one) == KERNEL and one.host == case.host
                and _code(one) == _code(case) and not unsound(one)),
               key=lambda one: (one.group != case.group, one.median_s), default=None)


def _carried(own: Case, moved: Case, among: list[Case]) -> Case | None:
    """`own` as the link of another host gives it: what was measured there where that is the same
    code; else the kernel's own time, and what the transfers of other code took there. None where
    either kernel was not timed, or nothing is left for the transfers."""
    if _code(moved) == _code(own):
        return moved
    kernel, theirs = _kernel_of(own, among), _kernel_of(moved, among)
    if kernel is None or theirs is None or moved.median_s <= theirs.median_s:
        return None
    more = kernel.median_s - theirs.median_s  # negative where their kernel is the slower one
    return replace(moved, implementation=own.implementation, parameters=own.parameters,
                   name_parts=own.name_parts, label=own.label, chosen=own.chosen,
                   precision=own.precision,
                   samples_s=array("d", (max(one + more, kernel.median_s)
                                         for one in moved.samples_s)),
                   measured_s=moved.median_s + more,
                   ci95_s=moved.ci95_s and (moved.ci95_s[0] + more, moved.ci95_s[1] + more))


def other_links(match: Match, contest: Contest) -> dict[str, Case]:
    """host -> the match's GPU point over the link of that host, for each other with the same card
    that timed transfers in the same way at its shape with nothing unsound; measured ones before
    carried ones, those of its precision first, then the fastest. Empty of a match without
    transfers."""
    own, way = match.gpu, way_of(match.gpu)
    if way not in END_TO_END:
        return {}
    among = [case for case in contest.beside_at.get(("gpu", own.shape), ())
             if case.card == own.card and case.distribution == own.distribution]
    found = [(_code(case) != _code(own), case.precision != own.precision, link.median_s, case.host,
              link) for case in among
             if way_of(case) == way and case.host != own.host and not unsound(case)
             and (link := _carried(own, case, among))]
    best: dict[str, Case] = {}
    for *_, host, link in sorted(found, key=lambda one: one[:4]):
        best.setdefault(host, link)
    return best
