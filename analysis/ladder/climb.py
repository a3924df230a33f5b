"""The finding of a ladder: what all steps bring, which brings most, and why."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

from analysis.tables.heads import Head, compared, rate, rounded, unlike_threads
from analysis.tables.kind import Section
from language import recorded, say
from records.cases.phrases import quoted, remark_on, times
from records.schema.operations import shape_text
from records.view import View, cases_of

from .ladder import Ladder, Rung, ladders_of
from .ladder_steps import RUNG, Step, reason

DRAWN = "ladder_bars"
LEAST_RUNGS = 3
MORE = 1.1  # times the largest step of the climb


def _ladder_of(view: View, wanted: list[dict[str, Any]]) -> Ladder | None:
    """That of the first figure of a ladder, as it is drawn: the one that gets farthest."""
    spec = next((spec for spec in wanted if spec["kind"] == DRAWN), None)
    if spec is None:
        return None
    drawn = replace(view, cases=cases_of(view, spec), baseline=spec.get("baseline"))
    known = [one for one in ladders_of(drawn) if len(one.rungs) >= LEAST_RUNGS]
    return max(known, key=lambda one: one.best.case.rate, default=None)


def ladder_finding(section: Section) -> Head | None:
    """"pipelined is 9.3 times as fast as naive; the largest step is register-tiled 2-D, 2.1 times
    register-tiled 1-D"."""
    view, wanted = section.view, section.wanted
    ladder = _ladder_of(view, wanted)
    if ladder is None or ladder.best is ladder.rungs[0]:
        return None
    first, best = ladder.rungs[0], ladder.best
    total = Step(RUNG, first.case, best.case).ratio
    climbed = ladder.rungs[1:ladder.rungs.index(best) + 1]
    gain, above = max(((rung.ratio.value, rung) for rung in climbed if rung.ratio),
                      key=lambda one: one[0])
    below = next(rung for rung in ladder.rungs if rung.name == above.over)
    text = say("{compared} at {shape}", shape=shape_text(*ladder.shape),
               compared=compared(quoted(best.name), total, quoted(first.name)))
    step = say("the largest step is {above}, {times} times {below}", above=quoted(above.name),
               below=quoted(below.name), times=rounded(gain)) + _remark(below, above)
    further = say("; ").join(filter(None, (step, _regained(ladder, gain))))
    where = say(", ").join(filter(None,
                                  (_where(wanted, first), unlike_threads(best.case, first.case))))
    text = say("{text} ({where})", text=text, where=where) if where else text
    told = say("At {shape}: {first} {rate}; {best} {top}, {times} as fast",
               shape=shape_text(*ladder.shape), first=quoted(first.name), rate=rate(first.case),
               best=quoted(best.name), top=rate(best.case), times=times(total))
    library = ladder.library
    if library is not None:
        told = say("{text}; {library} {times} as fast as that",
                   text=told, library=quoted(library.name),
                   times=times(Step(RUNG, best.case, library.case).ratio))
    return Head(text, tuple(filter(None, (told + say("."), _why(view, below, above)))),
                (first.case, best.case), further=further)


def _remark(below: Rung, above: Rung) -> str:
    """" (11 threads against 1, 1 sample)" of the ratio of two rungs."""
    return remark_on(Step(RUNG, below.case, above.case).ratio,
                     unlike_threads(above.case, below.case))


def _why(view: View, below: Rung, above: Rung) -> str:
    """The counters' reason for the step; empty where they were not counted, or it is of the CPU."""
    told = reason(view, Step(RUNG, below.case, above.case)) if above.case.device == "gpu" else ""
    return say("Why {above} gains most, by the counters: {reason}.", above=quoted(above.name),
               reason=told) if told else ""


def _regained(ladder: Ladder, largest: float) -> str:
    """"over the rung before it bank-conflict free, 13.3 times coalesced": a larger step of one that
    makes good what rungs before it had lost, and so is no step of the climb; empty where there is
    none."""
    steps = [(Step(RUNG, below.case, above.case).ratio.value, below, above)
             for below, above in pairwise(ladder.rungs)]
    gain, below, above = max(steps, key=lambda one: one[0])
    return say("over the rung before it {above}, {times} times {below}", above=quoted(above.name),
               times=rounded(gain),
               below=quoted(below.name)) + _remark(below, above) if gain > MORE * largest else ""


def _where(wanted: list[dict[str, Any]], first: Rung) -> str:
    """Which of several ladders it is: "one thread"."""
    groups = {spec.get("group") for spec in wanted if spec["kind"] == DRAWN}
    return recorded(first.case.group) if len(groups) > 1 and first.case.group else ""
