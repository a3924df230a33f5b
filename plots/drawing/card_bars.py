"""Rates on several cards, a bar per implementation, each beside what so many times its own one card
would be."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from analysis.scaling.card_tables import places_text
from analysis.scaling.cards import cards_finding, most_cards
from analysis.scaling.scaling import Line
from analysis.tables.tables import sentences
from language import say
from records.names.numbers import counted, with_interval
from records.schema.operations import Shape
from records.view import View

from . import layout
from .beside import bare
from .looks import looks_in

BAR_IN, ENDS_IN = 0.27, 0.3
LEFT_IN, RIGHT_IN = 2.6, 2.05
PER_TERA = 1e-3  # GFLOP/s in TFLOP/s


def figure(view: View, by_shape: dict[Shape, list[Line]]) -> Figure:
    """A panel per shape, the fastest on top."""
    cards = max(most_cards(lines) for lines in by_shape.values())
    cases = [line.series.first for lines in by_shape.values() for line in lines]
    note = sentences(say("Mark: {cards} times its own rate on one card. Right: rate with the 95 % "
                         "interval, and times one card.", cards=cards), places_text(cases))
    heights = [BAR_IN * len(lines) + ENDS_IN for lines in by_shape.values()]
    drawn, all_axes = layout.figure_with(view, len(by_shape), heights, title=cards_finding(view),
                                         left_in=LEFT_IN, right_in=RIGHT_IN, note=note)
    for axes, (shape, lines) in zip(all_axes, by_shape.items()):
        _panel(axes, sorted(lines, key=lambda line: line.cases[max(line.cases)].median_s))
        axes.set_title(layout.shape_title(shape))
    all_axes[-1].set_xlabel(say("TFLOP/s on {cards}", cards=counted(cards, "card")))
    return drawn


def _panel(axes: Axes, lines: list[Line]) -> None:
    for row, (look, line) in enumerate(zip(looks_in(line.series for line in lines), lines)):
        cards = max(line.cases)
        case, ideal = line.cases[cards], cards * line.cases[1].rate * PER_TERA
        axes.barh(row, case.rate * PER_TERA, 0.7, color=look.colour)
        axes.add_line(Line2D([ideal, ideal], [row - 0.42, row + 0.42], color="#000000",
                             linewidth=1.6, solid_capstyle="butt"))
        low, high = (end * PER_TERA for end in case.rate_ci95) if case.rate_ci95 else (None, None)
        text = say("{rate}; {times}×", rate=with_interval(case.rate * PER_TERA, low, high),
                   times=f"{line.gains[cards].value:.2f}")
        axes.annotate(text, (1, row), xycoords=axes.get_yaxis_transform(), xytext=(6, 0),
                      va="center", textcoords="offset points", fontsize=7.5, annotation_clip=False)
    axes.set_xlim(0, 1.02 * max(max(line.cases) * line.cases[1].rate * PER_TERA for line in lines))
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.set_yticks(range(len(lines)),
                    [layout.wrapped(line.series.name, 34) for line in lines], fontsize=7.5)
    bare(axes)
