"""Hand-ins in other types, with alpha and beta and in BLAS' order, through the whole judge. `types/*`
begin with `// rule: KEY = VALUE, ...`, `// verdict: a`, `// pattern: p` and a `// says: TEXT` for
each; GPU code is emulated."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from judged import start, submit, verdict_of, verdict_with_its_cause

TYPED = sorted((Path(__file__).parent / "types").iterdir())


def _rule_of(file: Path) -> str:
    found = re.search(r"^// rule: (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    assert found, f"{file.name} does not say its rule"
    return found[1]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """All of them, those of one rule together: the folder, and what was printed."""
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    folder, said = tmp_path_factory.mktemp("judged"), ""
    for number, text in enumerate(sorted({_rule_of(file) for file in TYPED})):
        rule = folder / f"{number}.toml"
        keys = text.replace(", ", "\n")
        rule.write_text(f"{keys}\nrandom_shapes = 4\n[limits]\nmemory_mib = 1024\n",
                        encoding="utf-8")
        files = [file for file in TYPED if _rule_of(file) == text]
        process = start(*files, "--rule", rule, "--seed", "5", "--no-timing", "--output", folder)
        said += "".join(process.communicate(timeout=2400))
    return folder, said


@pytest.mark.parametrize("file", TYPED, ids=lambda file: file.name)
def test_the_verdict_is_that_of_the_rules_type(file: Path, judged) -> None:
    verdict_with_its_cause(*judged, file)


def test_the_page_writes_sizes_in_the_order_of_the_rule(judged) -> None:
    folder, _ = judged
    page = (folder / "leetgpu_usual_order.cu" / "page.md").read_text(encoding="utf-8")
    shape = verdict_of(folder, "leetgpu_usual_order.cu")["failures"][0]["shape"]
    assert "which solve calls M×K×N: A is M×K, B is K×N, C is M×N" in page
    assert f"M = {shape['M']}, N = {shape['K']}, K = {shape['N']}" in page
    assert f"M = {shape['M']}, N = {shape['N']}, K = {shape['K']}" not in page


def test_what_is_not_timed_says_so(tmp_path: Path) -> None:
    rule = tmp_path / "rule.toml"
    rule.write_text('type = "int8"\nrandom_shapes = 0\n', encoding="utf-8")
    file = next(file for file in TYPED if file.name == "int8.cpp")
    finished = submit(file, "--rule", rule, "--output", tmp_path / "out")
    assert finished.returncode == 0, finished.stdout + finished.stderr
    verdict = verdict_of(tmp_path / "out", "int8.cpp")
    assert verdict["verdict"] == "correct" and not verdict["performance"]
    assert any(note.startswith("It was not timed") for note in verdict["notes"])
    assert verdict["solve"] == {"type": "int8", "result": "int32", "inner": "N",
                                "alpha_beta": False}
