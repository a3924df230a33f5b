"""Where implementations stand under the roofs: at the bytes that were counted at each level, else
at nominal ones.

A point that was profiled has an intensity (operations per byte) for each level whose bytes were
counted. Its distance to each roof is the share of the roof that it uses; the largest share says
what binds it. L1 counts 128 bytes for each cycle that the unit of L1 and shared memory is busy,
also where a request uses fewer of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from language import say
from records.cases.case import Case
from records.cases.phrases import quoted
from records.names.numbers import capital, joined, percent, plain
from records.view import View

from .counted import metrics_of
from .counter_worth import DRAM, L1, L2, card_of
from .roofline import Point, Roof, bandwidth_roofs, compute_roofs, least_bytes, points

LINE_BYTES = 128  # of L1 and shared memory, per cycle and SM
COMPUTE, FIRST = "compute", "l1"
MOST_POINTS = 14  # more lines than this are told by each implementation at its fastest parameters
MOST_NAMED = 3
BINDS = 0.5  # of a roof: who uses less of each is bound by none of them


@dataclass(frozen=True)
class Placed:
    """One implementation at one shape. `intensity`: level -> operations per byte, of what was
    counted; `nominal`: operations over the bytes that its blocking must move (else A, B and C
    once), where nothing was counted. `shares`: of each roof, 1 at it."""

    name: str
    case: Case
    intensity: dict[str, float]
    nominal: float | None
    shares: dict[str, float]
    broken: bool

    @property
    def binding(self) -> str:
        """The roof that it uses most of; empty where none is known."""
        return max(self.shares, key=lambda level: self.shares[level], default="")


@dataclass(frozen=True)
class Roofs:
    """Of one device: peaks (GFLOP/s), highest first, and bandwidths (GB/s), fastest first; of a
    GPU's L1 what its cycles allow."""

    peaks: list[Roof]
    bandwidths: list[Roof]
    first: Roof | None = None

    @property
    def slopes(self) -> list[Roof]:
        return [*([self.first] if self.first else []), *self.bandwidths]

    def rate(self, level: str) -> float | None:
        """GB/s of that level."""
        return next((roof.value for roof in self.slopes if roof.level == level), None)


def roofs_of(view: View, device: str) -> Roofs:
    """The measured roofs; beside them that of a GPU's L1, which no run measures: 128 bytes per
    cycle of each SM."""
    peaks, bandwidths = compute_roofs(view, device), bandwidth_roofs(view, device)
    counted = [case for case in view.shown
               if case.device == device and case.case_id in view.counters]
    cycles = card_of(view, counted[0]).cycles if counted and device == "gpu" else None
    known = any(roof.level == FIRST for roof in bandwidths)
    first = (Roof(LINE_BYTES * cycles / 1e9, level_name(FIRST), FIRST) if cycles
             and not known else None)
    return Roofs(peaks, bandwidths, first)


def level_name(level: str) -> str:
    names = {COMPUTE: "arithmetic", FIRST: "L1 with shared memory"}
    return say(names[level]) if level in names else level.upper()


def placed(view: View, device: str) -> list[Placed]:
    """Every implementation of the device, in the order of the definition: at its largest shape that
    was profiled, else at its largest. Of more lines than MOST_POINTS, each implementation at the
    parameters with which it is fastest."""
    roofs = roofs_of(view, device)
    made = [_placed(view, point, next((case for case in reversed(point.series.cases)
                                       if case.case_id in view.counters), point.case), roofs)
            for point in points(view, device) if not point.case.copy]
    if len(made) <= MOST_POINTS:
        return made
    best: dict[str, Placed] = {}
    for point in made:
        known = best.get(point.case.implementation)
        if known is None or point.case.rate > known.case.rate:
            best[point.case.implementation] = point
    return [point for point in made if best[point.case.implementation] is point]


def _placed(view: View, nominal: Point, case: Case, roofs: Roofs) -> Placed:
    work = 2.0 * case.m * case.n * case.k
    metrics = metrics_of(view.counters.get(case.case_id) or {})
    cycles = L1.count(metrics)
    counts = {FIRST: cycles and LINE_BYTES * cycles, "l2": L2.count(metrics),
              "dram": DRAM.count(metrics)}
    intensity = {level: work / count for level, count in counts.items() if count}
    shares = {level: case.rate / (rate * intensity[level]) for level in intensity
              if (rate := roofs.rate(level))}
    if roofs.peaks and case.precision == "fp32":
        shares[COMPUTE] = case.rate / _peak(case, roofs)
    if not intensity and case.of_ceiling and case.bound_by not in (None, COMPUTE):
        shares = {"dram" if case.bound_by == "memory" else case.bound_by: case.of_ceiling}
    return Placed(nominal.series.name, case, intensity, None if intensity
                  else work / (case.moved_bytes or least_bytes(case)), shares, nominal.broken)


def _peak(case: Case, roofs: Roofs) -> float:
    """The lowest peak that it can have had: of one thread where it ran on one and such was
    measured."""
    return (roofs.peaks[-1] if case.device == "cpu" and case.threads == 1 else roofs.peaks[0]).value


def roofline_finding(view: View) -> str:
    """"L1 with shared memory binds naive and tiled (70 to 82 % of that roof); arithmetic binds the
    other 4 (54 to 82 %)" of the device that has counters, else which line comes nearest to the
    arithmetic roof; empty without roofs."""
    for device in ("gpu", "cpu"):
        found = [point for point in placed(view, device) if point.intensity and point.shares]
        if found:
            return _bound_text(found)
    found = [point for device in ("gpu", "cpu") for point in placed(view, device)
             if COMPUTE in point.shares and not point.broken]
    if not found:
        return ""
    best = max(found, key=lambda point: point.shares[COMPUTE])
    least = min(found, key=lambda point: point.shares[COMPUTE])
    text = say("{name} uses {share} of the arithmetic that was measured", name=quoted(best.name),
               share=percent(best.shares[COMPUTE]))
    return text if best is least else text + say(", {name} {share}", name=quoted(least.name),
                                                 share=percent(least.shares[COMPUTE]))


def _bound_text(found: list[Placed]) -> str:
    groups: dict[str, list[Placed]] = {}
    for point in found:
        level = point.binding
        groups.setdefault(level if point.shares[level] >= BINDS else "", []).append(point)
    order = sorted((level for level in groups if level),
                   key=lambda level: (level == COMPUTE, -len(groups[level])))
    texts = []
    for place, level in enumerate(order):
        own, last = groups[level], place == len(order) - 1
        names = (say("the other {count}", count=len(own))
                 if last and place and len(own) > MOST_NAMED
                 else joined([quoted(point.name) for point in own[:MOST_NAMED]]) if len(own)
                 <= MOST_NAMED else say("{count} of {all}", count=len(own), all=len(found)))
        texts.append(say("{level} binds {names} ({shares})", level=level_name(level), names=names,
                         shares=_span(point.shares[level] for point in own)))
    if groups.get(""):
        texts.append(say("nothing binds {names}",
                         names=joined([quoted(point.name) for point in groups[""][:MOST_NAMED]])))
    text = say("; ").join(texts)
    dram = [point.shares["dram"] for point in found if "dram" in point.shares]
    if dram and "dram" not in order:
        text += say("; DRAM nobody ({share} at most)", share=percent(max(dram)))
    return capital(text)


def _span(shares: Iterable[float]) -> str:
    ends = sorted(shares)
    low, high = percent(ends[0]), percent(ends[-1])
    return low if low == high else say("{low} to {high}", low=low.removesuffix(" %"), high=high)


def roofline_described(view: View) -> str:
    """Each implementation's rate and shares of the roofs in words."""
    return say(" ").join(
        say("{name}: {rate} GFLOP/s, {shares}.", name=point.name, rate=plain(point.case.rate),
            shares=say(", ").join(say("{share} of {level}", share=percent(share),
                                      level=level_name(level))
                                  for level, share in point.shares.items())
            or say("of no known roof")) for device in ("gpu", "cpu")
        for point in placed(view, device))
