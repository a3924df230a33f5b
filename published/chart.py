"""A source's published rates beside ours, as a figure shows them."""

from __future__ import annotations

from dataclasses import dataclass

from language import say
from plots.drawing.headed import Charted, Value


@dataclass(frozen=True)
class PublishedRow:
    name: str
    published: tuple[float | None, ...]  # times the baseline's rate, a device each, as in the panel
    here: Value | None  # the same of ours with the ends of its interval; None where it was not measured
    host: str = ""  # on which ours was measured, where the records come from several


@dataclass(frozen=True)
class PublishedPanel:
    title: str
    axis: str
    devices: tuple[str, ...]
    rows: tuple[PublishedRow, ...]


@dataclass(frozen=True)
class PublishedChart(Charted):
    """A source's published rates beside ours."""

    title: str  # the finding
    machine: str
    panels: tuple[PublishedPanel, ...]
    note: str
    conditions: str = ""  # host, scope, cache
    reference: bool = False

    def left_out_text(self) -> str:
        rows = [row for panel in self.panels for row in panel.rows]
        missing = sum(row.here is None for row in rows)
        return say("{missing} of {rows} rows have no number of ours (see the tables).",
                   missing=missing, rows=len(rows)) if missing else ""
