"""Results files (JSON Lines) as Python objects. Field names and meaning: docs/record_format.md.

Times are seconds, rates in the units that their run names. Of a case_id the last record of each
host counts (last_records.py); a line that cannot be read is skipped with a warning that names file
and line.
"""

from __future__ import annotations

import gc
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from commands import progress
from files.reading import InputError, lines_of, opened, parsed
from files.safe import cleaned, shown

from .agreement import agree
from .cases.case import NO_PLACE, Case
from .cases.case_reader import CaseReader
from .cases.ceilings import mark_shares
from .cases.clocks import mark_dips
from .cases.cores import cores_worth, processors_of
from .cases.experiment import Experiment, Results
from .cases.hosts import first_card, host_of, tell_apart
from .last_records import keep_last, set_others_aside
from .noise import attach
from .schema.lines import checked
from .schema.operations import units_of

MOST_LINE_WARNINGS = 5


class _Reader:
    """Collects the experiments of one folder, line by line."""

    def __init__(self) -> None:
        self.experiments: dict[str, Experiment] = {}
        self.cases: dict[tuple[str, str, str, str], Case] = {}
        self.twins: dict[tuple[str, str, str, str], Case] = {}
        self.runs: dict[tuple[str, str], dict[str, Any]] = {}
        self.costs: dict[tuple[str, str], dict[str, Any]] = {}
        self.counters: dict[tuple[str, str], dict[str, Any]] = {}
        self.case_reader = CaseReader()
        self.warnings: list[str] = []
        self.empty: list[str] = []

    def take(self, line: dict[str, Any], path: Path) -> None:
        """Raises ValueError, with key and reason, where the line is not what
        records/schema/lines.py asks for or disagrees with itself."""
        kind = checked(line)["kind"]
        if kind == "case":
            agree(line)
            self._take_case(self.case_reader.read(line))
            return
        line = {name: value for name, value in cleaned(line, shown).items() if value is not None}
        name = line.get("experiment") or path.stem
        if kind == "run":
            self.runs[name, line["run_id"]] = line
            self._experiment(name, path)
        elif kind == "cost":
            self.costs[name, line["run_id"]] = line
        else:
            self.counters[name, line["case_id"]] = line

    def _take_case(self, case: Case) -> None:
        kept, key = ((self.cases, case.case_id) if case.twin_of is None
                     else (self.twins, case.twin_of))
        place = (case.experiment, case.group, key, case.run_id)
        kept.pop(place, None)
        kept[place] = case

    def _experiment(self, name: str, path: Path) -> Experiment:
        return self.experiments.setdefault(name, Experiment(name, path))

    def _of(self, name: str, path_of: dict[str, Path]) -> Experiment:
        return self.experiments.get(name) or self._experiment(name, path_of.get(name, Path()))

    def read(self, path: Path) -> None:
        """Reads one file; remembers it in `empty` where it has no record at all."""
        bad: list[str] = []
        good = 0
        with opened(path) as file:
            for number, (_, text) in enumerate(lines_of(file), 1):
                if text.isspace():
                    continue
                try:
                    self.take(parsed(text), path)
                    good += 1
                except (ValueError, RecursionError) as error:
                    bad.append(f"{path.name}, line {number}: skipped, {error}")
        self.warnings += bad[:MOST_LINE_WARNINGS]
        if len(bad) > MOST_LINE_WARNINGS:
            self.warnings.append(f"{path.name}: {len(bad) - MOST_LINE_WARNINGS} more lines skipped")
        if not good:
            self.empty.append(f"{path}: no record in it" + (f"; {bad[0]}" if bad else ""))

    def finish(self, path_of: dict[str, Path]) -> list[Experiment]:
        """Raises InputError where no file holds a record; an empty file beside others (a run
        stopped early) only warns."""
        if len(self.empty) == len(path_of):
            raise InputError(self.empty[0])
        self.warnings += self.empty
        for case in self.cases.values():
            self._of(case.experiment, path_of).cases.append(case)
        for case in self.twins.values():
            self._of(case.experiment, path_of).twins.append(case)
        for (name, _), run in self.runs.items():
            self._of(name, path_of).runs.append(run)
        for (name, _), cost in self.costs.items():
            self._of(name, path_of).costs.append(cost)
        for (name, case_id), record in self.counters.items():
            self._of(name, path_of).counters[case_id] = record
        for experiment in self.experiments.values():
            experiment.runs.sort(key=lambda run: (run.get("started_utc", ""), str(run["run_id"])))
            order = {run.get("run_id"): place for place, run in enumerate(experiment.runs)}
            experiment.costs.sort(key=lambda cost: order.get(cost["run_id"], -1))
            places = {str(label): place
                      for place, label in enumerate(experiment.definition.get("lines") or ())}
            for case in experiment.cases:
                case.place = places.get(case.label, NO_PLACE)
        return [self.experiments[name] for name in sorted(self.experiments)]


@contextmanager
def without_garbage() -> Iterator[None]:
    """No search for reference cycles within, and none later among what was made: neither records
    nor tables hold a cycle, and with a hundred thousand of them each search would walk through
    all."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if enabled:
            gc.enable()


def _given(run: dict[str, Any]) -> tuple:
    """The host, and how many of its processors the run might use: that differs from run to run on a
    shared machine."""
    return host_of(run), (run.get("host") or {}).get("cores")


def _mark_worth(experiments: list[Experiment]) -> None:
    """What the processors of each host were worth to its runs, least and most: they are called
    cores only where all agree."""
    runs = [run for experiment in experiments for run in experiment.runs]
    seen: dict[tuple, list[float]] = {}
    for run in runs:
        if (worth := cores_worth(run)) is not None:
            seen.setdefault(_given(run), []).append(worth)
    for run in runs:
        of_host = seen.get(_given(run))
        run["worth_to_runs"] = (min(of_host), max(of_host)) if of_host else None


def _mark_processors(experiment: Experiment) -> None:
    there = {str(run.get("run_id")): processors_of(run).alone for run in experiment.runs}
    for case in experiment.cases:
        case.processors = there.get(case.run_id)
        case.crowded = bool(case.device == "cpu" and case.processors and case.processors.count
                            and max(case.threads, case.threads_actual) > case.processors.count)


def _mark_restless(experiment: Experiment) -> None:
    """Where most of what was measured was disturbed, nothing calm is left to answer by: a busy
    machine would have no answer."""
    places: dict[tuple[str, str], list[Case]] = {}
    for case in experiment.cases:
        if case.shown:
            places.setdefault((case.host, case.device), []).append(case)
    for cases in places.values():
        restless = 2 * sum(case.disturbed for case in cases) > len(cases)
        for case in cases:
            case.restless = restless


def _name_hosts(experiment: Experiment) -> None:
    places = {run.get("run_id"): (host_of(run), str(first_card(run).get("name") or ""))
              for run in experiment.runs}
    for case in (*experiment.cases, *experiment.twins):
        case.host, case.card = places.get(case.run_id, ("", ""))


def _name_units(experiment: Experiment) -> None:
    """Of each case's rate, where its run says it."""
    units = units_of(experiment.runs)
    for case in (*experiment.cases, *experiment.twins) if units else ():
        if case.rates:
            case.rate_unit = units.get((case.operation, next(iter(case.rates))), case.rate_unit)


def load(folder: Path, files: Iterable[Path]) -> Results:
    """The records of `files`, which make one report. Raises InputError where none of them has a
    record."""
    reader = _Reader()
    paths = sorted(set(files))
    progress.now(f"reading {folder}")
    with without_garbage():
        for path in paths:
            try:
                reader.read(path)
            except InputError as error:
                # a link that leads nowhere, say; the others are still there
                reader.empty.append(str(error))
            except OSError as error:
                raise InputError(f"{path}: {error.strerror}") from error
    experiments = reader.finish({path.stem: path for path in paths})
    runs = [run for experiment in experiments for run in experiment.runs]
    tell_apart(runs)
    _mark_worth(experiments)
    for experiment in experiments:
        _name_hosts(experiment)
        keep_last(experiment)
        _name_units(experiment)
        mark_dips(experiment)
        attach(experiment)
        mark_shares(experiment.cases, experiment.runs, runs)
        _mark_processors(experiment)
        _mark_restless(experiment)
        set_others_aside(experiment)
    counted = tuple([experiment.counters[case.case_id]
                     for experiment in experiments for case in experiment.cases
                     if case.shown and case.case_id in experiment.counters])
    everywhere = tuple([case for experiment in experiments
                        for case in (*experiment.cases, *experiment.elsewhere) if case.shown])
    for experiment in experiments:
        experiment.counted, experiment.everywhere = counted, everywhere
    return Results(folder, experiments, reader.warnings)


def find_files(results: Path) -> list[Path]:
    """The .jsonl files that RESULTS (a folder or such a file) stands for. Raises InputError where
    there are none, or one cannot be looked at."""
    try:
        mode = results.stat().st_mode
    except FileNotFoundError as error:
        raise InputError(f"{results}: no such file or folder") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{results}: {getattr(error, 'strerror', None) or error}") from error
    if stat.S_ISDIR(mode):
        files = sorted(results.glob("*.jsonl"))
        if not files:
            raise InputError(f"{results}: no .jsonl file in this folder")
        return files
    if results.suffix != ".jsonl":
        raise InputError(f"{results}: not a .jsonl file")
    return [results]
