"""The answer of a folder of records, put together, and in a terminal: three lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from analysis.answer.crossings import Crossing
from analysis.answer.energy import cpu_unreadable
from analysis.answer.headline import Headline, clause, headline_of, numbers
from analysis.answer.model import Answer
from analysis.answer.names import count_of, faster, name, rounded, side, sizes_text, way_text
from analysis.answer.over_hosts import over_hosts, told_together
from analysis.answer.points import END_TO_END, KERNEL, Contest, contest_of, way_of
from analysis.ladder.ladder import finding_of, ladders_of
from analysis.tables.tables import ended
from analysis.tables.widths import text_width
from files.safe import shortened
from language import current, recorded, say
from records.cases.case import Case
from records.cases.cores import processors_text
from records.cases.experiment import Results
from records.cases.where import load_text, short_host
from records.names.numbers import capital, joined, plain
from records.schema.operations import shape_text
from records.view import View, machine_name
from report.machine.machine_facts import dates

from .cards import CardsAnswer
from .cpu_only import CpuAnswer

WIDTH = 100
PLAIN = {"×": "x", "≥": ">=", "–": "-", "µ": "u", "→": "->", "…": "..."}


def _plain(text: str) -> str:
    """At most WIDTH columns; English in ASCII, whatever the terminal's encoding."""
    if current() == "en":
        for letter, instead in PLAIN.items():
            text = text.replace(letter, instead)
        text = text.encode("ascii", "replace").decode("ascii")
        return text if len(text) <= WIDTH else text[:WIDTH - 3].rstrip() + "..."
    while text_width(text) > WIDTH:
        text = shortened(text, len(text) - 1)
    return text


def _who(one: Headline, with_loops: bool = True) -> str:
    match = one.best.get(KERNEL) or next(iter(one.best.values()))
    match, span = told_together(match, one.contest), over_hosts(match, one.contest)
    cores = count_of(match.cpu)
    compared = (say("{span} times as fast as the best on {cores}, by host", span=span, cores=cores)
                if span
                else faster(match.ratio, say("{name}, {cores}", name=name(match.cpu), cores=cores)))
    text = say("N = {shape}: {gpu} on the GPU is {compared}", shape=shape_text(*one.shape),
               gpu=name(match.gpu), compared=compared)
    loops = one.plain if with_loops and match.won else None
    return text + (say("; {gpu} {times} times {cpu}", gpu=name(loops.gpu),
                       times=rounded(loops.ratio.value), cpu=name(loops.cpu)) if loops
                   and loops.shape == one.shape else "")


def _from(found: Crossing | None) -> str:
    if found is None:
        return say("not measured")
    own = found.own
    if found.later:
        return say("N = {size}", size=found.sizes)
    if own.size is not None:
        return say("N = {size}", size=sizes_text(own.size))
    if own.always:
        return say("every size from {size}", size=own.sizes[0])
    return say("never to {size}", size=own.sizes[-1])


def _pays(one: Headline) -> str:
    kernel = say("The GPU wins from: kernel {kernel}", kernel=_from(one.crossings.get(KERNEL)))
    moved = [say("{size} ({memory})", size=_from(one.crossings[way]), memory=say(way))
             for way in END_TO_END if way in one.crossings]
    return kernel + say("; with transfers {sizes}",
                        sizes=say(", ").join(moved)) if moved else kernel


def _energy(one: Headline) -> str:
    gpu, cpu = one.thriftiest("gpu"), one.thriftiest("cpu")
    if gpu is None:
        return say("Energy was not read in these records: run {command}",
                   command="./gemmlab run cpu_vs_gpu")
    beside = say(
        "CPU {joules} J ({name})", joules=plain(cpu.joules), name=side(cpu.case)) if cpu else say(
            "the CPU's {why}", why=cpu_unreadable(one.contest.run, one.contest.cases, short=True))
    return say("Energy at {shape}: card {joules} J ({name}); {cpu}",
               shape=shape_text(*gpu.case.shape), joules=plain(gpu.joules),
               name=name(gpu.case), cpu=beside)


def lines_of(one: Headline | None, own: str = "", mark: str = "",
             more: str = "") -> tuple[str, ...]:
    """Three lines of at most WIDTH columns: with this machine's CPU first where the rest is
    another's, which `mark` names. `own` and `more`: what stands first where CPU and GPU were not
    compared."""
    if one is None:
        found = [own or say("No CPU and GPU point of one host at the same shape, so no comparison"),
                 more, say("Measure both: {command}" if not own else "CPU and GPU were not "
                           "measured at the same shape: {command}",
                           command="./gemmlab run cpu_vs_gpu")]
    elif mark:
        found = [own or say("No number of a GPU was measured here"),
                 say("{mark}: {text}", mark=mark, text=_who(one, with_loops=False)), _pays(one)]
    else:
        found = [_who(one), _pays(one), _energy(one)]
    return tuple(_plain(capital(line)) for line in found if line)


COMMAND = "./gemmlab run cpu_vs_gpu"


def answer_of(results: Results, reference: Results | None) -> Answer:
    """The answer of `results`; where they have no number of a GPU, their CPU's, and behind it that
    of the `reference` machine. Works for any records, and says what they lack."""
    own = contest_of(results)
    if own:
        return _of_contest(own)
    borrowed = contest_of(stand_in(results, reference))
    return _of_cpu(results, borrowed) if borrowed else _without_contest(results)


def stand_in(results: Results, reference: Results | None) -> Results | None:
    """`reference` where `results` have no number of a GPU; else None."""
    measured = any(case.shown and case.device == "gpu" for experiment in results.experiments
                   for case in experiment.cases)
    return None if measured else reference


def _of_contest(contest: Contest) -> Answer:
    one = headline_of(contest)
    return Answer(_ended(clause(one)), numbers(one), _badges(contest), lines_of(one),
                  machine_name(contest.run), _missing(contest))


def _of_cpu(results: Results, theirs: Contest) -> Answer:
    """This machine's CPU, and behind it what the reference machine's GPU brings."""
    one, cpu = headline_of(theirs), CpuAnswer(results)
    machine, run = machine_name(theirs.run), _last(results)
    text = say("On the reference machine ({machine}), {text}", machine=machine, text=clause(one))
    borrowed = Answer(ended(text), numbers(one), _badges(theirs), (), machine, _missing(theirs))
    own = say(" ").join(_ended(part) for part in (cpu.sentence, say("no GPU was measured here"))
                        if part)
    restless = _restless(case for by_shape in cpu.by_place.values() for cases in by_shape.values()
                         for case in cases)
    lines = lines_of(one, cpu.best_text or cpu.threads_text, say("reference machine"))
    return Answer(own, tuple(cpu.numbers), _own_badges(cpu, run), lines,
                  machine_name(run, gpu=False), restless, borrowed)


def _without_contest(results: Results) -> Answer:
    """No point of a CPU and a GPU of one host at one shape, neither here nor there: what several
    cards bring, the CPU's answer, or the ladder's."""
    cpu, cards, run = CpuAnswer(results), CardsAnswer(results), _last(results)
    own = cards.sentence or cpu.sentence or _climb(results)
    lacking = say("no CPU and GPU of one host were measured at the same shape: run {command}",
                  command=COMMAND)
    text = _ended(own) if cards.sentence else say(" ").join(_ended(part) for part in (own, lacking)
                                                            if part)
    lines = lines_of(None, "".join(cards.clauses[:1]), more=say("; ").join(cards.clauses[1:])) \
        if cards.view else lines_of(None, own)
    badges = ((say("Host"), machine_name(run)), (say("Date"), dates([run])[:10]))
    return Answer(text, tuple([*cards.numbers, *cpu.numbers][:4]),
                  tuple((what, value) for what, value in badges if value), lines,
                  machine_name(run), (lacking,))


def _climb(results: Results) -> str:
    """What the first GPU ladder that was measured comes to."""
    for experiment in results.experiments:
        cases = tuple(case for case in experiment.cases
                      if case.device == "gpu" and case.scope == KERNEL)
        if text := finding_of(ladders_of(View(experiment.name, "ladder_bars", "", cases,
                                              experiment.run))):
            return text
    return ""


def _ended(text: str) -> str:
    return ended(capital(text))


def _last(results: Results) -> dict[str, Any]:
    return results.runs[-1] if results.runs else {}


def _own_badges(cpu: CpuAnswer, run: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    host = say(", ").join(filter(None, (machine_name(run, gpu=False), processors_text(run))))
    cache = joined(sorted({recorded(place[2]) for place in list(cpu.by_place)[:1]}))
    inputs = [_product(place[3]) for place in list(cpu.by_place)[:1]]
    badges = ((say("This machine"), host), *inputs, (say("Cache"), cache),
              (say("Date"), dates([run])[:10]))
    return tuple((what, value) for what, value in badges if value)


def _product(inputs: str) -> tuple[str, str]:
    """What is measured, and on which data: some implementations take another way on others."""
    return say("Product"), say("C = A·B, float32, N×N, {inputs} inputs", inputs=recorded(inputs))


def _badges(contest: Contest) -> tuple[tuple[str, str], ...]:
    """Host, card, scope, cache, date of what the answer rests on."""
    run = contest.run
    cpu = machine_name(run, gpu=False)
    host = say(", ").join(filter(None, (cpu, processors_text(run), short_host(contest.host))))
    badges = [_product(contest.cases[0].distribution), (say("Host"), host),
              (say("Card"), machine_name(run, cpu=False)), (say("Scope"), _scopes(contest)),
              (say("Cache"), joined(sorted({recorded(case.cache) for case in contest.cases}))),
              (say("Load"), load_text([case for case in contest.cases if way_of(case)])),
              (say("Date"), dates([run])[:10])]
    return tuple((what, value) for what, value in badges if value)


def _scopes(contest: Contest) -> str:
    """"kernel and end to end (pinned, pageable)": of the numbers beside it."""
    there = {way_of(case) for case in contest.cases if case.device == "gpu"}
    memory = [say(way) for way in END_TO_END if way in there]
    moved = [say("end to end ({memory})", memory=say(", ").join(memory))] if memory else []
    return joined([way_text(way) for way in (KERNEL,) if way in there] + moved)


def _restless(cases: Iterable[Case]) -> tuple[str, ...]:
    """That other work disturbed most of an experiment that the answer rests on, and how to measure
    it again."""
    names = {case.experiment: None for case in cases if case.restless}
    return tuple(say("Other work ran on the same cores for most of it: {command} --fresh measures "
                     "again.", command=f"./gemmlab run {name}") for name in list(names)[:1])


def _missing(contest: Contest) -> tuple[str, ...]:
    """What the records lack for a whole answer."""
    ways = {way_of(case) for case in contest.cases if case.device == "gpu"}
    lacks = [say("times with transfers")] if ways <= {KERNEL} else []
    lacks += [] if any(case.energy_j_per_call for case in contest.cases) else [say("energy")]
    text = say("Not measured beside the CPU in {experiment}: {what}. Run {command}.",
               what=joined(lacks), experiment=contest.experiment, command=COMMAND)
    return (*_restless(contest.cases), *([text] if lacks else []))
