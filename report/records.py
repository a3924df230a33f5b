"""Results files (JSON Lines) as Python objects. Field names and meaning: data/README.md.

Times are seconds, rates GFLOP/s. The last record of a case_id counts; a line that cannot be read is skipped
with a warning that names file and line.
"""

from __future__ import annotations

import json
from array import array
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterable

SCHEMA = 1
MOST_LINE_WARNINGS = 5
NO_PLACE = 1_000_000  # after every label that the definition names


class InputError(Exception):
    """What was asked for cannot be read; the message is one line for the user."""


@dataclass(slots=True)
class Case:
    """One point as measured: an implementation with its parameters at one shape under one regime."""

    run_id: str
    case_id: str
    experiment: str
    implementation: str
    parameters: dict[str, Any]
    label: str
    m: int
    n: int
    k: int
    scope: str
    cache: str
    distribution: str
    group: str
    status: str
    reason: str
    precision: str
    verdicts: tuple[str, ...]
    samples_s: array
    rounds: array
    median_s: float | None
    ci95_s: tuple[float, float] | None
    gflop_per_s: float | None
    of_ceiling: float | None
    bound_by: str | None
    threads_actual: int
    warnings: tuple[str, ...]
    place: int = NO_PLACE  # of the label among the definition's lines

    @property
    def device(self) -> str:
        """"cpu" or "gpu"."""
        return self.implementation.split(".", 1)[0]

    @property
    def shape(self) -> tuple[int, int, int]:
        """(m, n, k)."""
        return self.m, self.n, self.k

    @property
    def shown(self) -> bool:
        """May its number appear? Only with status ok, a time, and a verdict that certifies it."""
        if self.status != "ok" or not self.verdicts or not self.median_s or not self.gflop_per_s:
            return False
        allowed = {"ok"} if self.precision == "fp32" else {"ok", "reduced-precision"}
        return set(self.verdicts) <= allowed

    @property
    def why_left_out(self) -> str:
        """The reason why its number is not shown; empty when it is."""
        if self.shown:
            return ""
        if self.status != "ok":
            return f"{self.status} – {self.reason}" if self.reason else self.status
        if not self.verdicts:
            return "no verdict: its result was never checked"
        if not self.median_s or not self.gflop_per_s:
            return "no time in the record"
        return f"not certified: verdict {', '.join(sorted(set(self.verdicts)))}"

    @property
    def gflop_ci95(self) -> tuple[float, float] | None:
        """The interval of GFLOP/s that belongs to ci95_s, low before high."""
        if self.ci95_s is None or not self.median_s or not self.gflop_per_s or min(self.ci95_s) <= 0:
            return None
        work = self.gflop_per_s * self.median_s
        return work / self.ci95_s[1], work / self.ci95_s[0]


@dataclass
class Experiment:
    """All that one results file says of one experiment: its runs (in order) and the last record of each case."""

    name: str
    source: Path
    runs: list[dict[str, Any]] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)

    @property
    def definition(self) -> dict[str, Any]:
        """The latest definition; where no run line survives, tables and figures that suit any sweep."""
        for run in reversed(self.runs):
            if isinstance(run.get("definition"), dict):
                return run["definition"]
        return {"name": self.name, "title": self.name, "tables": [{"kind": "time"}, {"kind": "gflops"}],
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
        unique = {run.get("run_id"): run for experiment in self.experiments for run in experiment.runs}
        return sorted(unique.values(), key=lambda run: (run.get("started_utc", ""), str(run.get("run_id"))))


def _case(line: dict[str, Any], seen: dict[str, str]) -> Case:
    """A case from its line; raises KeyError, TypeError or ValueError where a field is missing or of the wrong kind."""
    interval = [end for end in line.get("ci95_s") or () if end is not None]
    timed = [(turn, sample) for turn, sample in zip(line.get("rounds") or (), line.get("samples_s") or ())
             if sample is not None]
    shared = lambda text: seen.setdefault(text, text)  # noqa: E731 - a hundred thousand records share few strings
    return Case(
        run_id=shared(str(line["run_id"])), case_id=str(line["case_id"]), experiment=shared(str(line["experiment"])),
        implementation=shared(str(line["implementation"])), parameters=dict(line.get("parameters") or {}),
        label=shared(str(line.get("label") or line["implementation"])),
        m=int(line["m"]), n=int(line["n"]), k=int(line["k"]),
        scope=shared(line.get("scope") or "kernel"), cache=shared(line.get("cache") or "cold"),
        distribution=shared(line.get("distribution") or "uniform"), group=shared(line.get("group") or ""),
        status=shared(str(line["status"])), reason=shared(line.get("reason") or ""),
        precision=shared(line.get("precision") or "fp32"),
        verdicts=tuple(shared(str(check.get("verdict"))) for check in line.get("verify") or ()),
        samples_s=array("d", [sample for _, sample in timed]), rounds=array("q", [turn for turn, _ in timed]),
        median_s=line.get("median_s"), ci95_s=(float(interval[0]), float(interval[1])) if len(interval) == 2 else None,
        gflop_per_s=line.get("gflop_per_s"), of_ceiling=line.get("of_ceiling"), bound_by=line.get("bound_by"),
        threads_actual=int(line.get("threads_actual") or 0), warnings=tuple(map(str, line.get("warnings") or ())))


class _Reader:
    """Collects the experiments of one folder, line by line."""

    def __init__(self) -> None:
        self.experiments: dict[str, Experiment] = {}
        self.cases: dict[tuple[str, str, str], Case] = {}
        self.runs: dict[tuple[str, str], dict[str, Any]] = {}
        self.strings: dict[str, str] = {}
        self.warnings: list[str] = []
        self.empty: list[str] = []

    def take(self, line: dict[str, Any], path: Path) -> None:
        kind = line["kind"]
        if kind == "case":
            case = _case(line, self.strings)
            key = (case.experiment, case.group, case.case_id)
            self.cases.pop(key, None)
            self.cases[key] = case
        elif kind == "run":
            if int(line.get("schema", SCHEMA)) > SCHEMA:
                raise ValueError(f"schema {line['schema']} is newer than {SCHEMA}, which this version reads")
            name = str(line.get("experiment") or path.stem)
            self.runs[name, str(line["run_id"])] = line
            self._experiment(name, path)
        elif kind != "counters":
            raise ValueError(f"unknown kind {kind!r}")

    def _experiment(self, name: str, path: Path) -> Experiment:
        return self.experiments.setdefault(name, Experiment(name, path))

    def read(self, path: Path) -> None:
        """Reads one file; remembers it in `empty` where it has no record at all."""
        bad: list[str] = []
        before, runs = len(self.cases), len(self.runs)
        with path.open(encoding="utf-8", errors="replace") as lines:
            for number, text in enumerate(lines, 1):
                if not text.strip():
                    continue
                try:
                    self.take(json.loads(text), path)
                except (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError) as error:
                    bad.append(f"{path.name}, line {number}: skipped, not a whole record ({_what(error)})")
        self.warnings += bad[:MOST_LINE_WARNINGS]
        if len(bad) > MOST_LINE_WARNINGS:
            self.warnings.append(f"{path.name}: {len(bad) - MOST_LINE_WARNINGS} more lines skipped")
        if len(self.cases) == before and len(self.runs) == runs:
            self.empty.append(f"{path}: no record in it" + (f"; {bad[0]}" if bad else ""))

    def finish(self, path_of: dict[str, Path]) -> list[Experiment]:
        """Raises InputError where no file holds a record; an empty file beside others (a run stopped early) only warns."""
        if self.empty and not self.cases and not self.runs:
            raise InputError(self.empty[0])
        self.warnings += self.empty
        for case in self.cases.values():
            self._experiment(case.experiment, path_of.get(case.experiment, Path())).cases.append(case)
        for (name, _), run in self.runs.items():
            self._experiment(name, path_of.get(name, Path())).runs.append(run)
        for experiment in self.experiments.values():
            experiment.runs.sort(key=lambda run: (run.get("started_utc", ""), str(run["run_id"])))
            places = {str(label): place for place, label in enumerate(experiment.definition.get("lines") or ())}
            for case in experiment.cases:
                case.place = places.get(case.label, NO_PLACE)
        return [self.experiments[name] for name in sorted(self.experiments)]


def _what(error: Exception) -> str:
    return f"no {error}" if isinstance(error, KeyError) else str(error).split(": line ", 1)[0]


def load(folder: Path, files: Iterable[Path]) -> Results:
    """The records of `files`, which make one report. Raises InputError where none of them has a record."""
    reader = _Reader()
    paths = sorted(set(files))
    for path in paths:
        try:
            reader.read(path)
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}") from error
    return Results(folder, reader.finish({path.stem: path for path in paths}), reader.warnings)


def find_files(results: Path) -> list[Path]:
    """The .jsonl files that RESULTS (a folder or such a file) stands for. Raises InputError where there are none."""
    if results.is_dir():
        files = sorted(results.glob("*.jsonl"))
        if not files:
            raise InputError(f"{results}: no .jsonl file in this folder")
        return files
    if not results.exists():
        raise InputError(f"{results}: no such file or folder")
    if results.suffix != ".jsonl":
        raise InputError(f"{results}: not a .jsonl file")
    return [results]
