"""Finding the points of our records that a claim or a published row speaks of, all of them on one
host."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from analysis.compared.independent import TORCH, torch_cases
from analysis.counters.counted import Metrics, metrics_of
from records.cases.case import Case
from records.cases.ceilings import every_ceiling, trusted
from records.cases.experiment import Results
from records.cases.hosts import first_card, host_of
from records.cases.series import Shape
from records.cases.where import host_text
from records.schema.older import counted_shape, device_of
from records.schema.operations import GEMM, by_volume
from records.schema.operations import shape_of as shape_of_dims

from .book import Point

# of the largest block; with fewer elements of C for each SM, some SMs can have none to do
SM_THREADS = 1024
_REGIME = {"scope": "kernel", "cache": "cold", "distribution": "uniform", "host_memory": None,
           "allocation": None, "module_loading": None, "load": None}
OWN = {"implementation", "kernels", "size", "m", "n", "k", "dims", "options", "experiments", "ours",
       *_REGIME}


# Why there is no number, by the key of an Absent; why.py has those that a source gives itself.
REASONS = {
    "unmapped": "map.csv names nothing of ours for it",
    "several_hosts":
        "{over} and {under} were not measured on one host, so that no ratio is formed.",
    "itself": "{label} would be set against itself.",
    "one_process":
        "{label} was measured in too few consecutive processes (`gemmlab run first_call`).",
    "no_fact": "{label} is not in the records.",
    "no_gpu": "These records hold no GPU: run {experiments} on a machine with one.",
    "counter_missing":
        "The counter {counter} is not in the records (`gemmlab profile {experiments}` counts it).",
    "no_interval": "Too few samples for an interval.",
    "few_sizes": "Too few sizes that fill the card were measured (`gemmlab run {experiments}`).",
    "no_phases": "{label} does not record the phases of its first call.",
    "cycles_elsewhere":
        "{counted} cycles were counted where the loads took another time: {ns} ns at {mhz} MHz are "
        "{cycles}. As in this report's table of the memory hierarchy, the count is not used "
        "(`gemmlab run memory` measures it again).",
    "left_out": "{label} has no number that may be shown: {why}.",
    "no_torch":
        "PyTorch was not measured here: tests/gpu/independent_timer.py does so, beside `gemmlab "
        "run timer_check`.",
    "not_measured": "Not yet measured: {what} at this shape (`gemmlab run {experiments}`).",
    "not_counted": "Not yet counted: {what} (`gemmlab profile {experiments}`).",
    "not_counted_there":
        "{what} was not counted at {size} (`gemmlab profile {experiments} --size {size}`).",
    "no_ceiling":
        "No run holds the ceiling {what} (`gemmlab run {experiments}` measures it, as every run "
        "does).",
}


class Absent(Exception):
    """Why there is no number: a key of REASONS and its values."""

    def __init__(self, key: str, **values: Any) -> None:
        super().__init__(key)
        self.key, self.values = key, values


@dataclass(frozen=True)
class Counted:
    """What ncu counted of a point, at which shape, and where."""

    metrics: Metrics
    shape: Shape
    card: str
    host: str


def shape_of(point: Point) -> Shape:
    """(m, n, k) of a point; of another operation than gemm its `dims` and `options`, as its cases
    have them. Empty where it names none."""
    if "dims" in point:
        dims = {str(place): extent for place, extent in enumerate(point["dims"])}
        return shape_of_dims(dims, dict(sorted(point.get("options", {}).items())))
    size = point.get("size")
    return (size, size, size) if size else tuple(point[side] for side in "mnk" if side in point)


class Points:
    """The cases, counters and ceilings of one machine, by what is asked for."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.runs = {run.get("run_id"): run for run in results.runs}
        self.has_gpu = any(run.get("gpus") for run in self.runs.values())
        self._experiments = {experiment.name: experiment for experiment in results.experiments}
        # with the place of their latest run
        self.hosts = {host_of(run): place for place, run in enumerate(results.runs)}
        self._at: dict[tuple[str, str, Shape], list[Case]] = {}
        torch = torch_cases(results.folder)
        for case in torch:  # on the host of the experiment beside which they were timed
            case.host = (host_of(self._experiments[case.experiment].run)
                         if case.experiment in self._experiments else "")
        for case in (*(case for experiment in results.experiments for case in experiment.cases),
                     *torch):
            if not case.copy:
                self._at.setdefault((case.experiment, case.implementation, case.shape),
                                    []).append(case)

    def run_of(self, case: Case) -> dict[str, Any]:
        """The run that measured it; the latest where it is none of the suite's."""
        return self.runs.get(case.run_id) or (self.results.runs[-1] if self.runs else {})

    def idle(self, case: Case) -> bool:
        """Has the product so few elements that SMs of the card can have none to do?"""
        sms = first_card(self.run_of(case)).get("sm_count") or 0
        return (case.device == "gpu" and case.operation == GEMM
                and case.m * case.n < SM_THREADS * sms)

    def _is(self, case: Case, point: Point) -> bool:
        regime = {name: point.get(name, usual) for name, usual in _REGIME.items()}
        if any(wanted is not None and getattr(case, name) != wanted
               for name, wanted in regime.items()):
            return False
        return all(str(case.parameters.get(name)) == str(point[name])
                   for name in point.keys() - OWN)

    @staticmethod
    def _known(point: Point) -> None:
        """Raises Absent where nothing of ours stands for the point."""
        if not point["implementation"]:
            raise Absent("no_counterpart", ours=point["ours"])

    def each(self, point: Point) -> list[Point]:
        """The point itself; of { kernels = EXPERIMENT } every GPU kernel of ours in plain FP32 that
        it measured there, whatever its name, each with its parameters."""
        if "kernels" not in point:
            return [point]
        own = {name: value for name, value in point.items() if name != "kernels"}
        own["experiments"] = (point["kernels"],)
        there = [case for (experiment, _, shape), cases in self._at.items()
                 if (experiment, shape) == (point["kernels"], shape_of(point)) for case in cases]
        found = {case.case_id: case for case in there if case.device == "gpu" and not case.library
                 and case.precision == "fp32" and self._is(case, point)}
        return [own | {"implementation": case.implementation, **case.parameters}
                for case in found.values()] or [own | {"implementation": "gpu.*"}]

    def find(self, point: Point) -> list[Case]:
        """The cases that may be shown, those of the first of the point's experiments last, and of
        these the latest. Raises Absent."""
        self._known(point)
        names, shape = point["experiments"], shape_of(point)
        every = [case for name in reversed(names)
                 for case in self._at.get((name, point["implementation"], shape), ())
                 if self._is(case, point)]
        if shown := [case for case in every if case.shown]:
            return shown
        if every:
            raise Absent("left_out", label=every[-1].name, why=every[-1].why_left_out)
        if device_of(point) == "gpu" and not self.has_gpu:
            raise Absent("no_gpu", experiments=names[0])
        if point["implementation"] == TORCH:
            raise Absent("no_torch")
        raise Absent("not_measured", what=point["implementation"], experiments=names[0])

    def latest_of(self, hosts: Iterable[str]) -> str | None:
        """Of these hosts the one with the latest run; None of none."""
        return max(hosts, key=lambda one: self.hosts.get(one, -1), default=None)

    def pair(self, over: list[Case], under: list[Case], host: str) -> tuple[Case, Case]:
        """Of each side the last case on the host, of the same rounds where there are such."""
        above, below = ([case for case in side if case.host == host] for side in (over, under))
        shared = ((one, other) for one in reversed(above) for other in reversed(below)
                  if (one.run_id, one.group) == (other.run_id, other.group))
        return next(shared, (above[-1], below[-1]))

    def host_text(self, host: str) -> str:
        """"host 1a2b3c4d", where the records come from several; empty where all come from one."""
        return host_text(host) if host and len(self.hosts) > 1 else ""

    def counted(self, point: Point) -> list[Counted]:
        """What was counted of the point, on each host that counted it, the one that the first of
        its experiments ran on last: at its own shape where it names one, else at the largest.
        Raises Absent."""
        self._known(point)
        found: dict[Shape, dict[str, Counted]] = {}
        parameters = {name: str(value) for name, value in point.items() if name not in OWN}
        for name in reversed(point["experiments"]):
            for record in getattr(self._experiments.get(name), "counters", {}).values():
                own = record.get("parameters") or {}
                if record.get("implementation") == point["implementation"] and all(
                        str(own.get(key)) == value for key, value in parameters.items()):
                    shape, card = counted_shape(record) or (), str(record.get("gpu_uuid") or "")
                    there = found.setdefault(shape, {})
                    there.pop(card, None)
                    there[card] = Counted(metrics_of(record), shape, card, self._host_of_card(card))
        if not found:
            raise Absent("not_counted" if self.has_gpu else "no_gpu", what=point["implementation"],
                         experiments=point["experiments"][0])
        wanted = shape_of(point) or max(found, key=by_volume)
        if wanted not in found:
            raise Absent("not_counted_there", what=point["implementation"], size=wanted[0],
                         experiments=point["experiments"][0])
        return list(found[wanted].values())

    def _host_of_card(self, uuid: str) -> str:
        return next((host_of(run) for run in self.results.runs
                     if uuid and uuid in [gpu.get("uuid") for gpu in run.get("gpus") or ()]), "")

    def ceilings(self, text: str) -> dict[str, tuple[float, float, float]]:
        """By host of "gpu transfer_to_device pageable" the latest trusted value, the lowest and the
        highest there; of a CPU with all threads. Raises Absent."""
        wanted = tuple(text.split())
        found: dict[str, tuple[float, float, float]] = {}
        for host, entries in every_ceiling(self.results.runs):
            used = [one for one in entries if trusted(one)
                    and (one.get("device"), one.get("what"), one.get("level")) == wanted]
            values = [float(one["value"]) for one in used]
            if (values and used[-1].get("threads") != 1
                    and (host not in found or values[-1] > found[host][0])):
                found[host] = (values[-1], min(values), max(values))
        if not found:
            raise Absent("no_ceiling" if wanted[0] == "cpu" or self.has_gpu else "no_gpu",
                         what=text, experiments="memory")
        return dict(sorted(found.items(), key=lambda one: self.hosts.get(one[0], -1)))
