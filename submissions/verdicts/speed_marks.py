"""Points for speed: in bands, from shares of a reference's speed that were measured in the same
rounds."""

from __future__ import annotations

import math

from records.names.numbers import counted, percent

from .grading import Share
from .library_times import what_it_may_change, why_doubtful
from .steps import Band, Step
from .verdict import Timing, Verdict

_ALMOST = 1e-9  # a share that reaches a band but for rounding has reached it
FEWEST_CALLS = 3  # as the judge has it: fewer say too little
# So far the same file came apart between runs on a machine with other programs, though no call
# waited for a processor: caches and the memory's bandwidth are shared, too. 291 marks of three
# classes: of 582 pairs of runs 17 lay outside with 0.1, none with 0.2.
SHARED_WITH_OTHERS = 0.2


def bands_rule(bands: int) -> str:
    """How points for speed are given, in a sentence."""
    return (f"Points for speed come in {bands} equal steps (bands), because repeats of the same "
            "file differ a little: a share of the reference's speed counts by the last step of "
            f"1/{bands} of the full share that it reaches. Where the interval of the share is "
            "still too wide after further rounds, it is not settled, and its lower end counts.")


def _reached(verdict: Verdict, own: Timing, share: Share) -> tuple[float, float, float] | None:
    """The share of the reference's speed, and the least and the most that the rounds of both
    support; None where the reference has no time. Both sides are compared with the library in
    rounds that they shared with it: the machine may have been slower in others."""
    reference = verdict.at(share.shape, share.reference)
    of_library = own.library_share
    if share.reference == "library" and of_library is not None:
        return of_library
    if reference is None:
        return None
    its = reference.library_share
    if of_library is not None and its is not None and its[0]:
        return of_library[0] / its[0], of_library[1] / its[2], of_library[2] / its[1]
    fastest, slowest = own.ci95_s or (own.median_s, own.median_s)
    its_s = reference.median_s
    return its_s / own.median_s, its_s / slowest, its_s / fastest


def _why_not_timed(verdict: Verdict, own: Timing) -> str:
    if not own.measured:
        return f"not timed ({own.skipped or 'no time'})"
    if not own.speed_counts:
        return own.speed_why or "its time does not count"
    return ("" if verdict.raw.get("speed_counts", True)
            else str(verdict.raw.get("speed_why") or "its times do not count"))


def _quiet(verdict: Verdict, own: Timing, share: Share) -> bool:
    """Do no calls count that had to wait for a processor?"""
    if share.reference == "library":
        return own.quiet is True
    reference = verdict.at(share.shape, share.reference)
    return own.quiet is True and reference is not None and reference.quiet is True


def _why_withheld(verdict: Verdict, own: Timing, share: Share) -> str:
    """On a CPU that other programs kept busy, calls that waited for a processor show no speed, its
    own or the ladder's, and no calls that it is slow; empty where points can be given."""
    load = verdict.part("load")
    if verdict.device != "cpu":
        return ""
    said = (f"other programs kept {load['others']:.1f} of {counted(load['cores'], 'core')} at work"
            if load.get("busy") else "")
    if not own.measured or own.samples < FEWEST_CALLS:
        return said
    if _quiet(verdict, own, share):
        return ""
    ladder = ("other programs kept the processors at work while the ladder was timed"
              if verdict.raw.get("ladder_busy") else "")
    return said if own.quiet is not True else said or ladder


def _band_of(value: float, share: Share, bands: int) -> int:
    return math.floor(bands * min(max(value / share.full, 0), 1) + _ALMOST)


def _in_one_band(low: float, high: float, share: Share, bands: int) -> bool:
    return bands > 0 and _band_of(low, share, bands) == _band_of(high, share, bands)


def _withheld(what: str, why: str, share: Share) -> Step:
    said = (f"withheld, not 0: {why}, so that no speed could be found; run the same command again "
            "to have it timed")
    return Step("speed", what.format(said), 0, share.points,
                Band(0, 0, False, 0, 0, at_most=share.points, withheld=True))


def speed_step(verdict: Verdict, share: Share, bands: int) -> Step:
    """Points by bands, or in proportion where there are none, as far as the speed was measured."""
    of = "the library" if share.reference == "library" else share.reference
    what = f"speed at {share.shape.words}: {{}}; all points from {percent(share.full)} of {of} on"
    own = next((timing for timing in verdict.own if timing.shape == share.shape), None)
    if own is None:
        why = "no times without a GPU" if verdict.emulated else "not timed at this shape"
        return Step("speed", what.format(why), 0, share.points)
    withheld = _why_withheld(verdict, own, share)
    reached = _reached(verdict, own, share) if own.measured else None
    looked = own.quiet is not None  # so that the ends hold what waiting may have changed
    within = looked and reached is not None and _in_one_band(*reached[1:], share, bands)
    if withheld and not within:
        return _withheld(what, withheld, share)
    if why := _why_not_timed(verdict, own):
        return Step("speed", what.format(why), 0, share.points)
    if reached is None:
        return Step("speed", what.format(f"{of} was not timed at this shape"), 0, share.points)
    least, most = what_it_may_change(verdict, share)
    ends = reached[1] * least, reached[2] * most
    if (why := why_doubtful(verdict, share)) and not _in_one_band(*ends, share, bands):
        return _withheld(what, why, share)
    busy = verdict.part("load").get("busy") or verdict.raw.get("ladder_busy")
    apart = 1 + max(verdict.noise or 0, SHARED_WITH_OTHERS if busy else 0)
    return _by_speed(what, of, own, share, bands, reached, within or _quiet(verdict, own, share),
                     (ends[0] / apart, ends[1] * apart))


def _by_speed(what: str, of: str, own: Timing, share: Share, bands: int,
              reached: tuple[float, float, float], quiet: bool,
              likely: tuple[float, float]) -> Step:
    """`likely`: between which shares a repeat is likely to lie."""
    middle, low, high = reached

    def points_of(value: float) -> float:
        return share.points * (_band_of(value, share, bands) / bands if bands
                               else min(max(value / share.full, 0), 1))

    # else there were too few rounds for an interval
    known = own.of_library_ci95 is not None or own.settled is None
    settled = own.settled is not False or (known and _in_one_band(low, high, share, bands))
    said = f"{percent(middle)} of {of}"
    if not settled:
        said += f", not settled after {own.samples} calls: at least {percent(low)} counts"
    counts = middle if settled else low
    at_least, at_most = (round(points_of(end), 2) for end in likely)
    if not bands:
        points = round(points_of(counts) + _ALMOST, 1)
        return Step("speed", what.format(said), min(points, share.points), share.points,
                    Band(middle, low, settled, 0, 0, quiet, at_least, at_most))
    band = _band_of(counts, share, bands)
    said += f", band {band} of {bands}"
    if band < bands:
        said += f" (the next from {percent(share.full * (band + 1) / bands)} on)"
    return Step("speed", what.format(said), round(points_of(counts), 2), share.points,
                Band(middle, low, settled, band, bands, quiet, at_least, at_most))
