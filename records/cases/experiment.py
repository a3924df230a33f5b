"""What one folder of records says: its experiments, each with its runs, cases and counters."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .case import Case


@dataclass(frozen=True)
class Noise:
    """The A/A noise floor of one experiment on one device of one host (records/noise.py); `most`:
    how far a single pair came apart, which may be more."""

    pairs: int
    value: float  # 0.004: within 0.4 %
    most: float = 0.0


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
