"""Every kind of table and figure that there is, by name: files of report/kinds/ and of plots/ (see
analysis/tables/kind.py)."""

from __future__ import annotations

from collections.abc import Iterable

import plots
from analysis.kind_files import kinds_in
from analysis.tables.kind import FigureKind, Kind, TableKind
from language import say
from records.cases.case import Case
from report import kinds


def tables() -> dict[str, TableKind]:
    return kinds_in(kinds, "tables")


def figures() -> dict[str, FigureKind]:
    return plots.kinds()


def told() -> str:
    """All of them with what they show, a line each: what a definition may ask for."""
    lines = []
    for what, known in (("tables", tables()), ("figures", figures())):
        width = max(map(len, known))
        lines += [f"Kinds of {what}", *(f"  {name:{width}}  {kind.about}"
                                        f"{'; needs a baseline' if kind.needs_baseline else ''}"
                                        for name, kind in known.items()), ""]
    return "\n".join(lines[:-1])


def named(name: str) -> list[Kind]:
    """The table kind and the figure kind of that name, which are about the same; empty where there
    is neither."""
    return [of[name] for of in (tables(), figures()) if name in of]


def title_of(name: str) -> str:
    """In the language in use; empty where there is no such kind."""
    return next((say(kind.title) for kind in named(name)), "")


def titled_by_group(name: str) -> bool:
    """Does the group's name stand over a table or figure of the kind where the definition gives no
    title?"""
    return any(kind.titled_by_group for kind in named(name))


def has(name: str, cases: Iterable[Case]) -> bool:
    """Does any of the cases have what the kind is about? Kinds are looked up once, not for each of
    a hundred thousand cases."""
    of = named(name)
    return any(all(kind.has(case) for kind in of) for case in cases)


def unasked(what: str) -> list[str]:
    """The kinds of "tables" or "figures" that stand wherever there are points of them, in their
    order."""
    kinds: dict[str, TableKind] | dict[str, FigureKind] = (tables() if what == "tables"
                                                           else figures())
    return sorted((name for name, kind in kinds.items() if kind.always),
                  key=lambda name: kinds[name].always)


def explains(name: str) -> bool:
    """Does the kind say why a result is so, rather than what it is?"""
    return any(kind.explains for kind in named(name))


def for_phones(name: str) -> bool:
    """Does the kind of figure draw a narrow view, too?"""
    return name in figures() and figures()[name].for_phones
