"""Satellites: folders at the top of the tree that can be taken off. Each says in its `satellite.py`
what it offers; the suite asks for that here by a name, and imports nothing of a satellite by
itself. One that offers nothing without others names them in its `needs.txt`, a folder a line;
cmake/Satellite.cmake reads that, too, where no Python need be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from runpy import run_path
from typing import Any

from files.tree import ROOT, packages

FILE = "satellite.py"
NEEDS = "needs.txt"


@dataclass(frozen=True, kw_only=True)
class Start:
    """How `./gemmlab` starts a command: by `python -m MODULE…`, or without one as the program
    itself.

    target: of CMake, which is built before. program: what comes of it, in the build's folder;
    `variable` tells a module where. built: is that needed with these arguments? used: the program
    is a file to be used, whose place is printed; on a terminal this says what for. files: endings
    of what it takes, for whoever types such a file's name for a command."""

    module: tuple[str, ...] = ()
    target: str = ""
    program: str = "runner/gemmlab"
    variable: str = "GEMMLAB_PROGRAM"
    built: Callable[[Sequence[str]], bool] = lambda arguments: True
    used: str = ""
    files: tuple[str, ...] = ()

    def needs_build(self, arguments: Sequence[str]) -> bool:
        return bool(self.target) and self.built(arguments)


@dataclass(frozen=True, kw_only=True)
class Satellite:
    """Places are "package.module:name", so that what nobody asks for is not imported.

    commands: of `python -m report`, by name. starts: of commands that need a build, or are no
    report's. takes: another's command -> (arguments) -> the command and arguments they are here, or
    none. Its folders tables/ and figures/ hold kinds (analysis/kind_files.py). chapter: (results,
    folder) -> a chapter of the report, `chapter_title`: in English. exhibit: (results) -> one of
    the summary, or None. repeat: (folder of records) -> a block of the chapter on repeating.
    sentences: (results) -> what it tells with numbers. yours: what a reader may do next, in
    English, at its place among the report's own: (command, what it tells). texts: () -> texts that
    are to be translated. reports: do its sources make something of a report? Those of one that does
    not translate by files of their own. marks: ending -> what only a file of its own holds
    (files/output.py). book: () -> what others published (Book of published/book.py)."""

    commands: dict[str, str] = field(default_factory=dict)
    starts: dict[str, Start] = field(default_factory=dict)
    takes: dict[str, Callable[[Sequence[str]], list[str]]] = field(default_factory=dict)
    chapter: str = ""
    chapter_title: str = ""
    exhibit: str = ""
    repeat: str = ""
    sentences: str = ""
    yours: dict[int, tuple[str, str]] = field(default_factory=dict)
    texts: str = ""
    reports: bool = True
    marks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    book: str = ""


def needs_of(folder: Path) -> list[str]:
    """The satellites that the one in this folder needs."""
    path = folder / NEEDS
    return path.read_text(encoding="utf-8").split() if path.is_file() else []


@cache
def satellites() -> dict[str, Satellite]:
    """Those that are there, with all that they need, by name."""
    # by its path: the launcher has none of the packages that a satellite's own imports ask for
    known: dict[str, Satellite] = {path.parent.name: run_path(str(path))["SATELLITE"]
                                   for path in sorted(ROOT.glob(f"*/{FILE}"))}
    return {name: one for name, one in known.items() if known.keys() >= {*needs_of(ROOT / name)}}


def makers() -> list[Path]:
    """The Python packages whose sources make reports, by name."""
    known = satellites()
    return [folder for folder in packages()
            if folder.name not in known or known[folder.name].reports]


def found(place: str) -> Any:
    """What stands at "package.module:name", or the package."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name) if name else import_module(module)


def offered(what: str) -> dict[str, Any]:
    """What stands at the place that each satellite names for it, by the satellite's name."""
    return {name: found(place) for name, one in satellites().items()
            if (place := getattr(one, what))}
