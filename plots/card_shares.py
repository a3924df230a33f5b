"""What several cards do with the time of a product: multiplying and not, and how long operands were
on their way, a bar per point."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from analysis.scaling.cards import cards_head
from analysis.tables.kind import FigureKind
from analysis.tables.tables import time_cell
from language import say
from records.cases.case import Case
from records.names.numbers import percent
from records.schema.operations import GEMM, shape_text
from records.view import View

from .drawing import layout
from .drawing.beside import bare
from .drawing.svg import ON_COLOUR


@dataclass(frozen=True)
class CardTime:
    """What the cards of a point did with its time, as shares of it, the mean of all cards in its
    last product."""

    case: Case
    waiting: float  # not multiplying: what of the exchange nothing hides, and the ends
    arriving: float  # until the last operand was there, hidden or not


def card_times(view: View) -> list[CardTime]:
    """Of the points that say so, smallest work first, and slower ones first at a shape."""
    made = [CardTime(case, float(case.chosen["share_not_multiplying"]),
                     float(case.chosen["share_arriving"])) for case in view.shown
            if not case.copy and "share_not_multiplying" in case.chosen
            and "share_arriving" in case.chosen]
    return sorted(made, key=lambda one: (one.case.m * one.case.n * one.case.k, one.case.shape,
                                         -one.case.median_s))


def finding(view: View) -> str:
    """"Of the time of 9 products the cards do not multiply 1.2 % to 14 %; the most: multi, 2 cards
    at 16384"."""
    found = card_times(view)
    if not found:
        return ""
    most, least = max(found, key=lambda one: one.waiting), min(found, key=lambda one: one.waiting)
    return say("Cards that do not multiply, waiting for operands or sending C: {least} to {most} "
               "of the time, the most in {name} at {shape}", least=percent(least.waiting),
               most=percent(most.waiting), name=most.case.name, shape=shape_text(*most.case.shape))


def described(view: View) -> str:
    """Each bar in words."""
    return say(" ").join(
        say("{name} at {shape}: not multiplying {waiting}, operands on their way {arriving}.",
            name=one.case.name, shape=shape_text(*one.case.shape), waiting=percent(one.waiting),
            arriving=percent(one.arriving)) for one in card_times(view))


MOST_BARS = 24
BAR_IN = 0.24
LEFT_IN, RIGHT_IN = 3.4, 1.75
MULTIPLYING, WAITING, ARRIVING = "#0072B2", "#E69F00", "#000000"
LEAST_WRITTEN = 0.1  # share whose number fits into its part


def figure(view: View) -> Figure | str:
    """Small products on top."""
    found = card_times(view)
    if not found:
        return say("No point says what its cards did with the time.")
    kept = found[-MOST_BARS:]
    drawn, (axes,) = layout.figure_with(
        view, 1, BAR_IN * len(kept) + 0.3, title=finding(view), left_in=LEFT_IN, right_in=RIGHT_IN,
        note=say("The mean of all cards in one product, by their own clocks. Black line: until the "
                 "last operand was there. Right: the product's time with the 95 % interval of its "
                 "median."), above_in=0.3)
    for row, one in enumerate(kept):
        _bar(axes, one, row)
    _finish(axes, kept)
    return drawn


def _bar(axes: Axes, one: CardTime, row: int) -> None:
    axes.barh(row, 1 - one.waiting, 0.8, color=MULTIPLYING)
    axes.barh(row, one.waiting, 0.8, left=1 - one.waiting, color=WAITING)
    axes.plot([0, one.arriving], [row, row], color=ARRIVING, linewidth=1.6, solid_capstyle="butt")
    if one.waiting >= LEAST_WRITTEN:
        axes.text(1 - one.waiting / 2, row, percent(one.waiting), ha="center", va="center",
                  fontsize=7.5, color=ON_COLOUR[1])
    axes.annotate(time_cell(one.case).text, (1, row), xytext=(6, 0), va="center",
                  textcoords="offset points", fontsize=7.5, annotation_clip=False)


def _finish(axes: Axes, kept: list[CardTime]) -> None:
    axes.set_xlim(0, 1)
    axes.set_ylim(len(kept) - 0.4, -0.6)
    axes.set_yticks(range(len(kept)), [f"{one.case.name}, {shape_text(*one.case.shape)}"
                                       for one in kept], fontsize=7.5)
    bare(axes)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.0f} %"))
    axes.set_xlabel(say("share of the time of one multiplication"))
    handles = [axes.barh(0, 0, color=colour) for colour in (MULTIPLYING, WAITING)]
    axes.legend(handles, [say("multiplying"), say("not multiplying")], loc="lower left",
                bbox_to_anchor=(0, 1.0), ncols=2, borderaxespad=0.2, handlelength=1.2,
                columnspacing=1.2)

KIND = FigureKind(
    title="cards at work",
    about="shares of the time in which several cards multiply, wait, and get their operands",
    of=GEMM,
    has=lambda case: "gpus" in case.parameters,
    figure=figure,
    finding=finding,
    described=described,
    heads=(lambda section: cards_head(section.view),),
    before=15)
