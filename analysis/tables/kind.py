"""What a kind of table or figure is: one file each, which ends in `KIND = TableKind(...)` or `KIND
= FigureKind(...)`.

Whoever needs to know of kinds takes them from report/asked/registry.py; which files are kinds, and
what a kind is called, says analysis/kind_files.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from language import recorded, say
from records.cases.case import Case
from records.names.numbers import joined
from records.view import View

from .heads import Head
from .tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Wanted = list[dict[str, Any]]  # the tables and figures that a definition asks for


@dataclass(frozen=True, kw_only=True)
class Section:
    """What a section of the report is made of: an experiment's points on one host, all that its
    definition asks for, and views of other experiments, whose counters may say why."""

    view: View
    wanted: Wanted
    counted: Sequence[View] = ()

    @property
    def kinds(self) -> set[str]:
        return {spec["kind"] for spec in self.wanted}


def any_case(_: Case) -> bool:
    return True


@dataclass(frozen=True, kw_only=True)
class Kind:
    """title: what stands over it where the definition gives no other, in English. about: what
    it shows, for `gemmlab report --kinds`. of: the operation whose points alone it can show;
    empty where it takes any. has: does a case have what the kind is about? explains: does it
    say why a result is so? heads: what may head the section of an experiment that asks for it,
    the first that is not None; of several kinds the one with the lowest `before` is asked
    first. says: further sentences of such a section. titled_by_group: does the group's name
    stand over it where the definition gives no title? needs_baseline: as its file's folder says.
    always: not 0 where it stands wherever there are points of it, asked for or not; then its place
    among such."""

    title: str
    about: str
    of: str = ""
    has: Callable[[Case], bool] = any_case
    explains: bool = False
    heads: tuple[Callable[[Section], Head | None], ...] = ()
    before: int = 0
    says: Callable[[Section], list[str]] | None = None
    needs_baseline: bool = False
    titled_by_group: bool = False
    always: int = 0


@dataclass(frozen=True, kw_only=True)
class TableKind(Kind):
    """table: the table of a view that has shown cases; of one without, too, where `of_hidden`.
    led_by: the kind that stands before it whether or not a definition asks for it."""

    table: Callable[[View], Table]
    of_hidden: bool = False
    led_by: str = ""


@dataclass(frozen=True, kw_only=True)
class FigureKind(Kind):
    """figure: draws a view, or says why not. part: what of the view is drawn. counts_text: how much
    of the view is drawn and what is left out. finding: what it shows, in one sentence; empty where
    nothing is found. described: the picture in words. for_phones: does it draw a narrow view,
    too?"""

    figure: Callable[[View], Figure | str]
    part: Callable[[View], View] = lambda view: view
    counts_text: Callable[[View], str] | None = None
    for_phones: bool = False
    finding: Callable[[View], str] = lambda view: ""
    described: Callable[[View], str] | None = None


def alien(kind: Kind, view: View) -> str:
    """Why none of the view's points can be of the kind; empty where some are, or there is none at
    all."""
    others = sorted({case.operation for case in view.cases if case.operation != kind.of})
    if not kind.of or not others or any(case.operation == kind.of for case in view.cases):
        return ""
    return say("This shows points of {operation} alone, and these are of {others}.",
               operation=recorded(kind.of), others=joined([recorded(one) for one in others]))


def own_part(kind: Kind, view: View) -> View:
    """What of the view is of the kind's operation."""
    if not kind.of or all(case.operation == kind.of for case in view.cases):
        return view

    def own(cases: tuple[Case, ...]) -> tuple[Case, ...]:
        return tuple(case for case in cases if case.operation == kind.of)

    return replace(view, cases=own(view.cases), absent=own(view.absent), beside=own(view.beside))
