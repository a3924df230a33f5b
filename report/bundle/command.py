"""`gemmlab bundle` and `gemmlab verify-bundle`."""

from __future__ import annotations

import sys
from pathlib import Path

from commands import progress
from commands.arguments import RESULTS, Parser, warn
from files.output import refuse_foreign
from language import LANGUAGES
from records.loading import Results, find_files, load
from records.names.numbers import counted, joined
from records.reference import DATA, load_reference, reference_folder
from report.handin.wishes import add_options, wishes_of

MOST_NAMED = 20


def _bundle_parser() -> Parser:
    parser = Parser(prog="gemmlab bundle", description="A zip to hand in: report, figures, tables, "
                    "records, definitions, versions and checksums, from records alone.",
                    epilog="example: gemmlab bundle data/results/my-machine --output report.zip")
    parser.add_argument("results", type=Path, metavar="RESULTS",
                        help=RESULTS)
    parser.add_argument("--output", type=Path, metavar="FILE.zip",
                        help="the zip (default: <folder>.zip here)")
    parser.add_argument("--language", choices=LANGUAGES, default="en",
                        help="of the report (default: en)")
    add_options(parser)
    return parser


def asked(path: Path, output: Path | None, name: str) -> tuple[list[Path], Results, Path]:
    """(files, what they hold, the zip to write) of RESULTS and --output of the command `name`.
    Raises InputError where there are no records, or the zip may not be written over."""
    files = find_files(path)
    with progress.shown(f"gemmlab {name}"):
        results = load(path, files)
    if path.is_file():
        results.folder = path.parent
    output = output or Path(f"{results.folder.resolve().name}.zip")
    refuse_foreign(output)
    return files, results, output


def main(arguments: list[str]) -> int:
    """0 packed. Raises InputError where there are no records."""
    options = _bundle_parser().parse_args(arguments)
    files, results, output = asked(options.results, options.output, "bundle")
    reference = load_reference(reference_folder(DATA), results.folder)
    wishes = wishes_of(options, results.folder)
    from .make import Form, pack

    warn("bundle", results.warnings)
    with progress.shown("gemmlab bundle"):
        count, left_out = pack(results, files, reference, Form(options.language, wishes), output)
    for line in left_out:
        print(f"gemmlab bundle: {line}", file=sys.stderr)
    print(f"Bundle: {output} ({count} files, {output.stat().st_size / 1e6:.1f} MB); check it with "
          "gemmlab verify-bundle")
    return 0


def _verify_parser() -> Parser:
    parser = Parser(prog="gemmlab verify-bundle", description="Checks a bundle: are its files "
                    "those that were packed, and do the records in it yield its tables, figures "
                    "and pages? Exits with 1 where they do not.",
                    epilog="example: gemmlab verify-bundle report.zip")
    parser.add_argument("bundle", type=Path, metavar="FILE.zip",
                        help="what gemmlab bundle has written")
    return parser


def verify(arguments: list[str]) -> int:
    """0 nothing that can be checked was changed, 1 something was. Raises InputError where the file
    is not a bundle."""
    options = _verify_parser().parse_args(arguments)
    from .check import check

    with progress.shown("gemmlab verify-bundle"):
        found = check(options.bundle)
    wrong = found.changed + found.rederived
    for line in wrong[:MOST_NAMED]:
        print(line)
    if len(wrong) > MOST_NAMED:
        print(f"and {len(wrong) - MOST_NAMED} more")
    if found.rederived and not found.same_makers:
        print("The bundle was made with other sources of the report, or other Python packages, "
              "than these; what is not re-derived may come of that.")
    _print_unverified(found.unverified)
    counts = [f"{counted(count, 'file')} {'is' if count == 1 else 'are'} {what}"
              for count, what in ((len(found.changed), "not as packed"),
                                  (len(found.rederived), "not what the records yield"),
                                  (len(found.unverified), "not verified (named above)")) if count]
    print(
        f"{options.bundle}: of {counted(found.files, 'file')}, {len(found.anew)} "
        f"{'was' if len(found.anew) == 1 else 'were'} made anew from the records and came out the "
        f"same; {joined(counts)}.{'' if wrong else ' Nothing that can be checked was changed.'}")
    return 0 if found.good else 1


def _print_unverified(unverified: dict[str, str]) -> None:
    """The names, below each reason."""
    for why in sorted(set(unverified.values())):
        print(f"Not verified, since {why}:")
        for name in sorted(name for name, reason in unverified.items() if reason == why):
            print(f"  {name}")
