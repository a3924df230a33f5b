"""Which points of an experiment are profiled."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from files.reading import InputError
from records.names.numbers import joined
from records.schema.older import device_of, dims_of
from records.schema.operations import GEMM, Shape, extents, shape_of, shape_text, volume

LARGEST = 4096  # of m, n and k: ncu repeats a kernel for each group of counters


@dataclass(frozen=True)
class Point:
    """As the program's `points EXPERIMENT` lists it."""

    case_id: str
    implementation: str
    parameters: dict[str, Any]
    label: str
    group: str
    scope: str
    dims: dict[str, int]
    operation: str = GEMM
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return f"{self.label} at {shape_text(*self.shape)}"

    @property
    def shape(self) -> Shape:
        return shape_of(self.dims, self.options)


_ALWAYS = ("case_id", "implementation", "parameters", "label", "group", "scope")


def read_points(listed: Any) -> list[Point]:
    """The points in the program's answer. Raises InputError where it is not such a list."""
    try:
        return [Point(**{name: entry[name] for name in _ALWAYS}, dims=dims_of(entry),
                      operation=entry.get("operation") or GEMM, options=entry.get("options") or {})
                for entry in listed]
    except (KeyError, TypeError) as error:
        raise InputError(f"the program's list of points is not as expected ({error})") from error


def points_on(device: str, points: list[Point], experiment: str, largest: int) -> list[Point]:
    """Every label of "gpu" or "cpu" at its group's largest shape of at most `largest`, each case
    once; kernels alone where the same label is there in several scopes. Raises InputError where
    there are none."""
    every = [point for point in points
             if device_of({"implementation": point.implementation}) == device]
    if not every:
        other = "; --cpu counts on the CPU" if points and device == "gpu" else ""
        raise InputError(f"experiment '{experiment}' has no {device.upper()} points{other}")
    groups: dict[str, list[Point]] = {}
    for point in every:
        if max(extents(point.shape)) <= largest:
            groups.setdefault(point.group, []).append(point)
    if not groups:
        smallest = min(max(extents(point.shape)) for point in every)
        raise InputError(f"experiment '{experiment}' has no {device.upper()} point of at most "
                         f"{largest}; the smallest needs --size {smallest}")
    chosen: dict[str, Point] = {}
    for group in groups.values():
        kernels = [point for point in group if point.scope == "kernel"] or group
        most = max(volume(point.shape) for point in kernels)
        chosen.update((point.case_id, point) for point in kernels if volume(point.shape) == most)
    return list(chosen.values())


def picked(points: list[Point], wanted: str) -> list[Point]:
    """The points that `wanted` names: labels, implementations or numbers of the list (from 1), with
    commas between them. A label may itself hold commas. Raises InputError for a name that is
    none."""
    pieces = [piece.strip() for piece in wanted.split(",")]
    chosen: dict[str, Point] = {}
    while pieces:
        for length in range(len(pieces), 0, -1):
            found = _named(points, ", ".join(pieces[:length]))
            if found:
                break
        else:
            names = joined([f"{number} '{point.label}'" for number, point in enumerate(points, 1)])
            raise InputError(f"--points: there is no point '{pieces[0]}'; there are {names}")
        chosen.update((point.case_id, point) for point in found)
        pieces = pieces[length:]
    return list(chosen.values())


def _named(points: list[Point], name: str) -> list[Point]:
    found = [point for point in points if name in (point.label, point.implementation)]
    if not found and name.isdecimal() and 1 <= int(name) <= len(points):
        return [points[int(name) - 1]]
    return found
