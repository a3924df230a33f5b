"""Could the card hold its clock? Clock, power and temperature of the GPU points over size, drawn
where it could not."""

from __future__ import annotations

from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from analysis.scaling.clock_points import Clocks, clocks_of
from analysis.scaling.clock_points import clocks_described as described
from analysis.scaling.clock_points import clocks_finding as finding
from analysis.tables.kind import FigureKind
from analysis.tables.tables import sentences
from language import say
from records.cases.case import Case
from records.names.numbers import counted
from records.view import View

from .drawing import layout, style
from .drawing.charts import size_axis

MOST_SIZES = 24
PANEL_IN, GAP_IN, RIGHT_IN, LEGEND_IN = 1.35, 0.22, 0.3, 0.2
HELD, FREE = ("#D55E00", "v"), ("#0072B2", "o")
SPREAD = 0.42  # of the way between two sizes: points of one size stand side by side


def figure(view: View) -> Figure | str:
    """Each point at its size; of the clock, the line reaches down to the lowest reading."""
    found = clocks_of(view)
    if not found.cases:
        return say("No GPU point recorded its clock.")
    if not found.held_down:
        return say("The card held its clock at all of {points}, so that there is nothing to draw.",
                   points=counted(len(found.cases), "point"))
    axis = size_axis(list(found.cases))
    every = sorted({axis.place(case) for case in found.cases if axis.has(case)})
    sizes = {size: place for place, size in enumerate(layout.thinned(every, MOST_SIZES))}
    cases = [case for case in found.cases if axis.known(case) in sizes]
    quantities = [(name, value) for name, value in _quantities()
                  if any(value(case) is not None for case in cases)]
    note = sentences(say("Triangles: the driver said that the clock was held down, or a reading "
                         "lay a tenth below the median. Power and temperature: medians of the "
                         "readings; short points may be read between their bursts."),
                     axis.note, say("{count} of {all} drawn: see the table.", count=len(sizes),
                                    all=counted(len(every), "size")) if len(sizes) < len(every)
                     else "")
    drawn, all_axes = layout.figure_with(view, len(quantities), PANEL_IN, title=finding(view),
                                         note=note, left_in=0.75, right_in=RIGHT_IN, gap_in=GAP_IN,
                                         legend_in=LEGEND_IN)
    for axes, (name, value) in zip(all_axes, quantities):
        _panel(axes, found, cases, value, lambda case: sizes[axis.place(case)])
        axes.set_ylabel(name)
        axes.set_xticks(range(len(sizes)),
                        [] if axes is not all_axes[-1] else [f"{size:.0f}" for size in sizes])
        axes.set_xlim(-0.6, len(sizes) - 0.4)
    if found.most_mhz:
        all_axes[0].axhline(found.most_mhz, color=style.GREY, linewidth=1,
                            linestyle=(0, (4, 3)), zorder=1)
    all_axes[-1].set_xlabel(say("{label} (evenly spaced)", label=axis.label))
    _legend(all_axes[0])
    return drawn


def _quantities() -> list[tuple[str, Callable[[Case], float | None]]]:
    return [(say("clock (MHz)"), lambda case: case.clock_mhz),
            (say("power (W)"), lambda case: case.power_w),
            (say("temperature (°C)"), lambda case: case.temperature_c)]


def _panel(axes: Axes, found: Clocks, cases: list[Case], value: Callable[[Case], float | None],
           place: Callable[[Case], int]) -> None:
    at: dict[int, list[Case]] = {}
    held_down = set(map(id, found.held_down))
    for case in cases:
        at.setdefault(place(case), []).append(case)
    for size, beside in at.items():
        for index, case in enumerate(beside):
            x, y = size + SPREAD * ((index + 0.5) / len(beside) - 0.5) * 2, value(case)
            if y is None:
                continue
            colour, marker = HELD if id(case) in held_down else FREE
            if y == case.clock_mhz and case.clock_low_mhz:
                axes.plot([x, x], [y, case.clock_low_mhz], color=colour, linewidth=1, zorder=2)
            axes.plot([x], [y], marker=marker, color=colour, linestyle="none",
                      markersize=4, zorder=3)
    axes.margins(y=0.12)
    layout.number_ticks(axes.yaxis)


def _legend(axes: Axes) -> None:
    handles = [Line2D([], [], color=colour, marker=marker, linestyle="none", markersize=4)
               for colour, marker in (FREE, HELD)]
    axes.legend(handles, [say("clock held"), say("clock held down")], loc="lower left",
                bbox_to_anchor=(0, 1.0), ncols=2, borderaxespad=0.2)


KIND = FigureKind(
    title="clock, power and temperature",
    about="clock, power and temperature of GPU points over size, where the clock was held down",
    has=lambda case: case.device == "gpu",
    explains=True,
    figure=figure,
    finding=finding,
    described=described)
