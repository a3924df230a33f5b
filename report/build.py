"""Builds one machine's report: tables, figures and pages, from records alone."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from pathlib import Path

from markupsafe import Markup

import plots
from analysis.answer.model import Answer
from analysis.tables.costs import ceilings_table
from commands import children, progress
from commands.fault import spared
from commands.satellites import offered, satellites
from language import say
from records.cases.experiment import Experiment, Results
from records.cases.hosts import hosts_of
from records.loading import without_garbage
from records.view import View, title_of

from . import chapters
from .asked import registry
from .asked.wanted import every_view, views
from .doctor import Finding, findings
from .explorer import explorer_html, packed_library
from .handin.page import page_text
from .handin.parts import Material
from .handin.wishes import Wishes
from .machine import machine_facts as facts
from .machine.host_table import hosts_table
from .machine.stale import judge
from .pages import table_text
from .pages.document import Block, Chapter, Document, Section, Shown
from .pages.html import BESIDE, packed_csv, write_pages
from .sections import Stems, fault_text, section, unmade, with_figures
from .summary import Exhibit, Job
from .summary.answer import answer_of, stand_in
from .summary.limits import limits
from .summary.made import summary_of

FIRST = "cpu_vs_gpu"  # what a reader comes for; the others follow by name
LADDERS = ("ladder_bars", "gflops_vs_size")  # kinds of which the summary shows a part
PHONE = "-phone"  # ends the stem of a figure drawn for one


def _method(apart: bool) -> list[str]:
    """How it was measured; `apart`: not all of it computes in plain fp32."""
    ranked = [say("Only what computes in plain fp32 is ranked. What reaches fp32's accuracy from "
                  "split operands on the tensor cores (fp32-split), and what computes with less "
                  "(tf32, fp16, bf16, fp8), stands apart.")] if apart else []
    return [say("Every number is the median of samples taken in interleaved rounds, so that drift "
                "hits all that are compared alike. Brackets hold the 95 % confidence interval by "
                "order statistics."), say(
                    "GFLOP/s are 2·m·n·k over the median time, in units of 1e9 per second. Ratios "
                    "are taken round by round wherever both sides shared rounds: only there did "
                    "both run under the same conditions. A point goes on when others of its group "
                    "have stopped, and may run otherwise then: a ratio that is not that of the "
                    "times beside it, which are medians over all rounds, bears a note, and decides "
                    "nothing that these do not. A difference is declared where the 99 % interval "
                    "of its ratio lies wholly outside 1 ± the noise floor, which is what the same "
                    "code under two labels (A/A) came apart by in that experiment; otherwise it is "
                    "called a tie, or not resolved: with fewer than 6 samples on a side, where the "
                    "99 % interval reaches 1.25 times or further, and where the ratio lies beyond "
                    "1 ± 10 % and its 95 % interval does not hold 1. A point that other work "
                    "disturbed is marked: no ranking that rests on it is certain."), *ranked,
            say("A result is shown only when it was checked against a double-precision reference "
                "and found right; everything else is listed with its reason.")]


def _figures(experiment: Experiment, reference: Experiment | None, shown: set[tuple]) -> list[Job]:
    """The figures wanted, but for those that the summary shows (`shown`): view and file stem."""
    stems = Stems()
    return [(view, stems.next(view)) for view in every_view(experiment, "figures", reference)
            if _key(view) not in shown]


def _key(view: View) -> tuple:
    """What a figure is of, however much of it is drawn."""
    return view.experiment, view.kind, view.host, view.reference


def build(results: Results, reference: Results | None, folder: Path,
          without: frozenset[str] | set[str] = frozenset(), wishes: Wishes = Wishes(),
          library: Callable[[], str] = packed_library, program: str = "",
          asked: Collection[str] = ()) -> tuple[tuple[str, ...], list[str]]:
    """Writes the pages in all forms but those `without`, tables/ and figures/ into `folder`;
    returns the lines that tell the answer in a terminal, and what was left out and why. What cannot
    be made of an experiment or a figure costs that alone. `wishes`: what report.pdf is. `library`:
    gives the explorer's, packed; it may be under way meanwhile. `program`: tells which points the
    tree would measure again; without it the same records give the same bytes. `asked`: formats of
    figures that somebody asked for."""
    judge(results, program)
    with plots.only(plots.formats_of(results, without, asked)):
        return _build(results, reference, folder, without, wishes, library)


def _build(results: Results, reference: Results | None, folder: Path,
           without: frozenset[str] | set[str], wishes: Wishes,
           library: Callable[[], str]) -> tuple[tuple[str, ...], list[str]]:
    theirs = ({experiment.name: experiment for experiment in reference.experiments}
              if reference else {})
    ordered = sorted(results.experiments, key=lambda experiment: experiment.name != FIRST)
    pairs = [(experiment, theirs.get(experiment.name)) for experiment in ordered]
    faults: list[str] = []
    answer = spared("answer", lambda: answer_of(results, reference),
                    lambda why: Answer(fault_text(why)), faults)
    exhibits = spared("summary", lambda: summary_of(results, stand_in(results, reference), faults),
                      lambda _: [], faults)
    first = [job for exhibit in exhibits for job in exhibit.figures]
    shown = {_key(view) for view, _ in first if view.kind not in LADDERS}
    wanted = [spared(f"figures of {pair[0].name}", lambda: _figures(*pair, shown), lambda _: [],
                     faults) for pair in pairs]
    jobs = [job for of in (*wanted, first, _for_phones(first)) for job in of]
    with children.doing(plots.tasks(jobs, folder / "figures")) as pending, without_garbage():
        several = len(hosts_of(results.runs)) > 1
        counted = [view for experiment in results.experiments if experiment.counters
                   for view in views(experiment, {"kind": "summary"}, None)]
        made = []
        for number, pair in enumerate(pairs, 1):
            progress.now(f"tables of {pair[0].name}, experiment {number} of {len(pairs)}")
            made.append(spared(pair[0].name,
                               lambda: section(*pair, results.folder, folder, several, counted),
                               lambda why: unmade(pair[0], why), faults))
        progress.now("findings, and what others published")
        found = spared("doctor", lambda: findings(results), lambda _: [], faults)
        others = _of_satellites(results, folder, faults)
        document = _document(results, made, found, others, answer)
        document.summary = [_shown(exhibit, folder) for exhibit in exhibits]
        # the other parts have written theirs
        behind = (table for one in document.chapters if one.name in ("threats", "repeat")
                  for block in one.blocks for table in block.tables)
        for stem, table in (*document.method_tables, *behind):
            table_text.write(table, folder / "tables", stem)
        if "html" not in without:
            document.csv = packed_csv(document, folder)
        progress.now(lambda: f"figures, {sum(one.done for one in pending)} of {len(pending)}")
        figures_drawn = [one.result() for one in pending]
    progress.now("the explorer, and the pages")
    # only now: beside the processes that draw, its columns would take the most memory of all
    if "html" not in without:
        document.explorer = spared("explorer", lambda: explorer_html(results, reference, library),
                                   lambda _: Markup(""), faults)
    faults += [one.fault for one in figures_drawn if one.fault]
    with_figures(made, wanted, figures_drawn)
    document.chapters = chapters.kept(document.chapters)
    by_stem = {one.stem: one for one in figures_drawn}
    for one, exhibit in zip(document.summary, exhibits):
        one.figures = [by_stem[stem] for _, stem in exhibit.figures]
    document.phone_figures = {stem: by_stem[stem + PHONE] for _, stem in first
                              if stem + PHONE in by_stem}
    document.limits = limits(results, found, document.counts, exhibits)
    material = Material(document, wishes)
    on_paper = (lambda: page_text(material, folder)) if wishes.edition == "handin" else None
    faults += write_pages(folder, document, without, on_paper)
    if BESIDE in without:
        _alone(folder)
    return answer.lines, faults


def _alone(folder: Path) -> None:
    """Removes what the pages do without: all but themselves and their drawings."""
    for path in folder.iterdir():
        if path.is_dir() and path.name != "figures":
            shutil.rmtree(path)
        elif path.suffix == ".csv":
            path.unlink()


def _for_phones(jobs: list[Job]) -> list[Job]:
    """Figures once more where they can be drawn for a phone."""
    return [(replace(view, narrow=True), stem + PHONE) for view, stem in jobs
            if registry.for_phones(view.kind)]


def _shown(exhibit: Exhibit, folder: Path) -> Shown:
    """Writes the exhibit's tables; its figures are drawn elsewhere."""
    for stem, table in exhibit.tables:
        table_text.write(table, folder / "tables", stem)
    return Shown(exhibit.name, exhibit.label, exhibit.question,
                 [*filter(None, exhibit.sentences)], list(exhibit.tables), [], exhibit.more,
                 exhibit.reference, exhibit.conditions)


def _of_satellites(results: Results, folder: Path, faults: list[str]) -> list[Chapter]:
    """The chapters that satellites have of these records; their tables are written into
    `folder`."""
    def unmade(name: str, why: str) -> Chapter:
        return Chapter(f"{name}-chapter", say(satellites()[name].chapter_title), [],
                       [Block(name, "", [fault_text(why)])])

    return [spared(name, partial(chapter, results, folder), partial(unmade, name), faults)
            for name, chapter in offered("chapter").items()]


def _document(results: Results, made: list[tuple[Section, Block]], found: list[Finding],
              others: list[Chapter], answer: Answer) -> Document:
    """The report's parts in their order."""
    sections, behind = [one for one, _ in made], [block for _, block in made]
    titles = {experiment.name: title_of(experiment) for experiment in results.experiments}
    warnings = facts.warnings_of(results)
    ceilings, hosts = ceilings_table(results.runs), hosts_table(results.runs_by_experiment)
    every = [chapters.why(behind, {one.name: one.parts for one in sections}), *others,
             chapters.threats(results, titles, found, warnings), chapters.repeat(results, titles)]
    runs = results.runs
    apart = any(case.shown and case.precision != "fp32" for experiment in results.experiments
                for case in experiment.cases)
    return Document(
        title=facts.title_of(results), measured=facts.dates(runs), sections=sections,
        made_utc=str(runs[-1].get("started_utc") or "") if runs else "",
        counts=facts.counts_text([case for experiment in results.experiments
                                  for case in experiment.cases]),
        machine=facts.machine_facts(runs), program=facts.program_facts(runs),
        method=_method(apart),
        method_tables=[(table.kind, table) for table in (hosts, ceilings if hosts is None
                                                         or hosts.count < 2 else None) if table],
        chapters=every, answer=answer)
