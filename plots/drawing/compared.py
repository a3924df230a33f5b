"""Machines or runs beside the first: a dot per shared point, and the geometric mean of each row."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from analysis.compared.compare_many import Strip
from records.names.numbers import counted, ratio_text

from . import layout, style

LEFT_IN, RIGHT_IN, TOP_IN, BOTTOM_IN = 2.1, 1.75, 0.75, 0.75
ROW_IN = 0.42  # of one machine on one device
MOST_NAME = 30  # letters of a line of a machine's name
DOT, MEAN = 9, 46  # square points
BETWEEN = tuple(step * power for power in (0.01, 0.1, 1, 10) for step in (1, 1.5, 2, 3, 5, 7))
SPREAD = 0.28  # of a row: dots of many points lie beside each other


def finding(first: str, strips: list[Strip]) -> str:
    """"B is ahead of A at 30 of 37 points", of the machine that is so at the largest share."""
    found: dict[str, list[float]] = {}
    for strip in strips:
        found.setdefault(strip.machine, []).extend(strip.values)
    ahead = {name: sum(value > 1 for value in values) for name, values in found.items()}
    best = max(found, key=lambda name: ahead[name] / len(found[name]))
    return f"{best} is ahead of {first} at {ahead[best]:,} of {counted(len(found[best]), 'point')}"


def figure(first: str, strips: list[Strip]) -> Figure:
    """Ratios to the first on one axis, a row per strip; above 1 (to the right): faster."""
    title = layout.lines_of(finding(first, strips), int(layout.WIDTH_IN * 11.2))
    top = TOP_IN + 0.19 * (len(title) - 1)
    height = top + BOTTOM_IN + ROW_IN * len(strips)
    made = style.new_figure(layout.WIDTH_IN, height)
    made.text(0.12 / layout.WIDTH_IN, 1 - 0.1 / height, "\n".join(title), va="top", fontsize=11,
              fontweight="bold")
    made.text(0.12 / layout.WIDTH_IN, 1 - (0.12 + 0.19 * len(title)) / height,
              f"Points that each shares with {first}; medians.", va="top", color=style.GREY)
    axes = made.add_axes((LEFT_IN / layout.WIDTH_IN, BOTTOM_IN / height,
                          (layout.WIDTH_IN - LEFT_IN - RIGHT_IN) / layout.WIDTH_IN,
                          ROW_IN * len(strips) / height))
    axes.set_xscale("log", base=2)
    axes.axvline(1, color="#222222", linewidth=1)
    for row, strip in enumerate(strips):
        _row(axes, len(strips) - 1 - row, strip)
    low, high = min(min(strip.values) for strip in strips), max(max(strip.values)
                                                                for strip in strips)
    axes.set_xlim(min(low, 1) / 1.06, max(high, 1) * 1.06)
    axes.set_ylim(-0.5, len(strips) - 0.5)
    _ticks(axes, min(low, 1), max(high, 1))
    axes.set_yticks(range(len(strips)), ["\n".join(layout.lines_of(
        f"{strip.name}, {strip.device.upper()}", MOST_NAME)) for strip in reversed(strips)])
    axes.grid(False, axis="y")
    axes.set_xlabel(f"times as fast as {first} at the same point")
    made.text(0.12 / layout.WIDTH_IN, 0.1 / height, "Diamond: geometric mean; a dot is a point; "
              "line at 1: the first.", va="bottom", fontsize=7.5, color=style.GREY)
    return made


def _row(axes, height: float, strip: Strip) -> None:
    """The dots in the order of their points, so that the same records give the same picture."""
    count = len(strip.values)
    offsets = [height + SPREAD * (2 * ((place * 0.618) % 1) - 1) if count > 1 else height
               for place in range(count)]
    axes.scatter(strip.values, offsets, s=DOT, color=style.DEVICE_COLOURS[strip.device],
                 alpha=0.6, linewidths=0)
    axes.scatter([strip.mean], [height], s=MEAN, marker="D", color="#000000", zorder=3)
    axes.annotate(f"{ratio_text(strip.mean)} ({counted(count, 'point')})", (1, height),
                  xycoords=("axes fraction", "data"), xytext=(6, 0), textcoords="offset points",
                  va="center", fontsize=8, annotation_clip=False)


def _ticks(axes, low: float, high: float) -> None:
    """Powers of two over a wide range; over a narrow one even steps."""
    if high > 30 * low:
        layout.ratio_ticks(axes)
        return
    if high > 3 * low:
        ticks = [tick for tick in BETWEEN if low / 1.06 <= tick <= high * 1.06]
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks], minor=False)
        axes.set_xticks([], minor=True)
        return
    step = next(step for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if (high - low) / step <= 8)
    first, last = int(low / step) - 1, int(high / step) + 2
    ticks = [place * step for place in range(first, last)
             if low / 1.06 <= place * step <= high * 1.06]
    axes.set_xticks(ticks, [f"{tick:.2f}" for tick in ticks], minor=False)
    axes.set_xticks([], minor=True)


def draw(first: str, strips: list[Strip], folder: Path, formats: tuple[str, ...]) -> str:
    """folder/compare.<format> for each; returns its headline."""
    with style.applied():
        style.save(figure(first, strips), folder, "compare", formats)
    return finding(first, strips)
