"""What others call the rungs (data/published/aliases.toml): kernel 2, 1D blocktiling, 双缓存 …"""

from __future__ import annotations

import difflib
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from files.reading import InputError
from files.safe import shortened
from files.tree import ROOT

FILE = ROOT / "data" / "published" / "aliases.toml"
ID = re.compile(r"(cpu|gpu)\.\w+")
USUAL = "usual"  # the source of what many say
MOST_NEAR, LEAST_ALIKE, MOST_SHOWN = 4, 0.5, 60


def _plain(name: str) -> str:
    """What counts of a name."""
    return re.sub(r"[\s_-]", "", name.casefold())


@dataclass(frozen=True)
class Alias:
    id: str
    parameters: tuple[tuple[str, Any], ...]  # that make our rung theirs
    source: str
    name: str

    @property
    def rung(self) -> str:
        """As rules write it: "gpu.tiled block=32"."""
        return " ".join([self.id, *(f"{name}={value}" for name, value in self.parameters)])


@cache
def _rows() -> tuple[Alias, ...]:
    """In the file's order."""
    read = tomllib.loads(FILE.read_text(encoding="utf-8"))["alias"]
    return tuple(Alias(row["id"], tuple(row.get("parameters", {}).items()), source, name)
                 for row in read for source, names in row["names"].items() for name in names)


@cache
def aliases() -> dict[str, list[str]]:
    """Id -> the names that others have for it, each once."""
    made: dict[str, list[str]] = {}
    for row in _rows():
        names = made.setdefault(row.id, [])
        names += [row.name] if row.name not in names else []
    return made


def with_sources(implementation: str) -> str:
    """"kernel 2, GMEM coalescing (SGEMM_CUDA); 内存合并": who says it stands behind, but for what many say."""
    made: dict[str, list[str]] = {}
    for row in _rows():
        if row.id == implementation:
            made.setdefault(row.source, []).append(row.name)
    return "; ".join(", ".join(names) + (f" ({source})" if source != USUAL else "") for source, names in made.items())


def called(name: str, device: str = "") -> Alias | None:
    """What others call so, of the device where one is named ("gpu"); None where nobody does. Raises InputError where they mean
    several rungs."""
    found = {row.rung: row for row in _rows() if _plain(row.name) == _plain(name) and row.id.startswith(device)}
    if len(found) > 1:
        raise InputError(f"'{shortened(name, MOST_SHOWN)}' is ambiguous: "
                         + ", ".join(f"{rung} ({row.source})" for rung, row in found.items()))
    return next(iter(found.values()), None)


def resolved(name: str) -> str:
    """The rung meant by an id or by a name of others, as rules write it: "gpu.tiled block=32".

    The program knows an id or refuses it. Raises InputError, in a line that names near ones, where
    no name is meant, or several are.
    """
    if ID.fullmatch(name):
        return name
    if alias := called(name):
        return alias.rung
    said = shortened(name, MOST_SHOWN)
    names = {_plain(row.name): row.name for row in _rows()}
    near = [names[one] for one in difflib.get_close_matches(_plain(name), names, MOST_NEAR, LEAST_ALIKE)]
    raise InputError(f"no rung is called '{said}'" + (f"; near: {', '.join(near)}" if near else "; see gemmlab list"))
