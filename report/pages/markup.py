"""Parts of the HTML page that a template would be slow or clumsy at: figures within the page, and
the cells of a row."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup, escape

from analysis.tables.tables import SPREAD, Cell, Row
from language import say
from plots.drawing.svg import without_scheme

LONG = 40  # letters from which a cell may be broken into lines


def inline_svg(path: Path, title: str, description: str = "") -> Markup:
    """The <svg> element of a file, scaling with the page, with what it shows for who cannot see it;
    its ids get the file's stem, so that figures do not clash."""
    text = path.read_text(encoding="utf-8")
    text = without_scheme(text[text.index("<svg"):])  # the page has these rules once
    stem = path.stem
    text = re.sub(r'\bid="', f'id="{stem}-', text)
    text = re.sub(r'(href="#|url\(#)', rf"\g<1>{stem}-", text)
    text = re.sub(r'<svg ([^>]*?)width="[^"]*"', r"<svg \1", text, count=1)
    text = re.sub(r'<svg ([^>]*?)height="[^"]*"', r"<svg \1", text, count=1)
    label, told = escape(title), escape(description)
    described = f' aria-describedby="{stem}-told"' if description else ""
    head, _, rest = text.partition(">")
    head = head.replace("<svg ", '<svg role="img" preserveAspectRatio="xMinYMin meet" '
                        f'aria-label="{label}"{described} ', 1)
    return Markup(head + ">" + (f'<desc id="{stem}-told">{told}</desc>' if description
                                else "") + rest)


def below_heading(title: str, heading: str) -> str:
    """What a title says beside the heading that it stands below: "Squares" of "The ladder –
    Squares" below "The ladder"."""
    return title.removeprefix(say("{name} – {own}", name=heading, own="")) or title


def _number(cell: Cell) -> str:
    """What a column is sorted by: the number as measured, whatever unit it is shown in."""
    return "" if cell.value is None else f' data-v="{cell.value:.6g}"'


def cells(row: Row, link: str = "") -> Markup:
    """A row's <td>s: the interval small below its number; `link`: where its first head leads. Here
    and not in the template, which is ten times slower."""
    made = []
    for cell in row.cells:
        value, bracket, rest = cell.text.partition("[")
        ends, _, unit = rest.partition("]")
        note = f"<sup>{cell.note}</sup>" if cell.note else ""
        small = f"<small>[{escape(ends)}]</small>" if bracket else ""
        text = escape(value.rstrip() + unit)
        kind = "number spread" if cell.unit == SPREAD else "number"
        made.append(f'<td class="{kind}"{_number(cell)}>{f"<b>{text}</b>" if cell.best else text}'
                    f'{note}{small}</td>')
    tags = ["th scope=row", *["td"] * (len(row.heads) - 1)]
    heads = [f'<{tag}{" class=long" if len(head) > LONG else ""}>{escape(head)}</{tag[:2]}>'
             for tag, head in zip(tags, row.heads)]
    if link:
        first = f'<a href="{escape(quote(link))}">{escape(row.heads[0])}</a>'
        heads[0] = f"<th scope=row>{first}</th>"
    return Markup("".join([*heads, *made]))
