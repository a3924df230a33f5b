"""Builds one machine's report: tables, figures, report.html and report.md, from records alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import plots

from . import facts, table_text
from .costs import ceilings_table, clocks_table, disturbed_text, spent_text
from .doctor import Finding, findings
from .noise import noise_text
from .pages import MOST_ROWS, write_pages
from .published import chapters
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
    noise: str = ""
    disturbed: str = ""
    spent: str = ""


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


def _figures(experiment: Experiment, reference: Experiment | None) -> list[tuple[View, str]]:
    """The figures wanted: view and file stem."""
    stems = _Stems()
    return [(view, stems.next(view)) for view in _views(experiment, "figures", reference)]


def section(experiment: Experiment, reference: Experiment | None, folder: Path) -> Section:
    """Writes the experiment's tables, and gathers what the pages say of it; its figures are drawn elsewhere."""
    definition = experiment.definition
    made = Section(experiment.name, definition.get("title") or experiment.name, definition.get("question") or "",
                   definition.get("source") or "", facts.dates(experiment.runs), facts.counts_text(experiment.cases),
                   facts.method_text(experiment.cases), _parts(experiment, reference))
    table_stems = _Stems()
    for view in _views(experiment, "tables", reference):
        stem = table_stems.next(view)
        table = table_text.make(view)
        table_text.write(table, folder / "tables", stem)
        made.tables.append((stem, table.shortened(MOST_ROWS)))
    whole = View(experiment.name, "", made.title, tuple(experiment.cases), experiment.run)
    notes = Notes(whole)
    for case in whole.left_out:
        notes.number(case)
    made.left_out = notes.texts()
    made.remark = _remark(experiment, reference, made)
    made.noise, made.spent = noise_text(experiment), spent_text(experiment)
    made.disturbed = disturbed_text(experiment.cases)
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


def _published(results: Results, folder: Path, found: list[Finding]) -> list[Section]:
    """What others published, beside this machine's numbers."""
    return [Section(one.name, one.title, one.question, one.source, "", "", "", [Part("", False, one.sentences, one.top)],
                    one.tables) for one in chapters(results, folder, found)]


def build(results: Results, reference: Results | None, folder: Path) -> list[str]:
    """Writes report.html, report.md, tables/ and figures/ into `folder`; returns the warnings."""
    theirs = {experiment.name: experiment for experiment in reference.experiments} if reference else {}
    pairs = [(experiment, theirs.get(experiment.name)) for experiment in results.experiments]
    figures = [_figures(*pair) for pair in pairs]
    looks = plots.looks_of([view for jobs in figures for view, _ in jobs])
    jobs = [(replace(view, looks=looks), stem) for jobs in figures for view, stem in jobs]
    with plots.drawing(jobs, folder / "figures") as drawn:
        sections = [section(*pair, folder) for pair in pairs]
        found = findings(results)
        figure = iter(drawn())
    for one, wanted in zip(sections, figures):
        one.figures = [next(figure) for _ in wanted]
    sections += _published(results, folder, found)
    warnings = facts.warnings_of(results)
    beside = [table for table in (ceilings_table(results.runs), clocks_table(results.runs)) if table is not None]
    for table in beside:
        table_text.write(table, folder / "tables", table.kind)
    latest = results.runs[-1] if results.runs else {}
    write_pages(folder, title=facts.title_of(results), sections=sections, warnings=warnings,
                machine=facts.machine_facts(latest), program=facts.program_facts(results.runs),
                beside=beside, findings=found,
                counts=facts.counts_text([case for experiment in results.experiments for case in experiment.cases]))
    return warnings
