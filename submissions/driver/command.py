"""`gemmlab submit`: each file is judged by a process of its own, one after the other, then pages are made."""

from __future__ import annotations

import os
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from report.ending import DONE, REFUSED
from report.records import InputError

from ..assignments import result
from ..assignments.schema import Assignment
from ..assignments.schema import read as read_assignment
from ..assignments.staging import files_to_judge
from ..pages.grading import grading_from
from ..formats import FORMATS
from ..pages.verdict import CORRECT
from . import homework
from .emulation import explain
from .options import Options, parsed
from .program import CannotBeJudged, HandIn, facts
from .told import Progress, in_words

WRONG = 1  # a submission is not correct
AT_A_TIME = 32  # compiled side by side, while nothing is timed, then judged one after the other


class _Run:
    """One call of the command."""

    def __init__(self, options: Options, known: dict[str, Any], assignment: Assignment | None) -> None:
        self._options = options
        self._assignment = assignment
        self._known = known
        self._submissions = known["submissions"]
        self._folders = {one["name"]: options.output / one["name"] for one in self._submissions}
        self._seed = homework.seed_for(list(self._folders.values())) if options.seed is None else options.seed
        self._limits: list[Any] | None = None  # the machine's ceilings, measured by the first hand-in that needs them
        self._progress = Progress()
        self._judged = 0
        self.correct = 0
        self.not_judged = 0

    def _circumstances(self, submission: dict[str, Any]) -> dict[str, Any]:
        """What a verdict depends on: the same again need not be judged again."""
        options, rule = self._options, self._known["rule"]
        random = rule["random_shapes"] if options.random_shapes is None else options.random_shapes
        return {"sha256": submission["sha256"], "program": self._known["program"], "machine": self._known["machine"],
                "rule": {"file": rule["file"], "sha256": rule["sha256"]}, "seed": self._seed,
                "options": {"random_shapes": random, "timing": not options.no_timing, "sanitize": options.sanitize,
                            "counters": options.counters, "emulate": options.emulate}}

    def _judged_before(self, submission: dict[str, Any]) -> dict[str, Any] | None:
        verdict = homework.recorded(self._folders[submission["name"]])
        wanted = self._circumstances(submission)
        same = verdict and all(key in verdict and verdict[key] == value for key, value in wanted.items())
        return verdict if same and not self._options.fresh else None

    def _hand_in(self, submission: dict[str, Any]) -> HandIn:
        wanted = self._circumstances(submission)
        return HandIn({"file": submission["path"], "rule": self._known["rule"]["path"], "seed": self._seed,
                       "options": wanted["options"], "without_isolation": self._options.without_isolation,
                       "worker": self._known["worker"]})

    def judge_all(self) -> None:
        for first in range(0, len(self._submissions), AT_A_TIME):
            self._judge_some(first, self._submissions[first:first + AT_A_TIME])

    def _judge_some(self, first: int, some: list[dict[str, Any]]) -> None:
        before = {one["name"]: self._judged_before(one) for one in some}
        waiting = [one for one in some if before[one["name"]] is None]
        at_work: dict[str, HandIn] = {}
        self._progress.now = f"{first + 1} of {len(self._submissions)}"
        self._progress.tell("compiling")
        try:
            side_by_side = len(os.sched_getaffinity(0))
            for place in range(len(waiting) + side_by_side):
                if place < len(waiting):
                    at_work[waiting[place]["name"]] = self._hand_in(waiting[place])
                if place >= side_by_side:
                    at_work[waiting[place - side_by_side]["name"]].compiled()
            for one in some:
                self._judge(one, before[one["name"]], at_work.get(one["name"]))
        finally:
            for hand_in in at_work.values():
                hand_in.end()

    def _judge(self, submission: dict[str, Any], verdict: dict[str, Any] | None, hand_in: HandIn | None) -> None:
        """What cannot be judged on this machine is said in a line, and the others go on."""
        self._judged += 1
        many = len(self._submissions) > 1
        self._progress.now = f"{submission['name']} ({self._judged} of {len(self._submissions)})" if many else submission["name"]
        if hand_in is not None:
            try:
                verdict, self._limits = hand_in.verdict(self._limits, self._progress.tell)
            except CannotBeJudged as reason:
                self._progress.end()
                print(f"gemmlab: {reason}", file=sys.stderr)
                self.not_judged += 1
                return
            finally:
                hand_in.end()
            verdict |= self._circumstances(submission)
            explain(verdict, Path(submission["path"]), self._folders[submission["name"]])
            result.add_to(verdict, self._assignment)
            homework.record(verdict, self._folders[submission["name"]])
        self._progress.end()
        print(homework.as_text(verdict) if self._options.json else in_words(verdict, hand_in is None, many), flush=True)
        self.correct += verdict["verdict"] == CORRECT

    def make_pages(self) -> None:
        from ..pages.command import write_all  # drawing is loaded only where there is something to draw

        folder = self._options.output
        if len(self._submissions) == 1 and not self._options.ranking:
            folder = self._folders[self._submissions[0]["name"]]
        with redirect_stdout(sys.stderr if self._options.json else sys.stdout):
            grading = grading_from(self._known["rule"]["grading"])
            write_all(folder, grading, self._options.ranking)
            for name in dict.fromkeys(self._options.format):
                FORMATS[name].write(self._options.output, list(self._folders.values()), grading)


def main(arguments: list[str]) -> int:
    """0 where every submission is correct, 1 where one is not, 2 where one could not be judged. Raises InputError."""
    options = parsed(arguments)
    assignment = read_assignment(options.assignment) if options.assignment else None
    if assignment:
        options.rule, options.emulate = assignment.path, options.emulate or assignment.loads is not None
    files = files_to_judge(options.paths, assignment, options.output)
    if options.json and (len(files) != 1 or options.ranking):
        raise InputError("--json prints the verdict of one file; for several, read verdict.json in their folders")
    options.output.mkdir(parents=True, exist_ok=True)
    known = facts(options.rule, files)
    if known["not_isolated"] and not options.without_isolation:
        raise InputError(f"submitted code cannot be kept apart here: {known['not_isolated']}; --without-isolation runs it all the "
                         "same, with limits, Landlock and seccomp, as far as this kernel has them")
    run = _Run(options, known, assignment)
    run.judge_all()
    if run.not_judged == len(files):
        return REFUSED
    run.make_pages()
    if run.not_judged:
        return REFUSED
    return DONE if run.correct == len(files) else WRONG
