"""Ratios of times, with their intervals: round by round where two cases shared their rounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import median

from .records import Case

CONFIDENCE = 0.95
LEAST_PAIRS = 6
UNSURE = 1.25  # with too few samples for an interval, less than this between the nearest samples proves nothing


@dataclass(frozen=True)
class Ratio:
    """How many times faster: value, and its 95 % interval where one can be had."""

    value: float
    low: float | None = None
    high: float | None = None
    pairs: int = 0
    least: float | None = None  # where there is no interval: the ratio of the samples that lie nearest to a tie, ...
    most: float | None = None  # ... and of those that lie farthest

    @property
    def tie(self) -> bool:
        """Does the interval hold 1? Without one (long calls, under 6 samples): do the samples come within UNSURE?"""
        if self.low is not None and self.high is not None:
            return self.low <= 1 <= self.high
        if self.least is None or self.most is None:
            return True
        return self.least <= UNSURE and self.most >= 1 / UNSURE


@lru_cache(maxsize=None)
def rank_of_low_end(count: int, confidence: float = CONFIDENCE) -> int | None:
    """The rank (from 0) at which the interval of a median starts: it ends as far from the other side.

    Order statistics: the number of samples below the median is binomial(count, 1/2). None where `count` is too small.
    """
    outside, term, rank = 0, 1, None
    for below in range(count // 2):
        outside += term
        if outside / 2**count > (1 - confidence) / 2:
            break
        rank = below
        term = term * (count - below) // (below + 1)
    return rank


def median_interval(values: list[float]) -> tuple[float, float] | None:
    """The 95 % interval of the median of `values`; None under 6 of them."""
    rank = rank_of_low_end(len(values))
    if rank is None:
        return None
    ordered = sorted(values)
    return ordered[rank], ordered[-1 - rank]


def paired(baseline: Case, case: Case) -> list[float]:
    """baseline time / case time of each round that both took part in; empty where they never shared rounds."""
    if (baseline.run_id, baseline.group, baseline.shape, baseline.scope, baseline.cache) != (
            case.run_id, case.group, case.shape, case.scope, case.cache):
        return []
    theirs = dict(zip(baseline.rounds, baseline.samples_s))
    return [theirs[turn] / sample for turn, sample in zip(case.rounds, case.samples_s)
            if sample > 0 and turn in theirs]


def speedup(baseline: Case, case: Case) -> Ratio:
    """How many times faster `case` is than `baseline`. Both must have a time.

    The median of the ratios of shared rounds, with its interval, from 6 rounds on; else the ratio of the medians, with
    the ends that the two cases' own intervals allow (wider than 95 %), or none.
    """
    if baseline is case:
        return Ratio(1.0, 1.0, 1.0, len(case.samples_s))
    ratios = paired(baseline, case)
    if len(ratios) >= LEAST_PAIRS:
        low, high = median_interval(ratios) or (None, None)
        return Ratio(median(ratios), low, high, len(ratios))
    return unpaired(baseline, case)


def unpaired(baseline: Case, case: Case) -> Ratio:
    """The ratio of the medians, for cases of different runs or machines."""
    value = baseline.median_s / case.median_s
    if baseline.ci95_s is None or case.ci95_s is None or case.ci95_s[0] <= 0:
        if not baseline.samples_s or not case.samples_s or min(case.samples_s) <= 0:
            return Ratio(value)
        return Ratio(value, least=min(baseline.samples_s) / max(case.samples_s),
                     most=max(baseline.samples_s) / min(case.samples_s))
    return Ratio(value, baseline.ci95_s[0] / case.ci95_s[1], baseline.ci95_s[1] / case.ci95_s[0])


def geometric_mean(values: list[float]) -> float:
    """Of positive values."""
    return math.exp(sum(map(math.log, values)) / len(values))
