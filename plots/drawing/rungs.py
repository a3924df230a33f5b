"""What both drawings of the ladder share: rows of rungs, variants and libraries, and their bars."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.axes import Axes

from analysis.ladder.ladder import Ladder, Rung
from records.names.naming import look_of
from records.names.numbers import ends_of

from .charts import Value, error_ends

MOST_ROWS = 40
ROW_IN = 0.26
LETTER_IN = 0.066  # of a name, at 8 pt
HEIGHTS = {"rung": 1.0, "aside": 0.72, "library": 0.86}  # of a row
BARS = {"rung": 0.74, "aside": 0.42, "library": 0.6}
TEXT = "#222222"


@dataclass(frozen=True)
class Row:
    rung: Rung
    role: str  # a key of HEIGHTS

    @property
    def colour(self) -> str:
        return look_of(self.rung.case).colour


def rows_of(ladder: Ladder) -> list[Row]:
    """The rungs, each with its variants below it, then the libraries."""
    rows = [row for rung in ladder.rungs
            for row in (Row(rung, "rung"), *(Row(aside, "aside") for aside in rung.asides))]
    return (rows + [Row(rung, "library") for rung in ladder.libraries])[:MOST_ROWS]


def value_of(rung: Rung) -> Value:
    """GFLOP/s with the ends of its interval."""
    return (rung.case.rate, *ends_of(rung.case.rate_ci95))


def places_of(rows: list[Row]) -> list[float]:
    """The middle of each row, from the top, in heights of a rung."""
    ends, at = [], 0.0
    for row in rows:
        ends.append(at + HEIGHTS[row.role] / 2)
        at += HEIGHTS[row.role]
    return ends


def draw_bars(axes: Axes, rows: list[Row], places: list[float], bottom: float) -> None:
    """The bars at `places` with their intervals, from zero; the first row on top, `bottom` below
    the last."""
    for place, row in zip(places, rows):
        value = value_of(row.rung)
        axes.barh(place, value[0], BARS[row.role], color=row.colour, linewidth=0)
        axes.errorbar([value[0]], [place], xerr=error_ends([value]), color=TEXT, capsize=1.5,
                      elinewidth=0.8, zorder=3)
    axes.set_ylim(bottom, 0)
    axes.grid(axis="y", visible=False)
    axes.tick_params(length=0, axis="y")
