"""One warp's load from shared memory, with and without conflicts: banks to the right, passes upwards, the lanes that each serves."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator

from report.explain.lessons import banks_finding, columns_of, emulated, has_lessons, source_text
from report.explain.patterns import Pattern, twins
from report.explain.work import SHARED as SHARED_MEMORY
from report.kind import FigureKind
from report.language import say
from report.operations import GEMM
from report.view import View

from . import layout
from .lessons import SHARED, USED, no_patterns, panel_title

PANEL_IN, BANKS, APART = 2.9, 32, 0.08  # the last: of the figure's width, between the panels


def _draw(axes: Axes, pattern: Pattern, most: int) -> None:
    """A cell per lane, or lanes that share a word, at its bank and pass."""
    for bank, passes in columns_of(pattern).items():
        for turn, lanes in enumerate(passes):
            axes.add_patch(Rectangle((bank + 0.06, turn + 0.06), 0.88, 0.88, facecolor=SHARED if len(passes) > 1 else USED, linewidth=0))
            axes.text(bank + 0.5, turn + 0.47, str(lanes[0]), ha="center", va="center", fontsize=3.6, color="white")
    axes.set_xlim(0, BANKS)
    axes.set_ylim(0, max(most, 1))
    axes.xaxis.set_major_locator(FixedLocator([0.5, 8.5, 16.5, 24.5, 31.5]))
    axes.set_xticklabels(["0", "8", "16", "24", "31"])
    axes.yaxis.set_major_locator(FixedLocator([turn - 0.5 for turn in (1, *range(8, most + 1, 8)) if turn <= most]))
    axes.set_yticklabels([str(turn) for turn in (1, *range(8, most + 1, 8)) if turn <= most])
    axes.set_xlabel(say("bank of shared memory"))
    panel_title(axes, pattern, above=0.06)


def figure(view: View) -> Figure | str:
    pair = twins(SHARED_MEMORY)
    if pair is None:
        return no_patterns()
    note = say("A cell is a lane of the warp, by its number; each bank serves one cell per pass, so the height is the time of the load.")
    drawn, (whole,) = layout.figure_with(emulated(view), 1, PANEL_IN, note=note, title=banks_finding(view), counts=source_text(view),
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


def described(view: View) -> str:
    return say("Two panels of one warp's 32 lanes by the bank that each wants and the pass that serves it. {finding}.",
               finding=banks_finding(view))


KIND = FigureKind(
    title="bank conflicts: the passes of one load",
    about="the banks that one warp's load from shared memory wants, and the passes it takes, from emulated addresses",
    of=GEMM,
    has=has_lessons,
    figure=figure,
    part=emulated,
    counts_text=source_text,
    finding=banks_finding,
    described=described,
    explains=True)
