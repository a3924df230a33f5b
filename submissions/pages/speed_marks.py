"""Points for speed: in bands, from shares of a reference's speed that were measured in the same rounds."""

from __future__ import annotations

import math

from report.numbers import percent

from .grading import Share
from .steps import Band, Step
from .verdict import Timing, Verdict

_ALMOST = 1e-9  # a share that reaches a band but for rounding has reached it


def bands_rule(bands: int) -> str:
    """How points for speed are given, in a sentence."""
    return f"Points for speed come in {bands} equal steps (bands), because repeats of the same file differ a little: a share of " \
           f"the reference's speed counts by the last step of 1/{bands} of the full share that it reaches. Where the interval " \
           "of the share is still too wide after further rounds, it is not settled, and its lower end counts."


def _reached(verdict: Verdict, own: Timing, share: Share) -> tuple[float, float, float] | None:
    """The share of the reference's speed, and the least and the most that the rounds support; None where the reference has no
    time. Both sides are compared with the library in rounds that they shared with it: the machine may have been slower in
    others."""
    reference = verdict.at(share.shape, share.reference)
    ends = own.of_library_ends
    if share.reference == "library" and ends is not None:
        return own.of_library, *ends
    if reference is None:
        return None
    if ends is not None and reference.of_library:
        return tuple(value / reference.of_library for value in (own.of_library, *ends))
    fastest, slowest = own.ci95_s or (own.median_s, own.median_s)
    return tuple(reference.median_s / seconds for seconds in (own.median_s, slowest, fastest))


def _why_not_timed(verdict: Verdict, own: Timing | None) -> str:
    if own is None:
        return "no times without a GPU" if verdict.emulated else "not timed at this shape"
    if not own.measured:
        return f"not timed ({own.skipped or 'no time'})"
    if not own.speed_counts:
        return own.speed_why or "its time does not count"
    return "" if verdict.raw.get("speed_counts", True) else str(verdict.raw.get("speed_why") or "its times do not count")


def _quiet(verdict: Verdict, own: Timing, share: Share) -> bool:
    """Do no calls count that had to wait for a processor?"""
    if share.reference == "library":
        return own.quiet is True
    reference = verdict.at(share.shape, share.reference)
    return own.quiet is True and reference is not None and reference.quiet is True


def speed_step(verdict: Verdict, share: Share, bands: int) -> Step:
    """Points by bands, or in proportion where there are none, as far as the speed was measured."""
    of = "the library" if share.reference == "library" else share.reference
    what = f"speed at {share.shape.words}: {{}}; all points from {percent(share.full)} of {of} on"
    own = next((timing for timing in verdict.own if timing.shape == share.shape), None)
    if why := _why_not_timed(verdict, own):
        return Step("speed", what.format(why), 0, share.points)
    reached = _reached(verdict, own, share)
    if reached is None:
        return Step("speed", what.format(f"{of} was not timed at this shape"), 0, share.points)
    middle, low, high = reached

    def band_of(value: float) -> int:
        return math.floor(bands * min(max(value / share.full, 0), 1) + _ALMOST)

    known = own.of_library_ci95 is not None or own.settled is None  # else there were too few rounds for an interval
    settled = own.settled is not False or (known and bands > 0 and band_of(low) == band_of(high))
    said = f"{percent(middle)} of {of}"
    if not settled:
        said += f", not settled after {own.samples} calls: at least {percent(low)} counts"
    counts, quiet = middle if settled else low, _quiet(verdict, own, share)
    if not bands:
        points = round(share.points * min(max(counts / share.full, 0), 1) + _ALMOST, 1)
        return Step("speed", what.format(said), min(points, share.points), share.points, Band(middle, low, settled, 0, 0, quiet))
    band = band_of(counts)
    said += f", band {band} of {bands}"
    if band < bands:
        said += f" (the next from {percent(share.full * (band + 1) / bands)} on)"
    return Step("speed", what.format(said), round(share.points * band / bands, 2), share.points,
                Band(middle, low, settled, band, bands, quiet))
