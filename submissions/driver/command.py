"""`gemmlab submit`: a process of its own for each file, then pages."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from commands.exits import CRASHED, DONE, REFUSED
from files import safe
from files.reading import InputError
from records.names.numbers import counted, joined
from submissions.formats import FORMATS
from submissions.hand_ins.hand_in import full_skeleton
from submissions.hand_ins.schema import Assignment
from submissions.hand_ins.schema import read as read_assignment
from submissions.hand_ins.staging import files_to_judge
from submissions.verdicts.verdict import FILE

from .options import Options, parsed
from .program import facts
from .run import Run

WRONG = 1  # a submission is not correct
UNCERTAIN = 4  # marks hang on times that were taken on a busy machine, or did not settle
_MOST_NAMED = 5
_WRITTEN = (*(f"ranking.{form}" for form in ("html", "md", "csv")), "similar.html", "junit.xml",
            "moodle.csv", "moodle_feedback.zip", "ladder.json")
_STARTERS = sorted((Path(__file__).parents[1] / "examples").glob("*/starter.*"))


def _make_pages(run: Run, options: Options, names: list[str]) -> None:
    from submissions.pages.command import (
        write_all,  # drawing is loaded only where there is something to draw
    )

    folder = (options.output / names[0] if len(names) == 1 and not options.ranking
              else options.output)
    with redirect_stdout(sys.stderr if options.json else sys.stdout):
        write_all(folder, run.grading, options.ranking)
        for system in dict.fromkeys(options.format):
            FORMATS[system].write(options.output,
                                  [options.output / name for name in names], run.grading)


def _compare(options: Options, known: dict[str, Any], assignment: Assignment | None) -> None:
    """Which are alike, in a class or beside earlier years."""
    from submissions.similarity import page, pairs

    hand_ins = [(one["name"], Path(one["path"])) for one in known["submissions"]]
    earlier = [file for folder in options.earlier for file in pairs.earlier_files(folder)]
    found = pairs.pairs_of(hand_ins, earlier, [*options.skeleton, *_STARTERS],
                           full_skeleton(assignment) if assignment else "")
    written = page.write(options.output, found, len(hand_ins), len(earlier))
    print(f"Similar, look yourself: {counted(len(found), 'pair')}: {written}",
          file=sys.stderr if options.json else sys.stdout)


def _refuse_foreign(output: Path) -> None:
    """Raises InputError where a file of somebody else's would be written over: no verdict beside it
    says that it is ours."""
    if not any(output.glob(f"*/{FILE}")):
        for name in _WRITTEN:
            if (output / name).exists():
                raise InputError(f"{output / name}: gemmlab has not made this file and does not "
                                 "overwrite it; remove it, or give --output another folder")


def _named(names: list[str]) -> str:
    """"2 submissions (anna.cpp and ben.cpp)"."""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return (f"{counted(len(names), 'submission')} ({', '.join(names[:_MOST_NAMED])}{more})" if more
            else f"{counted(len(names), 'submission')} ({joined(names)})")


def _say_uncertain(uncertain: list[str], withheld: list[str]) -> None:
    if withheld:
        print(safe.shown(f"gemmlab: marks of {_named(withheld)} are withheld: other programs kept "
                         "the processors or held up the library, so that no speed could be relied "
                         "on; run the same command again while less else runs, and these alone are "
                         "timed"), file=sys.stderr)
    if others := [name for name in uncertain if name not in withheld]:
        print(safe.shown(f"gemmlab: times of {_named(others)} were taken on a busy machine, or did "
                         "not settle, and marks hang on them: judge again with --fresh while "
                         "nothing else runs"), file=sys.stderr)


def main(arguments: list[str]) -> int:
    """0 where every submission is correct, 1 where one is not, 2 where one could not be judged, 4
    where marks hang on times that are not to be relied on. Raises InputError. With --json standard
    output is one JSON object in any case: where there is no verdict, "error" says why."""
    options = parsed(arguments)
    assignment = read_assignment(options.assignment) if options.assignment else None
    if assignment:
        options.rule, options.emulate = (assignment.path, options.emulate
                                         or assignment.loads is not None)
    files = files_to_judge(options.paths, assignment, options.output)
    if options.json and (len(files) != 1 or options.ranking):
        raise InputError("--json prints the verdict of one file; for several, read verdict.json in "
                         "their folders")
    _refuse_foreign(options.output)
    options.output.mkdir(parents=True, exist_ok=True)
    known = facts(options.rule, files, options.gpu or "", options.like)
    options.like = known["like"]
    if known["not_isolated"] and not options.without_isolation:
        raise InputError(f"submitted code cannot be kept apart here: {known['not_isolated']}; "
                         "--without-isolation runs it all the same, with limits, Landlock and "
                         "seccomp, as far as this kernel has them")
    run = Run(options, known, assignment)
    run.judge_all()
    if run.not_judged < len(files):
        _make_pages(run, options, [one["name"] for one in known["submissions"]])
    if (options.ranking and len(files) > 1) or options.earlier:
        _compare(options, known, assignment)
    if run.not_judged:
        if options.json:
            print(json.dumps({"error": "it could not be judged: standard error says why"}))
        return CRASHED if run.broke else REFUSED
    if uncertain := run.uncertain:
        _say_uncertain(uncertain, run.withheld)
        return UNCERTAIN
    return DONE if run.correct == len(files) else WRONG
