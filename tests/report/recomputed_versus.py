"""Recomputes the tables of GPU over CPU from the records, best against best, and their break-even
from these ratios: by `recompute` alone, which shares nothing with `report/`."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from recompute import Records, median_s

EXPERIMENT = "cpu_vs_gpu"
BEST = "best against best"
WAYS = {"kernel": ("kernel", None), "call": ("call", None),
        "end to end (pinned)": ("end-to-end", "pinned"),
        "end to end (pageable)": ("end-to-end", "pageable")}
WITHIN = 1e-6
Case = dict[str, Any]


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _calm(case: Case) -> bool:
    """Did other work take its cores for at most 5 % of the timed seconds?"""
    timed = ((case.get("phases_s") or {}).get("timed")
             or sum(case["samples_s"]) * (case.get("calls_per_sample") or 1))
    return max(case.get("run_queue_delay_s") or 0, case.get("steal_s") or 0) <= 0.05 * timed


def _fastest(records: Records, device: str, size: str, scope: str,
             memory: str | None) -> Case | None:
    shape = [int(one) for one in size.split("×")] * (1 if "×" in size else 3)
    found = [case for case in records.all(EXPERIMENT, group="pairs", scope=scope, precision="fp32")
             if case["median_s"] and case["implementation"].startswith(device)
             and [case["m"], case["n"], case["k"]] == shape and _calm(case)
             and not case.get("replica") and (device == "cpu" or case.get("host_memory") == memory)]
    return min(found, key=median_s, default=None)


def wrong_ratios(records: Records, tables: Path) -> Iterator[tuple[bool, str]]:
    """For each number of the best against the best: does it follow from the records, and what it
    is."""
    for row in rows_of(tables / f"{EXPERIMENT}-versus.csv"):
        if row["Compared"] == BEST and row["value"]:
            cpu = _fastest(records, "cpu", row["Size"], "kernel", None)
            gpu = _fastest(records, "gpu", row["Size"], *WAYS[row["column"]])
            value = float(row["value"])
            shared = records.shared(cpu, gpu) if cpu["run_id"] == gpu["run_id"] else []
            right = any(math.isclose(one, value, rel_tol=WITHIN) for one in (
                median_s(cpu) / median_s(gpu), *([median(shared)] if shared else [])))
            yield right, f"{row['Size']}, {row['column']}: {row['value']}"


def wrong_break_evens(tables: Path) -> Iterator[tuple[bool, str]]:
    """For each size interpolated for the best against the best: does it lie on the line through the
    ratios beside it, both axes logarithmic, that last pass 1; and are all larger sizes above 1?"""
    ratios = {(row["column"], int(row["Size"])): row
              for row in rows_of(tables / f"{EXPERIMENT}-versus.csv")
              if row["Compared"] == BEST and row["Size"].isdigit() and row["value"]}
    found: dict[str, dict[str, dict[str, str]]] = {}
    for row in rows_of(tables / f"{EXPERIMENT}-break_even.csv"):
        if row["Compared"] == BEST:
            found.setdefault(row["GPU timed as"], {})[row["column"]] = row
    for way, row in found.items():
        lost, won = row["largest size not won"]["value"], row["won from there on"]["value"]
        above = [float(one["low"] or one["value"]) > 1 for (of, size), one in ratios.items()
                 if of == way and (not won or size >= int(won))]
        right = not won or all(above)
        if lost and won and right:
            sizes = sorted(size for of, size in ratios if of == way)
            below = max(size for size in sizes if float(ratios[way, size]["value"]) <= 1)
            above = next(size for size in sizes if size > below)
            one, other = (float(ratios[way, size]["value"]) for size in (below, above))
            size = math.exp(math.log(below)
                            - math.log(one) * math.log(above / below) / math.log(other / one))
            low, value, high = (float(row["GPU wins from N"][key])
                                for key in ("low", "value", "high"))
            right = (low <= value <= high and below <= int(lost)
                     and math.isclose(size, value, rel_tol=1e-4))
        yield right, f"{way}: between {lost} and {won}"
