"""The rungs of a chapter as the report's ladder has them: a rung's factor is one on every page.

A chapter may set its rungs against others than the report does; its line of rungs then holds the
report's factors, with what each is over.
"""

from __future__ import annotations

from analysis.ladder.ladder import Ladder, factor_text, ladders_of
from language import recorded, say
from records.cases.case import Case
from records.cases.experiment import Results
from records.schema.operations import shape_text
from report.summary.steps import bars_of, ladder_of

from .chapter import AFTER, Chapter


def _ladder(results: Results, end: Case) -> Ladder | None:
    """That of the report's summary on a GPU; on a CPU that of its figure of the same group, in the
    instruction set of `end`."""
    if end.device == "gpu":
        gpu = ladder_of(results, "gpu")
        return gpu[1] if gpu else None
    experiment = next((one for one in results.experiments if one.name == end.experiment), None)
    found = [ladder for view in bars_of(experiment)
             if end.group in {case.group for case in view.cases} for ladder in ladders_of(view)]
    return next((one for one in found if one.isa in ("", end.parameters.get("isa"))), None)


def _chains(ladder: Ladder, wanted: list[str]) -> list[str]:
    """"tiled 32 → register-tiled 1-D ×1.79 → register-tiled 2-D ×2.06" of the rungs wanted that
    follow one another, each chain with the rung that it begins from."""
    chains: list[str] = []
    last = ""
    for rung in ladder.rungs[1:]:
        if rung.ratio and rung.case.implementation in wanted:
            step = say(" → {name} {factor}", name=rung.name, factor=factor_text(rung.ratio))
            if rung.over == last:
                chains[-1] += step
            else:
                chains.append(rung.over + step)
            last = rung.name
    return chains


def rungs_line(results: Results, chapter: Chapter, cases: dict[str, Case]) -> str:
    """The sentence with the report's factors of the chapter's rungs; empty where it has none."""
    end = cases.get(AFTER)
    if end is None:
        return ""
    ladder = _ladder(results, end)
    chains = _chains(ladder, chapter.rungs) if ladder else []
    if ladder is None or not chains:
        return ""
    group = "" if end.device == "gpu" else say(", {group}", group=recorded(end.group))
    return say("On the report's ladder at {shape}{group}, each rung over the fastest before it: "
               "{rungs}.", shape=shape_text(*ladder.shape), group=group,
               rungs=say("; ").join(chains))
