"""The hand-in as the HTML page that report.pdf is set from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from analysis.answer.model import Answer
from analysis.tables.tables import sentences
from analysis.tables.widths import parts_of
from language import current, say
from report.pages import paper
from report.pages.markup import cells

from .parts import Material, appendices, parts
from .wishes import Wishes

TEMPLATES = Path(__file__).resolve().parents[1] / "pages" / "templates"
LINES = 8  # to write on, where there is no discussion
WIDTH = 110  # letters that the page is wide in a table's font
WIDTHS = {"claims": (27, 16, 17, 26, 14)}  # of the columns, in percent
MOST_FIGURE_PT = (480.0, 300.0)  # width and height: its letters stay at 80 % of their size or more


def _markdown(text: str) -> Markup:
    """The reader's own Markdown: no HTML, no pictures, and headings below the hand-in's own. Raises
    NoPaper where markdown-it-py is missing."""
    try:
        from markdown_it import MarkdownIt
    except ImportError as error:
        raise paper.NoPaper(f"{paper.NAME} is left out: its discussion needs markdown-it-py; pip "
                            "install -r requirements.txt") from error
    parser = MarkdownIt("commonmark",
                        {"html": False}).enable("table").disable(["image", "html_block",
                                                                  "html_inline"])
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 2, 6)}"
    return Markup(parser.renderer.render(tokens, parser.options, {}))


def head(wishes: Wishes, made_utc: str) -> list[tuple[str, str]]:
    """(what, value) of author, course, student number and date; an empty value is a line to write
    on."""
    return [(say("Author"), wishes.author), (say("Course"), wishes.course),
            (say("Student number"), wishes.student_number),
            (say("Date"), wishes.date or made_utc[:10])]


def prompts(judged: bool) -> list[str]:
    """What a discussion may be about; `judged`: published claims stand in it."""
    every = [
        say("Which result did you not expect, and how do you explain it?"),
        say("Why is this block size the best on this card, and what would change it on another?"),
        say("From which size would you use the GPU in a program of your own, transfers counted?"),
        say("Which published claim does not hold here, and why?")]
    return every if judged else every[:-1]


def _in_short(answer: Answer) -> str:
    """With what a GPU brings, where this machine has none."""
    return sentences(answer.sentence, answer.borrowed.sentence if answer.borrowed else "")


def page_text(material: Material, folder: Path) -> str:
    """The page, with an empty box for each figure of `folder`/figures."""
    wishes, document = material.wishes, material.document
    environment = Environment(autoescape=True, loader=FileSystemLoader(TEMPLATES),
                              undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
                              keep_trailing_newline=True)
    content: dict[str, Any] = {
        "say": say, "language": current(), "cells": cells,
        "cut": lambda table: parts_of(table, WIDTH),
        "style": Markup((TEMPLATES / "handin.css").read_text(encoding="utf-8")),
        "title": wishes.title or say("Matrix multiplication: CPU against GPU"),
        "head": head(wishes, document.made_utc),
        "subtitle": document.title, "sentence": _in_short(document.answer),
        "facts": document.machine + document.program, "parts": parts(material),
        "appendices": appendices(material),
        "discussion": _markdown(wishes.discussion) if wishes.discussion.strip() else "",
        "prompts": prompts(any(one.name == "claims" for one in document.summary)), "lines": LINES,
        "widths": WIDTHS, "figure_number": {}, "table_number": {}}
    every = [*content["parts"], *content["appendices"]]
    for name, stems in (("figure_number", (one.stem for part in every for one in part.figures)),
                        ("table_number", (stem for part in every for stem, _ in part.tables))):
        content[name] = {stem: number for number, stem in enumerate(dict.fromkeys(stems), 1)}
    content["room"] = lambda drawn: paper.room_for(folder / "figures" / f"{drawn.stem}.pdf",
                                                   MOST_FIGURE_PT)
    return environment.get_template("handin.html.j2").render(**content).lstrip()
