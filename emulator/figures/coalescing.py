"""One warp's addresses of one load, scattered and side by side: lanes above, the sectors of 32
bytes that they touch below."""

from __future__ import annotations

from math import nan

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

from analysis.tables.kind import FigureKind
from emulator.counts.work import GLOBAL, SECTOR
from emulator.explain.lessons import coalescing_finding, emulated, source_text
from emulator.explain.patterns import Pattern, twins
from language import say
from plots.drawing import layout, style
from records.names.numbers import plain
from records.view import View

from ._lessons import USED, WASTED, lesson, no_patterns, panel_title

PANEL_IN, LANES, NUMBERED = 1.25, 32, 9
# of the lanes, of the sectors' upper and lower edge, beside a sector
LANE_Y, TOP, BOTTOM, EDGE = 1.0, 0.32, 0.0, 0.04


def _boxes(axes: Axes, boxes: list[tuple[float, float]], **how: object) -> None:
    """As one shape: (left, width) of each."""
    axes.add_patch(PathPatch(Path.make_compound_path(*(Path.unit_rectangle().transformed(
        Affine2D().scale(width, TOP - BOTTOM).translate(left, BOTTOM)) for left, width in boxes)),
        **how))


def _draw(axes: Axes, pattern: Pattern) -> None:
    """A box per sector, as wide for each panel; what of it the lanes use is filled."""
    used: dict[int, set[int]] = {}
    for address in pattern.addresses:
        for byte in range(address, address + pattern.site.bytes):
            used.setdefault(byte // SECTOR, set()).add(byte % SECTOR)
    places = {sector: n + EDGE for n, sector in enumerate(sorted(used))}
    inside, width = 1 - 2 * EDGE, (1 - 2 * EDGE) * pattern.site.bytes / SECTOR
    lefts = [places[address // SECTOR] + inside * (address % SECTOR) / SECTOR
             for address in pattern.addresses]
    _boxes(axes, [(place, inside) for place in places.values()], facecolor=WASTED,
           edgecolor=style.GREY, linewidth=0.5)
    _boxes(axes, [(left, width) for left in lefts], facecolor=USED, linewidth=0)
    ends = [(lane + 0.5, left + width / 2, nan) for lane, left in enumerate(lefts)]
    axes.plot([x for three in ends for x in three], [LANE_Y - 0.06, TOP, nan] * len(ends),
              color=USED, linewidth=0.6, alpha=0.7)
    for sector in layout.thinned(list(places), NUMBERED):
        axes.text(places[sector] + inside / 2, BOTTOM - 0.03, f"{sector * SECTOR:,}", fontsize=6,
                  color=style.GREY, ha="center", va="top")
    axes.plot([lane + 0.5 for lane in range(LANES)], [LANE_Y] * LANES, "o", markersize=3,
              color="#222222")
    told = say("{sectors} sectors, {moved} bytes moved, {used} of them used",
               sectors=plain(pattern.amount, 0), moved=f"{len(used) * SECTOR:,}",
               used=sum(map(len, used.values())))
    axes.text(0, -0.24, told, fontsize=8, color="#222222", va="top")
    axes.text(LANES, -0.24, say("sectors of 32 bytes, by their first byte in the array; blue: what "
                                "the lanes use"),
              fontsize=7, color=style.GREY, ha="right", va="top")
    axes.text(0, LANE_Y + 0.08, say("lane {lane}", lane=0), fontsize=7,
              color=style.GREY, va="bottom")
    axes.text(LANES, LANE_Y + 0.08, say("lane {lane}", lane=LANES - 1), fontsize=7,
              color=style.GREY, va="bottom", ha="right")
    axes.set_xlim(0, LANES)
    axes.set_ylim(-0.05, LANE_Y + 0.1)
    axes.set_axis_off()
    panel_title(axes, pattern, above=0.24)


def figure(view: View) -> Figure | str:
    pair = twins(GLOBAL)
    if pair is None:
        return no_patterns()
    drawn, panels = layout.figure_with(emulated(view), 2, PANEL_IN, title=coalescing_finding(view),
                                       counts=source_text(view), left_in=0.2, right_in=0.2,
                                       above_in=0.4, gap_in=0.65)
    for axes, pattern in zip(panels, pair):
        _draw(axes, pattern)
    return drawn


KIND = FigureKind(always=2, **lesson(
    figure, coalescing_finding, "coalescing: the sectors of one load",
    about="the sectors that one warp's load touches, scattered and side by side, from emulated "
    "addresses",
    picture="Two panels of one warp's 32 lanes and the sectors of memory that one load touches."))
