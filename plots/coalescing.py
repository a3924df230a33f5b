"""One warp's addresses of one load, scattered and side by side: lanes above, the sectors of 32 bytes that they touch below."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from report.explain.lessons import coalescing_finding, emulated, has_lessons, source_text
from report.explain.patterns import Pattern, twins
from report.explain.work import GLOBAL, SECTOR
from report.kind import FigureKind
from report.language import say
from report.numbers import plain
from report.operations import GEMM
from report.view import View

from . import layout, style
from .lessons import USED, WASTED, no_patterns, panel_title

PANEL_IN, LANES, NUMBERED = 1.25, 32, 9
LANE_Y, TOP, BOTTOM = 1.0, 0.32, 0.0  # of the lanes, of the sectors' upper and lower edge


def _draw(axes: Axes, pattern: Pattern) -> None:
    """A box per sector, as wide for each panel; what of it the lanes use is filled."""
    used: dict[int, set[int]] = {}
    for address in pattern.addresses:
        for byte in range(address, address + pattern.site.bytes):
            used.setdefault(byte // SECTOR, set()).add(byte % SECTOR)
    places = {sector: float(n) for n, sector in enumerate(sorted(used))}
    lines = []
    for lane, address in enumerate(pattern.addresses):
        left = places[address // SECTOR] + 0.04 + 0.92 * (address % SECTOR) / SECTOR
        width = 0.92 * pattern.site.bytes / SECTOR
        lines.append([(lane + 0.5, LANE_Y - 0.06), (left + width / 2, TOP)])
        axes.add_patch(Rectangle((left, BOTTOM), width, TOP - BOTTOM, facecolor=USED, linewidth=0, zorder=2))
    for place in places.values():
        axes.add_patch(Rectangle((place + 0.04, BOTTOM), 0.92, TOP - BOTTOM, facecolor=WASTED, edgecolor=style.GREY, linewidth=0.5))
    for sector in layout.thinned(list(places), NUMBERED):
        axes.text(places[sector] + 0.5, BOTTOM - 0.03, f"{sector * SECTOR:,}", fontsize=6, color=style.GREY, ha="center", va="top")
    axes.add_collection(LineCollection(lines, colors=USED, linewidths=0.6, alpha=0.7))
    axes.plot([lane + 0.5 for lane in range(LANES)], [LANE_Y] * LANES, "o", markersize=3, color="#222222")
    told = say("{sectors} sectors, {moved} bytes moved, {used} of them used", sectors=plain(pattern.amount, 0),
               moved=f"{len(used) * SECTOR:,}", used=sum(map(len, used.values())))
    axes.text(0, -0.24, told, fontsize=8, color="#222222", va="top")
    axes.text(LANES, -0.24, say("sectors of 32 bytes, by their first byte in the array; blue: what the lanes use"), fontsize=7, color=style.GREY, ha="right",
              va="top")
    axes.text(0, LANE_Y + 0.08, say("lane {lane}", lane=0), fontsize=7, color=style.GREY, va="bottom")
    axes.text(LANES, LANE_Y + 0.08, say("lane {lane}", lane=LANES - 1), fontsize=7, color=style.GREY, va="bottom", ha="right")
    axes.set_xlim(0, LANES)
    axes.set_ylim(-0.05, LANE_Y + 0.1)
    axes.set_axis_off()
    panel_title(axes, pattern, above=0.24)


def figure(view: View) -> Figure | str:
    pair = twins(GLOBAL)
    if pair is None:
        return no_patterns()
    drawn, panels = layout.figure_with(emulated(view), 2, PANEL_IN, title=coalescing_finding(view), counts=source_text(view), left_in=0.2,
                                       right_in=0.2, above_in=0.4, gap_in=0.65)
    for axes, pattern in zip(panels, pair):
        _draw(axes, pattern)
    return drawn


def described(view: View) -> str:
    return say("Two panels of one warp's 32 lanes and the sectors of memory that one load touches. {finding}.",
               finding=coalescing_finding(view))


KIND = FigureKind(
    title="coalescing: the sectors of one load",
    about="the sectors that one warp's load touches, scattered and side by side, from emulated addresses",
    of=GEMM,
    has=has_lessons,
    figure=figure,
    part=emulated,
    counts_text=source_text,
    finding=coalescing_finding,
    described=described,
    explains=True)
