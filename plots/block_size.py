"""Which block is the best, and why: GFLOP/s against size with a line per block, and beside it each
block's gain over the next smaller one at the largest size, with the counters that moved. A row per
implementation."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.ladder.block_steps import (
    BlockSteps,
    Row,
    block_steps,
    counted_text,
    described,
    finding,
    left_out_text,
)
from analysis.tables.kind import FigureKind
from analysis.tables.tables import sentences
from language import say
from records.cases.case import Case
from records.cases.series import by_value, shapes_of
from records.names.naming import colour_of
from records.names.numbers import counted, ends_of, plain
from records.schema.operations import GEMM, shape_text
from records.view import View

from .drawing import layout, style
from .drawing.beside import bare, beside, shades
from .drawing.charts import MISSING, MOST_SIZES, Value, error_ends, size_axis

MOST_ROWS = 3
RIGHT_IN, NEXT_IN = 4.0, 4.5  # where the lines end before the edge, and where the bars begin
BAR_IN, LINE_IN, GAP_IN = 0.2, 0.125, 0.16
LEAST_IN = 2.3
BAR_SHARE = 0.44  # of the bars' panel that the longest takes: the rest is for its number
INK = "#222222"


def figure(view: View) -> Figure | str:
    """Error bars are 95 % intervals; the bars start at zero."""
    every = block_steps(view)
    if not every:
        return say("No point with a block size has a number that may be shown.")
    rows = every[:MOST_ROWS]
    note = sentences(say("Error bars: 95 % interval of the median."), counted_text(view, rows),
                     left_out_text(every, len(rows)), _thinned_text(rows))
    panel_in = max(LEAST_IN, *(sum(map(_height, steps.rows)) for steps in rows))
    drawn, all_axes = layout.figure_with(view, len(rows), panel_in, title=finding(view), note=note,
                                         left_in=0.7, right_in=RIGHT_IN)
    for axes, steps in zip(all_axes, rows):
        colours = _colours(steps)
        _lines(axes, steps, colours)
        _bars(beside(axes, NEXT_IN), steps, colours, panel_in)
    return drawn


def _colours(steps: BlockSteps) -> list[str]:
    """Each block's own where all differ, else shades of the implementation's."""
    own = [colour_of(row.case) for row in steps.rows]
    return own if len(set(own)) == len(own) else shades(own[-1], len(own))


def _thinned_text(every: list[BlockSteps]) -> str:
    """That not all sizes are drawn."""
    most = max(len(shapes_of(steps.series.cases)) for steps in every)
    return say("{count} of {all} drawn: see the table.", count=MOST_SIZES,
               all=counted(most, "size")) if most > MOST_SIZES else ""


def _height(row: Row) -> float:
    """Inches of a bar with its reasons below it."""
    return BAR_IN + LINE_IN * len(row.reasons) + GAP_IN


def _value(case: Case) -> Value:
    return case.rate, *ends_of(case.rate_ci95)


def _lines(axes: Axes, steps: BlockSteps, colours: list[str]) -> None:
    lookup = by_value(steps.series, "block")
    axis = size_axis(list(steps.series.cases))
    shapes = layout.thinned([shape for shape in shapes_of(steps.series.cases)
                             if axis.has(next(iter(lookup[shape].values())))], MOST_SIZES)
    ends = []
    for place, (row, colour) in enumerate(zip(steps.rows, colours)):
        cases = [lookup[shape].get(row.block) for shape in shapes]
        xs = [axis.place(next(iter(lookup[shape].values()))) for shape in shapes]
        values = [_value(case) if case else MISSING for case in cases]
        axes.errorbar(xs, [value for value, *_ in values], yerr=error_ends(values), color=colour,
                      marker=style.MARKERS[place % style.MOST_LINES], capsize=2, elinewidth=0.9)
        last = max((index for index, case in enumerate(cases) if case), default=None)
        if last is not None:
            # a light shade could not be read
            ends.append((steps.short(row.block), xs[last], values[last][0], INK))
    layout.size_ticks(axes,
                      sorted({axis.place(next(iter(lookup[shape].values()))) for shape in shapes}))
    if layout.needs_log([case.rate for case in steps.series.cases]):
        axes.set_yscale("log")
    else:
        axes.set_ylim(0, axes.get_ylim()[1] * 1.03)
    layout.number_ticks(axes.yaxis)
    axes.set_ylabel("GFLOP/s")
    axes.set_xlabel(axis.label)
    axes.set_title(say("{name}, by block", name=steps.series.name))
    layout.label_ends(axes, ends)


def _bars(axes: Axes, steps: BlockSteps, colours: list[str], panel_in: float) -> None:
    """A bar per block, the smallest on top, in inches from the panel's upper edge."""
    most = max((_value(row.case)[2] or row.case.rate) for row in steps.rows)
    room = (panel_in - sum(map(_height, steps.rows))) / max(len(steps.rows), 1)
    axes.set_ylim(panel_in, 0)
    axes.set_xlim(0, most / BAR_SHARE)
    top, ticks = room / 2, []
    for place, (row, colour) in enumerate(zip(steps.rows, colours)):
        middle = top + BAR_IN / 2
        value = _value(row.case)
        axes.barh(middle, value[0], BAR_IN, color=colour, edgecolor="white", linewidth=0.4)
        axes.errorbar([value[0]], [middle], xerr=error_ends([value]), linestyle="none",
                      color="#222222", capsize=2, elinewidth=0.9)
        axes.annotate(_number(steps, place), (max(value[0], value[2] or 0), middle), xytext=(5, 0),
                      textcoords="offset points", va="center", fontsize=8, annotation_clip=False)
        for line, reason in enumerate(row.reasons):
            axes.text(0, top + BAR_IN + LINE_IN * (line + 0.62), reason.text, fontsize=7,
                      color=style.GREY, va="center")
        ticks.append((middle, steps.short(row.block)))
        top += _height(row) + room
    axes.set_yticks([middle for middle, _ in ticks], [name for _, name in ticks])
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.grid(visible=False)
    bare(axes)
    axes.set_title(say("GFLOP/s at {shape}", shape=shape_text(*steps.shape)))


def _number(steps: BlockSteps, place: int) -> str:
    """"8,955, 1.11 times 16×16"."""
    row = steps.rows[place]
    rate = plain(row.case.rate)
    if row.gain is None:
        return rate
    below = steps.short(steps.rows[place - 1].block)
    if row.gain.undecided:
        return say("{rate}, not resolved", rate=rate)
    if row.gain.tie:
        return say("{rate}, level with {block}", rate=rate, block=below)
    return say("{rate}, {times} times {block}", rate=rate, times=plain(row.gain.value), block=below)


KIND = FigureKind(title="block size",
                  about="which block is best and why: GFLOP/s against size, and what each block "
                  "gains over the next smaller",
                  of=GEMM,
                  has=lambda case: "block" in case.parameters,
                  figure=figure,
                  finding=finding,
                  described=described)
