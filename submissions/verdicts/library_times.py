"""How long the library took beside a hand-in and beside the ladder, and how long it usually takes.
Shares of its speed are its time over the hand-in's: something that holds up the library alone makes
them too good."""

from __future__ import annotations

from typing import Any

from records.names.numbers import counted, duration

from .grading import Share
from .verdict import Shape, Verdict, shape_of

KEY = "library_times"  # of verdict.json
FAR = 1.25  # times the usual time, or its inverse: repeats on a busy machine come apart by less


def is_far(times_usual: float) -> bool:
    return not 1 / FAR <= times_usual <= FAR


def _at(verdict: Verdict, shape: Shape) -> dict[str, Any] | None:
    return next((one for one in verdict.items(KEY) if shape_of(one["shape"]) == shape), None)


def _times_usual(verdict: Verdict, share: Share) -> tuple[float, float]:
    """Beside the hand-in and beside the ladder, as far as a share depends on them; 1 where it does
    not, or nothing is known. A rung that was timed in the same rounds as the hand-in is compared
    with it without the library."""
    one = _at(verdict, share.shape)
    if one is None or (share.reference != "library" and not one["beside_ladder_s"]):
        return 1, 1
    ladder_s = one["usual_s"] if share.reference == "library" else one["beside_ladder_s"]
    return one["beside_s"] / one["usual_s"], ladder_s / one["usual_s"]


def what_it_may_change(verdict: Verdict, share: Share) -> tuple[float, float]:
    """By what the share would have to be multiplied at least and at most, had the library taken its
    usual time."""
    own, ladder = _times_usual(verdict, share)
    factors = [by_own * by_ladder for by_own in (1, 1 / own) for by_ladder in (1, ladder)]
    return min(factors), max(factors)


def why_doubtful(verdict: Verdict, share: Share) -> str:
    """Empty where the library took about its usual time."""
    one, said = _at(verdict, share.shape), []
    if one is None:
        return ""
    for times, when, seconds in zip(_times_usual(verdict, share),
                                    ("beside it", "while the ladder was timed"),
                                    ("beside_s", "beside_ladder_s")):
        if is_far(times):
            said.append(f"{duration(one[seconds])} {when}")
    if not said:
        return ""
    return (f"the library took {' and '.join(said)}, but usually takes {duration(one['usual_s'])} "
            f"here (median of {counted(one['of'], 'timing')})")


def sentences(verdict: Verdict) -> list[str]:
    """For the page: at which shapes the library took far from its usual time beside this
    hand-in."""
    made = []
    for one in verdict.items(KEY):
        if (is_far(one["beside_s"] / one["usual_s"])
                and (shape := shape_of(one["shape"])) is not None):
            made.append(f"At {shape.words} the library took {duration(one['beside_s'])} beside it, "
                        f"but usually takes {duration(one['usual_s'])} here: a share of its speed "
                        "there is not to be relied on.")
    return made
