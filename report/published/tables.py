"""The published tables with our measured counterparts beside them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import groupby

from ..case import Case
from ..language import recorded
from ..language import say as say_shared
from ..numbers import DASH, ends_of, with_interval
from ..operations import shape_text
from ..tables import Cell, Row, Table
from .book import Book, Figure
from .measures import processes, ratio_value
from .names import Ours, parameters_of
from .points import Absent, Point, Points
from .texts import names, say

MILLI = 1e-3


@dataclass(frozen=True)
class Measured:
    """Our figure in the unit of the published one."""

    value: float
    low: float | None = None
    high: float | None = None
    host: str = ""  # "host 1a2b3c4d", where the records come from several


class Notes:
    """Numbered notes, each text once."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def number(self, text: str) -> int:
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text) + 1


def point_of(ours: Ours, figure: Figure) -> Point:
    """The point that stands for a published row."""
    point: Point = {"implementation": ours.id, "m": figure.m, "n": figure.n, "k": figure.k, "experiments": ours.experiments}
    return point | parameters_of(ours, {"threads": figure.threads, "block": figure.block})


def _seconds(case: Case) -> Measured:
    low, high = ends_of(case.ci95_s)
    return Measured(case.median_s, low, high)


def _run(case: Case, number: int) -> Measured:
    """Run n is the whole first multiplication of the n-th of consecutive processes: one sample, without an interval."""
    found = processes(case)
    if len(found) < number:
        raise Absent("one_process", label=case.name)
    return Measured(found[number - 1])


class Beside:
    """Measures published rows from one machine's records."""

    def __init__(self, book: Book, points: Points, language: str) -> None:
        self.book, self.points, self.language = book, points, language

    def _baseline(self, figure: Figure, name: str) -> Point:
        ours = self.book.ours(figure.source, figure.table, name)
        if ours is None or not ours.id:
            raise Absent("unmapped")
        return point_of(ours, figure)

    def measured(self, figure: Figure, ours: Ours) -> Measured:
        """The row's figure here, and on which host. Raises Absent."""
        found, case = self._measured(figure, ours)
        return replace(found, host=self.points.host_of(case))

    def _measured(self, figure: Figure, ours: Ours) -> tuple[Measured, Case]:
        point = point_of(ours, figure)
        metric, scale = figure.metric, MILLI if figure.unit == "ms" else 1.0
        against = re.fullmatch(r"(speedup over|share of|added time over) (.*?)(?: throughput)?", metric)
        if against:
            base = self._baseline(figure, against.group(2))
            over, under = self.points.pair((base,), (point,))
            value = ratio_value(over, under)
            if against.group(1) == "added time over":
                low, high = (None if end is None else 1 - end for end in (value.high, value.low))
                return _scaled(Measured(1 - value.value, low, high), under.median_s / scale), under
            times = Measured(value.value, value.low, value.high)
            return _scaled(times, 100 if figure.unit == "%" else 1), under
        case = self.points.find(point)[-1]
        run = re.fullmatch(r"time, run (\d+)", metric)
        if run:
            return _scaled(_run(case, int(run.group(1))), 1 / scale), case
        if metric == "throughput":
            return Measured(case.rate, *ends_of(case.rate_ci95)), case
        return _scaled(_seconds(case), 1 / scale), case

    def _cells(self, figure: Figure, ours: Ours | None, notes: Notes) -> tuple[Cell, Cell]:
        if ours is None or not ours.id:
            why = ours.note_in(self.language) if ours else say("unmapped", self.language)
            return Cell(DASH, note=notes.number(why)), Cell("")
        try:
            here = self.measured(figure, ours)
        except Absent as absent:
            return Cell(DASH, note=notes.number(reason(absent, ours.experiments, self.language))), Cell("")
        on_host = say("on_host", self.language, host=here.host) if here.host else ""
        text = " ".join(filter(None, (ours.note_in(self.language), on_host)))
        note = notes.number(text) if text else 0
        ratio = _scaled(here, 1 / figure.value)
        value = with_interval(here.value, here.low, here.high, figure.unit)
        return (Cell(value, here.value, here.low, here.high, figure.unit, note),
                Cell(with_interval(ratio.value, ratio.low, ratio.high), ratio.value, ratio.low, ratio.high, "1"))

    def table(self, source: str, name: str, figures: list[Figure], machine: str) -> Table:
        """One published table, a row for each of its rows."""
        metrics = list(dict.fromkeys(re.sub(r", run \d+", "", figure.metric) for figure in figures))
        columns = names("table columns", self.language, metric=recorded(metrics[0]) if len(metrics) == 1 else "")
        table = Table("published", say("table title", self.language, table=recorded(name), source=source, machine=machine),
                      say("table caption", self.language), names("table heads", self.language),
                      tuple(column.lstrip(",， ") for column in columns))
        notes = Notes()
        for figure in figures:
            ours = self.book.ours(source, name, figure.implementation)
            cells = self._cells(figure, ours, notes)
            published = Cell(f"{figure.value:,.10g} {figure.unit}", figure.value, unit=figure.unit)
            table.rows.append(Row((_name(figure, len(metrics) > 1), figure.device or DASH,
                                   shape_text(figure.m, figure.n, figure.k), _ours_text(ours, figure)), (published, *cells)))
        table.notes = notes.texts
        return table

    def tables(self, source: str, machine: str) -> list[tuple[str, Table]]:
        """(file stem, table) of every table of a source, in the order of its file."""
        mine = [figure for figure in self.book.figures if figure.source == source]
        order = list(dict.fromkeys(figure.table for figure in mine))
        ordered = sorted(mine, key=lambda figure: order.index(figure.table))
        return [(f"published-{source}-{re.sub(r'[^A-Za-z0-9]+', '_', name)}", self.table(source, name, list(figures), machine))
                for name, figures in groupby(ordered, key=lambda figure: figure.table)]


def reason(absent: Absent, experiments: tuple[str, ...], language: str) -> str:
    """Why there is no number, as a sentence."""
    if absent.key == "missing":
        return absent.values["missing_zh" if language == "zh" else "missing"]
    values = {"experiments": experiments[0] if experiments else ""} | absent.values
    return say(absent.key, language, **values)


def _scaled(one: Measured, factor: float) -> Measured:
    low, high = (None if end is None else end * factor for end in (one.low, one.high))
    return Measured(one.value * factor, low, high)


def name_of(figure: Figure) -> str:
    """"tiled, block 4": the row's name with what tells it apart in its table."""
    return ", ".join([figure.implementation, *_extra(figure)])


def _extra(figure: Figure) -> list[str]:
    return [*([f"{figure.threads} threads"] if figure.threads else ()), *([f"block {figure.block}"] if figure.block else ())]


def _name(figure: Figure, with_metric: bool) -> str:
    run = re.search(r"run \d+", figure.metric)
    extra = [recorded(run.group()) if run else "", recorded(figure.metric) if with_metric and not run else ""]
    return say_shared(", ").join([figure.implementation, *map(recorded, _extra(figure)), *filter(None, extra)])


def _ours_text(ours: Ours | None, figure: Figure) -> str:
    if ours is None or not ours.id:
        return DASH
    point = point_of(ours, figure)
    parameters = [recorded(f"{name} {value}") for name, value in point.items() if name in ("block", "tile", "threads", "scope")]
    return ", ".join([ours.id, *parameters])
