"""What several cards bring: lines of speedup over one card with the ideal, or, of one number of
cards alone, bars of rates."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from analysis.scaling.cards import cards_described as described
from analysis.scaling.cards import cards_title as finding
from analysis.scaling.cards import most_cards, over_cards, places_text
from analysis.scaling.scaling import Line
from analysis.tables.kind import FigureKind
from analysis.tables.tables import sentences
from language import say
from records.names.naming import Look
from records.names.numbers import counted, with_interval
from records.schema.operations import GEMM, Shape
from records.view import View

from .drawing import layout, style
from .drawing.beside import bare
from .drawing.charts import line as draw_line
from .drawing.looks import looks_in

BAR_IN, ENDS_IN = 0.27, 0.3
LEFT_IN, RIGHT_IN = 2.6, 2.05
PER_TERA = 1e-3  # GFLOP/s in TFLOP/s


def bars(view: View, by_shape: dict[Shape, list[Line]]) -> Figure:
    """A panel per shape, the fastest on top."""
    cards = max(most_cards(lines) for lines in by_shape.values())
    cases = [line.series.first for lines in by_shape.values() for line in lines]
    note = sentences(say("Mark: {cards} times its own rate on one card. Right: rate with the 95 % "
                         "interval, and times one card.", cards=cards), places_text(cases))
    heights = [BAR_IN * len(lines) + ENDS_IN for lines in by_shape.values()]
    drawn, all_axes = layout.figure_with(view, len(by_shape), heights, title=finding(view),
                                         left_in=LEFT_IN, right_in=RIGHT_IN, note=note)
    for axes, (shape, lines) in zip(all_axes, by_shape.items()):
        _bar_panel(axes, sorted(lines, key=lambda line: line.cases[max(line.cases)].median_s))
        axes.set_title(layout.shape_title(shape))
    all_axes[-1].set_xlabel(say("TFLOP/s on {cards}", cards=counted(cards, "card")))
    return drawn


def _bar_panel(axes: Axes, lines: list[Line]) -> None:
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


MOST_SHAPES = 4


def figure(view: View) -> Figure | str:
    """Lines of one panel share what the legend at their ends says; the shapes that are most apart
    where there are many."""
    found = over_cards(view)
    if not found.shapes:
        return say("Nothing was measured on one card and on more.")
    shapes = layout.thinned(found.shapes, MOST_SHAPES)
    by_shape = {shape: found.lines(shape) for shape in shapes}
    if len({cards for lines in by_shape.values() for line in lines for cards in line.gains}) == 2:
        # lines from one card to two would lie on each other
        return bars(view, by_shape)
    drawn, all_axes = layout.figure_with(view, len(shapes), 3.0, title=finding(view),
                                         note=say("Error bars: 95 % interval of the ratio."),
                                         left_in=0.7, right_in=2.6)
    ends = []
    for axes, shape in zip(all_axes, shapes):
        ends.append(_panel(axes, by_shape[shape]))
        axes.set_title(layout.shape_title(shape))
    layout.share_range(all_axes)
    for axes, names in zip(all_axes, ends):
        layout.label_ends(axes, names)
    all_axes[-1].set_xlabel(say("cards"))
    return drawn


def _panel(axes: Axes, lines: list[Line]) -> list[tuple[str, float, float, Look | str]]:
    """Draws one panel; returns what label_ends needs."""
    ticks = sorted({cards for line in lines for cards in line.gains})
    most = max(ticks)
    axes.plot([1, most], [1, most], color=style.GREY, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    ends = [draw_line(axes, look, list(line.gains),
                      [(gain.value, gain.low, gain.high) for gain in line.gains.values()],
                      line.series.name)
            for look, line in zip(looks_in(line.series for line in lines), lines)]
    axes.set_xticks(ticks)
    axes.set_ylim(0, most * 1.08)
    axes.set_ylabel(say("times one card"))
    return [*ends, (say("ideal"), most, most, style.GREY)]


KIND = FigureKind(title="cards",
                  about="speedup over one card by number of cards, beside the ideal; of one number "
                  "of cards alone the rates",
                  of=GEMM,
                  has=lambda case: "gpus" in case.parameters,
                  figure=figure,
                  finding=finding,
                  described=described)
