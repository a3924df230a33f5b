"""What a machine without a GPU can answer by itself: the CPU's best over plain loops, and what
threads gain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from analysis.answer.model import Number
from analysis.answer.names import cores_of, faster, name, rounded, times, with_remark
from analysis.answer.pairs import ALL, ONE, SERIAL, named_ones, on_cores
from analysis.answer.points import usable
from language import say
from records.cases.case import Case
from records.cases.ceilings import with_best_ceilings
from records.cases.experiment import Results
from records.cases.phrases import pairing, unsound
from records.cases.ratios import Ratio, speedup
from records.cases.series import Shape
from records.names.numbers import percent, plain
from records.schema.operations import is_square, shape_text, volume

Regime = tuple[str, str, str, str]  # experiment, host, cache, inputs
Place = tuple[str, str, str, str, str]  # and the group, whose points shared their rounds
FIRST = ("cpu_vs_gpu", "quick", "cpu_ladder", "cpu_peers", "thread_scaling")


@dataclass(frozen=True)
class Gain:
    """Two points at one shape, and how many times as fast the second is."""

    base: Case
    best: Case

    @cached_property
    def ratio(self) -> Ratio:
        return speedup(self.base, self.best)

    @property
    def limits(self) -> str:
        """"not resolved, threads not bound to cores"; empty where nothing limits the ratio."""
        return say(", ").join(filter(None, (say("not resolved") if self.ratio.undecided else "",
                                            unsound(self.base, self.best))))

    @property
    def told(self) -> str:
        """The same, and that the two are not paired."""
        return say(", ").join(filter(None, (self.limits, pairing(self.ratio))))


def most_threads(by_shape: dict[Shape, list[Case]]) -> int:
    """Of the points that did not share cores."""
    return max((case.threads for cases in by_shape.values() for case in cases
                if not case.crowded), default=0)


@dataclass(frozen=True, eq=False)
class CpuAnswer:
    """The CPU's part of a folder of records: of points that may be shown and that other work did
    not disturb."""

    results: Results

    @cached_property
    def by_place(self) -> dict[Place, dict[Shape, list[Case]]]:
        """Points by where they may be compared and by shape, fastest first; the experiments in the
        order of FIRST, of one the groups on most cores first."""
        found: dict[Place, dict[Shape, list[Case]]] = defaultdict(lambda: defaultdict(list))
        for experiment in self.results.experiments:
            for case in experiment.cases:
                if case.device == "cpu" and case.precision == "fp32" and usable(case):
                    found[experiment.name, case.host, case.cache, case.distribution,
                          case.group][case.shape].append(case)
        for by_shape in found.values():
            for cases in by_shape.values():
                cases.sort(key=lambda case: (case.median_s, case.case_id))
        order = sorted(found, key=lambda key: (FIRST.index(key[0]) if key[0] in FIRST
                                               else len(FIRST), key[:4], -most_threads(found[key])))
        return {key: found[key] for key in order}

    @cached_property
    def by_regime(self) -> dict[Regime, dict[Shape, list[Case]]]:
        """The same over all groups of an experiment."""
        found: dict[Regime, dict[Shape, list[Case]]] = defaultdict(lambda: defaultdict(list))
        for (*regime, _), by_shape in self.by_place.items():
            for shape, cases in by_shape.items():
                at = found[tuple(regime)][shape]  # type: ignore[index]
                at[:] = sorted([*at, *cases], key=lambda case: (case.median_s, case.case_id))
        return found

    def run_of(self, experiment: str, host: str) -> dict[str, Any]:
        """The run that measured there, with the best ceilings of that host."""
        runs = [run for one in self.results.experiments if one.name == experiment
                for run in one.runs]
        return with_best_ceilings(runs, host)

    @cached_property
    def over_plain(self) -> Gain | None:
        """The fastest point against plain loops on one core, at the largest square that has both,
        of the first experiment that has."""
        return _first_sound(
            Gain(_beside(plain, by_shape[shape][0]), by_shape[shape][0])
            for by_shape in self.by_regime.values() for shape in _largest_first(by_shape)
            if (plain := on_cores(named_ones(by_shape[shape], SERIAL.cpu), ONE, 0))
            and by_shape[shape][0] not in plain)

    @cached_property
    def threads(self) -> Gain | None:
        """One implementation on one core against itself on all, at the largest square that has
        both: the fastest there. First where `over_plain` looks."""
        cores = {run.get("run_id"): int((run.get("host") or {}).get("cores") or 0)
                 for run in self.results.runs}
        told = self.over_plain

        def gains() -> Iterator[Gain]:
            for by_shape in self.by_regime.values():
                for shape in sorted(_largest_first(by_shape),
                                    key=lambda shape: not told or shape != told.best.shape):
                    cases = by_shape[shape]
                    for best in on_cores(cases, ALL, cores.get(cases[0].run_id, 0)):
                        alone = [case for case in cases if case.threads == 1
                                 and _alike(case, best)]
                        if alone:
                            yield Gain(_beside(alone, best), best)

        return _first_sound(gains())

    @cached_property
    def fastest(self) -> Case | None:
        """The best of all that its host was measured to reach, at the largest square of the first
        experiment that has several implementations there."""
        for (_, *conditions), by_shape in self.by_regime.items():
            for shape in _largest_first(by_shape):
                if len({case.implementation for case in by_shape[shape]}) > 1:
                    return min((case for (_, *others), at in self.by_regime.items()
                                if others == conditions for case in at.get(shape, ())),
                               key=lambda case: (case.above_ceiling, case.median_s, case.case_id))
        return None

    @property
    def best_text(self) -> str:
        """"at 2048 OpenBLAS on 8 cores reaches 412 GFLOP/s, 81 % of the measured peak; at 512 Eigen
        is 161 times as fast as three plain loops"; empty where it is not known."""
        case, gain = self.fastest, self.over_plain
        if case is None:
            return ""
        text = with_remark(say("at {shape} {name} on {cores} reaches {rate} GFLOP/s",
                               shape=shape_text(*case.shape), name=name(case),
                               cores=cores_of(case), rate=plain(case.rate, 0)), unsound(case))
        if share := _of_peak(case):
            text = say("{text}, {share} of the measured peak", text=text, share=share)
        if gain is None:
            return text
        compared = with_remark(faster(gain.ratio, say("three plain loops")), gain.told)
        if gain.best is case:
            return say("{text}, and is {compared}", text=text, compared=compared)
        own = say("at {shape} {name} is {compared}", shape=shape_text(*gain.best.shape),
                  name=name(gain.best), compared=compared)
        return say("; ").join((text, own))

    @property
    def threads_text(self) -> str:
        """"8 cores make OpenMP 7.4 times as fast as one", and at which size if that is another;
        empty where it is not known."""
        if (gain := self.threads) is None:
            return ""
        text = say("{cores} make {name} {times} times as fast as one", cores=cores_of(gain.best),
                   name=name(gain.best), times=rounded(gain.ratio.value))
        # whose size was told last
        before = self.over_plain.best if self.over_plain else self.fastest
        same = before is None or before.shape == gain.best.shape
        return with_remark(text if same else say("{text} at {shape}", text=text,
                                                 shape=shape_text(*gain.best.shape)), gain.told)

    @property
    def sentence(self) -> str:
        return say("; ").join(filter(None, (self.best_text, self.threads_text)))

    @property
    def numbers(self) -> list[Number]:
        """Rate and share of the peak, gain over plain loops, and gain by threads, for the first
        screen."""
        made = [self._rate(self.fastest)] if self.fastest else []
        for gain, label, anchor in (
                (self.over_plain, "this CPU's best over plain loops at {shape}", "steps-cpu"),
                (self.threads, "all cores over one at {shape}, this CPU", "threads")):
            if gain:
                who = say("{name} on {cores}", name=name(gain.best), cores=cores_of(gain.best))
                made.append(Number(f"{rounded(gain.ratio.value)}×",
                                   say(label, shape=shape_text(*gain.best.shape)),
                                   say("; ").join(filter(None, (times(gain.ratio), who,
                                                                gain.told))), anchor))
        return made

    def _rate(self, case: Case) -> Number:
        share = _of_peak(case)
        who = say("{name} on {cores}", name=name(case), cores=cores_of(case))
        return Number(say("{rate} GFLOP/s", rate=plain(case.rate, 0)),
                      say("this CPU's best at {shape}", shape=shape_text(*case.shape)),
                      say("; ").join(filter(None,
                                            (who, share and say("{share} of the measured peak",
                                                                share=share), unsound(case)))),
                      "gflops")


def _of_peak(case: Case) -> str:
    """"81 %" of the measured FMA peak; empty where something else binds it, or the measurement is
    broken."""
    return (percent(case.of_ceiling) if case.of_ceiling and case.bound_by == "compute"
            and not case.above_own_ceiling else "")


def _largest_first(by_shape: dict[Shape, list[Case]]) -> list[Shape]:
    return sorted(by_shape, key=lambda shape: (is_square(shape), volume(shape)), reverse=True)


def _beside(cases: list[Case], best: Case) -> Case:
    """The first of the group of `best`, whose rounds they shared, else the first."""
    return next((case for case in cases if case.group == best.group), cases[0])


def _first_sound(gains: Iterable[Gain]) -> Gain | None:
    """The first that is resolved and rests on sound points; where none is, the first."""
    first = None
    for gain in gains:
        if not gain.limits:
            return gain
        first = first or gain
    return first


def _alike(one: Case, other: Case) -> bool:
    """The same but for the number of threads?"""
    return (one.implementation == other.implementation
            and {**one.parameters, "threads": 0} == {**other.parameters, "threads": 0})
