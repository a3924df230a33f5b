"""`gemmlab gallery`: many machines on one page."""

from __future__ import annotations

import glob
import tempfile
from collections.abc import Iterator
from pathlib import Path

from commands import children, progress
from commands.arguments import Parser, warn
from files.output import new_folder
from files.reading import InputError
from files.safe import real_path
from files.tree import WORK
from language import LANGUAGES, using
from records.loading import find_files, load
from records.reference import OWN_RESULTS
from report.bundle.layout import RECORDS as BUNDLED
from report.bundle.unpack import unpacked

from .rows import Machine


def _parser() -> Parser:
    parser = Parser(prog="gemmlab gallery", description="One page with a row for each machine, "
                    "every report beside it, and all their points in one explorer. Measures "
                    "nothing.",
                    epilog="example: gemmlab gallery class/2026 --output public")
    parser.add_argument("folder", nargs="?", type=Path, default=OWN_RESULTS, metavar="DIR",
                        help="holds a folder of records, or a zip of gemmlab contribute or "
                        "bundle, for each machine (default: data/results)")
    parser.add_argument("--language", choices=LANGUAGES, default="en",
                        help="English or Chinese (default: en)")
    parser.add_argument("--output", type=Path, metavar="SITE",
                        help="index.html, and a folder with a report for each machine (default: "
                        "build/gallery)")
    return parser


def _folders(place: Path, scratch: Path) -> Iterator[Path]:
    """The folders of records in it, and in the bundles in it, which are unpacked into `scratch`."""
    for path in sorted(place.iterdir()):
        if path.is_dir() and any(path.glob("*.jsonl")):
            yield path
        elif path.suffix == ".zip":
            for name, content in unpacked(path).items():
                first, *rest = name.split("/")
                if first == BUNDLED and len(rest) == 2:
                    into = scratch / path.stem / rest[0] / rest[1]
                    into.parent.mkdir(parents=True, exist_ok=True)
                    into.write_bytes(content)
            yield from sorted(scratch.glob(f"{glob.escape(path.stem)}/*"))


def machines_in(place: Path) -> list[Machine]:
    """Those whose folders or bundles hold cases, by name. Raises InputError where there are
    none."""
    if not place.is_dir():
        raise InputError(f"{place}: no such folder; allowed: one that holds a folder of records, "
                         "or a bundle, for each machine")
    found: dict[str, Machine] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for folder in _folders(place, Path(scratch)):
            progress.now(f"records of {folder.name}")
            results = load(folder, find_files(folder))
            warn("gallery", results.warnings)
            one = Machine(results)
            if one.name in found:
                raise InputError(f"{place}: two machines are called {one.name}; rename a folder")
            if any(experiment.cases for experiment in results.experiments):
                found[one.name] = one
    if not found:
        raise InputError(f"{place}: no records of a machine in it; allowed: folders of .jsonl "
                         "files, and zips of gemmlab contribute or bundle")
    return list(found.values())


def main(arguments: list[str]) -> int:
    """Raises InputError where there are no machines."""
    options = _parser().parse_args(arguments)
    output = options.output or WORK / "build" / "gallery"
    if real_path(output) == real_path(options.folder):
        raise InputError(f"--output {output}: that is where the records are; name another folder")
    from report.explorer import packed_library

    from .site import write

    with using(options.language), children.doing_one(packed_library) as library, \
            new_folder(output, pages=("index.html",)) as made, \
            progress.shown("gemmlab gallery"):
        left_out = write(made, machines_in(options.folder), library.result)
    for line in left_out:
        warn("gallery", [line])
    print(f"Gallery: {output / 'index.html'}")
    return 0


