"""Numbers formed anew from committed records, by code that shares nothing with `report/`, whose
tables are held against them.

`Records(folder)` reads a machine's folder; its methods answer in GFLOP/s, seconds and ratios. A
point is named by experiment, implementation, shape (one number for a square, or (m, n, k)), and
whatever else tells it from its neighbours: `group="…"`, `label="…"`, `scope="…"`, or a parameter
such as `tile="auto"`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from math import comb
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "data" / "results"
Shape = int | tuple[int, int, int]


def rank_of_low_end(count: int, confidence: float = 0.95) -> int | None:
    """Where the interval of a median begins among `count` sorted samples: P(binomial(count, 1/2) <=
    rank) stays within half of what the confidence leaves."""
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
                    self.cases.setdefault(path.stem, {})[
                        record["group"], record["case_id"]] = record.get("dims", {}) | record

    def all(self, experiment: str, **wanted: Any) -> list[dict[str, Any]]:
        """The ok points that have all of `wanted`: fields of the record, or parameters."""
        return [case for case in self.cases[experiment].values() if case["status"] == "ok" and all(
            case.get(key, case["parameters"].get(key)) == value for key, value in wanted.items())]

    def case(self, experiment: str, implementation: str, shape: Shape,
             **wanted: Any) -> dict[str, Any]:
        m, n, k = (shape, shape, shape) if isinstance(shape, int) else shape
        found = self.all(experiment, implementation=implementation, m=m, n=n, k=k, **wanted)
        if len(found) != 1:
            raise LookupError(f"{experiment}: {len(found)} points are {implementation} at "
                              f"{m}×{n}×{k} with {wanted}")
        return found[0]

    def run(self, experiment: str) -> dict[str, Any]:
        """The last of the runs that the experiment's points come from, which must be of one
        host."""
        runs = {case["run_id"] for case in self.cases[experiment].values()}
        hosts = {self.runs[one]["host"]["id"] for one in runs}
        if len(hosts) != 1:
            raise LookupError(f"{experiment}: its points come from {len(hosts)} hosts")
        return self.runs[max(runs)]

    # ---- one point -------------------------------------------------------------------------------

    def seconds(self, *point: Any, **wanted: Any) -> float:
        """The median time of a call, from the samples; from the record where not all samples are
        kept."""
        return median_s(self.case(*point, **wanted))

    def rate(self, *point: Any, **wanted: Any) -> float:
        """GFLOP/s."""
        case = self.case(*point, **wanted)
        return work_gflop(case) / median_s(case)

    # ---- two points ------------------------------------------------------------------------------

    def shared(self, slower: dict[str, Any], faster: dict[str, Any]) -> list[float]:
        """Time over time in each round that both took part in."""
        if slower["run_id"] != faster["run_id"]:
            raise LookupError("points of two runs share no rounds")
        theirs = dict(zip(slower["rounds"], slower["samples_s"]))
        return [theirs[number] / sample for number,
                sample in zip(faster["rounds"], faster["samples_s"]) if number in theirs]

    def speedup(self, experiment: str, slower: dict[str, Any], faster: dict[str, Any]) -> float:
        """How many times as fast, by the rounds that both took part in. Each is named as for
        `case`."""
        return median(self.shared(self.case(experiment, **slower), self.case(experiment, **faster)))

    def speedup_interval(self, experiment: str, slower: dict[str, Any],
                         faster: dict[str, Any]) -> tuple[float, float]:
        return interval(self.shared(self.case(experiment, **slower),
                                    self.case(experiment, **faster)))


def work_gflop(case: dict[str, Any]) -> float:
    return 2.0 * case["m"] * case["n"] * case["k"] / 1e9


def median_s(case: dict[str, Any]) -> float:
    whole = case["sample_count"] == len(case["samples_s"])
    return median(case["samples_s"]) if whole else case["median_s"]


def interval_s(case: dict[str, Any]) -> tuple[float, float]:
    whole = case["sample_count"] == len(case["samples_s"])
    return interval(case["samples_s"]) if whole else tuple(case["ci95_s"])
