"""result.json in each submission's folder, schema classroom50/result/v1:
https://github.com/foundation50/classroom50/wiki/Advanced-Autograding. Points are whole numbers
there."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from submissions.verdicts.grading import Grading

from .rows import Outcome, outcomes, whole_points, write_json

SCHEMA = "classroom50/result/v1"
OUTSIDE = "none"  # of what only the runner of Classroom 50 knows


def result(outcome: Outcome, variables: dict[str, str]) -> dict[str, Any]:
    """`variables`: the runner's environment. It stamps owner and assignment_type itself."""
    tests = [{"test-name": row.name, "passed": row.passed, "score": points, "max-score": of}
             for row, (points, of) in zip(outcome.rows, whole_points(outcome.rows))]
    known = {key: variables.get(name) or OUTSIDE for key, name in (
        ("classroom", "CLASSROOM"), ("assignment", "ASSIGNMENT"), ("submission", "SUBMISSION_TAG"),
        ("commit", "COMMIT_URL"), ("release", "RELEASE_URL"))}
    return {"schema": SCHEMA, **known, "review": variables.get("REVIEW_URL") or known["commit"],
            "datetime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "score": sum(test["score"] for test in tests),
            "max-score": sum(test["max-score"] for test in tests), "tests": tests}


def write(output: Path, folders: list[Path], grading: Grading | None) -> None:
    for outcome in outcomes(folders, grading):
        write_json(outcome.verdict.folder / "result.json", result(outcome, dict(os.environ)))
