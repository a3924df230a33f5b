"""`gemmlab export`: records in files that other tools read."""

from __future__ import annotations

from pathlib import Path

from commands.arguments import RESULTS, Parser, warn
from files.output import new_folder
from records.loading import find_files, load

from . import google_benchmark, tidy

FORMATS = {"csv": tidy.write, "google-benchmark": google_benchmark.write}


def _parser() -> Parser:
    parser = Parser(prog="gemmlab export", description="csv: cases.csv and samples.csv, a row per "
                    "case and a row per sample. google-benchmark: one JSON file per experiment, "
                    "which Google Benchmark's compare.py reads.",
                    epilog="example: gemmlab export data/results/my-machine --output /tmp/csv")
    parser.add_argument("results", type=Path, metavar="RESULTS",
                        help=RESULTS)
    parser.add_argument("--output", type=Path, metavar="DIR", required=True,
                        help="where the files go")
    parser.add_argument("--format", choices=list(FORMATS), default="csv", help="default: csv")
    return parser


def main(arguments: list[str]) -> int:
    """0. Raises InputError where there is nothing to read, OSError where DIR cannot be written
    to."""
    options = _parser().parse_args(arguments)
    results = load(options.results, find_files(options.results))
    warn("export", results.warnings)
    with new_folder(options.output) as made:
        written = FORMATS[options.format](results, made)
    for path in written:
        print(options.output / path.name)
    return 0
