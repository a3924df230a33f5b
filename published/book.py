"""What others published, as data/published/ holds it: their tables, their claims, and how their
names map to ours.

claims.csv says what the sources conclude; claims.toml says how each claim is judged; map.csv is the
only place where a source's name of an implementation meets one of ours. Raises InputError, in one
line that names file, key and value.
"""

from __future__ import annotations

import csv
import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from files.reading import InputError
from language import current
from records.reference import DATA

FOLDER = DATA / "published"
RULES = ("above", "below", "near", "equal", "within")
_CLAIM_COLUMNS = ("source", "claim", "statement", "figure", "published")
_MAP_COLUMNS = ("source", "table", "implementation", "id", "parameters", "experiments",
                "note", "note_zh")
_COLUMNS = ("source", "table", "device", "implementation", "M", "N", "K", "threads", "block",
            "metric", "value", "unit")
# a source whose N is the inner dimension; in all others the matrices are square
_INNER_IS_N = ("cuda-optimisation-report",)

Point = dict[str, Any]
# over and under; of several points of a side the fastest
Sides = tuple[tuple[Point, ...], tuple[Point, ...]]


def in_language(english: str, chinese: str) -> str:
    """Whichever is that of the language in use; English where there is no Chinese."""
    return chinese or english if current() == "zh" else english


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
class Ours:
    """A row of map.csv: an implementation of ours, or none (`id` empty) with the reason in
    `note`."""

    id: str
    parameters: str
    experiments: tuple[str, ...]
    note: str
    note_zh: str = ""

    def point(self, own: Point) -> Point:
        """What stands for a source's row: `own` says of it what the map does not, and fills
        {threads} and {block}; what it leaves empty the map says."""
        own = {name: value for name, value in own.items() if value != ""}
        found: Point = {}
        for pair in shlex.split(self.parameters):
            name, _, value = pair.partition("=")
            value = value.format_map({"threads": own.get("threads", ""),
                                      "block": own.get("block", "")})
            found |= {name: value} if value else {}
        return {"implementation": self.id, **found, **own,
                "experiments": self.experiments, "ours": self}


@dataclass(frozen=True)
class Claim:
    """A claim: what claims.csv says of it, and the expression of claims.toml that judges it (see
    the head of that file)."""

    source: str
    claim: str
    statement: str
    figure: str
    published: str
    zh: str = ""  # the statement in Chinese
    of: str = "time"  # the quantity: judge.QUANTITIES
    rule: str = "above"
    # a pair of sides for each entry of `at`; `under` is empty where a level is judged
    parts: tuple[Sides, ...] = ()
    unit: str = "times"
    published_unit: str = ""  # where the source's is another
    least: float | None = None
    names: float | None = None
    range: tuple[float, ...] = ()
    factor: float = 1.0
    idle: bool = False  # do sizes that leave SMs idle judge, too?
    beside: tuple[tuple[str, Sides], ...] = ()
    why: str = ""
    why_zh: str = ""
    missing: str = ""  # what it would take; nothing is judged then
    missing_zh: str = ""

    @property
    def number(self) -> float | None:
        """The published figure without its unit; None where it is a word or nothing."""
        found = re.fullmatch(r"(-?[\d.]+)( \S+)?", self.published)
        return float(found[1]) if found else None

    @property
    def names_its_range(self) -> bool:
        """Do both ends of its range stand in its statement?"""
        return set(self.range) <= {float(one) for one in re.findall(r"\d+(?:\.\d+)?",
                                                                   self.statement)}

    @property
    def neutral(self) -> float:
        """Where neither side gains, in the figure's unit: of added time 0, of a share of the other
        side 100."""
        return (0.0 if self.unit == "ms" and self.of == "time" else 100.0
                if self.unit.startswith("%") else 1.0)

    @property
    def experiment(self) -> str:
        """Where its first point is measured first; empty where it has none."""
        points = (one for sides in self.parts for side in sides for one in side)
        return next((name for one in points for name in one.get("experiments", ())), "")


@dataclass(frozen=True)
class Book:
    """All that was published, in the order of the files."""

    titles: dict[str, dict[str, str]]  # source -> title, title_zh, in the order of the chapters
    claims: tuple[Claim, ...]
    figures: tuple[Figure, ...]
    names: dict[tuple[str, str, str], Ours]  # (source, table or "", implementation)

    def title(self, source: str) -> str:
        """What a source is called."""
        titles = self.titles.get(source, {})
        return in_language(titles.get("title", source), titles.get("title_zh", ""))

    def ours(self, source: str, table: str, implementation: str) -> Ours | None:
        """What stands for a source's implementation in that table; None where map.csv has no row
        for it."""
        return (self.names.get((source, table, implementation))
                or self.names.get((source, "", implementation)))


def _rows(path: Path, columns: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            if tuple(reader.fieldnames or ()) != columns:
                raise InputError(f"{path}: its columns are {','.join(reader.fieldnames or ())}; "
                                 f"allowed: {','.join(columns)}")
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
        raise InputError(
            f"{path}, line {line}: {error}; allowed in M, N, K and value: numbers") from error
    n, k = (third, second) if row["source"] in _INNER_IS_N else (second, third)
    return Figure(row["source"], row["table"], row["device"], row["implementation"], m, n, k,
                  row["threads"], row["block"], row["metric"], value, row["unit"])


def _names(path: Path) -> dict[tuple[str, str, str], Ours]:
    names = {}
    for line, row in _rows(path, _MAP_COLUMNS):
        key = row["source"], row["table"], row["implementation"]
        if not row["id"] and not row["note"]:
            raise InputError(f"{path}, line {line}: '{key[2]}' has neither an id nor a note; "
                             "allowed: an id, or the reason why none matches")
        if key in names:
            raise InputError(
                f"{path}, line {line}: '{key[2]}' a second time; allowed: a row a name")
        names[key] = Ours(row["id"], row["parameters"], tuple(row["experiments"].split()),
                          row["note"], row["note_zh"])
    return names


@dataclass(frozen=True)
class _Reader:
    """Makes claims of the tables of claims.toml."""

    path: Path
    names: Book

    def fail(self, claim: str, key: str, value: Any, allowed: str) -> InputError:
        return InputError(f"{self.path}: {claim}: '{key}' is {value!r}; allowed: {allowed}")

    def _side(self, row: dict[str, str], key: str, value: Any, at: Point) -> tuple[Point, ...]:
        points = []
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict) and one.keys() & {"ceiling", "card", "kernels"}:
                points.append({name: here for name, here in at.items()
                               if name not in ("over", "under")} | one)
                continue
            if (not isinstance(one, dict) or "name" not in one
                    or {"implementation", "experiments"} & one.keys()):
                raise self.fail(row["claim"], key, one, "tables with a name that map.csv has a row "
                                "for, a ceiling, a card's entry or kernels")
            ours = self.names.ours(row["source"], one.get("table", ""), one["name"])
            if ours is None:
                raise self.fail(row["claim"], key, one["name"],
                                f"a name that map.csv has a row for in {row['source']}")
            own = {name: here for name, here in (at | at.get(key, {}) | one).items()
                   if name not in ("name", "table", "over", "under")}
            points.append(ours.point(own))
        return tuple(points)

    def _sides(self, row: dict[str, str], table: dict[str, Any], at: Point) -> Sides:
        over, under = (self._side(row, key, table.get(key, []), at) for key in ("over", "under"))
        return over, under

    def claim(self, row: dict[str, str], table: dict[str, Any]) -> Claim:
        name, known = (row["claim"], {one.name for one in fields(Claim)}
                       - {"parts", *_CLAIM_COLUMNS} | {"over", "under", "at"})
        if unknown := sorted(table.keys() - known):
            raise InputError(f"{self.path}: {name}: unknown key '{unknown[0]}'; allowed: "
                             f"{', '.join(sorted(known))}")
        if table.get("rule", "above") not in RULES:
            raise self.fail(name, "rule", table["rule"], ", ".join(RULES))
        at = table.get("at", {})
        overlays = [one if isinstance(one, dict) else {"size": one}
                    for one in (at if isinstance(at, list) else [at])]
        own: dict[str, Any] = {key: table[key] for key in table.keys() - {"over", "under", "at",
                                                                          "beside"}}
        own["range"] = tuple(own.get("range", ()))
        made = Claim(**{**row, **own}, parts=tuple(self._sides(row, table, one) for one in overlays)
                     if "over" in table else (),
                     beside=tuple((key, self._sides(row, one, {}))
                                  for key, one in table.get("beside", {}).items()))
        # of a kernel without a counterpart the map says why there is none
        lone = any(one.get("implementation") == "" for sides in made.parts for side in sides
                   for one in side)
        if not made.zh or not (made.why or made.missing or lone):
            raise self.fail(name, "why, missing, zh", None,
                            "a text in zh, and one in why or missing")
        if ((made.rule == "within" and len(made.range) != 2)
                or (made.rule == "equal" and made.number is None)):
            raise self.fail(name, "range, published", (made.range, made.published),
                            "from and to with 'within', a number with 'equal'")
        if not made.parts and not made.missing:
            raise self.fail(name, "over", None, "points, or 'missing'")
        return made


def read(folder: Path) -> Book:
    """The book of a folder such as data/published."""
    path = folder / "claims.toml"
    try:
        judged = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {error}") from error
    said = [row for _, row in _rows(folder / "claims.csv", _CLAIM_COLUMNS)]
    if lone := {row["claim"] for row in said} ^ judged["claim"].keys():
        raise InputError(f"{path}: '{min(lone)}' does not stand in it and in claims.csv; "
                         "allowed: the same claims in both")
    figures = tuple(_figure(file, line, row) for file in sorted(folder.glob("*.csv"))
                    if file.name not in ("map.csv", "claims.csv")
                    for line, row in _rows(file, _COLUMNS))
    names = Book(judged["source"], (), figures, _names(folder / "map.csv"))
    reader = _Reader(path, names)
    claims = tuple(reader.claim(row, judged["claim"][row["claim"]]) for row in said)
    return Book(names.titles, claims, figures, names.names)


@lru_cache(maxsize=1)
def book() -> Book:
    """That of data/published."""
    return read(FOLDER)
