"""How much faster the GPU is, and from which size: the table of speedups by size, best against best
and plain against plain."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.answer.curves import compared_text, plain_pairing
from analysis.answer.headline import allocated_before, headline_of
from analysis.answer.over_hosts import (
    doubt_of_least,
    faster_text,
    few_libraries,
    hosts_left_out,
    other_group_text,
    over_hosts,
    told_together,
)
from analysis.answer.pairs import BEST, Pairing, match_of
from analysis.answer.points import KERNEL, PAGEABLE, PINNED, Contest, Match, way_of
from analysis.tables.tables import Cell, Table, sentences
from language import say
from records.cases.series import Shape
from records.schema.operations import is_square, shape_text
from records.view import View
from report.machine.conditions import conditions

from . import Exhibit, whose
from .columns import Columns, Marks, Number, fewer, of_ratio, side
from .questions import Asked

NAME = "speedup"
SHOWN = {KERNEL: "kernel", PINNED: "transfers, pinned", PAGEABLE: "transfers, pageable"}


def speedup_exhibit(contest: Contest, reference: bool) -> Exhibit:
    """Sentences on how much and from which size; the table; GPU over CPU by size."""
    cases = tuple(case for case in contest.cases if case.device == "cpu" or way_of(case) in SHOWN)
    view = View(contest.experiment, "gpu_over_cpu", say("GPU over CPU"), cases, contest.run,
                host=contest.host, reference=reference, everywhere=contest.beside)
    one = headline_of(contest)
    return Exhibit(NAME, say("Speedup"), say("How much faster is the GPU, and from which size?"),
                   Asked(one).from_where(), ((NAME, _table(contest, view, one.shape)),),
                   ((view, "answer-gpu_over_cpu"),), contest.experiment,
                   whose(contest.run, reference))


def _table(contest: Contest, view: View, headline: Shape) -> Table:
    best = say("best against best")
    matches = {(group, way): _matches(contest, pairing, way) for group, pairing in (
        (best, BEST), (say("plain against plain"), plain_pairing(contest))) for way in SHOWN}
    sizes = fewer(sorted({size for found in matches.values() for size in found}), side(headline))
    columns, marks = Columns(tuple(map(str, sizes))), Marks()
    used = []
    for (group, way), found in matches.items():
        if found:
            kernels = matches[group, KERNEL]
            columns.add(say(SHOWN[way]), [_number(found.get(size), str(size), marks,
                                                  kernels.get(size), contest, group == best)
                                          for size in sizes], "times", group, spread=True)
            if group == best:
                _add_hosts(columns, marks, way, {size: found.get(size) for size in sizes}, contest,
                           group)
            told = [told_together(match, contest) for match in found.values()]
            used += [case for match in told for case in (match.cpu, match.gpu)]
    caption = sentences(say("How many times as fast as the CPU the GPU is, squares M = N = K; "
                            "below 1 the CPU is ahead. ± is the farther end of the 95 % interval; "
                            "over hosts: against the fastest sound CPU time of each host, warm "
                            "caches too, and over the link of each that has the card."),
                        compared_text(view), _hosts_text(contest, (
                            match for size, match in matches[best, KERNEL].items()
                            if size in sizes)))
    title = (say("Speedup of the GPU over the CPU, allocation not counted")
             if allocated_before(match for found in matches.values() for match in found.values())
             else say("Speedup of the GPU over the CPU"))
    return columns.table(NAME, title, caption, ("N",), marks,
                         view.reference,
                         where=conditions(used, contest.run, contest.host, view.reference))


def _add_hosts(columns: Columns, marks: Marks, way: str, matches: dict[int, Match | None],
               contest: Contest, group: str) -> None:
    """What the GPU gains over the CPU of each host of the folder, with a note where the least rests
    on what is faster than its run's ceiling; no column where one number tells all in every row."""
    spans = {size: match and over_hosts(match, contest) for size, match in matches.items()}
    if any(spans.values()):
        columns.add_cells(say("{way}, over hosts", way=say(SHOWN[way])), [
            Cell(str(span), note=marks.of(str(size), doubt_of_least(match, contest)))
            if span and (match := matches[size]) else Cell("")
            for size, span in spans.items()], group)


def _hosts_text(contest: Contest, matches: Iterable[Match]) -> str:
    """Which hosts of the folder say nothing of the range over hosts, and why."""
    found = [(match.shape, hosts_left_out(match, contest)) for match in matches]
    told = say("; ").join(say("at {shape} {hosts}", shape=shape_text(*shape), hosts=out)
                          for shape, out in found if out)
    return say("The range over hosts does not count {hosts}.", hosts=told) if told else ""


def _matches(contest: Contest, pairing: Pairing, way: str) -> dict[int, Match]:
    """By the size of the squares."""
    found = (match_of(pairing, contest, shape, way) for shape in contest.shapes if is_square(shape))
    return {side(match.shape): match for match in found if match}


def _number(own: Match | None, row: str, marks: Marks, kernel: Match | None, contest: Contest,
            best: bool) -> Number | None:
    """A pair with which nothing is wrong stands for an unsound one, where the same kernel has one.
    With a note where that is of another group than the numbers beside it; where the CPU's side is
    not that of the kernel's number in the same row; and of the best where another group has a
    faster one, or, of the kernel, fewer libraries took part than at other sizes."""
    if own is None:
        return None
    match = told_together(own, contest)
    other = kernel is not None and told_together(kernel, contest).cpu.name != match.cpu.name
    whom = say("against {name}", name=match.cpu.name) if other else ""
    more = [other_group_text(match, own)]
    more += [faster_text(match, contest)] if best else []
    more += [few_libraries(match.cpu, contest.cases)] if best and own is kernel else []
    return of_ratio(match.ratio, marks.of_pair(row, match.ratio, match.cpu, match.gpu, whom,
                                               say("; ").join(filter(None, more))))
