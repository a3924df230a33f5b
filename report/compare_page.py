"""What `gemmlab compare` prints and writes: Markdown, and with a folder tables, a figure and a page with the explorer."""

from __future__ import annotations

from pathlib import Path

from .compare_many import FEWEST, Many, points_table, strips, summary, title_of, told
from .experiment import Results
from .explorer import explorer_html
from .figures import draw_compared
from .language import say
from .markup import inline_svg
from .pages import environment
from .safe import without_markup
from .table_text import markdown, write
from .tables import Table


def parts(many: Many) -> tuple[str, list[str], list[Table]]:
    """(title, sentences, tables): of two as compare.py has them, of more a summary before the points."""
    if len(many.others) + 1 < FEWEST:
        comparison = many.others[0].comparison
        return comparison.table.title, comparison.sentences, [comparison.table]
    return title_of(many), told(many), [summary(many), points_table(many)]


def page_of(many: Many, sides: list[Results], folder: Path | None) -> str:
    """The Markdown; with a folder also compare.md, .csv, .tex, .svg, .png and .html in it. `sides`: the first's records and
    the others', in the order of `many`."""
    title, sentences, tables = parts(many)
    lines = "".join(f"- {without_markup(text)}\n" for text in sentences)
    page = f"# {without_markup(title)}\n\n{lines}\n" + "\n".join(map(markdown, tables))
    if folder is not None:
        for table in tables:
            write(table, folder, table.kind)
        (folder / "compare.md").write_text(page, encoding="utf-8", newline="\n")
        (folder / "compare.html").write_text(_html(many, sides, folder, (title, sentences, tables)), encoding="utf-8", newline="\n")
    return page


def _html(many: Many, sides: list[Results], folder: Path, made: tuple[str, list[str], list[Table]]) -> str:
    title, sentences, tables = made
    found = strips(many)
    headline = draw_compared(many.first, found, folder) if found else ""
    names = [many.first, *(other.name for other in many.others)]
    content = {"title": title, "sentences": sentences, "tables": tables, "say": say,
               "figure": inline_svg(folder / "compare.svg", headline) if found else "",
               "explorer": explorer_html(sides[0], sets=list(zip(names, sides)))}
    return environment(False, folder).get_template("compare.html.j2", globals=content).render().lstrip()
