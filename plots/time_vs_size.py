"""Time over size, both axes logarithmic."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from analysis.tables.kind import FigureKind
from analysis.tables.leaders import times_text
from language import say
from records.names.numbers import ends_of, time_unit
from records.view import View

from .drawing.charts import over_size


def _time_text(seconds: float, _: int) -> str:
    scale, unit = time_unit(seconds)
    return f"{seconds / scale:g} {unit}"


def finding(view: View) -> str:
    """"At 8192, pipelined takes 20.2 ms, naive 9.4 times as long"."""
    return times_text(view)


def figure(view: View) -> Figure | str:
    """One line per implementation with its parameters; medians in seconds, shown in the unit that
    suits."""
    made = over_size(view, lambda case: (case.median_s, *ends_of(case.ci95_s)),
                     say("time of one multiplication"),
                     always_log=True, title=finding(view))
    for axes in [] if isinstance(made, str) else made.axes:
        axes.yaxis.set_major_formatter(FuncFormatter(_time_text))
    return made


KIND = FigureKind(
    title="time against size",
    about="time over the size, both axes logarithmic",
    figure=figure,
    finding=finding)
