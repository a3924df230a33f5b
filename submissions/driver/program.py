"""The program gemmlab-judge, which alone reads rules, compiles, checks and times. Requests and
answers are lines of JSON: submissions/program/README.md."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from files.reading import InputError

ENDS_S = 20.0  # its scratch folder goes meanwhile


class JudgeBroke(Exception):
    """The program ended without an answer: its fault, not the submission's."""


class CannotBeJudged(Exception):
    """This machine lacks what the submission needs."""


class _Judge:
    """One process of the program."""

    def __init__(self, what: str, request: dict[str, Any]) -> None:
        program = os.environ.get("GEMMLAB_JUDGE")
        if not program:
            raise InputError("GEMMLAB_JUDGE names no program; start this command by ./gemmlab "
                             "submit")
        self._what = what
        self._process = subprocess.Popen([program, what], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE)
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None and answers is not None  # pipes, as asked
        self._requests, self._answers = requests, answers
        self.ask(request)

    def ask(self, request: dict[str, Any]) -> None:
        try:
            self._requests.write(json.dumps(request).encode() + b"\n")
            self._requests.flush()
        except BrokenPipeError:
            pass  # answer() tells of its end

    def answer(self) -> dict[str, Any]:
        line = self._answers.readline()
        if not line:
            status = self._process.wait()
            how = f"signal {-status}" if status < 0 else f"exit code {status}"
            raise JudgeBroke(f"gemmlab-judge {self._what} ended without an answer ({how})")
        return json.loads(line.decode("utf-8", "replace"))

    def end(self) -> None:
        """It ends by itself once nobody asks any more; where it does not, it is killed."""
        # what it never read: a pipe that breaks here would pass for a reader of ours who has left
        with suppress(BrokenPipeError):
            self._requests.close()
        self._process.terminate()
        try:
            self._process.wait(ENDS_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._answers.close()


def facts(rule: Path | None, files: list[Path], gpu: str = "", like: str = "") -> dict[str, Any]:
    """`rule`, `like`, `submissions`, `program`, `machine` and `worker`. From then on the program
    sees one card alone where there are several: `gpu` by number or uuid, or the first. Raises
    InputError over a mistake in the rule, a file that is not a submission, a rung that nobody
    names, or a card that is not there."""
    judge = _Judge("facts",
                   {"rule": str(rule or ""), "files": [str(file) for file in files], "gpu": gpu,
                    "like": like})
    try:
        answer = judge.answer()
    finally:
        judge.end()
    if "refused" in answer:
        raise InputError(answer["refused"])
    if answer["worker"].get("gpus_here"):
        os.environ["CUDA_VISIBLE_DEVICES"] = answer["worker"]["gpus"][0]["uuid"]
    return answer


def ladder(request: dict[str, Any], tell: Callable[[str], None]) -> dict[str, Any]:
    """`rows`, `notes`, `load` and `limits` of the ladder and the library of one device."""
    judge = _Judge("ladder", request)
    try:
        while "doing" in (answer := judge.answer()):
            tell(answer["doing"])
    finally:
        judge.end()
    return answer


class HandIn(_Judge):
    """One submission: compiles at once, and is checked and timed as it is asked."""

    def __init__(self, request: dict[str, Any]) -> None:
        super().__init__("hand-in", request)
        self._compiled: dict[str, Any] | None = None

    def _next(self, tell: Callable[[str], None]) -> dict[str, Any]:
        while "doing" in (answer := self.answer()):
            tell(answer["doing"])
        return answer

    def compiled(self) -> dict[str, Any]:
        """Waits until it has compiled; what it says of that."""
        if self._compiled is None:
            self._compiled = self.answer()
        return self._compiled

    def _asked(self, what: dict[str, Any], tell: Callable[[str], None]) -> dict[str, Any]:
        answer = self.compiled()
        if "cannot" not in answer:
            self.ask(what)
            answer = self._next(tell)
        if "cannot" in answer:
            raise CannotBeJudged(answer["cannot"])
        return answer

    def check(self, tell: Callable[[str], None]) -> tuple[dict[str, Any], bool]:
        """The verdict on what is right, and whether times of it mean something. Raises
        CannotBeJudged."""
        answer = self._asked({"do": "check"}, tell)
        return answer["verdict"], answer["may_be_timed"]

    def time(self, limits: list[Any] | None, ladder: list[Any],
             tell: Callable[[str], None]) -> tuple[dict[str, Any], list[Any] | None]:
        """The verdict of timing alone, or of both where it has been checked, and the machine's
        ceilings. `ladder`: rows that were timed before; none: it is timed beside the submission.
        Raises CannotBeJudged."""
        answer = self._asked({"do": "time", "limits": limits, "ladder": ladder}, tell)
        return answer["verdict"], answer["limits"]
