"""Speedup over one thread against the ideal line, a panel a shape."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from report.kind import FigureKind
from report.language import say
from report.naming import Look
from report.numbers import counted
from report.parameter_tables import by_value, having
from report.ratios import speedup
from report.series import Series, Shape, series_of, shapes_of
from report.tables import sentences
from report.view import View

from . import layout, style
from .charts import line
from .looks import looks_in

MOST_SHAPES = 4


def _panels(view: View) -> tuple[list[Shape], list[tuple[Shape, layout.Panel]]]:
    """(every shape that can be scaled, the panels of those drawn)."""
    cases = [case for case in having(view, "threads") if case.shown]
    scaled = [(shape, one) for one in series_of(cases, without="threads") for shape in shapes_of(one.cases)
              if 1 in by_value(one, "threads")[shape] and len(by_value(one, "threads")[shape]) > 1]
    found = sorted({shape for shape, _ in scaled}, key=lambda shape: (shape[0] * shape[1] * shape[2], shape))
    return found, [(shape, panel) for shape in layout.thinned(found, MOST_SHAPES)
                   for panel in layout.panels_of([one for at, one in scaled if at == shape])]


def figure(view: View) -> Figure | str:
    """Both axes base 2. Implementations without a number at 1 thread cannot be drawn, and are counted."""
    found, panels = _panels(view)
    if not panels:
        return say("plot.no_scaling")
    beyond = len(panels) - layout.MOST_PANELS
    panels = panels[:layout.MOST_PANELS]
    notes = [say("plot.error_ratio")]
    notes += [say("plot.drawn_only", count=MOST_SHAPES, all=counted(len(found), "shape"))] if len(found) > MOST_SHAPES else []
    notes += [say("plot.see_table", what=counted(beyond, "more panel"))] if beyond > 0 else []
    drawn, all_axes = layout.figure_with(view, len(panels), 3.3 if len(panels) < 3 else 2.8, note=sentences(*notes))
    ends = []
    for axes, (shape, panel) in zip(all_axes, panels):
        looks = looks_in(panel.series)
        ends.append(_panel(axes, shape, list(zip(looks, panel.series)), view.cores))
        axes.set_title(" – ".join(filter(None, (layout.shape_title(shape), panel.title))))
    layout.share_range(all_axes)
    for axes, names in zip(all_axes, ends):
        layout.label_ends(axes, names)
    all_axes[-1].set_xlabel(say("plot.threads"))
    return drawn


def _panel(axes: Axes, shape: tuple[int, int, int], series: list[tuple[Look, Series]],
           cores: int) -> list[tuple[str, float, float, Look | str]]:
    """Draws one panel; returns what label_ends needs. The ideal line stops rising at the number of cores."""
    ends, most, least = [], 1, 1.0
    ticks, best = set(), 1.0
    for look, one in series:
        row = by_value(one, "threads")[shape]
        threads = sorted(row)
        ratios = [speedup(row[1], row[count]) for count in threads]
        ends.append(line(axes, look, threads, [(r.value, r.low, r.high) for r in ratios], one.name))
        ticks |= set(threads)
        most, least = max(most, *threads), min(least, *(r.value for r in ratios))
        best = max(best, *(r.value for r in ratios))
    top = min(most, cores or most)
    ideal = axes.plot([1, top, most], [1, top, top], color=style.GREY, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    layout.size_ticks(axes, [float(count) for count in ticks])
    axes.set_ylim(min(0.8, least * 0.9), max(top, best) * 1.15)
    axes.set_ylabel(say("plot.over_one"))
    if 1 < cores < most:
        axes.axvline(cores, color=style.GREY, linewidth=0.8, linestyle=":")
        axes.annotate(counted(cores, "core"), (cores, 0.02), xycoords=axes.get_xaxis_transform(), xytext=(3, 0),
                      textcoords="offset points", fontsize=7, color=style.GREY)
    return [*ends, (say("plot.ideal"), most, top, ideal[0].get_color())]


KIND = FigureKind(
    title="threads",
    about="speedup over one thread by number of threads",
    has=lambda case: "threads" in case.parameters,
    figure=figure)
