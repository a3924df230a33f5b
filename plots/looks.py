"""Which of the seven looks (colour, marker, line, hatch) a name has: the same in every figure of a report."""

from __future__ import annotations

from typing import Iterable

from report.kind import FigureKind
from report.view import View

from .style import MOST_LINES


def assigned(panels: Iterable[list[str]]) -> dict[str, int]:
    """A look for each name, different for names that share a panel, as far as seven can be.

    Greedy colouring (DSATUR, Brélaz 1979): next comes the name whose neighbours already have most looks. Where all seven
    are taken, the one that clashes least is given, and that panel tells the two apart by itself (looks_in).
    """
    beside: dict[str, dict[str, None]] = {}
    for panel in panels:
        for name in panel:
            beside.setdefault(name, {}).update((other, None) for other in panel if other != name)
    places = {name: place for place, name in enumerate(beside)}
    looks: dict[str, int] = {}
    around: dict[str, set[int]] = {name: set() for name in beside}
    waiting = set(beside)
    while waiting:
        name = min(waiting, key=lambda one: (-len(around[one]), -len(beside[one]), places[one]))
        clashes = [sum(looks.get(other) == look for other in beside[name]) for look in range(MOST_LINES)]
        looks[name] = clashes.index(min(clashes))
        waiting.remove(name)
        for other in beside[name]:
            around[other].add(looks[name])
    return looks


def looks_of(views: list[View], kinds: dict[str, FigureKind]) -> dict[str, int]:
    """The looks for a whole report."""
    panels: list[list[str]] = []
    for view in views:
        if view.kind in kinds and view.shown:
            panels += kinds[view.kind].names_in_panels(view)
    return assigned(panels)


def looks_in(view: View, names: list[str]) -> list[int]:
    """The looks of one panel's names (at most seven), all different."""
    found: dict[int, int] = {}
    for place, name in enumerate(names):
        look = view.looks.get(name)
        if look is not None and look not in found.values():
            found[place] = look
    free = iter([look for look in range(MOST_LINES) if look not in found.values()])
    return [found[place] if place in found else next(free) for place in range(len(names))]
