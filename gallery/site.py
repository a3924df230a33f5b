"""The pages of a gallery."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import plots
from commands import progress
from language import current, say
from records.names.numbers import counted
from report.build import build
from report.explorer import explorer_html
from report.pages.html import BESIDE, environment
from report.pages.table_text import write as write_table

from .rows import Machine, table_of

TEMPLATES = Path(__file__).parent / "templates"
PAGE = "report.html"


def write(folder: Path, machines: list[Machine], library: Callable[[], str]) -> list[str]:
    """index.html, gallery.csv, .md and .tex, and NAME/report.html of each machine; returns what
    could not be made, and why. `library` gives the explorer's, packed."""
    left_out = []
    for number, one in enumerate(machines, 1):
        progress.now(f"report of {one.name}, machine {number} of {len(machines)}")
        with plots.only(("svg",)):
            _, faults = build(one.results, None, folder / one.name, {"md", "tex", "pdf", BESIDE},
                              library=library)
        left_out += [f"{one.name}: {fault}" for fault in faults]
    progress.now("the table, and the explorer of all points")
    table = table_of(machines)
    write_table(table, folder, table.kind)
    sets = [(one.name, one.results) for one in machines]
    content = {"say": say, "language": current(), "table": table, "page": PAGE,
               "counted": counted(len(machines), "machine"),
               "explorer": explorer_html(machines[0].results, library=library, sets=sets)}
    made = environment(False, folder, own=TEMPLATES)
    page = made.get_template("gallery.html.j2", globals=content).render()
    (folder / "index.html").write_text(page.lstrip(), encoding="utf-8", newline="\n")
    return left_out
