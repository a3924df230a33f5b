"""A verdict and a rule's grading make a mark, with every step of the way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import msgspec

from records.names.numbers import counted

from .grading import Grading, Group, group_of
from .speed_marks import bands_rule, speed_step
from .steps import Step, points_text
from .verdict import CORRECT, DISHONEST, REDUCED, UNBUILT, Verdict, shape_of

# a first call that takes this many times a steady one costs the deduction "first-call"
SLOW_FIRST = 10


@dataclass(frozen=True)
class Mark:
    value: float
    most: float
    reason: str  # why it is 0 whatever else holds; empty: it is the sum of the steps
    steps: tuple[Step, ...] = ()
    rules: tuple[str, ...] = ()  # by which points are given, in sentences

    @property
    def text(self) -> str:
        if self.withheld:
            return f"withheld (at least {points_text(self.value)} of {points_text(self.most)})"
        return f"{points_text(self.value)} of {points_text(self.most)}"

    @property
    def withheld(self) -> bool:
        """Could no speed be relied on that points hang on? `value` is then without them, and no
        mark yet."""
        return any(step.band is not None and step.band.withheld for step in self.steps)

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the most that it is likely to be where the submission is timed again."""
        bands = [(step.points, step.band) for step in self.steps if step.band is not None]
        least, most = (sum(getattr(band, end) - points for points, band in bands)
                       for end in ("at_least", "at_most"))
        return max(round(self.value + min(least, 0), 2),
                   0), min(round(self.value + max(most, 0), 2), self.most)

    @property
    def settled(self) -> bool:
        """Does no point hang on a speed whose interval is too wide?"""
        return all(step.band is None or step.band.settled for step in self.steps)

    @property
    def quiet(self) -> bool:
        """Do points for speed hang only on calls that had the processors for themselves?"""
        return all(step.band is None or step.band.quiet for step in self.steps)

    @property
    def hangs_on_time(self) -> bool:
        return any(step.band is not None for step in self.steps)

    def as_json(self) -> dict[str, Any]:
        """For verdict.json."""
        parts = [dict(msgspec.to_builtins(step), points=round(step.points, 2))
                 for step in self.steps]
        low, high = self.ends
        return {"value": None if self.withheld else self.value, "most": self.most,
                "withheld": self.withheld, "at_least": low, "at_most": high, "reason": self.reason,
                "parts": parts}


def spills(verdict: Verdict) -> list[str]:
    """Names of the kernels that keep registers in memory."""
    found = {str(one.get("name", "")): None for one in verdict.part("build").get("kernels") or []
             if one.get("spill_bytes")}
    found |= {one["kernel"]: None for one in verdict.resources if one.get("spill_bytes")}
    return list(found)


def warnings(verdict: Verdict) -> int:
    messages = verdict.part("build").get("messages") or []
    return sum(message.get("kind") == "warning" for message in messages)


def first_call_ratio(verdict: Verdict) -> float | None:
    """How many times a steady call the first one takes."""
    call = verdict.part("first_call")
    return (call["first_s"] / call["steady_s"] if call.get("first_s")
            and call.get("steady_s") else None)


def mark_of(verdict: Verdict, grading: Grading) -> Mark:
    if verdict.verdict in (DISHONEST, UNBUILT) or not (verdict.usable or grading.groups):
        return Mark(0, grading.most,
                    f"the verdict is {verdict.verdict}, and points are for results that are right")
    rules: list[str] = []
    if verdict.verdict == CORRECT:
        shares = [share for share in grading.shares if share.device in ("", verdict.device)]
        steps = [Step("verdict", f"verdict {CORRECT}", grading.correct, grading.correct)]
        steps += [speed_step(verdict, share, grading.bands) for share in shares]
        rules += [bands_rule(grading.bands)] if shares and grading.bands else []
    elif verdict.verdict == REDUCED:
        steps = [Step("verdict", f"verdict {REDUCED}; speed earns no points",
                      grading.reduced_precision, grading.reduced_precision)]
    else:
        steps = [_group_step(verdict, group) for group in grading.groups]
        rules.append(f"The verdict is {verdict.verdict}: points are for groups of shapes at which "
                     "all results are right, and speed earns none.")
    if verdict.usable:
        steps += [Step("assignment", one["what"], one["points"], one["of"])
                  for one in verdict.part("assignment").get("parts") or []]
    steps += _deductions(verdict, grading)
    total = round(sum(step.points for step in steps), 2)
    capped = min(max(total, 0), grading.most)
    if capped < total:
        steps.append(Step("limit", f"the highest mark is {points_text(grading.most)}",
                          capped - total))
    elif capped > total:
        steps.append(Step("limit", "the lowest mark is 0", -total))
    made = Mark(capped, grading.most, "", tuple(steps), tuple(rules))
    low, high = made.ends
    if low == high:
        return made
    said = (f"Timed again, the mark is likely to lie between {points_text(low)} and "
            f"{points_text(high)}: so far the intervals reach, and the same code comes apart from "
            "itself.")
    return replace(made, rules=(*rules, said))


def _group_step(verdict: Verdict, group: Group) -> Step:
    """All points where every shape of the group is right, else none."""
    checks = verdict.part("checks")
    tried = [(shape, bool(one.get("right"))) for one in checks.get("list") or []
             if (shape := shape_of(one.get("shape"))) is not None
             and group_of(shape) == group.where]
    wrong = [shape for shape, right in tried if not right]
    left = [shape for one in checks.get("not_reached") or []
            if (shape := shape_of(one)) and group_of(shape) == group.where]
    if wrong:
        said = (f"wrong at {len(wrong)} of {counted(len(tried) + len(left), 'shape')}, first at "
                f"{wrong[0].words}")
    elif left:
        said = f"{len(left)} of {counted(len(tried) + len(left), 'shape')} not reached"
    else:
        said = f"right at {'all ' if len(tried) > 1 else ''}{counted(len(tried), 'shape')}"
    earned = group.points if tried and not wrong and not left else 0
    return Step("shapes", f"{group.name} ({group.why}): {said}", earned, group.points)


def _deductions(verdict: Verdict, grading: Grading) -> list[Step]:
    steps = []
    count = warnings(verdict)
    if count and grading.warning:
        cost = min(count * grading.warning, grading.warnings_at_most)
        steps.append(Step("deduction", f"{counted(count, 'compiler warning')} (at most "
                          f"{points_text(grading.warnings_at_most)} off)", -cost))
    spilling = spills(verdict)
    if spilling and grading.spills:
        steps.append(Step("deduction", f"registers spill to memory in {', '.join(spilling)}",
                          -grading.spills))
    ratio = first_call_ratio(verdict)
    if ratio is not None and ratio > SLOW_FIRST and grading.first_call:
        steps.append(Step("deduction", f"the first call takes {ratio:.0f} times a later one",
                          -grading.first_call))
    return steps
