"""The points that CPU and GPU are compared by: of one experiment, one host, one state of the cache and one kind of inputs.

Only points with a certified number count, and none that other work disturbed. A GPU's time is that of the kernel, of the call, or
end to end with host memory pinned or pageable; a CPU has no such choice: its call is all there is, and stands against each.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Iterable

from ..case import Case
from ..ceilings import with_best_ceilings
from ..ratios import Ratio, speedup
from ..records import Experiment, Results
from ..series import Shape

KERNEL, CALL, PINNED, PAGEABLE = "kernel", "call", "pinned", "pageable"
WAYS = (KERNEL, CALL, PINNED, PAGEABLE)  # of timing a GPU
END_TO_END = (PINNED, PAGEABLE)
PREFERRED = ("cpu_vs_gpu", "quick", "published_lab")  # where several experiments of a folder can answer


def way_of(case: Case) -> str:
    """Which of WAYS a point was timed in; empty for a first call, and where memory was allocated in the timed part."""
    if case.allocation not in (None, "", "not counted"):
        return ""
    if case.scope == "end-to-end":
        return case.host_memory if case.host_memory in END_TO_END else ""
    return case.scope if case.scope in WAYS else ""


def usable(case: Case) -> bool:
    """May it decide who wins? Certified, no copy, not disturbed."""
    return case.shown and not case.copy and not case.disturbed and bool(way_of(case)) and case.device in ("cpu", "gpu")


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


@dataclass(frozen=True)
class Contest:
    """What one experiment measured on one host with one state of the cache and one kind of inputs."""

    experiment: Experiment
    host: str
    cases: tuple[Case, ...]
    run: dict[str, Any]

    @cached_property
    def at(self) -> dict[Shape, list[Case]]:
        """The points of each shape: those of one group, whose rounds were shared, where a group has both devices."""
        found: dict[Shape, dict[str, list[Case]]] = defaultdict(lambda: defaultdict(list))
        for case in self.cases:
            found[case.shape][case.group].append(case)
        made = {}
        for shape in sorted(found, key=lambda one: (math.prod(one), one)):
            both = [cases for cases in found[shape].values() if len({case.device for case in cases}) == 2]
            made[shape] = max(both, key=len) if both else [case for cases in found[shape].values() for case in cases]
        return made

    @cached_property
    def shapes(self) -> list[Shape]:
        """Those at which both devices have a number, smallest work first."""
        return [shape for shape, cases in self.at.items() if len({case.device for case in cases}) == 2]

    @cached_property
    def squares(self) -> list[int]:
        return [m for m, n, k in self.shapes if m == n == k]

    def of(self, shape: Shape, device: str, way: str = KERNEL, precision: str = "fp32") -> list[Case]:
        """The points of a device at a shape, fastest first. A CPU's are the same for every way."""
        return sorted((case for case in self.at.get(shape, ()) if case.device == device and case.precision == precision
                       and (device == "cpu" or way_of(case) == way)), key=lambda case: (case.median_s, case.case_id))

    def best(self, shape: Shape, way: str = KERNEL, precision: str = "fp32") -> Match | None:
        """The fastest FP32 point of the CPU against the GPU's fastest of that precision; None where one side has none."""
        cpu, gpu = self.of(shape, "cpu"), self.of(shape, "gpu", way, precision)
        return Match(cpu[0], gpu[0]) if cpu and gpu else None


def contests_of(experiment: Experiment) -> list[Contest]:
    """One for each host, cache and inputs of an experiment under which both devices have a number at some shape; the one with
    most points first."""
    found: dict[tuple[str, str, str], list[Case]] = defaultdict(list)
    for case in experiment.cases:
        if usable(case):
            found[case.host, case.cache, case.distribution].append(case)
    made = [Contest(experiment, host, tuple(cases), with_best_ceilings(experiment.runs, host))
            for (host, _, _), cases in found.items()]
    return sorted((one for one in made if one.shapes), key=lambda one: (-len(one.cases), one.host))


def contest_of(results: Results | None) -> Contest | None:
    """The one that answers for a folder of records: of the experiments that compare the devices the one made for it, unless
    another has more kinds of CPU code to choose the best from; None where no experiment has both devices."""
    every = [one for experiment in (results.experiments if results else ()) for one in contests_of(experiment)]
    return min(every, key=_rank, default=None)


def _rank(one: Contest) -> tuple:
    name = one.experiment.name
    kinds = len({case.implementation for case in one.cases if case.device == "cpu"})
    return kinds < 2, PREFERRED.index(name) if name in PREFERRED else len(PREFERRED), -kinds, name


def largest(shapes: Iterable[Shape]) -> Shape | None:
    """The largest square; the largest shape where there is none."""
    known = list(shapes)
    return max(known, key=lambda one: (len(set(one)) == 1, math.prod(one), one), default=None)
