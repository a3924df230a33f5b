"""The finding of a ladder: what all steps bring, which brings most, and why."""

from __future__ import annotations

import math
from typing import Any

from ..case import Case
from ..heads import Head, called, compared, rate, rounded
from ..ladder_steps import ASIDE, RUNG, Step, reason
from ..language import recorded, say
from ..naming import display_name, known
from ..numbers import shape_text
from ..ratios import speedup
from ..said import named, times
from ..view import View
from .told import cases_of

CLIMBED = ("ladder_bars", "gflops_vs_size")
LEAST_RUNGS = 3


def _places(cases: list[Case], labels: list[str]) -> dict[tuple, dict[str, Case]]:
    """(group, regime, shape) -> the case of each rung: of each label of the main steps, or of each implementation at its
    fastest parameters."""
    found: dict[tuple, dict[str, Case]] = {}
    ranked = [case for case in cases if case.shown and case.precision == "fp32" and not case.copy
              and (not labels or case.label in labels)]
    for case in sorted(ranked, key=lambda case: case.median_s):
        rung = case.label if labels else case.implementation
        found.setdefault((case.group, *case.regime, case.shape), {}).setdefault(rung, case)
    return found


def rungs_of(view: View, wanted: list[dict[str, Any]]) -> list[Case]:
    """The rungs in the order of the ladder, at the largest shape where most have a number; libraries last. Empty where no
    ladder is asked for."""
    spec = next((spec for spec in wanted if spec["kind"] in CLIMBED and spec.get("labels")), None) or next(
        (spec for spec in wanted if spec["kind"] == CLIMBED[0]), None)
    if spec is None:
        return []
    labels = [str(label) for label in spec.get("labels") or ()]
    places = _places(list(cases_of(view, spec)), labels)
    if not places:
        return []
    at = places[max(places, key=lambda key: (len(places[key]), math.prod(key[-1]), key))]
    order = {name: place for place, name in enumerate(labels or known())}
    cases = sorted((case for name, case in at.items() if labels or not case.implementation.endswith(ASIDE)),
                   key=lambda case: order.get(case.label if labels else case.implementation, len(order)))
    return [case for case in cases if not case.library] + [case for case in cases if case.library]


def ladder_finding(view: View, wanted: list[dict[str, Any]]) -> Head | None:
    """"pipelined is 7.6 times as fast as naive; the largest step is register-tiled 8×8, 2.4 times register-tiled 1-D"."""
    every = rungs_of(view, wanted)
    own = [case for case in every if not case.library]
    if len(own) < LEAST_RUNGS:
        return None
    first, best = own[0], min(own, key=lambda case: case.median_s)
    if best is first:
        return None
    below, above = max(zip(own, own[1:]), key=lambda pair: speedup(*pair).value)
    names = {case.case_id: _name(case, every) for case in every}
    text = say("{compared}; the largest step is {above}, {times} times {below}", compared=compared(
        names[best.case_id], speedup(first, best), names[first.case_id]), above=names[above.case_id], below=names[below.case_id],
        times=rounded(speedup(below, above).value))
    where = _where(wanted, first)
    text = say("{text} ({where})", text=text, where=where) if where else text
    told = [say("{name} {rate}", name=names[first.case_id], rate=rate(first))]
    told += [say("→ {name} {times}", name=names[case.case_id], times=times(speedup(before, case)))
             for before, case in zip(every, every[1:])]
    sentence = say("At {shape}, each over the one before it: {steps}.", shape=shape_text(*first.shape), steps=say("number.comma").join(told))
    return Head(text, tuple(filter(None, (sentence, _why(view, Step(RUNG, below, above))))))


def _why(view: View, step: Step) -> str:
    """The counters' reason for the step; empty where they were not counted, or it is of the CPU."""
    told = reason(view, step) if step.above.device == "gpu" else ""
    return say("Why {above} gains most, by the counters: {reason}.", above=_name(step.above, []), reason=told) if told else ""


def _name(case: Case, rungs: list[Case]) -> str:
    """Its one name in all figures; its label's where another rung has the same."""
    name = display_name(case.implementation, case.parameters)
    return called(case) if sum(display_name(one.implementation, one.parameters) == name for one in rungs) > 1 else named(case, name)


def _where(wanted: list[dict[str, Any]], case: Case) -> str:
    """Which of several ladders it is: "one thread"."""
    groups = {spec.get("group") for spec in wanted if spec["kind"] == CLIMBED[0]}
    return recorded(case.group) if len(groups) > 1 and case.group else ""
