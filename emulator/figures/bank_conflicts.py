"""One warp's load from shared memory, with and without conflicts: banks to the right, passes
upwards, the lanes that each serves."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.ticker import FixedLocator
from matplotlib.transforms import Affine2D

from analysis.tables.kind import FigureKind
from emulator.counts.work import SHARED as SHARED_MEMORY
from emulator.explain.lessons import banks_finding, columns_of, emulated, source_text
from emulator.explain.patterns import Pattern, twins
from language import say
from plots.drawing import layout
from records.view import View

from ._lessons import INK, SHARED, USED, lesson, no_patterns, panel_title

PANEL_IN, BANKS, EDGE, NAMED = 2.9, 32, 0.06, 5
APART = 0.08  # of the figure's width, between the panels


def _draw(axes: Axes, pattern: Pattern, most: int) -> None:
    """A cell per lane, or lanes that share a word, at its bank and pass."""
    cells = [(bank, turn, lanes[0]) for bank, passes in columns_of(pattern).items()
             for turn, lanes in enumerate(passes)]
    stacked = any(turn for _, turn, _ in cells)
    square = Path.unit_rectangle().transformed(Affine2D().scale(1 - 2 * EDGE))
    axes.add_patch(PathPatch(Path.make_compound_path(*(square.transformed(
        Affine2D().translate(bank + EDGE, turn + EDGE)) for bank, turn, _ in cells)),
        facecolor=SHARED if stacked else USED, linewidth=0))
    for bank, turn, lane in layout.thinned(cells, NAMED):
        axes.annotate(say("lane {lane}", lane=lane), (bank + 0.5, turn + 0.5), xytext=(5, 0)
                      if stacked else (0, 5), textcoords="offset points", fontsize=6.5, color=INK,
                      va="center" if stacked else "bottom", ha="left" if stacked else "center")
    axes.set_xlim(0, BANKS)
    axes.set_ylim(0, max(most, 1))
    axes.xaxis.set_major_locator(FixedLocator([0.5, 8.5, 16.5, 24.5, 31.5]))
    axes.set_xticklabels(["0", "8", "16", "24", "31"])
    axes.yaxis.set_major_locator(FixedLocator([turn - 0.5 for turn in (1, *range(8, most + 1, 8))
                                               if turn <= most]))
    axes.set_yticklabels([str(turn) for turn in (1, *range(8, most + 1, 8)) if turn <= most])
    axes.set_xlabel(say("bank of shared memory"))
    panel_title(axes, pattern, above=0.06)


def figure(view: View) -> Figure | str:
    pair = twins(SHARED_MEMORY)
    if pair is None:
        return no_patterns()
    note = say("A cell is a lane of the warp; each bank serves one cell per pass, so the height is "
               "the time of the load.")
    drawn, (whole,) = layout.figure_with(emulated(view), 1, PANEL_IN, note=note,
                                         title=banks_finding(view), counts=source_text(view),
                                         left_in=0.6, right_in=0.2, above_in=0.2)
    box = whole.get_position()
    whole.remove()
    most = max(len(passes) for pattern in pair for passes in columns_of(pattern).values())
    width = (box.width - APART) / 2
    for n, pattern in enumerate(pair):
        axes = drawn.add_axes((box.x0 + n * (width + APART), box.y0, width, box.height))
        _draw(axes, pattern, most)
        if not n:
            axes.set_ylabel(say("pass"))
    return drawn


KIND = FigureKind(always=3, **lesson(
    figure, banks_finding, "bank conflicts: the passes of one load",
    about="the banks that one warp's load from shared memory wants, and the passes it takes, from "
    "emulated addresses",
    picture="Two panels of one warp's 32 lanes by the bank that each wants and the pass that "
    "serves it."))
