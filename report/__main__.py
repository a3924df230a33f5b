"""Command line: `python -m report build …` is `gemmlab report …`, `python -m report compare …` is `gemmlab compare …`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .records import InputError, Results, find_files, load
from .reference import DATA, load_reference, reference_folder

_RESULTS = "a folder of .jsonl files, or such a file"


def _report_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gemmlab report", description="Tables, figures and a report from records alone; measures nothing.",
        epilog="example: gemmlab report data/results/my-machine --output /tmp/report --experiments quick,block_size")
    parser.add_argument("results", nargs="*", type=Path, metavar="RESULTS",
                        help=f"{_RESULTS} (default: every folder under data/results)")
    parser.add_argument("--output", type=Path, metavar="DIR",
                        help="where report.html, report.md, figures/ and tables/ go (default: report/ beside the records)")
    parser.add_argument("--experiments", metavar="A,B", help="only these experiments (default: all)")
    parser.add_argument("--reference", type=Path, metavar="DIR", help="records that stand in where the machine has no "
                        "GPU (default: the folder that data/reference.json names)")
    return parser


def _compare_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gemmlab compare", description="Two machines or two runs side by side, with ratios; prints Markdown.",
        epilog="example: gemmlab compare data/results/my-machine data/results/other-machine")
    for name in ("first", "second"):
        parser.add_argument(name, type=Path, metavar="RESULTS", help=_RESULTS)
    parser.add_argument("--output", type=Path, metavar="DIR", help="also write compare.md, compare.csv and compare.tex here")
    return parser


def _by_folder(results: list[Path]) -> dict[Path, list[Path]]:
    """Folder -> its files, in the order asked for; every machine under data/results where nothing was."""
    if not results:
        root = DATA / "results"
        results = sorted(path for path in root.iterdir() if any(path.glob("*.jsonl"))) if root.is_dir() else []
        if not results:
            raise InputError("no records under data/results: measure first with `gemmlab run quick`")
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
        raise InputError(f"{results.folder}: no experiment {name} in it; there are {', '.join(known)}")
    if not names:
        raise InputError("--experiments names no experiment")
    results.experiments = [experiment for experiment in results.experiments if experiment.name in names]


def _build(arguments: list[str]) -> None:
    options = _report_parser().parse_args(arguments)
    folders = _by_folder(options.results)
    if options.reference is not None:
        find_files(options.reference)
    reference = options.reference or reference_folder(DATA)
    from .build import build

    for folder, files in folders.items():
        results = load(folder, files)
        _only(results, options.experiments)
        theirs = load_reference(reference, folder, {experiment.name for experiment in results.experiments})
        output = options.output or folder / "report"
        if options.output is not None and len(folders) > 1:
            output = options.output / folder.resolve().name
        for warning in results.warnings:
            print(f"gemmlab report: warning: {warning}", file=sys.stderr)
        build(results, theirs, output)
        print(f"Report: {output / 'report.html'}")
        print(f"        {output / 'report.md'}")


def _compare(arguments: list[str]) -> None:
    options = _compare_parser().parse_args(arguments)
    from .compare import compare, markdown_page

    both = [load(path, find_files(path)) for path in (options.first, options.second)]
    for results in both:
        for warning in results.warnings:
            print(f"gemmlab compare: warning: {warning}", file=sys.stderr)
    print(markdown_page(*compare(*both), options.output), end="")


COMMANDS = {"build": ("gemmlab report", _build), "compare": ("gemmlab compare", _compare)}


def main(arguments: list[str]) -> int:
    """0 done, 2 usage or input that cannot be read."""
    if not arguments or arguments[0] not in COMMANDS:
        asked = arguments[:1] in (["-h"], ["--help"])
        print("usage: python -m report build [RESULTS...] --output DIR | compare RESULTS RESULTS (--help on each)",
              file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    name, command = COMMANDS[arguments[0]]
    try:
        command(arguments[1:])
    except InputError as error:
        print(f"{name}: error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # `| head` has seen enough
        sys.stderr.close()
        return 0
    except OSError as error:
        print(f"{name}: error: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
