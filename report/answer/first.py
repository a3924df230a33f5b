"""The answer of a folder of records, put together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..experiment import Results
from ..facts import dates
from ..ladder import finding_of, ladders_of
from ..language import recorded, say
from ..numbers import counted, joined
from ..tables import ended
from ..view import View, machine_name
from ..where import host_text, short_host
from .cards import CardsAnswer
from .cpu_only import CpuAnswer
from .headline import Headline, clause, headline_shape, numbers
from .lines import lines_of
from .model import Answer, Number
from .points import CALL, END_TO_END, KERNEL, Contest, contest_of, way_of
from .questions import Question, contest_questions
from .steps import ladder_view, what_steps_buy, which_block
from .words import capital, way_text

COMMAND = "./gemmlab run cpu_vs_gpu"


def answer_of(results: Results, reference: Results | None) -> Answer:
    """The answer of `results`; where they have no number of a GPU, their CPU's with the `reference` machine's GPU, marked as
    such. Works for any records, and says what they lack."""
    own = contest_of(results)
    theirs = None if own or _has_gpu(results) else reference
    borrowed = contest_of(theirs)
    ladder = ladder_view(results, theirs)
    steps = which_block(results, theirs), what_steps_buy(ladder)
    if own:
        return _of_contest(own, results, ladder, steps)
    return _of_reference(borrowed, results, ladder, steps) if borrowed else _without_contest(results, ladder, steps)


def _ended(text: str) -> str:
    return ended(capital(text))


def _has_gpu(results: Results) -> bool:
    return any(case.shown and case.device == "gpu" for experiment in results.experiments for case in experiment.cases)


def _known(questions: tuple[Question, ...], results: Results, head: str = "") -> tuple[Question, ...]:
    """Without the anchors of experiments that have no section here, and with the host of those that were measured on one other than the
    head names (`head`)."""
    hosts = {experiment.name: {case.host for case in experiment.cases if case.shown} for experiment in results.experiments}

    def told(answer: str, anchor: str) -> str:
        there = hosts.get(anchor, set())
        elsewhere = there if head and len(there) == 1 and head not in there else ()
        return say("number.space").join([answer, *(say("Measured on {host}.", host=host_text(host)) for host in elsewhere)])

    return tuple((question, told(answer, anchor), anchor if anchor in hosts else "") for question, answer, anchor in questions)


def _of_contest(contest: Contest, results: Results, ladder: View | None, steps: tuple[Question, ...]) -> Answer:
    one = Headline(contest, headline_shape(contest))
    questions = (*contest_questions(one), *steps, *CardsAnswer(results).questions)
    text, told = _ended(clause(one)), numbers(one)
    return Answer(text, told, _badges(contest), _figures(contest, ladder, False), lines_of(one), _known(questions, results, contest.host),
                  machine_name(contest.run), False, _missing(contest))


def _of_reference(contest: Contest, results: Results, ladder: View | None, steps: tuple[Question, ...]) -> Answer:
    """This machine's CPU, and the reference machine's GPU."""
    one = Headline(contest, headline_shape(contest))
    machine, cpu = machine_name(contest.run), CpuAnswer(results)
    theirs = say("no GPU was measured here; on the reference machine ({machine}), {text}", machine=machine, text=clause(one))
    text = say("number.space").join(_ended(part) for part in (cpu.sentence, theirs) if part)
    mark = say("reference machine")
    borrowed = [replace(number, label=say("{label}, {mark}", label=number.label, mark=mark)) for number in numbers(one)]
    told = [*cpu.numbers, *borrowed][:4]
    questions = [(question, say("On the reference machine ({machine}). {text}", machine=machine, text=answer), anchor)
                 for question, answer, anchor in contest_questions(one)]
    return Answer(text, _here(told, results), _badges(contest, _own_host(results)), _figures(contest, ladder, True),
                  lines_of(one, cpu.best_text or cpu.threads_text, mark), _known((*questions, *steps, *cpu.questions), results), machine_name(_last(results), gpu=False),
                  True, _missing(contest))


def _here(told: list[Number], results: Results) -> tuple[Number, ...]:
    there = {experiment.name for experiment in results.experiments}
    return tuple(number if number.anchor in there else replace(number, anchor="") for number in told)


def _without_contest(results: Results, ladder: View | None, steps: tuple[Question, ...]) -> Answer:
    """No point of a CPU and a GPU of one host at one shape, neither here nor there: the CPU's answer, or the ladder's."""
    cpu, cards = CpuAnswer(results), CardsAnswer(results)
    own = cards.sentence or cpu.sentence or (finding_of(ladders_of(ladder)) if ladder and not ladder.reference else "")
    lacking = say("no CPU and GPU of one host were measured at the same shape: run {command}", command=COMMAND)
    text = _ended(cards.sentence) if cards.sentence else say("number.space").join(_ended(part) for part in (own, lacking) if part)
    run = _last(results)
    badges = tuple((what, value) for what, value in ((say("Host"), machine_name(run)), (say("Date"), dates([run])[:10])) if value)
    lines = lines_of(None, own)
    if cards.view:
        lines = lines_of(None, "".join(cards.clauses[:1]),
                         more=say("number.semicolon").join(cards.clauses[1:]))
    figures = ((cards.view, "answer-card_scaling"),) if cards.view else _drawn(ladder)
    asked = _known((*cards.questions, *steps, *cpu.questions), results)
    if cards.view:
        asked = tuple(one for one in asked if one[2])  # what was not measured is not what such records are for
    return Answer(text, tuple([*cards.numbers, *cpu.numbers][:4]), badges, figures, lines, asked, machine_name(run), False, (lacking,))


def _last(results: Results) -> dict[str, Any]:
    return results.runs[-1] if results.runs else {}


def _own_host(results: Results) -> str:
    return machine_name(_last(results), gpu=False)


def _badges(contest: Contest, own: str = "") -> tuple[tuple[str, str], ...]:
    """Host, card, scope, cache, date of what the answer rests on."""
    run = contest.run
    cpu = machine_name(run, gpu=False)
    host = say("number.comma").join(filter(None, (cpu, counted(contest.cores, "core") if contest.cores else "", short_host(contest.host))))
    badges = [(say("This machine"), own)] if own else []
    badges += [(say("Reference host") if own else say("Host"), host), (say("Card"), machine_name(run, cpu=False)),
               (say("Scope"), _scopes(contest)),
               (say("Cache"), joined(sorted({recorded(case.cache) for case in contest.cases}))), (say("Date"), dates([run])[:10])]
    return tuple((what, value) for what, value in badges if value)


def _scopes(contest: Contest) -> str:
    """"kernel, call and end to end (pinned, pageable)"."""
    there = {way_of(case) for case in contest.cases if case.device == "gpu"}
    memory = [say(way) for way in END_TO_END if way in there]
    moved = [say("end to end ({memory})", memory=say("number.comma").join(memory))] if memory else []
    return joined([way_text(way) for way in (KERNEL, CALL) if way in there] + moved)


def _missing(contest: Contest) -> tuple[str, ...]:
    """What the records lack for a whole answer."""
    ways = {way_of(case) for case in contest.cases if case.device == "gpu"}
    lacks = [say("times with transfers")] if ways <= {KERNEL} else []
    lacks += [] if any(case.energy_j_per_call for case in contest.cases) else [say("energy")]
    return (say("{what} were not measured beside the CPU in {experiment}: run {command}", what=joined(lacks),
                experiment=contest.experiment, command=COMMAND),) if lacks else ()


def _drawn(ladder: View | None) -> tuple[tuple[View, str], ...]:
    return ((ladder, "answer-ladder"),) if ladder else ()


def _figures(contest: Contest, ladder: View | None, reference: bool) -> tuple[tuple[View, str], ...]:
    view = View(contest.experiment, "gpu_over_cpu", say("GPU over CPU"), contest.cases, contest.run, host=contest.host,
                reference=reference)
    return ((view, "answer-gpu_over_cpu"), *_drawn(ladder))
