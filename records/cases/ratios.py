"""Ratios of times, with their intervals: round by round wherever two cases shared their rounds.

Only there did both run under the same conditions: a point that goes on alone may run otherwise.
Times that stand beside a ratio are medians over all of a point's rounds; where their ratio lies
more than ACCORD off that of the shared rounds, the ratio is `apart`, which tables tell, and neither
side is said to win unless both ways of forming it agree.

Two levels: the 95 % interval is what is shown; whether two times differ is decided by the 99 %
interval against the A/A noise floor of their experiment (noise.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from statistics import median

from msgspec import Struct
from msgspec.structs import replace

from language import say
from records.names.numbers import decimals_for, ends_of, percent, plain

from .case import Case

CONFIDENCE = 0.95
DECISION = 0.99
LEAST_PAIRS = 6
ACCORD = 0.01  # nobody reads less as a contradiction
# of two that were timed side by side to the end: drift may part these, and cancels out round by
# round
ACCORD_TOGETHER = 0.05
SPAN = 0.1  # of the rounds, which one side may start later or end earlier
NEAR = 1.1  # a ratio beyond it is not called a tie for want of a decision
# with too few samples for any interval, less than this between the nearest samples proves nothing
UNSURE = 1.25

Interval = tuple[float, float]


class Ratio(Struct, frozen=True, gc=False):
    """How many times faster: value, and its 95 % interval where one can be had; `decision` is the
    99 % interval."""

    value: float
    low: float | None = None
    high: float | None = None
    pairs: int = 0
    # where there is no interval: the ratio of the samples nearest to a tie, ...
    least: float | None = None
    most: float | None = None  # ... and of those that lie farthest
    decision: Interval | None = None
    noise: float = 0.0  # the larger of the two sides' A/A noise floors
    # from the ratio of the medians over all rounds, which stand beside it as times
    apart: bool = False
    of: tuple[Case, ...] = ()  # the baseline and what is faster

    @property
    def throttled(self) -> bool:
        """Did the card hold down its clock under one side? Then it counts for both."""
        return any(case.throttled for case in self.of)

    @property
    def not_paired(self) -> bool:
        """Do its two points share no rounds? Then what changed between them is in the ratio, too,
        and in no interval."""
        return bool(self.of) and not self.pairs and not paired(*self.of)

    @property
    def bounds(self) -> Interval | None:
        """Within which the true ratio lies, the noise floor included: the 99 % interval, or, under
        6 samples, the ratios of the nearest and farthest samples with UNSURE on both sides. None
        where nothing can be said."""
        if self.decision is not None:
            return self.decision[0] / (1 + self.noise), self.decision[1] * (1 + self.noise)
        if self.least is None or self.most is None:
            return None
        return self.least / max(UNSURE, 1 + self.noise), self.most * max(UNSURE, 1 + self.noise)

    @property
    def tie(self) -> bool:
        """Can the two not be told apart? They can where the 99 % interval lies wholly beyond 1 and
        the noise."""
        bounds = self.bounds
        return bounds is None or bounds[0] <= 1 <= bounds[1]

    @property
    def undecided(self) -> bool:
        """Is it no difference, but no tie either? So with too few samples for an interval; where
        the 99 % interval reaches beyond UNSURE on either side; and where the ratio lies beyond 1 ±
        10 % and its 95 % interval does not hold 1: to call such two alike would mislead."""
        if not self.tie:
            return False
        bounds = self.bounds
        if self.decision is None or bounds is None \
                or not 1 / UNSURE <= bounds[0] <= bounds[1] <= UNSURE:
            return True
        near = 1 / NEAR <= self.value <= NEAR
        return not near and not (self.low is not None and self.high is not None
                                 and self.low <= 1 <= self.high)

    @property
    def word(self) -> str:
        """"", "a tie" or "not resolved": the verdict as a table's cell has room for it."""
        return say("not resolved" if self.undecided else "a tie") if self.tie else ""

    @property
    def verdict(self) -> str:
        """"", "a tie", "not resolved (99 % interval [0.98, 1.52])" or, without one, "not resolved
        (too few samples)"."""
        if not self.undecided:
            return self.word
        if self.decision is None:
            return say("not resolved (too few samples)")
        decimals = decimals_for(self.value)
        low, high = self.decision
        floor = say(", noise floor {value}",
                    value=percent(self.noise)) if not low <= 1 <= high else ""
        return say("not resolved (99 % interval [{low}, {high}]{floor})", low=plain(low, decimals),
                   high=plain(high, decimals), floor=floor)


@cache
def rank_of_low_end(count: int, confidence: float = CONFIDENCE) -> int | None:
    """The rank (from 0) at which the interval of a median starts: it ends as far from the other
    side.

    Order statistics: the number of samples below the median is binomial(count, 1/2). None where
    `count` is too small. The terms are taken relative to the middle one, so that no binomial is
    formed. core/statistics.cpp does the same for samples; ratios are formed here alone.
    """
    middle = count // 2
    terms = [1.0]
    for below in range(middle, 0, -1):
        terms.append(terms[-1] * below / (count - below + 1))
    terms.reverse()  # of 0, 1, … middle samples below
    total = 2 * sum(terms) - (terms[-1] if count % 2 == 0 else 0.0)
    allowed = (1 - confidence) / 2 * total * (1 + 1e-12)  # 1 - 0.95 is not 0.05
    outside, rank = 0.0, None
    for below, term in enumerate(terms[:-1]):
        outside += term
        if outside > allowed:
            break
        rank = below
    return rank


def median_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval | None:
    """The interval of the median of `values`; None under 6 of them (95 %) or 8 (99 %)."""
    return _interval(sorted(values), confidence)


def _interval(ordered: Sequence[float], confidence: float) -> Interval | None:
    rank = rank_of_low_end(len(ordered), confidence)
    return None if rank is None else (ordered[rank], ordered[-1 - rank])


def decision_interval(values: Sequence[float]) -> Interval | None:
    """What a difference is decided by: the 99 % interval of the median of positive `values`; of 6
    or 7, which have none (all of them span 97 or 98 %), their range, widened by its own width on
    both sides on the log scale; None under 6."""
    return _decision(sorted(values))


def _decision(ordered: Sequence[float]) -> Interval | None:
    if len(ordered) < LEAST_PAIRS or ordered[0] <= 0:
        return None
    return _interval(ordered, DECISION) or (ordered[0] ** 2 / ordered[-1],
                                            ordered[-1] ** 2 / ordered[0])


def paired(baseline: Case, case: Case) -> list[float]:
    """baseline time / case time of each round that both took part in; empty where they never shared
    rounds: a group's rounds at one shape visit all of its points, whatever their scope, but for
    first calls."""
    if (baseline.run_id, baseline.group, baseline.shape,
            baseline.cache) != (case.run_id, case.group, case.shape, case.cache):
        return []
    if baseline.scope != case.scope and "first-call" in (baseline.scope, case.scope):
        return []
    # as a rule: the rounds of a group visit all of its points
    if baseline.rounds is case.rounds or baseline.rounds == case.rounds:
        return [theirs / own for theirs, own in zip(baseline.samples_s, case.samples_s) if own > 0]
    theirs = dict(zip(baseline.rounds, baseline.samples_s))
    return [theirs[turn] / sample for turn, sample in zip(case.rounds, case.samples_s)
            if sample > 0 and turn in theirs]


def speedup(baseline: Case, case: Case) -> Ratio:
    """How many times faster `case` is than `baseline`. Both must have a time.

    The median of the ratios of shared rounds, with its intervals, from 6 rounds on; else that of
    `unpaired`. Where these two contradict each other, the 99 % interval, which decides, holds both.
    """
    noise, of = max(baseline.noise, case.noise), (baseline, case)
    if baseline is case:
        return Ratio(1.0, 1.0, 1.0, len(case.samples_s), decision=(1.0, 1.0), noise=noise, of=of)
    ratios = sorted(paired(baseline, case))
    if len(ratios) < LEAST_PAIRS or ratios[0] <= 0:
        return unpaired(baseline, case)
    low, high = ends_of(_interval(ratios, CONFIDENCE))
    found = Ratio(median(ratios), low, high, len(ratios),
                  ratios[0], ratios[-1], _decision(ratios), noise,
                  of=of)
    if _accords(found, baseline, case):
        return found
    return replace(found, apart=True,
                   decision=_hull(found.decision, unpaired(baseline, case).decision, found.value))


def _accords(shared: Ratio, baseline: Case, case: Case) -> bool:
    """Does the ratio of the shared rounds agree with the medians that are shown as times?"""
    of_medians = baseline.median_s / case.median_s
    apart = max(of_medians / shared.value, shared.value / of_medians) - 1
    return apart <= (ACCORD_TOGETHER if _together(baseline, case) else ACCORD)


def _together(baseline: Case, case: Case) -> bool:
    """Were both timed from the first round to the last, every one or every nth of them?"""
    if baseline.rounds is case.rounds:
        return True
    ends = [(min(one.rounds), max(one.rounds)) for one in (baseline, case)]
    room = SPAN * (max(last for _, last in ends) - min(first for first, _ in ends))
    return all(abs(one - other) <= room for one, other in zip(*ends))


def _hull(one: tuple | None, other: tuple | None, value: float) -> Interval:
    ends = [value,
            *(end for interval in (one, other) if interval for end in interval if end is not None)]
    return min(ends), max(ends)


def unpaired(baseline: Case, case: Case) -> Ratio:
    """The ratio of the medians, for cases of different runs or machines.

    Its intervals: each median's distance to its own end, on the log scale, added in quadrature, for
    the low and the high end by themselves (MOVER: Zou and Donner, Statistics in Medicine 27, 2008).
    The two are independent, so that both will hardly err to the bad side at once; dividing end by
    end would claim 99.9 % where 99 % is asked for.
    """
    value, noise = baseline.median_s / case.median_s, max(baseline.noise, case.noise)
    low, high = ends_of(_in_quadrature(value, baseline, case, baseline.ci95_s, case.ci95_s))
    least = most = None
    if baseline.samples_s and case.samples_s and min(min(baseline.samples_s),
                                                     min(case.samples_s)) > 0:
        least = min(baseline.samples_s) / max(case.samples_s)
        most = max(baseline.samples_s) / min(case.samples_s)
    decision = _in_quadrature(value, baseline, case, decision_interval(baseline.samples_s),
                              decision_interval(case.samples_s))
    return Ratio(value, low, high, 0, least, most, decision, noise, of=(baseline, case))


def _in_quadrature(value: float, above: Case, below: Case, its: Interval | None,
                   own: Interval | None) -> Interval | None:
    """The interval of above/below from the intervals of both medians; None where one is missing or
    not positive."""
    if its is None or own is None or min(*its, *own) <= 0:
        return None
    down = math.hypot(_log_distance(above.median_s, its[0]), _log_distance(own[1], below.median_s))
    up = math.hypot(_log_distance(its[1], above.median_s), _log_distance(below.median_s, own[0]))
    return value * math.exp(-down), value * math.exp(up)


def _log_distance(high: float, low: float) -> float:
    """ln(high / low); 0 where a median, taken over more samples than were kept, lies beyond their
    interval."""
    return max(math.log(high / low), 0.0)


def geometric_mean(values: list[float]) -> float:
    """Of positive values."""
    return math.exp(sum(map(math.log, values)) / len(values))
