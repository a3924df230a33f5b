"""Hand-ins with one fault each through the whole judge: the verdict, and the words that must stand
in the first sentence. `causes/*` begin with `// verdict: a, b`, `// pattern: p` and a `// says:
TEXT` for each."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from judged import expected_verdicts, start, verdict_of

CAUSES = sorted((Path(__file__).parent / "causes").iterdir())
HALVES = 2  # judged side by side: nothing is timed


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory, rule: Path) -> tuple[Path, str]:
    """All of them: the folder, and what was printed."""
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    folder = tmp_path_factory.mktemp("judged")
    running = [start(*CAUSES[half::HALVES], "--rule", rule, "--seed", "5", "--no-timing",
                     "--output", folder) for half in range(HALVES)]
    return folder, "".join(text for process in running for text in process.communicate(timeout=800))


@pytest.mark.parametrize("file", CAUSES, ids=lambda file: file.name)
def test_the_verdict_is_right_and_the_first_sentence_names_the_cause(file: Path, judged) -> None:
    folder, said = judged
    assert (folder / file.name / "verdict.json").exists(), said
    verdict = verdict_of(folder, file.name)
    assert verdict["verdict"] in expected_verdicts(file), verdict["summary"]
    text = file.read_text(encoding="utf-8")
    patterns = re.findall(r"^// pattern: (.*)$", text, re.MULTILINE)
    assert [one["pattern"] for one in verdict["failures"]][:1] == patterns, verdict["summary"]
    for words in re.findall(r"^// says: (.*)$", text, re.MULTILINE):
        assert words in verdict["failures"][0]["explanation"], verdict["summary"]
        assert words in verdict["summary"]
