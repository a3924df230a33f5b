"""GFLOP/s over operations per byte, under the roofs of arithmetic, L1, L2 and DRAM: a panel per
device, both axes logarithmic.

An implementation that was profiled is a row of markers, one a level at the bytes counted there;
that of the roof that binds it is filled. One that was not has a single hollow diamond at its
nominal bytes.
"""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.typing import LineStyleType

from analysis.counters.roof_points import (
    COMPUTE,
    FIRST,
    Placed,
    Roofs,
    level_name,
    placed,
    roofs_of,
)
from analysis.counters.roof_points import roofline_described as described
from analysis.counters.roof_points import roofline_finding as finding
from analysis.counters.roofline import points
from analysis.tables.kind import FigureKind
from analysis.tables.tables import sentences
from language import say
from records.names.numbers import counted, percent, plain
from records.schema.operations import GEMM, shape_text
from records.view import View

from .drawing import layout, style

MOST_DRAWN = 24
PANEL_IN, LINE_IN, RIGHT_IN, LEGEND_IN = 3.3, 0.165, 2.8, 0.175
LEGEND_COLUMNS = 2
BROKEN, INK, FAINT = "#C00000", "#222222", "#cccccc"
PEAK_LINES: tuple[LineStyleType, ...] = ("-", (0, (9, 2, 1, 2, 1, 2)))
# Colour, dashes and marker of each level; levels differ in all three, so that they do in grey, too.
LOOKS: dict[str, tuple[str, LineStyleType, str]] = {
    FIRST: ("#E69F00", (0, (7, 2)), "o"), "l2": ("#0072B2", (0, (3, 1.5)), "s"),
    "l3": ("#009E73", (0, (4, 1, 1, 1)), "v"), "dram": ("#D55E00", (0, (1, 1)), "^")}
OTHER_LOOK: tuple[str, LineStyleType, str] = (style.GREY, (0, (1, 3)), "D")


def _devices(view: View) -> list[str]:
    """Those with points and roofs."""
    return [device for device in ("cpu", "gpu") if any(case.device == device for case in view.shown)
            and (roofs_of(view, device).peaks or roofs_of(view, device).bandwidths)]


def counts_text(view: View) -> str:
    """"6 lines, each at its largest shape: 6 of 9 points drawn." and what is left out, here or for
    want of a number."""
    every = sum(len(points(view, device)) for device in _devices(view))
    drawn = sum(min(len(placed(view, device)), MOST_DRAWN) for device in _devices(view))
    count = counted(drawn, "line") if drawn == every else say("{drawn} of {lines}", drawn=drawn,
        lines=counted(every, "line"))
    points_there = counted(len(view.cases) + len(view.absent), "point")
    return sentences(say("{lines}, each at its largest shape: {drawn} of {points} drawn.",
                         lines=count, drawn=drawn, points=points_there),
                     say("Each implementation with its fastest parameters.")
                     if every > drawn else "",
                     view.left_out_text() if view.left_out else "")


def figure(view: View) -> Figure | str:
    """At the right each line's GFLOP/s and the largest share of a roof that it uses."""
    devices = _devices(view)
    if not devices:
        return say("No ceiling was measured in this run, so there is no roof to draw under.")
    found = {device: placed(view, device)[:MOST_DRAWN] for device in devices}
    roofs = {device: roofs_of(view, device) for device in devices}
    every = [point for of in found.values() for point in of]
    note = sentences(
        say("x: operations over the bytes that ncu counted at each level; filled: the roof that "
            "binds.") if any(point.intensity for point in every) else "",
        say("Hollow diamonds: nothing was counted; nominal bytes, which its own blocking must "
            "move, else A, B and C once: above a roof, a nearer cache serves it.")
        if any(point.nominal for point in every) else "",
        say("The roof of L1 is not measured: 128 bytes per cycle and SM, at the clock of the "
            "points.") if any(of.first for of in roofs.values()) else "",
        say("“?”: share of a ceiling that is not trusted.")
        if any(not point.case.share_trusted for point in every) else "",
        say("Ringed and marked “!”: above its roof, a broken measurement of the point or of the "
            "roof.") if any(point.broken for point in every) else "")
    legend = -(-max(len(of.peaks) + len(of.slopes)
                    for of in roofs.values()) // LEGEND_COLUMNS) * LEGEND_IN
    drawn, all_axes = layout.figure_with(
        view, len(devices), [max(PANEL_IN, LINE_IN * (len(found[device]) + 1))
                             for device in devices], title=finding(view), note=note,
        right_in=RIGHT_IN, left_in=0.75, counts=counts_text(view), above_in=legend)
    for axes, device in zip(all_axes, devices):
        _panel(axes, found[device], roofs[device])
        axes.set_title(say("{device}, each at its largest shape", device=device.upper()),
                       pad=6 + 72 * legend)
    all_axes[-1].set_xlabel(say("floating-point operations per byte"))
    return drawn


def _panel(axes: Axes, found: list[Placed], roofs: Roofs) -> None:
    _limits(axes, found, roofs)
    _draw_roofs(axes, roofs)
    right = axes.get_xlim()[1]
    for point in found:
        rate, xs = point.case.rate, [x for x in (*point.intensity.values(), point.nominal) if x]
        axes.plot([min(xs), right], [rate, rate], color=FAINT, linewidth=0.7, zorder=1.5)
        for level, x in point.intensity.items():
            colour, _, marker = LOOKS.get(level, OTHER_LOOK)
            axes.plot([x], [rate], linestyle="none", marker=marker,
                      markersize=5.5, color=colour, markeredgewidth=1.2, zorder=3,
                      markerfacecolor=colour if level == point.binding else "white")
        if not point.intensity:
            axes.plot(xs, [rate], linestyle="none", marker="D", markersize=5, color=INK,
                      markerfacecolor="white", zorder=3)
        if point.broken:
            axes.plot(xs[:1], [rate], linestyle="none", marker="o", markersize=12, zorder=2.9,
                      markerfacecolor="none", markeredgecolor=BROKEN)
    _write(axes, found)
    _legend(axes, roofs)
    axes.set_ylabel("GFLOP/s")


def _limits(axes: Axes, found: list[Placed], roofs: Roofs) -> None:
    """All points, all roofs, and where they meet."""
    ridges = [roofs.peaks[0].value / roof.value for roof in roofs.slopes] if roofs.peaks else []
    across = [*ridges,
              *(x for point in found for x in (*point.intensity.values(), point.nominal) if x)]
    up = [point.case.rate for point in found] + [roof.value for roof in roofs.peaks]
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(min(across) / 1.8, max(across) * 1.8)
    axes.set_ylim(min(up) / 1.6, max(up) * 1.4)
    layout.number_ticks(axes.xaxis)
    layout.number_ticks(axes.yaxis)


def _draw_roofs(axes: Axes, roofs: Roofs) -> None:
    """Peaks level, bandwidths rising to the highest peak."""
    left, right = axes.get_xlim()
    for roof, dashes in zip(roofs.peaks, PEAK_LINES):
        start = max(left, roof.value / roofs.slopes[0].value) if roofs.slopes else left
        axes.plot([start, right], [roof.value] * 2, color=INK, linewidth=1.3,
                  linestyle=dashes, zorder=1)
    for roof in roofs.slopes:
        end = min(roofs.peaks[0].value / roof.value, right) if roofs.peaks else right
        colour, dashes, _ = LOOKS.get(roof.level, OTHER_LOOK)
        axes.plot([left, end], [roof.value * left, roof.value * end], color=colour, linewidth=1.3,
                  linestyle=dashes, zorder=1)


def _write(axes: Axes, found: list[Placed]) -> None:
    """Each line's name right of the panel, near its height, without overlaps."""
    figure, dots, box = axes.figure, axes.figure.dpi / 72, axes.get_window_extent()
    heights = [axes.transData.transform((1, point.case.rate))[1] for point in found]
    inverse = figure.transFigure.inverted().transform
    shapes = {point.case.shape for point in found}
    for point, height, place in zip(found, heights,
                                    layout.spread(heights, 10.5 * dots, box.y0, box.y1)):
        (x0, y0), (x1, y1) = inverse((box.x1 + dots, height)), inverse((box.x1 + 9 * dots, place))
        figure.add_artist(Line2D((x0, x1), (y0, y1), transform=figure.transFigure, color=FAINT,
                                 linewidth=0.7))
        shape = say(" at {shape}", shape=shape_text(*point.case.shape)) if len(shapes) > 1 else ""
        share = point.shares.get(point.binding)
        doubt = "" if point.case.share_trusted else "?"
        bound = say(", {share} of {level}", share=percent(share) + doubt,
                    level=_short(point.binding)) if share else ""
        name = layout.shortened(point.name,
                                51 - len(shape) - len(bound) - len(plain(point.case.rate)))
        axes.annotate(
            f"{name}{shape}: {plain(point.case.rate)}{bound}{' !' if point.broken else ''}",
            (x1, y1), xycoords=figure.transFigure, xytext=(2, 0), textcoords="offset points",
            va="center", fontsize=7, color=BROKEN if point.broken else INK, annotation_clip=False)


def _short(level: str) -> str:
    return level_name(level) if level == COMPUTE else level.upper()


def _legend(axes: Axes, roofs: Roofs) -> None:
    """The roofs with their values, above the panel."""
    handles, names = [], []
    for roof, dashes in zip(roofs.peaks, PEAK_LINES):
        handles.append(Line2D([], [], color=INK, linestyle=dashes, linewidth=1.3))
        names.append(f"{roof.name}: {plain(roof.value)} GFLOP/s"
                     + ("" if roof.trusted else say(" (not trusted)")))
    for roof in roofs.slopes:
        colour, dashes, marker = LOOKS.get(roof.level, OTHER_LOOK)
        handles.append(Line2D([], [], color=colour, linestyle=dashes, linewidth=1.3, marker=marker,
                              markersize=4.5))
        computed = say(", not measured") if roof is roofs.first else "" if roof.trusted else say(
            " (not trusted)")
        names.append(f"{roof.name}: {plain(roof.value)} GB/s{computed}")
    axes.legend(handles, names, loc="lower left", bbox_to_anchor=(0, 1.0), ncols=LEGEND_COLUMNS,
                borderaxespad=0.1, fontsize=7.5, handlelength=2.6, columnspacing=1.4,
                labelspacing=0.3)


KIND = FigureKind(title="roofline",
                  about="GFLOP/s over FLOP per byte, as counted at each level, under the roofs of "
                  "arithmetic, L1, L2 and DRAM",
                  of=GEMM,
                  explains=True,
                  figure=figure,
                  counts_text=counts_text,
                  finding=finding,
                  described=described)
