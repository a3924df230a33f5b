"""The report's chapter of published reports."""

from __future__ import annotations

from pathlib import Path

from language import say
from records.cases.experiment import Results
from report.pages.document import Block, Chapter
from report.pages.html import MOST_ROWS

from . import chapters
from .satellite import TITLE


def chapter(results: Results, folder: Path) -> Chapter:
    """What others published, beside this machine's numbers; its tables are written into `folder`."""
    blocks: list[Block] = []
    for one in chapters(results, folder):
        source = [say("Source: {source}", source=one.source)] if one.source else []
        tables = [(stem, table.shortened(MOST_ROWS)) for stem, table in one.tables]
        blocks.append(Block(one.name, one.title, [*filter(None, [one.question]), *one.sentences, *source], tables=tables,
                            figures=one.figures))
    return Chapter("published-chapter", say(TITLE), [], blocks)
