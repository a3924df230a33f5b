"""GFLOP/s by block size: a group of bars a shape, a panel an implementation."""

from __future__ import annotations

from matplotlib.figure import Figure

from report.kind import FigureKind
from report.language import say
from report.naming import look_of
from report.tables import sentences
from report.view import View

from . import layout, style
from .blocks import Blocks, blocks_of
from .charts import Value, grouped
from .looks import apart

MOST_SHAPES = 10


def _names(found: Blocks) -> list[str]:
    return [say("parameter.block", value=block) for block in found.blocks]


def figure(view: View) -> Figure | str:
    """Bars from zero; dots on a logarithmic axis where the values span more than 50 times."""
    found = blocks_of(view, MOST_SHAPES, style.MOST_LINES)
    if found is None:
        return say("plot.no_blocks")
    note = sentences(say("plot.error_median"), found.note)
    drawn, all_axes = layout.figure_with(view, len(found.series), 2.8, note=note, gap_in=0.72 if found.square else 1.0)
    rows: list[list[tuple[str, list[Value | None]]]] = []
    for one in found.series:
        values = [[(case.gflop_per_s, *(case.gflop_ci95 or (None, None))) if case else None for case in row]
                  for row in found.cases(one)]
        rows.append([(name, [row[column] for row in values]) for column, name in enumerate(_names(found))])
    log = layout.needs_log([value[0] for groups in rows for _, row in groups for value in row if value])
    for axes, one, groups in zip(all_axes, found.series, rows):
        looks = apart(look_of(one.first.implementation, {"block": block}) for block in found.blocks)
        grouped(axes, layout.shape_ticks(found.shapes), groups, log, looks)
        axes.set_title(one.name)
        axes.set_ylabel("GFLOP/s")
    layout.share_range(all_axes)
    all_axes[-1].set_xlabel(found.shape_label)
    return drawn


KIND = FigureKind(
    title="block size",
    about="GFLOP/s by block size, a group of bars a shape",
    has=lambda case: "block" in case.parameters,
    figure=figure)
