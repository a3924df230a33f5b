"""Hosts of one model side by side: how far they lie apart, and which of them is the odd one out.

Nothing is mixed by it: each value is one host's own. Set against each other are trusted ceilings,
and the points that several hosts measured with the same program. Of the points of an operation on a
device a host's value is its speed relative to the others: the geometric mean, over the points that
it shares with another host, of the median time of the hosts over its own. Only hosts with the same
card are compared on the GPU, and on the CPU those with the same processor and number of cores.

The odd one out lies farther from the median of at least three hosts than ODD times the median
distance from it (3.5 standard deviations, were the others normally distributed: Iglewicz and
Hoaglin, 1993), and farther than LEAST or the noise floor of its points, whichever is larger.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from statistics import median
from typing import Any

from language import recorded, say
from records.cases.case import Case
from records.cases.ceilings import best_ceilings, trusted, without_too_low
from records.cases.experiment import Results
from records.cases.hosts import Run, first_card, host_of, hosts_of
from records.cases.ratios import geometric_mean
from records.names.numbers import counted
from records.schema.operations import shape_text

ODD = 3.5 * 1.4826  # times the median distance from the median
LEAST = 0.02  # what the ceilings of one host come apart from one run to the next
FEWEST = 3  # hosts: of two nobody can say which is odd
_WANTED = {"gpu": {("fma", None), ("memory_read", "l2"), ("memory_read", "dram"),
                   ("transfer_to_device", "pinned"), ("transfer_from_device", "pinned")},
           "cpu": {("fma", None), ("memory_read", "dram")}}


@dataclass(frozen=True)
class Apart:
    """One thing as several hosts of one model have it. `values`: host -> value, of which more is
    faster; without a unit they are speeds relative to the other hosts'."""

    device: str
    name: str
    model: str
    values: dict[str, float]
    unit: str = ""
    points: int = 0
    floor: float = LEAST
    # host -> its point that lies farthest, and how far
    worst: dict[str, tuple[float, Case]] = field(default_factory=dict)

    @property
    def middle(self) -> float:
        return median(self.values.values())

    @property
    def spread(self) -> float:
        """0.021: from the slowest to the fastest host, as a share of the median."""
        return (max(self.values.values()) - min(self.values.values())) / self.middle

    def distance(self, host: str) -> float:
        """−0.14: 14 % slower than the median."""
        return self.values[host] / self.middle - 1

    @property
    def odd(self) -> list[str]:
        """The odd hosts, the oddest first; none among fewer than FEWEST."""
        if len(self.values) < FEWEST:
            return []
        usual = median(abs(self.distance(host)) for host in self.values)
        found = [host for host in self.values
                 if abs(self.distance(host)) > max(ODD * usual, self.floor)]
        return sorted(found, key=lambda host: -abs(self.distance(host)))


def model_of(run: Run, device: str) -> str:
    """What two hosts must have in common to be compared on that device; empty where the run does
    not say."""
    if device == "gpu":
        return str(first_card(run).get("name") or "")
    host = run.get("host") or {}
    return say("{cpu}, {processors}", cpu=host["cpu"], processors=counted(
        int(host.get("cores") or 0), "processor")) if host.get("cpu") else ""


def _ceiling_key(entry: dict[str, Any], best: dict[tuple, float]) -> tuple | None:
    """(device, what it is called) of a ceiling that is set side by side; on the CPU of the best
    instruction set alone."""
    device, what, level = str(entry.get("device")), str(entry.get("what")), entry.get("level")
    if (not trusted(entry)
            or (what, None if what == "fma" else level) not in _WANTED.get(device, ())):
        return None
    one = entry.get("threads") == 1
    if what == "fma" and entry["value"] < best[device, one]:
        return None
    words = {"fma": say("FMA"),
             "memory_read": say("reading from {level}", level=str(level).upper()),
             "transfer_to_device": say("copying to the card"),
             "transfer_from_device": say("copying from the card")}[what]
    return device, words + ("" if device == "gpu" else say(", one core") if one
                            else say(", all cores"))


def _ceilings(runs: list[Run]) -> Iterator[Apart]:
    found: dict[tuple, dict[str, float]] = defaultdict(dict)
    units: dict[tuple, str] = {}
    for host, own in hosts_of(runs).items():
        # what stands in for a ceiling beside other work was not measured
        entries = [entry for entry in best_ceilings(map(without_too_low, own))
                   if entry["value"] > 0]
        best: dict[tuple, float] = {}
        for entry in entries:
            if entry.get("what") == "fma":
                place = str(entry.get("device")), entry.get("threads") == 1
                best[place] = max(best.get(place, 0.0), entry["value"])
        for entry in entries:
            key = _ceiling_key(entry, best)
            model = model_of(own[-1], key[0]) if key else ""
            if key and model:
                found[*key, model][host] = float(entry["value"])
                units[*key, model] = str(entry.get("unit") or "")
    for (device, name, model), values in found.items():
        if len(values) > 1:
            yield Apart(device, name, model, values, units[device, name, model])


def _point(case: Case) -> tuple:
    """What two records of one point have in common, in whichever experiment."""
    parameters = tuple(sorted((name, str(value)) for name, value in case.parameters.items()))
    return (case.implementation, parameters, case.shape, case.regime, case.timing, case.replica,
            case.handicap, case.fingerprint)


def _shared(results: Results, models: dict[tuple[str, str], str]) -> Iterator[list[Case]]:
    """The points that several hosts of one model measured undisturbed: the last record of each
    host."""
    found: dict[tuple, dict[str, Case]] = defaultdict(dict)
    for experiment in results.experiments:
        for case in (*experiment.cases, *experiment.elsewhere):
            model = models.get((case.host, case.device))
            if case.shown and not case.disturbed and model and case.scope != "first-call":
                found[model, *_point(case)][case.host] = case
    yield from (list(of.values()) for of in found.values() if len(of) > 1)


def _speeds(points: Iterable[list[Case]]) -> tuple[dict[str, list[float]],
                                                   dict[str, tuple[float, Case]]]:
    """Of each host its speeds relative to the median of each point, and the point where it lies
    farthest from it."""
    speeds: dict[str, list[float]] = defaultdict(list)
    worst: dict[str, tuple[float, Case]] = {}
    for cases in points:
        middle = median(case.median_s for case in cases)
        for case in cases:
            speed = middle / case.median_s
            speeds[case.host].append(speed)
            if case.host not in worst or abs(speed - 1) > abs(worst[case.host][0]):
                worst[case.host] = speed - 1, case
    return speeds, worst


def _points(results: Results) -> Iterator[Apart]:
    models = {(host_of(run), device): model_of(run, device) for run in results.runs
              for device in ("cpu", "gpu")}
    kind = lambda cases: (cases[0].device, cases[0].operation,  # noqa: E731
                          models[cases[0].host, cases[0].device])
    for (device, operation, model), of in groupby(sorted(_shared(results, models), key=kind), kind):
        points = list(of)
        speeds, worst = _speeds(points)
        values = {host: geometric_mean(own) for host, own in speeds.items()}
        floor = max(LEAST, *(case.noise for cases in points for case in cases))
        yield Apart(device, recorded(operation), model, values, points=len(points),
                    floor=floor, worst=worst)


def apart(results: Results) -> list[Apart]:
    """All that several hosts of one model have in common: points first, GPU before CPU."""
    if len(hosts_of(results.runs)) < 2:
        return []
    found = [*_points(results), *_ceilings(results.runs)]
    return sorted(found, key=lambda one: (one.device != "gpu", bool(one.unit)))


def point_name(case: Case) -> str:
    return say("{label} at {shape}", label=case.name, shape=shape_text(*case.shape))
