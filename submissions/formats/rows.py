"""What every format tells of a submission: its mark, and the mark's parts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from files import output
from submissions.verdicts.grading import Grading
from submissions.verdicts.marks import Mark, mark_of, points_text
from submissions.verdicts.verdict import CORRECT, FILE, Verdict, load


@dataclass(frozen=True)
class Row:
    name: str
    points: float
    of: float | None  # what could be had; None: points that are only taken off
    text: str = ""

    @property
    def passed(self) -> bool:
        return self.points >= (self.of or 0)


@dataclass(frozen=True)
class Outcome:
    verdict: Verdict
    mark: Mark

    @property
    def rows(self) -> list[Row]:
        """The mark's parts; where there are none, whether the results are right is the one part."""
        rows = [Row(step.what, step.points, step.of) for step in self.mark.steps]
        if not any(row.of is not None for row in rows):
            rows = [Row(f"verdict {self.verdict.verdict}", self.mark.value, self.mark.most), *rows]
        return [Row(rows[0].name, rows[0].points, rows[0].of, self.reasons), *rows[1:]]

    @property
    def reasons(self) -> str:
        """What is wrong, and what to look at: a line each."""
        told = [str(self.verdict.raw.get("summary") or ""),
                self.mark.reason and f"Mark 0: {self.mark.reason}."]
        told += [f"line {one['line']}: {one['text']}" for one in self.verdict.part("build")
                 .get("messages") or [] if one.get("kind") == "error"]
        told += [one.explanation for one in self.verdict.findings]
        hints = [self.verdict.part("build").get("hint"),
                 *(one.hint for one in self.verdict.failures)]
        told += [str(hint) for hint in dict.fromkeys(hints) if hint]
        return "\n".join(filter(None, told))

    @property
    def page(self) -> str:
        """The student's page as Markdown, without pictures and pages, which lie beside it and do
        not travel."""
        lines = (self.verdict.folder / "page.md").read_text(encoding="utf-8").splitlines()
        return "\n".join(line for line in lines if not line.startswith(("![", "[")))


def outcomes(folders: list[Path], grading: Grading | None) -> Iterator[Outcome]:
    """Of what was judged; without a rule for marks, 1 for correct and 0 for anything else."""
    for folder in folders:
        if (folder / FILE).is_file():
            verdict = load(folder)
            plain = Mark(float(verdict.verdict == CORRECT), 1, "")
            yield Outcome(verdict, mark_of(verdict, grading) if grading else plain)


def whole_points(rows: list[Row]) -> list[tuple[int, int]]:
    """(points, of) of each row as whole numbers whose sums are the rounded sums."""
    made, before, before_of, points, of = [], 0, 0, 0.0, 0.0
    for row in rows:
        points, of = points + row.points, of + (row.of or 0)
        made.append((round(points) - before, round(of) - before_of))
        before, before_of = round(points), round(of)
    return made


def write_json(file: Path, value: dict[str, Any]) -> None:
    output.write_text(file, f"{json.dumps(value, indent=1, ensure_ascii=False)}\n")
    print(f"Result: {file}")


__all__ = ["Outcome", "Row", "outcomes", "points_text", "whole_points", "write_json"]
