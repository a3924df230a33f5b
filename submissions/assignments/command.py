"""`gemmlab assignment new|check|pack`."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from report.arguments import Parser
from report.ending import DONE
from report.records import InputError

from ..driver import homework
from . import packing
from .schema import FILE, Assignment, read

WRONG = 1
TEMPLATES = {path.parent.name: path.parent for path in sorted(Path(__file__).parent.glob(f"*/{FILE}"))}


def new(folder: Path, like: str) -> int:
    """A folder with the template's files, under the folder's name."""
    if folder.exists():
        raise InputError(f"{folder}: it is already there; name a new folder")
    template = read(TEMPLATES[like])
    text = template.path.read_text(encoding="utf-8")
    folder.mkdir(parents=True)
    for key in ("skeleton", "solution"):
        written = getattr(template, key)
        file = f"{key}{template.ending}"
        shutil.copyfile(template.folder / written, folder / file)
        text = text.replace(f'{key} = "{written}"', f'{key} = "{file}"')
    name = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "-_") else "_" for letter in folder.resolve().name)
    (folder / FILE).write_text(text.replace(f'name = "{like}"', f'name = "{name[:60]}"'), encoding="utf-8")
    read(folder)
    print(f"{folder}: {FILE}, skeleton{template.ending}, solution{template.ending}\n"
          f"Edit them, then: gemmlab assignment check {folder}")
    return DONE


def _judged(assignment: Assignment, file: Path, output: Path, options: list[str]) -> tuple[dict, float, float, float]:
    """(verdict, mark, the most that can be had here, the most)."""
    from ..driver.command import main as submit  # what draws is loaded only where there is something to draw
    from ..driver.program import facts
    from ..pages.grading import grading_from
    from ..pages.marks import mark_of
    from ..pages.verdict import load

    with redirect_stdout(StringIO()) as said:
        submit([str(file), "--assignment", str(assignment.path), "--output", str(output), *options])
    folder = output / f"{file.stem}{assignment.ending}"
    verdict = homework.recorded(folder)
    if not verdict:
        raise InputError(f"{file}: not judged{f': {said.getvalue().strip()}' if said.getvalue() else ''}")
    grading = grading_from(facts(assignment.path, [])["rule"]["grading"])
    if grading is None:
        raise InputError(f"{assignment.path}: no table [grading], so no marks; submissions/rules/default.toml explains it")
    shares = [share for share in grading.shares if share.device in ("", verdict["device"])]
    untimed = sum(share.points for share in shares) if verdict["emulated"] else 0
    return verdict, mark_of(load(folder), grading).value, grading.most - untimed, grading.most


def check(path: Path, options: list[str]) -> int:
    """The skeleton compiles and is wrong; the solution gets full marks. 1 where one of them does not hold."""
    assignment = read(path)
    with tempfile.TemporaryDirectory(prefix="gemmlab-") as scratch:
        outcomes = {key: _judged(assignment, (assignment.folder / getattr(assignment, key)).resolve(), Path(scratch) / key, options)
                    for key in ("skeleton", "solution")}
    verdict, mark, *_ = outcomes["skeleton"]
    unfinished = verdict["verdict"] == "incorrect"
    said = "as it should be" if unfinished else "it should compile and be incorrect"
    print(f"skeleton: {verdict['verdict']}, mark {mark:g}: {said}. "
          f"{'' if unfinished else verdict['summary']}".rstrip())
    verdict, mark, most, all_points = outcomes["solution"]
    full = verdict["verdict"] == "correct" and mark >= most
    grading = f"mark {mark:g} of {most:g}{' that can be had without a GPU' if most < all_points else ''}"
    print(f"solution: {verdict['verdict']}, {grading}: {'as it should be' if full else 'it should get full marks'}. "
          f"{'' if full else verdict['summary']}".rstrip())
    for one in (verdict["assignment"] or {}).get("parts", []):
        print(f"  {one['what']}")
    return DONE if unfinished and full else WRONG


def _parser() -> Parser:
    parser = Parser(prog="gemmlab assignment", allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter,
                    description="Make, try and hand out an assignment: submissions/assignments/README.md",
                    epilog="Example: gemmlab assignment new lab3 --like tiled\nExample: gemmlab assignment check lab3\n"
                           "Example: gemmlab assignment pack lab3")
    what = parser.add_subparsers(dest="what", required=True, metavar="new|check|pack", parser_class=Parser)
    one = what.add_parser("new", help="a folder from a template", prog="gemmlab assignment new")
    one.add_argument("folder", type=Path)
    one.add_argument("--like", choices=tuple(TEMPLATES), default="tiled", help="(default: tiled)")
    one = what.add_parser("check", prog="gemmlab assignment check",
                          help="is the skeleton wrong, and does the solution get full marks?")
    one.add_argument("folder", type=Path, help="or the TOML itself")
    one.add_argument("--without-isolation", action="store_true", help="as of gemmlab submit")
    one = what.add_parser("pack", help="zips: for students, and for what grades them", prog="gemmlab assignment pack")
    one.add_argument("folder", type=Path, help="or the TOML itself")
    one.add_argument("--output", type=Path, default=Path(), metavar="FOLDER", help="for the zips (default: here)")
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
