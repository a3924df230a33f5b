"""CPU submissions through the whole judge: every verdict, every pattern, and the command's manners."""

from __future__ import annotations

import csv
import json
import os
import shutil
from pathlib import Path

import pytest

from judged import COLLECTION, EXAMPLES, QUICK_RULE, differences, submit, verdict_of

CPU = COLLECTION / "cpu"
FILES = sorted(CPU.glob("*.cpp"))
LEFT_BEHIND = "gemmlab_submission_was_here"


@pytest.fixture(scope="module")
def rule(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("rule") / "quick.toml"
    file.write_text(QUICK_RULE, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory, rule: Path):
    folder = tmp_path_factory.mktemp("judged")
    finished = submit(CPU, "--rule", rule, "--no-timing", "--seed", "5", "--output", folder)
    assert finished.returncode == 1, finished.stderr
    return folder, finished


def test_every_wrong_or_dishonest_submission_gets_its_verdict_and_pattern(judged) -> None:
    folder, _ = judged
    assert len(FILES) >= 40
    assert not differences(FILES, folder)


def test_a_failure_is_explained_with_shape_element_and_hint(judged) -> None:
    folder, _ = judged
    failure = verdict_of(folder, "off_by_one_last_column.cpp")["failures"][0]
    assert failure["element"]["col"] == failure["shape"]["K"] - 1
    assert failure["got"] == "NaN" and isinstance(failure["expected"], float)
    assert "last column" in failure["explanation"] and failure["hint"]


def test_what_a_submission_prints_stays_out_of_the_judges_output(judged) -> None:
    _, finished = judged
    assert "forged_print.cpp: incorrect" in finished.stdout
    assert '"verdict"' not in finished.stdout


def test_nothing_is_left_outside_the_scratch_folder(judged) -> None:
    assert judged
    for place in ("/", "/tmp", "/var/tmp", "/dev/shm", os.path.expanduser("~")):
        assert not (Path(place) / LEFT_BEHIND).exists()


def test_the_same_command_again_judges_nothing_again(judged, rule: Path) -> None:
    folder, _ = judged
    before = {file.name: (folder / file.name / "verdict.json").stat().st_mtime_ns for file in FILES}
    finished = submit(CPU, "--rule", rule, "--no-timing", "--output", folder)  # the seed is taken over
    assert finished.returncode == 1
    assert finished.stdout.count("(judged before)") == len(FILES)
    assert before == {file.name: (folder / file.name / "verdict.json").stat().st_mtime_ns for file in FILES}


def test_a_right_one_is_timed_beside_the_ladder_and_exits_with_0(tmp_path: Path, rule: Path) -> None:
    finished = submit(EXAMPLES / "cpu" / "2_openmp.cpp", "--rule", rule, "--output", tmp_path)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    verdict = verdict_of(tmp_path, "2_openmp.cpp")
    assert verdict["verdict"] == "correct" and not verdict["failures"]
    rows = {(row["shape"]["M"], row["role"], row["implementation"]): row for row in verdict["performance"]}
    for side in (64, 96):
        mine = rows[side, "submission", "submission"]
        flop = 2.0 * mine["shape"]["M"] * mine["shape"]["N"] * mine["shape"]["K"]
        assert mine["samples"] == 6 and mine["gflop_per_s"] == pytest.approx(flop / mine["median_s"] * 1e-9)
        assert rows[side, "ladder", "cpu.serial"]["median_s"] > 0
        library = [row for key, row in rows.items() if key[:2] == (side, "library")]
        assert len(library) == 1 and library[0]["of_library"] == 1
    assert verdict["place"][0]["of"] == 4
    assert verdict["first_call"]["first_s"] > 0


def test_an_answer_remembered_only_when_it_is_timed_is_seen(tmp_path: Path, rule: Path) -> None:
    # right for every shape that is checked; from then on the first answer of a timed shape again and again
    (tmp_path / "sly.cpp").write_text("""#include <cstring>
#include <map>
#include <vector>
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  static std::map<int, std::vector<float>> known;
  std::vector<float>& mine = known[M];
  const bool timed = M == 96 && N == 128 && K == 160;
  if (timed && !mine.empty()) { std::memcpy(C, mine.data(), mine.size() * sizeof(float)); return; }
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) {
      float sum = 0;
      for (long l = 0; l < N; ++l) sum += A[i * N + l] * B[l * K + j];
      C[i * K + j] = sum;
    }
  if (timed) mine.assign(C, C + (long)M * K);
}
""", encoding="utf-8")
    finished = submit(tmp_path / "sly.cpp", "--rule", rule, "--output", tmp_path / "out")
    assert finished.returncode == 1
    verdict = verdict_of(tmp_path / "out", "sly.cpp")
    assert (verdict["verdict"], verdict["failures"][0]["pattern"]) == ("dishonest", "remembered")


def test_json_is_all_that_stands_on_standard_output(tmp_path: Path, rule: Path) -> None:
    finished = submit(CPU / "forged_print.cpp", "--rule", rule, "--json", "--no-timing", "--output", tmp_path)
    assert finished.returncode == 1
    verdict = json.loads(finished.stdout)
    assert verdict["verdict"] == "incorrect"
    assert verdict == verdict_of(tmp_path, "forged_print.cpp")


def test_a_ranking_holds_a_row_for_each(tmp_path: Path, rule: Path) -> None:
    if not os.environ.get("GEMMLAB_PYTHON"):
        pytest.skip("the program finds no Python for its pages ($GEMMLAB_PYTHON)")
    homework = tmp_path / "homework"
    homework.mkdir()
    for name in ("right.cpp", "transposed_result.cpp"):
        shutil.copy(CPU / name, homework / name)
    finished = submit(homework, "--ranking", "--rule", rule, "--no-timing", "--output", tmp_path / "out")
    assert finished.returncode == 1, finished.stderr
    with open(tmp_path / "out" / "ranking.csv", encoding="utf-8", newline="") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    assert rows["right.cpp"]["verdict"] == "correct"
    assert rows["transposed_result.cpp"]["verdict"] == "incorrect"
    assert (tmp_path / "out" / "ranking.html").exists()


@pytest.mark.parametrize(("arguments", "said"), [
    (["nothing.cpp"], "nothing.cpp"),
    (["notes.txt"], ".cpp"),
    (["empty"], "no submissions"),
    (["a.cpp", "--rule", "bad.toml"], "bad.toml"),
    (["a.cpp", "--seed", "minus"], "seed"),
    (["a.cpp", "b.cpp", "--json"], "--json"),
    (["a.cpp", "./a.cpp"], "two submissions"),
])
def test_bad_usage_is_one_line_and_exits_with_2(tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    for name in ("a.cpp", "b.cpp"):
        (tmp_path / name).write_text("int x;\n", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.toml").write_text("rounds = -1\n", encoding="utf-8")
    finished = submit(*arguments, cwd=tmp_path)
    assert finished.returncode == 2
    assert said in finished.stderr and finished.stderr.count("\n") == 1
