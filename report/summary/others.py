"""Transfers, energy and several cards: a sentence and a plot each."""

from __future__ import annotations

from dataclasses import replace

from analysis.answer.headline import headline_of
from analysis.answer.names import name
from analysis.answer.points import END_TO_END, Contest, way_of
from analysis.memory.transfers import transfer_shares
from language import say
from records.cases.experiment import Results
from records.view import View
from report.answer.cards import CardsAnswer
from report.answer.questions import Asked
from report.asked.wanted import views
from report.machine.conditions import conditions

from .exhibit import Exhibit, whose

TRANSFERS = ("transfers",)


def transfers_exhibit(contest: Contest, results: Results, reference: bool) -> Exhibit:
    """From which size it pays with transfers, and what of the time they are."""
    asked = Asked(headline_of(contest))
    view = next((replace(view, reference=reference)
                 for experiment in results.experiments if experiment.name in TRANSFERS
                 for view in views(experiment, {"kind": "transfer_shares"}, None)
                 if transfer_shares(view)), None)
    if view:
        view = replace(view, title=say("Where the time of {name} goes, allocation on the card too",
                                       name=name(transfer_shares(view)[0].whole)))
    moved = [case for case in contest.cases if way_of(case) in END_TO_END]
    told = asked.with_transfers(), say("The memory on the card stays allocated.")
    return Exhibit("transfers", say("Transfers"), say("Does it pay with transfers?"),
                   told, (), ((view, "summary-transfers"),) if view else (),
                   contest.experiment, whose(contest.run, reference),
                   conditions(moved, contest.run, contest.host) if moved else "")


def energy_exhibit(contest: Contest, reference: bool) -> Exhibit:
    """What a product costs in joules, on each side where that could be read."""
    asked = Asked(headline_of(contest))
    view = View(contest.experiment, "energy", say("Energy"), contest.cases, contest.run,
                host=contest.host, reference=reference)
    spent = [one.case for one in asked.one.spent]
    read = say("The card alone, with transfers too; one reading for each number, so without an "
               "interval. {conditions}",
               conditions=conditions(spent, contest.run, contest.host,
                                     load=say("calls without a pause"))) if spent else ""
    return Exhibit("energy", say("Energy"), say("What does a product cost in energy?"),
                   (asked.power(),), (), ((view, "summary-energy"),) if spent else (),
                   contest.experiment, whose(contest.run, reference), read)


def cards_exhibit(results: Results) -> Exhibit | None:
    """What several cards bring over one; None where that was not measured."""
    answer = CardsAnswer(results)
    if answer.view is None:
        return None
    return Exhibit("cards", say("Several cards"), say("What do several cards bring?"),
                   tuple(answer.sentences), (), ((answer.view, "answer-card_scaling"),),
                   answer.view.experiment, conditions=answer.conditions)
