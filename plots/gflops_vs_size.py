"""GFLOP/s over size (base 2), with the measured ceilings."""

from __future__ import annotations

from matplotlib.figure import Figure

from analysis.tables.kind import FigureKind
from analysis.tables.leaders import fastest_text
from analysis.tables.tables import units_text
from records.names.numbers import ends_of
from records.view import View

from .drawing.charts import over_size


def finding(view: View) -> str:
    """"pipelined is the fastest at 9 of 10 sizes: 54,355 GFLOP/s at 8192"."""
    return fastest_text(view)


def figure(view: View) -> Figure | str:
    """One line per implementation with its parameters."""
    return over_size(view, lambda case: (case.rate, *ends_of(case.rate_ci95)),
                     units_text(view.shown), ceiling=True, title=finding(view))


KIND = FigureKind(
    title="GFLOP/s against size",
    about="GFLOP/s over the size, a line per implementation, under the measured ceiling",
    figure=figure,
    finding=finding)
