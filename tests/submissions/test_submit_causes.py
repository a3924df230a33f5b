"""Hand-ins with one fault each through the whole judge: the verdict, and the words that must stand
in the first sentence. `causes/*` begin with `// verdict: a, b`, `// pattern: p` and a `// says:
TEXT` for each. `on_an_h200.tsv` holds what hand-ins do on a card, and the judge must agree with."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest
from judged import (
    QUICK_RULE,
    ROOT,
    expected_verdicts,
    start,
    verdict_of,
    verdict_with_its_cause,
    words_of,
)

CAUSES = sorted((Path(__file__).parent / "causes").iterdir())
ON_A_CARD = {row["file"]: row for row in csv.DictReader(
    (line for line in (Path(__file__).parent / "on_an_h200.tsv").open(encoding="utf-8")
     if not line.startswith("#")), delimiter="\t")}
# What a run at a card's shapes need not show of a wrong hand-in.
NEEDS = {"more than 2^31 elements": "out-of-bounds", "the rule's memory": "out-of-memory",
         "other inputs at the same addresses": "dishonest", "undefined behaviour": "crashed"}
# Sums in float32 stay under this share of the largest; half precision is far over it.
LARGEST_ROUNDING = 2e-5
# All that no test judges anyway take minutes: GEMMLAB_ALL_ATTACKS=1.
OTHERS = [ROOT / name for name in ON_A_CARD if "/causes/" not in name]
if not os.environ.get("GEMMLAB_ALL_ATTACKS"):
    OTHERS = OTHERS[::9]
HALVES = 2  # judged side by side: nothing is timed


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """All of them: the folder, and what was printed. A block per element takes near ten seconds of
    the processor, and is right."""
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    folder = tmp_path_factory.mktemp("judged")
    rule = tmp_path_factory.mktemp("rule") / "patient.toml"
    rule.write_text(QUICK_RULE.replace("call_s = 8", "call_s = 25"), encoding="utf-8")
    running = [start(*(CAUSES + OTHERS)[half::HALVES], "--rule", rule, "--seed", "5", "--no-timing",
                     "--output", folder) for half in range(HALVES)]
    return folder, "".join(text for process in running for text in process.communicate(timeout=2400))


@pytest.mark.parametrize("file", CAUSES, ids=lambda file: file.name)
def test_the_verdict_is_right_and_the_first_sentence_names_the_cause(file: Path, judged) -> None:
    verdict = verdict_with_its_cause(*judged, file)
    for words in words_of(file):
        assert words in verdict["failures"][0]["explanation"], verdict["summary"]


@pytest.mark.parametrize("name", ON_A_CARD)
def test_the_verdict_is_what_a_card_shows(name: str) -> None:
    row = ON_A_CARD[name]
    told = [each for each in row["wrong"].split() if not each[-1].isdigit()
            or float(each.split(":")[1]) > LARGEST_ROUNDING]
    if (ROOT / name).parent.name == "causes":
        assert expected_verdicts(ROOT / name) == (row["verdict"],)
    if row["needs"]:
        assert row["verdict"] == NEEDS[row["needs"]]
    elif row["verdict"] == "build-failed":
        assert told == ["build-failed"]
    else:
        assert (row["verdict"] == "correct") == (not told and row["exit"] == "0")


def test_enough_of_the_hand_ins_were_run_on_a_card() -> None:
    assert len(ON_A_CARD) >= 60 and all(row["device"] and row["nvcc"] for row in ON_A_CARD.values())
    right = [row for row in ON_A_CARD.values() if row["verdict"] == "correct"]
    shown = [row for row in ON_A_CARD.values() if row["wrong"]]
    assert len(right) >= 15 and len(shown) >= 30


@pytest.mark.parametrize("file", OTHERS, ids=lambda file: file.name)
def test_the_judge_gives_that_verdict(file: Path, judged) -> None:
    folder, said = judged
    assert (folder / file.name / "verdict.json").exists(), said
    verdict = verdict_of(folder, file.name)
    assert verdict["verdict"] == ON_A_CARD[str(file.relative_to(ROOT))]["verdict"], verdict["summary"]
