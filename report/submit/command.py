"""`python -m report submission FOLDER`: pages and ranking from verdict.json; the last step of `gemmlab submit`."""

from __future__ import annotations

from pathlib import Path

from .. import progress
from ..arguments import Parser
from ..numbers import counted
from ..records import InputError
from .grading import grading_of
from .marks import mark_of
from .verdict import FILE, load


def _parser() -> Parser:
    parser = Parser(prog="gemmlab submit", description="Writes the page of each submission from its verdict; judges nothing.")
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help=f"holds {FILE}, or folders that hold one each; "
                        "without it the rule is looked at and nothing is written")
    parser.add_argument("--rule", type=Path, metavar="RULE.toml", help="its table [grading] turns verdicts into marks")
    parser.add_argument("--ranking", action="store_true", help="also write ranking.csv, ranking.html and ranking.md over all")
    return parser


def _folders(folder: Path, ranking: bool) -> list[Path]:
    """The submissions' folders, in the order of their names."""
    if (folder / FILE).is_file():
        if ranking:
            raise InputError(f"{folder}: one submission's folder; --ranking wants one that holds many")
        return [folder]
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; allowed: a folder that holds {FILE}, or folders that hold one each")
    found = sorted(file.parent for file in folder.glob(f"*/{FILE}"))
    if not found:
        raise InputError(f"{folder}: no {FILE} in it or in a folder of it; judge first with `gemmlab submit`")
    return found


def main(arguments: list[str]) -> int:
    """0 done. Raises InputError where the rule or a verdict cannot be read."""
    options = _parser().parse_args(arguments)
    grading = grading_of(options.rule) if options.rule else None
    if options.folder is None:
        if options.rule is None or options.ranking:
            raise InputError(f"no folder named; allowed: a folder that holds {FILE}, or --rule alone")
        return 0
    folders = _folders(options.folder, options.ranking)
    verdicts = [load(folder) for folder in folders]
    judged = [(verdict, mark_of(verdict, grading) if grading else None) for verdict in verdicts]
    # Drawing and templates are loaded only when there is something to write: mistakes are told at once.
    from .pages import write_pages

    with progress.shown("gemmlab submit"):
        progress.now(f"pages of {counted(len(judged), 'submission')}")
        write_pages(judged)
    if options.ranking:
        from .ranking import write

        write(judged, options.folder)
        print(f"Ranking: {options.folder / 'ranking.html'}")
    pages = folders[0] if len(folders) == 1 else options.folder / "*"
    print(f"{'Page' if len(folders) == 1 else 'Pages'}: {pages / 'page.html'}")
    return 0
