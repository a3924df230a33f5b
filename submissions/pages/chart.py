"""What the figure on a submission's page shows, as data."""

from __future__ import annotations

from dataclasses import dataclass

from plots.drawing.headed import Value
from records.names.numbers import counted

FORMATS = ("svg", "png")


@dataclass(frozen=True)
class Bar:
    name: str
    role: str  # "submission", "ladder" or "library"
    value: Value | None  # GFLOP/s with the ends of its interval; None where it was not timed


@dataclass(frozen=True)
class Panel:
    title: str
    bars: tuple[Bar, ...]  # in the order of the page
    ceiling: tuple[float, str] | None  # GFLOP/s, what it is


@dataclass(frozen=True)
class Chart:
    """How fast a submission is beside the others; for the layout of figures it stands in for a
    view."""

    title: str
    machine: str
    panels: tuple[Panel, ...]
    untimed: int = 0  # shapes without a panel: the submission was not timed there
    conditions: str = ""
    reference: bool = False
    compact: bool = False

    def left_out_text(self) -> str:
        """"2 of 3 points left out: not timed."."""
        values = [bar.value for panel in self.panels for bar in panel.bars]
        missing = sum(value is None for value in values)
        shown = (f"{missing} of {len(values)} points not timed (see the table)." if missing
                 else f"All {len(values)} points shown.")
        return (f"{shown} Not timed at {counted(self.untimed, 'more shape')} (see the table)."
                if self.untimed else shown)

    def disturbed_text(self) -> str:
        return ""

    def throttled_text(self) -> str:
        return ""
