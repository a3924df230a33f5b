"""`gemmlab submit`: a process of its own for each file, then pages."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout

from report.ending import CRASHED, DONE, REFUSED
from report.numbers import counted, joined
from report.records import InputError

from ..assignments.schema import read as read_assignment
from ..assignments.staging import files_to_judge
from ..formats import FORMATS
from .options import Options, parsed
from .program import facts
from .run import Run

WRONG = 1  # a submission is not correct
UNCERTAIN = 4  # marks hang on times that were taken on a busy machine, or did not settle
_MOST_NAMED = 5


def _make_pages(run: Run, options: Options, names: list[str]) -> None:
    from ..pages.command import write_all  # drawing is loaded only where there is something to draw

    folder = options.output / names[0] if len(names) == 1 and not options.ranking else options.output
    with redirect_stdout(sys.stderr if options.json else sys.stdout):
        write_all(folder, run.grading, options.ranking)
        for system in dict.fromkeys(options.format):
            FORMATS[system].write(options.output, [options.output / name for name in names], run.grading)


def _say_uncertain(names: list[str]) -> None:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    named = f"{', '.join(names[:_MOST_NAMED])}{more}" if more else joined(names)
    print(f"gemmlab: times of {counted(len(names), 'submission')} ({named}) were taken on a busy machine, or did not settle, and "
          "marks hang on them: judge again with --fresh while nothing else runs", file=sys.stderr)


def main(arguments: list[str]) -> int:
    """0 where every submission is correct, 1 where one is not, 2 where one could not be judged, 4 where marks hang on times that
    are not to be relied on. Raises InputError."""
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
    run = Run(options, known, assignment)
    run.judge_all()
    if run.not_judged < len(files):
        _make_pages(run, options, [one["name"] for one in known["submissions"]])
    if run.not_judged:
        return CRASHED if run.broke else REFUSED
    if uncertain := run.uncertain:
        _say_uncertain(uncertain)
        return UNCERTAIN
    return DONE if run.correct == len(files) else WRONG
