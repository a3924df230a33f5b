"""What the reasons of a verdict quote: times, counters, phases and the machine, as text by name.

A form such as "{over_time} on {cores} cores" is filled from these; one that asks for what no record holds cannot be filled,
and the machine alone is named instead.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

from ..case import Case
from ..counter_tables import COUNTERS, Metrics
from ..hosts import first_card
from ..numbers import duration, plain, with_interval
from ..operations import Shape, shape_text
from .judge import Judged
from .measures import (
    PROCESSES,
    Value,
    bytes_asked_for,
    lanes_of,
    processes,
    ratio_value,
)
from .points import Absent, Point, Points
from .texts import say

LADDER = "gpu_ladder"  # where kernels are profiled that their own experiment does not profile
Facts = dict[str, str]


def value_text(value: Value) -> str:
    """"1.34 [1.30, 1.39]", "88.1 [87.8, 88.3] %": in the unit of the published figure; a count has no interval."""
    shown, low, high = value.shown()
    return with_interval(shown, *((None, None) if value.over is None and low == high else (low, high)), value.unit)


def _share(share: float) -> str:
    return f"{plain(100 * share, 0 if share >= 0.1 else 1)} %"


def _of_counters(metrics: Metrics, shape: Shape, tile: int) -> Facts:
    conflicts = next(counter.value(metrics) for counter in COUNTERS if counter.key == "conflicts")
    asked = bytes_asked_for(metrics, lanes_of(tile))
    known: dict[str, tuple[float | None, Callable[[float], str]]] = {
        "occupancy": (metrics.get("occupancy"), _share), "fma": (metrics.get("fma_pipe"), _share),
        "sectors": (metrics.get("global_load_sectors_per_request"), plain),
        "conflicts": (conflicts, plain),
        "l2": (metrics.get("l2_bytes"), lambda value: plain(value / 1e9)),
        "instructions": (metrics.get("instructions"), lambda value: plain(value / 1e6)),
        "requests": (metrics.get("global_load_requests"), lambda value: plain(value / 1e6)),
        "asked": (asked, lambda value: plain(value / 1e9))}
    return {"counted_at": shape_text(*shape), **{name: text(value) for name, (value, text) in known.items() if value is not None}}


def _of_case(case: Case) -> Facts:
    found = {"label": case.name, "time": duration(case.median_s), "gflops": plain(case.rate),
             "shape": shape_text(*case.shape)}
    if case.threads_actual:
        found["threads"] = str(case.threads_actual)
    if case.cores:
        found["cores"] = str(len(set(case.cores)))
    for name, key in (("registers", "registers"), ("blocks", "blocks_per_sm")):
        if case.resources.get(key) is not None:
            found[name] = str(case.resources[key])
    if case.rate_unit.startswith("ns"):
        found["latency"] = f"{plain(case.rate)} ns"
    if isinstance(case.chosen.get("transpose_s"), (int, float)):
        found["transpose"] = duration(case.chosen["transpose_s"])
    return found


def _counted(points: Points, point: Point, tile: int) -> Facts:
    try:
        return _of_counters(*points.counters(point), tile)
    except Absent:
        return {}


def _point_of(case: Case) -> Point:
    return {"implementation": case.implementation, **case.parameters, "dims": list(case.dims.values()), "options": case.options,
            "experiments": (case.experiment, LADDER)}


def _side(points: Points, case: Case | None, point: Point | None, tile: int) -> Facts:
    found: Facts = {}
    if case is not None:
        point = _point_of(case)
        found = _of_case(case)
    if point is not None:
        found |= _counted(points, point, tile)
    return found


def _machine(run: dict[str, Any], cases: list[Case], language: str) -> Facts:
    host = run.get("host") or {}
    found = {"cores": str(host["cores"])} if host.get("cores") else {}
    if isinstance((host.get("caches") or {}).get("l2"), (int, float)):
        found["l2"] = f"{plain(host['caches']['l2'] / 2**20)} MiB"
    isa = next((case.parameters["isa"] for case in reversed(cases) if "isa" in case.parameters), None)
    if isa:
        found["isa"] = str(isa)
    gpu = first_card(run)
    if gpu.get("sm_count"):
        found["sms"] = str(gpu["sm_count"])
    if isinstance(gpu.get("l2"), (int, float)):
        found["gpu_l2"] = f"{plain(gpu['l2'] / 1e6)} MB"
    on = gpu.get("persistence_mode")
    mode = "on" if on is True else "off" if on is False else "not recorded"
    return found | {"persistence": say(f"persistence {mode}", language)}


def _phases(case: Case) -> Facts:
    found = {f"phase_{name}": duration(median(values)) for name, values in case.first_call_s.items() if values}
    if case.steady_s:
        found["steady"] = duration(median(case.steady_s))
    for name, values in (("processes", processes(case)), ("contexts", case.first_call_s.get("context") or [])):
        if values and case.first_call_s:
            found[name] = ", ".join(map(duration, values[:PROCESSES]))
    return found


def _prefixed(prefix: str, facts: Facts) -> Facts:
    return {f"{prefix}_{name}": text for name, text in facts.items()}


def _beside(judged: Judged, points: Points) -> Facts:
    found: Facts = {}
    for name, sides in judged.claim.beside.items():
        try:
            over, under = points.pair(sides["over"], sides["under"])
        except Absent:
            continue
        found[name] = with_interval(ratio_value(over, under).value, None, None)
        found |= _prefixed(f"{name}_over", _of_case(over))
        found |= _prefixed(f"{name}_under", _of_case(under))
    return found


def facts_of(judged: Judged, points: Points, language: str) -> Facts:
    """Everything that is known of the claim's points, by name."""
    claim, value = judged.claim, judged.measured
    cases = [case for case in (value.over, value.under) if case is not None] if value else []
    found = _machine(points.run_of(cases[0]) if cases else next(iter(reversed(points.results.runs)), {}), cases, language)
    for name, case, side in (("over", value.over if value else None, claim.over), ("under", value.under if value else None,
                                                                                   claim.under)):
        found |= _prefixed(name, _side(points, case, side[0] if len(side) == 1 else None, claim.tile))
    for case in cases:
        found |= _phases(case)
    return found | _beside(judged, points)
