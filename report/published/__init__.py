"""Published reports, reproduced claim by claim: the chapters that a machine's report has of them, and verdicts.csv."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from .. import table_text
from ..doctor.finding import Finding
from ..drawn import Drawn
from ..experiment import Results
from ..facts import title_of
from ..figures import draw_published
from ..language import recorded, using
from ..numbers import DASH
from ..safe import for_csv
from ..tables import Cell, Row, Table
from .book import Book, book
from .compared import chain_table, chart_of
from .facts import value_text
from .judge import NOT_HERE, Judged, judge
from .judge import VERDICTS as OUTCOMES
from .notes import NOTES, access, intensity
from .points import Points
from .tables import Beside
from .texts import names, say
from .why import statement, statuses, tolerance_text, why

VERDICTS = "verdicts.csv"
_COMMAND = re.compile(r"`gemmlab (run|profile) (\w+)")
_COLUMNS = ("source", "claim", "verdict", "measured", "low", "high", "why")


@dataclass
class Chapter:
    """What the report says of one source, or of all."""

    name: str
    title: str
    question: str = ""
    source: str = ""
    sentences: list[str] = field(default_factory=list)
    tables: list[tuple[str, Table]] = field(default_factory=list)  # file stem, table
    figures: list[Drawn] = field(default_factory=list)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def write_verdicts(judged: list[Judged], points: Points, found: list[Finding], path: Path) -> None:
    """A line a claim; `measured`, `low` and `high` in the unit of the published figure, empty where nothing was measured."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_COLUMNS)
        for one in judged:
            numbers = one.measured.shown() if one.measured else (None, None, None)
            writer.writerow([one.claim.source, one.claim.claim, one.verdict, *map(_number, numbers),
                             for_csv(why(one, points, found))])


def _commands(own: list[Judged], points: Points, found: list[Finding]) -> dict[int, tuple[str, str]]:
    """Of the claims that these records cannot judge and others could: by place, what the reason says to run: ("run", "first_call")."""
    asked = {place: _COMMAND.search(why(one, points, found)) for place, one in enumerate(own) if one.verdict == NOT_HERE}
    return {place: (match[1], match[2]) for place, match in asked.items() if match}


def _commands_text(commands: Iterable[tuple[str, str]]) -> str:
    """"`./gemmlab run first_call gpu_ladder`; `./gemmlab profile gpu_ladder`"."""
    by_word: dict[str, list[str]] = {}
    for word, experiment in dict.fromkeys(commands):
        by_word.setdefault(word, []).append(experiment)
    return "; ".join(f"`./gemmlab {word} {' '.join(experiments)}`" for word, experiments in by_word.items())


def _claims_table(source: str, title: str, judged: list[Judged], points: Points, found: list[Finding], language: str) -> Table:
    """A row a claim of the source, with its reason; of those that are still to be measured here one sentence, with what measures them, or that it
    takes a GPU."""
    own = [one for one in judged if one.claim.source == source]
    commands = _commands(own, points, found)
    without_gpu = {place for place, one in enumerate(own) if one.absent is not None and one.absent.key == "no_gpu"}
    told = [say("unmeasured", language, count=len(commands), all=len(own), commands=_commands_text(commands.values()))] if commands else []
    told += [say("need a gpu", language, count=len(without_gpu), all=len(own))] if without_gpu else []
    caption = ("" if language == "zh" else " ").join([*told, say("verdict caption", language)])
    table = Table("claims", say("claims", language, title=title), caption, names("claims heads", language), ())
    for place, one in enumerate(own):
        if place in commands or place in without_gpu:
            continue
        claim = one.claim
        figure = f"({recorded(claim.figure)})" if claim.figure else ""
        published = " ".join(filter(None, (recorded(claim.published), figure))) or DASH
        here = DASH if one.measured is None else value_text(one.measured)
        table.rows.append(Row((statement(one, language), published, here, say(one.verdict, language),
                               why(one, points, found, language)), ()))
    return table


def _counts_table(book_titles: dict[str, str], judged: list[Judged], language: str) -> Table:
    """How many of each source's claims have which verdict."""
    table = Table("verdicts", say("verdicts", language), say("rule", language), names("verdict heads", language),
                  tuple(say(outcome, language) for outcome in OUTCOMES))
    for source, title in book_titles.items():
        own = [one.verdict for one in judged if one.claim.source == source]
        table.rows.append(Row((title,), tuple(Cell(str(own.count(outcome)), own.count(outcome)) for outcome in OUTCOMES)))
    return table


def _title(of: Book, source: str, language: str) -> str:
    return of.titles.get(source, {}).get("title" if language == "en" else f"title_{language}") or source


def _of_source(source: str, judged: list[Judged], points: Points, found: list[Finding], beside: Beside, machine: str) -> Chapter:
    language = beside.language
    title = _title(beside.book, source, language)
    chapter = Chapter(f"published-{source}", say("chapter", language, title=title),
                      source=say("claims source", language) if source == NOTES else say("source", language, source=source))
    chapter.tables = [(f"published-{source}-claims", _claims_table(source, title, judged, points, found, language))]
    chapter.tables += [(f"published-{source}-{chain.name}", chain_table(beside, chain, machine))
                       for chain in beside.book.chains if chain.source == source]
    if source == NOTES:
        chapter.tables += [(f"published-{table.kind}", table) for table in (intensity(beside, machine), access(beside, machine))
                           if table.rows]
    else:
        chapter.tables += beside.tables(source, machine)
    return chapter


def _tells(table: Table) -> bool:
    """Has it a number of ours? Of a published table the first column is theirs. One of words alone always tells."""
    own = [cell for row in table.rows for cell in row.cells[1 if table.kind == "published" else 0:]]
    return not any(row.cells for row in table.rows) or any(cell.value is not None for cell in own)


def _shortened(chapter: Chapter, judged: list[Judged]) -> Chapter | None:
    """Without tables of dashes, which tell nobody anything; None where there is neither a number of ours nor a verdict."""
    name = chapter.name.removeprefix("published-")
    claims, *others = chapter.tables
    kept = [(stem, table) for stem, table in others if _tells(table)]
    if not kept and all(one.verdict == NOT_HERE for one in judged if one.claim.source == name):
        return None
    chapter.tables = [claims, *kept] if claims[1].rows else kept
    return chapter


def chapters(results: Results, folder: Path, found: list[Finding], of: Book | None = None, language: str = "en") -> list[Chapter]:
    """Judges every claim from the records of one machine, writes verdicts.csv and the tables into `folder`, and gives the
    chapters: one of all claims, one of each source of which something was measured, with its figure; none where no claim can
    be judged."""
    the_book, points = of or book(), Points(results)
    judged = [judge(claim, points) for claim in the_book.claims]
    write_verdicts(judged, points, found, folder / VERDICTS)
    counts = statuses(judged)
    if counts["not_measurable_here"] == counts["count"]:
        return []
    head = Chapter("published", say("title", language), say("question", language), say("claims source", language))
    beside, machine = Beside(the_book, points, language), title_of(results)
    head.sentences = [say("counts", language, **counts), *filter(None, [tolerance_text(points, language)])]
    sources = dict.fromkeys([*(one.claim.source for one in judged), *(figure.source for figure in the_book.figures)])
    head.tables = [("published-verdicts", _counts_table({source: _title(the_book, source, language) for source in sources},
                                                        judged, language))]
    every = [_of_source(source, judged, points, found, beside, machine) for source in sources]
    made = [head, *filter(None, (_shortened(chapter, judged) for chapter in every))]
    for chapter in made:
        for stem, table in chapter.tables:
            table_text.write(table, folder / "tables", stem)
        chart = chart_of(beside, chapter.name.removeprefix("published-"), machine)
        with using(language):
            chapter.figures = [draw_published(chart, folder / "figures", chapter.name)] if chart else []
    return made
