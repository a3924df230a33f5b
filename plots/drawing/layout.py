"""Where things stand in a figure: header, panels, note below, and labels that keep clear of each
other."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.text import Annotation
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    LogLocator,
    MaxNLocator,
    NullFormatter,
    NullLocator,
)
from matplotlib.transforms import Bbox
from numpy import ndarray

from analysis.tables.tables import sentences
from analysis.tables.widths import text_width
from language import say
from records.cases.case import Case
from records.cases.series import Series
from records.names.naming import Look
from records.names.numbers import capital, plain
from records.schema.operations import GEMM, Shape, extent_text, is_square, shape_text
from records.view import View

from . import style
from .headed import Headed

Item = TypeVar("Item")
WIDTH_IN = 7.4
MOST_PANELS = 6
LEFT_IN, RIGHT_IN, HEADER_IN, FOOTER_IN = 0.95, 2.0, 0.8, 0.85
TIGHT_IN, COMPACT_IN = 0.2, 0.28  # less of the header, of the footer
GAP_IN = 0.72
CEILING_IN = 0.14
# beyond it an axis from zero hides the small values, so that it becomes logarithmic
MOST_RANGE = 50


@dataclass(frozen=True)
class Panel:
    """What is drawn together."""

    title: str
    series: tuple[Series, ...]


def panels_of(series: list[Series]) -> list[Panel]:
    """Panels of at most seven: what computes from split operands apart, less than fp32 apart, and
    where there are more than seven, by device, then in order."""
    full = [one for one in series if one.first.precision == "fp32"]
    split = [one for one in series if one.first.precision == "fp32-split"]
    less = [one for one in series if one.first.precision not in ("fp32", "fp32-split")]
    parts = [("", full)]
    if len(full) > style.MOST_LINES:
        parts = [(device.upper(), [one for one in full if one.first.device == device])
                 for device in ("cpu", "gpu")]
    parts += [(say("fp32 from split operands"), split), (say("less than fp32"), less)]
    made: list[Panel] = []
    for title, members in parts:
        count = -(-len(members) // style.MOST_LINES)
        for part in range(count):
            size = -(-len(members) // count)
            number = say("{title} ({part} of {count})", title=title, part=part + 1,
                         count=count).strip() if count > 1 else title
            made.append(Panel(number, tuple(members[part * size:(part + 1) * size])))
    return made


def figure_with(view: Headed, rows: int, panel_in: float | Sequence[float],
                *, right_in: float = RIGHT_IN, left_in: float = LEFT_IN,
                note: str = "", gap_in: float = GAP_IN,
                above_in: float = 0, legend_in: float = 0, counts: str = "", title: str = "",
                tight: bool = False) -> tuple[Figure, list[Axes]]:
    """A figure with its header and note, and `rows` axes one below the other, as high as `panel_in`
    says of all or of each, `above_in` kept free above each and `legend_in` above all; every length
    in inches. `counts` stands in for how many points are shown. `title` is the finding; the
    definition's title then stands in the line below it. `tight`: panels without titles of their
    own. A compact view has a note alone below, neither the axis' label nor the definition's
    title."""
    heights = list(panel_in) if isinstance(panel_in, Sequence) else [panel_in] * rows
    compact = view.compact
    texts = ("" if compact else counts
             or view.left_out_text()), view.disturbed_text(), view.throttled_text(), note
    lines = lines_of(sentences(*texts), int(WIDTH_IN * 16.5))
    headline = lines_of(capital(title or view.title), int(WIDTH_IN * 11.2))
    machine = lines_of(sentences(view.title + say(".") if title and not compact else "",
                                 view.machine + (say(" (reference machine)") if view.reference
                                                 else "") + say("."),
                                 view.conditions), int(WIDTH_IN * 14))
    header = HEADER_IN - (TIGHT_IN if tight
                          else 0) + 0.19 * (len(headline) + len(machine) - 2) + above_in + legend_in
    footer = FOOTER_IN - (COMPACT_IN if compact
                          else 0) + 0.15 * (len(lines) - 1) + max(gap_in - GAP_IN, 0)
    gap_in += above_in
    height = header + footer + sum(heights) + (rows - 1) * gap_in
    figure = style.new_figure(WIDTH_IN, height)
    figure.text(0.12 / WIDTH_IN, 1 - 0.1 / height, "\n".join(headline), va="top", fontsize=11,
                fontweight="bold")
    figure.text(0.12 / WIDTH_IN, 1 - (0.12 + 0.19 * len(headline)) / height, "\n".join(machine),
                va="top", color=style.GREY)
    figure.text(0.12 / WIDTH_IN, 0.1 / height, "\n".join(lines), va="bottom", fontsize=7.5,
                color=style.GREY)
    made = []
    for row, own in enumerate(heights):
        bottom = height - header - sum(heights[:row + 1]) - row * gap_in
        made.append(figure.add_axes((left_in / WIDTH_IN, bottom / height,
                                     (WIDTH_IN - left_in - right_in) / WIDTH_IN, own / height)))
    return figure, made


def lines_of(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` letters, of which a Chinese one counts twice and may end
    a line."""
    text = text.replace(" %", "\u00a0%")
    if text_width(text) == len(text):
        return textwrap.wrap(text, width, break_on_hyphens=False)
    lines = [""]
    for word in re.findall(r"[\u2e80-\uffef][，。：；、！？）】”]*|[^\s\u2e80-\uffef]+|\s+", text):
        if lines[-1] and text_width(lines[-1] + word) > width:
            lines.append("")
        lines[-1] += word if lines[-1] else word.lstrip()
    return [line.rstrip() for line in lines if line.strip()]


def thinned(items: list[Item], most: int) -> list[Item]:
    """At most `most` of them, evenly spread, both ends among them."""
    if len(items) <= most:
        return items
    return [items[round(index * (len(items) - 1) / (most - 1))] for index in range(most)]


def needs_log(values: list[float]) -> bool:
    return bool(values) and max(values) > MOST_RANGE * min(values)


def number_ticks(axis) -> None:
    """Plain numbers at the ticks; a logarithmic axis of few decades is labelled at 1, 2 and 5."""
    low, high = axis.get_view_interval()
    # a label of five letters takes half an inch
    if axis.get_scale() == "linear" and axis.axis_name == "x":
        box = axis.axes.get_window_extent()
        axis.set_major_locator(MaxNLocator(max(2, int(box.width / axis.axes.figure.dpi / 0.55)),
                                           steps=(1, 2, 5, 10)))
    if axis.get_scale() == "log" and axis.get_transform().base == 10 and high < 300 * low:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(FuncFormatter(lambda value, _: plain(value, 0) if value >= 10
                                           else f"{value:.10g}"))


def label_below(figure: Figure, box: Bbox, text: str) -> None:
    """One label of the axis for panels side by side that fill the box (in the figure's
    coordinates)."""
    figure.text(box.x0 + box.width / 2, box.y0 - 0.42 / figure.get_figheight(), text, ha="center",
                va="bottom", fontsize=9)


def ratio_ticks(axes: Axes) -> None:
    """Ticks of a horizontal axis of ratios; on a logarithmic one at powers of two, "¼" as 0.25,
    "1/64" as that."""
    if axes.get_xscale() == "log":
        axes.xaxis.set_major_locator(LogLocator(base=2))
        axes.xaxis.set_minor_locator(NullLocator())
    else:
        axes.xaxis.set_major_locator(MaxNLocator(max(2, int(
            axes.get_window_extent().width / axes.figure.dpi / 0.4)), steps=(1, 2, 5, 10)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.10g}" if value >= 0.1
                                                 or value <= 0 else f"1/{1 / value:.10g}"))


def share_range(all_axes: list[Axes]) -> None:
    """One vertical range for all panels of a figure, so that they compare; its ticks."""
    ends = [axes.get_ylim() for axes in all_axes]
    for axes in all_axes:
        axes.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))
        number_ticks(axes.yaxis)


def size_ticks(axes: Axes, sizes: list[float], most: int = 9) -> None:
    """A base-2 axis with ticks at measured sizes, at most about `most`; powers of two are
    preferred."""
    axes.set_xscale("log", base=2)
    low, high = min(sizes), max(sizes)
    least_step = max((high / low) ** (1 / most), 1.05)
    chosen: list[float] = []
    for size in sorted(sizes, key=lambda value: (value != int(value)
                                                 or int(value) & (int(value) - 1) != 0, -value)):
        if all(max(size, other) / min(size, other) >= least_step for other in chosen):
            chosen.append(size)
    axes.xaxis.set_major_locator(FixedLocator(sorted(chosen)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: extent_text(round(value))))
    edge = (high / low) ** 0.03 if high > low else 1.3
    axes.set_xlim(low / edge, high * edge)


def spread(wanted: list[float], gap: float, low: float, high: float) -> list[float]:
    """Positions at least `gap` apart and within low..high (as far as there is room), near the
    wanted ones, in order."""
    gap = min(gap, (high - low) / max(len(wanted) - 1, 1))
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    clusters: list[list] = []  # [sum of (wanted - offset), count, start]
    for index in order:
        clusters.append([wanted[index], 1, wanted[index]])
        while len(clusters) > 1 and clusters[-2][2] + clusters[-2][1] * gap > clusters[-1][2]:
            total, count, _ = clusters.pop()
            clusters[-1][0] += total - clusters[-1][1] * gap * count
            clusters[-1][1] += count
            mean = clusters[-1][0] / clusters[-1][1]
            clusters[-1][2] = min(max(mean, low), high - (clusters[-1][1] - 1) * gap)
        clusters[-1][2] = min(max(clusters[-1][2], low), high - (clusters[-1][1] - 1) * gap)
    placed = [start + step * gap for _, count, start in clusters for step in range(count)]
    for place in range(len(placed) - 2, -1, -1):
        placed[place] = min(placed[place], placed[place + 1] - gap)
    result = [0.0] * len(wanted)
    for index, position in zip(order, placed):
        result[index] = position
    return result


def label_ends(axes: Axes, ends: Sequence[tuple[str, float, float, Look | str]]) -> None:
    """Writes each line's name right of the axes, beside its last point (name, x, y, look or
    colour), without overlaps. A look shows before the name, so that grey print tells which is
    whose."""
    figure = style.figure_of(axes)
    box = axes.get_window_extent()
    point = figure.dpi / 72
    names = [wrapped(name) for name, *_ in ends]
    gap = (10.5 * max((name.count("\n") + 1 for name in names), default=1) + 1) * point
    at = [axes.transData.transform((x, y)) for _, x, y, _ in ends]
    heights = spread([y for _, y in at], gap, box.y0, box.y1)
    inverse = figure.transFigure.inverted().transform
    for name, (x, y), height, (_, _, _, look) in zip(names, at, heights, ends):
        side = box.x1 + 10 * point
        colour = look if isinstance(look, str) else look.colour
        _stroke(figure, inverse((x + 4 * point, y)), inverse((side, height)), color=colour,
                linewidth=0.6, alpha=0.6)
        if isinstance(look, Look):
            ends_of = [inverse((side + length * point, height)) for length in (0, 9, 18)]
            _stroke(figure, ends_of[0], ends_of[2], color=colour, linewidth=1.6,
                    linestyle=look.line)
            _stroke(figure, ends_of[1], ends_of[1], color=colour, linestyle="none",
                    marker=look.marker, markersize=5)
            side += 20 * point
        right, middle = inverse((side + 2 * point, height))
        figure.text(right, middle, name, color="#222222", va="center", fontsize=8, linespacing=1.05)


def _stroke(figure: Figure, start: ndarray, end: ndarray, **how: Any) -> None:
    figure.add_artist(Line2D((start[0], end[0]), (start[1], end[1]),
                             transform=figure.transFigure, **how))


def draw_ceilings(axes: Axes, ceilings: list[tuple[float, str]],
                  unit: str = "GFLOP/s") -> list[Annotation]:
    """Dashed lines at the measured ceilings, each with its name and value; the names, for
    keep_clear."""
    names = []
    for value, what in ceilings:
        axes.axhline(value, color=style.GREY, linewidth=1, linestyle=(0, (4, 3)))
        names.append(axes.annotate(
            say("{what}: {value} {unit}", what=what, value=plain(value), unit=unit),
            (0.01, value), xycoords=axes.get_yaxis_transform(),
            xytext=(0, 2), zorder=1, textcoords="offset points", fontsize=7,
            color=style.GREY, va="bottom"))
    return names


def keep_clear(axes: Axes, names: list[Annotation], lines: list[tuple[Any, Any]]) -> None:
    """Moves each name along its ceiling, or below it, to where no line of data (xs, ys) runs
    through it, if there is such a place. To be called when the axes have their limits."""
    # a point left out is not a number
    drawn = [[(x, y) for x, y in zip(*line) if y == y] for line in lines]
    paths = [Path(axes.transData.transform(points)) for points in drawn if points]
    for name in names:
        level = name.xy[1]
        for below in (False, True):
            for x, side in ((0.01, "left"), (0.99, "right"), (0.5, "center")):
                name.xy = (x, level)
                name.set(ha=side, va="top" if below else "bottom", position=(0, -3 if below else 2))
                box = name.get_window_extent().padded(2)
                if not any(path.intersects_bbox(box, filled=False) for path in paths):
                    break
            else:
                continue
            break
        else:
            name.xy = (0.01, level)
            name.set(ha="left", va="bottom", position=(0, 2))


def draw_ceilings_upright(axes: Axes, ceilings: list[tuple[float, str]]) -> None:
    """The same where GFLOP/s go to the right, with the names above the panel, a line of CEILING_IN
    each."""
    across = axes.transAxes.inverted()
    for place, (value, what) in enumerate(ceilings):
        axes.axvline(value, color=style.GREY, linewidth=1, linestyle=(0, (4, 3)), zorder=0.9)
        right = across.transform(axes.transData.transform((value, 0)))[0] > 0.5
        axes.annotate(say("{what}: {value} {unit}", what=what, value=plain(value), unit="GFLOP/s"),
                      (value, 1), xycoords=axes.get_xaxis_transform(),
                      xytext=(2 if right else -2, 3 + 72 * CEILING_IN * place),
                      textcoords="offset points", fontsize=7, color=style.GREY,
                      ha="right" if right else "left", va="bottom")


def ceilings_for(view: View, cases: list[Case]) -> list[tuple[float, str]]:
    """The ceilings of the devices drawn, CPU first, for as many threads as the points have: of
    arithmetic for a gemm of float32, whose multiply-adds they are of, else of memory for what
    counts its bytes."""
    if any("type" in case.options for case in cases):
        return []
    gemm = all(case.operation == GEMM for case in cases)
    if not gemm and any(case.rate_unit != "GB/s" for case in cases if case.shown):
        return []
    roof = view.ceiling if gemm else view.memory_roof
    return [found for device in sorted({case.device for case in cases})
            if (found := roof(device, cases)) is not None]


def room_for(names: Iterable[str]) -> float:
    """Inches right of the axes for names as label_ends and legends write them."""
    return 0.65 + 0.066 * max(
        (text_width(line) for name in names for line in wrapped(name).split("\n")), default=0)


def wrapped(name: str, width: int = 26) -> str:
    """A name broken into lines for labels and legends."""
    return "\n".join(lines_of(name, width)[:3])


def shape_title(shape: Shape) -> str:
    """"size 1024", or "m×n×k = 8192×4096×6144"."""
    return say("m×n×k = {shape}", shape=shape_text(*shape)) if not is_square(shape) else say(
        "size {size}", size=shape_text(*shape))


def shape_ticks(shapes: list[Shape]) -> list[str]:
    """Shapes as labels of an axis; those that are not squares, one extent per line."""
    return [shape_text(*shape).replace("×", "\n×") for shape in shapes]


def shortened(name: str, width: int) -> str:
    """A name of at most `width` letters on one line; what is cut off shows as an ellipsis."""
    return name if len(name) <= width else f"{name[:width - 1].rstrip(' ,')}…"
