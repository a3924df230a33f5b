"""`gemmlab compare`: machines or runs side by side."""

from __future__ import annotations

import argparse
import math
import sys
from contextlib import nullcontext
from pathlib import Path

from commands.arguments import RESULTS, Parser, warn
from files.output import new_folder
from files.reading import InputError
from records.loading import find_files, load


def _percentage(text: str) -> float:
    """A finite number of percent, at least 0."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"'{text}' is not a percentage; allowed: a number from 0 "
                                         "up, such as 2.5")
    return value


def _compare_parser() -> Parser:
    parser = Parser(
        prog="gemmlab compare", description="Machines or runs side by side, with ratios to the "
        "first: the best of each at one size, what differs most, then every point. Prints "
        "Markdown, on a terminal without the table of every point.",
        epilog="example: gemmlab compare data/results/my-machine data/results/other-machine")
    for name in ("first", "second"):
        parser.add_argument(name, type=Path, metavar=name.upper(), help=RESULTS)
    parser.add_argument("others", type=Path, metavar="OTHER", nargs="*", default=[],
                        help="more of them, each beside the first")
    parser.add_argument("--output", type=Path, metavar="DIR",
                        help="also write compare.md, .csv, .tex, a figure, and compare.html with "
                        "the explorer of all their points here")
    parser.add_argument("--fail-on-regression", type=_percentage, metavar="PERCENT",
                        help="exit 1 when another is confirmed slower than the first by more than "
                        "PERCENT at some shared point, and name those points; confirmed: the 99 %% "
                        "interval and the noise floor lie wholly beyond, and no other work ran on "
                        "the cores of either")
    return parser


def main(arguments: list[str]) -> int:
    """0 done, 1 where another is slower by more than --fail-on-regression allows. Raises InputError
    where there are no records, or no point to judge by."""
    options = _compare_parser().parse_args(arguments)
    from analysis.compared.compare import regression_lines
    from analysis.compared.compare_many import compare_all

    from .page import page_of

    sides = [load(path, find_files(path))
             for path in (options.first, options.second, *options.others)]
    for results in sides:
        warn("compare", results.warnings)
    many = compare_all(sides[0], sides[1:])
    warn("compare", many.warnings)
    output = nullcontext() if options.output is None else new_folder(options.output,
                                                                     pages=("compare.html",))
    with output as folder:
        page = page_of(many, sides, folder, short=sys.stdout.isatty())
    print(page, end="")
    if options.fail_on_regression is None:
        return 0
    slower = 0
    for other in many.others:
        if not other.comparison.pairs:
            raise InputError(f"--fail-on-regression: no point has a number on both {many.first} "
                             f"and {other.name}, so nothing can be judged")
        if len(many.others) > 1:
            print(f"{other.name} against {many.first}:", file=sys.stderr)
        for line in regression_lines(other.comparison, options.fail_on_regression):
            print(line, file=sys.stderr)
        slower += len(other.comparison.regressions(options.fail_on_regression))
    return 1 if slower else 0
