"""Hand-ins that want marks they have not earned, none of which may get them; and right ones of
unusual kinds, all of which must."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from judged import ATTACKS, QUICK_RULE, expected_verdicts, handed_in, least_s, submit, verdict_of

HERE = Path(__file__).parent
CHECKED = sorted((ATTACKS / "checked").glob("*.cpp"))
TIMED = sorted((ATTACKS / "timed").glob("*.cpp"))
UNUSUAL = HERE / "unusual"
ESCAPE = "\x1b[2J\x1b]0;mine\x07"
RIGHT = """extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) {
      float sum = 0;
      for (long l = 0; l < N; ++l) sum += A[i * N + l] * B[l * K + j];
      C[i * K + j] = sum;
    }
}
"""


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory, rule: Path) -> Path:
    folder = tmp_path_factory.mktemp("checked")
    attacks = handed_in(CHECKED, tmp_path_factory.mktemp("handed") / "in")
    assert submit(attacks, "--rule", rule, "--no-timing", "--output", folder).returncode == 1
    return folder


@pytest.fixture(scope="module")
def timed(tmp_path_factory: pytest.TempPathFactory, rule: Path) -> Path:
    folder = tmp_path_factory.mktemp("timed")
    attacks = handed_in(TIMED, tmp_path_factory.mktemp("handed") / "in")
    # 4: others took the processors
    assert submit(attacks, "--rule", rule, "--output", folder).returncode in (1, 4)
    return folder


@pytest.mark.parametrize("file", CHECKED, ids=lambda file: file.stem)
def test_an_attack_on_the_checks_gets_what_it_deserves(checked: Path, file: Path) -> None:
    verdict = verdict_of(checked, file.name)
    assert verdict["verdict"] in expected_verdicts(file), verdict["summary"]


@pytest.mark.parametrize("file", TIMED, ids=lambda file: file.stem)
def test_an_attack_on_the_clock_gains_no_time(timed: Path, file: Path) -> None:
    verdict = verdict_of(timed, file.name)
    assert verdict["verdict"] in expected_verdicts(file), verdict["summary"]
    times = [row["median_s"] for row in verdict["performance"]
             if row["role"] == "submission" and row["median_s"]]
    if verdict["verdict"] == "correct" and least_s(file):
        assert min(times) >= least_s(file)


def test_each_hand_in_gets_inputs_of_its_own_and_says_afterwards_which(timed: Path) -> None:
    keys = [verdict_of(timed, file.name)["inputs_key"] for file in TIMED]
    assert all(re.fullmatch("[0-9a-f]{64}", key) for key in keys) and len(set(keys)) == len(keys)


def test_unusual_but_right_hand_ins_are_correct(tmp_path: Path) -> None:
    (tmp_path / "roomy.toml").write_text(
        QUICK_RULE.replace("memory_mib = 1024", "memory_mib = 4096"), encoding="utf-8")
    submit(UNUSUAL, "--rule", tmp_path / "roomy.toml", "--no-timing", "--output", tmp_path / "out")
    files = sorted(file.name for file in UNUSUAL.iterdir())
    assert len(files) >= 31
    verdicts = {name: verdict_of(tmp_path / "out", name) for name in files}
    assert not {name: one["summary"] for name, one in verdicts.items()
                if one["verdict"] != "correct"}


def test_files_that_cannot_be_judged_are_their_authors_verdict_and_the_others_go_on(
        tmp_path: Path, rule: Path) -> None:
    homework = tmp_path / "homework"
    homework.mkdir()
    (homework / "right.cpp").write_text(RIGHT, encoding="utf-8")
    (homework / "empty.cpp").touch()
    (homework / "large.cpp").write_text("// " + "x" * (2 << 20), encoding="utf-8")
    (homework / "binary.cpp").write_bytes(b"\x7fELF\x00\x00\xff\xfe")
    (homework / "link.cpp").symlink_to(homework / "right.cpp")
    (homework / "nowhere.cpp").symlink_to("/no/such/file")
    finished = submit(homework, "--rule", rule, "--no-timing", "--ranking", "--output",
                      tmp_path / "out")
    assert finished.returncode == 1, finished.stderr
    verdicts = {file.name: verdict_of(tmp_path / "out", file.name) for file in homework.iterdir()}
    assert verdicts.pop("right.cpp")["verdict"] == "correct"
    assert {one["verdict"] for one in verdicts.values()} == {"build-failed"}
    assert ("a link" in verdicts["link.cpp"]["build"]["reason"]
            and "empty" in verdicts["empty.cpp"]["build"]["reason"])
    assert (tmp_path / "out" / "ranking.csv").exists()


def test_json_is_answered_whatever_the_file_is(tmp_path: Path, rule: Path) -> None:
    (tmp_path / "empty.cpp").touch()
    finished = submit(tmp_path / "empty.cpp", "--rule", rule, "--json", "--output",
                      tmp_path / "out")
    assert finished.returncode == 1 and json.loads(finished.stdout)["verdict"] == "build-failed"
    for wrong in (("missing.cpp",), (tmp_path / "empty.cpp", "--seed", "x"), (tmp_path,)):
        finished = submit(*wrong, "--json", cwd=tmp_path)
        assert finished.returncode in (1, 2) and isinstance(json.loads(finished.stdout), dict)


def test_nothing_that_a_terminal_obeys_comes_from_names_and_compilers(tmp_path: Path,
                                                                      rule: Path) -> None:
    homework = tmp_path / "homework"
    homework.mkdir()
    (homework / f"a{ESCAPE}.cpp").write_text(RIGHT, encoding="utf-8")
    (homework / "b.cpp").write_text(f"#error {ESCAPE}\n#pragma message \"{ESCAPE}\"\n", encoding="utf-8")
    (homework / "c.cpp").write_text("#include <stdexcept>\nextern \"C\" void solve(const float*, "
                                    "const float*, float*, int, int, int) { throw "
                                    f"std::runtime_error(\"{ESCAPE}\"); }}\n", encoding="utf-8")
    finished = submit(homework, "--rule", rule, "--no-timing", "--ranking", "--output",
                      tmp_path / "out")
    one = submit(homework / "b.cpp", "--rule", rule, "--no-timing", "--output", tmp_path / "one")
    for text in (finished.stdout, finished.stderr, one.stdout, one.stderr):
        assert "\x1b" not in text and "\x07" not in text
    assert verdict_of(tmp_path / "out", "c.cpp")["verdict"] == "crashed"


def test_another_file_cannot_be_included_wherever_it_lies(tmp_path: Path, rule: Path) -> None:
    homework = tmp_path / "homework"
    homework.mkdir()
    (homework / "anna.cpp").write_text(RIGHT, encoding="utf-8")
    for place in (homework / "anna.cpp", Path("/var/lib/gemmlab_other.h")):
        try:
            if not place.exists():
                shutil.copy(homework / "anna.cpp", place)
        except OSError:  # not root's machine
            continue
        try:
            (tmp_path / "bert.cpp").write_text(f'#include "{place}"\n', encoding="utf-8")
            submit(tmp_path / "bert.cpp", "--rule", rule, "--no-timing", "--fresh", "--output",
                   tmp_path / "out")
            assert verdict_of(tmp_path / "out", "bert.cpp")["verdict"] == "build-failed", place
        finally:
            if homework not in place.parents:
                place.unlink()
