"""Which of several records of one point count: of each host the last, and for the tables of an
experiment one host's.

A host's later run counts, in whichever file it stands. Where several hosts measured a point, tables
and figures take the host that measured most of the experiment, so that as much as possible stands
side by side; the others are set aside for what sets hosts against each other (side_by_side.py).
Records of another program (another fingerprint) than the latest are not set against it: of them
none counts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from .cases.case import Case
from .cases.experiment import Experiment

Order = dict[str, tuple[str, str]]  # run_id -> what sorts runs by their start


def _order(runs: list[dict[str, Any]]) -> Order:
    return {str(run.get("run_id")): (str(run["started_utc"]), str(run.get("run_id")))
            for run in runs if run.get("started_utc")}


def _last(cases: list[Case], order: Order) -> list[Case]:
    """Of each point on each host the record of the latest run, where it stands; of runs that say
    nothing of their start, the last."""
    found: dict[tuple, tuple[tuple, Case]] = {}
    for place, case in enumerate(cases):
        key = (case.group, case.twin_of or case.case_id, case.host)
        age = (*order.get(case.run_id, ("", "")), place)
        if key not in found or age >= found[key][0]:
            found[key] = age, case
    return (cases if len(found) == len(cases)
            else [case for _, case in sorted(found.values(), key=lambda one: one[0][-1])])


def keep_last(experiment: Experiment) -> None:
    """Leaves of each host's records of a point the last. The cases must know their hosts."""
    order = _order(experiment.runs)
    experiment.cases, experiment.twins = _last(experiment.cases,
                                               order), _last(experiment.twins, order)


def set_others_aside(experiment: Experiment) -> None:
    """Leaves of each point one host's record, and puts those of the others, where they are of the
    same program, into `elsewhere`."""
    points: dict[tuple[str, str], list[Case]] = defaultdict(list)
    for case in experiment.cases:
        points[case.group, case.case_id].append(case)
    if len(points) == len(experiment.cases):
        return
    order = _order(experiment.runs)
    age = lambda case: order.get(case.run_id, ("", ""))  # noqa: E731
    counts = Counter(case.host for of in points.values() for case in of if case.shown)
    latest: dict[str, tuple[str, str]] = {}
    for case in experiment.cases:
        latest[case.host] = max(latest.get(case.host, ("", "")), age(case))
    best = sorted(latest, key=lambda host: (counts[host], latest[host], host), reverse=True)
    rank = {host: place for place, host in enumerate(best)}
    aside: list[Case] = []
    for of in points.values():
        current = max(of, key=age).fingerprint
        alike = sorted((case for case in of if case.fingerprint == current),
                       key=lambda case: rank[case.host])
        aside += alike[1:]
        of[:] = alike[:1]
    chosen = {id(case) for of in points.values() for case in of}
    experiment.cases = [case for case in experiment.cases if id(case) in chosen]
    experiment.elsewhere = aside
