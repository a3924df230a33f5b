"""The samples of each point, for its distribution: all of them where they are few, else evenly
spaced quantiles.

They are stored as parts of 10,000 of the point's median, in ascending order, each but the first as
the step from the one before it: small whole numbers, which a compressor shortens well.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from records.cases.case import Case

# how many numbers a point may have; odd, so that the median is one of them
LEVELS = (101, 41, 21, 11, 5)
MOST_NUMBERS = 500_000  # of all points together
UNIT = 10_000


def quantiles(ordered: Sequence[float], count: int) -> list[float]:
    """`count` evenly spaced quantiles of values in ascending order, from the least to the largest,
    linear between two."""
    return [ordered[low] + (ordered[high] - ordered[low]) * part
            for low, high, part in _places(len(ordered), count)]


@lru_cache(maxsize=1024)
def _places(length: int, count: int) -> list[tuple[int, int, float]]:
    """For each quantile the places of the two values that it lies between, and how far it is from
    the lower one."""
    places = [step * (length - 1) / (count - 1) for step in range(count)]
    return [(int(place), min(int(place) + 1, length - 1), place - int(place)) for place in places]


class Spreads:
    """The distributions of `cases`, which are shown and have a median."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self._cases = cases
        fitting = (level for level in LEVELS
                   if sum(min(len(case.samples_s), level) for case in cases) <= MOST_NUMBERS)
        self.level = next(fitting, LEVELS[-1])

    def _steps(self, case: Case) -> list[int]:
        ordered = sorted(case.samples_s)
        kept = quantiles(ordered, self.level) if len(ordered) > self.level else ordered
        units = [round(value / case.median_s * UNIT) for value in kept]
        return [unit - before for unit, before in zip(units, [0, *units])]

    def packed(self) -> dict[str, Any]:
        """{"unit", "level", "kept": [a number per point], "steps": [the numbers of all points]}."""
        steps = [self._steps(case) for case in self._cases]
        return {"unit": UNIT, "level": self.level, "kept": list(map(len, steps)),
                "steps": list(chain.from_iterable(steps))}
