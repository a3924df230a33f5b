"""Speedup over one thread against threads, with the ideal line and the machine's cores marked: a
panel per shape."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.scaling.scaling import COLLAPSED, Line, scaled
from analysis.scaling.scaling import scaling_described as described
from analysis.scaling.scaling import scaling_finding as finding
from analysis.tables.kind import FigureKind
from analysis.tables.tables import sentences
from language import say
from records.cases.series import Shape
from records.names.naming import Look
from records.names.numbers import counted, plain
from records.view import View

from .drawing import layout, style
from .drawing.charts import MISSING
from .drawing.charts import line as draw_line
from .drawing.looks import looks_in

MOST_SHAPES = 4
FLOOR = COLLAPSED  # the axis ends there: what falls deeper is said in numbers at its edge
SHADE = "#dddddd"


def _panels(view: View) -> tuple[list[Shape], list[tuple[str, list[Line]]]]:
    """(every shape that can be scaled, title and lines of each panel drawn)."""
    found = scaled(view)
    made = []
    for shape in layout.thinned(found.shapes, MOST_SHAPES):
        lines = {id(line.series): line for line in found.lines(shape)}
        for panel in layout.panels_of([line.series for line in lines.values()]):
            title = " – ".join(filter(None, (layout.shape_title(shape), panel.title)))
            made.append((title, [lines[id(series)] for series in panel.series]))
    return found.shapes, made


def figure(view: View) -> Figure | str:
    """Both axes base 2, the vertical one from just below 1. Implementations without a number at 1
    thread are not drawn."""
    shapes, panels = _panels(view)
    if not panels:
        return say("No implementation has numbers at 1 thread and at more, so no scaling is drawn.")
    beyond = len(panels) - layout.MOST_PANELS
    panels = panels[:layout.MOST_PANELS]
    fallen = any(line.collapsed for _, lines in panels for line in lines)
    note = sentences(say("Error bars: 95 % interval of the ratio."),
                     say("Triangles at the lower edge: below {floor} times, off the axis.",
                         floor=FLOOR) if fallen else "",
                     say("{count} of {all} drawn.", count=MOST_SHAPES,
                         all=counted(len(shapes), "shape")) if len(shapes) > MOST_SHAPES else "",
                     say("{what}: see the table.", what=counted(beyond, "more panel"))
                     if beyond > 0 else "")
    drawn, all_axes = layout.figure_with(view, len(panels), 3.3 if len(panels) < 3 else 2.8,
                                         title=finding(view), note=note, left_in=0.7, right_in=1.6)
    ends = []
    for axes, (title, lines) in zip(all_axes, panels):
        looks = looks_in(line.series for line in lines)
        ends.append(_panel(axes, list(zip(looks, lines)), view.cores))
        axes.set_title(title)
    layout.share_range(all_axes)
    for axes, names in zip(all_axes, ends):
        layout.label_ends(axes, names)
    all_axes[-1].set_xlabel(say("threads"))
    return drawn


def _panel(axes: Axes, lines: list[tuple[Look, Line]],
           cores: int) -> list[tuple[str, float, float, Look | str]]:
    """Draws one panel; returns what label_ends needs. The ideal line stops rising at the number of
    cores."""
    ends: list[tuple[str, float, float, Look | str]] = []
    fallen: dict[int, list[str]] = {}
    ticks = sorted({threads for _, line in lines for threads in line.gains})
    most, best = max(ticks), max(gain.value for _, line in lines for gain in line.gains.values())
    top = min(most, cores or most)
    axes.plot([1, top, most], [1, top, top], color=style.GREY, linewidth=1,
              linestyle=(0, (4, 3)), zorder=1)
    for look, line in lines:
        values = [(gain.value, gain.low, gain.high) if threads not in line.collapsed else MISSING
                  for threads, gain in line.gains.items()]
        end = draw_line(axes, look, list(line.gains), values, line.series.name)
        if line.collapsed:
            _falls(axes, look, line)
            for threads, gain in line.collapsed.items():
                fallen.setdefault(threads, []).append(f"{line.series.name} {plain(gain.value, 2)}")
        ends.append((line.series.name, max(line.gains), FLOOR, end[3])
                    if max(line.gains) in line.collapsed else end)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    layout.size_ticks(axes, [float(count) for count in ticks])
    axes.set_ylim(FLOOR, max(top, best) * 1.15)
    axes.set_ylabel(say("times as fast as 1 thread"))
    for threads, names in fallen.items():
        axes.annotate("\n".join(names), (threads, FLOOR), xytext=(0, 8),
                      textcoords="offset points", ha="center", fontsize=7.5, linespacing=1.1,
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})
    if 1 < cores < most:
        axes.axvspan(cores, axes.get_xlim()[1], color=SHADE, alpha=0.45, linewidth=0, zorder=0)
        axes.axvline(cores, color=style.GREY, linewidth=0.8, linestyle=":")
        # where there is more room
        left = 2 * axes.transAxes.inverted().transform(axes.transData.transform((cores, 1)))[0] > 1
        axes.annotate(say("{processors}; right of it more threads than that",
                          processors=counted(cores, "processor")),
                      (cores, 1), xycoords=axes.get_xaxis_transform(),
                      xytext=(-4 if left else 4, -3), textcoords="offset points", fontsize=7,
                      color=style.GREY, ha="right" if left else "left", va="top")
    return [*ends, (say("ideal"), most, top, style.GREY)]


def _falls(axes: Axes, look: Look, line: Line) -> None:
    """A line from its last point above the floor down to the edge, and a triangle where each deeper
    point would be."""
    colour, deeper = look.colour, list(line.collapsed)
    before = max(threads for threads in line.gains if threads < deeper[0])
    axes.plot([before, deeper[0]], [line.gains[before].value, FLOOR], color=colour,
              linestyle=look.line)
    axes.plot(deeper, [FLOOR] * len(deeper), color=colour, marker="v", markersize=7,
              linestyle="none", clip_on=False, zorder=5)


KIND = FigureKind(
    title="threads",
    about="speedup over one thread by number of threads, beside the ideal",
    has=lambda case: "threads" in case.parameters,
    figure=figure,
    finding=finding,
    described=described)
