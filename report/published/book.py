"""What others published, as data/published/ holds it: rows of their tables, their claims, and how their names map to ours.

claims.csv is what the sources say; claims.toml says how each claim is judged; map.csv is the only place where a source's
name of an implementation meets one of ours. Raises InputError, in one line that names file, key and value.
"""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..records import InputError
from ..reference import DATA
from .claims import Claim, claim_of, points_of
from .names import Ours

FOLDER = DATA / "published"
_COLUMNS = ("source", "table", "device", "implementation", "M", "N", "K", "threads", "block", "metric", "value", "unit")
_CLAIM_COLUMNS = ("source", "claim", "statement", "figure", "published")
_MAP_COLUMNS = ("source", "table", "implementation", "id", "parameters", "experiments", "note", "note_zh")
_CLAIM_FILES = ("claims.csv", "claims-2.csv")
# A source whose N is the inner dimension; in all others the matrices are square.
_INNER_IS_N = ("cuda-optimisation-report",)


@dataclass(frozen=True)
class Figure:
    """A row of a published table. m, n, k as in BLAS: k is the inner dimension."""

    source: str
    table: str
    device: str
    implementation: str
    m: int
    n: int
    k: int
    threads: str
    block: str
    metric: str
    value: float
    unit: str


@dataclass(frozen=True)
class Panel:
    """A published table as a panel of its source's figure: the rates of its rows at m, over the rate of the baseline's row
    on the same device."""

    source: str
    table: str
    m: int
    metric: str
    baseline: str  # the row's name, with ", 8 threads" or ", block 4" where the table has such columns


@dataclass(frozen=True)
class Chain:
    """Measures that were taken together, one after the other: each step's time over that of the step before."""

    source: str
    name: str
    titles: dict[str, str]  # title, title_zh
    steps: tuple[tuple[dict[str, str], dict[str, Any]], ...]  # label and label_zh, the point


@dataclass(frozen=True)
class Book:
    """All that was published, in the order of the files."""

    titles: dict[str, dict[str, str]]  # source -> title, title_zh, in the order of the chapters
    claims: tuple[Claim, ...]
    figures: tuple[Figure, ...]
    names: dict[tuple[str, str, str], Ours]  # (source, table or "", implementation)
    panels: tuple[Panel, ...] = ()
    chains: tuple[Chain, ...] = ()

    def ours(self, source: str, table: str, implementation: str) -> Ours | None:
        """What stands for a source's implementation in that table; None where map.csv has no row for it."""
        return self.names.get((source, table, implementation)) or self.names.get((source, "", implementation))


def _rows(path: Path, columns: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            if tuple(reader.fieldnames or ()) != columns:
                raise InputError(f"{path}: its columns are {','.join(reader.fieldnames or ())}; allowed: {','.join(columns)}")
            for row in reader:
                if None in row or None in row.values():
                    raise InputError(f"{path}, line {reader.line_num}: not {len(columns)} fields")
                yield reader.line_num, row
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error


def _figure(path: Path, line: int, row: dict[str, str]) -> Figure:
    try:
        m, second, third = (int(row[side]) for side in ("M", "N", "K"))
        value = float(row["value"])
    except ValueError as error:
        raise InputError(f"{path}, line {line}: {error}; allowed in M, N, K and value: numbers") from error
    n, k = (third, second) if row["source"] in _INNER_IS_N else (second, third)
    return Figure(row["source"], row["table"], row["device"], row["implementation"], m, n, k, row["threads"], row["block"],
                  row["metric"], value, row["unit"])


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{path}: not TOML: {error}") from error


def _same_claims(folder: Path, claims: tuple[Claim, ...]) -> None:
    """The claims' CSV files and claims.toml must say the same of the same claims."""
    said = [tuple(row.values()) for name in _CLAIM_FILES for _, row in _rows(folder / name, _CLAIM_COLUMNS)]
    judged = [(one.source, one.claim, one.statement, one.figure, one.published) for one in claims]
    for mine, theirs in ((said, judged), (judged, said)):
        for row in mine:
            if row not in theirs:
                raise InputError(f"{folder / 'claims.toml'}: claim '{row[1]}' of {row[0]} is not as in "
                                 f"{' or '.join(_CLAIM_FILES)}; allowed: the same source, claim, statement, figure and published "
                                 "for each of their rows")


def _names(path: Path) -> dict[tuple[str, str, str], Ours]:
    names = {}
    for line, row in _rows(path, _MAP_COLUMNS):
        if not row["id"] and not row["note"]:
            raise InputError(f"{path}, line {line}: '{row['implementation']}' has neither an id nor a note; allowed: an id, or "
                             "the reason why none matches")
        if re.search(r"\{(?!threads\}|block\})", row["parameters"]):
            raise InputError(f"{path}, line {line}: 'parameters' is {row['parameters']!r}; allowed in braces: threads, block")
        key = row["source"], row["table"], row["implementation"]
        if key in names:
            raise InputError(f"{path}, line {line}: '{row['implementation']}' a second time; allowed: a row a name")
        names[key] = Ours(row["id"], row["parameters"], tuple(row["experiments"].split()), row["note"], row["note_zh"])
    return names


def _panel(path: Path, number: int, table: dict[str, Any], figures: list[Figure]) -> Panel:
    try:
        panel = Panel(**table)
    except TypeError as error:
        raise InputError(f"{path}: panel {number}: {error}; allowed: source, table, m, metric, baseline") from error
    if not any((one.source, one.table, one.m, one.metric) == (panel.source, panel.table, panel.m, panel.metric)
               for one in figures):
        raise InputError(f"{path}: panel {number}: nothing of it is published; allowed: source, table, m and metric of a row")
    return panel


def _chain(path: Path, number: int, table: dict[str, Any], ours: Callable[[str, str, str], Ours | None]) -> Chain:
    where = f"chain {number} ({table.get('name', 'unnamed')})"
    if not {"source", "name", "title", "steps"} <= table.keys():
        raise InputError(f"{path}: {where}: a key is missing; allowed: source, name, title, title_zh, steps")
    steps = []
    for step in table["steps"]:
        labels = {name: step[name] for name in ("label", "label_zh") if name in step}
        point = {name: value for name, value in step.items() if name not in labels}
        steps.append((labels, points_of(path, where, table["source"], "steps", point, ours)[0]))
    titles = {"title": table["title"], "title_zh": table.get("title_zh", table["title"])}
    return Chain(table["source"], table["name"], titles, tuple(steps))


def read(folder: Path) -> Book:
    """The book of a folder such as data/published."""
    path = folder / "claims.toml"
    judged = _toml(path)
    figures = [_figure(file, line, row) for file in sorted(folder.glob("*.csv")) if file.name not in (*_CLAIM_FILES, "map.csv")
               for line, row in _rows(file, _COLUMNS)]
    book = Book(judged.get("source", {}), (), tuple(figures), _names(folder / "map.csv"))
    numbered = {kind: list(enumerate(judged.get(kind, []), 1)) for kind in ("claim", "panel", "chain")}
    claims = tuple(claim_of(path, number, table, book.ours) for number, table in numbered["claim"])
    _same_claims(folder, claims)
    return replace(book, claims=claims,
                   panels=tuple(_panel(path, number, table, figures) for number, table in numbered["panel"]),
                   chains=tuple(_chain(path, number, table, book.ours) for number, table in numbered["chain"]))


@lru_cache(maxsize=1)
def book() -> Book:
    """That of data/published."""
    return read(FOLDER)
