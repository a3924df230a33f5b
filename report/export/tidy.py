"""Tidy CSV: `cases.csv` has a row per case, `samples.csv` a row per sample. Units stand in the
names of columns; an empty field means that there is no such number, "-" that there is no such text
(so that pandas sees one type a column, and groups by it without losing rows).

Every case is there, A/A twins too (`twin_of` says whose), whatever its status; `verified` says
whether its number may be shown.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from files.safe import for_csv
from records.cases.case import Case
from records.cases.experiment import Experiment, Results
from records.names.numbers import ends_of
from records.schema.operations import GEMM, rate_at, unit_of

# What tells one case from another; both files begin with these and the parameters.
_POINT = ("experiment", "group", "label", "operation", "implementation", "device")
_REGIME = ("scope", "cache", "timing", "distribution", "seed", "host_memory", "allocation",
           "module_loading", "load", "replica", "handicap", "twin_of", "precision",
           "status", "reason")
_NUMBERS = ("of_ceiling", "bound_by", "stop_reason", "sample_count", "calls_per_sample",
            "threads_actual", "pinned", "run_queue_delay_s", "steal_s", "denormals", "clock_mhz",
            "clock_low_mhz", "temperature_c", "power_w", "sustained_s", "energy_j_per_call",
            "throttled", "remeasured", "least_bytes", "moved_bytes")
_TEXTS = ("group", "reason", "host_memory", "allocation", "module_loading", "load",
          "no_energy", "twin_of", "bound_by", "stop_reason", "denormals", "throttle_reasons",
          "warnings", "cores")
_SAMPLE = ("sample", "round", "time_s")
NO_TEXT = "-"
_TABLES = (("resource", "resources", ""), ("chosen", "chosen", ""), ("phase", "phases_s", "_s"))
Row = dict[str, Any]


def _identity(case: Case, machine: str) -> Row:
    parameters = {f"parameter_{name}": value for name, value in case.parameters.items()}
    return {"machine": machine, **{name: getattr(case, name) for name in _POINT}, **parameters,
            **case.dims, **{f"option_{name}": value for name, value in case.options.items()},
            **{name: getattr(case, name) for name in _REGIME}, "verified": case.shown,
            "host": case.host or NO_TEXT, "run_id": case.run_id,
            "case_id": case.case_id}


def _measured(case: Case, counters: dict[str, Any]) -> Row:
    low, high = ends_of(case.ci95_s)
    rates: Row = case.rates or ({"gflop_per_s": None} if case.operation == GEMM else {})
    row = {"median_s": case.measured_s, "ci95_low_s": low, "ci95_high_s": high, "min_s": case.min_s,
           **rates, **{name: getattr(case, name) for name in _NUMBERS},
           "cores": " ".join(map(str, case.cores)),
           "throttle_reasons": "; ".join(case.throttle_reasons),
           "warnings": "; ".join(case.warnings)}
    for prefix, field, unit in _TABLES:
        row |= {f"{prefix}_{name}{unit}": value for name, value in getattr(case, field).items()}
    row |= {f"first_call_{name}_s": median(values) for name, values in case.first_call_s.items()
            if values}
    row |= {"steady_s": median(case.steady_s)} if case.steady_s else {}
    return row | {f"counter_{name}": metric.get("value") for name, metric in counters.items()
                  if isinstance(metric, dict)}


def _cases_of(results: Results) -> Iterator[tuple[Experiment, Case, str]]:
    for experiment in results.experiments:
        machines = {str(run.get("run_id")): str(run.get("machine") or "")
                    for run in experiment.runs}
        for case in (*experiment.cases, *experiment.elsewhere, *experiment.twins):
            yield experiment, case, machines.get(case.run_id) or results.folder.name


def case_rows(results: Results) -> Iterator[Row]:
    """One row per case; rows differ in their columns where cases differ in their parameters."""
    for experiment, case, machine in _cases_of(results):
        counters = experiment.counters.get(case.case_id, {}).get("metrics") or {}
        yield _identity(case, machine) | _measured(case, counters if case.twin_of is None else {})


class _Layout:
    """The columns of rows that differ, in the order of the rows themselves, and what stands where a
    row has none."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.columns: list[str] = []
        texts = set(_TEXTS)
        seen: set[tuple[str, ...]] = set()
        for row in rows:
            texts.update(name for name, value in row.items() if isinstance(value, str))
            names = tuple(row)
            if names not in seen:
                seen.add(names)
                self._take(names)
        self._absent = [(name, NO_TEXT if name in texts else "") for name in self.columns]

    def _take(self, names: tuple[str, ...]) -> None:
        place = 0
        for name in names:  # a new one goes behind what it follows in its own row
            if name in self.columns:
                place = self.columns.index(name) + 1
            else:
                self.columns.insert(place, name)
                place += 1

    def fields(self, row: Row) -> list[Any]:
        """The row's values in the order of the columns, texts so that no spreadsheet runs them."""
        found = [absent if row.get(name) in (None, "") else row[name]
                 for name, absent in self._absent]
        return [for_csv(value) if isinstance(value, str) and value != NO_TEXT else value
                for value in found]

    @property
    def heads(self) -> list[str]:
        """The columns' names."""
        return list(map(for_csv, self.columns))


def _sample_columns(results: Results) -> list[str]:
    """What a sample has beside its case: its rates; phases of first calls only where there are
    any."""
    rates = ({name: None for _, case, _ in _cases_of(results) for name in case.rates}
             or {"gflop_per_s": None})
    phases = {name: None for _, case, _ in _cases_of(results) for name in case.first_call_s}
    steady = ["steady_s"] if any(case.steady_s for _, case, _ in _cases_of(results)) else []
    return [*_SAMPLE, *rates, *(f"first_call_{name}_s" for name in phases), *steady]


def _sample_fields(case: Case, columns: list[str]) -> Iterator[list[Any]]:
    """The values of `columns` for each kept sample of the case."""
    count = len(case.samples_s)
    beside = ({f"first_call_{name}_s": values for name, values in case.first_call_s.items()}
              | {"steady_s": case.steady_s})
    beside |= {name: [rate_at(value, unit_of(name), case.median_s, sample)
                      for sample in case.samples_s] for name, value in case.rates.items()}
    more = [values if len(values) == count else [""] * count
            for values in (beside.get(name, ()) for name in columns[len(_SAMPLE):])]
    for number, (turn, sample) in enumerate(zip(case.rounds, case.samples_s)):
        yield [number, turn, sample, *(values[number] for values in more)]


def _write_samples(results: Results, path: Path) -> None:
    layout = _Layout(_identity(case, machine) for _, case, machine in _cases_of(results))
    more = _sample_columns(results)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(layout.heads + list(map(for_csv, more)))
        for _, case, machine in _cases_of(results):
            point = layout.fields(_identity(case, machine))
            writer.writerows(point + fields for fields in _sample_fields(case, more))


def _write_cases(results: Results, path: Path) -> None:
    layout = _Layout(case_rows(results))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(layout.heads)
        writer.writerows(layout.fields(row) for row in case_rows(results))


def write(results: Results, folder: Path) -> list[Path]:
    """Writes cases.csv and samples.csv into `folder`; returns their paths. Raises OSError."""
    cases, samples = folder / "cases.csv", folder / "samples.csv"
    _write_cases(results, cases)
    _write_samples(results, samples)
    return [cases, samples]
