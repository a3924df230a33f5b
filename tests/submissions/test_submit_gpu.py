"""CUDA submissions through the whole judge, on a machine that has a GPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from judged import COLLECTION, EXAMPLES, differences, submit, verdict_of

GPU = COLLECTION / "gpu"
FILES = sorted(GPU.glob("*.cu"))


def test_every_wrong_or_dishonest_submission_gets_its_verdict_and_pattern(tmp_path: Path, rule: Path) -> None:
    finished = submit(GPU, "--rule", rule, "--no-timing", "--seed", "5", "--output", tmp_path)
    assert finished.returncode == 1, finished.stderr
    assert not differences(FILES, tmp_path)


@pytest.mark.parametrize("file", sorted((EXAMPLES / "gpu").glob("*.cu")), ids=lambda file: file.name)
def test_an_example_is_right_and_has_its_place_on_the_ladder(tmp_path: Path, rule: Path, file: Path) -> None:
    finished = submit(file, "--rule", rule, "--random-shapes", "100", "--output", tmp_path)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    verdict = verdict_of(tmp_path, file.name)
    assert verdict["resources"][0]["registers"] > 0
    assert {row["role"] for row in verdict["performance"]} == {"submission", "ladder", "library"}


def test_the_sanitizer_finds_a_missing_barrier(tmp_path: Path, rule: Path) -> None:
    finished = submit(GPU / "misses_barrier.cu", "--rule", rule, "--sanitize", "--no-timing", "--output", tmp_path)
    assert finished.returncode == 1
    assert any(failure["pattern"] == "race" for failure in verdict_of(tmp_path, "misses_barrier.cu")["failures"])
