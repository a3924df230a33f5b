"""GFLOP/s as colour over shape and block size, with the numbers written in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.ladder.block_steps import described, finding
from analysis.ladder.parameter_sentences import by_parameter
from analysis.ladder.sweeps import block_finding
from analysis.tables.kind import FigureKind
from analysis.tables.tables import sentences
from language import say
from records.cases.case import Case
from records.cases.series import Series, Shape, by_value, having, series_of, shapes_of, values_of
from records.names.numbers import DASH, counted, plain
from records.schema.operations import GEMM, is_square, shape_text
from records.view import View

from .drawing import layout
from .drawing.svg import ON_COLOUR


@dataclass(frozen=True)
class Blocks:
    """A panel for each of `series`, over `shapes` and `blocks`; `note` says what is not drawn."""

    series: list[Series]
    shapes: list[Shape]
    blocks: list[Any]
    note: str

    @property
    def square(self) -> bool:
        return all(map(is_square, self.shapes))

    @property
    def shape_label(self) -> str:
        return say("size m = n = k" if self.square else "shape m×n×k")

    def cases(self, series: Series) -> list[list[Case | None]]:
        """A row per shape, a column per block; None where there is no number."""
        lookup = by_value(series, "block")
        return [[lookup.get(shape, {}).get(block) for block in self.blocks]
                for shape in self.shapes]


def blocks_of(view: View, most_shapes: int, most_blocks: int) -> Blocks | None:
    """The shown points with a block size, thinned evenly; None where there is none."""
    cases = [case for case in having(view.cases, "block") if case.shown]
    if not cases:
        return None
    series, shapes = series_of(cases, without="block"), shapes_of(cases)
    blocks = values_of(cases, "block")
    drawn = Blocks(series[:layout.MOST_PANELS], layout.thinned(shapes, most_shapes),
                   layout.thinned(blocks, most_blocks), "")
    counts = ((len(drawn.series), len(series), "implementation"),
              (len(drawn.shapes), len(shapes), "shape"),
              (len(drawn.blocks), len(blocks), "block size"))
    return replace(drawn,
                   note=sentences(*(say("{count} of {all} drawn: see the table.", count=some,
                                        all=counted(every, thing))
                                           for some, every, thing in counts if some < every)))


MOST_ROWS = 16
MOST_COLUMNS = 12


def figure(view: View) -> Figure | str:
    """A panel per implementation; dark is slow in grey as well. One colour scale for all panels."""
    found = blocks_of(view, MOST_ROWS, MOST_COLUMNS)
    if found is None:
        return say("No point with a block size has a number that may be shown.")
    note = sentences(say("{dash}: no number that may be shown.", dash=DASH), found.note)
    drawn, all_axes = layout.figure_with(view, len(found.series),
                                         max(1.2, 0.34 * len(found.shapes)), note=note,
                                         title=finding(view), right_in=1.1, left_in=1.0)
    top = max(case.rate for one in found.series for case in one.cases)
    for axes, one in zip(all_axes, found.series):
        image = _panel(axes, one, found, top)
    all_axes[-1].set_xlabel(say("block", context="axis"))
    box = all_axes[0].get_position()
    bar = drawn.add_axes((box.x1 + 0.03, box.y0, 0.02, box.height))
    drawn.colorbar(image, cax=bar, label="GFLOP/s")
    bar.grid(False)
    return drawn


def _panel(axes: Axes, series: Series, found: Blocks, top: float):
    shapes, blocks = found.shapes, found.blocks
    values = numpy.full((len(shapes), len(blocks)), numpy.nan)
    for row, cases in enumerate(found.cases(series)):
        for column, case in enumerate(cases):
            if case is not None:
                values[row, column] = case.rate
            text = plain(case.rate) if case is not None else DASH
            dark = case is not None and case.rate < 0.55 * top
            axes.text(column, row, text, ha="center", va="center",
                      color=ON_COLOUR[not dark], fontsize=8)
    axes.grid(False)
    image = axes.pcolormesh(numpy.arange(len(blocks) + 1) - 0.5,
                            numpy.arange(len(shapes) + 1) - 0.5, numpy.ma.masked_invalid(values),
                            cmap="cividis", vmin=0, vmax=top, edgecolors="white", linewidth=0.8)
    axes.set_xlim(-0.5, len(blocks) - 0.5)
    axes.set_ylim(len(shapes) - 0.5, -0.5)
    axes.set_xticks(range(len(blocks)), [str(block) for block in blocks])
    axes.set_yticks(range(len(shapes)), [shape_text(*shape) for shape in shapes])
    axes.tick_params(length=0)
    axes.set_title(series.name)
    axes.set_ylabel(found.shape_label)
    return image

KIND = FigureKind(
    title="block size and shape",
    about="GFLOP/s as colour over shape and block size",
    of=GEMM,
    has=lambda case: "block" in case.parameters,
    figure=figure,
    finding=finding,
    described=described,
    heads=(lambda section: block_finding(section.view, section.counted),),
    before=10,
    says=lambda section: by_parameter(section.view, "block"))
