"""A verdict and a rule's grading make a mark, with every step of the way."""

from __future__ import annotations

from dataclasses import dataclass

from report.numbers import counted, percent
from .grading import Grading, Share
from .verdict import CORRECT, REDUCED, Verdict

SLOW_FIRST = 10  # a first call that takes this many times a steady one costs the deduction "first-call"


@dataclass(frozen=True)
class Step:
    what: str
    points: float  # negative: taken off
    of: float | None = None  # what could be had


@dataclass(frozen=True)
class Mark:
    value: float
    most: float
    reason: str  # why it is 0 whatever else holds; empty: it is the sum of the steps
    steps: tuple[Step, ...] = ()

    @property
    def text(self) -> str:
        return f"{points_text(self.value)} of {points_text(self.most)}"


def points_text(points: float) -> str:
    """17.5 -> "17.5"; 20.0 -> "20"; -2.0 -> "−2"."""
    return f"{round(points, 2) + 0.0:.10g}".replace("-", "−")


def spills(verdict: Verdict) -> list[str]:
    """Names of the kernels that keep registers in memory."""
    found = {str(one.get("name", "")): None for one in verdict.part("build").get("kernels") or [] if one.get("spill_bytes")}
    found |= {one["kernel"]: None for one in verdict.resources if one.get("spill_bytes")}
    return list(found)


def warnings(verdict: Verdict) -> int:
    messages = verdict.part("build").get("messages") or []
    return sum(message.get("kind") == "warning" for message in messages)


def first_call_ratio(verdict: Verdict) -> float | None:
    """How many times a steady call the first one takes."""
    call = verdict.part("first_call")
    return call["first_s"] / call["steady_s"] if call.get("first_s") and call.get("steady_s") else None


def mark_of(verdict: Verdict, grading: Grading) -> Mark:
    if not verdict.usable:
        return Mark(0, grading.most, f"the verdict is {verdict.verdict}, and points are for results that are right")
    if verdict.verdict == REDUCED:
        steps = [Step(f"verdict {REDUCED}; speed earns no points", grading.reduced_precision, grading.reduced_precision)]
    else:
        steps = [Step(f"verdict {CORRECT}", grading.correct, grading.correct)]
        steps += [_speed(verdict, share) for share in grading.shares if share.device in ("", verdict.device)]
    steps += [Step(one["what"], one["points"], one["of"]) for one in verdict.part("assignment").get("parts") or []]
    steps += _deductions(verdict, grading)
    total = round(sum(step.points for step in steps), 2)
    capped = min(max(total, 0), grading.most)
    if capped < total:
        steps.append(Step(f"the highest mark is {points_text(grading.most)}", capped - total))
    elif capped > total:
        steps.append(Step("the lowest mark is 0", -total))
    return Mark(capped, grading.most, "", tuple(steps))


def _speed(verdict: Verdict, share: Share) -> Step:
    """Points in proportion to the speed, as far as it was measured."""
    of = "the library" if share.reference == "library" else share.reference
    what = f"speed at {share.shape.words}: {{}}; all points from {percent(share.full)} of {of} on"
    own = next((timing for timing in verdict.own if timing.shape == share.shape), None)
    if own is None:
        why = "no times without a GPU" if verdict.emulated else "not timed at this shape"
        return Step(what.format(why), 0, share.points)
    if not own.measured:
        return Step(what.format(f"not timed ({own.skipped or 'no time'})"), 0, share.points)
    reference = verdict.at(share.shape, share.reference)
    if share.reference == "library" and own.of_library is not None:
        reached = own.of_library
    elif reference is not None:
        reached = reference.median_s / own.median_s
    else:
        return Step(what.format(f"{of} was not timed at this shape"), 0, share.points)
    points = round(share.points * min(max(reached / share.full, 0), 1) + 1e-9, 1)
    return Step(what.format(f"{percent(reached)} of {of}"), min(points, share.points), share.points)


def _deductions(verdict: Verdict, grading: Grading) -> list[Step]:
    steps = []
    count = warnings(verdict)
    if count and grading.warning:
        cost = min(count * grading.warning, grading.warnings_at_most)
        steps.append(Step(f"{counted(count, 'compiler warning')} (at most {points_text(grading.warnings_at_most)} off)", -cost))
    spilling = spills(verdict)
    if spilling and grading.spills:
        steps.append(Step(f"registers spill to memory in {', '.join(spilling)}", -grading.spills))
    ratio = first_call_ratio(verdict)
    if ratio is not None and ratio > SLOW_FIRST and grading.first_call:
        steps.append(Step(f"the first call takes {ratio:.0f} times a later one", -grading.first_call))
    return steps
