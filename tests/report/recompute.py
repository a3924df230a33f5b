"""Numbers formed anew from committed records, by code that shares nothing with `report/`: what the README says is held
against them.

`Records(folder)` reads a machine's folder; its methods answer in GFLOP/s, seconds and ratios. A point is named by
experiment, implementation, shape (one number for a square, or (m, n, k)), and whatever else tells it from its
neighbours: `group="…"`, `label="…"`, `scope="…"`, or a parameter such as `tile="auto"`.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable
from math import comb
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "data" / "results"
Shape = int | tuple[int, int, int]


def rank_of_low_end(count: int, confidence: float = 0.95) -> int | None:
    """Where the interval of a median begins among `count` sorted samples: P(binomial(count, 1/2) <= rank) stays within
    half of what the confidence leaves."""
    tail, rank = 0.0, None
    for below in range(count // 2):
        tail += comb(count, below) / 2**count
        if tail > (1 - confidence) / 2:
            break
        rank = below
    return rank


def interval(values: Iterable[float], confidence: float = 0.95) -> tuple[float, float]:
    """Of the median of `values`, by order statistics."""
    ordered = sorted(values)
    rank = rank_of_low_end(len(ordered), confidence)
    if rank is None:
        raise ValueError(f"{len(ordered)} values have no interval")
    return ordered[rank], ordered[-1 - rank]


def geometric_mean(values: Iterable[float]) -> float:
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs))


class Records:
    """The last record of each point of a machine's folder, and the runs that they come from."""

    def __init__(self, machine: str, results: Path = RESULTS) -> None:
        self.folder = results / machine
        self.runs: dict[str, dict[str, Any]] = {}
        self.cases: dict[str, dict[tuple[str, str], dict[str, Any]]] = {}
        for path in sorted(self.folder.glob("*.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                record = json.loads(line)
                if record["kind"] == "run":
                    self.runs[record["run_id"]] = record
                elif record["kind"] == "case" and record.get("twin_of") is None:
                    # older records of a product have its dimensions beside the other fields
                    self.cases.setdefault(path.stem, {})[record["group"], record["case_id"]] = record.get("dims", {}) | record

    def all(self, experiment: str, **wanted: Any) -> list[dict[str, Any]]:
        """The ok points that have all of `wanted`: fields of the record, or parameters."""
        return [case for case in self.cases[experiment].values() if case["status"] == "ok" and all(
            case.get(key, case["parameters"].get(key)) == value for key, value in wanted.items())]

    def case(self, experiment: str, implementation: str, shape: Shape, **wanted: Any) -> dict[str, Any]:
        m, n, k = (shape, shape, shape) if isinstance(shape, int) else shape
        found = self.all(experiment, implementation=implementation, m=m, n=n, k=k, **wanted)
        if len(found) != 1:
            raise LookupError(f"{experiment}: {len(found)} points are {implementation} at {m}×{n}×{k} with {wanted}")
        return found[0]

    def run(self, experiment: str) -> dict[str, Any]:
        """The last of the runs that the experiment's points come from, which must be of one host."""
        runs = {case["run_id"] for case in self.cases[experiment].values()}
        hosts = {self.runs[one]["host"]["id"] for one in runs}
        if len(hosts) != 1:
            raise LookupError(f"{experiment}: its points come from {len(hosts)} hosts")
        return self.runs[max(runs)]

    # ---- one point ---------------------------------------------------------------------------------------------------

    def seconds(self, *point: Any, **wanted: Any) -> float:
        """The median time of a call, from the samples; from the record where not all samples are kept."""
        return median_s(self.case(*point, **wanted))

    def rate(self, *point: Any, **wanted: Any) -> float:
        """GFLOP/s."""
        case = self.case(*point, **wanted)
        return work_gflop(case) / median_s(case)

    def rate_low(self, *point: Any, **wanted: Any) -> float:
        case = self.case(*point, **wanted)
        return work_gflop(case) / interval_s(case)[1]

    def rate_high(self, *point: Any, **wanted: Any) -> float:
        case = self.case(*point, **wanted)
        return work_gflop(case) / interval_s(case)[0]

    def watts(self, *point: Any, **wanted: Any) -> float:
        """Mean power of the stretch without a pause that told the energy."""
        case = self.case(*point, **wanted)
        return case["energy_j_per_call"] * case["energy_calls"] / case["energy_s"]

    def ceiling(self, experiment: str, what: str, level: str, threads: int = 0) -> float:
        """A ceiling that the experiment's run measured; `threads` is 0 on a GPU."""
        found = [one for one in self.run(experiment)["ceilings"] if (one["what"], one["level"], one["threads"]) == (
            what, level, threads)]
        if len(found) != 1:
            raise LookupError(f"{experiment}: {len(found)} ceilings are {what} {level} on {threads} threads")
        return found[0]["value"]

    # ---- two points --------------------------------------------------------------------------------------------------

    def shared(self, slower: dict[str, Any], faster: dict[str, Any]) -> list[float]:
        """Time over time in each round that both took part in."""
        if slower["run_id"] != faster["run_id"]:
            raise LookupError("points of two runs share no rounds")
        theirs = dict(zip(slower["rounds"], slower["samples_s"]))
        return [theirs[number] / sample for number, sample in zip(faster["rounds"], faster["samples_s"]) if number in theirs]

    def speedup(self, experiment: str, slower: dict[str, Any], faster: dict[str, Any]) -> float:
        """How many times as fast, by the rounds that both took part in. Each is named as for `case`."""
        return median(self.shared(self.case(experiment, **slower), self.case(experiment, **faster)))

    def speedup_interval(self, experiment: str, slower: dict[str, Any], faster: dict[str, Any]) -> tuple[float, float]:
        return interval(self.shared(self.case(experiment, **slower), self.case(experiment, **faster)))

    def against(self, experiment: str, implementation: str, other: str, **wanted: Any) -> list[tuple[float, float, float]]:
        """By shape: how many times as fast as the other, with the interval's ends."""
        made = []
        for ours in self.all(experiment, implementation=implementation, **wanted):
            theirs = self.case(experiment, other, (ours["m"], ours["n"], ours["k"]), group=ours["group"])
            shared = self.shared(theirs, ours)
            made.append((median(shared), *interval(shared)))
        return made

    def error_shares(self, implementation: str, reference: str, **wanted: Any) -> list[float]:
        """Of each inputs and shape of `accuracy`: the largest error over the reference's."""
        def largest(case: dict[str, Any]) -> float:
            return max(check["eta_max"] for check in case["verify"] if check["method"] not in ("exact", "exact-projection")
                       and check["eta_max"] is not None)
        made = []
        for ours in self.all("accuracy", implementation=implementation, **wanted):
            theirs = self.case("accuracy", reference, (ours["m"], ours["n"], ours["k"]), group=ours["group"])
            made.append(largest(ours) / largest(theirs))
        return made

    def timed_elsewhere(self) -> float:
        """The most by which the independent timer's times differ from ours, in percent."""
        with (self.folder / "independent_timer.csv").open(encoding="utf-8", newline="") as lines:
            return max(abs(float(row["ratio"]) - 1) * 100 for row in csv.DictReader(lines))

    def claims(self) -> int:
        """How many published claims the report judges."""
        with (self.folder / "report" / "verdicts.csv").open(encoding="utf-8", newline="") as lines:
            return sum(1 for _ in csv.DictReader(lines))

    def _rows(self, table: str, row: dict[str, str]) -> list[dict[str, str]]:
        """Those of a table of the report with these cells; recomputed_versus.py and recomputed_tables.py hold the tables
        themselves against the records."""
        with (self.folder / "report" / "tables" / f"{table}.csv").open(encoding="utf-8", newline="") as lines:
            return [one for one in csv.DictReader(lines) if row.items() <= one.items()]

    def told(self, table: str, end: str, row: dict[str, str]) -> float:
        """The `value`, `low` or `high` of the one row with these cells."""
        found = self._rows(table, row)
        if len(found) != 1:
            raise LookupError(f"{table}: {len(found)} rows have {row}")
        return float(found[0][end])

    def told_all(self, table: str, row: dict[str, str]) -> list[float]:
        """The values of all rows with these cells."""
        return [float(one["value"]) for one in self._rows(table, row) if one["value"]]

    def over_best(self, experiment: str, implementation: str, **wanted: Any) -> dict[tuple[str, Shape], float]:
        """By group and shape: how many times as fast the implementation is as the fastest of all others there, by their medians:
        of points whose rounds scatter the rounds that both share are too few."""
        ratios = {}
        for ours in self.all(experiment, implementation=implementation, **wanted):
            where = {key: ours[key] for key in ("group", "m", "n", "k")}
            others = [case for case in self.all(experiment, **where) if case["implementation"] != implementation]
            if others:
                fastest = min(others, key=median_s)
                ratios[ours["group"], (ours["m"], ours["n"], ours["k"])] = median_s(fastest) / median_s(ours)
        return ratios


def work_gflop(case: dict[str, Any]) -> float:
    return 2.0 * case["m"] * case["n"] * case["k"] / 1e9


def median_s(case: dict[str, Any]) -> float:
    whole = case["sample_count"] == len(case["samples_s"])
    return median(case["samples_s"]) if whole else case["median_s"]


def interval_s(case: dict[str, Any]) -> tuple[float, float]:
    whole = case["sample_count"] == len(case["samples_s"])
    return interval(case["samples_s"]) if whole else tuple(case["ci95_s"])
