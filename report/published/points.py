"""Finding the points of our records that a claim or a published row speaks of."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..case import Case
from ..counted import counted_elsewhere
from ..counter_tables import Metrics, metrics_of
from ..experiment import Results
from ..hosts import host_of
from ..older import counted_shape, device_of
from ..operations import by_volume
from ..operations import shape_of as shape_of_dims
from ..series import Shape
from ..where import host_text

TORCH = "torch.matmul"  # measured beside the suite: tests/gpu/independent_timer.py
TORCH_FILE = "independent_timer.csv"
_REGIME = {"scope": "kernel", "cache": "cold", "distribution": "uniform", "host_memory": None, "allocation": None,
           "module_loading": None, "load": None}
OWN = {"implementation", "size", "m", "n", "k", "dims", "options", "experiments", "group", "label", "counted", "no_counterpart",
       *_REGIME}

Point = dict[str, Any]


class Absent(Exception):
    """Why there is no number: the key of a text and its values."""

    def __init__(self, key: str, **values: Any) -> None:
        super().__init__(key)
        self.key, self.values = key, values


def shape_of(point: Point) -> Shape:
    """(m, n, k) of a point of claims.toml; of another operation than gemm its `dims` and `options`, as its cases have them."""
    if "dims" in point:
        dims = {str(place): extent for place, extent in enumerate(point["dims"])}
        return shape_of_dims(dims, dict(sorted(point.get("options", {}).items())))
    size = point.get("size")
    return (size, size, size) if size else (point["m"], point["n"], point["k"])


def experiments_of(point: Point) -> tuple[str, ...]:
    """Where the point is looked for, in this order."""
    names = point.get("experiments", ())
    return (names,) if isinstance(names, str) else tuple(names)


def torch_cases(folder: Path) -> list[Case]:
    """PyTorch's products as cases, from the table that the independent timer leaves beside the records."""
    path = folder / TORCH_FILE
    if not path.is_file():
        return []
    cases = []
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            try:
                m, k, n = (int(row[side]) for side in ("M", "K", "N"))
                seconds = float(row["torch_s"])
                interval = (float(row["torch_low_s"]), float(row["torch_high_s"])) if row["torch_low_s"] else None
            except (KeyError, TypeError, ValueError):
                continue  # a file of another form: PyTorch then counts as not measured
            cases.append(Case(
                run_id=TORCH, case_id=f"{TORCH}-{m}-{n}-{k}", experiment="timer_check",
                implementation=TORCH, device="gpu", name_parts=("PyTorch",), family="", variant_of="",
                library=False, parameters={}, label="PyTorch", dims={"m": m, "n": n, "k": k},
                scope="kernel", cache="cold", distribution="uniform", group="", status="ok", reason="",
                precision="fp32", verdicts=("ok",), samples_s=array("d"), rounds=array("q"),
                measured_s=seconds,
                ci95_s=interval, rates={"gflop_per_s": 2.0 * m * n * k / seconds / 1e9}, of_ceiling=None, bound_by=None, threads_actual=0,
                warnings=()))
    return cases


class Points:
    """The cases of one machine, by what is asked for."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.runs = {run.get("run_id"): run for run in results.runs}
        self.has_gpu = any(run.get("gpus") for run in self.runs.values())
        self._experiments = {experiment.name: experiment for experiment in results.experiments}
        self._at: dict[tuple[str, str, Shape], list[Case]] = {}
        self.hosts = {host_of(run): place for place, run in enumerate(results.runs)}  # with the place of their latest run
        cases = [case for experiment in results.experiments for case in experiment.cases]
        for case in (*cases, *self._beside(torch_cases(results.folder))):
            if not case.copy:
                self._at.setdefault((case.experiment, case.implementation, case.shape), []).append(case)

    def _beside(self, cases: list[Case]) -> list[Case]:
        """PyTorch's products, on the host of the experiment beside which they were timed."""
        for case in cases:
            runs = self._experiments[case.experiment].runs if case.experiment in self._experiments else []
            case.host = host_of(runs[-1]) if runs else ""
        return cases

    def run_of(self, case: Case) -> dict[str, Any]:
        """The run that measured it; the latest where it is none of the suite's."""
        return self.runs.get(case.run_id) or (self.results.runs[-1] if self.runs else {})

    def _is(self, case: Case, point: Point) -> bool:
        if any(name in point and str(getattr(case, name)) != str(point[name]) for name in ("group", "label")):
            return False
        for name, usual in _REGIME.items():
            wanted = point.get(name, usual)
            if wanted is not None and getattr(case, name) != wanted:
                return False
        for name in point.keys() - OWN:
            wanted = point[name]
            if name == "threads" and wanted == "cores":
                wanted = (self.run_of(case).get("host") or {}).get("cores")
            if str(case.parameters.get(name)) != str(wanted):
                return False
        return True

    @staticmethod
    def _known(point: Point) -> None:
        """Raises Absent where nothing of ours stands for the point."""
        if "no_counterpart" in point:
            ours = point["no_counterpart"]
            raise Absent("missing", missing=ours.note_in("en"), missing_zh=ours.note_in("zh"))

    def find(self, point: Point) -> list[Case]:
        """The cases that may be shown, of the first of the point's experiments last, and of these the latest. Raises Absent."""
        self._known(point)
        names, shape = experiments_of(point), shape_of(point)
        every = [case for name in reversed(names) for case in self._at.get((name, point["implementation"], shape), ())
                 if self._is(case, point)]
        shown = [case for case in every if case.shown]
        if shown:
            return shown
        if every:
            raise Absent("left_out", label=every[-1].name, why=every[-1].why_left_out)
        if device_of(point) == "gpu" and not self.has_gpu:
            raise Absent("no_gpu")
        if point["implementation"] == TORCH:
            raise Absent("no_torch")
        raise Absent("not_measured", what=point["implementation"], experiments=names[0] if names else "")

    def _latest(self, points: Iterable[Point]) -> list[Case]:
        """Of each point, of each further parameter's value and on each host the latest case. Raises Absent where none has a
        number."""
        found: list[Case] = []
        why: Absent | None = None
        for point in points:
            try:
                found += {(case.host, str(sorted(case.parameters.items()))): case for case in self.find(point)}.values()
            except Absent as absent:
                why = why or absent
        if not found:
            raise why or Absent("not_measured", what="", experiments="")
        return found

    def pair(self, over: tuple[Point, ...], under: tuple[Point, ...]) -> tuple[Case, Case]:
        """A case of each side, of one host; of the same rounds where there are such, of several points the fastest. Raises
        Absent."""
        several = len(over) > 1 or len(under) > 1
        above, below = (self._latest(side) if several else self.find(side[0]) for side in (over, under))
        shared = {case.host for case in above} & {case.host for case in below}
        if not shared:
            raise Absent("several_hosts", over=above[-1].name, under=below[-1].name)
        if several:
            latest = self.latest_of(shared)
            one, other = (min((case for case in side if case.host == latest),
                              key=lambda case: case.median_s) for side in (above, below))
            return one, other
        for one in reversed(above):
            for other in reversed(below):
                if (one.run_id, one.group) == (other.run_id, other.group):
                    return one, other
        host = next(case.host for case in reversed(below) if case.host in shared)
        one, other = (next(case for case in reversed(side) if case.host == host)
                      for side in (above, below))
        return one, other

    def host_of(self, case: Case) -> str:
        """"host 1a2b3c4d", where the records come from several; empty where all come from one."""
        return self.host_text(case.host)

    def host_text(self, host: str) -> str:
        """The same of a host by its id; empty where it has none."""
        return host_text(host) if host and len(self.hosts) > 1 else ""

    def latest_of(self, hosts: Iterable[str]) -> str | None:
        """Of these hosts the one with the latest run; None of none."""
        return max(hosts, key=lambda one: self.hosts.get(one, -1), default=None)

    def counted_elsewhere(self, names: Iterable[str]) -> str:
        """A sentence where counters of these experiments were taken on another card than the experiment's times."""
        found = [self._experiments[name] for name in names if name in self._experiments]
        told = (counted_elsewhere(one.counters.values(), one.run) for one in found if one.counters)
        return next(filter(None, told), "")

    def counters(self, point: Point) -> tuple[Metrics, Shape]:
        """What was counted of the implementation with these parameters, and at which shape: the point's own, else the
        largest; of the first of the point's experiments that counted it. Raises Absent."""
        self._known(point)
        found: dict[Shape, Metrics] = {}
        parameters = {name: str(value) for name, value in point.items() if name not in OWN}
        for name in reversed(experiments_of(point)):
            for record in getattr(self._experiments.get(name), "counters", {}).values():
                own = record.get("parameters") or {}
                if record.get("implementation") == point["implementation"] and all(
                        str(own.get(key)) == value for key, value in parameters.items()):
                    found[counted_shape(record) or ()] = metrics_of(record)
        if found:
            own = shape_of(point) if {"size", "m", "dims"} & point.keys() else None
            best = own if own in found else max(found, key=by_volume)
            return found[best], best
        if not self.has_gpu:
            raise Absent("no_gpu")
        raise Absent("not_counted", what=point["implementation"], experiments=experiments_of(point)[0])
