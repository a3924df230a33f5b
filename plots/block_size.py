"""GFLOP/s by block size: a group of bars a shape, a panel an implementation."""

from __future__ import annotations

from matplotlib.figure import Figure

from report.numbers import counted
from report.parameter_tables import by_value, having
from report.series import series_of, shapes_of, values_of
from report.view import View

from . import layout, style
from .charts import Value, grouped

MOST_SHAPES = 10


def figure(view: View) -> Figure | str:
    """Bars from zero; dots on a logarithmic axis where the values span more than 50 times."""
    cases = [case for case in having(view, "block") if case.shown]
    if not cases:
        return "No point with a block size has a number that may be shown."
    all_series = series_of(cases, without="block")
    series = all_series[:layout.MOST_PANELS]
    all_blocks = values_of(cases, "block")
    blocks = layout.thinned(all_blocks, style.MOST_LINES)
    all_shapes = shapes_of(cases)
    shapes = layout.thinned(all_shapes, MOST_SHAPES)
    note = "Error bars: 95 % interval of the median."
    for some, of, thing in ((series, all_series, "implementation"), (blocks, all_blocks, "block size"),
                            (shapes, all_shapes, "shape")):
        note += f" {len(some)} of {counted(len(of), thing)} drawn: see the table." if len(some) < len(of) else ""
    square = all(m == n == k for m, n, k in shapes)
    drawn, all_axes = layout.figure_with(view, len(series), 2.8, note=note, gap_in=0.72 if square else 1.0)
    rows: list[list[tuple[str, list[Value | None]]]] = []
    for one in series:
        lookup = by_value(one, "block")
        groups: list[tuple[str, list[Value | None]]] = []
        for block in blocks:
            row = [lookup.get(shape, {}).get(block) for shape in shapes]
            groups.append((f"block {block}", [(case.gflop_per_s, *(case.gflop_ci95 or (None, None))) if case else None
                                              for case in row]))
        rows.append(groups)
    log = layout.needs_log([value[0] for groups in rows for _, row in groups for value in row if value])
    for axes, one, groups in zip(all_axes, series, rows):
        grouped(axes, layout.shape_ticks(shapes), groups, log)
        axes.set_title(one.name)
        axes.set_ylabel("GFLOP/s")
    layout.share_range(all_axes)
    all_axes[-1].set_xlabel("size m = n = k" if square else "shape m×n×k")
    return drawn
