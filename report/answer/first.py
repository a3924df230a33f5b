"""The answer of a folder of records, put together."""

from __future__ import annotations

from ..facts import dates
from ..language import say
from ..numbers import ratio_text, shape_text
from ..records import Experiment, Results
from ..view import View, machine_name, specs, views
from .model import Answer, Number
from .points import KERNEL, PAGEABLE, PINNED, Contest, Match, contest_of, largest

MEASURE = "./gemmlab run cpu_vs_gpu"


def answer_of(results: Results, reference: Results | None) -> Answer:
    """The answer of `results`; where they have no number of a GPU, with that of the `reference` machine's, marked as such.
    Works for any records, and says what they lack."""
    own, theirs = contest_of(results), contest_of(reference)
    contest = own or theirs
    figures = _figures(results, reference)
    if contest is None:
        return Answer(say("These records hold no CPU and GPU points of one host at the same shape: run {command}", command=MEASURE),
                      figures=figures, machine=machine_name(results.runs[-1]) if results.runs else "")
    return _answer(contest, own is None, figures)


def _answer(contest: Contest, reference: bool, figures: tuple[tuple[View, str], ...]) -> Answer:
    shape = largest(contest.shapes)
    matches = {way: match for way in (KERNEL, PINNED, PAGEABLE) if (match := contest.best(shape, way))}
    numbers = tuple(_number(contest, way, match) for way, match in matches.items())
    match = matches[KERNEL]
    sentence = say("At {shape} the GPU's best kernel is {times} times as fast as the CPU's best, {cpu}",
                   shape=shape_text(*shape), times=ratio_text(match.ratio.value), cpu=match.cpu.name)
    run = contest.run
    badges = ((say("Host"), contest.host), (say("Card"), machine_name(run, cpu=False)), (say("Scope"), say("kernel")),
              (say("Cache"), match.gpu.cache), (say("Date"), dates([run])))
    return Answer(sentence, numbers, badges, figures, (sentence,), ((say("How much faster is the GPU at {shape}?", shape=shape_text(*shape)),
                  sentence, contest.experiment.name),), machine_name(run), reference)


def _number(contest: Contest, way: str, match: Match) -> Number:
    ratio = match.ratio
    return Number(f"{ratio_text(ratio.value)}×", say("GPU over CPU at {shape}, {way}", shape=shape_text(*match.shape), way=way),
                  ratio_text(ratio.value, ratio.low, ratio.high), contest.experiment.name)


def _figures(results: Results, reference: Results | None) -> tuple[tuple[View, str], ...]:
    """A ladder at one size, until the figure of GPU over CPU is there."""
    for name in ("gpu_ladder", "quick"):
        own, theirs = _named(results, name), _named(reference, name)
        for experiment, other in ((own, theirs), (theirs, None)):
            for spec in specs(experiment, "figures") if experiment else ():
                if spec["kind"] == "ladder_bars" and (made := views(experiment, spec, other)):
                    return ((made[0], "answer-ladder"),)
    return ()


def _named(results: Results | None, name: str) -> Experiment | None:
    return next((one for one in (results.experiments if results else ()) if one.name == name), None)
