"""What several cards bring: lines of speedup over one card with the ideal, or, of one number of
cards alone, bars of rates."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.scaling.cards import cards_described as described
from analysis.scaling.cards import cards_finding as finding
from analysis.scaling.cards import over_cards
from analysis.scaling.scaling import Line
from analysis.tables.kind import FigureKind
from language import say
from records.names.naming import Look
from records.schema.operations import GEMM
from records.view import View

from .drawing import card_bars, layout, style
from .drawing.charts import line as draw_line
from .drawing.looks import looks_in

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
        return card_bars.figure(view, by_shape)
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
