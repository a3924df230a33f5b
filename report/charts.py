"""What is drawn that is no view of one experiment: it stands in for a view where the layout of figures asks for one."""

from __future__ import annotations

from dataclasses import dataclass

from .language import say
from .numbers import counted

Value = tuple[float, float | None, float | None]  # value, low, high
SUBMISSION_FORMATS = ("svg", "png")


class Charted:
    """What a view says that a chart has nothing of."""

    def disturbed_text(self) -> str:
        return ""

    def throttled_text(self) -> str:
        return ""


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
        return say("published.figure_missing", missing=missing, rows=len(rows)) if missing else ""


@dataclass(frozen=True)
class SubmissionBar:
    name: str
    role: str  # "submission", "ladder" or "library"
    value: Value | None  # GFLOP/s with the ends of its interval; None where it was not timed


@dataclass(frozen=True)
class SubmissionPanel:
    title: str
    bars: tuple[SubmissionBar, ...]  # in the order of the page
    ceiling: tuple[float, str] | None  # GFLOP/s, what it is


@dataclass(frozen=True)
class SubmissionChart(Charted):
    """How fast a submission is beside the others."""

    title: str
    machine: str
    panels: tuple[SubmissionPanel, ...]
    untimed: int = 0  # shapes that have no panel, for the submission was not timed there
    conditions: str = ""
    reference: bool = False

    def left_out_text(self) -> str:
        """"2 of 3 points left out: not timed."."""
        values = [bar.value for panel in self.panels for bar in panel.bars]
        missing = sum(value is None for value in values)
        shown = f"{missing} of {len(values)} points not timed (see the table)." if missing else f"All {len(values)} points shown."
        return f"{shown} Not timed at {counted(self.untimed, 'more shape')} (see the table)." if self.untimed else shown
