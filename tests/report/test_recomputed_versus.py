"""The tables of GPU over CPU follow from the records: of made records, and of the committed ones
where they have such tables."""

from __future__ import annotations

import csv
from pathlib import Path

import make_versus
import pytest
import recomputed_versus
from recompute import Records, interval

from records.loading import find_files, load
from report.asked.wanted import views
from report.pages.table_text import make, write


@pytest.fixture(scope="module", name="made")
def _made(tmp_path_factory) -> tuple[Records, Path]:
    folder = make_versus.write(tmp_path_factory.mktemp("versus") / "machine")
    experiment = load(folder, find_files(folder)).experiments[0]
    for kind in ("versus", "break_even"):
        view = views(experiment, {"kind": kind, "group": "pairs"}, None)[0]
        write(make(view), folder / "tables", f"cpu_vs_gpu-{kind}")
    return Records(folder.name, folder.parent), folder / "tables"


def checked(records: Records, tables: Path) -> list[tuple[bool, str]]:
    return [*recomputed_versus.wrong_ratios(records, tables),
            *recomputed_versus.wrong_break_evens(tables)]


def test_ratios_and_break_evens_follow_from_the_records(made):
    every = checked(*made)
    assert len(every) == 4 * len(make_versus.SIZES) + 4
    assert not [what for right, what in every if not right]


@pytest.mark.parametrize("name,column,place",
                         [("versus", "call", "value"), ("break_even", "GPU wins from N", "value")])
def test_a_forged_number_is_found(made, tmp_path, name, column, place):
    records, tables = made
    for path in tables.glob("*.csv"):
        rows = recomputed_versus.rows_of(path)
        row = next((row for row in rows if row["column"] == column and row["value"]
                    and path.stem.endswith(name)), None)
        if row:
            row[place] = str(1.01 * float(row[place]))
        with (tmp_path / path.name).open("w", encoding="utf-8", newline="") as lines:
            writer = csv.DictWriter(lines, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
    assert len([what for right, what in checked(records, tmp_path) if not right]) >= 1


def test_the_tables_of_the_committed_records_follow_from_them(reports):
    found = sorted(reports.glob("*/report/tables/cpu_vs_gpu-versus.csv"))
    assert found
    for tables in found:
        every = checked(Records(tables.parts[-4]), tables.parent)
        assert every and not [what for right, what in every if not right]


def test_the_interval_of_a_median_is_that_of_order_statistics():
    # of 6 samples only the extremes hold the median with 95 %: P(all on one side) = 2/64
    assert interval([3, 1, 2, 6, 5, 4]) == (1, 6)
    # 20 samples: ranks 6 and 15 of 1 to 20 (Conover, Practical Nonparametric Statistics, table A3)
    assert interval(range(1, 21)) == (6, 15)
