"""The rungs of a chapter as the report's ladder has them: a rung's factor is one on every page.

A chapter may set its rungs against others than the report does; its line of rungs then holds the
report's factors, with what each is over.
"""

from __future__ import annotations

from ..answer.steps import MOST_STEPS, ladder_view, named
from ..case import Case
from ..experiment import Results
from ..ladder import Ladder, compact, factor_text, ladders_of
from ..language import recorded, say
from ..operations import shape_text
from ..wanted import specs, views
from .chapter import AFTER, Chapter

DRAWN = "ladder_bars"


def _gpu_ladder(results: Results) -> Ladder | None:
    """That of the report's first screen."""
    view = ladder_view(results, None)
    found = ladders_of(view) if view else []
    return compact(view, found[-1], MOST_STEPS) if view and found else None


def _cpu_ladder(results: Results, end: Case) -> Ladder | None:
    """That of the report's figure of the same group, in the instruction set of `end`."""
    experiment = named(results, end.experiment)
    if experiment is None:
        return None
    for spec in specs(experiment, "figures"):
        if spec["kind"] == DRAWN and spec.get("group") in (None, end.group):
            of = [ladder for view in views(experiment, spec, None) for ladder in ladders_of(view)]
            return next((one for one in of if one.isa in ("", end.parameters.get("isa"))), None)
    return None


def _chains(ladder: Ladder, wanted: list[str]) -> list[str]:
    """"tiled 32 → register-tiled 1-D ×1.79 → register-tiled 2-D ×2.06" of the rungs wanted that
    follow one another, each chain with the rung before it."""
    chains: list[str] = []
    last = -1
    for place, rung in enumerate(ladder.rungs[1:], 1):
        if rung.ratio and rung.case.implementation in wanted:
            step = say(" → {name} {factor}", name=rung.name, factor=factor_text(rung.ratio))
            if place - 1 == last:
                chains[-1] += step
            else:
                chains.append(ladder.rungs[place - 1].name + step)
            last = place
    return chains


def rungs_line(results: Results, chapter: Chapter, cases: dict[str, Case]) -> str:
    """The sentence with the report's factors of the chapter's rungs; empty where it has none."""
    end = cases.get(AFTER)
    if end is None:
        return ""
    gpu = end.device == "gpu"
    ladder = _gpu_ladder(results) if gpu else _cpu_ladder(results, end)
    chains = _chains(ladder, chapter.rungs) if ladder else []
    if ladder is None or not chains:
        return ""
    group = "" if gpu else say(", {group}", group=recorded(end.group))
    return say("On the report's ladder at {shape}{group}, each rung over the one before it: "
               "{rungs}.", shape=shape_text(*ladder.shape), group=group,
               rungs=say("number.semicolon").join(chains))
