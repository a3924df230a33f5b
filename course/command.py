"""`gemmlab course`: pages that teach the ladder, with the numbers of one's own records or of the
reference machine."""

from __future__ import annotations

from pathlib import Path

from commands import progress
from commands.arguments import Parser, warn
from files.output import new_folder
from files.reading import InputError
from files.safe import real_path
from files.tree import WORK
from language import LANGUAGES, using
from records.loading import Results, find_files, load
from records.reference import DATA, reference_folder

from .pages import write


def _parser() -> Parser:
    parser = Parser(prog="gemmlab course", allow_abbrev=False, description="A course in matrix "
                    "multiplication as HTML pages: idea, code, counters, figure, chapter by "
                    "chapter, with numbers from records. Measures nothing.",
                    epilog="example: gemmlab course --language zh --output /tmp/course")
    parser.add_argument("records", nargs="?", type=Path, metavar="RECORDS",
                        help="a folder of .jsonl files; what it lacks of a chapter, the reference "
                        "machine's records stand in for (default: these alone)")
    parser.add_argument("--language", choices=LANGUAGES, default="en",
                        help="English or Chinese (default: en)")
    parser.add_argument("--output", type=Path, metavar="DIR",
                        help="default: build/course, or build/course-zh")
    return parser


def _loaded(folder: Path) -> Results:
    """The records of the folder, of which it may have none."""
    files = find_files(folder)
    return load(folder, files) if files else Results(folder, [], [])


def main(arguments: list[str]) -> int:
    """Raises InputError where there are no records to take numbers from."""
    options = _parser().parse_args(arguments)
    folder = reference_folder(DATA)
    with progress.shown("gemmlab course"):
        own = (_loaded(options.records) if options.records
               and real_path(options.records) != folder else None)
        reference = _loaded(folder) if folder else None
    if reference is None:
        raise InputError("the reference machine's records (data/reference.json) are not there")
    warn("course", [*(own.warnings if own else ()), *reference.warnings])
    output = options.output or WORK / "build" / ("course" if options.language == "en"
                                                 else f"course-{options.language}")
    with using(options.language), new_folder(output, pages=("index.html",)) as made:
        write(made, own, reference)
    print(f"Course: {output / 'index.html'}")
    return 0
