"""What others published, as data/published/ holds it: rows of their tables, their claims, and how their names map to ours.

claims.csv is what the sources say; claims.toml says how each claim is judged; map.csv is the only place where a source's
name of an implementation meets one of ours. Raises InputError, in one line that names file, key and value.
"""

from __future__ import annotations

import csv
import re
import tomllib
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Iterator

from ..records import InputError
from ..reference import DATA

FOLDER = DATA / "published"
SIDES = ("above", "below", "near", "equal")  # when a claim holds: see claims.toml
SHOWN = ("times", "percent", "added ms", "count")
MEASURES = ("ratio", "first call", "counter", "intensity")
_COLUMNS = ("source", "table", "device", "implementation", "M", "N", "K", "threads", "block", "metric", "value", "unit")
_CLAIM_COLUMNS = ("source", "claim", "statement", "figure", "published")
_MAP_COLUMNS = ("source", "table", "implementation", "id", "parameters", "experiments", "note")
# A source whose N is the inner dimension; in all others the matrices are square.
_INNER_IS_N = ("cuda-optimisation-report",)
_FIELDS = {"source", "claim", "statement", "statement_zh", "figure", "published", "holds", "measure", "over", "under", "shown",
           "counter", "tile", "phases", "also", "largest_of", "beside", "why", "why_zh", "why_not", "why_not_zh"}


@dataclass(frozen=True)
class Ours:
    """A row of map.csv: an implementation of ours, or none (`id` empty) with the reason in `note`."""

    id: str
    parameters: str
    experiments: tuple[str, ...]
    note: str


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
class Claim:
    """A claim with the expression that judges it; the keys of `points` are those of claims.toml."""

    source: str
    claim: str
    statement: str
    statement_zh: str
    figure: str
    published: str
    holds: str
    measure: str
    over: tuple[dict[str, Any], ...]  # several: the fastest of them
    under: tuple[dict[str, Any], ...]
    shown: str = "times"
    counter: str = ""
    tile: int = 0
    phases: tuple[str, ...] = ()
    also: tuple[dict[str, Any], ...] = ()  # further ratios for which the claim must hold
    largest_of: tuple[dict[str, Any], ...] = ()  # ratios that this one must exceed
    beside: dict[str, dict[str, Any]] = field(default_factory=dict)  # ratios that only the reasons quote, by name
    reasons: dict[str, str] = field(default_factory=dict)  # why, why_not, and each with _zh


@dataclass(frozen=True)
class Book:
    """All that was published, in the order of the files."""

    titles: dict[str, dict[str, str]]  # source -> title, title_zh, in the order of the chapters
    claims: tuple[Claim, ...]
    figures: tuple[Figure, ...]
    names: dict[tuple[str, str, str], Ours]  # (source, table or "", implementation)

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


def _points(path: Path, where: str, key: str, value: Any) -> tuple[dict[str, Any], ...]:
    points = value if isinstance(value, list) else [value]
    if not points or not all(isinstance(point, dict) and "implementation" in point and (
            "size" in point or {"m", "n", "k"} <= point.keys() or "counted" in point) for point in points):
        raise InputError(f"{path}: {where}: '{key}' is {value!r}; allowed: a table with implementation and size (or m, n and "
                         "k), or a list of such tables")
    return tuple(points)


def _ratios(path: Path, where: str, key: str, value: Any) -> tuple[dict[str, Any], ...]:
    if not isinstance(value, list) or not all(isinstance(one, dict) and {"over", "under"} <= one.keys() for one in value):
        raise InputError(f"{path}: {where}: '{key}' is {value!r}; allowed: a list of tables with over and under")
    return tuple({side: _points(path, where, f"{key}.{side}", one[side]) for side in ("over", "under")} for one in value)


def _word(path: Path, where: str, table: dict[str, Any], key: str, allowed: tuple[str, ...], default: str = "") -> str:
    value = table.get(key, default)
    if value not in allowed:
        raise InputError(f"{path}: {where}: '{key}' is {value!r}; allowed: {', '.join(allowed)}")
    return value


def _claim(path: Path, number: int, table: dict[str, Any]) -> Claim:
    where = f"claim {number} ({table.get('claim', 'unnamed')})"
    unknown = sorted(table.keys() - _FIELDS)
    if unknown:
        raise InputError(f"{path}: {where}: unknown key '{unknown[0]}'; allowed: {', '.join(sorted(_FIELDS))}")
    for key in ("source", "claim", "statement", "statement_zh", "published", "why", "why_zh"):
        if not isinstance(table.get(key), str) or not table[key]:
            raise InputError(f"{path}: {where}: '{key}' is {table.get(key)!r}; allowed: a text")
    measure = _word(path, where, table, "measure", MEASURES, "ratio")
    beside = table.get("beside", {})
    return Claim(
        table["source"], table["claim"], table["statement"], table["statement_zh"], table.get("figure", ""), table["published"],
        _word(path, where, table, "holds", SIDES), measure, _points(path, where, "over", table.get("over")),
        _points(path, where, "under", table["under"]) if "under" in table or measure == "ratio" else (),
        _word(path, where, table, "shown", SHOWN, "times"), table.get("counter", ""), int(table.get("tile", 0)),
        tuple(table.get("phases", ())), _ratios(path, where, "also", table.get("also", [])),
        _ratios(path, where, "largest_of", table.get("largest_of", [])),
        {name: _ratios(path, where, f"beside.{name}", [one])[0] for name, one in beside.items()},
        {key: table[key] for key in ("why", "why_zh", "why_not", "why_not_zh") if key in table})


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{path}: not TOML: {error}") from error


def _same_claims(folder: Path, claims: tuple[Claim, ...]) -> None:
    """claims.csv and claims.toml must say the same of the same claims."""
    said = [tuple(row.values()) for _, row in _rows(folder / "claims.csv", _CLAIM_COLUMNS)]
    judged = [(one.source, one.claim, one.statement, one.figure, one.published) for one in claims]
    for mine, theirs in ((said, judged), (judged, said)):
        for row in mine:
            if row not in theirs:
                raise InputError(f"{folder / 'claims.toml'}: claim '{row[1]}' of {row[0]} is not as in claims.csv; allowed: the "
                                 "same source, claim, statement, figure and published for each of its rows")


def read(folder: Path) -> Book:
    """The book of a folder such as data/published."""
    path = folder / "claims.toml"
    judged = _toml(path)
    claims = tuple(_claim(path, number, table) for number, table in enumerate(judged.get("claim", []), 1))
    _same_claims(folder, claims)
    names = {}
    for line, row in _rows(folder / "map.csv", _MAP_COLUMNS):
        if not row["id"] and not row["note"]:
            raise InputError(f"{folder / 'map.csv'}, line {line}: '{row['implementation']}' has neither an id nor a note; "
                             "allowed: an id, or the reason why none matches")
        if re.search(r"\{(?!threads\}|block\})", row["parameters"]):
            raise InputError(f"{folder / 'map.csv'}, line {line}: 'parameters' is {row['parameters']!r}; allowed in braces: "
                             "threads, block")
        names[row["source"], row["table"], row["implementation"]] = Ours(
            row["id"], row["parameters"], tuple(row["experiments"].split()), row["note"])
    figures = [_figure(file, line, row) for file in sorted(folder.glob("*.csv")) if file.stem not in ("claims", "map")
               for line, row in _rows(file, _COLUMNS)]
    return Book(judged.get("source", {}), claims, tuple(figures), names)


@lru_cache(maxsize=1)
def book() -> Book:
    """That of data/published."""
    return read(FOLDER)
