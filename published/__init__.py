"""Published reports, reproduced claim by claim: the report's chapter of them, and verdicts.csv."""

from __future__ import annotations

import csv
from pathlib import Path

from analysis.tables.tables import Cell, Row, Table, sentences
from files.safe import for_csv
from language import recorded, say, using
from records.cases.experiment import Results
from records.names.numbers import DASH
from report.machine.machine_facts import title_of
from report.pages import table_text
from report.pages.document import Block, Chapter
from report.pages.html import MOST_ROWS

from .book import Book, Claim, book, in_language
from .judge import NOT_JUDGED, VERDICTS, Judged, judge, statuses
from .points import Points
from .satellite import TITLE
from .tables import Beside
from .why import conditions, unsound_text, value_text, verdict_text, why

FILE = "verdicts.csv"
CONDITIONS = ("at", "host", "threads", "scope", "cache", "load", "distribution", "paired")
RUNS = {"not_measured": "run", "no_phases": "run", "no_ceiling": "run", "one_process": "run",
        "few_sizes": "run", "not_counted": "profile", "counter_missing": "profile"}


def published_text(claim: Claim) -> str:
    """"2541 times (speedup, 1024)": the published figure with its unit, and of what it is."""
    known = claim.published_unit or claim.unit
    unit = recorded(known) if claim.published[:1].isdigit() and known not in claim.published else ""
    figure = f"({recorded(claim.figure)})" if claim.figure not in ("", known) else ""
    return " ".join(filter(None, (recorded(claim.published), unit, figure))) or DASH


def measured_text(one: Judged, more: str = "") -> str:
    """"1.12 [1.08, 1.17] times (N = 512, 1024, 2048)", with `more` behind the size."""
    if one.measured is None:
        return DASH
    at = say("; ").join(filter(None, (conditions(one)["at"], more)))
    return value_text(one.measured, one.claim.unit) + (f" ({at})" if at else "")


def write_verdicts(judged: list[Judged], points: Points, path: Path) -> None:
    """A line a claim; `measured`, `low` and `high` in its unit, empty where nothing was measured.
    English in any report."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file, using("en"):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("source", "claim", "verdict", "measured", "low", "high", "unit", "unsound",
                         *CONDITIONS, "why"))
        for one in judged:
            value, known = one.measured, conditions(one)
            numbers = ["" if number is None else f"{number:.6g}" for number in (
                (value.value, value.low, value.high) if value else [None] * 3)]
            writer.writerow([one.claim.source, one.claim.claim, one.verdict, *numbers,
                             one.claim.unit, unsound_text(one),
                             *(known.get(name, "") for name in CONDITIONS),
                             for_csv(why(one, points))])


def _claims_table(title: str, own: list[Judged], points: Points) -> Table:
    """A row a claim of the source, with its reason; of those that are still to be measured here one
    sentence, with what measures them, or that it takes a GPU."""
    commands: dict[str, list[str]] = {}
    for one in own:
        if one.absent and (word := RUNS.get(one.absent.key)):
            commands.setdefault(word, []).append(one.absent.values.get("experiments")
                                                 or one.claim.experiment)
    text = "; ".join(f"`./gemmlab {word} {' '.join(dict.fromkeys(found))}`"
                     for word, found in commands.items())
    without_gpu = sum(one.absent is not None and one.absent.key == "no_gpu" for one in own)
    caption = sentences(
        say("{count} of its {all} claims are still to be measured here: {commands}.",
            count=sum(map(len, commands.values())), all=len(own), commands=text) if commands
        else "", say("{count} of its {all} claims need a GPU.", count=without_gpu, all=len(own))
        if without_gpu else "",
        say("Brackets hold the 95 % interval, of several sizes from the lowest to the highest end; "
            "sizes stand in parentheses. The rule stands above. In numbers, with the conditions in "
            "columns of their own: verdicts.csv."))
    table = Table("claims", say(
        "What the source concludes ({title}), and what was measured here", title=title), caption,
        tuple(say("Claim|Published|Here|Verdict|Why, and under which conditions").split("|")), ())
    for one in own:
        if not one.absent or one.absent.key not in (*RUNS, "no_gpu"):
            table.rows.append(Row((in_language(one.claim.statement, one.claim.zh),
                                   published_text(one.claim), measured_text(one), verdict_text(one),
                                   why(one, points)), ()))
    return table


def _tells(table: Table) -> bool:
    """Has it a number of ours? The first column is theirs."""
    return any(cell.value is not None for row in table.rows for cell in row.cells[1:])


def _sources(text: str) -> str:
    return say("Source: {source}", source=text)


def _of_source(source: str, own: list[Judged], beside: Beside, machine: str) -> Block | None:
    """Without tables of dashes, which tell nobody anything; None where there is neither a number of
    ours nor a verdict."""
    name, title = f"published-{source}", beside.book.title(source)
    claims = _claims_table(title, own, beside.points)
    tables = [(stem, table) for stem, table in beside.tables(source, machine) if _tells(table)]
    if not tables and all(one.verdict == NOT_JUDGED for one in own):
        return None
    figures = any(one.source == source for one in beside.book.figures)
    return Block(name, say("Published: {title}", title=title),
                 [_sources(say("data/published/{source}.csv", source=source) if figures
                           else say("data/published/claims.csv"))],
                 tables=[*([(f"{name}-claims", claims)] if claims.rows else []), *tables])


def _counts_table(the_book: Book, by_source: dict[str, list[Judged]]) -> Table:
    """How many of each source's claims have which verdict."""
    table = Table("verdicts", say("The claims by source"), say(
        "Reproduced: the 95 % interval of the ratio lies wholly on the claim's side of 1, and the "
        "gain (the slower's time over the faster's, less 1) is within a factor of two of the "
        "published one, or reaches the number that the statement names. Direction only: the side "
        "holds, the size does not. A little difference lies within 0.90 to 1.10 (direction only: "
        "within 0.80 to 1.20), a count within 10 % of the published figure, a level within the "
        "range that the claim names. At several sizes the worst of them is the verdict; a size "
        "that leaves SMs of the card idle is told, and judges nothing. Not judged: a measurement "
        "or a kernel of the source is missing here, or no host has both sides."),
        (say("Source"),), tuple(map(say, VERDICTS)))
    for source, own in by_source.items():
        counts = [sum(one.verdict == outcome for one in own) for outcome in VERDICTS]
        table.rows.append(Row((the_book.title(source),),
                              tuple(Cell(str(count), count) for count in counts)))
    return table


def blocks(results: Results, folder: Path, of: Book | None = None) -> list[Block]:
    """Judges every claim from the records of one machine, writes verdicts.csv and the tables into
    `folder`, and gives a block of all claims, and one of each source of which something was
    measured; none where no claim can be judged."""
    the_book, points = of or book(), Points(results)
    judged = [judge(claim, points) for claim in the_book.claims]
    write_verdicts(judged, points, folder / FILE)
    counts = statuses(judged)
    if counts["not_judged"] == counts["count"]:
        return []
    beside, machine = Beside(the_book, points), title_of(results)
    by_source: dict[str, list[Judged]] = {}
    for one in judged:
        by_source.setdefault(one.claim.source, []).append(one)
    head = Block("published", say("Published claims"),
                 [say("Which claims of published reports hold on this machine?"),
                  say("Of {count} published claims {reproduced} are reproduced here, "
                      "{direction_only} hold in direction only, {not_reproduced} are not "
                      "reproduced, and {not_judged} are not judged.", **counts),
                  _sources(say("data/published/claims.csv"))],
                 tables=[("published-verdicts", _counts_table(the_book, by_source))])
    made = [head, *filter(None, (_of_source(source, own, beside, machine)
                                 for source, own in by_source.items()))]
    for block in made:
        for stem, table in block.tables:
            table_text.write(table, folder / "tables", stem)
        block.tables = [(stem, table.shortened(MOST_ROWS)) for stem, table in block.tables]
    return made


def chapter(results: Results, folder: Path) -> Chapter:
    """What others published, beside this machine's; its tables are written into `folder`."""
    return Chapter("published-chapter", say(TITLE), [], blocks(results, folder))
