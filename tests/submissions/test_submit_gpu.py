"""CUDA submissions through the whole judge, on a machine that has a GPU."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import (
    COLLECTION,
    EXAMPLES,
    GPU_ATTACKS,
    GPU_UNUSUAL,
    QUICK_RULE,
    differences,
    expected_verdicts,
    handed_in,
    least_s,
    submit,
    verdict_of,
)

GPU = COLLECTION / "gpu"
FILES = sorted(GPU.glob("*.cu"))
ATTACKS = sorted(GPU_ATTACKS.glob("*.cu"))


def test_every_wrong_or_dishonest_submission_gets_its_verdict_and_pattern(tmp_path: Path,
                                                                          rule: Path) -> None:
    finished = submit(GPU, "--rule", rule, "--no-timing", "--seed", "5", "--output", tmp_path)
    assert finished.returncode == 1, finished.stderr
    assert not differences(FILES, tmp_path)


@pytest.mark.parametrize("file", sorted((EXAMPLES / "gpu").glob("*.cu")),
                         ids=lambda file: file.name)
def test_an_example_is_right_and_has_its_place_on_the_ladder(tmp_path: Path, rule: Path,
                                                             file: Path) -> None:
    finished = submit(file, "--rule", rule, "--random-shapes", "100", "--output", tmp_path)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    verdict = verdict_of(tmp_path, file.name)
    assert verdict["resources"][0]["registers"] > 0
    assert {row["role"] for row in verdict["performance"]} == {"submission", "ladder", "library"}


def test_the_sanitizer_finds_a_missing_barrier(tmp_path: Path, rule: Path) -> None:
    finished = submit(GPU / "misses_barrier.cu", "--rule", rule, "--sanitize", "--no-timing",
                      "--output", tmp_path)
    assert finished.returncode == 1
    assert any(failure["pattern"] == "race"
               for failure in verdict_of(tmp_path, "misses_barrier.cu")["failures"])


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Attacks behave until M = K ≥ 512."""
    folder = tmp_path_factory.mktemp("attacked")
    text = QUICK_RULE.replace('["256x256x256", "256x384x512"]',
                              '["512x512x512", "1024x1024x1024"]').replace("call_s = 8",
                                                                           "call_s = 3")
    (folder / "rule.toml").write_text(text, encoding="utf-8")
    submit(handed_in(ATTACKS, folder / "attacks"), "--rule", folder / "rule.toml", "--output",
           folder / "out")
    return folder / "out"


@pytest.mark.parametrize("file", ATTACKS, ids=lambda file: file.stem)
def test_an_attack_gains_neither_verdict_nor_time(attacked: Path, file: Path) -> None:
    verdict = verdict_of(attacked, file.name)
    assert verdict["verdict"] in expected_verdicts(file), verdict["summary"]
    if verdict["verdict"] == "correct":
        own = [row for row in verdict["performance"]
               if row["role"] == "submission" and row["median_s"]]
        assert all(row["median_s"] >= least_s(file) or not row["speed_counts"] for row in own)


def test_unusual_but_right_hand_ins_are_correct(tmp_path: Path, rule: Path) -> None:
    submit(GPU_UNUSUAL, "--rule", rule, "--output", tmp_path)
    verdicts = {file.name: verdict_of(tmp_path, file.name) for file in GPU_UNUSUAL.iterdir()}
    assert len(verdicts) >= 12
    assert not {name: one["summary"] for name, one in verdicts.items()
                if one["verdict"] != "correct"}
    late = [row for one in verdicts.values() for row in one["performance"]
            if row["role"] == "submission" and row["skipped"]]
    assert not late
