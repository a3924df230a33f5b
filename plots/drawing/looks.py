"""The looks of what stands in one panel: each implementation's own; two that are alike differ by
marker, dashes and hatch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from records.cases.series import Series
from records.names.naming import HATCHES, LINES, MARKERS, Look, look_of


def apart(looks: Iterable[Look]) -> list[Look]:
    """The looks with their own colours; marker, dashes and hatch all differ, as far as there are
    enough of them, so that grey print tells them apart as well. Who comes first keeps its own."""
    made = list(looks)
    markers = _unlike([look.marker for look in made], MARKERS)
    lines = _unlike([look.line for look in made], LINES)
    hatches = _unlike([look.hatch for look in made], HATCHES)
    return [replace(look, marker=marker, line=line, hatch=hatch)
            for look, marker, line, hatch in zip(made, markers, lines, hatches)]


def _unlike(wanted: list, known: tuple) -> list:
    """Each its wanted one, or, where an earlier one has that, the next that nobody wants or has."""
    taken: list = []
    for place, want in enumerate(wanted):
        free = [one for one in known if one not in taken and one not in wanted[place + 1:]]
        free = free or [one for one in known if one not in taken] or list(known)
        taken.append(want if want not in taken else free[0])
    return taken


def looks_in(series: Iterable[Series]) -> list[Look]:
    """The looks of one panel's lines."""
    return apart(look_of(one.first) for one in series)
