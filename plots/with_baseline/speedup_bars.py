"""Times faster than the baseline: bars from zero, or dots on a logarithmic axis where they span
more than 50 times."""

from __future__ import annotations

from matplotlib.figure import Figure

from analysis.compared.meetings import peers_finding
from analysis.tables.kind import FigureKind
from analysis.tables.leaders import speedup_text
from analysis.tables.tables import sentences
from language import say
from records.baselines import Baselines
from records.cases.series import series_of, shapes_of
from records.names.numbers import counted
from records.schema.operations import is_square
from records.view import View

from ..drawing import layout
from ..drawing.charts import Value, grouped
from ..drawing.looks import looks_in

MOST_SHAPES = 10


def _panels(baselines: Baselines, view: View) -> list[layout.Panel]:
    """Of all but the baseline itself, where it has a number at the same shape."""
    return layout.panels_of(series_of(baselines.others(view.shown)))


def finding(view: View) -> str:
    """"OpenBLAS is 74 times as fast as serial at 512"."""
    return speedup_text(view)


def figure(view: View) -> Figure | str:
    """A group of bars per shape; the baseline itself is the line at 1."""
    baselines = Baselines(view)
    if baselines.problem:
        return baselines.problem
    cases = list(baselines.others(view.shown))
    if not cases:
        return say("No point shares a shape with the baseline, so no speedup is drawn.")
    all_shapes = shapes_of(cases)
    shapes = layout.thinned(all_shapes, MOST_SHAPES)
    panels = _panels(baselines, view)
    beyond = sum(len(panel.series) for panel in panels[layout.MOST_PANELS:])
    panels = panels[:layout.MOST_PANELS]
    notes = [say("Error bars: 95 % interval of the ratio."), say("Line at 1: the baseline.")]
    notes += [say("{count} of {all} drawn: see the table.", count=len(shapes),
                  all=counted(len(all_shapes), "shape"))] \
        if len(shapes) < len(all_shapes) else ""
    alone = sum(baselines.of(case) is None for case in view.shown)
    notes += [say("{points} at shapes without a number of the baseline.",
                  points=counted(alone, "point"))] if alone else []
    notes += [say("{what}: see the table.",
                  what=counted(beyond, "more implementation"))] if beyond else []
    square = all(map(is_square, shapes))
    drawn, all_axes = layout.figure_with(
        view, len(panels), 3.0, note=sentences(*notes), title=finding(view),
        gap_in=0.72 if square else 1.0, tight=not any(panel.title for panel in panels),
        right_in=layout.room_for(one.name for panel in panels for one in panel.series))
    rows: list[list[tuple[str, list[Value | None]]]] = []
    for panel in panels:
        groups: list[tuple[str, list[Value | None]]] = []
        for series in panel.series:
            ratios = [baselines.speedup(case) if (case := series.by_shape.get(shape)) else None
                      for shape in shapes]
            groups.append((layout.wrapped(series.name),
                           [(r.value, r.low, r.high) if r else None for r in ratios]))
        rows.append(groups)
    log = layout.needs_log([1.0, *(value[0] for groups in rows for _, row in groups
                                   for value in row if value)])
    for axes, panel, groups in zip(all_axes, panels, rows):
        grouped(axes, layout.shape_ticks(shapes), groups, log, looks_in(panel.series))
        axes.axhline(1, color="#222222", linewidth=1)
        axes.set_ylabel(say("times as fast as\n{name}", name=layout.wrapped(baselines.name)))
        axes.set_title(panel.title)
    layout.share_range(all_axes)
    all_axes[-1].set_xlabel(say("size m = n = k" if square else "shape m×n×k"))
    return drawn

KIND = FigureKind(
    title="speedup",
    about="times faster than the `baseline`, a group of bars per shape",
    figure=figure,
    finding=finding,
    heads=(peers_finding,),
    before=12)
