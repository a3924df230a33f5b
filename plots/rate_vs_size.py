"""The rate of an operation over its size, or over the dimension that varies, under the measured
roof."""

from __future__ import annotations

from matplotlib.figure import Figure

from analysis.tables.kind import FigureKind
from analysis.tables.leaders import fastest_under_roof
from analysis.tables.tables import units_text
from records.names.numbers import ends_of
from records.view import View

from .drawing.charts import over_size


def finding(view: View) -> str:
    """"tuned is the fastest at 3 of 3 sizes: 3,627 GB/s at 2²⁶, 93 % of the roof"."""
    return fastest_under_roof(view)


def figure(view: View) -> Figure | str:
    """A line per implementation with its parameters."""
    return over_size(view, lambda case: (case.rate, *ends_of(case.rate_ci95)),
                     units_text(view.shown), ceiling=True, title=finding(view))


KIND = FigureKind(title="rate against size",
                  about="the rate of any operation over its size, a line per implementation, under "
                  "the measured roof",
                  figure=figure,
                  finding=finding,
                  titled_by_group=True)
