"""The figure of a chapter, drawn from records: bars of rates, latency over the working set, rates
over threads; and from emulated counts: what one warp asks for."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

from markupsafe import Markup

from analysis.memory.hierarchy import latencies
from emulator.counts.work import SHARED
from emulator.explain.drawing import (
    WIDTH,
    addresses_drawn,
    banks_drawn,
    box,
    curve,
    line,
    svg,
    text,
)
from emulator.explain.patterns import twins
from language import say
from records.cases.case import Case
from records.cases.ratios import speedup
from records.names.naming import bare_name, display_name, look_of
from records.names.numbers import plain, ratio_text

from .chapter import AFTER
from .measures import Measures, Missing, remarked
from .tensor_cores.banks import bank_passes
from .tensor_cores.fragments import fragment_layout
from .tensor_cores.order import tile_order
from .tensor_cores.ring import ring_timeline

ROW, LABEL, VALUE, TEXT = 26, 170, 220, 13
NARROW, NARROW_ROW = 350, 46  # of bars on a phone, whose names stand above them
HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 310, 56, 130, 28, 42
KIB, MIB = 1024, 1024**2
LEAST_APART = 16  # of names at the ends of curves
LONG = 110  # a name
Point = tuple[float, float]
Curve = tuple[str, str, list[Point]]  # name, colour, points


def bars(measures: Measures, of: Sequence[str]) -> Markup:
    """GFLOP/s of each point named, from zero, the factor over the first behind it."""
    return bars_of([measures.cases[name] for name in of], of.index(AFTER) if AFTER in of else -1)


def bars_of(cases: Sequence[Case], chosen: int = -1) -> Markup:
    """`chosen`: the place of the one that the text is about. Drawn twice, for a desk and a phone:
    the page's style shows one."""
    return Markup('<div class="wide">{}</div><div class="narrow">{}</div>').format(
        _bars(cases, chosen, WIDTH, LABEL, ROW), _bars(cases, chosen, NARROW, 0, NARROW_ROW))


def _bars(cases: Sequence[Case], chosen: int, width: int, label: int, row: int) -> Markup:
    """`label`: what names take to the left of the bars; 0: they stand above."""
    most = max(case.rate for case in cases)
    parts = []
    ratios = [speedup(cases[0], case) for case in cases[1:]]
    remarks = list(dict.fromkeys(filter(None, map(remarked, ratios))))
    factors = ["", *(f" (× {ratio_text(one.value, one.low, one.high)})"
                     + "*" * (remarks.index(remarked(one)) + 1 if remarked(one) else 0)
                     for one in ratios)]
    for place, (case, factor) in enumerate(zip(cases, factors)):
        y, length = (place + 1) * row - ROW, (width - label - VALUE) * case.rate / most
        name = display_name(case)
        kind = "strong" if place == chosen % len(cases) else ""
        parts += [text(label - 8, y + 18, name, anchor="end") if label else text(0, y, name),
                  box(label, y + 4, length, ROW - 8, look_of(case).colour),
                  text(label + length + 6, y + 18, f"{plain(case.rate)}{factor}", kind)]
    height = len(cases) * row
    notes = [say("GFLOP/s, from zero; in round brackets: times the first"),
             *(f"{'*' * (place + 1)} {remark}" for place, remark in enumerate(remarks))]
    parts += [line(label, 0, label, height, "rule"),
              *(text(label, height + 18 * (place + 1), note, "soft")
                for place, note in enumerate(notes))]
    return svg(height + 8 + 18 * len(notes), parts, say("bars of GFLOP/s"), TEXT, width=width)


def _spread(places: list[float]) -> list[float]:
    """The same places in their order, at least LEAST_APART from one another."""
    made = list(places)
    order = sorted(range(len(made)), key=lambda index: made[index])
    for before, after in itertools.pairwise(order):
        made[after] = max(made[after], made[before] + LEAST_APART)
    return made


def _named(name: str, colour: str, x: float, y: float, others: list[Point]) -> str:
    """A curve's name at the right of its end, or above it where another curve goes on there; in
    ink, beside a piece of the line: many a line's colour is too light to read."""
    covered = any(x - 1 <= other_x <= x + LONG and abs(other_y - y) < LEAST_APART
                  for other_x, other_y in others)
    if covered:
        return text(x - 14, y - 10, name, anchor="end") + box(x - 10, y - 16, 10, 3, colour)
    return box(x + 8, y - 2, 10, 3, colour) + text(x + 22, y + 4, name)


def _chart(curves: list[Curve], ticks: tuple[list[tuple[float, str]], list[tuple[float, str]]],
           axes: tuple[str, str], marks: Sequence[tuple[float, str]] = ()) -> Markup:
    """Curves over two logarithmic axes, each named at its end. `marks`: values of x with a line and
    a word."""
    xs, ys = ([point[at] for _, _, points in curves for point in points] for at in (0, 1))
    low_y, high_y = (min([*ys, *(value for value, _ in ticks[1])]),
                     max([*ys, *(value for value, _ in ticks[1])]))

    def x_of(value: float) -> float:
        return LEFT + (WIDTH - LEFT
                       - RIGHT) * math.log(value / min(xs)) / math.log(max(xs) / min(xs))

    def y_of(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM
                                  - TOP) * math.log(value / low_y) / math.log(high_y / low_y)

    end = WIDTH - RIGHT
    parts = [part for value, said in ticks[1]
             for part in (line(LEFT, y_of(value), end, y_of(value), "rule"),
                          text(LEFT - 6, y_of(value) + 4, said, "soft", "end"))]
    parts += [text(x_of(value), HEIGHT - BOTTOM + 17, said, "soft", "middle")
              for value, said in ticks[0]]
    for value, said in marks:
        parts += [line(x_of(value), TOP - 12, x_of(value), HEIGHT - BOTTOM, "mark"),
                  text(x_of(value) - 5, TOP - 6, said, "soft", "end")]
    drawn = [[(x_of(x), y_of(value)) for x, value in points] for _, _, points in curves]
    for place, (_name, colour, _) in enumerate(curves):
        parts.append(curve(drawn[place], colour))
    for place, y in enumerate(_spread([points[-1][1] for points in drawn])):
        others = [point for at, points in enumerate(drawn) if at != place for point in points]
        parts.append(_named(*curves[place][:2], drawn[place][-1][0], y, others))
    parts += [text(LEFT, HEIGHT - 6, axes[0], "soft"), text(0, 13, axes[1], "soft")]
    return svg(HEIGHT, parts, f"{axes[1]}, {axes[0]}", TEXT)


def _bytes(value: float) -> str:
    return f"{value / MIB:g} MiB" if value >= MIB else f"{value / KIB:g} KiB"


_WAYS = {"shared": ("shared memory", "#009e73"), "l1": ("through the L1", "#0072b2"),
         "l2": ("past the L1", "#d55e00")}


def latency(measures: Measures, of: Sequence[str]) -> Markup:
    """ns of a dependent load over the working set, a curve per path named."""
    found = {curve.way: curve for curve in latencies(measures.memory)
             if curve.device == "gpu" and curve.way in of}
    if len(found) < len(of):
        raise Missing("memory has no latencies of a GPU")
    curves = [(say(_WAYS[way][0]), _WAYS[way][1],
               [(float(size), case.rate) for size, case in found[way].points]) for way in of]
    sizes = [size for _, _, points in curves for size, _ in points]
    shown = [(float(size), _bytes(size)) for size in (8 * KIB, 128 * KIB, 2 * MIB, 32 * MIB, 512
                                                      * MIB) if min(sizes) <= size <= max(sizes)]
    return _chart(
        curves, (shown, [(value, plain(value, 0)) for value in (10.0, 30.0, 100.0, 300.0)]),
        (say("bytes that are walked through"), say("ns per load that waits for the one before")))


def threads(measures: Measures, of: Sequence[str]) -> Markup:
    """GFLOP/s over threads, a curve per implementation of the experiment of the points named, with
    the processors marked."""
    curves: list[Curve] = []
    for name in of:
        points = {case.threads: case for case in measures.like(name)}
        first = measures.cases[name]
        curves.append((bare_name(first), look_of(first).colour,
                       [(float(count), points[count].rate) for count in sorted(points)]))
    counts = sorted({x for _, _, points in curves for x, _ in points})
    rates = [y for _, _, points in curves for _, y in points]
    ticks = [10.0**power for power in range(math.floor(math.log10(min(rates))),
                                            math.ceil(math.log10(max(rates))) + 1)]
    processors = measures.cases[of[0]].processors
    marked = [(float(processors.count), processors.text())] if processors else []
    return _chart(curves, ([(count, plain(count, 0)) for count in counts], [
        (value, plain(value, 0)) for value in ticks]),
        (say("number of threads"), "GFLOP/s"), marked)


def pattern(_: Measures, of: Sequence[str]) -> Markup:
    """What one warp asks for: the load that wastes most of the memory named, "global" or "shared",
    and its twin that does not."""
    pair = twins(of[0])
    if pair is None:
        raise Missing("data/emulated/patterns.jsonl is not there")
    draw = banks_drawn if of[0] == SHARED else addresses_drawn
    drawn = Markup("").join(Markup('<p class="soft">{}</p>{}').format(
        say("{name}, a load of {array}:", name=one.name, array=one.array), draw(one.site))
        for one in pair)
    return drawn + Markup('<p class="soft">{}</p>').format(say("Addresses as an emulation on a CPU "
                                                               "counted them (data/emulated)."))


KINDS: dict[str, Callable[[Measures, Sequence[str]], Markup]] = {
    "bars": bars, "latency": latency, "pattern": pattern, "threads": threads,
    "fragments": lambda _, of: fragment_layout(of), "banks": lambda _, of: bank_passes(of),
    "ring": lambda _, of: ring_timeline(of),
    "order": lambda measures, of: tile_order(of, measures.multiprocessors)}
