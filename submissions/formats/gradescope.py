"""results.json in each submission's folder, by
https://gradescope-autograders.readthedocs.io/en/latest/specs/."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from submissions.verdicts.grading import Grading

from .rows import Outcome, Row, outcomes, points_text, write_json


def _test(row: Row) -> dict[str, Any]:
    test: dict[str, Any] = {"name": row.name, "name_format": "text", "output": row.text,
                            "output_format": "text", "status": "passed" if row.passed else "failed"}
    if row.of is None:  # what is taken off can be no score of its own: the whole score has it
        return test | {"output": f"{points_text(row.points)} points"}
    return test | {"score": row.points, "max_score": row.of}


def results(outcome: Outcome) -> dict[str, Any]:
    made = {"score": outcome.mark.value, "output": outcome.page, "output_format": "md",
            "stdout_visibility": "hidden", "tests": [_test(row) for row in outcome.rows]}
    fastest = outcome.verdict.largest
    if fastest is not None:
        inner = "" if fastest.shape.N == fastest.shape.K else " (N inner)"
        name = f"GFLOP/s at {fastest.shape.words}{inner}"
        made["leaderboard"] = [{"name": name, "value": round(fastest.gflop_per_s, 2),
                                "order": "desc"}]
    return made


def write(output: Path, folders: list[Path], grading: Grading | None) -> None:
    for outcome in outcomes(folders, grading):
        write_json(outcome.verdict.folder / "results.json", results(outcome))
