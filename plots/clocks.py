"""Could the card hold its clock? Clock, power and temperature of the GPU points over size, drawn
where it could not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from analysis.tables.kind import FigureKind
from analysis.tables.tables import sentences
from language import recorded, say
from records.cases.case import Case
from records.cases.clocks import dipped
from records.cases.hosts import first_card
from records.cases.series import shapes_of
from records.names.numbers import counted, joined, percent, plain
from records.schema.operations import shape_text
from records.view import View

from .drawing import layout, style
from .drawing.charts import size_axis

MOST_TOLD = 12  # points in words


@dataclass(frozen=True)
class Clocks:
    """GPU points that recorded their clock, and those of them at which it was held down or dipped
    by more than a tenth."""

    cases: tuple[Case, ...]
    held_down: tuple[Case, ...]
    most_mhz: float | None  # that the card says it can


def clocks_of(view: View) -> Clocks:
    cases = tuple(case for case in view.shown
                  if case.device == "gpu" and case.clock_mhz and not case.copy)
    gpu = first_card(view.run)
    return Clocks(cases, tuple(case for case in cases if case.throttled or dipped(case)),
                  (gpu.get("clocks") or {}).get("sm_mhz"))


def finding(view: View) -> str:
    """"The card held its clock below 4096; from there on it fell as low as 1,365 of 1,980 MHz (sw
    power cap)"; empty where no clock was held down."""
    found = clocks_of(view)
    if not found.held_down:
        return ""
    shapes = shapes_of(found.held_down)
    lowest = min(mhz for case in found.held_down if (mhz := case.clock_low_mhz or case.clock_mhz))
    reasons = sorted({recorded(reason) for case in found.held_down
                      for reason in case.throttle_reasons})
    why = say(" ({reasons})", reasons=joined(reasons)) if reasons else ""
    of = say(" of {most}", most=plain(found.most_mhz, 0)) if found.most_mhz else ""
    return say("From {shape} on the card could not hold its clock: it fell as low as {low}{of} "
               "MHz{why}", shape=shape_text(*shapes[0]), low=plain(lowest, 0), of=of, why=why)


def described(view: View) -> str:
    """The points at which the clock was held down, in words."""
    found = clocks_of(view)
    told = [say("{name} at {shape}: {clock} MHz, lowest {low}{power}.",
                name=case.label, shape=shape_text(*case.shape), clock=plain(mhz, 0),
                low=plain(case.clock_low_mhz or mhz, 0), power=_power(case))
            for case in found.held_down[:MOST_TOLD] if (mhz := case.clock_mhz)]
    head = say("{count} of {points} with a clock that was held down.", count=len(found.held_down),
               points=counted(len(found.cases), "point"))
    return say(" ").join([head, *told])


def _power(case: Case) -> str:
    share = (say(", held down at {share} of its readings", share=percent(case.throttled_share))
             if case.throttled_share else "")
    return (say(", ") + f"{plain(case.power_w, 0)} W" if case.power_w else "") + share


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
