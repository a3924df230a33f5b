"""A source's published rates beside ours, each over its own baseline: one panel a published table."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import plots
from analysis.tables.widths import text_width
from language import say
from plots.drawing import layout, style
from plots.drawing.charts import error_ends
from plots.drawing.drawn import Drawn
from records.names.numbers import plain

from .chart import PublishedChart, PublishedPanel

NAME_WIDTH = 30
ROW_IN, PANEL_IN, GAP_IN, RIGHT_IN = 0.27, 0.3, 0.85, 1.75
HERE = (style.COLOURS[0], "D")  # filled; what was published is hollow
HOLLOW = ("o", "s", "^", "v")


def _marks(axes: Axes, panel: PublishedPanel) -> None:
    places = range(len(panel.rows))
    for place, row in zip(places, panel.rows):
        ends = [value for value in (*row.published, row.here and row.here[0]) if value is not None]
        axes.plot([min(ends), max(ends)], [place, place], color="#bbbbbb", linewidth=1, zorder=1)
    for marker, device, values in zip(HOLLOW, panel.devices, zip(*(row.published for row in panel.rows))):
        there = [(value, place) for value, place in zip(values, places) if value is not None]
        axes.plot([x for x, _ in there], [y for _, y in there], linestyle="none", marker=marker, markerfacecolor="white",
                  markeredgecolor="#222222", markersize=8.5, markeredgewidth=1.2, label=layout.wrapped(device, 22))
    here = [(row.here, place) for row, place in zip(panel.rows, places) if row.here is not None]
    colour, marker = HERE
    if here:
        axes.errorbar([value[0] for value, _ in here], [place for _, place in here],
                      xerr=error_ends([value for value, _ in here]), linestyle="none", marker=marker, color=colour,
                      markersize=5, capsize=2, elinewidth=0.9, label=say("here"), zorder=3)


def _panel(axes: Axes, panel: PublishedPanel) -> None:
    values = [1.0, *(value for row in panel.rows for value in (*row.published, row.here and row.here[0]) if value is not None)]
    if layout.needs_log(values) or max(values) > 8:
        axes.set_xscale("log")
        axes.set_xlim(min(values) / 1.4, max(values) * 2.6)
    else:
        axes.set_xlim(min(0, min(values)), max(values) * 1.12)
    axes.set_ylim(len(panel.rows) - 0.4, -0.6)
    _marks(axes, panel)
    axes.axvline(1, color="#222222", linewidth=1)
    layout.number_ticks(axes.xaxis)
    for place, row in enumerate(panel.rows):
        last = max(value for value in (*row.published, *(row.here or ())) if value is not None)
        text = say("not measured") if row.here is None else ", ".join(
            filter(None, (plain(row.here[0]), row.host)))
        axes.annotate(text, (last, place), xytext=(7, 0), textcoords="offset points", va="center", fontsize=7.5,
                      color=style.GREY if row.here is None else HERE[0])
    axes.set_yticks(range(len(panel.rows)), [layout.wrapped(row.name, NAME_WIDTH) for row in panel.rows], parse_math=False)
    axes.tick_params(length=0, axis="y")
    axes.set_xlabel(panel.axis, parse_math=False)
    axes.set_title(panel.title, parse_math=False)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.02), borderaxespad=0, handletextpad=0.3)


def figure(chart: PublishedChart) -> Figure:
    """Panels one below the other, each as high as its rows need."""
    heights = [PANEL_IN + ROW_IN * len(panel.rows) for panel in chart.panels]
    lines = [line for panel in chart.panels for row in panel.rows for line in layout.wrapped(row.name, NAME_WIDTH).split("\n")]
    drawn, all_axes = layout.figure_with(chart, len(chart.panels), sum(heights) / len(heights), right_in=RIGHT_IN, gap_in=GAP_IN,
                                         left_in=0.35 + 0.075 * max(map(text_width, lines)), note=chart.note)
    total, top = drawn.get_figheight(), all_axes[0].get_position().y1
    for axes, panel, height in zip(all_axes, chart.panels, heights):
        box = axes.get_position()
        axes.set_position((box.x0, top - height / total, box.width, height / total))
        top -= (height + GAP_IN) / total
        _panel(axes, panel)
    return drawn


def draw(chart: PublishedChart, folder: Path, stem: str) -> Drawn:
    """folder/stem in every format."""
    with style.applied():
        style.save(figure(chart), folder, stem, plots.written())
    return Drawn(stem, chart.title, chart.left_out_text())
