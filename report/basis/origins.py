"""Which points a number in a sentence comes from: looked for among the records by its value and
unit, not asked of what wrote the sentence. A number that neither a point nor a pair of points gives
is an aggregate, or wrong."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from math import isclose

from analysis.answer.names import unsound
from records.cases.case import Case
from records.cases.ratios import Ratio, speedup
from records.names.naming import bare_name, display_name
from records.names.numbers import TIME_UNITS, counted
from records.schema.operations import shape_text

# "41 times", "29 to 41×", "12.3 [12.1, 12.6] ms", "49,250 GFLOP/s": the number, a second end where
# there is one, the unit.
QUANTITY = re.compile(r"(?<![\w.,×])(?P<value>\d[\d,]*(?:\.\d+)?)(?: to "
                      r"(?P<end>\d[\d,]*(?:\.\d+)?))?(?: \[(?P<low>[\d,.]+), (?P<high>[\d,.]+)\])?"
                      r"\s?(?P<unit>times|×|GFLOP/s|GB/s|ms|µs|us|ns|s|J|W|%)(?!\w| per)")
SIZE = re.compile(r"\b(?:at|N =) \d")
RATIO_UNITS = ("times", "×")
FEW = 40  # points: then all of a shape are set against each other, whatever their run
SECONDS = {name: scale for scale, name in TIME_UNITS} | {"us": 1e-6}


def _reads(number: str, value: float) -> bool:
    """Is the number this value, rounded as it is written or to three digits?"""
    written, digits = float(number.replace(",", "")), len(number.partition(".")[2])
    return (abs(value - written) <= 0.5 * 10.0**-digits * (1 + 1e-9)
            or isclose(float(f"{value:.3g}"), written))


@dataclass(frozen=True)
class Quantity:
    """A number as written, with the ends of its interval where it has one, and its unit."""

    text: str
    unit: str
    low: str = ""
    high: str = ""

    def near(self, value: float, interval: tuple[float | None, float | None] | None = None) -> bool:
        """Is it this value, with this interval where both have one?"""
        if not _reads(self.text, value):
            return False
        low, high = interval or (None, None)
        return (not self.low or low is None or high is None
                or (_reads(self.low, low) and _reads(self.high, high)))


def quantities(text: str) -> Iterator[Quantity]:
    """The times, rates and ratios of a sentence, in its order."""
    for match in QUANTITY.finditer(text):
        if match["end"]:
            yield Quantity(match["value"], match["unit"])
        yield Quantity(match["end"] or match["value"], match["unit"], match["low"] or "",
                       match["high"] or "")


@dataclass(frozen=True)
class Origin:
    """The point, or the two points, that give a number."""

    cases: tuple[Case, ...]
    ratio: Ratio | None = None

    @property
    def text(self) -> str:
        """"MKL, all cores at 4096 over pipelined at 4096, 18 shared rounds; threads not bound to
        cores"."""
        names = [f"{case.name} at {shape_text(*case.shape)} ({case.experiment}, {case.group}, "
                 f"{case.cache}, {case.distribution})" for case in self.cases]
        hosts = {case.host for case in self.cases}
        how = [] if self.ratio is None else [f"{self.ratio.pairs} shared rounds" if self.ratio.pairs
                                             else "medians: no shared rounds"]
        how += ([f"of two hosts, {' and '.join(sorted(host[:8] for host in hosts))}"]
                if len(hosts) > 1 else [])
        return "; ".join([" over ".join(names), *how, *filter(None, [unsound(*self.cases)])])


class Origins:
    """Looks among the points of one host, or of all that a sentence may be formed of."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self._cases = [case for case in cases if case.shown and not case.copy]

    @cached_property
    def _together(self) -> list[list[Case]]:
        """Points that may be set against each other: of one shape and run, and of one group or
        implementation; of few points all of a shape."""
        few = len(self._cases) <= FEW
        found: dict[tuple, list[Case]] = defaultdict(list)
        for case in self._cases:
            for key in [()] if few else [(case.run_id, case.group),
                                         (case.run_id, case.device, case.implementation)]:
                found[(*key, case.shape)].append(case)
        return list(found.values())

    @cached_property
    def _ratios(self) -> list[tuple[Ratio, Case, Case]]:
        pairs = dict.fromkeys(pair for cases in self._together for pair in permutations(cases, 2))
        return [(speedup(base, case), base, case) for base, case in pairs]

    def of(self, quantity: Quantity, text: str) -> list[Origin]:
        """What gives the number, those with more of the sentence's words first: of few points,
        which whoever made the sentence handed over, any; of many only what the sentence names."""
        found = list(self._pairs(quantity) if quantity.unit in RATIO_UNITS
                     else self._points(quantity))
        if len(self._cases) > FEW:
            found = [origin for origin in found if _named(origin.cases[-1], text)
                     and any(_sized(case, text) for case in origin.cases)]
        return sorted(found, key=lambda origin: (-sum(_named(case, text) for case in origin.cases),
                                                 len({case.scope for case in origin.cases})))

    def _points(self, quantity: Quantity) -> Iterable[Origin]:
        for case in self._cases:
            value, interval = ((case.rate, case.rate_ci95) if case.rate_unit == quantity.unit
                               else (None, None))
            if quantity.unit in SECONDS:
                scale = SECONDS[quantity.unit]
                value, interval = (case.median_s / scale,
                                   case.ci95_s and (case.ci95_s[0] / scale, case.ci95_s[1] / scale))
            read = {"J": case.energy_j_per_call, "W": case.power_w,
                    "%": 100 * case.of_ceiling if case.of_ceiling else None}
            value = read.get(quantity.unit, value)
            # how long its energy was read
            length = (case.energy_s or 0) / SECONDS.get(quantity.unit, 1)
            if (value is not None and quantity.near(value, interval)) or (
                    quantity.unit in SECONDS and length and quantity.near(length, None)):
                yield Origin((case,))

    def _pairs(self, quantity: Quantity) -> Iterable[Origin]:
        for ratio, base, case in self._ratios:
            if quantity.near(ratio.value, (ratio.low, ratio.high)):
                yield Origin((base, case), ratio)


def _named(case: Case, text: str) -> int:
    return sum(word in text for word in {case.name, display_name(case), bare_name(case)})


def _sized(case: Case, text: str) -> bool:
    """Does the sentence name the point's shape, or none at all?"""
    return shape_text(*case.shape) in text or not SIZE.search(text)


def shared_text(cases: Sequence[Case]) -> str:
    """How many of the points share their rounds with another."""
    groups: dict[tuple, int] = defaultdict(int)
    for case in cases:
        groups[case.run_id, case.group, case.shape] += 1
    alone = sum(count for count in groups.values() if count == 1)
    return ("each shares its rounds with others" if not alone
            else f"{counted(alone, 'point')} share no rounds")
