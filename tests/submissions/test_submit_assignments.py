"""Assignments, a Moodle download and the results for other systems through the whole judge, without
a GPU."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from judged import ROOT, consent_given, environment, submit, verdict_of

ASSIGNMENTS = ROOT / "submissions" / "assignments"
NAIVE = """__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  %s
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int i = 0; i < N; ++i) sum += A[(long long)row * N + i] * B[(long long)i * K + col];
  C[(long long)row * K + col] = sum;
}
"""
STUDENTS = {
    "Ada Lovelace_11": (ASSIGNMENTS / "tiled" / "solution.cu").read_text(encoding="utf-8"),
    "王小明_12": (ASSIGNMENTS / "tiled" / "skeleton.cu").read_text(encoding="utf-8"),
    "Naive_13": NAIVE % "__shared__ float one; if (threadIdx.x + threadIdx.y == 0) one = 0;",
    "Printf_14": NAIVE % "__shared__ float one; printf(\"%f\", one);",
    "Nothing_15": None}


@pytest.fixture(scope="module", autouse=True)
def without_a_gpu() -> None:
    os.environ["CUDA_VISIBLE_DEVICES"] = ""


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of five, as Moodle has it."""
    folder = tmp_path_factory.mktemp("class")
    for student, text in STUDENTS.items():
        own = folder / "moodle" / f"{student}_assignsubmission_file_"
        own.mkdir(parents=True)
        (own / ("notes.txt" if text is None else "kernel.cu")).write_text(text or "sorry",
                                                                          encoding="utf-8")
    formats = [word for name in ("moodle", "junit", "gradescope", "classroom50")
               for word in ("--format", name)]
    finished = submit(folder / "moodle", "--assignment", ASSIGNMENTS / "tiled", "--ranking",
                      "--output", folder / "out", *formats)
    assert finished.returncode == 1, finished.stderr
    return folder / "out"


def test_each_student_gets_verdict_and_mark(judged: Path) -> None:
    got = {Path(row["name"]).stem: (row["verdict"], float(row["mark"])) for row in
           csv.DictReader((judged / "ranking.csv").read_text(encoding="utf-8").splitlines())}
    assert got == {"Ada Lovelace_11": ("correct", 100), "王小明_12": ("incorrect", 0),
                   "Naive_13": ("correct", got["Naive_13"][1]), "Printf_14": ("build-failed", 0),
                   "Nothing_15": ("build-failed", 0)}
    assert 55 <= got["Naive_13"][1] <= 60  # nvcc, where it is, warns of `one`
    assert "line 3" in verdict_of(judged, "Printf_14.cu")["summary"]
    assert "no .cpp or .cu file" in verdict_of(judged, "Nothing_15.cu")["summary"]


def test_moodle_gets_its_worksheet_and_a_page_for_each(judged: Path) -> None:
    rows = {row["Identifier"]: row for row in csv.DictReader(
        (judged / "moodle.csv").read_text(encoding="utf-8").splitlines())}
    assert (rows["Participant 11"]["Grade"] == "100.00"
            and rows["Participant 12"]["Full name"] == "王小明")
    assert set(rows) == {f"Participant {number}" for number in range(11, 16)}
    with zipfile.ZipFile(judged / "moodle_feedback.zip") as packed:
        assert sorted(packed.namelist()) == sorted(f"{student}_assignsubmission_file_/page.html"
                                                   for student in STUDENTS)


def test_gradescope_gets_a_score_and_its_parts(judged: Path) -> None:
    results = json.loads((judged / "Naive_13.cu" / "results.json").read_text(encoding="utf-8"))
    parts = {test["name"].partition(";")[0]: test for test in results["tests"]}
    loads = parts["2 floats loaded from global memory per multiplication"]
    assert (loads["score"], loads["max_score"], loads["status"]) == (0, 40, "failed")
    assert parts["verdict correct"]["score"] == 60 and results["score"] <= 60
    assert results["output_format"] == "md" and "# Naive" in results["output"]


def test_classroom_50_gets_whole_points_that_add_up(judged: Path) -> None:
    result = json.loads((judged / "Ada Lovelace_11.cu" / "result.json").read_text(encoding="utf-8"))
    assert (result["schema"], result["score"],
            result["max-score"]) == ("classroom50/result/v1", 100, 100)
    assert [test["max-score"] for test in result["tests"]] == [60, 40]
    assert all(type(test[key]) is int for test in result["tests"] for key in ("score", "max-score"))


def test_junit_has_a_suite_for_each(judged: Path) -> None:
    suites = {suite.get("name"): suite for suite in Xml.parse(judged / "junit.xml").getroot()}
    assert set(suites) == {f"{student}.cu" for student in STUDENTS}
    assert (suites["Ada Lovelace_11.cu"].get("failures") == "0"
            and suites["王小明_12.cu"].get("failures") == "1")


# of "tiled" both files are among the class above
@pytest.mark.parametrize("name", ["cpu_loops", "register_tiled", "tensor_cores", "leetgpu_gemm"])
def test_a_template_passes_its_own_check(name: str) -> None:
    done = subprocess.run([sys.executable, "-m", "submissions.assignments", "check",
                           str(ASSIGNMENTS / name), *consent_given()], env=environment(), text=True,
                          capture_output=True, timeout=600, check=False)
    assert done.stdout.startswith(
        "skeleton: incorrect, mark 0: as it should be.\n"), done.stdout + done.stderr
    if name == "cpu_loops":  # whether a CPU's speed earns its points is up to what else runs here
        assert "solution: correct" in done.stdout, done.stdout + done.stderr
        assert "verdict correct: 60 of 60" in done.stdout or done.returncode in (0, 4), done.stdout
    else:
        assert (done.returncode == 0
                and done.stdout.count("as it should be") == 2), done.stdout + done.stderr
