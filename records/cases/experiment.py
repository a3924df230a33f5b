"""What one folder of records says: its experiments, each with its runs, cases and counters."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from .case import Case

ALIKE = 4.0  # times as long
LEAST_ALIKE = 3  # pairs


class AAPair(NamedTuple):
    """The same code timed twice: its time, and how far the two came apart (records/noise.py)."""

    seconds: float
    apart: float  # |median ratio − 1|: 0.004 for 0.4 %
    beyond: float  # how far the ratio's 99 % interval keeps from 1


@dataclass(frozen=True)
class Noise:
    """The A/A pairs of one experiment on one device of one host, and the floors that they make."""

    pairs: tuple[AAPair, ...]

    def of(self, seconds: float) -> float:
        """Of a call that takes so long: by the pairs that take up to ALIKE times as long or as
        short, by all where those are fewer than LEAST_ALIKE. What disturbs calls of microseconds
        says nothing of calls of seconds."""
        near = [pair for pair in self.pairs if seconds / ALIKE <= pair.seconds <= seconds * ALIKE]
        counted = near if len(near) >= LEAST_ALIKE else self.pairs
        return max(median(pair.apart for pair in counted), *(pair.beyond for pair in counted))

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the most of the pairs' own floors."""
        floors = [self.of(pair.seconds) for pair in self.pairs]
        return min(floors), max(floors)

    @property
    def most(self) -> float:
        """How far a single pair came apart, which may be more."""
        return max(pair.apart for pair in self.pairs)


@dataclass(frozen=True)
class Stale:
    """What of one experiment is no longer as today's tree has it (stale.py)."""

    changed: tuple[str, ...] = ()  # of its definition: "tables"
    # shown points that the tree would measure again; None where no program tells
    again: int | None = None
    points: int = 0  # shown points of which that is known
    unknown: int = 0  # and those of which it is not
    implementations: tuple[str, ...] = ()  # of the points that it would measure again
    measuring: bool = False  # may it be what measures that changed, and not their own sources?


@dataclass
class Experiment:
    """All that the files say of one experiment: its runs (in order) and of each case one host's
    last record."""

    name: str
    source: Path
    runs: list[dict[str, Any]] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)
    # A/A twins: they yield the noise floor and are nobody's points
    twins: list[Case] = field(default_factory=list)
    # `cost` records, one a run, in the order of the runs
    costs: list[dict[str, Any]] = field(default_factory=list)
    # `counters` records by case_id
    counters: dict[str, dict[str, Any]] = field(default_factory=dict)
    # those of every experiment read with it, of points that are shown
    counted: tuple[dict[str, Any], ...] = ()
    # the points that are shown, of every experiment and host read with it
    everywhere: tuple[Case, ...] = ()
    # by (host, device); none where no twin was measured
    noise: dict[tuple[str, str], Noise] = field(default_factory=dict)
    # how many twins no floor is formed of, by why
    no_pairs: Counter[str] = field(default_factory=Counter)
    # records of these cases from other hosts, one per host
    elsewhere: list[Case] = field(default_factory=list)
    stale: Stale | None = None  # where today's tree has it, once judged

    @property
    def definition(self) -> dict[str, Any]:
        """The latest definition; where no run line survives, tables and figures that suit any
        sweep."""
        for run in reversed(self.runs):
            if isinstance(run.get("definition"), dict):
                return run["definition"]
        return {"name": self.name, "title": self.name,
                "tables": [{"kind": "time"}, {"kind": "gflops"}],
                "figures": [{"kind": "gflops_vs_size"}]}

    @property
    def run(self) -> dict[str, Any]:
        """The latest run; empty where no run line survives."""
        return self.runs[-1] if self.runs else {}


@dataclass
class Results:
    """The experiments of one folder of records, and what was odd while reading them."""

    folder: Path
    experiments: list[Experiment]
    warnings: list[str]

    @property
    def runs(self) -> list[dict[str, Any]]:
        """Every run of every experiment, oldest first, each once."""
        unique = {run.get("run_id"): run for run in self.runs_by_experiment}
        return sorted(unique.values(), key=_started)

    @property
    def runs_by_experiment(self) -> list[dict[str, Any]]:
        """The same, one that measured several experiments once for each of them: its line differs
        by the experiment that it names."""
        return sorted((run for experiment in self.experiments for run in experiment.runs),
                      key=_started)


def _started(run: dict[str, Any]) -> tuple[str, str]:
    return str(run.get("started_utc", "")), str(run.get("run_id"))
