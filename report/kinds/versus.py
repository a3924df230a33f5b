"""Times faster the GPU is than the CPU, pair by pair, for each way of timing the GPU."""

from __future__ import annotations

from analysis.answer.answer_tables import versus_table
from analysis.answer.headline import gained, headline_of, numbers
from analysis.answer.names import side
from analysis.answer.over_hosts import over_hosts, told_together
from analysis.answer.points import KERNEL, Contest, Match, contest_in
from analysis.tables.heads import Head, faster, rounded, with_remark
from analysis.tables.kind import Section, TableKind
from language import say
from records.names.numbers import capital
from records.schema.operations import GEMM, shape_text


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
