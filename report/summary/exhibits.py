"""The exhibits of a folder of records in the order in which readers ask; after them the reference
machine's, where a machine without a GPU has none of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from analysis.answer.headline import called_text, headline_of, not_square_text
from analysis.answer.names import name
from analysis.answer.points import END_TO_END, Contest, contest_of, way_of
from analysis.compared.meetings import in_sustained_load, peers_finding, worse_elsewhere
from analysis.memory.transfers import allocation_text, transfer_shares
from analysis.tables.first_calls import first_product_text
from analysis.tables.kind import Section
from analysis.tables.tables import ended, sentences
from commands.fault import spared
from commands.satellites import offered
from language import say
from records.cases.experiment import Results
from records.view import View
from report.asked.wanted import specs, views
from report.findings.section import head_of
from report.kinds.rates import forms_head
from report.machine.conditions import conditions

from . import Exhibit, whose
from .block_size import block_exhibit
from .cards import CardsAnswer
from .cpu_only import CpuAnswer
from .questions import Asked
from .rates import Measured, of_contest, of_cpu, rates_table
from .speedup import speedup_exhibit
from .steps import steps_exhibit
from .threads import threads_exhibit
from .types import types_exhibit

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
    told = asked.with_transfers(), sentences(
        called_text(asked.one), not_square_text(asked.one), allocation_text(view),
        asked.with_allocation(), first_product_text(contest.beside))
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


Maker = Callable[[], Exhibit | None]
FAVOURITE = 4096


def summary_of(results: Results, reference: Results | None,
               faults: list[str] | None = None) -> list[Exhibit]:
    """`reference`: what stands in for a GPU; None where `results` have numbers of one. What cannot
    be made costs its exhibit alone, where `faults` takes the reason."""
    makers = [*_own(results, contest_of(results)),
              *(_borrowed(reference, contest_of(reference)) if reference else [])]
    made = (make() if faults is None else spared("summary", make, lambda _: None, faults)
            for make in makers)
    return [exhibit for exhibit in made if exhibit]


def _own(results: Results, contest: Contest | None) -> list[Maker]:
    """With a GPU its speedup comes first, without one the rates of the CPU."""
    return [lambda: speedup_exhibit(contest, False) if contest else None,
            lambda: _rates(results, contest),
            lambda: threads_exhibit(results), lambda: block_exhibit(results),
            lambda: steps_exhibit(results, "gpu"), lambda: steps_exhibit(results, "cpu"),
            lambda: types_exhibit(results, "gpu") or types_exhibit(results, "cpu"),
            lambda: transfers_exhibit(contest, results, False) if contest else None,
            lambda: energy_exhibit(contest, False) if contest else None,
            lambda: cards_exhibit(results),
            *(partial(exhibit, results) for exhibit in offered("exhibit").values())]


def _borrowed(reference: Results, contest: Contest | None) -> list[Maker]:
    if contest is None:
        return []
    return [lambda: speedup_exhibit(contest, True),
            lambda: rates_exhibit(of_contest(contest, True), ("gpu",), "gflops-gpu"),
            lambda: block_exhibit(reference, True), lambda: steps_exhibit(reference, "gpu", True),
            lambda: types_exhibit(reference, "gpu", True),
            lambda: transfers_exhibit(contest, reference, True),
            lambda: energy_exhibit(contest, True)]


def _rates(results: Results, contest: Contest | None) -> Exhibit | None:
    if contest:
        told = say("CPU library: {which}", which=_asked(contest).which_library())
        return rates_exhibit(of_contest(contest, False), ("cpu", "gpu"), "gflops",
                             (told, *beside_libraries(results)))
    measured = of_cpu(CpuAnswer(results))
    return rates_exhibit(measured, ("cpu", "gpu"), "gflops") if measured else None


def beside_libraries(results: Results) -> list[str]:
    """What each experiment that sets ours against all libraries over many shapes comes to: the
    table has few shapes and libraries. And what other forms of the product cost, as it has none."""
    told, costs = [], []
    for experiment in results.experiments:
        wanted = specs(experiment, "tables") + specs(experiment, "figures")
        for view in views(experiment, {"kind": "summary"}, None)[:1]:
            section = Section(view=view, wanted=wanted)
            head = peers_finding(section) if "ratio_to_library" in section.kinds else None
            if head and head == head_of(section):
                finding = say("; ").join(filter(None, (head.finding, in_sustained_load(view),
                                                       worse_elsewhere(view))))
                told.append(say("Beside all libraries, in {experiment}: {finding}. {conditions}",
                                experiment=experiment.name, finding=finding,
                                conditions=conditions(head.averaged, view.run, view.host)))
            if forms := forms_head(section):
                costs.append(sentences(ended(forms.finding),
                                       conditions(view.shown, view.run, view.host)))
    return told + costs


def _asked(contest: Contest) -> Asked:
    return Asked(headline_of(contest))


def rates_exhibit(measured: Measured, devices: tuple[str, ...], name: str,
                  told: tuple[str, ...] = ()) -> Exhibit | None:
    """A table and a plot for each of the devices that has a number."""
    made = [pair for device in devices if (pair := rates_table(measured, device, FAVOURITE))]
    if not made:
        return None
    label = say("GFLOP/s on a GPU") if measured.reference else "GFLOP/s"
    return Exhibit(name, label, say("How many GFLOP/s does each implementation reach?"),
                   told, tuple(table for table, _ in made),
                   tuple(job for _, job in made), measured.experiment,
                   whose(measured.run, measured.reference))
