"""One call of `gemmlab submit`: all are checked first, side by side on the cores; those that are
right are then timed one by one. What is known of each is written at once, so that a run that was
stopped goes on where it was."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from files import safe
from submissions.hand_ins import homework, result
from submissions.hand_ins.schema import Assignment
from submissions.verdicts.grading import grading_from
from submissions.verdicts.library_times import KEY as LIBRARY_TIMES
from submissions.verdicts.marks import Mark, mark_of
from submissions.verdicts.verdict import CORRECT, verdict_from

from . import ladder, program, usual
from .asking import Asking
from .certain import is_uncertain, may_be_the_others_fault, that_counts
from .emulation import explain
from .merge import merged
from .options import Options
from .program import CannotBeJudged, HandIn, JudgeBroke
from .side_by_side import side_by_side
from .terminal import Counting, Progress, in_words, order, speed_line

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

    def __init__(self, options: Options, known: dict[str, Any],
                 assignment: Assignment | None = None) -> None:
        self._options = options
        self._assignment = assignment
        self._known = known
        self._submissions: list[_Submission] = known["submissions"]
        self._folders = {one["name"]: options.output / one["name"] for one in self._submissions}
        self._seed = (homework.seed_for(list(self._folders.values())) if options.seed is None
                      else options.seed)
        # the machine's ceilings, measured by the first that needs them
        self._limits: list[Any] | None = None
        self.grading = grading_from(known["rule"]["grading"])
        self._alone = len(self._submissions) == 1
        self._asking = Asking(options, known, self._seed, self._alone)
        self._progress = Progress()
        rule = {"rule": known["rule"]["sha256"], "like": options.like}
        self._ladders = ladder.Ladders(options.output,
                                       {key: known[key] for key in ("program", "machine")} | rule,
                                       options.fresh)
        self._usual = usual.Usual(self.grading, self._ladders)
        self._verdicts: dict[str, _Verdict] = {}
        self.not_judged = 0
        self.broke = 0

    # what a verdict depends on, and what is known already

    def _judged_before(self, submission: _Submission) -> _Verdict | None:
        verdict = homework.recorded(self._folders[submission["name"]])
        wanted = self._asking.circumstances(submission)
        same = (verdict
                and all(key in verdict and verdict[key] == value for key, value in wanted.items()))
        same = same and not (self._alone and verdict["timing"] == WAITING)
        return verdict if same and not self._options.fresh else None

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
            self._asking.end_all()

    def _judge_alone(self, submission: _Submission, before: dict[str, _Verdict | None]) -> None:
        name = submission["name"]
        self._progress.now = name
        known = before[name]
        if known is not None:
            self._verdicts[name] = known
        else:
            try:
                self._judge_anew(submission)
            except CannotBeJudged as reason:
                return self._say_not_judged(reason)
        verdict = self._verdicts[name]
        self._progress.end()
        print(homework.as_text(verdict) if self._options.json
              else in_words(verdict, known is not None, False), flush=True)

    def _judge_anew(self, submission: _Submission) -> None:
        """A single file. It is timed once more where its mark hangs on a library that was held up
        beside it."""
        if not self._options.fresh:
            self._usual.neighbours = usual.neighbours(self._options.output, submission,
                                                      self._asking.circumstances(submission))
        with self._asking.one(submission) as hand_in:
            self._progress.tell("compiling")
            checked, worth_timing = hand_in.check(self._progress.tell)
            if not worth_timing:
                return self._keep(submission, checked, NONE)
            self._time(submission, hand_in, checked)
        if self.withheld and self._usual.was_held_up(self._verdicts[submission["name"]]):
            with self._asking.one(submission) as hand_in:
                self._time(submission, hand_in, checked)

    def _check_class(self, before: dict[str, _Verdict | None]) -> None:
        """Correctness of all, on all cores; what may differ because of the others is checked once
        more, alone."""
        waiting = []
        print(f"gemmlab: {order(self._known['rule'])}", flush=True)
        for one in self._submissions:
            if (known := before[one["name"]]) is None:
                waiting.append(one)
            else:
                self._verdicts[one["name"]] = known
                print(in_words(known, True, True), flush=True)
        counting = Counting(len(waiting), "checked")
        again = []
        for submission, checked in side_by_side(self._check, waiting,
                                                lambda: self._tell(counting, "checking"),
                                                self._asking.end_all):
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
        with self._asking.one(submission) as hand_in:
            return hand_in.check(_quiet)

    def _checked(self, submission: _Submission, verdict: _Verdict, worth_timing: bool) -> None:
        self._keep(submission, verdict, WAITING if worth_timing else NONE)
        self._progress.end()
        print(in_words(verdict, False, True), flush=True)

    def _time_class(self) -> None:
        waiting = [one for one in self._submissions
                   if self._verdicts.get(one["name"], {}).get("timing") == WAITING]
        checked = {one["name"]: self._verdicts[one["name"]] for one in waiting}
        self._time_all(waiting, checked, Counting(len(waiting), "timed"), len(waiting))
        self._compare_libraries()
        for _ in range(TURNS_MORE):
            again = [one for one in self._submissions
                     if (one in waiting or self._verdicts.get(one["name"], {}).get("timing")
                         == WAITING) and self._wants_more(one["name"])]
            self._ladders.once_more()
            checked = {one["name"]: self._verdicts[one["name"]] for one in again} | checked
            self._time_all(again, checked, Counting(len(again), "timed once more"), GIVES_UP_AFTER)
            self._compare_libraries()

    def _time_all(self, waiting: list[_Submission], checked: dict[str, _Verdict],
                  counting: Counting, most_in_vain: int) -> None:
        """Ends early where so many in a row are as uncertain as before: the machine is busy for
        longer."""
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
                    self._asking.end(hand_in)
                counting.one_more()
                in_vain = in_vain + 1 if self._wants_more(submission["name"]) else 0
            if in_vain >= most_in_vain:
                break
        self._progress.end()

    def _compiled(self, some: list[_Submission]) -> list[HandIn]:
        """As many at a time as there are cores."""
        at_a_time = len(os.sched_getaffinity(0))
        made: list[HandIn] = []
        for place in range(len(some) + at_a_time):
            if place < len(some):
                made.append(self._asking.hand_in(some[place]))
            if place >= at_a_time:
                made[place - at_a_time].compiled()
        return made

    def _time(self, submission: _Submission, hand_in: HandIn, checked: _Verdict) -> None:
        before = self._verdicts.get(submission["name"], checked)
        known = {"rows": [], "load": None} if self._alone else self._ladder(submission["device"])
        rows = [row for row in known["rows"] if row["role"] == "ladder"]
        self._progress.tell("timing")
        timed, self._limits = hand_in.time(self._limits, rows, self._progress.tell)
        verdict = merged(checked, timed) | {"ladder_once": bool(rows),
                                            "ladder_busy": ladder.is_busy(known),
                                            "ladder_library": usual.library_rows(known["rows"])}
        if before is not checked:  # it was timed before, too
            self._verdicts[submission["name"]] = verdict
            self._put_library_times(verdict)
            verdict = that_counts(before, verdict,
                                  self._wants_more(submission["name"])) | {"timed_again": True}
        self._keep(submission, verdict, DONE)
        self._progress.end()
        if not self._alone:
            print(speed_line(verdict), flush=True)

    def _ladder(self, device: str) -> dict[str, Any]:
        """As it stands in the class's folder. No rows without a library beside which they compare:
        each then takes its own."""
        def time() -> dict[str, Any]:
            self._progress.tell("timing the ladder")
            timed = program.ladder(self._asking.request(device) | {"limits": self._limits},
                                   self._progress.tell)
            self._limits = timed["limits"]
            return timed

        known = self._ladders.of(device, time, lambda known: self._usual.was_ladder_held_up(
            known, device, self._verdicts.values()))
        return known if usual.library_rows(known["rows"]) else known | {"rows": []}

    # what the library usually takes

    def _put_library_times(self, verdict: _Verdict) -> None:
        self._usual.put_into(verdict, self._verdicts.values())

    def _compare_libraries(self) -> None:
        """Of those that were timed first, the usual time was not known yet."""
        for submission in self._submissions:
            verdict = self._verdicts.get(submission["name"], {})
            if usual.library_rows(verdict.get("performance") or []):
                before = verdict.get(LIBRARY_TIMES)
                self._put_library_times(verdict)
                if verdict[LIBRARY_TIMES] != before:
                    self._keep(submission, verdict, DONE)

    def _wants_more(self, name: str) -> bool:
        """Is it worth while to time it again?"""
        return self._usual.was_held_up(self._verdicts[name]) or self._is_uncertain(name)

    def _tell(self, counting: Counting, doing: str) -> None:
        self._progress.now = counting.text
        self._progress.tell(doing)

    # what becomes of it

    def _keep(self, submission: _Submission, verdict: _Verdict, timing: str) -> None:
        """Writes what is known by now. What is withheld is timed again by the same command."""
        folder = self._folders[submission["name"]]
        verdict |= self._asking.circumstances(submission)
        if "explanation" not in verdict:
            explain(verdict, Path(submission["path"]), folder)
        self._verdicts[submission["name"]] = verdict
        self._put_library_times(verdict)
        result.add_to(verdict, self._assignment)
        mark = self._mark(submission["name"], verdict)
        verdict["mark"] = mark.as_json() if mark else None
        verdict["timing"] = WAITING if mark and mark.withheld else timing
        homework.record(verdict, folder)

    def _mark(self, name: str, verdict: _Verdict) -> Mark | None:
        return (mark_of(verdict_from(verdict, self._folders[name]), self.grading)
                if self.grading else None)

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
        """Names of those for whose marks no speed could be relied on."""
        return [name for name, verdict in self._verdicts.items()
                if (verdict.get("mark") or {}).get("withheld")]

    @property
    def uncertain(self) -> list[str]:
        """Names of those whose marks hang on times that were taken on a busy machine, or did not
        settle."""
        return [name for name in self._verdicts if self._is_uncertain(name)]

    def _is_uncertain(self, name: str) -> bool:
        verdict = self._verdicts[name]
        return is_uncertain(verdict, self._mark(name, verdict))
