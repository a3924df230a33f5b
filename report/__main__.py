"""Command line: `python -m report build …` is `gemmlab report …`, `python -m report compare …` is
`gemmlab compare …`."""

from __future__ import annotations

from commands import stop_signals

if __name__ == "__main__":
    stop_signals.leave_at_once()  # the imports below take a while

import argparse
import math
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from commands import children, exits, progress, terminal_output
from commands.arguments import Parser, warn
from commands.lost_output import heard
from commands.program import built_program
from commands.satellites import found, satellites
from files.output import new_folder
from files.reading import InputError
from language import LANGUAGES, using
from records.loading import Results, find_files, load
from records.reference import DATA, load_reference, reference_folder

from .bundle.command import main as bundle
from .bundle.command import verify
from .doctor.command import main as doctor
from .export.command import main as export
from .handin.wishes import add_options, wishes_of
from .peer_libraries import main as peers
from .profile.command import main as profile

_RESULTS = "a folder of .jsonl files, or such a file"


def _report_parser() -> Parser:
    parser = Parser(prog="gemmlab report", description="Tables, figures and a report from records "
                    "alone; measures nothing.",
                    epilog="example: gemmlab report data/results/my-machine --output /tmp/report "
                    "--experiments quick,block_size")
    parser.add_argument("results", nargs="*", type=Path, metavar="RESULTS",
                        help=f"{_RESULTS} (default: every folder under data/results)")
    parser.add_argument("--output", type=Path, metavar="DIR",
                        help="where report.html, report.md, report.tex, report.pdf, figures/ and "
                        "tables/ go (default: report/ beside the records, report-zh/ in Chinese)")
    parser.add_argument("--language", choices=LANGUAGES, default="en",
                        help="of the report: English or Chinese (default: en)")
    less = parser.add_mutually_exclusive_group()
    less.add_argument("--no-pdf", action="store_true", help="leave report.pdf out")
    less.add_argument("--markdown", action="store_true",
                      help="report.md alone, with figures/ as SVG: what a repository shows")
    parser.add_argument("--figures", metavar="A,B", type=_formats, default=(),
                        help="formats of the figures beside SVG: png, pdf (default: both; of over "
                        "20,000 points none but the PDF that report.pdf is made of)")
    parser.add_argument("--experiments", metavar="A,B",
                        help="only these experiments (default: all)")
    parser.add_argument("--kinds", action="store_true", help="list every kind of table and figure "
                        "that a definition may ask for, and make no report")
    parser.add_argument("--reference", type=Path, metavar="DIR",
                        help="records that stand in where the machine has no GPU (default: the "
                        "folder that data/reference.json names)")
    add_options(parser)
    return parser


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


def _formats(text: str) -> tuple[str, ...]:
    """"png,pdf" as formats, SVG always among them."""
    names = [name.strip() for name in text.split(",")]
    if wrong := [name for name in names if name not in ("svg", "png", "pdf")]:
        raise argparse.ArgumentTypeError(f"'{wrong[0]}' is not a format of figures; allowed: svg, "
                                         "png, pdf, with commas between")
    return ("svg", *names)


def _compare_parser() -> Parser:
    parser = Parser(
        prog="gemmlab compare", description="Machines or runs side by side, with ratios to the "
        "first: the best of each at one size, what differs most, then every point. Prints "
        "Markdown, on a terminal without the table of every point.",
        epilog="example: gemmlab compare data/results/my-machine data/results/other-machine")
    for name in ("first", "second"):
        parser.add_argument(name, type=Path, metavar=name.upper(), help=_RESULTS)
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


def _by_folder(results: list[Path]) -> dict[Path, list[Path]]:
    """Folder -> its files, in the order asked for; every machine under data/results where nothing
    was."""
    if not results:
        root = DATA / "results"
        results = (sorted(path for path in root.iterdir() if any(path.glob("*.jsonl")))
                   if root.is_dir() else [])
        if not results:
            raise InputError(
                "no records under data/results: measure first with `gemmlab run quick`")
    folders: dict[Path, list[Path]] = {}
    for path in results:
        files = find_files(path)
        folders.setdefault(files[0].parent, []).extend(files)
    return folders


def _only(results: Results, wanted: str | None) -> None:
    if wanted is None:
        return
    names = {name.strip() for name in wanted.split(",") if name.strip()}
    known = [experiment.name for experiment in results.experiments]
    for name in sorted(names - set(known)):
        raise InputError(f"{results.folder}: no experiment {name} in it; there are "
                         f"{', '.join(known)}")
    if not names:
        raise InputError("--experiments names no experiment")
    results.experiments = [experiment for experiment in results.experiments
                           if experiment.name in names]


def _build(arguments: list[str]) -> None:
    options = _report_parser().parse_args(arguments)
    if options.kinds:
        from .asked import registry

        print(registry.told())
        return
    folders = _by_folder(options.results)
    if options.reference is not None:
        find_files(options.reference)
    reference = options.reference or reference_folder(DATA)
    from plots import has_chinese_font

    from .explorer import packed_library

    if options.language == "zh" and not has_chinese_font():
        print("gemmlab report: there is no font with Chinese letters here, so that figures and "
              "report.pdf show boxes: apt install fonts-noto-cjk", file=sys.stderr)
    # nothing else takes the second core while records are read
    with children.doing_one(packed_library) as library:
        for folder, files in folders.items():
            _build_one(options, folder, files, reference, len(folders) > 1, library.result)


def _build_one(options: argparse.Namespace, folder: Path, files: list[Path], reference: Path | None,
               several: bool, library: Callable[[], str]) -> None:
    """The report of one folder's records. `several`: are there others, so that --output gets a
    folder for each? `library` gives the explorer's, packed."""
    import plots

    from .build import build
    from .pages import paper
    from .pages.html import BESIDE

    wishes = wishes_of(options, folder)
    with progress.shown("gemmlab report"):
        results = load(folder, files)
    _only(results, options.experiments)
    theirs = load_reference(reference, folder)
    output = (options.output
              or folder / ("report" if options.language == "en" else f"report-{options.language}"))
    if options.output is not None and several:
        output = options.output / folder.resolve().name
    warn("report", results.warnings)
    without = ({"html", "tex", "pdf", BESIDE} if options.markdown else {"pdf"}
               if options.no_pdf else set())
    drawn = plots.only(("svg",)) if options.markdown else nullcontext()
    with using(options.language), exits.named(output), \
            new_folder(output, pages=("report.html", "report.md"), gone=(paper.NAME,)) as made, \
            progress.shown("gemmlab report"), drawn:  # an earlier PDF tells of other records
        told, left_out = build(results, theirs, made, without, wishes, library,
                               "" if options.markdown else built_program(), options.figures)
    print(*told, sep="\n")
    pages = [f"report.{form}" for form in ("html", "md", "tex", "pdf")
             if form not in without and (output / f"report.{form}").is_file()]
    for at, name in enumerate(pages):
        print(f"{'Report:' if at == 0 else '       '} {output / name}")
    for line in left_out:
        print(f"gemmlab report: {line}", file=sys.stderr)


def _compare(arguments: list[str]) -> int:
    options = _compare_parser().parse_args(arguments)
    from analysis.compared.compare import regression_lines
    from analysis.compared.compare_many import compare_all

    from .compare.page import page_of

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


def _later(place: str) -> Callable[[list[str]], int | None]:
    return lambda arguments: found(place)(arguments)


COMMANDS: dict[str, tuple[str, Callable[[list[str]], int | None]]] = {
    "build": ("gemmlab report", _build), "compare": ("gemmlab compare", _compare),
    "doctor": ("gemmlab doctor", doctor), "export": ("gemmlab export", export),
    "profile": ("gemmlab profile", profile), "bundle": ("gemmlab bundle", bundle),
    "verify-bundle": ("gemmlab verify-bundle", verify), "peers": ("gemmlab peers", peers),
    **{name: (f"gemmlab {name}", _later(place)) for one in satellites().values()
       for name, place in one.commands.items()}}


def main(arguments: list[str]) -> int:
    """0 done, 1 what was asked to be found was found (a regression, a problem), 2 usage or input
    that cannot be read, 3 a crash, 128 and a signal's number where one ended it."""
    if not arguments or arguments[0] not in COMMANDS:
        asked = arguments[:1] in (["-h"], ["--help"])
        print(f"usage: python -m report {' | '.join(COMMANDS)} ... (--help on each)",
              file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    name, command = COMMANDS[arguments[0]]
    return exits.code_of(name, lambda: heard(lambda: command(arguments[1:])),
                          "--json" in arguments)


if __name__ == "__main__":
    stop_signals.raise_stopped()
    terminal_output.guard()
    sys.exit(main(sys.argv[1:]))
