"""Tables of one quantity: a column of numbers with the same decimals all the way down, its ± beside
it, and notes below."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec.structs import replace

from analysis.tables.tables import SPREAD, Cell, Row, Table, apart_text, ended, sentences
from language import say
from records.cases.case import Case, disturbed_words
from records.cases.phrases import by_medians, over_its_own, pairing, ran_text, unsound
from records.cases.ratios import Ratio
from records.names.numbers import ends_of, plain
from records.schema.operations import Shape

MOST_ROWS = 15


class Number(NamedTuple):
    """A number as measured, with its 95 % interval where it has one, and the number of its note (0:
    none)."""

    value: float
    low: float | None = None
    high: float | None = None
    note: int = 0

    @property
    def spread(self) -> float | None:
        """The farther end of the interval."""
        if self.low is None or self.high is None:
            return None
        return max(self.value - self.low, self.high - self.value)


Numbers = Sequence[Number | None]


def of_ratio(ratio: Ratio, note: int = 0) -> Number:
    return Number(ratio.value, ratio.low, ratio.high, note)


def of_rate(case: Case, note: int = 0) -> Number:
    return Number(case.rate, *ends_of(case.rate_ci95), note=note)


def side(shape: Shape) -> int:
    """N of a square."""
    return int(shape[0])


def decimals_of(values: Iterable[float]) -> int:
    """As many as show two digits of the smallest, at most two."""
    least = min((abs(value) for value in values), default=0.0)
    return 0 if least >= 9.95 else 1 if least >= 0.995 else 2


def unpaired_text(ratio: Ratio, *cases: Case) -> str:
    """What is unsound of the points, and that too few samples, or no shared rounds, leave the ratio
    of the medians alone."""
    why = unsound(*cases)
    return (say("{why}: not paired, the ratio of the medians", why=why) if why
            and not ratio.pairs else why or pairing(ratio))


@dataclass
class Marks:
    """Numbered notes: why a number is to be taken with care, and in which rows."""

    _rows: dict[str, dict[tuple[str, str], None]] = field(default_factory=dict)

    def of(self, row: str, *reasons: str, detail: str = "") -> int:
        """The number of the first reason that is not empty; 0 where all are. `detail`: what is told
        of the row beside it."""
        reason = next(filter(None, reasons), "")
        if not reason:
            return 0
        self._rows.setdefault(reason, {})[row, detail] = None
        return list(self._rows).index(reason) + 1

    def of_cases(self, row: str, *cases: Case, more: str = "", detail: str = "") -> int:
        """What disturbed one of the cases, broke its measurement or held its clock down; else
        `more`, and that one is above the ceiling of its run; else that threads were not bound, or
        the samples of a ratio few (of a time an empty ± says so)."""
        over = say(", ").join(dict.fromkeys(filter(None, map(over_its_own, cases))))
        loose = unsound(*cases) if over or len(cases) > 1 or cases[0].unbound else ""
        more = say("; ").join(filter(None, (over, more or (loose if over else ""))))
        return self.of(row, disturbed_words() if any(case.disturbed for case in cases) else "",
                       say("above its ceiling, which cannot be: this time or the ceiling is a "
                           "broken measurement") if any(case.above_ceiling for case in cases)
                       else "",
                       say("measured while the card held its clock down")
                       if any(case.throttled for case in cases) else
                           "", more, loose,
                       detail=detail)

    def of_pair(self, row: str, ratio: Ratio, base: Case, case: Case, whom: str = "",
                more: str = "", detail: str = "") -> int:
        """Why the ratio of two points is to be taken with care: what is wrong with one of them
        first. `whom`: that it is against another than its neighbours; `more`: what else was
        measured, and in `detail` what is told of that by row."""
        word = say("not told apart from 1: {word}", word=ratio.word) if ratio.tie else ""
        loose = say(", ").join(filter(None, (whom, unpaired_text(ratio, base, case))))
        ran = ran_text(base, case)
        apart = apart_text() if ratio.apart else ""
        told = say("; ").join(filter(None, (by_medians(ratio), detail)))
        return self.of_cases(row, base, case, detail=told, more=say("; ").join(
            filter(None, (word, loose, ran, apart, more))))

    def texts(self) -> list[str]:
        """"… (64, 128; 256: 1.30 by the medians)."."""
        return [ended(say("{reason} ({rows})", reason=reason, rows=_rows_text(rows)))
                for reason, rows in self._rows.items()]


def _rows_text(rows: Iterable[tuple[str, str]]) -> str:
    """Those of which nothing is told come first."""
    rows = list(rows)
    bare = say(", ").join(row for row, detail in rows if not detail)
    return say("; ").join(filter(None, (bare, *(say(": ").join((row, detail))
                                                for row, detail in rows if detail))))


@dataclass
class Columns:
    """A table that is made column by column. `rows`: what heads each row."""

    rows: tuple[str, ...]
    names: list[str] = field(default_factory=list)
    groups: list[tuple[str, int]] = field(default_factory=list)
    cells: list[list[Cell]] = field(default_factory=list)

    def add(self, name: str, numbers: Numbers, unit: str, group: str = "", spread: bool = False,
            decimals: int | None = None) -> None:
        """One quantity of every row, and with `spread` its ± in the next column."""
        known = [number.value for number in numbers if number is not None]
        places = decimals_of(known) if decimals is None else decimals
        self._put(name, group, [Cell("") if number is None else Cell(
            plain(number.value, places), number.value, number.low, number.high, unit, number.note)
            for number in numbers])
        if spread:
            self._put(SPREAD, group,
                      [Cell(_spread_text(number, places), unit=SPREAD) for number in numbers])

    def add_cells(self, name: str, cells: Sequence[Cell], group: str = "") -> None:
        """Of what is no number."""
        self._put(name, group, list(cells))

    def add_widest(self, group: str, places: Sequence[int]) -> None:
        """The widest ± of each row among the columns at those places, in percent of the number."""
        made = []
        for row in range(len(self.rows)):
            shares = [share for place in places
                      if (share := _share(self.cells[place][row])) is not None]
            made.append(Cell(plain(100 * max(shares), 1) if shares else "", unit=SPREAD))
        self._put(say("± in %"), group, made)

    def mark_best(self, places: Sequence[int], least: bool = False) -> None:
        """Sets the largest of each row among the columns at those places in bold, or the smallest,
        and what its interval overlaps; none that has a note, and none of a row whose best has
        one."""
        for row in range(len(self.rows)):
            known = [place for place in places if self.cells[place][row].value is not None]
            if len({self.cells[place][row].value for place in known}) > 1:
                best = self.cells[(min if least else max)(
                    known, key=lambda place: self.cells[place][row].value or 0.0)][row]
                for place in known if not best.note else ():
                    if self.cells[place][row].note:
                        continue
                    if _overlap(best, self.cells[place][row]):
                        self.cells[place][row] = replace(self.cells[place][row], best=True)

    def _put(self, name: str, group: str, cells: list[Cell]) -> None:
        self.names.append(name)
        self.cells.append(cells)
        if self.groups and self.groups[-1][0] == group:
            self.groups[-1] = group, self.groups[-1][1] + 1
        else:
            self.groups.append((group, 1))

    def table(self, name: str, title: str, caption: str, heads: tuple[str, ...], marks: Marks,
              reference: bool, words: Sequence[str] = (), where: str = "") -> Table:
        """The table; `words` stand beside what heads each row, `where` at the caption's end: how
        its numbers were measured."""
        table = Table(name, title, sentences(caption, where), heads, tuple(self.names),
                      conditions=where,
                      notes=marks.texts(), reference=reference, groups=tuple(self.groups)
                      if any(text for text, _ in self.groups) else (), label=name)
        table.rows = [Row((row, *words[place:place + 1]),
                          tuple(column[place] for column in self.cells))
                      for place, row in enumerate(self.rows)]
        return table


def _spread_text(number: Number | None, places: int) -> str:
    if number is None or number.spread is None:
        return ""
    least = 10.0**-places
    return (plain(number.spread, places) if not 0 < number.spread < least / 2
            else f"<{plain(least, places)}")


def _overlap(one: Cell, other: Cell) -> bool:
    """Do their 95 % intervals? Without one a cell overlaps with itself alone."""
    if (one is other or one.low is None or one.high is None or other.low is None
            or other.high is None):
        return one is other
    return one.low <= other.high and other.low <= one.high


def _share(cell: Cell) -> float | None:
    if not cell.value or cell.low is None or cell.high is None:
        return None
    return max(cell.value - cell.low, cell.high - cell.value) / cell.value


def fewer(sizes: Sequence[int], kept: int) -> list[int]:
    """At most MOST_ROWS of the sizes, evenly spread; the first, the last and `kept` stay."""
    if len(sizes) <= MOST_ROWS:
        return list(sizes)
    step = (len(sizes) - 1) / (MOST_ROWS - 2)
    chosen = {sizes[round(place * step)] for place in range(MOST_ROWS - 1)}
    return [size for size in sizes if size in chosen or size == kept]
