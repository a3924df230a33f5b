"""How wide a table is on paper, and its columns in as many parts as fit."""

from __future__ import annotations

from dataclasses import replace
from unicodedata import east_asian_width

from .tables import Cell, Row, Table

GAP = 3  # letters between two columns
BOLD = 1.2  # times as wide
# letters: a longer leading cell may be broken into lines for the sake of the columns
MOST_HEAD = 34
LEAST_WORDS = 24  # letters: no column of words becomes narrower than this for the others' sake
MOST_WORDS = 70  # letters: one of words is broken into lines beyond


def text_width(text: str) -> int:
    """In letters; a Chinese character takes two."""
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _heading(text: str) -> int:
    """Of its longest word, which is bold."""
    return round(BOLD * max((text_width(word) for word in text.split()), default=0))


def _cell_width(cell: Cell) -> int:
    """Of the wider of its two lines: the number with its unit, and the interval in small print."""
    value, _, rest = cell.text.partition("[")
    ends, _, unit = rest.partition("]")
    return max(text_width(value.rstrip() + unit),
               round(0.8 * (text_width(ends) + 2))) + bool(cell.note)


def head_widths(table: Table, most: int = MOST_HEAD) -> list[int]:
    """Of the leading columns, at most `most` each."""
    return [GAP + min(max(_heading(head), *(text_width(row.heads[place]) for row in table.rows)),
                      most)
            for place, head in enumerate(table.heads)]


def column_widths(table: Table) -> list[int]:
    return [GAP + max(_heading(column), *(_cell_width(row.cells[place]) for row in table.rows))
            for place, column in enumerate(table.columns)]


def parts_of(table: Table, width: int) -> list[Table]:
    """The table cut between columns, its leading columns in each part, so that each is at most
    `width` letters wide as far as that can be. One that is a single float stays whole."""
    if table.label:
        return [table]
    room = width - sum(head_widths(table))
    cuts, used = [0], 0
    for place, own in enumerate(column_widths(table)):
        if used and used + own > room:
            cuts.append(place)
            used = 0
        used += own
    ends = [*cuts[1:], len(table.columns)]
    if len(cuts) == 1:
        return [table]
    return [replace(table, columns=table.columns[first:last],
                    rows=[Row(row.heads, row.cells[first:last]) for row in table.rows])
            for first, last in zip(cuts, ends)]


def _words_width(texts: tuple[str, ...]) -> float:
    """Of a column in a table of words alone."""
    return max(text_width(word) for text in texts
               for word in text.split()) + 1.5 * max(map(text_width, texts)) ** 0.5


def shares_of(table: Table, width: int) -> list[float]:
    """Each column's share of the table's width, in percent. Where the columns want more than
    `width` letters, those of words give way first: they are broken into lines between words, the
    others would be within one. In a table of words alone a column has room for its longest word,
    and grows with the root of its longest text."""
    if not table.columns:
        widths = [_words_width(column)
                  for column in zip(table.heads, *(row.heads for row in table.rows))]
        return [100 * own / sum(widths) for own in widths]
    widths = [*head_widths(table, MOST_WORDS), *column_widths(table)]
    spare = [max(own - GAP - LEAST_WORDS, 0) for own in widths]
    given = min(max(sum(widths) - width, 0) / max(sum(spare), 1), 1)
    widths = [own - given * more for own, more in zip(widths, spare)]
    return [100 * own / sum(widths) for own in widths]
