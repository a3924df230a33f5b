"""Recomputes reports' tables of times, rates and speedups from the committed records, by
`recompute` alone.

As a program, given a folder of MACHINE/report: prints each cell that the records do not yield and
exits 1 where there is one."""

from __future__ import annotations

import csv
import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "samples"))
from recompute import RESULTS, ROOT, Records, interval_s, median_s, work_gflop

sys.path.insert(0, str(ROOT))
from records.cases.case_reader import CaseReader
from records.schema.operations import shape_of, shape_text

KINDS = re.compile(r"-(gflops|time|speedup)(-\d+)?$")
WITHIN = 1e-6  # files hold nine digits
LEAST_SHARED = 6  # rounds


def shape_name(case: dict[str, Any]) -> str:
    """As tables name it: "1024", "8192×4096×6144", "2²²×2²²×2²⁴, banded"; records of before
    operations are of gemm."""
    dims = case.get("dims") or {key: case.get(key) for key in "mnk"}
    return shape_text(*shape_of(dims, case.get("options") or {}))


def cells(path: Path) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Label, shape and cell of each number; labels stand down the side or across the top."""
    with path.open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines)
        side = (reader.fieldnames or [""])[0]
        for row in reader:
            if row["value"]:
                pair = ((row[side], row["column"]) if side.startswith("Implementation")
                        else (row["column"], row[side]))
                yield *pair, row


def near(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=WITHIN)


def yields(case: dict[str, Any], kind: str, row: dict[str, str]) -> bool:
    """Does this point give the cell's number, and its interval where there is one?"""
    work = work_gflop(case)
    value = work / median_s(case) if kind == "gflops" else median_s(case)
    if not near(value, float(row["value"])):
        return False
    if not row["low"]:
        return True
    low, high = interval_s(case)
    ends = (work / high, work / low) if kind == "gflops" else (low, high)
    return near(ends[0], float(row["low"])) and near(ends[1], float(row["high"]))


def speedup_follows(records: Records, base: dict[str, Any], case: dict[str, Any],
                    row: dict[str, str]) -> bool:
    """Is it the median over the shared rounds; of fewer than six the ratio of the two medians?"""
    value = float(row["value"])
    if base["run_id"] != case["run_id"]:
        return False
    shared = records.shared(base, case)
    return near(median(shared) if len(shared) >= LEAST_SHARED else median_s(base) / median_s(case),
                value)


def _names(case: dict[str, Any]) -> list[str]:
    made = []
    for name in (case["label"], CaseReader().read(case).name):
        made += [name, f"{name}, {case['group']}",
                 f"{name}, block {case['parameters'].get('block')}", f"{name}, load {case.get('load')}"]
    return made


def points(records: Records, experiment: str, label: str, shape: str) -> list[dict[str, Any]]:
    """Those under this label; what computes otherwise than in plain fp32 bears its class behind it,
    or that of another type in the same line, what has a namesake its group, block or load."""
    classes = {case["precision"] for case in records.cases[experiment].values()}
    for one in classes:
        label = label.removesuffix(f" ({one})")
    return [case for case in records.cases[experiment].values()
            if case["median_s"] and shape_name(case) == shape and label in _names(case)]


def wrong_cells(records: Records, path: Path) -> Iterator[tuple[bool, str]]:
    """For each number of a table: does it follow from the records, and what it is."""
    found = KINDS.search(path.stem)
    experiment, kind = path.stem[:found.start()].removesuffix("-reference"), found[1]
    if experiment not in records.cases:
        return
    rows = list(cells(path))
    for label, shape, row in rows:
        mine = points(records, experiment, label, shape)
        if kind != "speedup":
            right = any(yields(case, kind, row) for case in mine)
        else:
            bases = [other for other, at, cell in rows if at == shape
                     and cell["value"] == cell["low"] == cell["high"] == "1"]
            right = label in bases or any(speedup_follows(records, base, case, row)
                                          for case in mine for other in bases
                                          for base in points(records, experiment, other, shape))
        yield (right,
               f"{path.parent.parent.parent.name}/{path.name}: {label} at {shape}: {row['value']}")


def checked(reports: Path, results: Path = RESULTS) -> list[tuple[bool, str]]:
    """Every number of the tables of these kinds in `reports`/MACHINE/report/tables; those of a
    reference machine are its own."""
    made = []
    for folder in sorted(path for path in reports.iterdir()
                         if (path / "report" / "tables").is_dir()):
        records = Records(folder.name, results)
        for path in sorted((folder / "report" / "tables").glob("*.csv")):
            if KINDS.search(path.stem) and "-reference" not in path.stem:
                made += wrong_cells(records, path)
    return made


if __name__ == "__main__":
    every = checked(Path(sys.argv[1]))
    for right, what in every:
        if not right:
            print(what)
    print(f"{sum(right for right, _ in every):,} of {len(every):,} numbers follow from the records")
    sys.exit(0 if every and all(right for right, _ in every) else 1)
