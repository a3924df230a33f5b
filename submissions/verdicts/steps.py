"""What a mark is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Band:
    """Which step of the points for speed was reached, and by what."""

    reached: float  # share of the reference's speed
    low: float  # the least that the rounds support
    settled: bool  # its interval is narrow, or lies within one band
    band: int  # from 0 to `bands`
    bands: int
    # no call counts that had to wait for a processor, its own or the reference's, or that matters
    # to no band
    quiet: bool = False
    at_least: float = 0  # points by the ends of the intervals, where a repeat is likely to lie
    at_most: float = 0
    withheld: bool = False  # no speed could be relied on: neither none nor all points are deserved


@dataclass(frozen=True)
class Step:
    kind: str  # "verdict", "shapes", "speed", "assignment", "deduction" or "limit"
    what: str
    points: float  # negative: taken off
    of: float | None = None  # what could be had
    band: Band | None = None


def points_text(points: float) -> str:
    """17.5 -> "17.5"; 20.0 -> "20"; -2.0 -> "−2"."""
    return f"{round(points, 2) + 0.0:.10g}".replace("-", "−")
