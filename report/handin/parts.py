"""The parts of the hand-in in their order, cut to what its pages hold."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..case import Case
from ..doctor import Finding
from ..document import Block, Document
from ..drawn import Drawn
from ..experiment import Experiment, Results
from ..findings import found_in
from ..ladder_steps import LIBRARY, RUNG, SIDE, Step, explanation, fma_busy, steps_of
from ..language import current, say
from ..numbers import DASH, duration, ratio_text
from ..operations import Shape, shape_text
from ..safe import shortened
from ..tables import Row, Table, ended
from ..view import View
from ..wanted import views
from .chosen import (
    BLOCK,
    CPU_LADDER,
    LADDER,
    SUBJECTS,
    THREADS,
    Job,
    Subject,
    figure_of,
)
from .claims import short_table
from .limits import limits
from .wishes import Wishes

MOST_SENTENCES, MOST_LETTERS = 3, 400  # of a part
MOST_STEPS, MOST_ASIDE = 18, 4  # rows of the ladder's table; of them those that change one thing of a rung
MOST_REASON = 300  # letters in a row of it
MOST_CLAIMS = 14
MOST_BLOCKS = 5
MOST_QUESTIONS = 6
ANSWERS = ("gpu_over_cpu", "card_scaling")  # kinds of figures of the answer
MOST_LIMITS = 12
MOST_APPENDED_ROWS, MOST_APPENDED = 40, 12  # rows of a table, and tables, in the appendix


@dataclass
class Material:
    """What the hand-in is made of. `jobs` are the figures drawn, each view with the stem of its files."""

    results: Results
    reference: Results | None
    document: Document
    jobs: list[Job]
    drawn: dict[str, Drawn]
    found: list[Finding]
    wishes: Wishes

    def counted(self, reference: bool) -> list[View]:
        """The points of this machine, or of the reference machine, in experiments that hold counters."""
        of = self.reference if reference else self.results
        return [view for one in (of.experiments if of else ()) if one.counters for view in views(one, {"kind": "summary"}, None)]


def _cut(texts: Iterable[str]) -> list[str]:
    """Those that are short enough, or the first one cut."""
    every = list(texts)
    short = [text for text in every if len(text) <= MOST_LETTERS][:MOST_SENTENCES]
    return short or [_whole(text, MOST_LETTERS) for text in every[:1]]


def _whole(text: str, most: int) -> str:
    """At most that many letters of it, in whole sentences where the first one fits."""
    if len(text) <= most:
        return text
    ends = [found.end() for found in re.finditer(r"[.。](?=\s|$)|。", text[:most])]
    return text[:ends[-1]] if ends else shortened(text, most)


def _not_measured(subject: Subject) -> list[str]:
    return [say("Not measured here: ./gemmlab run {command} does so.", command=subject.experiments[0])]


def _subject(material: Material, name: str, title: str, subject: Subject) -> Block:
    """A part with its figure, what that finds, and at most two sentences on it."""
    block = Block(name, title)
    job = figure_of(material.jobs, subject)
    if job is None:
        block.sentences = _not_measured(subject)
        return block
    view, stem = job
    if view.reference:
        block.sentences.append(say("On the reference machine, {machine}, as this one has no GPU:", machine=view.machine))
    found = found_in(view, [{"kind": view.kind}], material.counted(view.reference))
    block.sentences += _cut(filter(None, [ended(found.finding) if found.finding else "", *found.sentences]))
    figure = material.drawn.get(stem)
    block.figures = [figure] if figure is not None and not figure.problem else []
    return block


def _experiments(material: Material) -> list[tuple[Experiment, bool]]:
    """All experiments, the reference machine's last: with whether it is the reference's."""
    own = [(one, False) for one in material.results.experiments]
    return own + [(one, True) for one in (material.reference.experiments if material.reference else ())]


def _profiled(material: Material, implementation: str | None = None) -> View | None:
    """The GPU points of the experiment with the most counters (of that implementation), its own before the reference's."""
    best, most = None, 0
    for experiment, reference in _experiments(material):
        cases = tuple(case for case in experiment.cases if case.device == "gpu" and case.shown
                      and implementation in (None, case.implementation))
        count = sum(case.case_id in experiment.counters for case in cases)
        if count > most:
            host = next(case.host for case in cases if case.case_id in experiment.counters)
            best = View(experiment.name, "ladder_steps", "",
                        tuple(case for case in cases if case.host == host), experiment.run,
                        reference=reference, counters=experiment.counters, host=host)
            most = count
    return best


def _times(step: Step) -> str:
    ratio = step.ratio
    return ratio_text(ratio.value, *(ratio.decision or (None, None))) + (f", {ratio.verdict}" if ratio.tie else "")


def _step_row(view: View, step: Step) -> Row:
    return Row((step.above.name, step.below.name, _times(step), duration(step.above.median_s), fma_busy(view, step.above),
                _whole(explanation(view, step), MOST_REASON)), ())


def _marked(view: View, caption: str) -> str:
    return caption if not view.reference else \
        f"{caption} {say('Reference machine: {machine}.', machine=view.machine)}"


def _steps_table(view: View, steps: list[Step]) -> Table:
    shape = shape_text(*steps[0].above.shape)
    caption = say("At {shape}; brackets hold the 99 % interval of the ratio. Why: what the hardware counters can account for.",
                  shape=shape)
    table = Table("handin-steps", say("What each step buys, and why"), _marked(view, caption),
                  (say("Step"), say("Beside"), say("times as fast"), say("Time"), say("FMA pipe busy"), say("Why")), (),
                  reference=view.reference)
    first = steps[0].below
    start = Row((first.name, DASH, DASH, duration(first.median_s), fma_busy(view, first), DASH), ())
    table.rows = [start, *(_step_row(view, one) for one in steps)]
    return table


def _ladder_table(material: Material) -> list[tuple[str, Table]]:
    """The rungs, the libraries, and the first few that change one thing of a rung."""
    view = _profiled(material)
    if view is None:
        return []
    steps = steps_of(view)
    kept = [one for one in steps if one.how in (RUNG, LIBRARY)] + [one for one in steps if one.how == SIDE][:MOST_ASIDE]
    return [("handin-steps", _steps_table(view, kept[:MOST_STEPS]))] if any(one.how == RUNG for one in kept) else []


def _block_table(material: Material) -> list[tuple[str, Table]]:
    """Each block size of the tiled kernel after the next smaller one, at the shape where most were counted."""
    view = _profiled(material, "gpu.tiled")
    if view is None:
        return []
    shapes: dict[Shape, dict[int, Case]] = {}
    for case in view.cases:
        if case.case_id in view.counters and isinstance(case.parameters.get("block"), int):
            shapes.setdefault(case.shape, {})[case.parameters["block"]] = case
    blocks = max(shapes.values(), key=len, default={})
    ordered = [blocks[size] for size in sorted(blocks)][:MOST_BLOCKS]
    steps = [Step(RUNG, below, above) for below, above in itertools.pairwise(ordered)]
    if not steps:
        return []
    table = _steps_table(view, steps)
    return [("handin-blocks", replace(table, title=say("What each larger tile buys, and why")))]


def _published(material: Material) -> Block:
    block = Block("published", say("Published claims"))
    found = short_table(material.results, current(), MOST_CLAIMS)
    if found is None:
        block.sentences = [say("None of the published claims can be judged from these records.")]
    else:
        block.sentences, block.tables = [found[0]], [("handin-claims", found[1])]
    return block


def method() -> list[str]:
    """How it was measured, in half a page."""
    return [
        say("What is timed: one product C = A·B of single-precision matrices. Scope kernel is the kernel alone on the card, with its "
            "operands there; call adds the launch and the wait; end to end adds the transfers of A, B and C. A CPU product is timed "
            "from call to return."),
        say("How: every number is the median of samples in interleaved rounds, so that drift hits all that are compared alike; "
            "caches are cold and inputs fresh unless said otherwise. Brackets hold the 95 % confidence interval by order "
            "statistics. GFLOP/s are 2·m·n·k over the median time, in units of 1e9 per second."),
        say("What counts as faster: ratios are taken round by round. A difference is declared only where the 99 % interval of the "
            "ratio lies wholly outside 1 ± the noise floor, which is what the same code under two labels came apart by; all else is "
            "a tie, or not resolved where there are too few samples."),
        say("What counts as right: each result was checked against a product in double precision; one that failed has no number "
            "here. Only plain fp32 is ranked: what splits its operands or computes with less stands apart.")]


def _answer(material: Material) -> Block:
    """GPU over CPU by size, up to four numbers, and what readers ask most; its sentence heads the page."""
    answer = material.document.answer
    block = Block("answer", say("Answer"))
    heads = say("Number"), say("What it is"), say("Interval, and what was compared")
    numbers = Table("handin-numbers", say("The numbers"), "", heads, ())
    numbers.rows = [Row((one.value, one.label, _whole(one.detail, MOST_LETTERS)), ()) for one in answer.numbers]
    asked = Table("handin-questions", say("What readers ask most"), "", (say("Question"), say("Answer")), ())
    asked.rows = [Row((question, _whole(text, MOST_LETTERS)), ()) for question, text, _ in answer.questions[:MOST_QUESTIONS]]
    block.tables = [(table.kind, table) for table in (numbers, asked) if table.rows]
    kinds = {stem: view.kind for view, stem in material.jobs}
    block.figures = [one for one in material.document.answer_figures if not one.problem and kinds[one.stem] in ANSWERS]
    return block


def parts(material: Material) -> list[Block]:
    """Question, machine, method, answer, block size, threads, ladder, published claims and limits."""
    question = say("How much faster is the GPU than the CPU at C = A·B, from which size does it pay, and what do block size, "
                   "threads and each step of optimisation buy?")
    block = _subject(material, "block", say("Block size"), BLOCK)
    block.tables = _block_table(material)
    ladder = _subject(material, "ladder", say("Step by step on the GPU"), LADDER)
    ladder.tables = _ladder_table(material)
    cpu = _subject(material, "cpu-ladder", say("Step by step on the CPU"), CPU_LADDER)
    views = [job[0] for job in (figure_of(material.jobs, one) for one in SUBJECTS) if job]
    told = limits(material.results, material.found, material.document.counts, views)[:MOST_LIMITS]
    return [Block("question", say("Question"), [question]), Block("machine", say("Machine")),
            Block("method", say("Method"), method()), _answer(material), block,
            _subject(material, "threads", say("Threads"), THREADS), cpu, ladder, _published(material),
            Block("limits", say("Limits and threats to validity"), told)]


def appendices(material: Material) -> list[Block]:
    """What was wished of: the tables of the experiments shown, the machine with its ceilings, and the commands."""
    document, made = material.document, []
    for name in material.wishes.appendix:
        if name == "machine":
            made.append(Block("appendix-machine", say("Appendix: machine"), tables=_rows_cut(document.method_tables)))
        elif name == "commands":
            repeat = next((one for one in document.chapters if one.name == "repeat"), None)
            commands = [line for block in repeat.blocks for line in block.commands] if repeat else []
            made.append(Block("appendix-commands", say("Appendix: commands"), commands=commands))
        else:
            jobs = (figure_of(material.jobs, one) for one in SUBJECTS)
            shown = {"cpu_vs_gpu", *(job[0].experiment for job in jobs if job)}
            tables = [table for one in document.sections if one.name in shown for table in one.tables]
            made.append(Block("appendix-tables", say("Appendix: tables"), tables=_rows_cut(tables)))
    return made


def _rows_cut(tables: Iterable[tuple[str, Table]]) -> list[tuple[str, Table]]:
    return [(stem, table.shortened(MOST_APPENDED_ROWS)) for stem, table in list(tables)[:MOST_APPENDED]]
