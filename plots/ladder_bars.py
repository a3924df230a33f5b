"""GFLOP/s of every implementation at the largest shape: horizontal bars in the order of the ladder, with the ceilings."""

from __future__ import annotations

from dataclasses import replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from report.case import NO_PLACE, Case
from report.kind import FigureKind
from report.language import say
from report.numbers import counted, plain
from report.series import Series, Shape, series_of, shapes_of
from report.tables import sentences
from report.view import View

from . import layout, style
from .charts import Value, error_ends, without_interval

MOST_ROWS = 40
MOST_STEPS = 14  # more rows than a reader climbs one by one come fastest first
NAME_WIDTH = 34


def part(view: View) -> View:
    """The largest square, and the largest other shape where there is one."""
    last = {len(set(shape)) == 1: shape for shape in shapes_of(view.shown)}
    return replace(view, cases=tuple(case for case in view.cases if case.shape in last.values()),
                   absent=tuple(case for case in view.absent if case.shape in last.values()))


def _rows(view: View) -> tuple[list[Series], list[Series]]:
    """The lines of the shapes that are drawn, and which of them: of more than fit, each implementation at the parameters with
    which it is fastest."""
    shapes = shapes_of(view.shown)
    shapes.sort(key=lambda shape: len(set(shape)) != 1)
    series = series_of(view.shown)
    steps = len(series) <= MOST_STEPS and all(one.first.place != NO_PLACE for one in series)
    ordered = sorted(series, key=lambda one: (one.first.precision != "fp32", 0 if steps else -_rate(one, shapes)))
    if len(ordered) <= MOST_ROWS:
        return ordered, ordered
    best: dict[str, Series] = {}
    for one in ordered:
        best.setdefault(one.first.implementation, one)
    return ordered, list(best.values())[:MOST_ROWS]


def counts_text(view: View) -> str:
    """What is drawn, where that is not all; which points have no number."""
    looked_at = part(view)
    ordered, rows = _rows(looked_at)
    if len(rows) == len(ordered):
        return looked_at.left_out_text()
    return sentences(say("plot.each_fastest", count=len(rows), all=counted(len(ordered), "line")),
                     looked_at.left_out_text() if looked_at.left_out else "")


def figure(view: View) -> Figure | str:
    """The same rows for both shapes, the first step on top (the fastest, where the definition gives no order or there
    are many); what is not plain fp32 below, apart. Dots on a logarithmic axis where values and ceilings span more than 50
    times."""
    all_shapes, counts = shapes_of(view.shown), counts_text(view)
    view = part(view)
    shapes = shapes_of(view.shown)
    shapes.sort(key=lambda shape: len(set(shape)) != 1)
    _, rows = _rows(view)
    note = sentences(
        say("plot.error_median"),
        without_interval(_value(case) for one in rows for case in one.cases if case.shape in shapes),
        say("plot.drawn", count=len(shapes), all=counted(len(all_shapes), "shape")) if len(all_shapes) > len(shapes) else "")
    ceilings = layout.ceilings_for(view, rows)
    words = max(len(line) for one in rows for line in layout.wrapped(one.name, NAME_WIDTH).split("\n"))
    drawn, all_axes = layout.figure_with(view, len(shapes), 0.4 + 0.27 * len(rows), right_in=0.35,
                                         left_in=0.35 + 0.075 * words, note=note, counts=counts,
                                         above_in=layout.CEILING_IN * len(ceilings))
    values = [case.gflop_per_s for one in rows for case in one.cases if case.shape in shapes]
    log = layout.needs_log([*values, *(value for value, _ in ceilings)])
    for axes, shape in zip(all_axes, shapes):
        _panel(axes, rows, shape, log, ceilings, values)
        axes.tick_params(length=0, axis="y")
    all_axes[-1].set_xlabel("GFLOP/s")
    return drawn


def _value(case: Case) -> Value:
    return (case.gflop_per_s, *(case.gflop_ci95 or (None, None)))


def _rate(series: Series, shapes: list[Shape]) -> float:
    return next(series.by_shape[shape].gflop_per_s for shape in reversed(shapes) if shape in series.by_shape)


def _panel(axes: Axes, rows: list[Series], shape: Shape, log: bool, ceilings: list[tuple[float, str]],
           values: list[float]) -> None:
    full = sum(one.first.precision == "fp32" for one in rows)
    places = [index + (0.6 if index >= full > 0 else 0) for index in range(len(rows))]
    most = max([max(values) * 1.16, *(value * 1.04 for value, _ in ceilings)])
    if log:
        axes.set_xscale("log")
    axes.set_xlim(min(values) * 0.6 if log else 0, most * 2 if log else most)
    axes.set_ylim(places[-1] + 0.7, -0.7)
    layout.number_ticks(axes.xaxis)
    for place, one in zip(places, rows):
        case = one.by_shape.get(shape)
        if case is None:
            axes.annotate("–", (0, place), xycoords=axes.get_yaxis_transform(), xytext=(4, 0),
                          textcoords="offset points", va="center")
            continue
        colour = style.DEVICE_COLOURS.get(case.device, style.GREY)
        value = _value(case)
        if log:
            axes.plot([value[0]], [place], marker="o" if case.device == "gpu" else "s", color=colour, linestyle="none")
        else:
            axes.barh(place, value[0], 0.72, color=colour, hatch="" if case.device == "gpu" else "///",
                      edgecolor="white", linewidth=0.4)
        axes.errorbar([value[0]], [place], xerr=error_ends([value]), color="#222222", capsize=2, elinewidth=0.9,
                      zorder=1.5 if log else 3)
        _write(axes, value, place, [top for top, _ in ceilings])
    layout.draw_ceilings_upright(axes, ceilings)
    if 0 < full < len(rows):
        axes.axhline(full - 0.2, color=style.GREY, linewidth=0.8)
    axes.set_yticks(places, [layout.wrapped(one.name, NAME_WIDTH) for one in rows])
    axes.grid(axis="y", visible=False)
    axes.set_title(layout.shape_title(shape), pad=6 + 72 * layout.CEILING_IN * len(ceilings))


def _write(axes: Axes, value: Value, place: float, ceilings: list[float]) -> None:
    """The number right of its bar or dot; left of that end where a ceiling would cross it."""
    text = axes.annotate(plain(value[0]), (max(value[0], value[2] or 0), place), xytext=(6, 0),
                         textcoords="offset points", va="center", fontsize=7.5,
                         bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8})
    box = text.get_window_extent()  # within the panel's final limits only: outside of them it is empty
    if any(box.x0 - 4 < axes.transData.transform((top, place))[0] < box.x1 + 10 for top in ceilings):
        text.xy = (min(value[0], value[1] or value[0]), place)
        text.set(position=(-6, 0), ha="right")


KIND = FigureKind(
    title="step by step",
    about="GFLOP/s of each rung of a ladder at its largest shapes",
    figure=figure,
    part=part,
    counts_text=counts_text)
