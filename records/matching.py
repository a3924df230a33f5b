"""Which point of one result set is the same as which of another."""

from __future__ import annotations

import json
from dataclasses import dataclass

from .cases.case import Case
from .cases.experiment import Results
from .cases.series import natural
from .schema.operations import by_volume

Key = tuple


@dataclass(frozen=True)
class Match:
    """A point of both sets. `cores` where "all cores" are different numbers of threads on the two,
    as "16 / 2"."""

    first: Case
    second: Case
    cores: str = ""


def _identity(case: Case, experiment: str, parameters: dict) -> Key:
    return (experiment, case.implementation, json.dumps(parameters, sort_keys=True), case.shape,
            *case.regime, case.replica, case.handicap)


def keyed(results: Results) -> dict[Key, Case]:
    """Cases by what they measure; the same point under several labels is numbered in the order of
    the labels."""
    found: dict[Key, Case] = {}
    for experiment in results.experiments:
        for case in sorted(experiment.cases, key=lambda case: (case.label, case.case_id)):
            point = _identity(case, experiment.name, case.parameters)
            number = 0
            while (*point, number) in found:
                number += 1
            found[(*point, number)] = case
    return found


def _on_all_cores(results: Results, left: dict[Key, Case]) -> dict[Key, Key]:
    """Of the points left, those with as many threads as their machine has cores: by all but that
    number -> key."""
    cores = {run.get("run_id"): (run.get("host") or {}).get("cores") for run in results.runs}
    found: dict[Key, Key] = {}
    for key, case in left.items():
        threads = case.parameters.get("threads")
        if threads and threads == cores.get(case.run_id):
            others = {name: value for name, value in case.parameters.items() if name != "threads"}
            found[(*_identity(case, key[0], others), key[-1])] = key
    return found


def order_of(case: Case) -> tuple:
    """What sorts points into the order of a table."""
    parameters = tuple((name, natural(value)) for name, value in sorted(case.parameters.items()))
    return case.experiment, case.device, case.implementation, parameters, by_volume(case.shape), \
        case.regime, case.replica, case.handicap, case.label


def matched(first: Results, second: Results) -> tuple[list[Match], list[Case], list[Case]]:
    """(the points of both in a fixed order, those of the first only, those of the second only).
    Equal parameters come first; of the rest, points that run on all cores of machines with
    different numbers of them are one point."""
    mine, theirs = keyed(first), keyed(second)
    shared = {key: Match(mine[key], theirs[key]) for key in mine if key in theirs}
    left = {key: case for key, case in mine.items() if key not in shared}
    others = {key: case for key, case in theirs.items() if key not in shared}
    there = _on_all_cores(second, others)
    for point, key in _on_all_cores(first, left).items():
        if point in there:
            one, other = left.pop(key), others.pop(there[point])
            shared[key] = Match(one, other,
                                f"{one.parameters['threads']} / {other.parameters['threads']}")
    ordered = sorted(shared, key=lambda key: (order_of(shared[key].first), key[-1]))
    return [shared[key] for key in ordered], list(left.values()), list(others.values())
