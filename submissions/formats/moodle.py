"""moodle.csv, which Moodle's "Upload grading worksheet" reads, and moodle_feedback.zip with each
student's page, which its "Upload multiple feedback files in a zip" reads."""

from __future__ import annotations

import csv
import zipfile
from pathlib import Path

from files import safe
from files.output import new_file
from submissions.hand_ins.moodle import participant
from submissions.verdicts.grading import Grading

from .rows import Outcome, outcomes

# The worksheet's own heads; Moodle finds its columns by them.
HEADS = ("Identifier", "Full name", "Grade", "Maximum Grade", "Last modified (grade)",
         "Feedback comments")


def _row(outcome: Outcome) -> list[str]:
    name, number = participant(Path(outcome.verdict.submission).stem)
    mark = outcome.mark
    return [f"Participant {number}" if number else "", safe.for_csv(name),
            "" if mark.withheld else f"{mark.value:.2f}", f"{mark.most:.2f}", "-",
            safe.for_csv(f"{outcome.verdict.verdict}: {outcome.verdict.raw.get('summary') or ''}"
                         f"{' It could not be timed reliably yet.' if mark.withheld else ''}")]


def write(output: Path, folders: list[Path], grading: Grading | None) -> None:
    made = list(outcomes(folders, grading))
    with new_file(output / "moodle.csv", any_there=True) as whole, whole.open("w", encoding="utf-8",
                                                                              newline="") as file:
        csv.writer(file).writerows([HEADS, *map(_row, made)])
    with new_file(output / "moodle_feedback.zip", any_there=True) as whole, zipfile.ZipFile(
            whole, "w", zipfile.ZIP_DEFLATED) as packed:
        for outcome in made:
            student = Path(outcome.verdict.submission).stem
            if participant(student)[1]:
                packed.write(outcome.verdict.folder / "page.html",
                             f"{student}_assignsubmission_file_/page.html")
    print(f"Result: {output / 'moodle.csv'}, {output / 'moodle_feedback.zip'}")
