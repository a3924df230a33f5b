"""Published reports, reproduced claim by claim: the chapters that a machine's report has of them, and verdicts.csv."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path

from .. import table_text
from ..drawn import Drawn
from ..experiment import Results
from ..facts import title_of
from ..figures import draw_published
from ..language import recorded, using
from ..numbers import DASH
from ..safe import for_csv
from ..tables import Cell, Row, Table
from .book import Book, Claim, book
from .judge import NOT_JUDGED, Judged, judge, statuses
from .judge import VERDICTS as OUTCOMES
from .points import Points
from .tables import Beside
from .texts import names, say
from .why import conditions, value_text, why

VERDICTS = "verdicts.csv"
CONDITIONS = ("at", "host", "scope", "cache", "load", "distribution", "paired")
RUNS = {"not_measured": "run", "no_phases": "run", "no_ceiling": "run", "one_process": "run", "not_counted": "profile", "counter_missing": "profile"}


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


def statement(claim: Claim, language: str) -> str:
    """What the source says, in our words."""
    return claim.zh if language == "zh" else claim.statement


def published_text(claim: Claim, language: str) -> str:
    """"2541 times (speedup, 1024)": the published figure with its unit, and of what it is."""
    known = claim.published_unit or claim.unit
    unit = recorded(known) if claim.number is not None and known not in claim.published else ""
    figure = f"({recorded(claim.figure)})" if claim.figure else ""
    return " ".join(filter(None, (recorded(claim.published), unit, figure))) or DASH


def measured_text(one: Judged) -> str:
    """"1.12 [1.08, 1.17] times at 512, 1024, 2048"."""
    if one.measured is None:
        return DASH
    at = conditions(one)["at"]
    return value_text(one.measured, one.claim.unit) + (f" ({at})" if at else "")


def write_verdicts(judged: list[Judged], points: Points, path: Path) -> None:
    """A line a claim; `measured`, `low` and `high` in its unit, empty where nothing was measured."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file, using("en"):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("source", "claim", "verdict", "measured", "low", "high", "unit", *CONDITIONS, "why"))
        for one in judged:
            value, known = one.measured, conditions(one)
            numbers = ["" if number is None else f"{number:.6g}" for number in ((value.value, value.low, value.high) if value else [None] * 3)]
            writer.writerow([one.claim.source, one.claim.claim, one.verdict, *numbers, one.claim.unit,
                             *(known.get(name, "") for name in CONDITIONS), for_csv(why(one, points))])


def _claims_table(title: str, own: list[Judged], points: Points, language: str) -> Table:
    """A row a claim of the source, with its reason; of those that are still to be measured here one sentence, with what measures
    them, or that it takes a GPU."""
    commands: dict[str, list[str]] = {}
    for one in own:
        if one.absent and (word := RUNS.get(one.absent.key)):
            commands.setdefault(word, []).append(one.absent.values.get("experiments") or one.claim.experiment)
    text = "; ".join(f"`./gemmlab {word} {' '.join(dict.fromkeys(found))}`" for word, found in commands.items())
    without_gpu = sum(one.absent is not None and one.absent.key == "no_gpu" for one in own)
    told = [say("unmeasured", language, count=sum(map(len, commands.values())), all=len(own), commands=text) if commands else "",
            say("need a gpu", language, count=without_gpu, all=len(own)) if without_gpu else "", say("verdict caption", language)]
    table = Table("claims", say("claims", language, title=title), ("" if language == "zh" else " ").join(filter(None, told)),
                  names("claims heads", language), ())
    for one in own:
        if not one.absent or one.absent.key not in (*RUNS, "no_gpu"):
            table.rows.append(Row((statement(one.claim, language), published_text(one.claim, language), measured_text(one),
                                   say(one.verdict, language), why(one, points, language)), ()))
    return table


def _tells(table: Table) -> bool:
    """Has it a number of ours? The first column is theirs."""
    return any(cell.value is not None for row in table.rows for cell in row.cells[1:])


def title_in(of: Book, source: str, language: str) -> str:
    """What a source is called."""
    return of.titles.get(source, {}).get("title" if language == "en" else f"title_{language}") or source


def _of_source(source: str, own: list[Judged], beside: Beside, machine: str) -> Chapter | None:
    """Without tables of dashes, which tell nobody anything; None where there is neither a number of ours nor a verdict."""
    language = beside.language
    title = title_in(beside.book, source, language)
    claims = _claims_table(title, own, beside.points, language)
    tables = [(stem, table) for stem, table in beside.tables(source, machine) if _tells(table)]
    if not tables and all(one.verdict == NOT_JUDGED for one in own):
        return None
    figures = any(one.source == source for one in beside.book.figures)
    return Chapter(f"published-{source}", say("chapter", language, title=title),
                   source=say("source", language, source=source) if figures else say("claims source", language),
                   tables=[*([(f"published-{source}-claims", claims)] if claims.rows else []), *tables])


def _counts_table(the_book: Book, by_source: dict[str, list[Judged]], language: str) -> Table:
    """How many of each source's claims have which verdict."""
    table = Table("verdicts", say("verdicts", language), say("rule", language), names("verdict heads", language),
                  tuple(say(outcome, language) for outcome in OUTCOMES))
    for source, own in by_source.items():
        counts = [sum(one.verdict == outcome for one in own) for outcome in OUTCOMES]
        table.rows.append(Row((title_in(the_book, source, language),), tuple(Cell(str(count), count) for count in counts)))
    return table


def chapters(results: Results, folder: Path, language: str = "en", of: Book | None = None) -> list[Chapter]:
    """Judges every claim from the records of one machine, writes verdicts.csv and the tables into `folder`, and gives the chapters:
    one of all claims, one of each source of which something was measured, with its figure; none where no claim can be judged."""
    the_book, points = of or book(), Points(results)
    judged = [judge(claim, points) for claim in the_book.claims]
    write_verdicts(judged, points, folder / VERDICTS)
    counts = statuses(judged)
    if counts["not_judged"] == counts["count"]:
        return []
    beside, machine = Beside(the_book, points, language), title_of(results)
    by_source: dict[str, list[Judged]] = {}
    for one in judged:
        by_source.setdefault(one.claim.source, []).append(one)
    head = Chapter("published", say("title", language), say("question", language), say("claims source", language),
                   [say("counts", language, **counts)],
                   [("published-verdicts", _counts_table(the_book, by_source, language))])
    with using(language):
        made = [head, *filter(None, (_of_source(source, own, beside, machine) for source, own in by_source.items()))]
        for chapter in made:
            for stem, table in chapter.tables:
                table_text.write(table, folder / "tables", stem)
            chart = beside.chart(chapter.name.removeprefix("published-"), machine)
            chapter.figures = [draw_published(chart, folder / "figures", chapter.name)] if chart else []
    return made
