"""The published tables with our measured counterparts beside them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import groupby

from analysis.tables.tables import Cell, Row, Table, sentences
from language import recorded, say
from records.cases.case import Case
from records.cases.phrases import unsound
from records.cases.where import load_text
from records.names.numbers import DASH, ends_of, with_interval
from records.schema.operations import shape_text

from .book import Book, Figure, Ours, Point, in_language
from .points import Absent, Points
from .quantities import Value, added_ms, processes, ratio_of
from .why import reason


def point_of(ours: Ours, figure: Figure) -> Point:
    """The point that stands for a published row."""
    own = {"m": figure.m, "n": figure.n, "k": figure.k, "threads": figure.threads,
           "block": figure.block}
    return {name: value for name, value in ours.point(own).items()
            if name not in ("threads", "block") or f"{name}=" in ours.parameters}


def _base(figure: Figure, name: str) -> Figure:
    """The row that a metric names: "block 4" is the row's own implementation at another block."""
    block = re.fullmatch(r"block (\d+)", name)
    return replace(figure, block=block[1]) if block else replace(figure, implementation=name)


@dataclass(frozen=True)
class Beside:
    """Sets published rows beside one machine's records."""

    book: Book
    points: Points

    def ours(self, figure: Figure, name: str) -> Ours:
        """What stands for a source's name in the row's table. Raises Absent where nothing does."""
        found = self.book.ours(figure.source, figure.table, name)
        if found is None or not found.id:
            raise Absent("no_counterpart", ours=found) if found else Absent("unmapped")
        return found

    def ratio(self, base: Figure, row: Figure) -> Value:
        """The row's rate over that of a baseline, of one host. Raises Absent."""
        above, below = (self.points.find(point_of(self.ours(one, one.implementation), one))
                        for one in (base, row))
        host = next((case.host for case in reversed(below)
                     if case.host in {one.host for one in above}), None)
        if host is None:
            raise Absent("several_hosts", over=above[-1].name, under=below[-1].name)
        one, other = self.points.pair(above, below, host)
        if one is other:
            raise Absent("itself", label=one.name)
        return ratio_of(one, other)

    def measured(self, figure: Figure) -> tuple[Value, Case]:
        """The row's figure here, in its unit. Raises Absent."""
        per_unit = 1e3 if figure.unit == "ms" else 1.0
        against = re.fullmatch(r"(speedup over|share of|added time over) (.*?)(?: throughput)?",
                               figure.metric)
        if against:
            found = self.ratio(_base(figure, against[2]), figure)
            case = found.cases[1]
            if against[1] == "added time over":
                return added_ms(ratio_of(case, found.cases[0])), case
            return _scaled(found, 100 if figure.unit == "%" else 1), case
        case = self.points.find(point_of(self.ours(figure, figure.implementation), figure))[-1]
        # the first multiplication of the n-th of consecutive processes
        if run := re.fullmatch(r"time, run (\d+)", figure.metric):
            known = processes(case)
            if len(known) < int(run[1]):
                raise Absent("one_process", label=case.name)
            return _scaled(Value(known[int(run[1]) - 1]), per_unit), case
        if figure.metric == "throughput":
            return Value(case.rate, *ends_of(case.rate_ci95)), case
        return _scaled(Value(case.median_s, *ends_of(case.ci95_s)), per_unit), case

    def _cells(self, figure: Figure, notes: list[str]) -> tuple[Cell, Cell]:
        ours = (self.book.ours(figure.source, figure.table, figure.implementation)
                or Ours("", "", ("",), ""))
        try:
            here, case = self.measured(figure)
        except Absent as absent:
            return Cell(DASH, note=_note(reason(absent, next(iter(ours.experiments), "")),
                                         notes)), Cell("")
        host = self.points.host_text(case.host)
        cases = here.cases or (case,)
        wrong = unsound(*cases)
        note = _note(sentences(
            in_language(ours.note, ours.note_zh), say("{unsound}.", unsound=wrong) if wrong else "",
            say("Measured on {where}.", where=say("; ").join(
                filter(None, (host, *self._conditions(case)))))), notes)
        ratio = _scaled(here, 1 / figure.value)
        return (Cell(with_interval(here.value, here.low, here.high, figure.unit),
                     here.value, here.low, here.high, figure.unit, note),
                Cell(with_interval(ratio.value, ratio.low, ratio.high), ratio.value, ratio.low,
                     ratio.high, "1"))

    @staticmethod
    def _conditions(case: Case) -> list[str]:
        return [say("scope {scopes}", scopes=recorded(case.scope)),
                say("{caches} cache", caches=recorded(case.cache)), load_text([case]),
                say("{distribution} inputs", distribution=recorded(case.distribution))]

    def table(self, source: str, name: str, figures: list[Figure], machine: str) -> Table:
        """One published table, a row for each of its rows."""
        metrics = list(dict.fromkeys(re.sub(r", run \d+", "", figure.metric) for figure in figures))
        columns = say("{metric}, published|here|here / published",
                      metric=recorded(metrics[0]) if len(metrics) == 1 else "").split("|")
        table = Table("published", say("Table {table} of {source}, beside {machine}",
                                       table=recorded(name), source=source, machine=machine),
                      say("Published figures are of other machines. Brackets hold the 95 % "
                          "confidence interval of the median, or of the ratio. A – has its reason "
                          "in the note."),
                      tuple(say("Implementation|Device|Shape|Ours").split("|")),
                      tuple(column.lstrip(",， ") for column in columns))
        for figure in figures:
            published = Cell(f"{figure.value:,.10g} {figure.unit}", figure.value, unit=figure.unit)
            table.rows.append(Row((_name(figure, len(metrics) > 1), figure.device or DASH,
                                   shape_text(figure.m, figure.n, figure.k),
                                   self._ours_text(figure)),
                                  (published, *self._cells(figure, table.notes))))
        return table

    def tables(self, source: str, machine: str) -> list[tuple[str, Table]]:
        """(file stem, table) of every table of a source, in the order of its file."""
        mine = [figure for figure in self.book.figures if figure.source == source]
        order = list(dict.fromkeys(figure.table for figure in mine))
        ordered = sorted(mine, key=lambda figure: order.index(figure.table))
        return [(f"published-{source}-{re.sub(r'[^A-Za-z0-9]+', '_', name)}",
                 self.table(source, name, list(figures), machine))
                for name, figures in groupby(ordered, key=lambda figure: figure.table)]

    def _ours_text(self, figure: Figure) -> str:
        ours = self.book.ours(figure.source, figure.table, figure.implementation)
        if ours is None or not ours.id:
            return DASH
        point = point_of(ours, figure)
        parameters = [recorded(f"{name} {value}") for name, value in point.items()
                      if name in ("block", "threads", "scope")]
        return ", ".join([ours.id, *parameters])


def _note(text: str, notes: list[str]) -> int:
    """The number of a note, each text once; 0 of none."""
    if text and text not in notes:
        notes.append(text)
    return notes.index(text) + 1 if text else 0


def _scaled(one: Value, factor: float) -> Value:
    low, high = (None if end is None else end * factor for end in (one.low, one.high))
    return replace(one, value=one.value * factor, low=low, high=high)


def _extra(figure: Figure) -> list[str]:
    return [*([f"{figure.threads} threads"] if figure.threads else ()),
            *([f"block {figure.block}"] if figure.block else ())]


def _name(figure: Figure, with_metric: bool) -> str:
    run = re.search(r"run \d+", figure.metric)
    extra = [recorded(run.group()) if run else "",
             recorded(figure.metric) if with_metric and not run else ""]
    return say(", ").join([figure.implementation, *map(recorded, _extra(figure)),
                           *filter(None, extra)])
