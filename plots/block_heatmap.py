"""GFLOP/s as colour over shape and block size, with the numbers written in."""

from __future__ import annotations

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from report.numbers import DASH, counted, plain, shape_text
from report.parameter_tables import by_value, having
from report.series import Series, series_of, shapes_of, values_of
from report.view import View

from . import layout

MOST_ROWS = 16
MOST_COLUMNS = 12


def figure(view: View) -> Figure | str:
    """A panel an implementation; dark is slow in grey as well. One colour scale for all panels."""
    cases = [case for case in having(view, "block") if case.shown]
    if not cases:
        return "No point with a block size has a number that may be shown."
    all_series = series_of(cases, without="block")
    series = all_series[:layout.MOST_PANELS]
    all_shapes = shapes_of(cases)
    shapes = layout.thinned(all_shapes, MOST_ROWS)
    blocks = layout.thinned(values_of(cases, "block"), MOST_COLUMNS)
    note = f"{DASH}: no number that may be shown."
    if len(shapes) < len(all_shapes) or len(series) < len(all_series):
        note += f" {len(shapes)} of {counted(len(all_shapes), 'shape')} and {len(series)} of " \
                f"{counted(len(all_series), 'implementation')} drawn: see the table."
    drawn, all_axes = layout.figure_with(view, len(series), max(1.2, 0.34 * len(shapes)), note=note, right_in=1.3,
                                         left_in=1.5)
    top = max(case.gflop_per_s for one in series for case in one.cases)
    for axes, one in zip(all_axes, series):
        image = _panel(axes, one, shapes, blocks, top)
    all_axes[-1].set_xlabel("block")
    box = all_axes[0].get_position()
    bar = drawn.add_axes((box.x1 + 0.03, box.y0, 0.02, box.height))
    drawn.colorbar(image, cax=bar, label="GFLOP/s")
    bar.grid(False)
    return drawn


def _panel(axes: Axes, series: Series, shapes: list, blocks: list, top: float):
    lookup = by_value(series, "block")
    values = numpy.full((len(shapes), len(blocks)), numpy.nan)
    for row, shape in enumerate(shapes):
        for column, block in enumerate(blocks):
            case = lookup.get(shape, {}).get(block)
            if case is not None:
                values[row, column] = case.gflop_per_s
            text = plain(case.gflop_per_s) if case is not None else DASH
            dark = case is not None and case.gflop_per_s < 0.55 * top
            axes.text(column, row, text, ha="center", va="center", color="white" if dark else "black", fontsize=8)
    axes.grid(False)
    image = axes.pcolormesh(numpy.arange(len(blocks) + 1) - 0.5, numpy.arange(len(shapes) + 1) - 0.5,
                            numpy.ma.masked_invalid(values), cmap="cividis", vmin=0, vmax=top, edgecolors="white",
                            linewidth=0.8)
    axes.set_xlim(-0.5, len(blocks) - 0.5)
    axes.set_ylim(len(shapes) - 0.5, -0.5)
    axes.set_xticks(range(len(blocks)), [str(block) for block in blocks])
    axes.set_yticks(range(len(shapes)), [shape_text(*shape) for shape in shapes])
    axes.tick_params(length=0)
    axes.set_title(series.name)
    axes.set_ylabel("size m = n = k" if all(m == n == k for m, n, k in shapes) else "shape m×n×k")
    return image

