"""How many times as fast as the CPU the GPU is, over the size: kernel and end to end, with the size
from which the GPU wins.

Narrow and with large letters: it is the first figure of the page, beside another one or on a phone.
"""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from analysis.answer.curves import (
    Curve,
    compared_text,
    curves_of,
    left_out_text,
    versus_described,
    versus_finding,
)
from analysis.answer.names import sizes_text
from analysis.answer.points import KERNEL, PAGEABLE, PINNED, contest_in
from analysis.tables.kind import FigureKind
from analysis.tables.tables import sentences
from language import say
from records.names.numbers import plain
from records.schema.operations import GEMM
from records.view import View

from .drawing import layout, style
from .drawing.charts import error_ends

WIDTH_IN, PANEL_IN = 6.4, 2.7
PHONE_IN, PHONE_PANEL_IN, PHONE_TICKS = 4.0, 1.75, 5
LEFT_IN, RIGHT_IN = 0.68, 1.35
LOOKS = {KERNEL: ("#0271c2", "o", "-"), PINNED: ("#b84402", "s", (0, (5, 1.5))),
         PAGEABLE: ("#8f4ab4", "^", (0, (1.2, 1.2)))}
INK = "#222222"


def finding(view: View) -> str:
    return versus_finding(view)


def described(view: View) -> str:
    return versus_described(view)


def figure(view: View) -> Figure | str:
    """Both axes logarithmic, with a line where the two are level."""
    contest = contest_in(view)
    curves = [curve for curve in (curves_of(contest) if contest else [])
              if not (view.narrow and curve.plain)]
    if not curves:
        return say("CPU and GPU share fewer than two square sizes, so that there is no line to "
                   "draw.")
    drawn, axes = _framed(view)
    for curve in reversed(curves):  # the best on top
        _curve(axes, curve)
    sizes = sorted({float(size) for curve in curves for size, _ in curve.points})
    axes.set_yscale("log")
    layout.size_ticks(axes, sizes, PHONE_TICKS if view.narrow else 9)
    _y_axis(axes)
    axes.set_xlabel(say("size m = n = k"))
    _level(axes, sizes)
    _break_evens(axes, [curve for curve in curves if not curve.plain])
    _names(axes, curves)
    return drawn


def _framed(view: View) -> tuple[Figure, Axes]:
    """The figure with its finding, machine and note, and the panel."""
    width, panel = (PHONE_IN, PHONE_PANEL_IN) if view.narrow else (WIDTH_IN, PANEL_IN)
    title = layout.lines_of(finding(view) or view.title, int(9.7 * width))
    below = layout.lines_of(sentences(view.machine + (say(" (reference machine)") if view.reference
                                                      else "") + say("."),
                                      view.conditions), int(14.4 * width))
    told = "" if view.narrow else sentences(compared_text(view), say("Bars: 95 % intervals."),
                                            left_out_text(view))
    note = layout.lines_of(told, int(14.4 * width)) if told else []
    header, footer = (0.16 + 0.21 * len(title) + 0.17 * len(below),
                      0.62 + 0.16 * max(len(note), 0 if view.narrow else 1))
    height = header + panel + footer
    drawn = style.new_figure(width, height)
    left = 0.1 / width
    drawn.text(left, 1 - 0.08 / height, "\n".join(title), va="top", fontsize=11.5,
               fontweight="bold")
    drawn.text(left, 1 - (0.1 + 0.21 * len(title)) / height, "\n".join(below), va="top",
               fontsize=8.5, color=style.GREY)
    drawn.text(left, 0.06 / height, "\n".join(note), va="bottom", fontsize=8.5, color=style.GREY)
    return drawn, drawn.add_axes((LEFT_IN / width, footer / height,
                                  (width - LEFT_IN - RIGHT_IN) / width, panel / height))


def _curve(axes: Axes, curve: Curve) -> None:
    colour, marker, dashes = LOOKS[curve.way]
    values = [(ratio.value, ratio.low, ratio.high) for _, ratio in curve.points]
    how: dict[str, Any] = {"linewidth": 2.2, "marker": marker, "markersize": 5}
    if curve.plain:
        how = {"linewidth": 0.9, "marker": marker, "markersize": 2.5, "alpha": 0.75}
    axes.errorbar([size for size, _ in curve.points], [value for value, *_ in values],
                  yerr=error_ends(values), color=colour, linestyle=dashes, capsize=0 if curve.plain
                  else 2, elinewidth=0.8, zorder=2 if curve.plain else 3, **how)


def _y_axis(axes: Axes) -> None:
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, 0.5), high * 1.2)
    axes.yaxis.set_major_locator(LogLocator(subs=(1,) if high > 300 else (1, 2, 5)))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}×" if value < 1
                                                 else f"{plain(value, 0)}×"))
    axes.tick_params(labelsize=9.5)


def _level(axes: Axes, sizes: list[float]) -> None:
    """The line at 1, and who is ahead on either side of it."""
    axes.axhline(1, color=INK, linewidth=1.3, zorder=2.5)
    at = axes.get_xlim()[1]
    for text, way, side in ((say("GPU faster"), 3, "bottom"), (say("CPU faster"), -4, "top")):
        axes.annotate(text, (at, 1), xytext=(-4, way), textcoords="offset points",
                      ha="right", va=side, fontsize=9, color=INK, zorder=4,
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.8})


def _break_evens(axes: Axes, curves: list[Curve]) -> None:
    """A tick across the line at 1 where each curve crosses it, and the size below."""
    known = [(curve, curve.break_even.size) for curve in curves
             if curve.break_even and curve.break_even.size]
    last = 0.0
    for place, (curve, size) in enumerate(sorted(known, key=lambda one: one[1])):
        colour = LOOKS[curve.way][0]
        axes.plot([size, size], [1 / 1.18, 1.18], color=colour, linewidth=2.4, zorder=5,
                  solid_capstyle="butt")
        near = bool(last) and size < 1.75 * last
        last = size
        axes.annotate(sizes_text(size), (size, 1 / 1.18),
                      xytext=(0, -12 if near and place % 2 else -2),
                      textcoords="offset points", ha="center", va="top",
                      fontsize=9.5, fontweight="bold", color=colour, zorder=5,
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.85})


def _names(axes: Axes, curves: list[Curve]) -> None:
    """Each line's name beside its last point."""
    figure = style.figure_of(axes)
    point = figure.dpi / 72
    box = axes.get_window_extent()
    texts = ["\n".join(layout.lines_of(curve.name, 19 if curve.plain else 13)) for curve in curves]
    at = [axes.transData.transform((curve.points[-1][0], curve.points[-1][1].value))
          for curve in curves]
    gap = 11 * max(text.count("\n") + 1 for text in texts) * point
    heights = layout.spread([y for _, y in at], gap, box.y0 + gap / 2, box.y1 - gap / 4)
    inverse = figure.transFigure.inverted().transform
    for curve, text, height in zip(curves, texts, heights):
        right, middle = inverse((box.x1 + 4 * point, height))
        figure.text(right, middle, text, color=LOOKS[curve.way][0], va="center", linespacing=1.0,
                    fontsize=8 if curve.plain else 9.5,
                    fontweight="normal" if curve.plain else "bold")


KIND = FigureKind(title="GPU over CPU by size",
                  about="times faster the GPU is than the CPU over the size, kernel and end to "
                  "end, with the size from which it wins",
                  of=GEMM,
                  figure=figure, for_phones=True,
                  counts_text=left_out_text,
                  finding=finding,
                  described=described)
