"""Tables as Markdown and CSV, and their files. HTML is made by the page's template, LaTeX by
latex.py."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

from analysis.tables.kind import alien, own_part
from analysis.tables.tables import SPREAD, Cell, Table, sentences, without_numbers
from files.safe import for_csv, in_markdown_cell, without_markup
from language import say
from records.view import View
from report.asked import registry

from . import latex


def make(view: View) -> Table:
    """The table of a view's kind, whose caption ends with where and how it was measured; one
    sentence instead where the kind is unknown."""
    known = registry.tables()
    if view.kind not in known:
        return Table(view.kind, view.full_title, say(
            "There is no table of the kind “{kind}”; known are {known}.", kind=view.kind,
                                                     known=", ".join(known)), (), ())
    kind = known[view.kind]
    if why := alien(kind, view):
        return Table.of(view, why, (), ())
    view = own_part(kind, view)
    table = kind.table(view) if view.shown or kind.of_hidden else without_numbers(view)
    return (replace(table, caption=sentences(table.caption, view.conditions))
            if table.rows else table)


def _note_mark(cell: Cell) -> str:
    return f" ({cell.note})" if cell.note else ""


def _in_markdown(cell: Cell) -> str:
    text = in_markdown_cell(cell.text + _note_mark(cell))
    return f"**{text}**" if cell.best else text


def markdown(table: Table, most_rows: int | None = None, number: str = "") -> str:
    """A Markdown table with title, caption and numbered notes; at most `most_rows` rows where
    given. `number` stands before the title."""
    lines = [f"**{number}{in_markdown_cell(table.title)}**", ""]
    if table.rows:
        lines += [table_lines(table, most_rows), ""]
    lines.append(without_markup(table.caption))
    if most_rows is not None and table.count > most_rows:
        lines += ["", say("The first {most} of {count} rows; the CSV file has all.",
                          most=most_rows, count=table.count)]
    if table.notes:
        lines += ["", *(f"{number}. {in_markdown_cell(note)}"
                        for number, note in enumerate(table.notes, 1))]
    return "\n".join(lines) + "\n"


def table_lines(table: Table, most_rows: int | None = None) -> str:
    """Its head and rows alone."""
    heads = map(in_markdown_cell, (*table.heads, *table.full_columns))
    lines = [f"| {' | '.join(heads)} |",
             "|" + "---|" * len(table.heads) + "---:|" * len(table.columns)]
    for row in table.rows[:most_rows]:
        lines.append(
            f"| {' | '.join([*map(in_markdown_cell, row.heads), *map(_in_markdown, row.cells)])} |")
    return "\n".join(lines)


def csv_text(table: Table) -> str:
    """One line a cell, with the number as measured: heads, column, value, low, high, unit, note,
    and the share of the ceiling where the table has any. A table of words alone has a line per
    row."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if table.heads and not table.columns:
        writer.writerows([table.heads, *(row.heads for row in table.rows)])
        return out.getvalue()
    shares = any(cell.share is not None for row in table.rows for cell in row.cells)
    writer.writerow([*map(for_csv, table.heads), "column", "value", "low", "high", "unit", "note",
                     *(["of_ceiling"] if shares else [])])
    columns = list(map(for_csv, table.full_columns))
    for row in table.rows:
        heads = list(map(for_csv, row.heads))
        for column, cell in zip(columns, row.cells):
            if cell.text and cell.unit != SPREAD:  # which follows from low and high
                writer.writerow([*heads, column, *_numbers(cell), for_csv(cell.unit),
                                 for_csv(table.notes[cell.note - 1])
                                 if 0 < cell.note <= len(table.notes) else "",
                                 *([_number(cell.share)] if shares else [])])
    return out.getvalue()


def _numbers(cell: Cell) -> list[str]:
    return [_number(value) for value in (cell.value, cell.low, cell.high)]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.9g}"


def write(table: Table, folder: Path, stem: str) -> None:
    """stem.md, stem.csv and stem.tex."""
    folder.mkdir(parents=True, exist_ok=True)
    for suffix, text in ((".md", markdown(table)), (".csv", csv_text(table)),
                         (".tex", latex.table_text(table))):
        (folder / f"{stem}{suffix}").write_text(text, encoding="utf-8", newline="\n")
