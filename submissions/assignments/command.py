"""`gemmlab assignment new|check|pack`."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from commands.arguments import Parser
from commands.exits import DONE
from files.output import new_folder
from files.reading import InputError
from files.safe import real_path
from submissions.hand_ins import homework
from submissions.hand_ins.schema import FILE, Assignment, read
from submissions.verdicts.marks import Mark
from submissions.verdicts.steps import points_text

from . import packing

WRONG, UNSETTLED = 1, 4
TEMPLATES = {path.parent.name: path.parent
             for path in sorted(Path(__file__).parent.glob(f"*/{FILE}"))}


def new(folder: Path, like: str) -> int:
    """A folder with the template's files, under the folder's name."""
    if folder.exists():
        raise InputError(f"{folder}: it is already there; name a new folder")
    template = read(TEMPLATES[like])
    text = template.path.read_text(encoding="utf-8")
    with new_folder(folder) as made:
        _copy_template(template, text, made, like, folder.resolve().name)
    print(f"{folder}: {FILE}, skeleton{template.ending}, solution{template.ending}\n"
          f"Edit them, then: gemmlab assignment check {folder}")
    return DONE


def _copy_template(template: Assignment, text: str, folder: Path, like: str, called: str) -> None:
    """The template's files, and its TOML under the name of the new one."""
    for key in ("skeleton", "solution"):
        written = getattr(template, key)
        file = f"{key}{template.ending}"
        shutil.copyfile(template.folder / written, folder / file)
        text = text.replace(f'{key} = "{written}"', f'{key} = "{file}"')
    name = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "-_") else "_"
                   for letter in called)
    (folder / FILE).write_text(text.replace(f'name = "{like}"', f'name = "{name[:60]}"'),
                               encoding="utf-8")
    read(folder)


@dataclass(frozen=True)
class _Outcome:
    """Of the skeleton, or of the solution."""

    verdict: dict[str, Any]
    mark: Mark
    can_be_had: float  # of mark.most, on this machine
    uncertain: bool  # times on which points hang were taken on a busy machine, or did not settle

    @property
    def full(self) -> bool:
        return self.verdict["verdict"] == "correct" and self.mark.value >= self.can_be_had


def _judged(assignment: Assignment, file: Path, output: Path, options: list[str]) -> _Outcome:
    from submissions.driver.command import (
        UNCERTAIN,  # what draws is loaded only where there is something to draw
    )
    from submissions.driver.command import main as submit
    from submissions.driver.program import facts
    from submissions.verdicts.grading import grading_from
    from submissions.verdicts.marks import mark_of
    from submissions.verdicts.verdict import load

    with redirect_stdout(StringIO()) as said:
        code = submit([str(file), "--assignment", str(assignment.path), "--output",
                       str(output), *options])
    folder = output / f"{file.stem}{assignment.ending}"
    verdict = homework.recorded(folder)
    if not verdict:
        raise InputError(f"{file}: not "
                         f"judged{f': {said.getvalue().strip()}' if said.getvalue() else ''}")
    grading = grading_from(facts(assignment.path, [])["rule"]["grading"])
    if grading is None:
        raise InputError(f"{assignment.path}: no table [grading], so no marks; "
                         "submissions/rules/default.toml explains it")
    shares = [share for share in grading.shares if share.device in ("", verdict["device"])]
    untimed = sum(share.points for share in shares) if verdict["emulated"] else 0
    return _Outcome(verdict, mark_of(load(folder), grading), grading.most - untimed,
                    code == UNCERTAIN or bool((verdict.get("load") or {}).get("busy")))


def _say(what: str, outcome: _Outcome, good: bool, otherwise: str) -> None:
    mark, here = outcome.mark, outcome.can_be_had
    of = (f" of {here:g}{' that can be had without a GPU' if here < mark.most else ''}"
          if what == "solution" else "")
    said = ("as it should be." if good
            else f"{'no speed could be relied on' if mark.withheld else otherwise}. "
            f"{outcome.verdict['summary']}")
    given = f"withheld, at least {mark.value:g}" if mark.withheld else f"{mark.value:g}"
    print(f"{what}: {outcome.verdict['verdict']}, mark {given}{of}: {said}")
    for step in mark.steps if what == "solution" else ():
        print(f"  {step.what}: {points_text(step.points)}"
              f"{'' if step.of is None else f' of {points_text(step.of)}'}")


def check(path: Path, options: list[str]) -> int:
    """The skeleton compiles and is wrong; the solution gets full marks. 1 where one of them does
    not hold, 4 where the solution misses points for speed while the machine is busy."""
    assignment = read(path)
    with tempfile.TemporaryDirectory(prefix="gemmlab-") as scratch:
        skeleton, solution = (
            _judged(assignment, real_path(assignment.folder / getattr(assignment, key)),
                    Path(scratch) / key, options) for key in ("skeleton", "solution"))
    unfinished = skeleton.verdict["verdict"] == "incorrect"
    _say("skeleton", skeleton, unfinished, "it should compile and be incorrect")
    _say("solution", solution, solution.full, "it should get full marks")
    if (unfinished and solution.verdict["verdict"] == "correct" and not solution.full
            and solution.uncertain):
        print("Times were taken on a busy machine, or did not settle: check again while nothing "
              "else runs")
        return UNSETTLED
    return DONE if unfinished and solution.full else WRONG


def _parser() -> Parser:
    parser = Parser(prog="gemmlab assignment", allow_abbrev=False,
                    formatter_class=argparse.RawDescriptionHelpFormatter, description="Make, try "
                    "and hand out an assignment: submissions/assignments/README.md",
                    epilog="Example: gemmlab assignment new lab3 --like tiled\n"
                    "Example: gemmlab assignment check lab3\nExample: gemmlab assignment pack lab3")
    what = parser.add_subparsers(dest="what", required=True, metavar="new|check|pack",
                                 parser_class=Parser)
    one = what.add_parser("new", help="a folder from a template", prog="gemmlab assignment new")
    one.add_argument("folder", type=Path)
    one.add_argument("--like", choices=tuple(TEMPLATES), default="tiled", help="(default: tiled)")
    one = what.add_parser("check", prog="gemmlab assignment check",
                          help="is the skeleton wrong, and does the solution get full marks?")
    one.add_argument("folder", type=Path, help="or the TOML itself")
    one.add_argument("--without-isolation", action="store_true", help="as of gemmlab submit")
    one = what.add_parser("pack", help="zips: for students, and for what grades them",
                          prog="gemmlab assignment pack")
    one.add_argument("folder", type=Path, help="or the TOML itself")
    one.add_argument("--output", type=Path, default=Path(), metavar="FOLDER",
                     help="for the zips (default: here)")
    return parser


def main(arguments: list[str]) -> int:
    """0, or 1 where the check found something. Raises InputError."""
    asked = _parser().parse_args(arguments)
    if asked.what == "new":
        return new(asked.folder, asked.like)
    if asked.what == "check":
        return check(asked.folder, ["--without-isolation"] if asked.without_isolation else [])
    for made in packing.pack(read(asked.folder), asked.output):
        print(made)
    return DONE
