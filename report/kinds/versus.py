"""Times faster the GPU is than the CPU, pair by pair, for each way of timing the GPU."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.answer.headline import gained, headline_of, numbers
from analysis.answer.names import name, side, way_text
from analysis.answer.over_hosts import over_hosts, told_together
from analysis.answer.pairs import PAIRINGS, Pairing, match_of
from analysis.answer.points import KERNEL, WAYS, Contest, Match, contest_in, way_of
from analysis.tables.heads import Head, faster, rounded, with_remark
from analysis.tables.kind import Section, TableKind
from analysis.tables.tables import Cell, Notes, Row, Table, empty, marked, ratio_cell, sentences
from language import say
from records.cases.case import Case
from records.cases.series import Shape
from records.names.numbers import DASH, capital, joined
from records.schema.operations import GEMM, shape_text
from records.view import View


def no_contest(view: View) -> Table:
    return empty(view, say("CPU and GPU have no undisturbed number at the same shape, so that "
                           "nothing can be compared."))


def _libraries(contest: Contest) -> str:
    """That every CPU library with a number takes part, by name."""
    names = list(dict.fromkeys(name(case) for case in contest.cases
                               if case.device == "cpu" and case.library))
    return (say("CPU libraries compared: {names}.", names=joined(names)) if names
            else say("No CPU library has a number here."))


def left_out(contest: Contest) -> str:
    count = contest.disturbed
    return say("{count} disturbed points are not used.", count=count) if count else ""


def ways_in(contest: Contest) -> list[str]:
    there = {way_of(case) for case in contest.cases if case.device == "gpu"}
    return [way for way in WAYS if way in there]


def _names(cases: Iterable[Case]) -> str:
    return " / ".join(dict.fromkeys(map(side, cases)))


def _pair_row(pairing: Pairing, shape: Shape, by_way: dict[str, Match], ways: list[str],
              notes: Notes) -> Row:
    cells = []
    for way in ways:
        match = by_way.get(way)
        cells.append(marked(ratio_cell(match.ratio), notes, match.cpu, match.gpu, ratio=match.ratio)
                     if match else Cell(DASH))
    found = list(by_way.values())
    return Row((shape_text(*shape), say(pairing.name), _names(match.cpu for match in found),
                _names(match.gpu for match in found)), tuple(cells))


def versus_table(view: View) -> Table:
    """GPU over CPU: a row a pairing and shape, a column a way of timing the GPU."""
    contest = contest_in(view)
    if contest is None:
        return no_contest(view)
    ways, notes = ways_in(contest), Notes(view)
    table = Table.of(view, sentences(
        say("How many times as fast as the CPU the GPU is, with its 95 % interval; below 1 the CPU "
            "is ahead."),
        say("The CPU's time is that of a call; the GPU's is that of the kernel, of the call, or "
            "end to end with A and B moved to the card and C back."),
        say("Where the fastest kernel is not the same in every column, all are named in the "
            "columns' order."),
        _libraries(contest), left_out(contest)),
        (say("Size"), say("Compared"), say("CPU"), say("GPU")), tuple(map(way_text, ways)))
    for pairing in PAIRINGS:
        for shape in contest.shapes:
            by_way = {way: match for way in ways
                      if (match := match_of(pairing, contest, shape, way))}
            if by_way:
                table.rows.append(_pair_row(pairing, shape, by_way, ways, notes))
    table.notes = notes.texts()
    return table


def contest_finding(section: Section) -> Head | None:
    """"The GPU is 23 times as fast as the CPU at 4096, best against best; 12 times with
    transfers"."""
    contest = contest_in(section.view)
    if contest is None:
        return None
    one = headline_of(contest)
    way = KERNEL if KERNEL in one.best else next(iter(one.best), None)
    if way is None:
        return None
    match, shape = one.best[way], shape_text(*one.shape)
    # there is no best to choose
    if len({case.implementation for case in contest.cases if case.device == "cpu"}) == 1:
        text = say("{gpu} is {compared}", gpu=capital(side(match.gpu)),
                   compared=gained(match, contest, _at(side(match.cpu), shape)))
    else:
        text = say("The GPU is {compared}, best against best",
                   compared=gained(match, contest, _at(say("the CPU"), shape)))
        if not over_hosts(match, contest):
            pair = told_together(match, contest)
            text = with_remark(text,
                               say("{gpu} against {cpu}", gpu=side(pair.gpu), cpu=side(pair.cpu)))
    if one.moved and one.moved != way:
        text = _with_transfers(text, one.best[one.moved], contest)
    told = [say("{label}: {value} ({detail}).", label=capital(number.label), value=number.value,
                detail=number.detail) for number in numbers(one)]
    return Head(text, tuple(told[:2]))


def _at(other: str, shape: str) -> str:
    return say("{other} at {shape}", other=other, shape=shape)


def _with_transfers(text: str, match: Match, contest: Contest) -> str:
    ratio = told_together(match, contest).ratio
    if ratio.value > 1 and not ratio.tie:
        return say("{text}; with transfers {times} times", text=text,
                   times=over_hosts(match, contest) or rounded(ratio.value))
    return say("{text}; with transfers {compared}", text=text,
               compared=faster(ratio, say("the CPU")))


KIND = TableKind(
    title="GPU over CPU",
    about="times faster the GPU is than the CPU, pair by pair, for each way of timing the GPU",
    of=GEMM,
    table=versus_table,
    heads=(contest_finding,),
    before=9)
