"""Products that several cards share: speedup over one card, and what of the time the exchange takes."""

from __future__ import annotations

from dataclasses import dataclass

from .case import Case
from .heads import rounded
from .language import say
from .numbers import counted, percent, plain
from .operations import shape_text
from .scaling import Line, Scaled, scaled
from .view import View


def over_cards(view: View) -> Scaled:
    """Shapes and implementations with numbers on one card and on more."""
    return scaled(view, "gpus")


def best_line(lines: list[Line]) -> Line | None:
    """The one with the largest speedup on the most cards; None where there is none."""
    most = max((max(line.gains) for line in lines), default=0)
    return max((line for line in lines if most in line.gains), key=lambda line: line.gains[most].value, default=None)


def cards_finding(view: View) -> str:
    """"On 2 cards several cards, sharded is 1.97 times as fast as on one (99 % of linear)": at the largest shape."""
    found = over_cards(view)
    best = best_line(found.lines(found.shapes[-1])) if found.shapes else None
    if best is None:
        return ""
    cards, gain = max(best.gains.items())
    return say("At {shape} {name} is {times} times as fast on {cards} cards as on one: {share} of linear",
               shape=shape_text(*best.shape), name=best.series.name, times=rounded(gain.value), cards=cards,
               share=percent(gain.value / cards))


def cards_described(view: View) -> str:
    """Each line's speedups in words, at the largest shape."""
    found = over_cards(view)
    return say("number.space").join(
        say("{name} at {shape}: {values}.", name=line.series.name, shape=shape_text(*line.shape),
            values=say("number.comma").join(say("{times} at {threads}", times=plain(gain.value, 2), threads=counted(cards, "card"))
                                            for cards, gain in line.gains.items()))
        for shape in found.shapes[-1:] for line in found.lines(shape))


@dataclass(frozen=True)
class CardTime:
    """What the cards of a point did with its time, as shares of it, the mean of all cards in its last product."""

    case: Case
    waiting: float  # not multiplying: what of the exchange nothing hides, and the ends
    arriving: float  # until the last operand was there, hidden or not


def card_times(view: View) -> list[CardTime]:
    """Of the points that say so, smallest work first, and slower ones first at a shape."""
    made = [CardTime(case, float(case.chosen["share_not_multiplying"]), float(case.chosen["share_arriving"]))
            for case in view.shown
            if not case.copy and "share_not_multiplying" in case.chosen and "share_arriving" in case.chosen]
    return sorted(made, key=lambda one: (one.case.m * one.case.n * one.case.k, one.case.shape, -(one.case.median_s or 0)))


def card_times_finding(view: View) -> str:
    """"Of the time of 9 products the cards do not multiply 1.2 % to 14 %; the most: several cards, 2 GPUs at 16384"."""
    found = card_times(view)
    if not found:
        return ""
    most, least = max(found, key=lambda one: one.waiting), min(found, key=lambda one: one.waiting)
    return say("Cards that do not multiply, waiting for operands or sending C: {least} to {most} of the time, the most in {name} at {shape}",
               least=percent(least.waiting), most=percent(most.waiting), name=most.case.name, shape=shape_text(*most.case.shape))


def card_times_described(view: View) -> str:
    """Each bar in words."""
    return say("number.space").join(
        say("{name} at {shape}: not multiplying {waiting}, operands on their way {arriving}.", name=one.case.name,
            shape=shape_text(*one.case.shape), waiting=percent(one.waiting), arriving=percent(one.arriving))
        for one in card_times(view))
