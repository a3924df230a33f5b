"""How fast a submission is beside the ladder, the library and the ceiling: one panel per shape, the
fastest on top."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from plots.drawing import layout, style
from plots.drawing.charts import Value, error_ends, without_interval
from records.names.numbers import plain

from .chart import FORMATS, Chart, Panel

MOST_PANELS = 4
NAME_WIDTH = 34
ROW_IN, PANEL_IN, GAP_IN = 0.23, 0.2, 0.62
# Role: colour, marker, hatch, name in the legend.
LOOKS = {"submission": (style.COLOURS[1], "D", "", "this submission"),
         "ladder": (style.COLOURS[5], "o", "///", "ladder"),
         "library": (style.COLOURS[2], "s", "...", "library")}


def figure(chart: Chart) -> Figure:
    """Bars from zero; dots on a logarithmic axis where values and ceilings span more than 50 times.
    One axis for all."""
    panels = layout.thinned(list(chart.panels), MOST_PANELS)
    note = ("GFLOP/s: 2·M·N·K over the median time. Black lines: 95 % interval of the median. "
            "Dashed: the measured ceiling.")
    if len(panels) < len(chart.panels):
        note += f" {len(panels)} of {len(chart.panels)} shapes drawn: see the table."
        chart = replace(chart, panels=tuple(panels))  # what is counted as shown is what is drawn
    note = " ".join(filter(None, (note, without_interval(bar.value for panel in panels
                                                         for bar in panel.bars if bar.value))))
    most = max(len(panel.bars) for panel in panels)
    lines = [line for panel in panels for bar in panel.bars
             for line in layout.wrapped(bar.name, NAME_WIDTH).split("\n")]
    above = layout.CEILING_IN if any(panel.ceiling for panel in panels) else 0
    drawn, all_axes = layout.figure_with(
        chart, len(panels), PANEL_IN + ROW_IN * most, right_in=0.35, note=note,
        left_in=0.35 + 0.08 * max(map(len, lines)), above_in=above, gap_in=GAP_IN)
    values = [bar.value[0] for panel in panels for bar in panel.bars if bar.value]
    tops = [panel.ceiling[0] for panel in panels if panel.ceiling]
    log = layout.needs_log([*values, *tops])
    highest = max([max(values) * (2.2 if log else 1.16),
                   *(top * (2 if log else 1.04) for top in tops)])
    for axes, panel in zip(all_axes, panels):
        if log:
            axes.set_xscale("log")
        axes.set_xlim(min(values) * 0.6 if log else 0, highest)
        axes.set_ylim(most - 0.4, -0.6)
        layout.number_ticks(axes.xaxis)
        _panel(axes, panel, log)
    all_axes[-1].set_xlabel(f"GFLOP/s{' (logarithmic axis)' if log else ''}: farther right is "
                            "faster")
    _legend(drawn, {bar.role for panel in panels for bar in panel.bars}, log)
    return drawn


def _panel(axes: Axes, panel: Panel, log: bool) -> None:
    ceilings = [panel.ceiling] if panel.ceiling else []
    for place, bar in enumerate(panel.bars):
        colour, marker, hatch, _ = LOOKS[bar.role]
        if bar.value is None:
            axes.annotate("– not timed", (0, place), xycoords=axes.get_yaxis_transform(),
                          xytext=(4, 0), textcoords="offset points",
                          va="center", fontsize=7.5, color=style.GREY,
                          bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8})
            continue
        if log:
            axes.plot([bar.value[0]], [place], marker=marker, color=colour, linestyle="none",
                      markersize=8 if bar.role == "submission" else 5)
        else:
            axes.barh(place, bar.value[0], 0.72, color=colour, hatch=hatch, edgecolor="white",
                      linewidth=0.4)
        axes.errorbar([bar.value[0]], [place], xerr=error_ends([bar.value]), color="#222222",
                      capsize=2, elinewidth=0.9, zorder=3)
        _write_value(axes, bar.value, place, [top for top, _ in ceilings])
    layout.draw_ceilings_upright(axes, ceilings)
    labels = axes.set_yticks(range(len(panel.bars)), [layout.wrapped(bar.name, NAME_WIDTH)
                                                      for bar in panel.bars], parse_math=False)
    for tick, bar in zip(labels, panel.bars):
        if bar.role == "submission":
            tick.label1.set(fontweight="bold", color=LOOKS["submission"][0])
    axes.tick_params(length=0, axis="y")
    axes.grid(axis="y", visible=log)
    axes.set_title(panel.title, pad=6 + 72 * layout.CEILING_IN * len(ceilings))


def _legend(drawn: Figure, roles: set[str], log: bool) -> None:
    """What the colours mean, right of the title."""
    marks = [Line2D([], [], color=colour, marker=marker if log else "s",
                    linestyle="none", markersize=7, label=name)
             for role, (colour, marker, _, name) in LOOKS.items() if role in roles]
    drawn.legend(handles=marks, loc="upper right", ncols=len(marks),
                 fontsize=8, handletextpad=0.2, columnspacing=1.2,
                 bbox_to_anchor=(1 - 0.1 / drawn.get_figwidth(), 1 - 0.02 / drawn.get_figheight()))


def draw(chart: Chart, folder: Path, stem: str) -> None:
    """folder/stem.svg and folder/stem.png."""
    with style.applied():
        style.save(figure(chart), folder, stem, FORMATS)


def _write_value(axes: Axes, value: Value, place: float, ceilings: list[float]) -> None:
    """The number right of its bar or dot; left of that end where a ceiling would cross it."""
    text = axes.annotate(plain(value[0]), (max(value[0], value[2] or 0), place), xytext=(6, 0),
                         textcoords="offset points", va="center", fontsize=7.5,
                         bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8})
    # within the panel's final limits only: outside of them it is empty
    box = text.get_window_extent()
    if any(box.x0 - 4 < axes.transData.transform((top, place))[0] < box.x1 + 10
           for top in ceilings):
        text.xy = (min(value[0], value[1] or value[0]), place)
        text.set(position=(-6, 0), ha="right")
