"""What a machine without a GPU can answer by itself: the CPU's best over plain loops, and what threads gain."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from ..case import Case
from ..experiment import Results
from ..language import say
from ..operations import shape_text, volume
from ..ratios import Ratio, speedup
from ..series import Shape
from ..tables import ended
from .model import Number
from .pairs import ALL, ONE, SERIAL, named_ones, on_cores
from .points import usable
from .words import capital, cores_of, faster, name, rounded, times

Place = tuple[str, str, str, str]  # experiment, host, cache, inputs
FIRST = ("cpu_vs_gpu", "quick", "cpu_ladder", "cpu_peers", "thread_scaling")


@dataclass(frozen=True)
class Gain:
    """Two points at one shape, and how many times as fast the second is."""

    base: Case
    best: Case

    @cached_property
    def ratio(self) -> Ratio:
        return speedup(self.base, self.best)


@dataclass(frozen=True, eq=False)
class CpuAnswer:
    """The CPU's part of a folder of records: of points that may be shown and that other work did not disturb."""

    results: Results

    @cached_property
    def _by_place(self) -> dict[Place, dict[Shape, list[Case]]]:
        """Points by where they may be compared and by shape, fastest first; the experiments in the order of FIRST."""
        found: dict[Place, dict[Shape, list[Case]]] = defaultdict(lambda: defaultdict(list))
        for experiment in self.results.experiments:
            for case in experiment.cases:
                if case.device == "cpu" and case.precision == "fp32" and usable(case):
                    found[experiment.name, case.host, case.cache, case.distribution][case.shape].append(case)
        for by_shape in found.values():
            for cases in by_shape.values():
                cases.sort(key=lambda case: (case.median_s, case.case_id))
        order = sorted(found, key=lambda key: (FIRST.index(key[0]) if key[0] in FIRST else len(FIRST), key))
        return {key: found[key] for key in order}

    @cached_property
    def over_plain(self) -> Gain | None:
        """The fastest point against plain loops on one core, at the largest square that has both, of the first experiment that has."""
        for by_shape in self._by_place.values():
            for shape in _largest_first(by_shape):
                best = by_shape[shape][0]
                plain = on_cores(named_ones(by_shape[shape], SERIAL.cpu), ONE, 0)
                if plain and best is not plain[0]:
                    return Gain(plain[0], best)
        return None

    @cached_property
    def threads(self) -> Gain | None:
        """One implementation on one core against itself on all, at the largest square that has both: the fastest there. First where
        `over_plain` looks."""
        cores = {run.get("run_id"): int((run.get("host") or {}).get("cores") or 0) for run in self.results.runs}
        told = self.over_plain
        for by_shape in self._by_place.values():
            for shape in sorted(_largest_first(by_shape), key=lambda shape: not told or shape != told.best.shape):
                cases = by_shape[shape]
                for best in on_cores(cases, ALL, cores.get(cases[0].run_id, 0)):
                    alone = [case for case in cases if case.threads == 1 and _alike(case, best)]
                    if alone:
                        return Gain(alone[0], best)
        return None

    @property
    def best_text(self) -> str:
        """"at 512 this CPU's best, OpenBLAS on 8 cores, is 161 times as fast as three plain loops"; empty where it is not known."""
        gain = self.over_plain
        return say("at {shape} this CPU's best, {name} on {cores}, is {compared}", shape=shape_text(*gain.best.shape), name=name(gain.best),
                   cores=cores_of(gain.best), compared=faster(gain.ratio, say("three plain loops"))) if gain else ""

    @property
    def threads_text(self) -> str:
        """"8 cores make this CPU's OpenMP 7.4 times as fast as one"; empty where it is not known."""
        gain = self.threads
        return say("{cores} make this CPU's {name} {times} times as fast as one", cores=cores_of(gain.best), name=name(gain.best),
                   times=rounded(gain.ratio.value)) if gain else ""

    @property
    def sentence(self) -> str:
        return say("number.semicolon").join(filter(None, (self.best_text, self.threads_text)))

    @property
    def numbers(self) -> list[Number]:
        """The same two for the first screen."""
        made = []
        for gain, label in ((self.over_plain, "this CPU's best over plain loops at {shape}"),
                            (self.threads, "all cores over one at {shape}, this CPU")):
            if gain:
                who = say("{name} on {cores}", name=name(gain.best), cores=cores_of(gain.best))
                made.append(Number(f"{rounded(gain.ratio.value)}×", say(label, shape=shape_text(*gain.best.shape)),
                                   say("number.semicolon").join((times(gain.ratio), who)), gain.best.experiment))
        return made

    @property
    def questions(self) -> list[tuple[str, str, str]]:
        """What a reader asks of a CPU alone."""
        asked = ((say("What is the best on this CPU?"), self.best_text, self.over_plain),
                 (say("What do more cores bring on this CPU?"), self.threads_text, self.threads))
        return [(question, ended(capital(text)), gain.best.experiment) for question, text, gain in asked if gain]


def _largest_first(by_shape: dict[Shape, list[Case]]) -> list[Shape]:
    return sorted(by_shape, key=lambda shape: (len(set(shape)) == 1, volume(shape)), reverse=True)


def _alike(one: Case, other: Case) -> bool:
    """The same but for the number of threads?"""
    return one.implementation == other.implementation and {**one.parameters, "threads": 0} == {**other.parameters, "threads": 0}
