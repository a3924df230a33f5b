"""What several cards bring over one: of records that have products on both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from analysis.answer.model import Number
from analysis.answer.names import card_name, rounded
from analysis.scaling.cards import (
    best_line,
    cards_head,
    most_cards,
    over_cards,
    over_libraries,
    place_of,
    sound_shapes,
)
from analysis.scaling.scaling import Line
from language import say
from records.cases.case import SPLIT
from records.cases.experiment import Results
from records.cases.phrases import times
from records.names.numbers import counted, percent
from records.schema.operations import shape_text
from records.view import View
from report.asked.wanted import views
from report.machine.conditions import conditions

TOLD = 2  # experiments: with operands on the cards, and on the host


def _place(line: Line) -> str:
    return place_of(line.series.first)


def _from_host(lines: list[Line]) -> bool:
    return all(_place(line) == "host" for line in lines)


@dataclass(frozen=True, eq=False)
class CardsAnswer:
    results: Results

    @cached_property
    def _views(self) -> list[View]:
        """Of each experiment that has products on one card and on more: the first host's. Operands
        on the cards before those on the host."""
        found = [next((view for view in views(experiment, {"kind": "card_scaling"}, None)
                       if over_cards(view).shapes and cards_head(view)), None)
                 for experiment in self.results.experiments
                 if any("gpus" in case.parameters for case in experiment.cases)]
        return sorted(filter(None, found), key=lambda view: _from_host(self._lines(view)))

    @staticmethod
    def _lines(view: View) -> list[Line]:
        """At the largest shape with enough samples."""
        found = over_cards(view)
        return found.lines(sound_shapes(found)[-1])

    @property
    def view(self) -> View | None:
        """What is drawn first."""
        return self._views[0] if self._views else None

    @staticmethod
    def _by_place(lines: list[Line]) -> list[Line]:
        """Ours in plain FP32, the best for each place where operands begin, the fastest place
        first."""
        places: dict[str, list[Line]] = {}
        for line in lines:
            places.setdefault(_place(line), []).append(line)
        best = filter(None, map(best_line, places.values()))
        return sorted((line for line in best if not line.series.first.library),
                      key=lambda line: line.cases[max(line.cases)].median_s)

    @property
    def clauses(self) -> tuple[str, ...]:
        """"2 cards (H200) are 1.97 times as fast as one at 16384 if each holds its part
        beforehand", "1.93 times if all lies on the first" and "on matrix units at FP32's accuracy
        1.89 times"; none where nothing was measured on one card and on more."""
        if self.view is None:
            return ()
        lines = self._lines(self.view)
        made = [self._clause(self.view, line, first=not at)
                for at, line in enumerate(self._by_place(lines))]
        units = best_line(lines, SPLIT)
        if units:
            made.append(say("on matrix units at FP32's accuracy {times} times",
                            times=rounded(max(units.gains.items())[1].value)))
        return tuple(made)

    @staticmethod
    def _clause(view: View, line: Line, first: bool) -> str:
        cards, gain = max(line.gains.items())
        place = _place(line)
        where = (say(" if each holds its part beforehand") if place == "sharded"
                 else say(" if all lies on the first") if place == "first" else "")
        if not first:
            return say("{times} times{where}", times=rounded(gain.value), where=where)
        return say("{cards} ({card}) are {times} times as fast as one at {shape}{where}",
                   cards=counted(cards, "card"), card=card_name(view.run),
                   shape=shape_text(*line.shape), times=rounded(gain.value), where=where)

    @property
    def sentence(self) -> str:
        return say("; ").join(self.clauses)

    @property
    def numbers(self) -> list[Number]:
        """In plain FP32 by where operands begin, on matrix units, over the best library on as many
        cards; or from the host."""
        if self.view is None:
            return []
        lines = self._lines(self.view)
        made: list[Number | None] = []
        made += [self._gain(self.view, line) for line in self._by_place(lines)[:2]]
        units = best_line(lines, SPLIT)
        made += [self._gain(self.view, units)] if units else []
        made.append(self._over_library(lines))
        for view in self._views[1:]:
            host = best_line(self._lines(view))
            made += [self._gain(view, host)] if host else []
        return [number for number in made if number]

    @staticmethod
    def _gain(view: View, line: Line) -> Number:
        cards, gain = max(line.gains.items())
        place = _place(line)
        words = {"cards": counted(cards, "card"), "shape": shape_text(*line.shape)}
        label = (say("{cards} over one at {shape}, FP32 on matrix units", **words)
                 if line.series.first.precision == SPLIT
                 else say("{cards} over one at {shape}, matrices on the host", **words) if place
                 == "host" else say("{cards} over one at {shape}, all on the first card", **words)
                 if place == "first"
                 else say("{cards} over one at {shape}, each with its part", **words))
        share = say("{share} of linear", share=percent(gain.value / cards))
        return Number(f"{rounded(gain.value)}×", label,
                      say("; ").join((times(gain), line.series.name, share)),
            "cards")

    def _over_library(self, lines: list[Line]) -> Number | None:
        found = over_libraries(lines, "fp32")
        if not found:
            return None
        library, ratio = found[0]
        label = say("over the best library on {cards} at {shape}",
                    cards=counted(most_cards(lines), "card"), shape=shape_text(*lines[0].shape))
        return Number(f"{rounded(ratio.value)}×", label,
                      say("; ").join((times(ratio), library.name)),
            "cards")

    @property
    def sentences(self) -> list[str]:
        """What the first two experiments come to: with operands on the cards, and on the host."""
        return [self._told(view) for view in self._views[:TOLD]]

    @property
    def conditions(self) -> str:
        """How the points behind the sentences were measured: of each host a sentence."""
        hosts: dict[str, list[View]] = {}
        for view in self._views[:TOLD]:
            hosts.setdefault(view.host, []).append(view)
        return say(" ").join(conditions([case for view in of for case in view.shown], of[0].run,
                                        host) for host, of in hosts.items())

    def _told(self, view: View) -> str:
        shapes = over_cards(view).shapes
        found = cards_head(view)
        head = say("With the matrices on the host:") if _from_host(self._lines(view)) else ""
        alone = ([] if len(shapes) > 1
                 else [say("Measured at {shape} alone.", shape=shape_text(*shapes[0]))])
        return say(" ").join(filter(None, [head, *(found.sentences if found else ()), *alone]))
