"""GFLOP/s over operations a byte, under the measured roofs: a panel a device, both axes logarithmic."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from report.kind import FigureKind
from report.language import say
from report.naming import Look
from report.numbers import counted, plain, shape_text
from report.roofline import Point, Roof, bandwidth_roofs, compute_roofs, points
from report.tables import of_count, sentences
from report.view import View

from . import layout, style
from .looks import looks_in

MOST_POINTS = 40
LINE_IN = 0.165  # of the list at the right
PANEL_IN = 3.6
RIGHT_IN = 2.75
BROKEN = "#C00000"
PEAK_LINES = ("-", (0, (9, 2, 1, 2, 1, 2)))  # no dashes of a bandwidth: both are grey
SLOPE_LINES = {"l1": (0, (7, 2)), "l2": (0, (3, 1.5)), "l3": (0, (4, 1, 1, 1)), "dram": (0, (1, 1))}
OTHER_LINE = (0, (1, 3))
LINES_OF_ROOFS = (*PEAK_LINES, *SLOPE_LINES.values(), OTHER_LINE)


def _devices(view: View) -> list[str]:
    return [device for device in ("cpu", "gpu") if any(case.device == device for case in view.shown)]


def counts_text(view: View) -> str:
    """"6 lines, each at its largest shape: 6 of 9 points drawn." and what is left out, here or for want of a number."""
    lines = [points(view, device) for device in _devices(view) if compute_roofs(view, device) or bandwidth_roofs(view, device)]
    every, drawn = sum(map(len, lines)), sum(min(len(of), MOST_POINTS) for of in lines)
    count = counted(drawn, "line") if drawn == every else say("plot.lines_of", drawn=drawn, lines=counted(every, "line"))
    points_there = counted(len(view.cases) + len(view.absent), "point")
    return sentences(say("plot.lines", lines=count, drawn=drawn, points=points_there),
                     view.left_out_text() if view.left_out else "")


def figure(view: View) -> Figure | str:
    """Filled markers stand at the bytes that an implementation's own blocking must move, hollow ones, where these are
    not known, at A, B and C once. More than seven are numbered."""
    devices = [device for device in _devices(view) if compute_roofs(view, device) or bandwidth_roofs(view, device)]
    if not devices:
        return say("plot.no_roof")
    found = {device: points(view, device) for device in devices}
    doubtful = any(not point.case.share_trusted for of in found.values() for point in of[:MOST_POINTS])
    rows = max(min(len(found[device]), MOST_POINTS) + len(compute_roofs(view, device)) + len(bandwidth_roofs(view, device))
               for device in devices)
    notes = [say("plot.bytes")]
    if any(not point.known for of in found.values() for point in of):
        notes.append(say("plot.hollow"))
    if doubtful:
        notes.append(say("plot.doubtful"))
    notes.append(say("plot.cache"))
    if any(point.broken for of in found.values() for point in of[:MOST_POINTS]):
        notes.append(say("plot.ringed"))
    drawn, all_axes = layout.figure_with(view, len(devices), max(PANEL_IN, LINE_IN * (rows + 1.5)), note=sentences(*notes),
                                         right_in=RIGHT_IN, counts=counts_text(view))
    for axes, device in zip(all_axes, devices):
        _panel(axes, view, device, found[device][:MOST_POINTS])
    all_axes[-1].set_xlabel(say("plot.intensity"))
    return drawn


def _panel(axes: Axes, view: View, device: str, found: list[Point]) -> None:
    peaks, bandwidths = compute_roofs(view, device), bandwidth_roofs(view, device)
    _limits(axes, found, peaks, bandwidths)
    _draw_roofs(axes, peaks, bandwidths)
    numbered = len(found) > style.MOST_LINES
    looks = looks_in(point.series for point in found)
    for point, look in zip(found, looks):
        colour = look.colour
        axes.plot([point.intensity], [point.gflop_per_s], linestyle="none", color=colour, zorder=3,
                  marker="o" if numbered else look.marker, markersize=5.5, markeredgewidth=1.3,
                  markerfacecolor=colour if point.known else "white")
        if point.broken:
            axes.plot([point.intensity], [point.gflop_per_s], linestyle="none", marker="o", markersize=12, zorder=2.9,
                      markerfacecolor="none", markeredgecolor=BROKEN)
    if numbered:
        _write_numbers(axes, found)
    _list(axes, found, looks, numbered)
    _list_roofs(axes, peaks, bandwidths, len(found) + 0.5)
    axes.set_title(say("plot.device", device=device.upper()))
    axes.set_ylabel("GFLOP/s")


def _limits(axes: Axes, found: list[Point], peaks: list[Roof], bandwidths: list[Roof]) -> None:
    """All points, all roofs, and where they meet."""
    ridges = [peaks[0].value / roof.value for roof in bandwidths] if peaks else []
    across = [*(point.intensity for point in found), *ridges]
    up = [point.gflop_per_s for point in found] + [roof.value for roof in peaks]
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(min(across) / 2.5, max(across) * 2.5)
    axes.set_ylim(min(up) / 2, max(up) * 2)
    layout.number_ticks(axes.xaxis)
    layout.number_ticks(axes.yaxis)


def _draw_roofs(axes: Axes, peaks: list[Roof], bandwidths: list[Roof]) -> None:
    """Peaks level, bandwidths rising to the highest peak, where each bears its level; the list has names and values."""
    left, right = axes.get_xlim()
    for roof, dashes in zip(peaks, PEAK_LINES):
        start = max(left, roof.value / bandwidths[0].value) if bandwidths else left
        axes.plot([start, right], [roof.value] * 2, color=style.GREY, linewidth=1.3, linestyle=dashes, zorder=1)
    ends = [peaks[0].value / roof.value if peaks else right for roof in bandwidths]
    for roof, end in zip(bandwidths, ends):
        axes.plot([left, end], [roof.value * left, roof.value * end], color=style.GREY, linewidth=1.2,
                  linestyle=SLOPE_LINES.get(roof.level, OTHER_LINE), zorder=1)
    if peaks:
        dots, box = axes.figure.dpi / 72, axes.get_window_extent()
        at = [axes.transData.transform((end, peaks[0].value)) for end in ends]
        places = layout.spread([x for x, _ in at], 27 * dots, box.x0 + 12 * dots, box.x1 - 12 * dots)
        for roof, (_, y), place in zip(bandwidths, at, places):
            axes.annotate(roof.level.upper(), axes.transData.inverted().transform((place, y)), xytext=(0, 3),
                          textcoords="offset points", ha="center", va="bottom", fontsize=7, color=style.GREY)


def _write_numbers(axes: Axes, found: list[Point]) -> None:
    """Each point's number right of it; those of points that stand in one column spread, with a line to their point."""
    dots = axes.figure.dpi / 72
    at = [axes.transData.transform((point.intensity, point.gflop_per_s)) for point in found]
    box = axes.get_window_extent()
    columns: list[list[int]] = []
    for index in sorted(range(len(found)), key=lambda one: at[one][0]):
        if columns and at[index][0] - at[columns[-1][0]][0] < 22 * dots:
            columns[-1].append(index)
        else:
            columns.append([index])
    for column in columns:
        side = max(at[index][0] for index in column) + 9 * dots
        heights = layout.spread([at[index][1] for index in column], 8.5 * dots, box.y0 + 4 * dots, box.y1 - 4 * dots)
        for index, height in zip(column, heights):
            end = axes.transData.inverted().transform((side, height))
            axes.plot([found[index].intensity, end[0]], [found[index].gflop_per_s, end[1]], color=style.GREY, linewidth=0.5,
                      zorder=2, scalex=False, scaley=False)
            axes.annotate(f"{index + 1}{'!' if found[index].broken else ''}", end, xytext=(1, 0),
                          textcoords="offset points", va="center", fontsize=7, zorder=4,
                          color=BROKEN if found[index].broken else "#222222")


def _list(axes: Axes, found: list[Point], looks: list[Look], numbered: bool) -> None:
    """The implementations right of the panel, one a line, with GFLOP/s and their share of the ceiling that binds."""
    height = axes.get_window_extent().height / axes.figure.dpi
    shapes = {point.case.shape for point in found}
    for place, (point, look) in enumerate(zip(found, looks)):
        y = 1 - LINE_IN * (place + 0.5) / height
        colour = look.colour
        axes.plot([1.025], [y], transform=axes.transAxes, clip_on=False, linestyle="none", color=colour, markersize=5,
                  marker="o" if numbered else look.marker, markerfacecolor=colour if point.known else "white")
        doubt = "" if point.case.share_trusted else "?"
        share = f", {of_count(point.case.of_ceiling)}{doubt}" if point.case.of_ceiling is not None else ""
        shape = say("plot.at", shape=shape_text(*point.case.shape)) if len(shapes) > 1 else ""
        name = layout.shortened(point.series.name, 34 - len(shape))
        text = f"{f'{place + 1}  ' if numbered else ''}{name}{shape}: {plain(point.gflop_per_s)}{share}"
        axes.text(1.05, y, text + (" !" if point.broken else ""), transform=axes.transAxes, va="center", fontsize=7,
                  color=BROKEN if point.broken else "#222222")


def _list_roofs(axes: Axes, peaks: list[Roof], bandwidths: list[Roof], row: float) -> None:
    """The roofs with their values, below the implementations."""
    height = axes.get_window_extent().height / axes.figure.dpi
    lines = [(roof, dashes, "GFLOP/s") for roof, dashes in zip(peaks, PEAK_LINES)]
    lines += [(roof, SLOPE_LINES.get(roof.level, OTHER_LINE), "GB/s") for roof in bandwidths]
    for place, (roof, dashes, unit) in enumerate(lines):
        y = 1 - LINE_IN * (row + place + 0.5) / height
        axes.plot([1.012, 1.075], [y, y], transform=axes.transAxes, clip_on=False, color=style.GREY, linewidth=1.1,
                  linestyle=dashes)
        axes.text(1.09, y, f"{roof.name}: {plain(roof.value)} {unit}{'' if roof.trusted else say('view.untrusted')}",
                  transform=axes.transAxes, va="center", fontsize=7, color=style.GREY)


KIND = FigureKind(
    title="roofline",
    about="GFLOP/s over FLOP a byte, under the measured roofs",
    explains=True,
    figure=figure,
    counts_text=counts_text)
