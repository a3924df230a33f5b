"""What `gemmlab compare` prints and writes: Markdown, and with a folder tables, a figure and a page
with the explorer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from analysis.compared.compare_many import (
    Many,
    points_table,
    strips,
    summary,
    title_of,
    told,
)
from analysis.tables.tables import Table
from files.safe import without_markup
from language import say
from records.cases.experiment import Results
from report.asked.figures import draw_compared
from report.explorer import explorer_html
from report.pages.html import environment
from report.pages.markup import inline_svg
from report.pages.table_text import markdown, write

from .best import best_table, bests, missing, most_table

NO_BEST = "No product in plain FP32 was measured at one size on {first} and {other}."


@dataclass(frozen=True)
class Part:
    """A part of the page: what it says, and its table."""

    sentences: list[str]
    table: Table | None = None


def parts_of(many: Many, sides: list[Results]) -> list[Part]:
    """The best of each at one size, what differs most, each experiment, every point, and what is
    not compared."""
    opening, found = [], []
    for other, side in zip(many.others, sides[1:]):
        own = bests(sides[0], side, other.name)
        found += own
        said = [*(one.sentence(many.first) for one in own),
                *missing(sides[0], side, (many.first, other.name))]
        opening += said or [NO_BEST.format(first=many.first, other=other.name)]
    counts = [text for other in many.others for text in other.comparison.verdict]
    points = many.others[0].comparison.table if len(many.others) == 1 else points_table(many)
    return [Part(opening, best_table(many, found) if found else None), Part([], most_table(many)),
            Part(counts, summary(many)), Part([], points), Part(told(many))]


def _markdown(title: str, parts: list[Part]) -> str:
    made = [f"# {without_markup(title)}\n"]
    for part in parts:
        if part.sentences:
            made.append("".join(f"- {without_markup(text)}\n" for text in part.sentences))
        if part.table:
            made.append(markdown(part.table))
    return "\n".join(made)


def page_of(many: Many, sides: list[Results], folder: Path | None, short: bool = False) -> str:
    """The Markdown; with a folder also compare.md, .csv, .tex, .svg, .png and .html in it. `sides`:
    the first's records and the others', in the order of `many`. `short`: for a terminal, on which
    the table of every point would push all else away."""
    title, parts = title_of(many), parts_of(many, sides)
    page = _markdown(title, parts)
    if folder is not None:
        for table in (part.table for part in parts if part.table):
            write(table, folder, table.kind)
        for name, text in (("compare.md", page),
                           ("compare.html", _html(many, sides, folder, title, parts))):
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
    if not short:
        return page
    rows = sum(part.table.count for part in parts if part.table and part.table.kind == "compare")
    rest = f"{rows:,} rows of every shared point: add `--output DIR`, or `| less`.\n"
    without = [part for part in parts if not part.table or part.table.kind != "compare"]
    return _markdown(title, without) + "\n" + rest


def _html(many: Many, sides: list[Results], folder: Path, title: str, parts: list[Part]) -> str:
    found = strips(many)
    finding = draw_compared(many.first, found, folder) if found else ""
    names = [many.first, *(other.name for other in many.others)]
    content = {"title": title, "parts_of_page": parts, "say": say,
               "figure": inline_svg(folder / "compare.svg", finding) if found else "",
               "explorer": explorer_html(sides[0], sets=list(zip(names, sides)))}
    template = environment(False, folder).get_template("compare.html.j2", globals=content)
    return template.render().lstrip()
