"""What a source's figure compares: its rates and ours, each over the rate of its own baseline. And chains of measures."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

from ..charts import PublishedChart, PublishedPanel, PublishedRow
from ..numbers import DASH, capital, duration, ends_of, plain, with_interval
from ..tables import Cell, Row, Table, ended
from .book import Chain, Figure, Panel
from .judge import MOST_APART, NEAR
from .measures import Value, ratio_value
from .notes import NOTES, intensity
from .points import Absent
from .tables import Beside, Notes, name_of, point_of, reason
from .texts import names, say


def _rate(figure: Figure) -> float:
    return 1 / figure.value if figure.metric == "time" else figure.value


def _here(beside: Beside, row: Figure, base: Figure) -> tuple[Value, str]:
    """The row's rate over that of its baseline, and on which host. Raises Absent."""
    ours, its = (beside.book.ours(one.source, one.table, one.implementation) for one in (row, base))
    if ours is None or its is None or not ours.id or not its.id:
        raise Absent("unmapped")
    over, under = beside.points.pair((point_of(its, base),), (point_of(ours, row),))
    return ratio_value(over, under), beside.points.host_of(under)


def _panel(beside: Beside, wanted: Panel) -> PublishedPanel:
    figures = [one for one in beside.book.figures
               if (one.source, one.table, one.m, one.metric) == (wanted.source, wanted.table, wanted.m, wanted.metric)]
    rates: dict[str, dict[str, float]] = {}
    firsts = {name_of(one): one for one in reversed(figures)}
    for one in figures:
        rates.setdefault(name_of(one), {})[one.device] = _rate(one)
    base = rates[wanted.baseline]
    devices = tuple(base)
    rows = []
    for name, own in rates.items():
        if name == wanted.baseline:
            continue
        if len(base) == 1:  # whatever device the row is of
            published: tuple[float | None, ...] = (
                next(iter(own.values())) / next(iter(base.values())),)
        else:
            published = tuple(own[device] / base[device] if device in own else None for device in devices)
        try:
            here, host = _here(beside, firsts[name], firsts[wanted.baseline])
            rows.append(PublishedRow(name, published, (here.value, here.low, here.high), host))
        except Absent:
            rows.append(PublishedRow(name, published, None))
    if len(base) == 1:
        devices = (", ".join(filter(None, dict.fromkeys(one.device for one in figures))),)
    shown = tuple(say("figure device", beside.language, device=device) if device else say("figure published", beside.language)
                  for device in devices)
    return PublishedPanel(say("figure panel", beside.language, table=wanted.table, size=wanted.m),
                 say("figure axis", beside.language, name=wanted.baseline), shown, tuple(rows))


def _intensity_panel(beside: Beside, machine: str) -> PublishedPanel | None:
    """FLOP per byte asked for over the naive kernel's: predicted, and counted."""
    lines = [(line.heads[0], line.cells[0].value, line.cells[1].value)
             for line in intensity(beside, machine).rows]
    if not lines:
        return None
    (first, base, counted), *others = lines
    if base is None or counted is None:
        return None
    rows = [PublishedRow(name, (None if predicted is None else predicted / base,),
                         None if here is None else (here / counted, None, None))
            for name, predicted, here in others]
    return PublishedPanel(say("figure intensity", beside.language), say("figure intensity axis", beside.language, name=first),
                 (say("figure predicted", beside.language),), tuple(rows)) if rows else None


def _apart(here: float, row: PublishedRow) -> float:
    """How many times ours differs from what was published, on the published device that comes nearest."""
    return min(max(here / value, value / here) for value in row.published if value is not None)


def _title(panels: list[PublishedPanel], counted: bool, language: str) -> str:
    rows = [(_apart(row.here[0], row), row.here[0], row)
            for panel in panels for row in panel.rows if row.here is not None]
    if counted:
        close = sum(apart <= NEAR[1] for apart, *_ in rows)
        return say("figure counted title", language, close=close, rows=len(rows))
    close = sum(apart <= MOST_APART for apart, *_ in rows)
    _, here, far = max(rows, key=lambda one: one[0])
    key = "figure all close" if close == len(rows) else "figure title"
    return say(key, language, close=close, rows=len(rows), name=far.name, here=plain(here),
               there=plain(median(value for value in far.published if value is not None)))


def chart_of(beside: Beside, source: str, machine: str) -> PublishedChart | None:
    """The source's figure; None where nothing of it was measured here."""
    panels = [_panel(beside, wanted) for wanted in beside.book.panels if wanted.source == source]
    if source == NOTES:
        panels = list(filter(None, [_intensity_panel(beside, machine)]))
    panels = [panel for panel in panels if any(row.here is not None for row in panel.rows)]
    if not panels:
        return None
    counted = source == NOTES
    hosts = {row.host for panel in panels for row in panel.rows if row.here is not None}
    conditions = say("figure counted" if counted else "figure scope", beside.language)
    if len(hosts) == 1:  # it is said once, of all
        conditions = "; ".join(filter(None, (*hosts, conditions)))
        panels = [replace(panel, rows=tuple(replace(row, host="") for row in panel.rows)) for panel in panels]
    return PublishedChart(_title(panels, counted, beside.language), machine, tuple(panels),
                 say("figure note counted" if counted else "figure note", beside.language),
                 ended(capital(conditions)))


def chain_table(beside: Beside, chain: Chain, machine: str) -> Table:
    """Each step's time, and what it adds to the step before."""
    language = beside.language
    notes = Notes()
    table = Table("chain", say("chain title", language, title=chain.titles["title" if language == "en" else f"title_{language}"],
                               machine=machine), say("chain caption", language), names("chain heads", language),
                  names("chain columns", language))
    before = None
    for labels, point in chain.steps:
        own = labels.get("label" if language == "en" else f"label_{language}")
        label = own or labels.get("label", point["implementation"])
        try:
            case = beside.points.find(point)[-1]
        except Absent as absent:
            note = notes.number(reason(absent, point["experiments"], language))
            table.rows.append(Row((label, point["implementation"]), (Cell(DASH, note=note), Cell(DASH))))
            before = None
            continue
        step = Cell(DASH)
        if before is not None:
            over, under = beside.points.pair((point,), (before,))
            found = ratio_value(over, under)
            low, high = (None if end is None else (end - 1) * under.median_s * 1e3
                         for end in (found.low, found.high))
            added = (found.value - 1) * under.median_s * 1e3
            step = Cell(with_interval(added, low, high, "ms"), added, low, high, "ms")
        low, high = ends_of(case.ci95_s)
        host = beside.points.host_of(case)
        note = notes.number(say("on_host", language, host=host)) if host else 0
        table.rows.append(Row((label, case.name), (Cell(duration(case.median_s), case.median_s, low, high, "s", note), step)))
        before = point
    table.notes = notes.texts
    return table
