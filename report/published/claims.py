"""Claims as data: what claims.toml says of each, with the points that map.csv finds for the names that it uses.

A point of claims.toml names a source's implementation (`name`, and `table` where a source uses the name twice), never one
of ours: map.csv is the only place where the two meet. Raises InputError, in one line that names file, claim, key and value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..records import InputError
from .names import Ours, parameters_of

SIDES = ("above", "below", "near", "equal", "within")  # when a claim holds: see claims.toml
SHOWN = ("times", "percent", "added ms", "count")
MEASURES = ("ratio", "counter", "intensity", "conflict fold", "shared rate", "processes", "phases", "ceiling", "rate", "spread",
            "cycles", "none")
_WITHOUT_POINTS = ("ceiling", "none")
_FIELDS = {"source", "claim", "statement", "statement_zh", "figure", "published", "holds", "measure", "over", "under", "shown",
           "counter", "share_of", "fact", "factor", "tile", "phases", "ceilings", "range", "least", "names", "also", "largest_of",
           "beside", "why", "why_zh", "why_not", "why_not_zh", "missing", "missing_zh"}
_TEXTS = ("source", "claim", "statement")
_REASONS = ("why", "why_not", "missing")
_POINT = {"name", "table", "size", "m", "n", "k", "dims", "options", "counted", "threads", "block", "scope", "cache",
          "host_memory", "allocation", "module_loading"}

Points = tuple[dict[str, Any], ...]
Resolve = Callable[[str, str, str], Ours | None]  # source, table, name


@dataclass(frozen=True)
class Claim:
    """A claim with the expression that judges it. A point is one of ours, as map.csv has it; one without a counterpart has
    no implementation, and the reason in `no_counterpart`."""

    source: str
    claim: str
    statement: str
    statement_zh: str
    figure: str
    published: str
    holds: str
    measure: str
    over: Points  # several: the fastest of them
    under: Points
    shown: str = "times"
    counter: str = ""
    share_of: str = ""  # a counter that `counter` is divided by
    fact: str = ""  # of `chosen`, in cycles
    factor: float = 1.0  # that a ratio is multiplied by: how much more one side does than the other
    tile: int = 0
    phases: tuple[str, ...] = ()
    ceilings: tuple[dict[str, str], ...] = ()  # one, or the first over the second
    range: tuple[float, ...] = ()  # from, to: what the statement names, in the figure's own unit
    least: float | None = None  # "over 400 times": what the statement names
    names: float | None = None  # "about 1.5 times": what the statement names, where the figure is another
    also: tuple[dict[str, Any], ...] = ()  # further ratios for which the claim must hold, or which hold in their own way
    largest_of: tuple[dict[str, Any], ...] = ()  # ratios that this one must exceed
    beside: dict[str, dict[str, Any]] = field(default_factory=dict)  # ratios that only the reasons quote, by name
    reasons: dict[str, str] = field(default_factory=dict)  # why, why_not, missing, and each with _zh


def published_number(claim: Claim) -> float | None:
    """The published figure without its unit; None where it is a word or nothing."""
    try:
        return float(claim.published.split()[0])
    except (ValueError, IndexError):
        return None


@dataclass(frozen=True)
class _Reader:
    path: Path
    where: str
    source: str
    resolve: Resolve

    def fail(self, key: str, value: Any, allowed: str) -> InputError:
        return InputError(f"{self.path}: {self.where}: '{key}' is {value!r}; allowed: {allowed}")

    def word(self, table: dict[str, Any], key: str, allowed: tuple[str, ...], default: str = "") -> str:
        value = table.get(key, default)
        if value not in allowed:
            raise self.fail(key, value, ", ".join(allowed))
        return value

    def _point(self, key: str, point: Any) -> dict[str, Any]:
        if not isinstance(point, dict) or not isinstance(point.get("name"), str) or not (
                {"size", "dims", "counted"} & point.keys() or {"m", "n", "k"} <= point.keys()):
            raise self.fail(key, point, "a table with name and size (or m, n and k, or dims), or a list of such tables")
        unknown = sorted(point.keys() - _POINT)
        if unknown:
            raise self.fail(key, point, f"in a point {', '.join(sorted(_POINT))}; '{unknown[0]}' stands in map.csv")
        ours = self.resolve(self.source, point.get("table", ""), point["name"])
        if ours is None:
            raise self.fail(key, point, f"a name that map.csv has a row for in {self.source}")
        own = {name: value for name, value in point.items() if name not in ("name", "table")}
        if not ours.id:
            return own | {"implementation": "", "no_counterpart": ours, "experiments": ()}
        parameters = parameters_of(ours, {name: str(own.get(name, "")) for name in ("threads", "block")})
        return {"implementation": ours.id, **parameters, **own, "experiments": ours.experiments}

    def points(self, key: str, value: Any) -> Points:
        points = value if isinstance(value, list) else [value]
        if not points:
            raise self.fail(key, value, "at least one point")
        return tuple(self._point(key, point) for point in points)

    def ratios(self, key: str, value: Any) -> tuple[dict[str, Any], ...]:
        if not isinstance(value, list) or not all(isinstance(one, dict) and {"over", "under"} <= one.keys() for one in value):
            raise self.fail(key, value, "a list of tables with over and under")
        return tuple({side: self.points(f"{key}.{side}", one[side]) for side in ("over", "under")}
                     | ({"holds": self.word(one, "holds", SIDES)} if "holds" in one else {}) for one in value)

    def number(self, table: dict[str, Any], key: str) -> float | None:
        value = table.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
            raise self.fail(key, value, "a number")
        return None if value is None else float(value)

    def numbers(self, key: str, value: Any) -> tuple[float, ...]:
        if not isinstance(value, list) or len(value) not in (0, 2) or not all(isinstance(one, (int, float)) for one in value):
            raise self.fail(key, value, "two numbers, from and to")
        return tuple(map(float, value))


def points_of(path: Path, where: str, source: str, key: str, value: Any, resolve: Resolve) -> Points:
    """One point or a list of them, as map.csv resolves their names."""
    return _Reader(path, where, source, resolve).points(key, value)


def _texts(reader: _Reader, table: dict[str, Any], measure: str) -> None:
    for key in (*_TEXTS, "missing" if measure == "none" else "why"):
        if not isinstance(table.get(key), str) or not table[key]:
            raise reader.fail(key, table.get(key), "a text")


def claim_of(path: Path, number: int, table: dict[str, Any], resolve: Resolve) -> Claim:
    """A table [[claim]]."""
    reader = _Reader(path, f"claim {number} ({table.get('claim', 'unnamed')})", str(table.get("source")), resolve)
    unknown = sorted(table.keys() - _FIELDS)
    if unknown:
        raise InputError(f"{path}: {reader.where}: unknown key '{unknown[0]}'; allowed: {', '.join(sorted(_FIELDS))}")
    measure = reader.word(table, "measure", MEASURES, "ratio")
    _texts(reader, table, measure)
    made = Claim(
        table["source"], table["claim"], table["statement"],
        table.get("statement_zh", table["statement"]), table.get("figure", ""),
        table.get("published", ""), reader.word(table, "holds", SIDES, "above" if measure == "none" else ""), measure,
        () if measure in _WITHOUT_POINTS else reader.points("over", table.get("over")),
        reader.points("under", table["under"]) if "under" in table or measure == "ratio" else (),
        reader.word(table, "shown", SHOWN, "times"), table.get("counter", ""), table.get("share_of", ""),
        table.get("fact", ""), reader.number(table, "factor") or 1.0,
        int(table.get("tile", 0)), tuple(table.get("phases", ())), tuple(table.get("ceilings", ())),
        reader.numbers("range", table.get("range", [])), reader.number(table, "least"), reader.number(table, "names"),
        reader.ratios("also", table.get("also", [])), reader.ratios("largest_of", table.get("largest_of", [])),
        {name: reader.ratios(f"beside.{name}", [one])[0] for name, one in table.get("beside", {}).items()},
        {f"{key}{language}": table.get(f"{key}{language}", table[key])
         for key in _REASONS if key in table for language in ("", "_zh")})
    if measure != "none" and made.holds == "equal" and published_number(made) is None:
        raise reader.fail("published", made.published, "a number, as 'holds' is 'equal'")
    if measure != "none" and made.holds == "within" and not made.range:
        raise reader.fail("range", list(made.range),
                          "two numbers, from and to, as 'holds' is 'within'")
    return made
