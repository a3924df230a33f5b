"""The report as HTML (nothing outside it is needed), as the page that the PDF is made from, and as Markdown."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from functools import lru_cache
from pathlib import Path
from typing import Any, Callable, Collection

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from . import latex, paper, progress
from .document import Document
from .language import current, say
from .safe import without_markup
from .scheme import SCHEME_STYLE, page_rules
from .table_text import markdown
from .tables import Cell, Row, Table
from .widths import parts_of, shares_of

FORMS = ("html", "md", "tex", "pdf")
MOST_ROWS = 120  # of a table in a page; the CSV file has all
MOST_PAGED_ROWS = 60  # of a table on paper
PAGED_WIDTH = 132  # characters that a page is wide in a table's font
LONG_ANSWER = 180  # letters of the answer's sentence from which its letters are smaller
MOST_SAID = 2  # sentences of a part that stand on the screen
MOST_TABLES = 4  # of a section that are listed one by one
MOST_OPEN = 4  # sentences of a block that stand on the screen: more are folded away
PAGE_STYLES = ("page/first.css", "page/tables.css")
SCRIPTS = ("sort.js", "save.js", "print.js")
LONG = 40  # letters from which a cell may be broken into lines
TEMPLATES = Path(__file__).parent / "templates"
OPTIONS = {"loader": FileSystemLoader(TEMPLATES), "undefined": StrictUndefined, "trim_blocks": True,
           "lstrip_blocks": True, "keep_trailing_newline": True}


def inline_svg(path: Path, title: str, description: str = "") -> Markup:
    """The <svg> element of a file, scaling with the page, with what it shows for who cannot see it; its ids get the file's
    stem, so that figures do not clash."""
    text = path.read_text(encoding="utf-8")
    text = text[text.index("<svg"):].replace(SCHEME_STYLE, "")  # the page has these rules once
    stem = path.stem
    text = re.sub(r'\bid="', f'id="{stem}-', text)
    text = re.sub(r'(href="#|url\(#)', rf"\g<1>{stem}-", text)
    text = re.sub(r'<svg ([^>]*?)width="[^"]*"', r"<svg \1", text, count=1)
    text = re.sub(r'<svg ([^>]*?)height="[^"]*"', r"<svg \1", text, count=1)
    label, told = escape(title), escape(description)
    described = f' aria-describedby="{stem}-told"' if description else ""
    head, _, rest = text.partition(">")
    head = head.replace("<svg ", f'<svg role="img" preserveAspectRatio="xMinYMin meet" aria-label="{label}"{described} ', 1)
    return Markup(head + ">" + (f'<desc id="{stem}-told">{told}</desc>' if description else "") + rest)


@lru_cache(maxsize=None)
def stylesheet(*more: str, paged: bool = False) -> Markup:
    """The rules of every page, those of the files `more`, and those of figures in the dark; on paper those of the paper."""
    rules = [(TEMPLATES / name).read_text(encoding="utf-8") for name in ("report.css", *more, *(["paged.css"] if paged else []))]
    return Markup("".join(rules) + ("" if paged else page_rules()))


def _markdown_safe(text: str) -> str:
    return without_markup(text).replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")


def _slug(heading: str) -> str:
    """Where readers of Markdown, GitHub among them, let a link to that heading lead."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def _below_heading(title: str, heading: str) -> str:
    """What a title says beside the heading that it stands below: "Squares" of "The ladder – Squares" below "The ladder"."""
    return title.removeprefix(say("view.headed", name=heading, own="")) or title


def _number(cell: Cell) -> str:
    """What a column is sorted by: the number as measured, whatever unit it is shown in."""
    return "" if cell.value is None else f' data-v="{cell.value:.6g}"'


def _cells(row: Row) -> Markup:
    """A row's <td>s: the interval small below its number. Here and not in the template, which is ten times slower."""
    made = []
    for cell in row.cells:
        value, bracket, rest = cell.text.partition("[")
        ends, _, unit = rest.partition("]")
        note = f"<sup>{cell.note}</sup>" if cell.note else ""
        small = f"<small>[{escape(ends)}]</small>" if bracket else ""
        made.append(f'<td class="number"{_number(cell)}>{escape(value.rstrip() + unit)}{note}{small}</td>')
    tags = ("th scope=row", *("td" for _ in row.heads[1:]))
    heads = [f'<{tag}{" class=long" if len(head) > LONG else ""}>{escape(head)}</{tag[:2]}>' for tag, head in zip(tags, row.heads)]
    return Markup("".join([*heads, *made]))


def _html(paged: bool, folder: Path) -> Environment:
    html = Environment(autoescape=True, **OPTIONS)
    html.filters["below_heading"] = _below_heading
    html.globals |= {
        "svg": (lambda drawn: paper.room_for(folder / "figures" / f"{drawn.stem}.pdf")) if paged else (
            lambda drawn: inline_svg(folder / "figures" / f"{drawn.stem}.svg", drawn.title, drawn.description or drawn.note)), "cells": _cells,
        "widths": lambda table: [f"{share:.2f}%" for share in shares_of(table, PAGED_WIDTH)]
        if paged or not table.columns else [],
        "paged": paged, "most_rows": MOST_PAGED_ROWS if paged else MOST_ROWS, "most_open": MOST_OPEN, "most_said": MOST_SAID, "most_tables": MOST_TABLES, "long_answer": LONG_ANSWER,
        "style": stylesheet(*() if paged else PAGE_STYLES, paged=paged),
        "parts": (lambda table: parts_of(table, PAGED_WIDTH)) if paged else (lambda table: [table]),
        "script": Markup("".join((TEMPLATES / "page" / name).read_text(encoding="utf-8") for name in SCRIPTS))}
    return html


def _csv_texts(document: Document, folder: Path) -> dict[str, str]:
    """The CSV of each table that has a file, by stem, as the files hold it."""
    paths = [folder / "tables" / f"{stem}.csv" for stem, _ in document.tables]
    return {path.stem: path.read_text(encoding="utf-8") for path in paths if path.is_file()}


def _packed(texts: dict[str, str]) -> str:
    """As a page's script unpacks it: JSON, deflated, in base64."""
    return b64encode(zlib.compress(json.dumps(texts, ensure_ascii=False).encode(), 9)).decode()


def content_of(document: Document) -> dict[str, Any]:
    """What every template gets."""
    return {**vars(document), **document.numbers, "contents": document.contents, "anchors": document.anchors, "say": say,
            "language": current()}


def html_text(document: Document, folder: Path, paged: bool = False) -> str:
    """The page of the report whose figures lie in `folder`; `paged` for paper."""
    texts = {} if paged else _csv_texts(document, folder)
    content = content_of(document) | {"tables_csv": _packed(texts), "with_csv": set(texts)}
    return _html(paged, folder).get_template("report.html.j2", globals=content).render().lstrip()


def markdown_text(document: Document) -> str:
    plain = Environment(autoescape=False, **OPTIONS)
    plain.filters |= {"safe_text": _markdown_safe, "slug": _slug}

    def table_markdown(table: Table, number: str) -> str:
        return markdown(table, MOST_ROWS, number)

    text = plain.get_template("report.md.j2").render(table_markdown=table_markdown, **content_of(document))
    return re.sub(r"\n{3,}", "\n\n", text)  # what a left-out part leaves behind


def write_pages(folder: Path, document: Document, without: Collection[str] = (),
                on_paper: Callable[[], str] | None = None) -> list[str]:
    """The report in each of FORMS but those `without`; returns what could not be made, and why. `on_paper` makes the page that
    the PDF is set from; the whole report where it is not given."""
    folder.mkdir(parents=True, exist_ok=True)
    makers = {"html": ("report.html", lambda: html_text(document, folder)),
              "md": ("report.md", lambda: markdown_text(document)),
              "tex": (latex.NAME, lambda: latex.example(content_of(document)))}
    for form, (name, make) in makers.items():
        if form in FORMS and form not in without:
            (folder / name).write_text(make(), encoding="utf-8", newline="\n")
    (folder / paper.NAME).unlink(missing_ok=True)  # an earlier one tells of other records
    if "pdf" in FORMS and "pdf" not in without:
        progress.now(paper.NAME)
        try:
            paper.write_pdf(on_paper or (lambda: html_text(document, folder, paged=True)), folder, document.made_utc)
        except paper.NoPaper as why:
            return [str(why)]
    return []
