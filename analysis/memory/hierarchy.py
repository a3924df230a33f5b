"""The memory hierarchy of a machine from its records: the plateaus of latency and bandwidth over
the working set, and which level of the hierarchy each is. CPU and GPU side by side.

Points of `chase` (dependent loads over `bytes`), of `access` read again and again (`n` elements of
4 bytes), of `lanes` (shared memory) and of `chain` (arithmetic alone) tell it; which group they
were measured in does not matter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from records.cases.case import Case
from records.schema.operations import is_time
from records.view import View

MOST_OFF = 0.1  # of the cycles that latency and clock come to
ALIKE = 1.1  # neighbours whose values differ by less belong together
LEAST_POINTS, LEAST_SPAN = 3, 2.0  # of a plateau: points, and largest size over smallest
ARITHMETIC, L1, SHARED, CONSTANT, CONSTANT_2, L2, FAR, L3, DRAM = (
    "arithmetic", "L1", "shared memory", "constant cache", "constant cache, second level", "L2",
    "L2, far part", "L3", "DRAM")
LEVELS = (ARITHMETIC, L1, SHARED, CONSTANT, CONSTANT_2, L2, FAR, L3, DRAM)
L1_OF_SM = 256 * 1024  # bytes of L1 and shared memory that an SM has at most
ELEMENT = 4  # bytes


@dataclass(frozen=True)
class Curve:
    """Values over the working set: latency in ns, or GB/s."""

    device: str
    # "l1", "l2", "shared", "constant" of a GPU; "huge" or "small" pages, or empty, of a CPU
    way: str
    points: tuple[tuple[int, Case], ...]  # (bytes, point), smallest first

    @property
    def threads(self) -> int:
        return self.points[0][1].threads


@dataclass(frozen=True)
class Plateau:
    """Neighbouring sizes with one value."""

    points: tuple[tuple[int, Case], ...]

    @property
    def low(self) -> int:
        return self.points[0][0]

    @property
    def high(self) -> int:
        return self.points[-1][0]

    @property
    def middle(self) -> float:
        """Of its sizes, geometric."""
        return math.sqrt(self.low * self.high)

    @property
    def case(self) -> Case:
        """The point whose value is the median."""
        return sorted((case for _, case in self.points),
                      key=lambda case: case.rate)[(len(self.points) - 1) // 2]


@dataclass(frozen=True)
class Entry:
    """What was measured of one level: the point that tells it, up to which size, and whether a
    plateau says so, of this level alone or of the one before it, too."""

    case: Case
    reach: int = 0
    plateau: bool = True
    shared: bool = False


def plateaus(points: tuple[tuple[int, Case], ...]) -> list[Plateau]:
    """Runs of at least three points over at least a factor of two in size, within which neighbours
    differ by at most 10 %."""
    runs: list[list[tuple[int, Case]]] = []
    for point in points:
        last = runs[-1][-1][1].rate if runs else 0.0
        if last and max(last, point[1].rate) <= ALIKE * min(last, point[1].rate):
            runs[-1].append(point)
        else:
            runs.append([point])
    return [Plateau(tuple(run)) for run in runs
            if len(run) >= LEAST_POINTS and run[-1][0] >= LEAST_SPAN * run[0][0]]


def _curve(of: dict[tuple, list[tuple[int, Case]]]) -> list[Curve]:
    return [Curve(key[0], key[1], tuple(sorted(points, key=lambda point: point[0])))
            for key, points in of.items() if len(points) > 1]


def latencies(view: View) -> list[Curve]:
    """A curve per path or page size; with the usual spacing alone."""
    found: dict[tuple, list[tuple[int, Case]]] = {}
    for case in view.shown:
        if case.operation == "chase" and "spacing" not in case.options:
            way = str(case.parameters.get("path") or case.parameters.get("pages") or "")
            found.setdefault((case.device, way), []).append((case.dims["bytes"], case))
    return _curve(found)


def bandwidths(view: View) -> list[Curve]:
    """A curve per path of a GPU, and of a CPU that of most threads; each with the widest loads that
    were measured."""
    repeated = [case for case in view.shown
                if case.operation == "access" and case.options.get("passes") == "many"
                and not {"offset", "stride"} & case.options.keys()]
    found: dict[tuple, list[tuple[int, Case]]] = {}
    for device in ("cpu", "gpu"):
        own = [case for case in repeated
               if case.device == device and not case.parameters.get("blocks_per_sm")]
        widest = max((case.parameters.get("width", 0) for case in own), default=0)
        most = max((case.threads for case in own), default=1)
        for case in own:
            if case.parameters.get("width", 0) == widest and case.threads == most:
                found.setdefault((device, str(case.parameters.get("path") or "")),
                                 []).append((ELEMENT * case.dims["n"], case))
    return _curve(found)


def capacities(view: View, device: str, threads: int = 1) -> list[tuple[str, float]]:
    """(level, bytes) as the driver or the system tells them, nearest first; a CPU's own caches
    times the threads that read their own slices; unbounded for DRAM."""
    if device == "gpu":
        gpu: dict[str, Any] = (view.run.get("gpus") or [{}])[0]
        known = [(L2, gpu.get("l2") or gpu.get("l2_bytes"))]
    else:
        caches = (view.run.get("host") or {}).get("caches") or {}
        known = [(L1, (caches.get("l1d") or 0) * threads), (L2, (caches.get("l2") or 0) * threads),
                 (L3, caches.get("l3"))]
    return [(level, float(size)) for level, size in known if size] + [(DRAM, math.inf)]


def _of_gpu(view: View, curve: Curve) -> dict[str, Entry]:
    """The levels of a GPU's curve, by its path."""
    found = plateaus(curve.points)
    alone = {"l1": L1, "shared": SHARED, "constant": CONSTANT}.get(curve.way)
    if alone:
        if alone == L1:  # of bandwidth each SM reads its own slice
            found = [one for one in found[:1] if one.low
                     <= L1_OF_SM * int((view.run.get("gpus") or [{}])[0].get("sm_count") or 1)]
        levels = (CONSTANT, CONSTANT_2) if alone == CONSTANT else (alone,)
        return {level: Entry(one.case, one.high) for level, one in zip(levels, found)}
    capacity = next((size for level, size in capacities(view, "gpu") if level == L2), None)
    inside = [one for one in found if capacity is None or one.middle <= capacity]
    outside = [one for one in found if one not in inside]
    if capacity is None and len(inside) > 1:
        inside, outside = inside[:-1], inside[-1:]
    made = {L2: Entry(inside[0].case, inside[0].high)} if inside else {}
    if len(inside) > 1:
        made[FAR] = Entry(inside[-1].case, inside[-1].high)
    if outside:
        made[DRAM] = Entry(outside[-1].case)
    return made | _without_plateau(curve, made, capacities(view, "gpu"))


def _of_cpu(view: View, curve: Curve) -> dict[str, Entry]:
    """The levels of a CPU's curve, by where the middle of each plateau lies. One that goes on far
    beyond its level's capacity is the next level's as well: the two cannot be told apart, as on a
    virtual machine that has but a part of the last-level cache."""
    sizes, made = capacities(view, "cpu", curve.threads), {}
    for one in plateaus(curve.points):
        at = next(place for place, (_, size) in enumerate(sizes) if one.middle <= size)
        level, size = sizes[at]
        if level not in made or level == DRAM:
            made[level] = Entry(one.case, 0 if level == DRAM else int(min(one.high, size)))
        if one.high >= LEAST_SPAN * size:
            made[sizes[at + 1][0]] = Entry(one.case, shared=True)
    return made | _without_plateau(curve, made, sizes)


def _without_plateau(curve: Curve, made: dict[str, Entry],
                     sizes: list[tuple[str, float]]) -> dict[str, Entry]:
    """Of a level without a plateau the point nearest to half of its capacity that lies on no
    other's; of DRAM the largest, where it lies beyond all; of the nearest cache the best, which
    nothing nearer can have served."""
    found = {}
    taken = {size for one in plateaus(curve.points) for size, _ in one.points}
    less_is_better = is_time(curve.points[0][1].rate_unit)
    for place, (level, size) in enumerate(sizes):
        below = sizes[place - 1][1] if place else 0.0
        inside = [point for point in curve.points
                  if below < point[0] <= size and point[0] not in taken]
        if level in made or not inside:
            continue
        if level == DRAM:
            case = inside[-1][1]
        elif place == 0:
            case = (min if less_is_better else max)((case for _, case in inside),
                                                    key=lambda case: case.rate)
        else:
            case = min(inside, key=lambda point: abs(math.log(point[0] / (size / 2))))[1]
        found[level] = Entry(case, plateau=False)
    return found


def _levels(view: View, curves: list[Curve], device: str) -> dict[str, Entry]:
    made: dict[str, Entry] = {}
    own = [curve for curve in curves if curve.device == device]
    # huge pages first: the others tell the TLB's misses, too
    for curve in sorted(own, key=lambda curve: curve.way == "small"):
        for level, entry in (_of_gpu if device == "gpu" else _of_cpu)(view, curve).items():
            made.setdefault(level, entry)
    return made


def latency_levels(view: View, device: str) -> dict[str, Entry]:
    """level -> the point that tells how long a dependent load from it takes; of arithmetic a
    dependent step."""
    chains = [case for case in view.shown if case.operation == "chain" and case.device == device]
    made = {ARITHMETIC: Entry(min(chains, key=lambda case: case.rate))} if chains else {}
    return made | _levels(view, latencies(view), device)


def bandwidth_levels(view: View, device: str) -> dict[str, Entry]:
    """level -> the point that tells how many bytes per second it serves."""
    lanes = [case for case in view.shown if case.operation == "lanes" and case.device == device
             and "degree" not in case.options and case.parameters.get("path", "shared") == "shared"
             and case.options.get("pattern", "conflict") == "conflict"]
    made = {SHARED: Entry(max(lanes, key=lambda case: case.rate))} if lanes else {}
    return _levels(view, bandwidths(view), device) | made


def cycles_of(case: Case) -> float | None:
    """Cycles of a load or step, where the kernel counted them."""
    value = case.chosen.get("cycles_per_load", case.chosen.get("cycles_per_step"))
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def told_cycles(case: Case) -> float | None:
    """The same where latency and clock come to them within MOST_OFF; None where they do not: what
    was counted was then another launch, whose loads a nearer cache served."""
    cycles = cycles_of(case)
    if (cycles and case.clock_mhz
            and abs(cycles / (case.rate * case.clock_mhz * 1e-3) - 1) > MOST_OFF):
        return None
    return cycles
