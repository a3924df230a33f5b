"""The toy operation, added by a folder per device, one in operations and one definition, goes the
whole way: its definition is measured by the program that holds it, and the report makes its table
and its figure of the records. Nothing in report/ or plots/ knows of it."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOY = os.environ.get("GEMMLAB_TOY", "")

pytestmark = pytest.mark.skipif(not TOY, reason="GEMMLAB_TOY names no program: ctest -R python.toy "
                                "runs this with the one that it built")


def called(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"GEMMLAB_ROOT": str(ROOT)},
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module", name="out")
def _out(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("toy")
    called(TOY, "run", str(ROOT / "tests/toy/negate.toml"), "--no-report", "--output",
           str(folder / "records"))
    called(sys.executable, "-m", "report", "build", str(folder / "records"), "--no-pdf", "--output",
           str(folder / "report"))
    return folder


@pytest.fixture(name="measured")
def _measured(out) -> list[dict]:
    lines = [json.loads(line)
             for line in (out / "records/negate.jsonl").read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line["kind"] == "case" and line["status"] == "ok"]


def test_its_table_has_a_row_per_point_with_the_rate_of_the_record(out, measured):
    assert len(measured) >= 16
    with (out / "report/tables/negate-rates.csv").open(encoding="utf-8", newline="") as file:
        shown = sorted(float(row["value"]) for row in csv.DictReader(file)
                       if row["column"] == "GB/s" and row["value"])
    assert shown == pytest.approx(sorted(line["rates"]["gbyte_per_s"] for line in measured),
                                  rel=1e-6)


def test_its_page_tells_dimensions_and_options_in_its_own_words(out):
    page = (out / "report/report.md").read_text(encoding="utf-8")
    assert ("A toy operation" in page
            and "*Is an operation measured that was added by folders alone?*" in page)
    for row in ("| 1000 | negate |", "| 4097, accumulate yes, factor 2.5 | negate |",
                "| 4097, factor 2.5 | negate, end to end |"):
        assert row in page, row


def test_its_figure_is_over_its_dimension_in_its_unit_with_a_line_per_label(out):
    for suffix in ("png", "pdf"):
        assert (out / f"report/figures/negate-rate_vs_size.{suffix}").stat().st_size > 1000
    picture = (out / "report/figures/negate-rate_vs_size.svg").read_text(encoding="utf-8")
    words = re.findall(r">([^<>]*\S[^<>]*)</text>", picture)
    assert ("GB/s" in words and "negate, end to end" in words
            and any("A toy operation" in text for text in words)), words
    assert {"1000", "4097"} <= {part for text in words for part in re.findall(r"\d+", text)}, words
