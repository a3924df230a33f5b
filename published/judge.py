"""Judges claims: reproduced, direction only, not reproduced, or not judged.
data/published/README.md has the rule."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import fmean, geometric_mean
from typing import Any

from language import say
from records.cases.case import Case
from records.cases.hosts import first_card, host_of
from records.cases.where import short_host
from records.names.naming import parameter_text

from .book import Claim, Point, Sides
from .points import Absent, Points
from .quantities import OF_CASE, OF_COUNTERS, RATIOS, Value, added_ms, exact

NEAR, TWICE_NEAR = (0.90, 1.10), (0.80, 1.20)
MOST_APART = 2.0  # times the published gain, either way
REPRODUCED, DIRECTION, NOT_REPRODUCED, NOT_JUDGED = VERDICTS = ("reproduced", "direction only",
                                                                "not reproduced", "not judged")


@dataclass(frozen=True)
class Part:
    """A claim at one of its sizes."""

    sides: Sides
    value: Value
    idle: bool  # told, but judging nothing: the card is not filled
    verdict: str


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict. `absent` says why nothing could be measured. What was left out:
    `elsewhere` points of other hosts, `unmeasured` why one of several points has no number,
    `lacking` sizes."""

    claim: Claim
    verdict: str
    measured: Value | None = None
    absent: Absent | None = None
    host: str = ""
    parts: tuple[Part, ...] = ()
    elsewhere: tuple[tuple[str, str], ...] = ()  # (name, host)
    unmeasured: tuple[Absent, ...] = ()
    lacking: tuple[Point, ...] = ()

    @property
    def value(self) -> Value:
        """What was measured. Raises ValueError where `absent` says why nothing was."""
        if self.measured is None:
            raise ValueError(f"claim '{self.claim.claim}' was not measured")
        return self.measured


def _by_host(points: Points, claim: Claim, point: Point) -> dict[str, Any]:
    """What is known of a point, by host, the preferred host last. Raises Absent."""
    if "ceiling" in point:
        return {host: Value(*one) for host, one in points.ceilings(point["ceiling"]).items()}
    if "card" in point:
        group, key = point["card"].split(".")
        found = {host_of(run): exact(first_card(run)[group][key]) for run in points.results.runs
                 if isinstance((first_card(run).get(group) or {}).get(key), (int, float))}
        if not found:
            raise Absent("no_fact" if points.has_gpu else "no_gpu", label=point["card"],
                         experiments="memory")
        return found
    if claim.of in OF_COUNTERS:
        try:
            return {one.host or one.card: replace(
                exact(OF_COUNTERS[claim.of](one.metrics, one, point)), counted=(one,))
                for one in points.counted(point)}
        except KeyError as error:
            raise Absent("counter_missing", counter=error.args[0],
                         experiments=point["experiments"][0]) from error
    made: dict[str, list[Case]] = {}
    for case in points.find(point):
        made.setdefault(case.host, made.pop(case.host, [])).append(case)
    return made


# of a side: each point's name with what is known of it by host
_Known = list[tuple[str, dict[str, Any]]]


def _side(points: Points, claim: Claim, side: tuple[Point, ...], whys: list[Absent]) -> _Known:
    """What is known of a side's points; `whys` gets the reason of each of which nothing is."""
    made: _Known = []
    for point in (each for one in side for each in points.each(one)):
        try:
            found = _by_host(points, claim, point)
            made.append((next((cases[-1].name for cases in found.values()
                               if isinstance(cases, list)), _told(point)), found))
        except Absent as absent:
            whys.append(absent)
    return made


def _told(point: Point) -> str:
    """"gpu.tiled, tile 4×4": a point of which no case tells the name."""
    return say(", ").join([point.get("implementation", ""), *(
        parameter_text(name, point[name]) for name in ("block", "threads") if point.get(name))])


def _has(sides: list[_Known], host: str) -> bool:
    return all(any(host in known for _, known in side) for side in sides)


def _take(points: Points, sides: list[_Known], host: str) -> list[Any]:
    """Of each side what is known on the host: of several points the fastest, of cases the last, of
    the same rounds as the other side's where there are such."""
    here = [[known[host] for _, known in side if host in known] for side in sides]
    best = [min(side, key=lambda one: one[-1].median_s) if isinstance(side[0], list) else side[0]
            for side in here]
    if len(best) == 2 and all(isinstance(one, list) for one in best):
        return list(points.pair(best[0], best[1], host))
    return [one[-1] if isinstance(one, list) else one for one in best]


def _formed(claim: Claim, taken: list[Any]) -> Value:
    """The claim's figure from what was taken of its sides, in its own unit."""
    scale = claim.neutral * claim.factor
    if claim.of in RATIOS and all(isinstance(one, Case) for one in taken):
        found = RATIOS[claim.of](*taken)
        low, high = found.ends
        return replace(found, value=scale * found.value, low=scale * low, high=scale * high,
                       medians=found.medians and scale * found.medians
                       ) if scale else added_ms(found)
    values = [replace(OF_CASE[claim.of](one), cases=(one,)) if isinstance(one, Case) else one
              for one in taken]
    value, *rest = values
    base = rest[0] if rest else exact(1.0)
    (low, high), (its_low, its_high) = value.ends, base.ends
    if its_low <= 0:
        raise Absent("no_interval")
    return Value(scale * value.value / base.value, scale * low / its_high,
                 scale * high / its_low, any(one.rough for one in values),
                 None, tuple(case for one in values for case in one.cases),
                 tuple(each for one in values for each in one.counted))


def _gain(claim: Claim, shown: float) -> float:
    """What a figure says was gained: the slower's time over the faster's, less 1. Of added time,
    that time."""
    if claim.unit == "ms":
        return shown
    ratio = shown / claim.neutral
    return (1 / ratio if claim.rule == "below" else ratio) - 1


def _size_holds(claim: Claim, value: Value) -> bool:
    """Is it as large as the claim says? By the number in its statement where that names one, else
    by the published figure."""
    if claim.least is not None:
        return value.ends[0] > claim.least
    if claim.range:
        return claim.range[0] <= value.value <= claim.range[1]
    published = claim.number if claim.names is None else claim.names
    if published is None:
        return True
    there, here = _gain(claim, published), _gain(claim, value.value)
    return there > 0 and 1 / MOST_APART <= here / there <= MOST_APART


def verdict_of(claim: Claim, value: Value) -> str:
    """Of one value. Raises Absent where it has no interval."""
    low, high = value.ends
    neutral = claim.neutral
    if claim.rule == "equal":
        return (REPRODUCED if NEAR[0] <= value.value / (claim.number or 1.0) <= NEAR[1]
                else NOT_REPRODUCED)
    if claim.rule == "within":
        return REPRODUCED if claim.range[0] <= value.value <= claim.range[1] else NOT_REPRODUCED
    if claim.rule == "near":
        inside = [band[0] * neutral <= low and high <= band[1] * neutral
                  for band in (NEAR, TWICE_NEAR)]
        return REPRODUCED if inside[0] else DIRECTION if inside[1] else NOT_REPRODUCED
    if not (low > neutral if claim.rule == "above" else high < neutral):
        return NOT_REPRODUCED
    return REPRODUCED if _size_holds(claim, value) else DIRECTION


def together(values: list[Value], spread: bool = False, added: bool = False) -> Value:
    """Of several sizes the geometric mean, of `added` times, which may be negative, the arithmetic
    one, with the lowest and the highest end; of a spread the highest over the lowest."""
    cases = tuple(case for one in values for case in one.cases)
    if spread:
        most, least = (choose(values, key=lambda one: one.value) for choose in (max, min))
        (low, high), (its_low, its_high) = most.ends, least.ends
        return Value(most.value / least.value, low / its_high, high / its_low, cases=cases)
    if len(values) == 1:
        return values[0]
    mean = (fmean if added else geometric_mean)([one.value for one in values])
    return Value(mean, min(one.ends[0] for one in values),
                 max(one.ends[1] for one in values), any(one.rough for one in values), cases=cases,
                 counted=tuple(each for one in values for each in one.counted))


def _why_not(sides: list[_Known], whys: list[Absent]) -> Absent:
    """Why no host has both sides: nothing is known of one, or they are of different hosts."""
    if not all(sides):
        return whys[0]
    over, under = (f"{name} ({', '.join(map(short_host, found))})"
                   for name, found in (sides[0][0], sides[-1][0]))
    return Absent("several_hosts", over=over, under=under)


def _host_for(known: list[list[_Known]], whys: list[Absent]) -> str:
    """The host that has both sides of the most parts; of several the one that the first point
    prefers. Raises Absent."""
    hosts = [host for sides in known for _, found in sides[0] for host in found]
    best = max(hosts, key=lambda host: (sum(_has(sides, host) for sides in known),
                                        hosts.index(host)), default="")
    if not any(_has(sides, best) for sides in known):
        raise _why_not(known[0], whys)
    return best


def judge(claim: Claim, points: Points) -> Judged:
    """The claim on this machine."""
    if claim.missing:
        return Judged(claim, NOT_JUDGED, absent=Absent("missing"))
    try:
        return _judged(claim, points)
    except Absent as absent:
        return Judged(claim, NOT_JUDGED, absent=absent)


def _judged(claim: Claim, points: Points) -> Judged:
    whys: list[Absent] = []
    known = [[_side(points, claim, side, whys) for side in sides if side] for sides in claim.parts]
    host = _host_for(known, whys)
    parts = []
    for sides, found in zip(claim.parts, known):
        if _has(found, host):
            value = _formed(claim, _take(points, found, host))
            idle = (len(known) > 1 and not claim.idle
                    and any(points.idle(case) for case in value.cases))
            parts.append(Part(sides, value, idle,
                              "" if claim.of == "spread" else verdict_of(claim, value)))
    judging = [part for part in parts if not part.idle]
    if len(judging) < (2 if claim.of == "spread" else 1):
        raise Absent("few_sizes")
    value = together([part.value for part in judging], claim.of == "spread",
                     added=claim.unit == "ms")
    verdict = (verdict_of(claim, value) if claim.of == "spread"
               else max((part.verdict for part in judging), key=VERDICTS.index))
    elsewhere = dict.fromkeys((name, next(iter(there))) for sides in known for side in sides
                              for name, there in side if host not in there)
    lacking = tuple(sides[0][0] for sides, found in zip(claim.parts, known)
                    if not _has(found, host))
    several = any(len(side) > 1 or "kernels" in side[0]
                  for sides in claim.parts for side in sides if side)
    unmeasured = tuple(whys) if several else ()
    return Judged(claim, verdict, value, None, host, tuple(parts), tuple(elsewhere), unmeasured,
                  lacking)


def statuses(judged: list[Judged]) -> dict[str, int]:
    """How many of each verdict, under the names that the text of the counts has."""
    return {verdict.replace(" ", "_"): sum(one.verdict == verdict for one in judged)
            for verdict in VERDICTS} | {"count": len(judged)}
