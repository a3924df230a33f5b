"""CPU submissions through the whole judge: every verdict, every pattern, and what is said of
them."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
from pathlib import Path

import pytest
from judged import COLLECTION, EXAMPLES, differences, submit, verdict_of
from shape_order import shapes_in, strays, strays_in_folder

CPU = COLLECTION / "cpu"
FILES = sorted(CPU.glob("*.cpp"))
LEFT_BEHIND = "gemmlab_submission_was_here"


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


def test_every_shape_that_it_writes_is_in_the_order_of_solve(judged) -> None:
    folder, finished = judged
    assert not strays_in_folder(folder)
    tried = shapes_in([verdict_of(folder, file.name) for file in FILES])
    assert len(tried) > 50 and not strays(finished.stdout, tried)
    assert finished.stdout.count("shapes: rows x inner x columns") == 1


def test_a_failure_is_explained_with_shape_element_and_hint(judged) -> None:
    folder, _ = judged
    failure = verdict_of(folder, "off_by_one_last_column.cpp")["failures"][0]
    assert failure["element"]["col"] == failure["shape"]["K"] - 1
    assert failure["got"] == "NaN" and isinstance(failure["expected"], float)
    assert "last column" in failure["explanation"] and failure["hint"]


def test_the_memory_limit_a_fast_algorithm_and_an_overflowing_buffer_are_named(judged) -> None:
    folder, _ = judged
    assert "The rule allows it 1024 MiB in all" in verdict_of(folder,
                                                              "keeps_every_block.cpp")["summary"]
    assert "Strassen" in verdict_of(folder, "strassen.cpp")["failures"][0]["hint"]
    assert ("past the end of memory that it had asked for, at M ="
            in verdict_of(folder, "heap_overflow.cpp")["summary"])


def test_what_a_submission_prints_stays_out_of_the_judges_output(judged) -> None:
    _, finished = judged
    assert "forged_print.cpp: incorrect" in finished.stdout
    assert '"verdict"' not in finished.stdout


def test_where_it_is_among_many_is_said_now_and_then_where_there_is_no_terminal(judged) -> None:
    _, finished = judged
    lines = re.findall(r"^gemmlab: checked \d+ of (\d+), about \d+ \S+ left: checking \.\.\.$",
                       finished.stderr, re.MULTILINE)
    assert 0 < len(lines) < len(FILES) and set(lines) == {str(len(FILES))}
    assert "\r" not in finished.stderr


def test_nothing_is_left_outside_the_scratch_folder(judged) -> None:
    assert judged
    for place in ("/", "/tmp", "/var/tmp", "/dev/shm", os.path.expanduser("~")):
        assert not (Path(place) / LEFT_BEHIND).exists()


def test_the_same_command_again_judges_nothing_again(judged, rule: Path) -> None:
    folder, _ = judged
    before = {file.name: (folder / file.name / "verdict.json").stat().st_mtime_ns for file in FILES}
    # the seed is taken over
    finished = submit(CPU, "--rule", rule, "--no-timing", "--output", folder)
    assert finished.returncode == 1
    assert finished.stdout.count("(judged before)") == len(FILES)
    assert before == {file.name: (folder / file.name / "verdict.json").stat().st_mtime_ns
                      for file in FILES}


def test_a_right_one_is_timed_beside_the_ladder_and_exits_with_0(tmp_path: Path,
                                                                 rule: Path) -> None:
    patient = tmp_path / "patient.toml"  # a slow machine has time for six rounds, too
    patient.write_text(rule.read_text(encoding="utf-8").replace("shape_s = 3", "shape_s = 6"),
                       encoding="utf-8")
    finished = submit(EXAMPLES / "cpu" / "2_openmp.cpp", "--rule", patient, "--output", tmp_path)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    verdict = verdict_of(tmp_path, "2_openmp.cpp")
    assert verdict["verdict"] == "correct" and not verdict["failures"]
    rows = {(row["shape"]["M"], row["role"], row["implementation"]): row
            for row in verdict["performance"]}
    for side in (64, 96):
        mine = rows[side, "submission", "submission"]
        flop = 2.0 * mine["shape"]["M"] * mine["shape"]["N"] * mine["shape"]["K"]
        # the rule's rounds, and as many more as it allows until it is settled, or has the
        # processors for itself
        assert 6 <= mine["samples"] <= 6 * (
            1 + 3 * (1 if mine["quiet_rounds"] == mine["samples"] else 5))
        assert mine["gflop_per_s"] == pytest.approx(flop / mine["median_s"] * 1e-9)
        assert rows[side, "ladder", "cpu.serial"]["median_s"] > 0
        library = [row for key, row in rows.items() if key[:2] == (side, "library")]
        assert len(library) == 1 and library[0]["of_library"] == 1
    assert verdict["place"][0]["of"] == 4
    assert not strays(finished.stdout, shapes_in(verdict)) and not strays_in_folder(tmp_path)
    assert "  96x128x160 " in finished.stdout
    assert finished.stdout.count("rows x inner x columns") == 1
    assert verdict["first_call"]["first_s"] > 0
    assert {row["role"] for row in verdict["performance"]} == {"submission", "ladder",
                                                               "library"}, "the twin is no row"
    assert verdict["noise_floor"] >= 0


def test_a_slow_rung_does_not_leave_the_others_a_single_call(tmp_path: Path, rule: Path) -> None:
    def timed(shapes: str, shape_s: float) -> dict[str, dict]:
        """Rows of the last shape."""
        text = rule.read_text(encoding="utf-8")
        for old, new in (('"64x64x64", "96x128x160"', shapes), ("call_s = 8", "call_s = 80"),
                         ("shape_s = 3", f"shape_s = {shape_s}")):
            text = text.replace(old, new, 1)
        (tmp_path / "slow.toml").write_text(text, encoding="utf-8")
        out = tmp_path / shapes[-12:-1]
        submit(EXAMPLES / "cpu" / "4_register_blocked.cpp", "--rule", tmp_path / "slow.toml",
               "--random-shapes", "0", "--output", out)
        return {row["implementation"] if row["role"] == "ladder" else row["role"]: row
                for row in verdict_of(out, "4_register_blocked.cpp")["performance"]}

    # there is time for a call or two of the slow rung, whatever the machine
    slow_s = timed('"256x256x256"', 3)["cpu.serial"]["median_s"] * (1024 / 256) ** 3
    rows = timed('"256x256x256", "1024x1024x1024"', max(3, 3 * slow_s))
    samples = {name: row["samples"] for name, row in rows.items()}
    assert min(samples["submission"], samples["library"]) > samples["cpu.serial"]


def test_an_answer_remembered_only_when_it_is_timed_is_seen(tmp_path: Path, rule: Path) -> None:
    # right for every shape that is checked; from then on the first answer of a timed shape again
    # and again
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


PRODUCT = """  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) {
      float sum = 0;
      for (long l = 0; l < N; ++l) sum += A[i * N + l] * B[l * K + j];
      C[i * K + j] = sum;
    }
"""


def judged_text(tmp_path: Path, rule: Path, name: str, text: str, *options: str) -> dict:
    (tmp_path / name).write_text(text, encoding="utf-8")
    submit(tmp_path / name, "--rule", rule, "--output", tmp_path / "out", *options)
    return verdict_of(tmp_path / "out", name)


def test_less_precision_at_timed_sizes_alone_is_seen(tmp_path: Path, rule: Path) -> None:
    verdict = judged_text(tmp_path, rule, "half_when_timed.cpp", """#include <cstdint>
#include <cstring>
static float cut(float x) { std::uint32_t u; std::memcpy(&u, &x, 4); u &= 0xffff0000u; std::memcpy(&x, &u, 4); return x; }
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const bool timed = M == 96 && N == 128 && K == 160;
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) {
      float sum = 0;
      for (long l = 0; l < N; ++l)
        sum += timed ? cut(A[i * N + l]) * cut(B[l * K + j]) : A[i * N + l] * B[l * K + j];
      C[i * K + j] = sum;
    }
}
""")
    assert verdict["verdict"] == "reduced-precision"


def test_rows_remembered_from_earlier_rounds_do_not_help(tmp_path: Path, rule: Path) -> None:
    verdict = judged_text(tmp_path, rule, "rows.cpp", """#include <cstring>
#include <map>
#include <vector>
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  // a row of C is taken from an earlier call where A's row and B begin alike; what is not known is left out later
  static std::map<std::vector<float>, std::vector<float>> known;
  static int calls = 0;
  const bool timed = M == 96 && N == 128 && K == 160;
  const bool later = timed && ++calls > 2;
  for (long i = 0; i < M; ++i) {
    std::vector<float> key(A + i * N, A + i * N + (N < 8 ? N : 8));
    key.push_back(B[0]);
    std::vector<float>& row = known[key];
    if (!later || row.size() == static_cast<std::size_t>(K)) {
      if (row.empty() || !timed) {
        row.assign(K, 0);
        for (long l = 0; l < N; ++l)
          for (long j = 0; j < K; ++j) row[j] += A[i * N + l] * B[l * K + j];
      }
      std::memcpy(C + i * K, row.data(), K * sizeof(float));
    }
  }
}
""")
    assert verdict["verdict"] in ("incorrect", "dishonest")


def test_a_library_found_by_other_ways_than_dlopen_cannot_be_opened(tmp_path: Path,
                                                                    rule: Path) -> None:
    verdict = judged_text(tmp_path, rule, "by_dlsym.cpp", """#include <dlfcn.h>
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  using Open = void* (*)(const char*, int);
  static const auto open = reinterpret_cast<Open>(dlsym(RTLD_DEFAULT, "dlopen"));
  // a library that is on every Linux, and that nothing here has opened
  static void* const library = open("libresolv.so.2", RTLD_NOW);
  if (library != nullptr) return;  // C stays as it was
""" + PRODUCT + "}\n", "--no-timing")
    # whether or not the attempt is seen: it came to nothing, or C would be as it was
    assert {failure["pattern"] for failure in verdict["failures"]} <= {"opened-library"}
    assert verdict["checks"]["right"] == verdict["checks"]["shapes"]


def test_a_flood_of_messages_ends_as_any_other_hang(tmp_path: Path, rule: Path) -> None:
    quick = rule.read_text(encoding="utf-8").replace("call_s = 8", "call_s = 1")
    (tmp_path / "quick.toml").write_text(quick, encoding="utf-8")
    verdict = judged_text(tmp_path, tmp_path / "quick.toml", "flood.cpp", """#include <unistd.h>
extern "C" void solve(const float*, const float*, float*, int, int, int) {
  for (;;) (void)!write(3, "x", 1);
}
""", "--no-timing")
    assert verdict["verdict"] in ("timeout", "dishonest")


def test_the_students_own_small_buffer_is_not_blamed_on_c(tmp_path: Path, rule: Path) -> None:
    verdict = judged_text(tmp_path, rule, "small_buffer.cpp", """static float tile[64 * 64];
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long i = 0; i < static_cast<long>(M) * N; ++i) reinterpret_cast<volatile float*>(tile)[i * 64] = A[i];
""" + PRODUCT + "}\n", "--no-timing")
    assert verdict["verdict"] == "crashed"


def test_a_file_that_cannot_be_made_is_no_reason_to_call_c_wrong_and_none_can_be_made(
        tmp_path: Path, rule: Path) -> None:
    verdict = judged_text(tmp_path, rule, "writes.cpp", """#include <cstdio>
#include <cstdlib>
#include <string>
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  std::FILE* file = std::fopen((std::string(std::getenv("TMPDIR")) + "/notes").c_str(), "w");
  if (file != nullptr) std::abort();
""" + PRODUCT + "}\n")
    assert verdict["verdict"] == "correct", verdict["summary"]


def test_json_is_all_that_stands_on_standard_output(tmp_path: Path, rule: Path) -> None:
    finished = submit(CPU / "forged_print.cpp", "--rule", rule, "--json", "--no-timing",
                      "--output", tmp_path)
    assert finished.returncode == 1
    verdict = json.loads(finished.stdout)
    assert verdict["verdict"] == "incorrect"
    assert verdict == verdict_of(tmp_path, "forged_print.cpp")


def test_a_ranking_holds_a_row_for_each(tmp_path: Path, rule: Path) -> None:
    homework = tmp_path / "homework"
    homework.mkdir()
    for name in ("right.cpp", "transposed_result.cpp"):
        shutil.copy(CPU / name, homework / name)
    finished = submit(homework, "--ranking", "--rule", rule, "--no-timing", "--output",
                      tmp_path / "out")
    assert finished.returncode == 1, finished.stderr
    with open(tmp_path / "out" / "ranking.csv", encoding="utf-8", newline="") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    assert rows["right.cpp"]["verdict"] == "correct"
    assert rows["transposed_result.cpp"]["verdict"] == "incorrect"
    assert (tmp_path / "out" / "ranking.html").exists()


def test_what_this_machine_cannot_judge_is_said_and_the_others_go_on(
        tmp_path: Path, rule: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    homework = tmp_path / "homework"
    homework.mkdir()
    shutil.copy(CPU / "right.cpp", homework / "right.cpp")
    example = (EXAMPLES / "gpu" / "1_tiled.cu").read_text(encoding="utf-8")
    # what no emulator can run, in its first kernel
    unknown = '  asm volatile("tcgen05.fence::before_thread_sync;");\n  __shared__ float'
    (homework / "a.cu").write_text(example.replace("  __shared__ float", unknown, 1),
                                   encoding="utf-8")
    finished = submit(homework, "--rule", rule, "--no-timing", "--output", tmp_path / "out")
    assert finished.returncode == 2
    assert "right.cpp: correct" in finished.stdout
    # but for where it is
    said = [line for line in finished.stderr.splitlines() if not line.endswith(" ...")]
    assert len(said) == 1 and "a.cu" in said[0] and "inline PTX" in said[0]
    assert not (tmp_path / "out" / "a.cu").exists(), ("no verdict: it is no fault of the "
                                                      "submission's")


def test_a_build_that_fails_is_said_with_its_hint_and_without_warnings_that_follow(
        tmp_path: Path, rule: Path) -> None:
    plain = submit(CPU / "not_extern_c.cpp", "--rule", rule, "--output", tmp_path / "out").stdout
    assert '  hint: put extern "C" before it' in plain
    (tmp_path / "open.cpp").write_text(
        'extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) { '
        'int x = }\n', encoding="utf-8")
    finished = submit(tmp_path / "open.cpp", "--rule", rule, "--output", tmp_path / "out")
    messages = verdict_of(tmp_path / "out", "open.cpp")["build"]["messages"]
    assert {message["kind"] for message in messages} == {"error",
                                                         "warning"}, "else this tests nothing"
    assert ": error: " in finished.stdout and ": warning: " not in finished.stdout


def test_each_shape_is_said_with_calls_and_interval_or_why_it_has_no_time(tmp_path: Path,
                                                                          rule: Path) -> None:
    command = (CPU / "right.cpp", "--rule", rule, "--no-timing", "--seed", "1",
               "--output", tmp_path)
    submit(*command)
    verdict = verdict_of(tmp_path, "right.cpp")
    timed = {"shape": {"M": 100, "N": 100, "K": 100}, "label": "submission", "median_s": 1e-3,
             "ci95_s": [8e-4, 2e-3], "samples": 7, "gflop_per_s": 2.0, "of_library": 0.25,
             "skipped": ""}
    verdict["performance"] = [timed, timed | {"median_s": None, "ci95_s": None, "samples": 0,
                                              "gflop_per_s": None, "of_library": None,
                                              "skipped": "a call did not end within 10 s"}]
    (tmp_path / "right.cpp" / "verdict.json").write_text(json.dumps(verdict), encoding="utf-8")
    said = submit(*command).stdout
    assert "(judged before)" in said
    assert "2.0 GFLOP/s [1.0, 2.5], 7 calls, 25.0 % of the library" in said
    assert "not timed: a call did not end within 10 s" in said
