"""The report as one HTML page (nothing outside it is needed) and one Markdown page (figures beside it)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from .table_text import markdown
from .tables import Row

MOST_ROWS = 120  # of a table in a page; the CSV file has all


def inline_svg(path: Path, title: str) -> Markup:
    """The <svg> element of a file, scaling with the page; its ids get the file's stem, so that figures do not clash."""
    text = path.read_text(encoding="utf-8")
    text = text[text.index("<svg"):]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    stem = path.stem
    text = re.sub(r'\bid="', f'id="{stem}-', text)
    text = re.sub(r'(href="#|url\(#)', rf"\g<1>{stem}-", text)
    text = re.sub(r'<svg ([^>]*?)width="[^"]*"', r"<svg \1", text, count=1)
    text = re.sub(r'<svg ([^>]*?)height="[^"]*"', r"<svg \1", text, count=1)
    label = str(Markup.escape(title))
    return Markup(text.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1))


def _markdown_safe(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def _cells(row: Row) -> Markup:
    """A row's <td>s: the interval small below its number. Here and not in the template, which is ten times slower."""
    made = []
    for cell in row.cells:
        value, bracket, rest = cell.text.partition("[")
        ends, _, unit = rest.partition("]")
        note = f"<sup>{cell.note}</sup>" if cell.note else ""
        small = f"<small>[{escape(ends)}]</small>" if bracket else ""
        made.append(f'<td class="number">{escape(value.rstrip() + unit)}{small}{note}</td>')
    return Markup("".join([*(f"<td>{escape(head)}</td>" for head in row.heads), *made]))


def write_pages(folder: Path, **content: Any) -> None:
    """report.html and report.md, from the templates beside this file."""
    loader = FileSystemLoader(Path(__file__).parent / "templates")
    options = {"loader": loader, "undefined": StrictUndefined, "trim_blocks": True, "lstrip_blocks": True,
               "keep_trailing_newline": True}
    html = Environment(autoescape=True, **options)
    html.globals["svg"] = lambda drawn: inline_svg(folder / "figures" / f"{drawn.stem}.svg", drawn.title)
    html.globals["cells"] = _cells
    plain = Environment(autoescape=False, **options)
    plain.filters["safe_text"] = _markdown_safe
    plain.globals["table_markdown"] = lambda table: markdown(table, MOST_ROWS)
    folder.mkdir(parents=True, exist_ok=True)
    for environment, name in ((html, "report.html"), (plain, "report.md")):
        text = environment.get_template(f"{name}.j2").render(most_rows=MOST_ROWS, **content)
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
