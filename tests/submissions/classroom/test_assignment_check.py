"""What `assignment check` makes of the skeleton's and the solution's verdicts; the judge itself is
asked in test_submit_assignments.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from submissions.assignments import command
from submissions.verdicts.marks import Mark
from submissions.verdicts.steps import Band, Step

TILED = command.TEMPLATES["tiled"]


def outcome(verdict: str, mark: float, can_be_had: float = 100,
            uncertain: bool = False) -> command._Outcome:
    return command._Outcome({"verdict": verdict, "summary": "Why."}, Mark(mark, 100, ""),
                            can_be_had, uncertain)


def withheld() -> command._Outcome:
    """60 points are certain, 40 for speed are not known."""
    speed = Step("speed", "too busy", 0, 40, Band(0, 0, False, 0, 4, at_most=40, withheld=True))
    return command._Outcome({"verdict": "correct", "summary": "Why."},
                            Mark(60, 100, "", (speed,)), 100, True)


GOOD, WRONG = outcome("correct", 100), outcome("incorrect", 10)


@pytest.mark.parametrize(("skeleton", "solution", "code", "said"), [
    (WRONG, GOOD, 0, ["skeleton: incorrect, mark 10: as it should be.",
                      "solution: correct, mark 100 of 100: as it should be."]),
    (WRONG, outcome("correct", 60, can_be_had=60), 0,
     ["mark 60 of 60 that can be had without a GPU: as it should be."]),
    (GOOD, WRONG, 1,
     ["it should compile and be incorrect. Why.", "it should get full marks. Why."]),
    (outcome("build-failed", 0), GOOD, 1,
     ["skeleton: build-failed, mark 0: it should compile and be incorrect. Why."]),
    (WRONG, outcome("correct", 90), 1,
     ["solution: correct, mark 90 of 100: it should get full marks."]),
    (WRONG, outcome("correct", 90, uncertain=True), 4, ["check again while nothing else runs"]),
    (WRONG, withheld(), 4, ["mark withheld, at least 60 of 100: no speed could be relied on.",
                            "check again while nothing else runs"]),
    (WRONG, outcome("incorrect", 0, uncertain=True), 1, ["it should get full marks"])])
def test_the_skeleton_is_to_be_wrong_and_the_solution_to_get_full_marks(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
        skeleton: command._Outcome, solution: command._Outcome, code: int, said: list[str]) -> None:
    def judged(assignment, file: Path, output: Path, options: list[str]) -> command._Outcome:
        return {"skeleton": skeleton, "solution": solution}[file.stem]

    monkeypatch.setattr(command, "_judged", judged)
    assert command.check(TILED, []) == code
    told = capsys.readouterr().out
    assert all(one in told for one in said), told
