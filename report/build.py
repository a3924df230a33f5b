"""Builds one machine's report: tables, figures and pages, from records alone."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from pathlib import Path

from markupsafe import Markup

import plots
from analysis.answer.model import Answer
from analysis.compared.independent import independent_finding, independent_sentences
from analysis.tables.costs import ceilings_table
from analysis.tables.tables import sentences
from commands import children, progress
from commands.fault import spared
from commands.satellites import offered, satellites
from files.safe import file_name
from language import recorded, say
from plots.drawing.drawn import Drawn
from records.cases.experiment import Experiment, Results
from records.cases.hosts import hosts_of
from records.cases.where import host_text
from records.loading import without_garbage
from records.names.numbers import capital
from records.view import View, no_gpu_text, title_of

from . import chapters
from .asked import registry
from .asked.wanted import specs, views
from .doctor import Finding, findings
from .explorer import explorer_html, packed_library
from .findings.section import MOST_SENTENCES, found_in
from .handin.page import page_text
from .handin.parts import Material
from .handin.wishes import Wishes
from .machine import machine_facts as facts
from .machine.host_table import hosts_table
from .machine.stale import judge, stale_text
from .pages import table_text
from .pages.document import Block, Chapter, Document, Part, Section, Shown
from .pages.html import BESIDE, MOST_ROWS, packed_csv, write_pages
from .summary import Exhibit, Job
from .summary.answer import answer_of, stand_in
from .summary.limits import limits
from .summary.made import summary_of

FIRST = "cpu_vs_gpu"  # what a reader comes for; the others follow by name
LADDERS = ("ladder_bars", "gflops_vs_size")  # kinds of which the summary shows a part
PHONE = "-phone"  # ends the stem of a figure drawn for one


class _Stems:
    """File names: <experiment>-<kind>[-reference][-n]."""

    def __init__(self) -> None:
        self._used: Counter[str] = Counter()

    def next(self, view: View) -> str:
        stem = (f"{file_name(view.experiment)}-{file_name(view.kind)}"
                f"{'-reference' if view.reference else ''}")
        self._used[stem] += 1
        return stem if self._used[stem] == 1 else f"{stem}-{self._used[stem]}"


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


def _fault_text(why: str) -> str:
    return say("This part could not be made of its records ({why}).", why=why)


def _views(experiment: Experiment, what: str, reference: Experiment | None) -> list[View]:
    return [view for spec in specs(experiment, what) for view in views(experiment, spec, reference)]


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


def _figures(experiment: Experiment, reference: Experiment | None, shown: set[tuple]) -> list[Job]:
    """The figures wanted, but for those that the summary shows (`shown`): view and file stem."""
    stems = _Stems()
    return [(view, stems.next(view)) for view in _views(experiment, "figures", reference)
            if _key(view) not in shown]


def _key(view: View) -> tuple:
    """What a figure is of, however much of it is drawn."""
    return view.experiment, view.kind, view.host, view.reference


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
    table_stems = _Stems()
    for view in _views(experiment, "tables", reference):
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


def _with_figures(sections: list[tuple[Section, Block]], jobs: list[list[tuple[View, str]]],
                  drawn: list[Drawn]) -> None:
    """Hands each section, and what explains it, the figures that were drawn for it."""
    left = iter(drawn)
    for (one, behind), wanted in zip(sections, jobs):
        for view, _ in wanted:
            (behind if registry.explains(view.kind) else one).figures.append(next(left))


def _unmade(experiment: Experiment, why: str) -> tuple[Section, Block]:
    """What stands for an experiment that nothing can be made of."""
    name = experiment.name
    remark = _fault_text(why)
    return Section(name, name, "", "", "", "", "",
                   [Part("", False, "", "", [remark])]), Block(f"{name}-why", name)


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
                    lambda why: Answer(_fault_text(why)), faults)
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
                               lambda why: _unmade(pair[0], why), faults))
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
    _with_figures(made, wanted, figures_drawn)
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
                       [Block(name, "", [_fault_text(why)])])

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
