"""The first part of README.md, as the reference machine's records yield it: the answer, its figure,
and rows of the tables.

`python -m report.readme` prints it; with --write it is put into README.md, between its two
marks. A test compares.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

from analysis.tables.tables import SPREAD, Cell, Row, Table
from files.tree import ROOT
from records.cases.experiment import Results
from records.loading import find_files, load
from records.reference import reference_folder
from report.machine.stale import measured_text
from report.pages.table_text import table_lines

from .summary.answer import answer_of
from .summary.exhibits import beside_libraries, summary_of

BEGIN, END = "<!-- answer: made by python -m report.readme --write -->", "<!-- /answer -->"
FIGURE = "answer-gpu_over_cpu"
DETAILED = 3  # numbers of the first screen that README tells the points of
FURTHER = ("transfers", "types")  # exhibits whose further sentences limit what is told of them
FOLDED = "<details><summary>Intervals and conditions of these numbers</summary><ul>"
FORMS = (("HTML", "html"), ("PDF to hand in", "pdf"), ("Markdown", "md"))
# Of each table by its stem: the rows, and what begins the names of the columns that are left to the
# report, as all ± are.
TABLES = {"speedup": (("256", "1024", "2048", "4096"), ("plain against plain",)),
          "gflops-cpu": (("1024", "4096"), ()), "gflops-gpu": (("1024", "4096"), ()),
          "block-size": (("256", "2048", "4096"), ("time",)),
          "types": (("float32", "float32 in fp32-split", "float32 in tf32", "float32 in bf16",
                     "bfloat16", "float8_e4m3, to bfloat16, B transposed"), ())}


def answer_part(results: Results, report: str) -> str:
    """Markdown between the marks; `report` is the path of the machine's report from README.md."""
    answer, exhibits = answer_of(results, None), {one.name: one
                                                  for one in summary_of(results, None)}
    details = [f"{one.value} ({one.label}): {one.detail}." for one in answer.numbers[:DETAILED]]
    every = {stem: table for exhibit in exhibits.values() for stem, table in exhibit.tables}
    shown = {stem: _shown(every[stem], *wanted) for stem, wanted in TABLES.items()}
    tables = [table_lines(_with_stars(table)) for table in shown.values()]
    links = ", ".join(f"[{name}]({report}/report.{suffix})" for name, suffix in FORMS)
    further = [text for name in FURTHER if name in exhibits
               for text in exhibits[name].sentences[1:]]
    conditions = [*details, *map(_conditions, shown.values()), *further, *beside_libraries(results)]
    return "\n\n".join([f"**{answer.sentence}**",
                        f"![GPU over CPU by size]({report}/figures/{FIGURE}.svg)", *tables,
                        f"\\*: less certain; why is told below and in the report: {links}. "
                        + measured_text(results),
                        "\n".join([FOLDED, "".join(f"<li>{text}</li>" for text in conditions),
                                   "</ul></details>"])]) + "\n"


def _shown(table: Table, wanted: tuple[str, ...], without: tuple[str, ...]) -> Table:
    """Those rows of it, its title in its first head."""
    names = table.full_columns
    kept = [place for place, name in enumerate(names) if not name.startswith((SPREAD, *without))]
    alone = [text for text, _ in table.groups if text and not text.startswith(without)]
    if len(alone) == 1 and without:  # one group is left, which the title names
        names = table.columns
        table = replace(table, title=f"{table.title}, {alone[0]}")
    rows = [Row(row.heads, tuple(row.cells[place] for place in kept))
            for row in table.rows if row.heads[0] in wanted]
    heads = f"{table.title}; {table.heads[0]}", *table.heads[1:]
    return replace(table, heads=heads, columns=tuple(names[place] for place in kept), groups=(),
                   rows=rows)


def _with_stars(table: Table) -> Table:
    """A number that has a note is marked."""
    return replace(table, rows=[Row(row.heads, tuple(
        Cell(cell.text + "\\*" if cell.note else cell.text, best=cell.best)
        for cell in row.cells)) for row in table.rows])


def _conditions(table: Table) -> str:
    """How its numbers were measured, and what the notes of those shown say."""
    notes = sorted({cell.note for row in table.rows for cell in row.cells if cell.note})
    told = " · ".join(table.notes[note - 1].removesuffix(".") for note in notes)
    return f"{table.title}: {table.conditions}" + (f" \\*: {told}." if told else "")


def written(text: str, part: str) -> str:
    """README with that part between its marks."""
    before, _, rest = text.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise ValueError(f"README.md lacks the marks {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{part}{END}{after}"


def main(arguments: Sequence[str]) -> int:
    folder = reference_folder(ROOT / "data")
    if folder is None:
        raise ValueError("data/reference.json names no reference machine")
    part = answer_part(load(folder, find_files(folder)),
                       (folder / "report").relative_to(ROOT).as_posix())
    if list(arguments) == ["--write"]:
        path = ROOT / "README.md"
        path.write_text(written(path.read_text(encoding="utf-8"), part), encoding="utf-8")
    else:
        sys.stdout.write(part)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
