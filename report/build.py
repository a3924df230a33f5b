"""Builds one machine's report: tables, figures, report.html and report.md, from records alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import plots

from . import facts, table_text
from .pages import write_pages
from .records import Experiment, Results
from .sentences import summary
from .tables import Notes, Table
from .view import View, no_gpu_text, specs, views


@dataclass
class Part:
    """The sentences of one experiment on one machine."""

    machine: str
    reference: bool
    sentences: list[str]
    top: list[str]  # of them, what the head of the page repeats


@dataclass
class Section:
    """One experiment as the pages show it."""

    name: str
    title: str
    question: str
    source: str
    measured: str
    counts: str
    method: str
    parts: list[Part] = field(default_factory=list)
    tables: list[tuple[str, Table]] = field(default_factory=list)  # file stem, table
    figures: list[plots.Drawn] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    remark: str = ""


class _Stems:
    """File names: <experiment>-<kind>[-reference][-n]."""

    def __init__(self) -> None:
        self._used: Counter[str] = Counter()

    def next(self, view: View) -> str:
        stem = f"{_safe(view.experiment)}-{_safe(view.kind)}{'-reference' if view.reference else ''}"
        self._used[stem] += 1
        return stem if self._used[stem] == 1 else f"{stem}-{self._used[stem]}"


def _safe(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "_-" else "_" for letter in name)


def _views(experiment: Experiment, what: str, reference: Experiment | None) -> list[View]:
    return [view for spec in specs(experiment, what) for view in views(experiment, spec, reference)]


def _parts(experiment: Experiment, reference: Experiment | None) -> list[Part]:
    """What is said of this machine, and of the reference machine where it stands in."""
    wanted = [*specs(experiment, "tables"), *specs(experiment, "figures")]
    made = []
    for view in views(experiment, {"kind": "summary"}, reference):
        said = summary(view, wanted)
        made.append(Part(view.machine, view.reference, said.sentences, said.top))
    return made


def section(experiment: Experiment, reference: Experiment | None, folder: Path) -> Section:
    """Writes the experiment's tables and figures, and gathers what the pages say of it."""
    definition = experiment.definition
    made = Section(experiment.name, definition.get("title") or experiment.name, definition.get("question") or "",
                   definition.get("source") or "", facts.dates(experiment.runs), facts.counts_text(experiment.cases),
                   facts.method_text(experiment.cases), _parts(experiment, reference))
    table_stems, figure_stems = _Stems(), _Stems()
    for view in _views(experiment, "tables", reference):
        stem = table_stems.next(view)
        table = table_text.make(view)
        table_text.write(table, folder / "tables", stem)
        made.tables.append((stem, table))
    for view in _views(experiment, "figures", reference):
        made.figures.append(plots.draw(view, folder / "figures", figure_stems.next(view)))
    whole = View(experiment.name, "", made.title, tuple(experiment.cases), experiment.run)
    notes = Notes(whole)
    for case in whole.left_out:
        notes.number(case)
    made.left_out = notes.texts()
    made.remark = _remark(experiment, reference, made)
    if not made.parts and made.remark:
        made.parts, made.remark = [Part("", False, [made.remark], [made.remark])], ""
    return made


def _remark(experiment: Experiment, reference: Experiment | None, made: Section) -> str:
    """Which numbers are another machine's, or that none stand in."""
    borrowed = [part.machine for part in made.parts if part.reference]
    if borrowed:
        return f"This machine has no GPU number. Tables, figures and sentences marked “reference machine” come wholly " \
               f"from the committed records of {borrowed[0]}; no ratio mixes the two machines."
    if not _dropped(experiment, reference):
        return ""
    return f"{no_gpu_text(experiment.run)}, and data/ holds no reference records of this experiment."


def _dropped(experiment: Experiment, reference: Experiment | None) -> bool:
    """Is there a table, a figure or a GPU point of which nothing can be shown for want of a GPU?"""
    gpu = [case for case in experiment.cases if case.device == "gpu"]
    if gpu and not experiment.run.get("gpus") and not any(case.shown for case in gpu):
        return True
    return any(not views(experiment, spec, reference) for what in ("tables", "figures")
               for spec in specs(experiment, what)) or not views(experiment, {"kind": "summary"}, reference)


def build(results: Results, reference: Results | None, folder: Path) -> list[str]:
    """Writes report.html, report.md, tables/ and figures/ into `folder`; returns the warnings."""
    theirs = {experiment.name: experiment for experiment in reference.experiments} if reference else {}
    sections = [section(experiment, theirs.get(experiment.name), folder) for experiment in results.experiments]
    warnings = facts.warnings_of(results)
    latest = results.runs[-1] if results.runs else {}
    write_pages(folder, title=facts.title_of(results), sections=sections, warnings=warnings,
                machine=facts.machine_facts(latest), program=facts.program_facts(results.runs),
                ceilings=facts.ceiling_facts(latest),
                counts=facts.counts_text([case for experiment in results.experiments for case in experiment.cases]))
    return warnings
