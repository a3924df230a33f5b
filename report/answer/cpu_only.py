"""What a machine without a GPU can answer by itself: the CPU's best over plain loops, and what threads gain."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from ..case import Case
from ..language import say
from ..numbers import counted, shape_text
from ..ratios import Ratio, speedup
from ..experiment import Results
from ..series import Shape
from .model import Number
from .pairs import ALL, ONE, SERIAL, named_ones, on_cores
from .points import usable
from .words import faster, name, rounded, threads_of, times

Place = tuple[str, str, str, str]  # experiment, host, cache, inputs
_FIRST = ("cpu_vs_gpu", "quick", "cpu_ladder", "cpu_peers", "thread_scaling")


@dataclass(frozen=True)
class Gain:
    """Two points at one shape, and how many times as fast the second is."""

    base: Case
    best: Case

    @cached_property
    def ratio(self) -> Ratio:
        return speedup(self.base, self.best)


def _by_place(results: Results) -> dict[Place, dict[Shape, list[Case]]]:
    found: dict[Place, dict[Shape, list[Case]]] = defaultdict(lambda: defaultdict(list))
    for experiment in results.experiments:
        for case in experiment.cases:
            if case.device == "cpu" and case.precision == "fp32" and usable(case):
                found[experiment.name, case.host, case.cache, case.distribution][case.shape].append(case)
    order = sorted(found, key=lambda key: (_FIRST.index(key[0]) if key[0] in _FIRST else len(_FIRST), key))
    return {key: found[key] for key in order}


def _largest_first(by_shape: dict[Shape, list[Case]]) -> list[Shape]:
    return sorted(by_shape, key=lambda shape: (len(set(shape)) == 1, shape[0] * shape[1] * shape[2]), reverse=True)


def best_over_plain(results: Results) -> Gain | None:
    """The fastest CPU point against plain loops on one core, at the largest square that has both, of the first experiment that
    has."""
    for by_shape in _by_place(results).values():
        for shape in _largest_first(by_shape):
            ordered = sorted(by_shape[shape], key=lambda case: (case.median_s, case.case_id))
            plain = on_cores(named_ones(ordered, SERIAL.cpu), ONE, 0)
            if plain and ordered[0] is not plain[0]:
                return Gain(plain[0], ordered[0])
    return None


def threads_gain(results: Results) -> Gain | None:
    """One implementation on one core against itself on all, at the largest square that has both: the fastest there. First where
    best_over_plain() looks."""
    cores = {run.get("run_id"): int((run.get("host") or {}).get("cores") or 0) for run in results.runs}
    told = best_over_plain(results)
    for by_shape in _by_place(results).values():
        for shape in sorted(_largest_first(by_shape), key=lambda shape: not told or shape != told.best.shape):
            cases = sorted(by_shape[shape], key=lambda case: (case.median_s, case.case_id))
            for best in on_cores(cases, ALL, cores.get(cases[0].run_id, 0)):
                alone = [case for case in cases if case.threads == 1 and _alike(case, best)]
                if alone:
                    return Gain(alone[0], best)
    return None


def _alike(one: Case, other: Case) -> bool:
    """The same but for the number of threads?"""
    return one.implementation == other.implementation and {**one.parameters, "threads": 0} == {**other.parameters, "threads": 0}


def sentence(results: Results) -> str:
    """"at 512 this machine's CPU is 55 times as fast with OpenBLAS on 8 cores as …"; empty where nothing is known."""
    gain, threads = best_over_plain(results), threads_gain(results)
    told = [_threads(threads)] if threads else []
    if gain is None:
        return "".join(told)
    text = say("at {shape} this CPU's best, {name} on {cores}, is {compared}", shape=shape_text(*gain.best.shape), name=name(gain.best),
               cores=counted(threads_of(gain.best), "core"), compared=faster(gain.ratio, say("three plain loops")))
    return say("number.semicolon").join([text, *told])


def _threads(gain: Gain) -> str:
    return say("{cores} make this CPU's {name} {times} times as fast as one", cores=counted(threads_of(gain.best), "core"),
               name=name(gain.best), times=rounded(gain.ratio.value))


def numbers(results: Results) -> list[Number]:
    """The same two as numbers of the first screen."""
    made = []
    for gain, label in ((best_over_plain(results), "this CPU's best over plain loops at {shape}"),
                         (threads_gain(results), "all cores over one at {shape}, this CPU")):
        if gain:
            who = say("{name} on {cores}", name=name(gain.best), cores=counted(threads_of(gain.best), "core"))
            made.append(Number(f"{rounded(gain.ratio.value)}×", say(label, shape=shape_text(*gain.best.shape)),
                               say("number.semicolon").join((times(gain.ratio), who)), gain.best.experiment))
    return made
