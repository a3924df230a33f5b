"""What several cards bring over one: of records that have products on both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..cards import SPLIT, best_line, cards_head, most_cards, over_cards, over_libraries
from ..experiment import Results
from ..language import say
from ..numbers import counted, percent
from ..operations import shape_text
from ..scaling import Line
from ..view import View
from ..wanted import views
from .model import Number
from .words import card_name, matrices, rounded, times

Question = tuple[str, str, str]


def _from_host(lines: list[Line]) -> bool:
    return all(line.series.first.parameters.get("operands") == "host" for line in lines)


@dataclass(frozen=True, eq=False)
class CardsAnswer:
    results: Results

    @cached_property
    def _views(self) -> list[View]:
        """Of each experiment that has products on one card and on more: the first host's. Operands on the cards before those on the host."""
        found = [next((view for view in views(experiment, {"kind": "card_scaling"}, None) if over_cards(view).shapes and cards_head(view)), None)
                 for experiment in self.results.experiments]
        return sorted(filter(None, found), key=lambda view: _from_host(self._lines(view)))

    @staticmethod
    def _lines(view: View) -> list[Line]:
        """At the largest shape."""
        found = over_cards(view)
        return found.lines(found.shapes[-1])

    @property
    def view(self) -> View | None:
        """What is drawn first."""
        return self._views[0] if self._views else None

    @property
    def clauses(self) -> tuple[str, ...]:
        """"2 cards (H100) multiply 16384×16384 matrices 1.97 times as fast as one, 99 % of linear" and "on matrix units at FP32's accuracy
        1.75 times"; none where nothing was measured on one card and on more."""
        if self.view is None:
            return ()
        lines = self._lines(self.view)
        (cards, gain), *units = [max(line.gains.items()) for precision in ("fp32", SPLIT) if (line := best_line(lines, precision))]
        plain = say("{cards} ({card}) multiply {shape} matrices {times} times as fast as one, {share} of linear", cards=counted(cards, "card"),
                    card=card_name(self.view.run), shape=matrices(lines[0].shape), times=rounded(gain.value), share=percent(gain.value / cards))
        return (plain, *(say("on matrix units at FP32's accuracy {times} times", times=rounded(other.value)) for _, other in units))

    @property
    def sentence(self) -> str:
        return say("number.semicolon").join(self.clauses)

    @property
    def numbers(self) -> list[Number]:
        """In plain FP32, on matrix units, over the best library on as many cards, and from the host."""
        if self.view is None:
            return []
        lines = self._lines(self.view)
        made = [self._gain(self.view, lines, precision) for precision in ("fp32", SPLIT)]
        made.append(self._over_library(lines))
        made += [self._gain(view, self._lines(view), "fp32") for view in self._views[1:2]]
        return [number for number in made if number]

    @staticmethod
    def _gain(view: View, lines: list[Line], precision: str) -> Number | None:
        line = best_line(lines, precision)
        if line is None:
            return None
        cards, gain = max(line.gains.items())
        words = {"cards": counted(cards, "card"), "shape": shape_text(*line.shape)}
        label = (say("{cards} over one at {shape}, matrices on the host", **words) if _from_host([line]) else
                 say("{cards} over one at {shape}, FP32 on matrix units", **words) if precision == SPLIT else
                 say("{cards} over one at {shape}, plain FP32", **words))
        share = say("{share} of linear", share=percent(gain.value / cards))
        return Number(f"{rounded(gain.value)}×", label, say("number.semicolon").join((times(gain), line.series.name, share)), view.experiment)

    def _over_library(self, lines: list[Line]) -> Number | None:
        found = over_libraries(lines, "fp32")
        if not found:
            return None
        library, ratio = found[0]
        label = say("over the best library on {cards} at {shape}", cards=counted(most_cards(lines), "card"), shape=shape_text(*lines[0].shape))
        return Number(f"{rounded(ratio.value)}×", label, say("number.semicolon").join((times(ratio), library.name)), self.view.experiment)

    @property
    def questions(self) -> list[Question]:
        return [self._asked(view) for view in self._views[:2]]

    def _asked(self, view: View) -> Question:
        from_host = _from_host(self._lines(view))
        question = say("And with the matrices on the host?") if from_host else say("How much faster are several cards than one?")
        return question, say("number.space").join(cards_head(view).sentences), view.experiment
