"""One call of `gemmlab submit`: all are checked first, side by side on the cores; those that are right are then timed one by
one. What is known of each is written at once, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from threading import Lock
from typing import Any

from report import safe

from ..assignments import result
from ..assignments.schema import Assignment
from ..pages.grading import grading_from
from ..pages.marks import Mark, mark_of
from ..pages.verdict import CORRECT, verdict_from
from . import homework, ladder, program
from .certain import is_uncertain, may_be_the_others_fault, that_counts
from .emulation import explain
from .merge import merged
from .options import Options
from .program import CannotBeJudged, HandIn, JudgeBroke
from .side_by_side import side_by_side
from .told import Counting, Progress, in_words, speed_line

DONE, WAITING, NONE = "done", "waiting", "none"  # of `timing` in a verdict
TURNS_MORE = 2  # in which what is uncertain is timed once more, when all others are done
GIVES_UP_AFTER = 5
COMPILED_AHEAD = 16  # side by side, while nothing is timed, then timed one after the other
_Submission = dict[str, Any]
_Verdict = dict[str, Any]


def _quiet(doing: str) -> None:
    """Of several at a time, what each is doing is not told."""


class Run:
    """One call of the command."""

    def __init__(self, options: Options, known: dict[str, Any], assignment: Assignment | None = None) -> None:
        self._options = options
        self._assignment = assignment
        self._known = known
        self._submissions: list[_Submission] = known["submissions"]
        self._folders = {one["name"]: options.output / one["name"] for one in self._submissions}
        self._seed = homework.seed_for(list(self._folders.values())) if options.seed is None else options.seed
        self._limits: list[Any] | None = None  # the machine's ceilings, measured by the first that needs them
        self.grading = grading_from(known["rule"]["grading"])
        self._alone = len(self._submissions) == 1
        self._progress = Progress()
        rule = {"rule": known["rule"]["sha256"], "like": options.like}
        self._ladders = ladder.Ladders(options.output, {key: known[key] for key in ("program", "machine")} | rule, options.fresh)
        self._at_work: set[HandIn] = set()
        self._stopping = False
        self._lock = Lock()
        self._verdicts: dict[str, _Verdict] = {}
        self.not_judged = 0
        self.broke = 0

    # what a verdict depends on, and what is known already

    def _circumstances(self, submission: _Submission) -> dict[str, Any]:
        """The same again need not be judged again."""
        options, rule = self._options, self._known["rule"]
        random = rule["random_shapes"] if options.random_shapes is None else options.random_shapes
        return {"sha256": submission["sha256"], "program": self._known["program"], "machine": self._known["machine"],
                "rule": {"file": rule["file"], "sha256": rule["sha256"]}, "seed": self._seed,
                "options": {"random_shapes": random, "timing": not options.no_timing, "alone": self._alone,
                            "sanitize": options.sanitize, "counters": options.counters, "emulate": options.emulate, "like": options.like}}

    def _judged_before(self, submission: _Submission) -> _Verdict | None:
        verdict = homework.recorded(self._folders[submission["name"]])
        wanted = self._circumstances(submission)
        same = verdict and all(key in verdict and verdict[key] == value for key, value in wanted.items())
        same = same and not (self._alone and verdict["timing"] == WAITING)
        return verdict if same and not self._options.fresh else None

    def _request(self, device: str) -> dict[str, Any]:
        """What every request to judge holds."""
        options = {"random_shapes": 0, "sanitize": False, "counters": False, "emulate": False, "timing": True, "alone": self._alone,
                   "like": self._options.like}
        return {"rule": self._known["rule"]["path"], "seed": self._seed, "inputs_key": self._options.inputs_key,
                "options": options, "device": device,
                "without_isolation": self._options.without_isolation, "worker": self._known["worker"]}

    def _hand_in(self, submission: _Submission) -> HandIn:
        request = self._request(submission["device"]) | {"file": submission["path"]}
        with self._lock:
            if self._stopping:
                raise JudgeBroke("stopped")
            made = HandIn(request | {"options": self._circumstances(submission)["options"]})
            self._at_work.add(made)
        return made

    def _end(self, hand_in: HandIn) -> None:
        hand_in.end()
        with self._lock:
            self._at_work.discard(hand_in)

    def _end_all(self) -> None:
        """What is at work, and what would begin."""
        with self._lock:
            self._stopping = True
            left = list(self._at_work)
        for hand_in in left:
            hand_in.end()

    # the steps

    def judge_all(self) -> None:
        before = {one["name"]: self._judged_before(one) for one in self._submissions}
        try:
            if self._alone:
                self._judge_alone(self._submissions[0], before)
            else:
                self._check_class(before)
                self._time_class()
        finally:
            self._end_all()

    def _judge_alone(self, submission: _Submission, before: dict[str, _Verdict | None]) -> None:
        name = submission["name"]
        self._progress.now = name
        verdict = before[name]
        if verdict is None:
            hand_in = self._hand_in(submission)
            try:
                self._progress.tell("compiling")
                verdict, worth_timing = hand_in.check(self._progress.tell)
                if worth_timing:
                    timed, self._limits = hand_in.time(self._limits, [], self._progress.tell)
                    verdict = merged(verdict, timed)
                self._keep(submission, verdict, DONE if worth_timing else NONE)
            except CannotBeJudged as reason:
                return self._say_not_judged(reason)
            finally:
                self._end(hand_in)
        self._verdicts[name] = verdict
        self._progress.end()
        print(homework.as_text(verdict) if self._options.json else in_words(verdict, before[name] is not None, False), flush=True)

    def _check_class(self, before: dict[str, _Verdict | None]) -> None:
        """Correctness of all, on all cores; what may differ because of the others is checked once more, alone."""
        waiting = []
        for one in self._submissions:
            if (known := before[one["name"]]) is None:
                waiting.append(one)
            else:
                self._verdicts[one["name"]] = known
                print(in_words(known, True, True), flush=True)
        counting = Counting(len(waiting), "checked")
        again = []
        for submission, checked in side_by_side(self._check, waiting, lambda: self._tell(counting, "checking"), self._end_all):
            counting.one_more()
            try:
                verdict, worth_timing = checked.result()
            except (CannotBeJudged, JudgeBroke) as reason:
                self._say_not_judged(reason)
                continue
            if may_be_the_others_fault(verdict):
                again.append(submission)
            else:
                self._checked(submission, verdict, worth_timing)
        for submission in again:
            self._progress.now = f"{submission['name']}, once more, alone"
            try:
                self._checked(submission, *self._check(submission))
            except (CannotBeJudged, JudgeBroke) as reason:
                self._say_not_judged(reason)
        self._progress.end()

    def _check(self, submission: _Submission) -> tuple[_Verdict, bool]:
        hand_in = self._hand_in(submission)
        try:
            return hand_in.check(_quiet)
        finally:
            self._end(hand_in)

    def _checked(self, submission: _Submission, verdict: _Verdict, worth_timing: bool) -> None:
        self._keep(submission, verdict, WAITING if worth_timing else NONE)
        self._progress.end()
        print(in_words(verdict, False, True), flush=True)

    def _time_class(self) -> None:
        waiting = [one for one in self._submissions if self._verdicts.get(one["name"], {}).get("timing") == WAITING]
        checked = {one["name"]: self._verdicts[one["name"]] for one in waiting}
        self._time_all(waiting, checked, Counting(len(waiting), "timed"), len(waiting))
        for _ in range(TURNS_MORE):
            again = [one for one in waiting if self._is_uncertain(one["name"])]
            self._ladders.once_more()
            self._time_all(again, checked, Counting(len(again), "timed once more"), GIVES_UP_AFTER)

    def _time_all(self, waiting: list[_Submission], checked: dict[str, _Verdict], counting: Counting, most_in_vain: int) -> None:
        """Ends early where so many in a row are as uncertain as before: the machine is busy for longer."""
        in_vain = 0
        for first in range(0, len(waiting), COMPILED_AHEAD):
            some = waiting[first:first + COMPILED_AHEAD]
            self._tell(counting, "compiling")
            for submission, hand_in in zip(some, self._compiled(some)):
                self._progress.now = f"{submission['name']} ({counting.text})"
                try:
                    if in_vain < most_in_vain:
                        self._time(submission, hand_in, checked[submission["name"]])
                except (CannotBeJudged, JudgeBroke) as reason:
                    self._say_not_judged(reason)
                finally:
                    self._end(hand_in)
                counting.one_more()
                in_vain = in_vain + 1 if self._is_uncertain(submission["name"]) else 0
            if in_vain >= most_in_vain:
                break
        self._progress.end()

    def _compiled(self, some: list[_Submission]) -> list[HandIn]:
        """As many at a time as there are cores."""
        at_a_time = len(os.sched_getaffinity(0))
        made: list[HandIn] = []
        for place in range(len(some) + at_a_time):
            if place < len(some):
                made.append(self._hand_in(some[place]))
            if place >= at_a_time:
                made[place - at_a_time].compiled()
        return made

    def _time(self, submission: _Submission, hand_in: HandIn, checked: _Verdict) -> None:
        before = self._verdicts[submission["name"]]
        rows, busy = self._ladder(submission["device"])
        self._progress.tell("timing")
        timed, self._limits = hand_in.time(self._limits, rows, self._progress.tell)
        verdict = merged(checked, timed) | {"ladder_once": bool(rows), "ladder_busy": busy}
        if before is not checked:  # it was timed before, too
            uncertain = is_uncertain(verdict, self._mark(submission["name"], verdict))
            verdict = that_counts(before, verdict, uncertain) | {"timed_again": True}
        self._keep(submission, verdict, DONE)
        self._progress.end()
        print(speed_line(verdict), flush=True)

    def _ladder(self, device: str) -> tuple[list[Any], bool]:
        """Its rows, and whether the machine was busy. No rows without a library beside which they compare: each then takes its own."""
        def time() -> dict[str, Any]:
            self._progress.tell("timing the ladder")
            timed = program.ladder(self._request(device) | {"limits": self._limits}, self._progress.tell)
            self._limits = timed["limits"]
            return timed

        known = self._ladders.of(device, time)
        if not any(row["role"] == "library" and row["median_s"] for row in known["rows"]):
            return [], False
        return [row for row in known["rows"] if row["role"] == "ladder"], ladder.is_busy(known)

    def _tell(self, counting: Counting, doing: str) -> None:
        self._progress.now = counting.text
        self._progress.tell(doing)

    # what becomes of it

    def _keep(self, submission: _Submission, verdict: _Verdict, timing: str) -> None:
        """Writes what is known by now. What is withheld is timed again by the same command."""
        folder = self._folders[submission["name"]]
        verdict |= self._circumstances(submission)
        if "explanation" not in verdict:
            explain(verdict, Path(submission["path"]), folder)
        result.add_to(verdict, self._assignment)
        mark = self._mark(submission["name"], verdict)
        verdict["mark"] = mark.as_json() if mark else None
        verdict["timing"] = WAITING if mark and mark.withheld else timing
        homework.record(verdict, folder)
        self._verdicts[submission["name"]] = verdict

    def _mark(self, name: str, verdict: _Verdict) -> Mark | None:
        return mark_of(verdict_from(verdict, self._folders[name]), self.grading) if self.grading else None

    def _say_not_judged(self, reason: Exception) -> None:
        """The others go on."""
        self._progress.end()
        print(safe.shown(f"gemmlab: {reason}"), file=sys.stderr)
        self.not_judged += 1
        self.broke += isinstance(reason, JudgeBroke)

    @property
    def correct(self) -> int:
        return sum(verdict["verdict"] == CORRECT for verdict in self._verdicts.values())

    @property
    def withheld(self) -> list[str]:
        """Names of those for whose marks the machine was too busy."""
        return [name for name, verdict in self._verdicts.items() if (verdict.get("mark") or {}).get("withheld")]

    @property
    def uncertain(self) -> list[str]:
        """Names of those whose marks hang on times that were taken on a busy machine, or did not settle."""
        return [name for name in self._verdicts if self._is_uncertain(name)]

    def _is_uncertain(self, name: str) -> bool:
        verdict = self._verdicts[name]
        return is_uncertain(verdict, self._mark(name, verdict))
