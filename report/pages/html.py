"""The report as HTML (nothing outside it is needed), as the page that the PDF is made from, and as
Markdown."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from collections.abc import Callable, Collection
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

import plots
from analysis.tables.tables import Table
from analysis.tables.widths import parts_of, shares_of
from commands import progress
from commands.satellites import satellites
from files.safe import without_markup
from language import current, say
from plots.drawing.svg import page_rules

from . import latex, paper
from .document import Document, Packed
from .markup import below_heading, cells, inline_svg
from .table_text import markdown


def words() -> list[tuple[str, str]]:
    """(word, what it means), in the order in which a reader meets them."""
    return [
        (say("N"), say("the side of square matrices: A, B and C are N×N")),
        (say("kernel"), say("a function that runs on the GPU; as a scope: its time alone, with A, "
                            "B and C in the card's memory")),
        (say("call"), say("the kernel, its launch and the wait for it")),
        (say("with transfers, end to end"), say("the call, A and B copied to the card and C back")),
        (say("pinned, pageable"), say("memory of the host that stays in place, which the card can "
                                      "copy from directly, and ordinary memory")),
        (say("cold cache"), say("the inputs are not in any cache when the clock starts")),
        (say("rung"), say("a step of optimisation: plain loops, another order of loops (ikj), "
                          "blocks, tiles in shared memory, tiles in registers, loads that run "
                          "ahead (pipelined), packed operands (packed)")),
        (say("matrix units"),
         say("tensor cores, AMX: units that multiply small matrices of 8 or 16 bits, from which "
             "float32's accuracy is put together; they stand apart from plain float32")),
        (say("level, a tie"), say("a difference that the measurement cannot tell from none"))]


FORMS = ("html", "md", "tex", "pdf")
MOST_ROWS = 120  # of a table in a page; the CSV file has all
MOST_PAGED_ROWS = 60  # of a table on paper
PAGED_WIDTH = 132  # characters that a page is wide in a table's font
# Letters of the answer from which they are smaller; sentences of a part, and of a block, that stand
# on the screen, beyond which they are folded away; tables of a section that are listed one by one;
# letters of a table's notes that stand open.
LIMITS = {"long_answer": 180, "most_said": 2, "most_open": 4, "most_tables": 4, "long_notes": 600}
PAGE_STYLES = ("page/first.css", "page/tables.css")
SCRIPTS = ("open.js", "sort.js", "save.js", "print.js")
TEMPLATES = Path(__file__).parent / "templates"
OPTIONS: dict[str, Any] = {"loader": FileSystemLoader(TEMPLATES), "undefined": StrictUndefined,
                           "trim_blocks": True, "lstrip_blocks": True,
                           "keep_trailing_newline": True}


@cache
def stylesheet(*more: str | Path, paged: bool = False) -> Markup:
    """The rules of every page, those of the files `more`, and those of figures in the dark; on
    paper those of the paper."""
    names = ("report.css", *more, *(["paged.css"] if paged else []))
    rules = [(TEMPLATES / name).read_text(encoding="utf-8") for name in names]
    return Markup("".join(rules) + ("" if paged else page_rules()))


def _markdown_safe(text: str) -> str:
    return without_markup(text).replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")


def _slug(heading: str) -> str:
    """Where readers of Markdown, GitHub among them, let a link to that heading lead."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


# among what a report is made without: files beside its pages, and what tells of them
BESIDE = "beside"


def environment(paged: bool, folder: Path, beside: bool = True,
                own: Path = TEMPLATES) -> Environment:
    """What makes pages of the templates, for the screen or for paper; drawings lie in
    folder/figures. `beside`: do tables and other forms of figures lie there, too, so that the page
    names them? `own`: where templates are looked for before these."""
    html = Environment(autoescape=True, **OPTIONS | {"loader": FileSystemLoader([own, TEMPLATES])})
    html.filters["below_heading"] = below_heading
    drawings = folder / "figures"
    html.globals |= LIMITS | {
        "svg": (lambda drawn: paper.room_for(drawings / f"{drawn.stem}.pdf")) if paged else (
            lambda drawn: inline_svg(drawings / f"{drawn.stem}.svg", drawn.title,
                                     drawn.description or drawn.note)),
        "widths": lambda table: [f"{share:.2f}%" for share in shares_of(table, PAGED_WIDTH)]
        if paged or not table.columns else [],
        "cells": cells, "paged": paged, "beside": beside,
        "drawn_as": [(form, form.upper()) for form in plots.FORMATS],
        "most_rows": MOST_PAGED_ROWS if paged else MOST_ROWS,
        "style": stylesheet(*() if paged else PAGE_STYLES, paged=paged),
        "parts": (lambda table: parts_of(table, PAGED_WIDTH)) if paged else (lambda table: [table]),
        "script": Markup("".join((TEMPLATES / "page" / name).read_text(encoding="utf-8")
                                 for name in SCRIPTS))}
    return html


def packed_csv(document: Document, folder: Path) -> Packed:
    """The CSV of each table that has a file, as the files hold it: JSON by stem, deflated, in
    base64, as the page's script unpacks it."""
    paths = [folder / "tables" / f"{stem}.csv" for stem, _ in document.tables]
    texts = {path.stem: path.read_text(encoding="utf-8") for path in paths if path.is_file()}
    text = b64encode(zlib.compress(json.dumps(texts, ensure_ascii=False).encode(), 9)).decode()
    return Packed(text, frozenset(texts))


def _yours() -> list[tuple[str, str]]:
    """What a reader may do next: (command, what it tells)."""
    own = {10: ("./gemmlab run quick",
                say("measures this machine and makes this page of it, in about two minutes")),
           30: ("./gemmlab check cpu.mine",
                say("an implementation of your own, one file as README shows: is it right over odd "
                    "shapes"))}
    others = {place: (command, say(text)) for one in satellites().values()
              for place, (command, text) in one.yours.items()}
    return [told for _, told in sorted((own | others).items())]


def content_of(document: Document) -> dict[str, Any]:
    """What every template gets."""
    return {**vars(document), **document.numbers, "borrowed": document.borrowed, "words": words(),
            "yours": _yours(), "anchors": document.anchors, "say": say, "language": current()}


def html_text(document: Document, folder: Path, paged: bool = False, beside: bool = True) -> str:
    """The page of the report whose figures lie in `folder`; `paged` for paper."""
    content = content_of(document) | {"tables_csv": document.csv.text,
                                      "with_csv": document.csv.stems}
    return environment(paged, folder, beside).get_template("report.html.j2",
                                                           globals=content).render().lstrip()


def markdown_text(document: Document, beside: bool = True) -> str:
    """`beside`: do tables and other forms of figures lie there, too, so that the page names
    them?"""
    plain = Environment(autoescape=False, **OPTIONS)
    plain.filters |= {"safe_text": _markdown_safe, "slug": _slug}

    def table_markdown(table: Table, number: str) -> str:
        return markdown(table, MOST_ROWS, number)

    also_drawn = [form for form in ("png", "pdf") if form in plots.FORMATS] if beside else ()
    text = plain.get_template("report.md.j2").render(
        table_markdown=table_markdown, also_drawn=also_drawn, beside=beside, **content_of(document))
    return re.sub(r"\n{3,}", "\n\n", text)  # what a left-out part leaves behind


def write_pages(folder: Path, document: Document, without: Collection[str] = (),
                on_paper: Callable[[], str] | None = None) -> list[str]:
    """The report in each of FORMS but those `without`; returns what could not be made, and why.
    `on_paper` makes the page that the PDF is set from; the whole report where it is not given."""
    folder.mkdir(parents=True, exist_ok=True)
    makers = {
        "html": ("report.html", lambda: html_text(document, folder, beside=BESIDE not in without)),
        "md": ("report.md", lambda: markdown_text(document, BESIDE not in without)),
        "tex": (latex.NAME,
                lambda: latex.example(content_of(document) | {"drawn_as": plots.FORMATS}))}
    for form, (name, make) in makers.items():
        if form in FORMS and form not in without:
            (folder / name).write_text(make(), encoding="utf-8", newline="\n")
    if "pdf" in FORMS and "pdf" not in without:
        progress.now(paper.NAME)
        try:
            paper.write_pdf(on_paper or (lambda: html_text(document, folder, paged=True)), folder,
                            document.made_utc)
        except paper.NoPaper as why:
            return [str(why)]
    return []
