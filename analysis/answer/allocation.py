"""From which size the GPU wins where its memory is allocated for each product, too: records keep it
allocated, and price an allocation by itself."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace

from language import say
from records.cases.case import Case
from records.cases.phrases import unsound
from records.cases.where import host_text
from records.names.numbers import joined

from .break_even import BreakEven, break_even
from .names import crossing
from .pairs import BEST, matches_of
from .points import Contest, Match, way_of

COUNTED = "counted"


def _prices(contest: Contest, way: str) -> dict[tuple, tuple[float, Case]]:
    """shape -> what allocating the memory on the same card adds to a product with transfers from
    that memory, in seconds, and the point that counted it: on the contest's own host where it was
    timed there, and of such the dearest."""
    cards = {case.card for case in contest.cases if case.device == "gpu"}

    def key(case: Case) -> tuple:
        return case.run_id, case.group, case.implementation, case.parameters, case.shape, case.cache

    timed = [case for case in contest.beside if case.shown and case.device == "gpu"
             and case.scope == "end-to-end" and case.host_memory == way and not case.load
             and not case.copy and case.card in cards and not unsound(case)]
    kept = {repr(key(case)): case for case in timed if way_of(case) == way}
    found: dict[tuple, list[tuple[bool, float, Case]]] = {}
    for case in timed:
        if case.allocation == COUNTED and (base := kept.get(repr(key(case)))):
            found.setdefault(case.shape, []).append(
                (case.host == contest.host, max(case.median_s - base.median_s, 0.0), case))
    best = {shape: max(of, key=lambda one: one[:2]) for shape, of in found.items()}
    return {shape: (price_s, case) for shape, (_, price_s, case) in best.items()}


def _later(case: Case, more_s: float) -> Case:
    return replace(case, samples_s=array("d", (one + more_s for one in case.samples_s)),
                   measured_s=case.median_s + more_s,
                   ci95_s=case.ci95_s and (case.ci95_s[0] + more_s, case.ci95_s[1] + more_s))


def with_allocation(contest: Contest, way: str) -> tuple[BreakEven, Case] | None:
    """Of the best of both, at the squares where an allocation was priced, and a point that priced
    it, which may be of other code; None where these are fewer than two."""
    prices = _prices(contest, way)
    matches = [Match(match.cpu, _later(match.gpu, prices[match.shape][0]))
               for match in matches_of(BEST, contest, way) if match.shape in prices]
    found = break_even(matches)
    return (found, prices[matches[0].shape][1]) if found else None


def allocating_text(contest: Contest, ways: Sequence[str], brief: bool = False) -> tuple[str, str]:
    """"about 600 (pinned) and about 1000 (pageable)", and the host that the price is of; empty
    where none was measured. Two digits and no interval: the price is of other code. `brief`:
    without the memories where each has a size."""
    found = {way: one for way in ways if (one := with_allocation(contest, way))}
    told = [_size(own) if brief and len(found) == len(ways)
            else say("{size} ({memory})", size=_size(own), memory=say(way))
            for way, (own, _) in found.items()]
    hosts = dict.fromkeys(host_text(case.host) for _, case in found.values())
    return joined(told), joined(list(hosts))


def _size(found: BreakEven) -> str:
    return (say("about {size}", size=f"{float(f'{found.size:.2g}'):.0f}")
            if found.size is not None else crossing(found))
