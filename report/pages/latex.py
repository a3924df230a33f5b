r"""Tables as LaTeX, and report.tex, which sets them with the figures' PDFs: an example that
compiles as it lies there.

A table is one or more `longtable`s with booktabs' rules, as wide as a page allows and as long as it
is; one with a label is a single float, no wider than the text.
"""

from __future__ import annotations

import re
from pathlib import Path
from unicodedata import normalize

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from analysis.tables.tables import Cell, Row, Table
from analysis.tables.widths import MOST_WORDS, head_widths, parts_of, shares_of
from language import current, say

NAME = "report.tex"
WIDTH = 84  # letters that a line of a table takes, in \scriptsize
CJK_FONT = "Noto Serif CJK SC"
TEMPLATES = Path(__file__).parent / "templates"
_ESCAPES = {
    "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "<": r"\textless{}", ">": r"\textgreater{}", "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "×": r"$\times$", "·": r"$\cdot$",
    "µ": r"$\mu$", "–": "--", "≥": r"$\geq$", "≤": r"$\leq$", "±": r"$\pm$", "→": r"$\rightarrow$",
    "…": r"\dots{}", "“": "``", "”": "''", "’": "'", "²": r"$^2$", "₂": r"$_2$",
    # after \\ and in options they would be read, not set
    "[": "{[}", "]": "{]}", "*": "{*}",
    "³": r"$^3$", "⁴": r"$^4$", "⁻": r"$^{-}$", "−": "$-$", "\u00a0": "~", '"': r"\textquotedbl{}"}
_LATEX = str.maketrans(_ESCAPES)
_LACKING = re.compile(rf"[^\0-\u017f{re.escape(''.join(_ESCAPES))}]")


def escape(text: str) -> str:
    """Text as LaTeX sets it. pdfLaTeX stops at letters that its fonts lack: beyond Latin they lose
    their accents or become a question mark, unless the language in use has a font of its own."""
    if current() == "en":
        text = _LACKING.sub(lambda found: normalize("NFKD", found[0]).encode("ascii", "ignore")
                            .decode() or "?", text)
    return text.translate(_LATEX)


def _cell(cell: Cell) -> str:
    text = rf"\textbf{{{escape(cell.text)}}}" if cell.best else escape(cell.text)
    return text + (rf"\textsuperscript{{{cell.note}}}" if cell.note else "")


def _row(row: Row) -> str:
    cells = map(_cell, row.cells)
    return " & ".join([*map(escape, row.heads), *cells]) + r" \\"


def _columns(table: Table) -> str:
    """A leading column of many words is a paragraph, and so are all of a table of words alone."""
    if not table.columns:
        return "".join(f"p{{{0.42 * WIDTH * share / 100:.1f}em}}"
                       for share in shares_of(table, WIDTH))
    heads = [f"p{{{0.42 * own:.1f}em}}" if own > 30 else "l"
             for own in head_widths(table, MOST_WORDS)]
    return "".join(heads) + "r" * len(table.columns)


def _longtable(table: Table, caption: str) -> list[str]:
    heading = " & ".join(map(escape, (*table.heads, *table.full_columns))) + r" \\"
    return [rf"\begin{{longtable}}{{{_columns(table)}}}", rf"{caption} \\", r"\toprule", heading,
            r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot", *map(_row, table.rows),
            r"\end{longtable}"]


def _grouped_heads(table: Table) -> list[str]:
    """The line of heads over columns, and the rules below it; none where no column has one."""
    if not table.groups:
        return []
    at, heads, rules = len(table.heads) + 1, ["" for _ in table.heads], []
    for text, count in table.groups:
        heads.append(rf"\multicolumn{{{count}}}{{c}}{{{escape(text)}}}")
        if text:
            rules.append(rf"\cmidrule(lr){{{at}-{at + count - 1}}}")
        at += count
    return [" & ".join(heads) + r" \\", "".join(rules)]


def _stacked(text: str) -> str:
    """A head of several words, which would widen its column, one below the other."""
    words = escape(text).split(" ")
    stacked = r" \\ ".join(words)
    return stacked if len(words) == 1 else rf"\shortstack[r]{{{stacked}}}"


def _float(table: Table) -> str:
    r"""One float with \caption and \label, shrunk to \textwidth where it is wider; also needs
    \usepackage{graphicx}."""
    heads = [*map(escape, table.heads), *map(_stacked, table.columns)]
    notes = "".join(rf" \textsuperscript{{{number}}}\,{escape(note)}"
                    for number, note in enumerate(table.notes, 1))
    return "\n".join([
        r"\begin{table}[htbp]", r"\centering\footnotesize\setlength{\tabcolsep}{3pt}",
        rf"\caption{{{escape(table.title)}}}", rf"\label{{tab:{table.label}}}", r"\sbox0{%",
        rf"\begin{{tabular}}{{{'l' * len(table.heads)}{'r' * len(table.columns)}}}", r"\toprule",
        *_grouped_heads(table), " & ".join(heads) + r" \\", r"\midrule", *map(_row, table.rows),
        r"\bottomrule", r"\end{tabular}}",
        r"\ifdim\wd0>\textwidth\resizebox{\textwidth}{!}{\usebox0}\else\usebox0\fi",
        rf"\par\smallskip\parbox{{\textwidth}}{{\scriptsize {escape(table.caption)}{notes}}}",
        r"\end{table}"]) + "\n"


def table_text(table: Table) -> str:
    r"""The table; needs \usepackage{booktabs,longtable}."""
    if table.label and table.rows:
        return _float(table)
    notes = "".join(rf" \\ {number}. {escape(note)}" for number, note in enumerate(table.notes, 1))
    below = rf"{escape(table.caption)}{notes}\par\bigskip"
    if not table.rows:
        return rf"\textbf{{{escape(table.title)}}} {below}" + "\n"
    lines = ["{", r"\scriptsize", r"\setlength{\tabcolsep}{3pt}"]
    for number, part in enumerate(parts_of(table, WIDTH)):
        again = rf"\caption[]{{{escape(table.title)} ({say('continued')})}}"
        lines += _longtable(part, again if number else rf"\caption{{{escape(table.title)}}}")
    return "\n".join([*lines, below, "}"]) + "\n"


def example(content: dict[str, object]) -> str:
    """report.tex, to be compiled in the report's folder."""
    environment = Environment(loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined,
                              trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
                              block_start_string="<%", block_end_string="%>",
                              variable_start_string="<<<", variable_end_string=">>>",
                              comment_start_string="<#", comment_end_string="#>", autoescape=False)
    environment.filters["tex"] = escape
    english = current() == "en"
    text = environment.get_template(f"{NAME}.j2").render(
        cjk="" if english else CJK_FONT,
        engine="pdflatex" if english else "xelatex", **content)
    return re.sub(r"\n{3,}", "\n\n", text)
