"""The pages of the course as HTML: an index, a page per chapter, a glossary, and one stylesheet for
all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from language import current, say
from records.cases.case import Case
from records.cases.experiment import Results
from records.cases.ratios import Ratio, speedup
from records.cases.series import shapes_of
from records.names.naming import bare_name, display_name, threads_text
from records.names.numbers import DASH, joined
from records.schema.operations import extents, shape_text
from report.machine.conditions import conditions
from report.pages.html import stylesheet

from .aliases import aliases, names_of, with_sources
from .chapter import AFTER, Asked, Chapter, Wrong, chapters, glossary
from .code import cut
from .figures import KINDS, bars_of
from .measures import COMPUTED, MEMORY, Measures, Missing, compared, numbers_of, whole
from .rungs import rungs_line

# Rows of a chapter's table: what ncu counted, and what was timed or computed.
TEMPLATES = Path(__file__).parent / "templates"
ROWS = {"time": "time", "rate": "rate", "moved": "bytes that its own blocking must move (computed)",
        "error": "largest error, in units of rounding", "issued": "issue slots used",
        "global_load_requests": "loads from global memory (per warp)",
        "global_load_sectors_per_request": "sectors per load",
        "global_store_sectors_per_request": "sectors per store",
        "l2_bytes": "bytes through L2", "dram_read_bytes": "bytes read from DRAM",
        "shared_wavefronts": "passes over the banks of shared memory",
        "shared_load_bank_conflicts": "bank conflicts of loads",
        "instructions": "instructions (per warp)", "occupancy": "occupancy",
        "fma_pipe": "FMA pipe in use", "tensor_pipe": "tensor pipe in use",
        "stalled_long_scoreboard": "cycles that a warp waits for global memory, per instruction",
        "stalled_mio_throttle": "cycles that a warp queues for shared memory, per instruction",
        "stalled_barrier": "cycles that a warp waits at a barrier, per instruction"}


TIMED = ("time", "rate")  # whose change is that of the rounds that both shared, as in the text
_BRACKETS = re.compile(r"(\d) (\[[^\[\]]*\])")
_IN_CELL = re.compile(r"(\d) (\[[^\[\]]*\])(.*)")
APART = 0.01  # from the quotient of the two medians: then the page says so


def _brackets(counted: bool) -> str:
    """What square brackets hold; of counters that they have none."""
    return say(" In square brackets: the 95 % confidence interval; counters were read in one "
               "profiled call and have none." if counted else
               " In square brackets: the 95 % confidence interval.")


@dataclass(frozen=True)
class Lesson:
    """A chapter with the numbers of one machine."""

    chapter: Chapter
    measures: Measures
    numbers: dict[str, str]
    reference: bool  # the committed records of another machine
    rungs: str = ""  # its factors on the report's ladder
    absent: tuple[str, ...] = ()  # experiments that not even the reference has

    def say(self, text: str) -> str:
        return say(text, **self.numbers)

    @property
    def source(self) -> str:
        """Whose numbers these are."""
        points = list(self.measures.cases.values())
        lacking = say("Not in the records yet: {experiments}. A dash stands for each number that "
                      "is missing.", experiments=joined(list(self.absent))) if self.absent else ""
        if lacking and not points:
            return lacking
        points = points or self.measures.memory.shown
        said = say(" ").join(say("{experiments}: {conditions}", conditions=text,
                                 experiments=say(", ").join(dict.fromkeys((*names, *shapes))))
                             for text, (names, shapes) in _by_conditions(self.measures,
                                                                         points).items())
        brackets = _brackets(any(row not in COMPUTED for row in self.chapter.counters.rows))
        lent = say(" Reference records: these points were not measured on your machine.")
        told = said + _builds(points) + brackets + (lent if self.reference else "")
        return say(" ").join(filter(None, [lacking, told]))


def _builds(points: list[Case]) -> str:
    """A sentence where an implementation was measured by several builds of the program: its kernel
    may have changed between them."""
    made: dict[str, dict[str, str]] = {}
    for case in points:
        if case.fingerprint:
            made.setdefault(display_name(case), {})[case.fingerprint] = case.experiment
    apart: dict[str, list[str]] = {}
    for name, builds in made.items():
        if len(where := dict.fromkeys(builds.values())) > 1:
            apart.setdefault(joined(list(where)), []).append(name)
    return "".join(say(" Of different builds in {experiments}, so that the kernels may differ: "
                       "{names}.", experiments=where, names=joined(names))
                   for where, names in apart.items())


def _by_conditions(measures: Measures,
                   points: list[Case]) -> dict[str, tuple[list[str], list[str]]]:
    """What was measured where and how -> of which experiments and shapes."""
    found: dict[str, tuple[list[str], list[str]]] = {}
    for place in dict.fromkeys((case.experiment, case.run_id) for case in points):
        own = [case for case in points if (case.experiment, case.run_id) == place]
        names, shapes = found.setdefault(conditions(own, measures.run_of(own[0]), own[0].host),
                                         ([], []))
        names.append(place[0])
        if place[0] != MEMORY:
            shapes += [shape_text(*extents(shape)) for shape in shapes_of(own)]
    return found


def lesson_of(chapter: Chapter, own: Results | None, reference: Results) -> Lesson:
    """With one's own records where they hold all that the chapter needs, else with the reference's,
    as far as these go."""
    for results in filter(None, (own, reference)):
        try:
            measures = Measures(results, chapter)
            return Lesson(chapter, measures, numbers_of(measures, chapter),
                          own is not None and results is reference,
                          rungs_line(results, chapter, measures.cases))
        except Missing:
            continue
    measures = Measures(reference, chapter, partly=True)
    return Lesson(chapter, measures, numbers_of(measures, chapter, partly=True), own is not None,
                  absent=tuple(measures.absent))


def small_intervals(text: str) -> Markup:
    """The text as HTML, with what stands in square brackets after a number set smaller."""
    return Markup(_BRACKETS.sub(r"\1 <small>\2</small>", str(escape(text))))


def interval_below(text: str) -> Markup:
    """The same for a cell, where the brackets stand below number and unit."""
    return Markup(_IN_CELL.sub(r"\1\3 <small>\2</small>", str(escape(text))))


@cache
def _environment() -> Environment:
    made = Environment(loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined,
                       autoescape=True, trim_blocks=True, lstrip_blocks=True,
                       keep_trailing_newline=True)
    made.globals["say"] = say
    made.filters |= {"small_intervals": small_intervals, "interval_below": interval_below}
    return made


def _page(template: str, title: str, **values: Any) -> str:
    return _environment().get_template(f"{template}.html.j2").render(
        title=title, language=current(), **{"previous": None, "next": None} | values)


def _factor(before: float, after: float) -> str:
    """"÷ 32" or "× 1.5"; a dash where one is nothing."""
    if not before or not after:
        return DASH
    more, less = whole(after / before), whole(before / after)
    return say("the same") if more == "1" else f"÷ {less}" if before > after else f"× {more}"


def _timed(ratio: Ratio, row: str) -> str:
    """"÷ 1.44 [1.43, 1.45]" of a time that fell, "× 1.44 [1.43, 1.45]" of the rate that rose."""
    slower = ratio.value < 1
    return f"{'÷' if slower == (row == 'rate') else '×'} {compared(ratio, over=slower)}"


def _end(points: list[str]) -> int:
    """The column that is set against the first."""
    return points.index(AFTER) if AFTER in points else len(points) - 1


def _rows(lesson: Lesson) -> list[dict[str, Any]]:
    shown, made = lesson.chapter.counters, []
    end = _end(shown.points)
    for row in shown.rows:
        cells = [lesson.measures.cell(row, point) for point in shown.points]
        if row in TIMED:
            factor = _timed(lesson.measures.ratio(shown.points[0], shown.points[end]), row)
        else:
            factor = _factor(cells[0][1], cells[end][1])
        made.append({"name": say(ROWS[row]), "cells": [text for text, _ in cells],
                     "factor": factor})
    return made


def _rounds_apart(lesson: Lesson) -> str:
    """A sentence where a reader who divides the two times gets another factor than the table
    has."""
    points = lesson.chapter.counters.points
    if len(points) < 2 or lesson.absent:
        return ""
    first, last = points[0], points[_end(points)]
    quotient = lesson.measures.cases[first].median_s / lesson.measures.cases[last].median_s
    if abs(quotient / lesson.measures.ratio(first, last).value - 1) <= APART:
        return ""
    return say(" Times are medians; their change is the median over the rounds in which both ran.")


def called(ids: Sequence[str]) -> list[tuple[str, str]]:
    """(id, what others call it) of those that have other names."""
    named = ((one, names_of(one)) for one in ids)
    return [(one, say(", ", context="name").join(names)) for one, names in named if names]


def _columns(cases: list[Case]) -> list[str]:
    """The points' names, with their threads where these alone tell them apart."""
    names = [display_name(case) for case in cases]
    return names if len(set(names)) == len(names) else [
        say(", ", context="name").join([name, threads_text(case.threads)]) for name,
                                                        case in zip(names, cases)]


def _change(columns: list[str], end: int) -> str:
    """The head of the factors' column; empty where nothing is set against anything."""
    if len(columns) < 2:
        return ""
    return say("change") if len(columns) == 2 else say("first to {name}", name=columns[end])


def _table(lesson: Lesson) -> tuple[list[str], list[dict[str, Any]]]:
    """Columns and rows; none where the records lack the chapter's points."""
    try:
        columns = [lesson.measures.cases[point] for point in lesson.chapter.counters.points]
        return _columns(columns), _rows(lesson)
    except Missing:
        if not lesson.absent:
            raise
        return [], []


def _figures(lesson: Lesson) -> list[tuple[str, Markup]]:
    """Title and drawing, without those of points that the records lack."""
    made = []
    for figure in lesson.chapter.figure:
        try:
            made.append((lesson.say(figure.title), KINDS[figure.kind](lesson.measures, figure.of)))
        except Missing:
            if not lesson.absent:
                raise
    return made


def _both(lesson: Lesson, parts: Sequence[Asked | Wrong]) -> list[dict[str, str]]:
    return [{"said": lesson.say(one.said), "shown": lesson.say(one.shown)} for one in parts]


def chapter_page(lesson: Lesson, before: Chapter | None = None,
                 following: Chapter | None = None) -> str:
    chapter = lesson.chapter
    columns, rows = _table(lesson)
    return _page(
        "chapter", lesson.say(chapter.title), previous=before,
        next=following, idea=list(map(lesson.say, chapter.idea)),
        code=[{"said": lesson.say(one.said), "file": one.file, "lines": cut(one)}
              for one in chapter.code],
        figures=_figures(lesson), why=list(map(lesson.say, chapter.why)),
        columns=columns, rows=rows, source=lesson.source + _rounds_apart(lesson),
        change=_change(columns, _end(chapter.counters.points)),
        rungs=lesson.rungs, asked=_both(lesson, chapter.asked), wrong=_both(lesson, chapter.wrong),
        exercise={"task": lesson.say(chapter.exercise.task), "command": chapter.exercise.command,
                  "answer": lesson.say(chapter.exercise.answer)}, names=called(chapter.rungs))


def _climb(lessons: list[Lesson]) -> list[Case]:
    """Where each chapter ends, of the GPU's ladder in plain FP32, without what changes one thing of
    a rung; none where they were not measured in one run."""
    ends = [lesson.measures.cases[AFTER] for lesson in lessons if AFTER in lesson.measures.cases]
    rungs = [case for case in ends if case.device == "gpu" and case.precision == "fp32"
             and not case.variant_of and not case.options]
    rungs = list({case.case_id: case for case in rungs}.values())
    return rungs if len(rungs) > 1 and len({case.run_id for case in rungs}) == 1 else []


def index_page(lessons: list[Lesson]) -> str:
    lead = say("Each chapter is one idea, one step of the ladder, its lines of code as they are "
               "compiled, and what changed: the time and the hardware's own counters. Every "
               "measured number is formed from records; none is typed.")
    sources = list(dict.fromkeys(lesson.measures.run["machine"] for lesson in lessons
                                 if not lesson.absent))
    climb = _climb(lessons)
    title = say("From {first} to {last}: {times} times as fast at {size}",
                times=compared(speedup(climb[0], climb[-1])),
                first=bare_name(climb[0]), last=bare_name(climb[-1]),
                size=shape_text(*climb[0].shape)) if climb else ""
    return _page("index", say("Matrix multiplication, made fast: a course in {count} chapters",
                              count=len(lessons)), next=lessons[0].chapter, lead=lead,
                 source=say("Records: {folders}.", folders=joined(sources)) + _brackets(False),
                 findings=[(lesson.chapter, lesson.say(lesson.chapter.title))
                           for lesson in lessons],
                 figure_title=title, figure=bars_of(climb) if climb else "")


def glossary_page() -> str:
    terms = [(say(term, context="glossary"), say(meaning)) for term, meaning in glossary().items()]
    return _page("glossary", say("Glossary"), terms=terms,
                 names=[(one, with_sources(one)) for one in aliases()])


def pages(own: Results | None, reference: Results) -> dict[str, str]:
    """File name -> content of the whole course, in the language in use."""
    lessons = [lesson_of(chapter, own, reference) for chapter in chapters()]
    around = [None, *(lesson.chapter for lesson in lessons), None]
    made = {lesson.chapter.page: chapter_page(lesson, before, after)
            for lesson, before, after in zip(lessons, around, around[2:])}
    return made | {"index.html": index_page(lessons), "glossary.html": glossary_page(),
                   "style.css": str(stylesheet(TEMPLATES / "course.css"))}


def write(folder: Path, own: Results | None, reference: Results) -> None:
    for name, content in pages(own, reference).items():
        (folder / name).write_text(content, encoding="utf-8", newline="\n")
