"""`gemmlab report`: the reports of folders of records."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from commands import children, exits, progress
from commands.arguments import RESULTS, Parser, warn
from commands.program import built_program
from files.output import new_folder
from files.reading import InputError
from language import LANGUAGES, using
from records.loading import Results, find_files, load
from records.reference import DATA, OWN_RESULTS, load_reference, reference_folder

from .handin.wishes import add_options, wishes_of


def _report_parser() -> Parser:
    parser = Parser(prog="gemmlab report", description="Tables, figures and a report from records "
                    "alone; measures nothing.",
                    epilog="example: gemmlab report data/results/my-machine --output /tmp/report "
                    "--experiments quick,block_size")
    parser.add_argument("results", nargs="*", type=Path, metavar="RESULTS",
                        help=f"{RESULTS} (default: every folder under data/results)")
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


def _formats(text: str) -> tuple[str, ...]:
    """"png,pdf" as formats, SVG always among them."""
    names = [name.strip() for name in text.split(",")]
    if wrong := [name for name in names if name not in ("svg", "png", "pdf")]:
        raise argparse.ArgumentTypeError(f"'{wrong[0]}' is not a format of figures; allowed: svg, "
                                         "png, pdf, with commas between")
    return ("svg", *names)


def _by_folder(results: list[Path]) -> dict[Path, list[Path]]:
    """Folder -> its files, in the order asked for; every machine under data/results where nothing
    was."""
    if not results:
        results = (sorted(path for path in OWN_RESULTS.iterdir() if any(path.glob("*.jsonl")))
                   if OWN_RESULTS.is_dir() else [])
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


def main(arguments: list[str]) -> None:
    """Raises InputError where there are no records, or a named experiment is not among them."""
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
