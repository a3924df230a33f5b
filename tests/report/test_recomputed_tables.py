"""The tables of times, rates and speedups of the committed records follow from them."""

from __future__ import annotations

import csv
import shutil

import recomputed_tables


def test_every_number_of_the_tables_follows_from_the_records(reports):
    every = recomputed_tables.checked(reports)
    assert len(every) > 500
    assert not [what for right, what in every if not right]


def test_a_forged_number_is_found(tmp_path, reports):
    source = recomputed_tables.RESULTS / "amd-epyc-avx512"
    tables = tmp_path / source.name / "report" / "tables"
    tables.mkdir(parents=True)
    shutil.copy(source / "cpu_peers.jsonl", tmp_path / source.name)
    for name in ("cpu_peers-gflops.csv", "cpu_peers-speedup.csv"):
        with (reports / source.name / "report" / "tables" / name).open(encoding="utf-8",
                                                                       newline="") as lines:
            head, *rows = list(csv.reader(lines))
        row = next(row for row in rows if row[2] not in ("", "1"))
        row[2] = str(float(row[2]) * 1.001)
        with (tables / name).open("w", encoding="utf-8", newline="") as lines:
            csv.writer(lines).writerows([head, *rows])
    wrong = [what for right, what in recomputed_tables.checked(tmp_path, tmp_path) if not right]
    assert sorted(what.split(":")[0].split("/")[1] for what in wrong) == ["cpu_peers-gflops.csv",
                                                                          "cpu_peers-speedup.csv"]
