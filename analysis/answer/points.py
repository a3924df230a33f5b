"""The points that CPU and GPU are compared by: of one experiment, one host, one state of the cache
and one kind of inputs.

Only points with a certified number count, and none that other work disturbed where most were left
in peace. A GPU's time is that of the kernel, of the call, or end to end with host memory pinned or
pageable; a CPU has no such choice: its call is all there is, and stands against each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from records.cases.case import Case
from records.cases.ceilings import with_best_ceilings
from records.cases.experiment import Results
from records.cases.ratios import Ratio, speedup
from records.cases.series import Shape
from records.schema.operations import GEMM, by_volume
from records.view import View

KERNEL, CALL, PINNED, PAGEABLE = "kernel", "call", "pinned", "pageable"
WAYS = (KERNEL, CALL, PINNED, PAGEABLE)  # of timing a GPU
END_TO_END = (PINNED, PAGEABLE)
COMPARED = ("cpu", "gpu")
# where several experiments of a folder can answer
PREFERRED = ("cpu_vs_gpu", "quick", "published_lab")


def way_of(case: Case) -> str:
    """Which of WAYS a point was timed in; empty for a first call, where memory was allocated in the
    timed part, and under a sustained load: what is compared here are bursts."""
    if case.load or case.allocation not in (None, "", "not counted"):
        return ""
    if case.scope == "end-to-end":
        return case.host_memory if case.host_memory in END_TO_END else ""
    return case.scope if case.scope in WAYS else ""


def usable(case: Case) -> bool:
    """May it decide who wins? Certified, no copy, on one card, not disturbed, unless most points
    beside it were."""
    return (case.operation == GEMM and case.shown and not case.copy
            and (case.restless or not case.disturbed) and bool(way_of(case))
            and case.device in COMPARED and case.cards == 1)


@dataclass(frozen=True)
class Match:
    """A CPU point, a GPU point at the same shape, and how many times as fast the GPU is."""

    cpu: Case
    gpu: Case

    @cached_property
    def ratio(self) -> Ratio:
        return speedup(self.cpu, self.gpu)

    @property
    def shape(self) -> Shape:
        return self.gpu.shape

    @property
    def won(self) -> bool:
        """Is the GPU confirmed to be faster? A tie does not count as a win."""
        return self.ratio.value > 1 and not self.ratio.tie


@dataclass(frozen=True)
class Contest:
    """What one experiment measured on one host with one state of the cache and one kind of
    inputs."""

    experiment: str
    host: str
    cases: tuple[Case, ...]
    run: dict[str, Any]
    disturbed: int = 0  # points that other work disturbed, and that are left out
    beside: tuple[Case, ...] = ()  # the points of the whole folder, of every host

    @cached_property
    def at(self) -> dict[Shape, list[Case]]:
        """The points of each shape: those of one group, whose rounds were shared, where a group has
        both devices."""
        found: dict[Shape, dict[str, list[Case]]] = defaultdict(lambda: defaultdict(list))
        for case in self.cases:
            found[case.shape][case.group].append(case)
        made = {}
        for shape in sorted(found, key=by_volume):
            groups = found[shape]
            both = [cases for _, cases in sorted(groups.items()) if _of_both(cases)]
            made[shape] = (max(both, key=len) if both
                           else [case for _, cases in sorted(groups.items()) for case in cases])
        return made

    @cached_property
    def shapes(self) -> list[Shape]:
        """Those at which both devices have a number, smallest work first."""
        return [shape for shape, cases in self.at.items() if _of_both(cases)]

    @cached_property
    def beside_at(self) -> dict[tuple[str, Shape], list[Case]]:
        """The usable points beside it, by device and shape."""
        found: dict[tuple[str, Shape], list[Case]] = defaultdict(list)
        for case in self.beside:
            if usable(case):
                found[case.device, case.shape].append(case)
        return found

    @property
    def cores(self) -> int:
        """Of the host; 0 where its run does not say."""
        return int((self.run.get("host") or {}).get("cores") or 0)

    @cached_property
    def _ranked(self) -> dict[tuple, list[Case]]:
        """(shape, device, way, precision) -> points, fastest first. A CPU's have one way."""
        found: dict[tuple, list[Case]] = defaultdict(list)
        for shape, cases in self.at.items():
            for case in cases:
                found[shape, case.device, KERNEL if case.device == "cpu" else way_of(case),
                      case.precision].append(case)
        return {key: sorted(cases, key=lambda case: (case.median_s, case.case_id))
                for key, cases in found.items()}

    def of(self, shape: Shape, device: str, way: str = KERNEL,
           precision: str = "fp32") -> list[Case]:
        """The points of a device at a shape, fastest first, to be left as they are. A CPU's are the
        same for every way."""
        return self._ranked.get((shape, device, KERNEL if device == "cpu" else way, precision), [])


def _of_both(cases: Iterable[Case]) -> bool:
    return len({case.device for case in cases}) == len(COMPARED)


def _contests(experiment: str, cases: Iterable[Case], run_of: Any,
              beside: tuple[Case, ...]) -> list[Contest]:
    """One for each host, cache and inputs under which both devices have a number at some shape; the
    largest first."""
    found: dict[tuple[str, str, str], list[Case]] = defaultdict(list)
    disturbed: dict[tuple[str, str, str], int] = defaultdict(int)
    for case in cases:
        place = case.host, case.cache, case.distribution
        if usable(case):
            found[place].append(case)
        elif case.shown and case.disturbed and not case.copy:
            disturbed[place] += 1
    made = [Contest(experiment, place[0], tuple(found[place]), run_of(place[0]), disturbed[place],
                    beside) for place in sorted(found)]
    return sorted((one for one in made if one.shapes), key=lambda one: -len(one.cases))


def contest_in(view: View) -> Contest | None:
    """That of a table's or figure's points; None where the two devices share no shape among
    them."""
    return next(iter(_contests(view.experiment, view.cases, lambda _: view.run, view.everywhere)),
                None)


def contest_of(results: Results | None) -> Contest | None:
    """The one that answers for a folder of records: of the experiments with both devices the one
    made for it, unless it has one kind of CPU code only, so that there is no best to choose; None
    where no experiment has both."""
    every = [one for experiment in (results.experiments if results else ()) for one in _contests(
        experiment.name, experiment.cases, lambda host: with_best_ceilings(experiment.runs, host),
        experiment.everywhere)]
    return min(every, key=_rank, default=None)


def _rank(one: Contest) -> tuple:
    kinds = len({case.implementation for case in one.cases if case.device == "cpu"})
    place = PREFERRED.index(one.experiment) if one.experiment in PREFERRED else len(PREFERRED)
    return kinds < 2, place, -kinds, one.experiment
