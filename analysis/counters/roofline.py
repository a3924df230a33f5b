"""Where each implementation stands under the measured roofs of its device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from language import say
from records.cases.case import MOST_OF_CEILING, Case
from records.cases.ceilings import trusted
from records.cases.phrases import named
from records.cases.series import Series, series_of
from records.names.numbers import counted, joined, percent
from records.schema.operations import shape_text
from records.view import View

BANDWIDTHS = ("memory_read",)


@dataclass(frozen=True)
class Roof:
    """A measured ceiling: GFLOP/s (`level` empty) or GB/s of a memory level."""

    value: float
    name: str
    level: str = ""
    trusted: bool = True


@dataclass(frozen=True)
class Point:
    """One implementation at its largest shape: GFLOP/s over operations per byte."""

    series: Series
    case: Case
    intensity: float  # 2·m·n·k over the bytes
    known: bool  # are the bytes what its own blocking must move? Else A, B and C once
    broken: bool  # above the compute roof, or above its own ceiling as recorded

    @property
    def rate(self) -> float:
        return self.case.rate


def _entries(view: View, device: str) -> list[dict[str, Any]]:
    return [entry for entry in view.run.get("ceilings") or ()
            if isinstance(entry, dict) and str(entry.get("device", "")).startswith(device)
            and isinstance(entry.get("value"), (int, float)) and entry["value"] > 0]


def _for_threads(view: View, device: str) -> list[dict[str, Any]]:
    """The ceilings of as many threads as the points have: of one where all ran on one and such were
    measured."""
    found = _entries(view, device)
    if device == "cpu" and view.one_thread():
        return [entry for entry in found if entry.get("threads") == 1] or found
    return found


def _roof(entry: dict[str, Any], name: str, level: str = "") -> Roof:
    return Roof(float(entry["value"]), name, level, trusted(entry))


def compute_roofs(view: View, device: str) -> list[Roof]:
    """The highest FMA rate; on the CPU that of all cores and that of one, or of one alone where all
    points ran on one."""
    found = [entry for entry in _for_threads(view, device) if entry.get("what") in ("fma", "ffma")]
    roofs = []
    for threads in sorted({int(entry.get("threads") or 0) for entry in found}, reverse=True):
        best = max((entry for entry in found if int(entry.get("threads") or 0) == threads),
                   key=lambda one: one["value"])
        cores = say(", {threads}", threads=counted(threads, "thread")) if threads else ""
        level = f" {best['level']}" if best.get("level") and device == "cpu" else ""
        roofs.append(_roof(best, say("FMA{level}{cores}", level=level, cores=cores)))
    return roofs if len(roofs) < 2 else [roofs[0], roofs[-1]]


def bandwidth_roofs(view: View, device: str) -> list[Roof]:
    """The read bandwidth of each level with most threads, or with one where all points ran on one;
    fastest first."""
    best: dict[str, dict[str, Any]] = {}
    for entry in _for_threads(view, device):
        level = str(entry.get("level") or "dram")
        if (entry.get("what") in BANDWIDTHS
                and int(entry.get("threads") or 0) >= int(best.get(level, {}).get("threads") or 0)):
            best[level] = entry
    threads = say(", {threads}",
                  threads=counted(1, "thread")) if device == "cpu" and view.one_thread() else ""
    roofs = [_roof(entry, say("{level} read{threads}", level=level.upper(), threads=threads
                              if entry.get("threads") == 1 else ""), level)
             for level, entry in best.items()]
    return sorted(roofs, key=lambda roof: -roof.value)


def least_bytes(case: Case) -> float:
    """A, B and C once, in float32."""
    return case.least_bytes or 4.0 * (case.m * case.k + case.k * case.n + case.m * case.n)


def points(view: View, device: str) -> list[Point]:
    """Every shown implementation of the device at its largest shape, in the order of the
    definition. One that stands above a bandwidth's line is not broken for that: a nearer cache,
    which may have no ceiling here, serves its blocks."""
    peak = max((roof.value for roof in compute_roofs(view, device)), default=float("inf"))
    made = []
    for series in series_of(case for case in view.shown if case.device == device):
        case = series.cases[-1]
        moved = case.moved_bytes or least_bytes(case)
        intensity = 2.0 * case.m * case.n * case.k / moved
        made.append(Point(series, case, intensity, bool(case.moved_bytes),
                          case.above_ceiling
                          or (case.rate > MOST_OF_CEILING * peak and case.precision == "fp32")))
    return made


def share_sentences(view: View) -> list[str]:
    """"Share of the ceiling that binds it (arithmetic) at 1024: serial 2.1 % and packed 84 %." One
    a shape and ceiling."""
    told: dict[tuple, list[str]] = {}
    for point in (one for device in ("cpu", "gpu") for one in points(view, device)):
        if (share := point.case.of_ceiling) and not point.broken:
            name = named(point.case, point.series.name)
            told.setdefault((point.case.shape, point.case.bound_by), []).append(
                say("{name} {share}", name=name, share=percent(share)))
    return [say("Share of the ceiling that binds it ({bound}) at {shape}: {names}.",
                shape=shape_text(*shape), bound=_binding(bound), names=joined(names))
            for (shape, bound), names in told.items()]


def _binding(bound: str | None) -> str:
    if bound == "compute":
        return say("arithmetic")
    return say("{level} bandwidth", level="DRAM" if bound in (None, "memory") else bound.upper())
