"""What several cards do with the time of a product that they share."""

from __future__ import annotations

from dataclasses import dataclass

from language import say
from records.cases.case import Case
from records.names.numbers import percent
from records.schema.operations import shape_text
from records.view import View


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


def card_times_finding(view: View) -> str:
    """"Of the time of 9 products the cards do not multiply 1.2 % to 14 %; the most: multi, 2 cards
    at 16384"."""
    found = card_times(view)
    if not found:
        return ""
    most, least = max(found, key=lambda one: one.waiting), min(found, key=lambda one: one.waiting)
    return say("Cards that do not multiply, waiting for operands or sending C: {least} to {most} "
               "of the time, the most in {name} at {shape}", least=percent(least.waiting),
               most=percent(most.waiting), name=most.case.name, shape=shape_text(*most.case.shape))


def card_times_described(view: View) -> str:
    """Each bar in words."""
    return say(" ").join(
        say("{name} at {shape}: not multiplying {waiting}, operands on their way {arriving}.",
            name=one.case.name, shape=shape_text(*one.case.shape), waiting=percent(one.waiting),
            arriving=percent(one.arriving)) for one in card_times(view))
