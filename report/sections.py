"""The section of one experiment: what its records come to, and its tables and figures."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from analysis.compared.independent import independent_finding, independent_sentences
from analysis.tables.tables import sentences
from files.safe import file_name
from language import recorded, say
from plots.drawing.drawn import Drawn
from records.cases.experiment import Experiment
from records.cases.where import host_text
from records.names.numbers import capital
from records.view import View, no_gpu_text, title_of

from .asked import registry
from .asked.wanted import every_view, specs, views
from .findings.section import MOST_SENTENCES, found_in
from .machine import machine_facts as facts
from .machine.stale import stale_text
from .pages import table_text
from .pages.document import Block, Part, Section
from .pages.html import MOST_ROWS


class Stems:
    """File names: <experiment>-<kind>[-reference][-n]."""

    def __init__(self) -> None:
        self._used: Counter[str] = Counter()

    def next(self, view: View) -> str:
        stem = (f"{file_name(view.experiment)}-{file_name(view.kind)}"
                f"{'-reference' if view.reference else ''}")
        self._used[stem] += 1
        return stem if self._used[stem] == 1 else f"{stem}-{self._used[stem]}"


def fault_text(why: str) -> str:
    return say("This part could not be made of its records ({why}).", why=why)


def _mark(view: View, several: bool) -> str:
    """Whose sentences they are, where that must be said."""
    host = host_text(view.host) if several else ""
    if not view.reference:
        return host
    return say(", ").join(filter(None, (say("reference machine: {machine}", machine=view.machine),
                                        host)))


def _opening(view: View) -> str:
    head = say("On the reference machine, {machine}:",
               machine=view.machine) if view.reference else ""
    return sentences(head, view.conditions)


def _parts(experiment: Experiment, reference: Experiment | None, folder: Path, several: bool,
           counted: list[View]) -> tuple[list[Part], str]:
    """What is said of each of its hosts, and of the reference machine where it stands in; and the
    finding of the first that has one, with whose it is where that must be said. `folder` holds the
    records. `several`: do the records come from more than one host, so that each sentence must say
    from which?"""
    wanted = [*specs(experiment, "tables"), *specs(experiment, "figures")]
    made, heading = [], ""
    looked_at = views(experiment, {"kind": "summary"}, reference)
    for place, view in enumerate(looked_at):
        found = found_in(view, wanted, counted)
        mark = _mark(view, several)
        timed, finding = [], found.finding
        if not view.reference and not place:  # beside the latest run
            timed, finding = (independent_sentences(view, folder),
                              independent_finding(view, folder) or finding)
        own = [finding
               + say(".")] if heading and finding else []  # of another host than the heading
        said = [*timed, *own, *found.sentences]
        made.append(Part(view.machine, view.reference, mark, _opening(view), said[:MOST_SENTENCES],
                         found.why, [*said[MOST_SENTENCES:], *found.more]))
        if not heading and finding:
            alone = len(looked_at) == 1 and not view.reference
            heading = finding if alone or not mark else say("{finding} ({whose})",
                                                            finding=finding, whose=mark)
    return made, heading


def section(experiment: Experiment, reference: Experiment | None, records: Path, folder: Path,
            several: bool = False, counted: list[View] | None = None) -> tuple[Section, Block]:
    """Writes the experiment's tables into `folder`, and gathers what the pages say of it, and what
    explains it; its figures are drawn elsewhere."""
    definition = experiment.definition
    parts, finding = _parts(experiment, reference, records, several, counted or [])
    made = Section(experiment.name, title_of(experiment),
                   recorded(definition.get("question") or ""),
                   recorded(definition.get("source") or ""), facts.dates(experiment.runs),
                   facts.counts_text(experiment.cases), facts.method_text(experiment.cases), parts,
                   finding=capital(finding))
    behind = Block(f"{experiment.name}-why", made.title)
    table_stems = Stems()
    for view in every_view(experiment, "tables", reference):
        stem = table_stems.next(view)
        table = table_text.make(view)
        table_text.write(table, folder / "tables", stem)
        (behind if registry.explains(view.kind)
         else made).tables.append((stem, table.shortened(MOST_ROWS)))
    made.stale = stale_text(experiment)
    made.remark = _remark(experiment, reference, made)
    if not made.parts and made.remark:
        made.parts, made.remark = [Part("", False, "", "", [made.remark])], ""
    return made, behind


def _remark(experiment: Experiment, reference: Experiment | None, made: Section) -> str:
    """Which numbers are another machine's, or that none stand in."""
    borrowed = [part.machine for part in made.parts if part.reference]
    if borrowed:
        return say("This machine has no GPU number. Tables, figures and sentences marked "
                   "“reference machine” come wholly from the committed records of {machine}; no "
                   "ratio mixes the two machines.", machine=borrowed[0])
    if not _dropped(experiment, reference):
        return ""
    return say("{why}, and data/ holds no reference records of this experiment.",
               why=no_gpu_text(experiment.run))


def _dropped(experiment: Experiment, reference: Experiment | None) -> bool:
    """Is there a table, a figure or a GPU point of which nothing can be shown for want of a GPU?"""
    gpu = [case for case in experiment.cases if case.device == "gpu"]
    if gpu and not experiment.run.get("gpus") and not any(case.shown for case in gpu):
        return True
    return any(not views(experiment, spec, reference) for what in ("tables", "figures")
               for spec in specs(experiment, what)) or not views(experiment,
                                                                 {"kind": "summary"}, reference)


def with_figures(sections: list[tuple[Section, Block]], jobs: list[list[tuple[View, str]]],
                  drawn: list[Drawn]) -> None:
    """Hands each section, and what explains it, the figures that were drawn for it."""
    left = iter(drawn)
    for (one, behind), wanted in zip(sections, jobs):
        for view, _ in wanted:
            (behind if registry.explains(view.kind) else one).figures.append(next(left))


def unmade(experiment: Experiment, why: str) -> tuple[Section, Block]:
    """What stands for an experiment that nothing can be made of."""
    name = experiment.name
    remark = fault_text(why)
    return Section(name, name, "", "", "", "", "",
                   [Part("", False, "", "", [remark])]), Block(f"{name}-why", name)
