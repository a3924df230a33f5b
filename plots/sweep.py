"""One rate over the number that varies among the points: a line per implementation."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from analysis.tables.kind import FigureKind
from analysis.tables.swept import (
    OCCUPANCY,
    axis_label,
    axis_of,
    lines_of,
    sweep_finding,
    value_text,
)
from analysis.tables.tables import sentences, units_text
from language import say
from records.names.naming import look_of
from records.names.numbers import ends_of
from records.view import View

from .drawing import layout
from .drawing.charts import line, without_interval
from .drawing.looks import apart

MOST_LINES = 7
WIDE = 8  # a number that grows this many times goes on a logarithmic axis


def finding(view: View) -> str:
    return sweep_finding(view)


def figure(view: View) -> Figure | str:
    """At most seven lines; both axes from zero unless the values span too much."""
    axis = axis_of(view)
    every = lines_of(view, axis) if axis else []
    if axis is None or not every:
        return say("No number varies among these points.")
    lines = every[:MOST_LINES]
    values = [[(case.rate, *ends_of(case.rate_ci95)) for _, case in one.points] for one in lines]
    note = sentences(say("Error bars: 95 % interval of the median."),
                     without_interval(value for of in values for value in of),
                     say("{what}: see the table.",
                         what=say("{count} more lines", count=len(every) - len(lines)))
                     if len(every) > len(lines) else
                         "")
    drawn, (axes,) = layout.figure_with(view, 1, 3.0, note=note, title=finding(view),
                                        right_in=layout.room_for(one.name for one in lines),
                                        tight=True)
    looks = apart(look_of(one.points[0][1]) for one in lines)
    ends = [line(axes, look, [x for x, _ in one.points], of, one.name)
            for look, one, of in zip(looks, lines, values)]
    xs = sorted({x for one in lines for x, _ in one.points})
    if axis.name != OCCUPANCY and xs[0] > 0 and xs[-1] >= WIDE * xs[0]:
        axes.set_xscale("log", base=2)
    axes.set_xticks(xs, [value_text(axis.name, x) for x in xs] if len(xs) < 13 else None)
    axes.minorticks_off()
    if layout.needs_log([value[0] for of in values for value in of]):
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    else:
        axes.set_ylim(0, axes.get_ylim()[1] * 1.03)
    axes.set_ylabel(units_text([case for one in lines for _, case in one.points]))
    axes.set_xlabel(axis_label(axis))
    layout.label_ends(axes, ends)
    return drawn


KIND = FigureKind(title="swept",
                  about="one rate over the number that varies among the points (dimension, option "
                  "or parameter), a line per implementation",
                  figure=figure,
                  finding=finding)
