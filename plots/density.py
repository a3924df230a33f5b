"""How many times as fast as the dense product a sparse one is, over its density: where a line
crosses 1, dense becomes faster."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from analysis.tables.densities import Curve, curves_of, density_finding
from analysis.tables.kind import FigureKind
from analysis.tables.tables import sentences
from language import say
from records.names.naming import look_of
from records.names.numbers import percent
from records.view import View

from .drawing import layout
from .drawing.charts import line, without_interval
from .drawing.looks import apart

MOST_LINES = 7


def finding(view: View) -> str:
    return density_finding(view)


def _drawn(curves: list[Curve]) -> list[list[Curve]]:
    """Of each device at most seven lines."""
    return [of[:MOST_LINES] for device in ("cpu", "gpu")
            if (of := [curve for curve in curves if curve.places[0].sparse.device == device])]


def figure(view: View) -> Figure | str:
    """A panel per device, both axes logarithmic, with a line at 1."""
    curves = curves_of(view)
    if not curves:
        return say("No sparse point stands beside a dense product of the same size and device.")
    panels = _drawn(curves)
    values = [[[(one.ratio.value, one.ratio.low, one.ratio.high) for one in curve.places]
               for curve in panel] for panel in panels]
    left = len(curves) - sum(map(len, panels))
    note = sentences(say("Error bars: 95 % interval of the ratio."),
                     without_interval(value for panel in values for of in panel for value in of),
                     say("{what}: see the table.", what=say("{count} more lines", count=left))
                     if left else "")
    drawn, all_axes = layout.figure_with(view, len(panels), 2.6, note=note, title=finding(view),
                                         right_in=layout.room_for(curve.name for panel in panels
                                                                  for curve in panel))
    for axes, panel, of_panel in zip(all_axes, panels, values):
        looks = apart(look_of(one.places[0].sparse) for one in panel)
        axes.set_xscale("log")
        axes.set_yscale("log")
        ends = [line(axes, look, [place.density for place in curve.places], own, curve.name)
                for look, curve, own in zip(looks, panel, of_panel)]
        axes.axhline(1, color="#222222", linewidth=1)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: percent(value)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.minorticks_off()
        axes.set_title(panel[0].places[0].sparse.device.upper())
        axes.set_ylabel(say("times as fast as dense"))
        layout.label_ends(axes, ends)
    all_axes[-1].set_xlabel(say("density: entries that are stored, of all"))
    return drawn


KIND = FigureKind(
    title="sparse against dense",
    about="spmv over gemv of the same size against the density of the matrix, a panel per device",
    figure=figure,
    finding=finding)
