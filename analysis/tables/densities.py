"""A sparse matrix times a vector beside the dense product of the same size: up to which density
sparse is faster."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from language import say
from records.cases.case import Case
from records.cases.phrases import pairing, unsound
from records.cases.ratios import Ratio, speedup
from records.cases.series import series_of
from records.names.numbers import joined, percent
from records.view import View

from .tables import (
    Notes,
    Row,
    Table,
    brackets_note,
    empty,
    marked,
    ratio_cell,
    sentences,
    tie_note,
    time_cell,
)

SPARSE, DENSE = "spmv", "gemv"


@dataclass(frozen=True)
class Place:
    """One density: the sparse point, the fastest dense one, and how many times as fast sparse
    is."""

    density: float  # entries that are stored, of all
    sparse: Case
    dense: Case
    ratio: Ratio


@dataclass(frozen=True)
class Curve:
    """One implementation over the density, at one size and pattern."""

    name: str
    places: tuple[Place, ...]  # thinnest first


def density_of(case: Case) -> float:
    return case.dims["nnz"] / (case.dims["m"] * case.dims["n"])


def _fastest_dense(view: View) -> dict[tuple, Case]:
    found: dict[tuple, Case] = {}
    for case in view.shown:
        if case.operation == DENSE and not case.options and not case.copy:
            key = case.device, case.dims["m"], case.dims["n"]
            if key not in found or case.median_s < found[key].median_s:
                found[key] = case
    return found


def curves_of(view: View) -> list[Curve]:
    """Every sparse line with two densities or more beside a dense product, CPU before GPU."""
    dense = _fastest_dense(view)
    groups: dict[tuple, dict[float, Place]] = {}
    sparse = [case for case in view.shown if case.operation == SPARSE and not case.copy]
    for one in series_of(sparse):
        for case in one.cases:
            key = case.device, case.dims["m"], case.dims["n"]
            if key in dense:
                at = (one.name, *key, str(sorted(case.options.items())))
                groups.setdefault(at, {})[density_of(case)] = Place(
                    density_of(case), case, dense[key], speedup(dense[key], case))
    kept = sorted((key for key in groups if len(groups[key]) > 1), key=lambda key: key[1])
    return [Curve(key[0], tuple(groups[key][density] for density in sorted(groups[key])))
            for key in kept]


def crossing(places: tuple[Place, ...]) -> tuple[float | None, float | None]:
    """(the highest density at which sparse is faster, the lowest at which it is not); None where
    there is none such."""
    ahead = [one.density for one in places if one.ratio.value > 1 and not one.ratio.tie]
    behind = [one.density for one in places if one.density > max(ahead, default=0)
              and not (one.ratio.value > 1 and not one.ratio.tie)]
    return max(ahead, default=None), min(behind, default=None)


def sides(places: tuple[Place, ...]) -> tuple[Place, Place] | None:
    """The neighbours between which sparse and dense take equally long."""
    return next(((one, after) for one, after in itertools.pairwise(places)
                 if one.ratio.value > 1 >= after.ratio.value), None)


def meeting(places: tuple[Place, ...]) -> float | None:
    """The density at which both take equally long, on a straight line between the logarithms on
    both sides of it."""
    found = sides(places)
    if found is None:
        return None
    one, after = found
    share = math.log(one.ratio.value) / math.log(one.ratio.value / after.ratio.value)
    return one.density * (after.density / one.density) ** share


def _best(curves: list[Curve], device: str) -> tuple[Place, ...]:
    """At each density the fastest sparse of the device."""
    at: dict[float, Place] = {}
    for place in (place for curve in curves for place in curve.places
                  if place.sparse.device == device):
        if place.density not in at or place.sparse.median_s < at[place.density].sparse.median_s:
            at[place.density] = place
    return tuple(at[density] for density in sorted(at))


def _place_of(places: tuple[Place, ...]) -> str:
    """"8192×8192", with what is unsound of the points that the crossing lies between."""
    dims, found = places[0].sparse.dims, sides(places) or places[-1:]
    size = f"{dims['m']}×{dims['n']}"
    why = unsound(*(case for place in found for case in (place.sparse, place.dense)))
    loose = next(filter(None, (pairing(place.ratio) for place in found)), "")
    return say(", ").join(filter(None, (size, why, loose)))


def density_finding(view: View) -> str:
    """"Sparse beats dense up to a density of about 31 % on the GPU and 24 % on the CPU"."""
    curves, told = curves_of(view), []
    for device in ("gpu", "cpu"):
        places = _best(curves, device)
        if not places:
            continue
        last, first = crossing(places)
        middle = meeting(places)
        if last is None:
            told.append(say("nowhere on the {device}", device=device.upper()))
        elif first is None:
            told.append(say("at every density measured, up to {most}, on the {device}",
                            most=percent(last), device=device.upper()))
        else:
            told.append(say("up to a density of about {density} on the {device} ({place})",
                            density=percent(middle or last), device=device.upper(),
                            place=_place_of(places)))
    return say("Sparse beats dense {where}", where=joined(told)) if told else ""


def density_table(view: View) -> Table:
    """A row per line and density: the time of the sparse product, and how many times as fast as the
    dense one it is."""
    curves = curves_of(view)
    if not curves:
        return empty(view, say("No sparse point stands beside a dense product of the same size and "
                               "device."))
    notes = Notes(view)
    loose = all(place.ratio.not_paired for curve in curves for place in curve.places)
    dense = sorted({place.dense.name for curve in curves for place in curve.places})
    table = Table.of(view, sentences(
        say("Sparse: the matrix as stored entries alone; dense: the fastest gemv of the same size "
            "on the same device ({names}).", names=joined(dense)),
        say("Not paired: sparse and dense are groups of their own, timed at another time.")
        if loose else "", brackets_note(), tie_note()), (say("Implementation"), say("density")),
        (say("time"), say("times as fast as dense")))
    for curve in curves:
        for place in curve.places:
            table.rows.append(Row((curve.name, percent(place.density)), (
                marked(time_cell(place.sparse), notes, place.sparse), marked(
                    ratio_cell(place.ratio), notes, place.sparse, place.dense,
                    ratio=None if loose else place.ratio))))
    table.notes = notes.texts()
    return table

