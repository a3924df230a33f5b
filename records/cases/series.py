"""Which cases belong to one line of a figure or one row of a table, what it is called, and in which
order they come."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from language import say
from records.names.naming import display_name, name_of, parameter_text
from records.schema.operations import Shape, by_volume, shape_text

from .case import Case


@dataclass(frozen=True)
class Series:
    """One implementation with its parameters, under one regime, over shapes."""

    name: str
    cases: tuple[Case, ...]

    @property
    def first(self) -> Case:
        return self.cases[0]

    @cached_property
    def by_shape(self) -> dict[Shape, Case]:
        return {case.shape: case for case in self.cases}


def natural(value: Any) -> tuple[int, float, str]:
    """A sort key under which 8 comes before 64, and numbers before words."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return 0, float(value), ""
    text = str(value)
    head = text.split("x", 1)[0]
    return (1, float(head), text) if head.isdigit() else (2, 0.0, text)


def _order(case: Case, without: str | None) -> tuple:
    """The order of the definition's lines; labels that it does not name come last, by device and
    implementation."""
    parameters = tuple((name, natural(value)) for name, value in sorted(case.parameters.items())
                       if name != without)
    return (case.place, case.device, case.implementation, parameters, case.label, case.regime,
            case.replica, case.handicap)


def _identity(case: Case, without: str | None) -> tuple:
    parameters = {name: value for name, value in case.parameters.items() if name != without}
    label = case.label if without is None else ""
    return (case.implementation, json.dumps(parameters, sort_keys=True), label, *case.regime,
            case.replica, case.handicap)


def _grouped(cases: Iterable[Case], without: str | None) -> list[list[Case]]:
    """The cases of one identity together. Cases that share their table of parameters, as read from
    a file, are sorted out by that first: writing the parameters out for each of a hundred thousand
    took longer than all else here."""
    alike: dict[tuple, list[Case]] = {}
    for case in cases:
        key = (case.implementation, id(case.parameters), case.label, case.scope, case.cache,
               case.distribution, case.host_memory, case.allocation, case.module_loading, case.load,
               case.operation, case.replica, case.handicap)
        alike.setdefault(key, []).append(case)
    grouped: dict[tuple, list[Case]] = {}
    for group in alike.values():
        grouped.setdefault(_identity(group[0], without), []).extend(group)
    return list(grouped.values())


def _family(group: list[Case], without: str) -> str:
    """What the labels have in common once the varying parameter is taken out: "OpenMP" for "OpenMP,
    8 threads" and "OpenMP, 16 threads"; the implementation where they have no such stem."""
    singular = re.escape(without.removesuffix("s"))
    stems = {re.sub(rf",?\s*(?:\b{singular}s?[ "
                    rf"=]*)?\b{re.escape(str(case.parameters.get(without)))}\b(?:[ "
                    rf"-]*{singular}s?\b)?", "", case.label).strip(" ,") for case in group}
    stem = stems.pop()
    if stem and not stems:
        return name_of(group[0], stem, (without,))
    return display_name(group[0], (without,))


def _names(groups: list[list[Case]], base: list[str], without: str | None) -> list[str]:
    """A name for each, told apart by what differs among those of the same base name."""
    taken: dict[str, list[int]] = {}
    for index, name in enumerate(base):
        taken.setdefault(name, []).append(index)
    names = [""] * len(groups)
    for name, indices in taken.items():
        facts = [{"": groups[i][0].implementation,
                  **groups[i][0].parameters, "scope": groups[i][0].scope,
                  "cache": groups[i][0].cache, "inputs": groups[i][0].distribution,
                  "memory": groups[i][0].host_memory, "allocation": groups[i][0].allocation,
                  "modules": groups[i][0].module_loading, "load": groups[i][0].load,
                  "operation": groups[i][0].operation, "replica": groups[i][0].replica,
                  "handicap": groups[i][0].handicap, "label": groups[i][0].label} for i in indices]
        devices = [groups[i][0].device.upper() for i in indices]
        if len(indices) > 1 and len(set(devices)) == len(indices):
            for index, device in zip(indices, devices):
                names[index] = say(", ", context="name").join([name, device])
            continue
        keys = [key for key in dict.fromkeys(key for fact in facts for key in fact)
                if key != without and len({str(fact.get(key)) for fact in facts}) > 1]
        if without is not None and len(keys) > 1 and "label" in keys:
            keys.remove("label")
        for index, fact in zip(indices, facts):
            extra = [parameter_text(key, fact[key]) for key in keys if fact.get(key) is not None]
            names[index] = say(", ", context="name").join([name, *extra])
    return names


def series_of(cases: Iterable[Case], without: str | None = None) -> list[Series]:
    """The cases as series, in a fixed order. `without` names a parameter that varies inside a
    series instead of between them (the columns of a block-size table, the axis of a thread-scaling
    figure)."""
    groups = sorted(_grouped(cases, without), key=lambda group: min(
        _order(case, without) for case in (group if without else group[:1])))
    for group in groups:
        group.sort(key=lambda case: (by_volume(case.shape),
                                     natural(case.parameters.get(without)) if without else ()))
    base = [group[0].name if without is None else _family(group, without) for group in groups]
    return [Series(_with_precision(name, group), tuple(group))
            for name, group in zip(_names(groups, base, without), groups)]


def _with_precision(name: str, cases: list[Case]) -> str:
    """What declares another precision than plain fp32 says so in its name, where that holds of all
    that the name stands for: of a line over several types each shape says its own."""
    own = {case.precision for case in cases}
    precision = own.pop() if len(own) == 1 else "fp32"
    return (name if precision == "fp32" or precision in name.casefold()
            else f"{name} ({precision})")


def shapes_of(cases: Iterable[Case]) -> list[Shape]:
    """Every shape met, smallest work first."""
    return sorted({case.shape for case in cases}, key=by_volume)


def shape_names(shapes: Iterable[Shape]) -> str:
    """"256, 512 and 1024"-like list for notes: "256, 512, 1024"; long ones shortened in the
    middle."""
    names = [shape_text(*shape) for shape in shapes]
    return ", ".join(names if len(names) <= 8 else [*names[:5], "…", *names[-2:]])


def values_of(cases: Iterable[Case], parameter: str) -> list[Any]:
    """The values of a parameter, in natural order."""
    return sorted({case.parameters[parameter] for case in cases if parameter in case.parameters},
                  key=natural)


def having(cases: Iterable[Case], parameter: str) -> list[Case]:
    """The cases that have the parameter at all."""
    return [case for case in cases if parameter in case.parameters]


def by_value(series: Series, parameter: str) -> dict[Shape, dict[Any, Case]]:
    """shape -> parameter value -> case."""
    found: dict[Shape, dict[Any, Case]] = {}
    for case in series.cases:
        found.setdefault(case.shape, {})[case.parameters[parameter]] = case
    return found
