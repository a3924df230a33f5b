"""What several kinds of figure share: lines over a size, and groups of bars or dots."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

from analysis.tables.tables import sentences
from language import recorded, say
from records.cases.case import Case
from records.cases.series import Series, series_of
from records.names.naming import Look
from records.names.numbers import counted, joined, plain
from records.schema.operations import extent_text, extents, is_square, option_words, volume
from records.view import View

from . import layout
from .headed import Value
from .looks import looks_in

MOST_SIZES = 32
# sizes nearer to each other than this (powers of two and their neighbours) would coincide on a
# scale
CLOSE = 1.1
MOST_EVEN = 24
MISSING: Value = (math.nan, None, None)  # a point left out breaks its line


@dataclass(frozen=True)
class SizeAxis:
    """How a shape becomes a place on the axis; `known` is None where it has none."""

    label: str
    known: Callable[[Case], float | None]
    note: str = ""

    def has(self, case: Case) -> bool:
        return self.known(case) is not None

    def place(self, case: Case) -> float:
        """Of a case that has one."""
        found = self.known(case)
        if found is None:
            raise ValueError(f"{case.name} at {case.shape} has no place on the axis {self.label}")
        return float(found)


def size_axis(cases: list[Case]) -> SizeAxis:
    """Squares and vectors by their size; shapes in which one extent varies by that one; others by
    the geometric mean of the extents."""
    names = list(cases[0].dims)
    squares = [case for case in cases if is_square(extents(case.shape))]
    if squares:
        others = len(cases) - len(squares)
        note = say("{points} of other shapes: see the table.",
                   points=counted(others, "point")) if others else ""
        label = say("size m = n = k") if names == list("mnk") else say("size {names}",
            names=" = ".join(names))
        return SizeAxis(
            label, lambda case: there[0] if is_square(there := extents(case.shape)) else None, note)
    varying = [name for name in names if len({case.dims.get(name) for case in cases}) > 1]
    if len(varying) == 1:
        fixed = ", ".join(f"{name} = {cases[0].dims[name]}" for name in names if name != varying[0])
        return SizeAxis(say("{name}  ({fixed})", name=varying[0], fixed=fixed),
                        lambda case: case.dims[varying[0]])
    label = say("cube root of m·n·k") if names == list("mnk") else say("geometric mean of {names}",
        names=joined(names))
    return SizeAxis(label, lambda case: volume(case.shape) ** (1 / len(case.dims)))


def error_ends(values: list[Value]) -> list[list[float]]:
    """Lengths below and above each value, as matplotlib takes them. NaN where there is no interval:
    nothing is drawn then, whereas a length of 0 would look like a perfect one."""
    return [[max(value - low, 0) if low is not None else math.nan for value, low, _ in values],
            [max(high - value, 0) if high is not None else math.nan for value, _, high in values]]


def without_interval(values: Iterable[Value]) -> str:
    """How many of them have too few samples for an error bar; empty where all have one."""
    count = sum(low is None and not math.isnan(value) for value, low, _ in values)
    return say("{points} without an interval: under 6 samples.",
               points=counted(count, "point")) if count else ""


def line(axes: Axes, look: Look, xs: list[float], values: list[Value],
         name: str) -> tuple[str, float, float, Look]:
    """One line with error bars in a look; returns what label_ends needs."""
    axes.errorbar(xs, [value for value, *_ in values], yerr=error_ends(values), color=look.colour,
                  linestyle=look.line, marker=look.marker, capsize=2, elinewidth=0.9)
    last = max(place for place, value in enumerate(values) if value != MISSING)
    return name, xs[last], values[last][0], look


def size_panels(view: View) -> tuple[SizeAxis, list[float], list[layout.Panel]]:
    """The axis, the sizes drawn of those that there are (at most MOST_SIZES), and the panels, of
    all that have a number."""
    axis = size_axis(view.shown)
    cases = [case for case in view.cases if axis.has(case)]
    kept = layout.thinned(sorted({axis.place(case) for case in cases}), MOST_SIZES)
    drawn = set(kept)
    cases = [case for case in cases if axis.place(case) in drawn]
    return axis, kept, layout.panels_of([one for whole in series_of(cases)
                                         for one in _by_options(whole)
                                         if any(case.shown for case in one.cases)])


def _by_options(series: Series) -> list[Series]:
    """A line for each choice of the operation's options: "tuned", "tuned, A transposed"."""
    parts: dict[tuple[str, ...], list[Case]] = {}
    for case in series.cases:
        parts.setdefault(option_words(case.shape), []).append(case)
    return [series] if len(parts) < 2 else [
        Series(say(", ", context="name").join([series.name, *(recorded(word) for word in words)]),
               tuple(cases)) for words, cases in parts.items()]


def over_size(view: View, value_of: Callable[[Case], Value], y_label: str, always_log: bool = False,
              ceiling: bool = False, title: str = "") -> Figure | str:
    """Lines over size, at most seven a panel. The vertical axis, one for all panels, starts at zero
    unless the values span more than 50 times."""
    axis, kept, panels = size_panels(view)
    places = {axis.place(case) for case in view.cases if axis.has(case)}
    beyond = sum(len(panel.series) for panel in panels[layout.MOST_PANELS:])
    panels = panels[:layout.MOST_PANELS]
    note = sentences(say("Error bars: 95 % interval of the median."),
                     without_interval(value_of(case) for panel in panels for one in panel.series
                                      for case in one.cases if case.shown),
                     axis.note,
                     say("{what}: see the table.", what=counted(beyond, "more line")) if beyond
                     else "",
                     say("{count} of {all} drawn: see the table.", count=len(kept),
                         all=counted(len(places), "size")) if len(kept) < len(places) else "")
    figure, all_axes = layout.figure_with(
        view, len(panels), 3.4 if len(panels) < 3 else 2.9, note=note, title=title,
        right_in=layout.room_for(one.name for panel in panels for one in panel.series),
        tight=not any(panel.title for panel in panels))
    sizes = sorted({axis.place(case) for panel in panels
                    for one in panel.series for case in one.cases
                    if case.shown})
    tops = [layout.ceilings_for(view, [case for one in panel.series for case in one.cases])
            if ceiling else [] for panel in panels]
    log = always_log or layout.needs_log([value_of(case)[0] for panel in panels
                                          for one in panel.series for case in one.cases
                                          if case.shown] + [top for row in tops for top, _ in row])
    even = (len(sizes) <= MOST_EVEN
            and any(after < CLOSE * before for before, after in itertools.pairwise(sizes)))
    at = {size: float(index) if even else size for index, size in enumerate(sizes)}
    ends, marks = [], []
    for axes, panel, ceilings in zip(all_axes, panels, tops):
        looks = looks_in(panel.series)
        ends.append(
            [line(axes, look, [at.get(axis.place(case), math.nan) for case in one.cases],
                  [value_of(case) if case.shown else MISSING for case in one.cases], one.name)
             for look, one in zip(looks, panel.series)])
        marks.append(layout.draw_ceilings(axes, ceilings, y_label))
        if even:
            axes.set_xticks(range(len(sizes)), [extent_text(int(size)) if size.is_integer()
                                                else plain(size) for size in sizes])
        else:
            layout.size_ticks(axes, sizes)
        if log:
            axes.set_yscale("log")
        else:
            axes.set_ylim(0, axes.get_ylim()[1] * 1.03)
        axes.set_title(panel.title)
        axes.set_ylabel(y_label)
    layout.share_range(all_axes)
    for axes, names, of_ceilings in zip(all_axes, ends, marks):
        layout.label_ends(axes, names)
        layout.keep_clear(axes, of_ceilings, [drawn.lines[0].get_data() for drawn in axes.containers
                                             if isinstance(drawn, ErrorbarContainer)])
    all_axes[-1].set_xlabel(say("{label} (evenly spaced)", label=axis.label) if even
                            else axis.label)
    return figure


def grouped(axes: Axes, categories: list[str], groups: list[tuple[str, list[Value | None]]],
            log: bool, looks: list[Look]) -> None:
    """Groups of bars from zero, in their looks, or of dots on a logarithmic axis; – where a point
    has no number. Legend at the right."""
    step = min(0.84 / len(groups), 0.28)
    if log:
        axes.set_yscale("log")
    for index, ((name, values), look) in enumerate(zip(groups, looks)):
        places = [place + (index + 0.5 - len(groups) / 2) * step
                  for place in range(len(categories))]
        there = [(x, value) for x, value in zip(places, values) if value is not None]
        xs, shown = [x for x, _ in there], [value for _, value in there]
        tops = [value for value, *_ in shown]
        if log:
            axes.errorbar(xs, tops, yerr=error_ends(shown), linestyle="none", marker=look.marker,
                          color=look.colour, capsize=2, elinewidth=0.9, label=name)
        else:
            axes.bar(xs, tops, step * 0.92, color=look.colour, hatch=look.hatch, edgecolor="white",
                     linewidth=0.4, label=name)
            axes.errorbar(xs, tops, yerr=error_ends(shown), linestyle="none", color="#222222",
                          capsize=2, elinewidth=0.9)
        for x, value in zip(places, values):
            if value is None:
                axes.annotate("–", (x, 0), xycoords=axes.get_xaxis_transform(),
                              ha="center", va="bottom")
    axes.set_xticks(range(len(categories)), categories)
    axes.set_xlim(-0.6, len(categories) - 0.4)
    axes.grid(axis="x", visible=False)
    axes.margins(y=0.12)
    if not log:
        axes.set_ylim(bottom=0)
    _write_values(axes, groups, step)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.02), borderaxespad=0, handlelength=1.4)


def _write_values(axes: Axes, groups: list[tuple[str, list[Value | None]]], step: float) -> None:
    """Each value above its bar, where all of them fit side by side."""
    widest = max((len(plain(value[0])) for _, values in groups
                  for value in values if value is not None), default=0)
    inches_a_unit = axes.get_window_extent().width / axes.figure.dpi / (axes.get_xlim()[1]
                                                                        - axes.get_xlim()[0])
    if step * inches_a_unit < 0.062 * widest:
        return
    for index, (_, values) in enumerate(groups):
        for place, value in enumerate(values):
            if value is not None:
                axes.annotate(plain(value[0]), (place + (index + 0.5 - len(groups) / 2) * step,
                                                max(value[0], value[2] or 0)), xytext=(0, 3),
                              textcoords="offset points", ha="center", va="bottom", fontsize=7)
