"""Where the time goes: kernel, launch and wait, copies and allocation as shares of the whole, a bar
per size and kind of host memory, with the time of the whole beside it."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from analysis.memory.transfers import PARTS, Shares, part_name, transfer_shares
from analysis.memory.transfers import transfers_described as described
from analysis.memory.transfers import transfers_finding as finding
from analysis.tables.kind import FigureKind
from analysis.tables.tables import sentences
from language import recorded, say
from records.cases.series import shapes_of
from records.names.numbers import time_unit, with_interval
from records.schema.operations import GEMM, shape_text
from records.view import View

from .drawing import layout
from .drawing.beside import bare
from .drawing.svg import ON_COLOUR

MOST_SHAPES = 12
BAR_IN, GROUP_IN = 0.23, 0.12
LEFT_IN, RIGHT_IN = 1.45, 1.75
LEAST_WRITTEN = 0.06  # share whose number fits into its part
# Colour, hatch, and what is written on it: on grey, which the dark page darkens, the text is the
# page's own.
LOOKS = {"kernel": ("#0072B2", "", ON_COLOUR[0]), "launch": ("#000000", "", "#ffffff"),
         "copies": ("#E69F00", "", ON_COLOUR[1]), "allocation": ("#cccccc", "///", "#000000")}


def figure(view: View) -> Figure | str:
    """Small shapes on top; the upper bar of a shape is pinned memory, the lower pageable."""
    every = transfer_shares(view)
    if not every:
        return say("No kernel was measured alone, with its launch and with its transfers, so that "
                   "no shares can be formed.")
    shapes = shapes_of(one.whole for one in every)
    kept = layout.thinned(shapes, MOST_SHAPES)
    found = [one for one in every if one.shape in kept]
    note = sentences(say("Parts are differences of the medians of kernel, call and end-to-end of "
                         "one run; right: the whole with the 95 % interval of its median."),
                     say("{count} of {all} drawn: see the table.", count=len(kept),
                         all=len(shapes)) if len(kept) < len(shapes) else "")
    drawn, (axes,) = layout.figure_with(view, 1, BAR_IN * len(found) + GROUP_IN * len(kept),
                                        title=finding(view), left_in=LEFT_IN, right_in=RIGHT_IN,
                                        note=note, above_in=0.05)
    _bars(axes, found)
    return drawn


def _bars(axes: Axes, found: list[Shares]) -> None:
    ticks, groups, y, before = [], [], 0.0, None
    for one in found:
        y += GROUP_IN if one.shape != before else 0
        middle = y + BAR_IN / 2
        if one.shape != before:
            groups.append((middle, shape_text(*one.shape)))
        ticks.append((middle, recorded(one.memory)))
        _bar(axes, one, middle)
        y, before = y + BAR_IN, one.shape
    axes.set_xlim(0, 1)
    axes.set_ylim(y, 0)
    axes.set_yticks([middle for middle, _ in ticks], [name for _, name in ticks])
    for middle, name in groups:
        axes.annotate(name.replace("×", "\n×"), (0, middle), xycoords=axes.get_yaxis_transform(),
                      xytext=(-60, 0), va="center", textcoords="offset points", ha="right",
                      fontsize=8, fontweight="bold", annotation_clip=False)
    bare(axes)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.0f} %"))
    axes.set_xlabel(say("share of the time of one multiplication"))
    there = [part for part in PARTS if any(part in one.parts for one in found)]
    handles = [axes.barh(0, 0, color=LOOKS[part][0], hatch=LOOKS[part][1], edgecolor="white")
               for part in there]
    axes.legend(handles, [part_name(part) for part in there], loc="lower left",
                bbox_to_anchor=(0, 1.0), ncols=len(there), borderaxespad=0.2, handlelength=1.2,
                columnspacing=1.2)


def _bar(axes: Axes, one: Shares, middle: float) -> None:
    start = 0.0
    for part in one.parts:
        colour, hatch, written = LOOKS[part]
        share = one.share(part)
        axes.barh(middle, share, BAR_IN * 0.86, left=start, color=colour, hatch=hatch,
                  edgecolor="white", linewidth=0.4)
        if share >= LEAST_WRITTEN:
            axes.text(start + share / 2, middle, f"{100 * share:.0f} %",
                      ha="center", va="center", fontsize=7.5, color=written,
                      bbox={"facecolor": colour, "edgecolor": "none", "pad": 1} if hatch else None)
        start += share
    scale, unit = time_unit(one.whole.median_s)
    ends = one.whole.ci95_s
    low, high = (end / scale for end in ends) if ends else (None, None)
    axes.annotate(with_interval(one.whole.median_s / scale, low, high, unit), (1, middle),
                  xytext=(6, 0), va="center", textcoords="offset points", fontsize=7.5,
                  annotation_clip=False)


KIND = FigureKind(title="where the time goes",
                  about="kernel, launch, copies and allocation as shares of the time, from the "
                  "scopes `kernel`, `call` and `end-to-end`",
                  of=GEMM,
                  has=lambda case: case.device == "gpu",
                  figure=figure,
                  finding=finding,
                  described=described)
