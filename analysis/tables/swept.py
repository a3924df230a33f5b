"""One rate over the one number that varies among the points: a dimension, an option or a parameter,
such as a stride."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from language import recorded, say
from records.cases.case import Case
from records.cases.ratios import Ratio, speedup
from records.names.naming import bare_name, parameter_text
from records.names.numbers import plain, ratio_text
from records.schema.operations import extent_text, is_time
from records.view import View

from .rates import rate_cell
from .tables import Cell, Notes, Row, Table, brackets_note, empty, marked, sentences, units_text

OCCUPANCY = "occupancy"
_COUNTED = {"width": "width in bytes per load", "stride": "stride in elements of 4 bytes",
            "offset": "offset in elements of 4 bytes",
            "degree": "degree: lanes per bank, or distinct words per warp",
            OCCUPANCY: "occupancy (warps that an SM holds, of those that it can)"}
NEAR = 1.03  # times
Number = int | float


@dataclass(frozen=True)
class Axis:
    """What varies: its name, and its value of a case; None where the case has none."""

    name: str
    place: Callable[[Case], Number | None]


@dataclass(frozen=True)
class Line:
    """One implementation, with all but what varies held; its shown points by what varies."""

    name: str
    points: tuple[tuple[Number, Case], ...]


def _numeric(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _default(view: View, case: Case, name: str) -> Any:
    """Of an option that a record leaves out, as the run tells it."""
    operations: list[dict[str, Any]] = view.run.get("operations") or []
    of = next((one for one in operations if one.get("name") == case.operation), {})
    return next((option.get("default") for option in of.get("options") or ()
                 if option.get("name") == name), None)


def _values(view: View, name: str) -> Callable[[Case], Number | None]:
    def place(case: Case) -> Number | None:
        for table in (case.options, case.parameters, case.dims):
            if name in table:
                return table[name] if _numeric(table[name]) else None
        value = _default(view, case, name)
        return value if _numeric(value) else None
    return place


def axis_of(view: View) -> Axis | None:
    """The number with the most values; an option goes before a parameter, and that before a
    dimension. Blocks per SM are told as the occupancy that comes of them, where it was recorded."""
    names = list(dict.fromkeys(name for which in ("options", "parameters", "dims")
                               for case in view.shown for name in getattr(case, which)))
    counts = {name: len({value for case in view.shown
                         if (value := _values(view, name)(case)) is not None}) for name in names}
    best = max(names, key=lambda name: (counts[name], -names.index(name)), default=None)
    if best is None or counts[best] < 2:
        return None
    if best == "blocks_per_sm" and all(_numeric(case.resources.get(OCCUPANCY))
                                       for case in view.shown):
        return Axis(OCCUPANCY, lambda case: case.resources[OCCUPANCY])
    return Axis(best, _values(view, best))


def _rest(case: Case, name: str) -> dict[str, Any]:
    """What a case is beside what varies."""
    varying = ("blocks_per_sm",) if name == OCCUPANCY else (name,)
    return {key: value for table in (case.parameters, case.options, case.dims)
            for key, value in table.items() if key not in varying}


def lines_of(view: View, axis: Axis) -> list[Line]:
    """The lines with two points or more, in the order of the definition, under names that tell them
    apart."""
    groups: dict[tuple, list[tuple[Number, Case]]] = {}
    for case in sorted(view.shown, key=lambda case: (case.place, case.device, case.implementation)):
        where = axis.place(case)
        if where is not None and not case.copy:
            key = (case.implementation, str(sorted(_rest(case, axis.name).items())),
                   case.regime, case.group)
            groups.setdefault(key, []).append((where, case))
    kept = [sorted(points, key=lambda point: point[0]) for points in groups.values()
            if len({x for x, _ in points}) > 1]
    names = [_name(points[0][1], points) for points in kept]
    return [Line(_apart(names, place, kept, axis), tuple(points))
            for place, points in enumerate(kept)]


def _name(first: Case, points: list[tuple[Number, Case]]) -> str:
    labels = {case.label for _, case in points}
    if labels == {first.implementation}:
        return bare_name(first)
    if len(labels) == 1:
        return first.name
    return _stem([case for _, case in points]) or bare_name(first)


def _stem(cases: list[Case]) -> str:
    """What the labels have in common at their ends: "GPU, spilling" of "GPU, 2 blocks, spilling"
    and "GPU, 4 blocks, spilling"; empty where that is nothing."""
    labels = [recorded(case.label).split(", ") for case in cases]
    if len({len(parts) for parts in labels}) > 1:
        return ""
    return say(", ", context="name").join(parts[0] for parts in zip(*labels)
                                          if len(set(parts)) == 1)


def _apart(names: list[str], place: int, kept: list[list[tuple[Number, Case]]], axis: Axis) -> str:
    """The name with what tells it from others of the same name."""
    own = _rest(kept[place][0][1], axis.name)
    others = [_rest(points[0][1], axis.name) for name, points in zip(names, kept)
              if name == names[place]]
    told = [key for key in own if any(other.get(key) != own[key] for other in others)]
    device = [kept[place][0][1].device.upper()] if len({points[0][
        1].device for name, points in zip(names, kept) if name == names[place]}) > 1 else []
    return say(", ",
               context="name").join([names[place], *device,
                                     *(parameter_text(key, own[key]) for key in told)])


def relative(first: Case, case: Case) -> Ratio:
    """The rate of `case` over that of `first`, round by round where they shared rounds, whatever
    one call of each gets done."""
    ratio = speedup(first, case)
    if is_time(case.rate_unit):
        factor = case.rate / first.rate * ratio.value
        low, high = (None if end is None else factor / end for end in (ratio.high, ratio.low))
        return replace(ratio, value=factor / ratio.value, low=low, high=high)
    factor = case.rate / first.rate / ratio.value
    low, high = (None if end is None else factor * end for end in (ratio.low, ratio.high))
    return replace(ratio, value=factor * ratio.value, low=low, high=high)


def value_text(name: str, value: Number) -> str:
    """"16"; a share as percent."""
    return (f"{100 * value:.0f} %" if name == OCCUPANCY else extent_text(value)
            if isinstance(value, int) else f"{value:g}")


def axis_text(axis: Axis) -> str:
    return recorded(axis.name.replace("_", " "))


def axis_label(axis: Axis) -> str:
    """What stands at the axis: the name with what it counts, where it is known."""
    return say(_COUNTED[axis.name]) if axis.name in _COUNTED else axis_text(axis)


def sweep_table(view: View) -> Table:
    """A row per line and value: the rate, and what it is of the rate at the first value."""
    axis = axis_of(view)
    lines = lines_of(view, axis) if axis else []
    if axis is None or not lines:
        return empty(view, say("No number varies among these points."))
    notes = Notes(view)
    table = Table.of(view, sentences(
        say("The rate of the median time, and how many times the rate at the first value it is."),
        brackets_note()),
                     (say("Implementation"), axis_text(axis)),
                     (units_text(view.shown), say("times the first")))
    several = len({case.rate_unit for line in lines for _, case in line.points}) > 1
    for line in lines:
        first = line.points[0][1]
        for value, case in line.points:
            ratio = relative(first, case)
            text = ratio_text(ratio.value, ratio.low, ratio.high) if case is not first else "1"
            table.rows.append(Row((line.name, value_text(axis.name, value)), (
                marked(rate_cell(case, several), notes, case), marked(
                    Cell(text, ratio.value, ratio.low, ratio.high, "times"), notes, case, first))))
    table.notes = notes.texts()
    return table


def _farthest(line: Line) -> tuple[Number, Case]:
    """The point whose rate differs most from the first one's; the last, where it comes near to
    that."""
    first, last = line.points[0][1].rate, line.points[-1]
    far = max(line.points[1:], key=lambda point: max(point[1].rate / first, first / point[1].rate))
    return last if max(far[1].rate, last[1].rate) <= NEAR * min(far[1].rate, last[1].rate) else far


def _change(line: Line) -> float:
    """How many times more, or less, the farthest is than the first."""
    ratio = _farthest(line)[1].rate / line.points[0][1].rate
    return max(ratio, 1 / ratio)


def sweep_finding(view: View) -> str:
    """"access: 3,723 GB/s at stride 1 falls to 465 at 32, 8 times less": of the line whose rate
    changes most its first value, the one that differs most from it, and the last."""
    axis = axis_of(view)
    lines = lines_of(view, axis) if axis else []
    if axis is None or not lines:
        return ""
    line = max(lines, key=_change)
    (start, first), (end, other), (last, final) = line.points[0], _farthest(line), line.points[-1]
    text = ("{name}: {rate} {unit} at {axis} {start} rises to {other} at {end}, {times} times as "
            "much")
    if other.rate < first.rate:
        text = ("{name}: {rate} {unit} at {axis} {start} falls to {other} at {end}, {times} times "
                "less")
    told = say(text, name=line.name, rate=plain(first.rate), unit=first.rate_unit,
               axis=axis_text(axis), other=plain(other.rate), start=value_text(axis.name, start),
               times=ratio_text(_change(line)), end=value_text(axis.name, end))
    return told if end == last else say("{text}, and is {rate} at {end}", text=told,
                                        rate=plain(final.rate), end=value_text(axis.name, last))
