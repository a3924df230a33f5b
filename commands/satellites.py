"""Satellites: packages at the top of the tree that can be taken off. Each says in its `satellite.py` what it offers; the suite
asks for that here by a name, and imports nothing of a satellite by itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from files.tree import packages

FILE = "satellite.py"


@dataclass(frozen=True, kw_only=True)
class Satellite:
    """Places are "package.module:name", so that what nobody asks for is not imported.

    needs: satellites without which this one offers nothing. commands: of `python -m report`, by name.
    Its folders tables/ and figures/ hold kinds (analysis/tables/kind.py). chapter: (results, folder) -> a chapter of the report,
    `chapter_title`: in English. exhibit: (results) -> one of the summary, or None. repeat: (folder of records) -> a block of the
    chapter on repeating. sentences: (results) -> what it tells with numbers. texts: () -> texts that are to be translated."""

    needs: tuple[str, ...] = ()
    commands: dict[str, str] = field(default_factory=dict)
    chapter: str = ""
    chapter_title: str = ""
    exhibit: str = ""
    repeat: str = ""
    sentences: str = ""
    texts: str = ""


@cache
def satellites() -> dict[str, Satellite]:
    """Those that are there, with all that they need, by name."""
    known: dict[str, Satellite] = {folder.name: import_module(f"{folder.name}.satellite").SATELLITE
                                   for folder in packages() if (folder / FILE).is_file()}
    return {name: one for name, one in known.items() if all(other in known for other in one.needs)}


def found(place: str) -> Any:
    """What stands at "package.module:name", or the package."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name) if name else import_module(module)


def offered(what: str) -> dict[str, Any]:
    """What stands at the place that each satellite names for it, by the satellite's name."""
    return {name: found(place) for name, one in satellites().items() if (place := getattr(one, what))}
