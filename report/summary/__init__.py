"""What a reader comes for, formed once and shown in every form: answer.py is the answer in a
sentence, a few numbers and three lines for a terminal; made.py puts the exhibits in their order.

An exhibit answers one question of the reader's by a heading, a few sentences, tables and plots.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from records.view import View, machine_name
from report.pages.document import Stemmed

Job = tuple[View, str]  # what is drawn, and the stem of its files


@dataclass(frozen=True)
class Exhibit:
    """`name` is its anchor in a page, `label` its name in a word or two; `more` the experiment that
    its numbers come from."""

    name: str
    label: str
    question: str
    sentences: tuple[str, ...] = ()
    tables: tuple[Stemmed, ...] = ()
    figures: tuple[Job, ...] = ()
    more: str = ""
    reference: str = ""  # the machine's name where the numbers are the reference machine's
    # where and how the numbers of the sentences were measured, where no caption says so
    conditions: str = ""


def whose(run: dict[str, Any], reference: bool) -> str:
    """An exhibit's `reference`."""
    return machine_name(run) if reference else ""
