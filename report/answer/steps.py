"""Short answers to what readers ask of the ladder and of the block size."""

from __future__ import annotations

from dataclasses import replace

from ..block_steps import BlockSteps, block_steps, counted_text, finding
from ..experiment import Experiment, Results
from ..ladder import Ladder, Rung, compact, factor_text, ladders_of
from ..language import say
from ..numbers import ratio_text
from ..operations import shape_text
from ..ratios import Ratio, speedup
from ..tables import sentences
from ..view import View
from ..wanted import specs, views
from .points import usable

LADDERS = ("gpu_ladder", "quick", "cpu_vs_gpu")
BLOCKS = ("block_size", "quick")
MOST_STEPS = 9
BLOCKED = "gpu.tiled"


def named(results: Results | None, wanted: str) -> Experiment | None:
    return next((one for one in (results.experiments if results else ()) if one.name == wanted), None)


def ladder_view(results: Results, reference: Results | None) -> View | None:
    """The GPU ladder for the first screen: the reference machine's where this one has none; None where there is no ladder."""
    for wanted in LADDERS:
        for of in filter(None, (results, reference)):
            experiment = named(of, wanted)
            spec = next((spec for spec in specs(experiment, "figures") if spec["kind"] == "ladder_bars"), None) if experiment else None
            for view in views(experiment, spec or {"kind": "ladder_bars"}, None) if experiment else ():
                cases = tuple(case for case in view.cases if case.device == "gpu" and case.scope == "kernel" and (usable(case) or not case.shown))
                view = replace(view, cases=cases, compact=True, reference=of is reference)
                if (ladder := _ladder(view)) and len(ladder.rungs) > 1:
                    return view
    return None


def _ladder(view: View) -> Ladder | None:
    """Its main rungs, as the figure draws them."""
    found = ladders_of(view)
    return compact(view, found[-1], MOST_STEPS) if found else None


def what_steps_buy(view: View | None) -> tuple[str, str, str]:
    """What does each step buy? `view` is that of ladder_view()."""
    question = say("What does each step buy?")
    ladder = _ladder(view) if view else None
    if view is None or ladder is None:
        return question, say("No GPU ladder was measured: run {command}.", command="./gemmlab run gpu_ladder"), ""
    first, *others = ladder.rungs
    told = [_step(rung, rung.ratio) for rung in (*others, *ladder.libraries) if rung.ratio]
    text = say("At {shape}, kernel only{mark}: {first}; {steps}. From {first} to {best} it is {times} times.", shape=shape_text(*ladder.shape),
               mark=say(" (reference machine)") if view.reference else "", first=first.name, steps=say("number.semicolon").join(told), best=ladder.best.name,
               times=ratio_text(speedup(first.case, ladder.best.case).value))
    return question, text, view.experiment


def _step(rung: Rung, ratio: Ratio) -> str:
    """"→ tiled 32 ×1.44 (L2 traffic ÷8)"."""
    text = say("→ {name} {factor}", name=rung.name, factor=factor_text(ratio))
    return say("{step} ({why})", step=text, why=rung.why) if rung.why else text


def _block_view(experiment: Experiment | None) -> View | None:
    """The points of the tiled kernel's blocks that other work did not disturb, of the latest host."""
    for view in views(experiment, {"kind": "block_size"}, None) if experiment else ():
        cases = tuple(case for case in view.cases if case.implementation == BLOCKED and usable(case))
        if len({str(case.parameters.get("block")) for case in cases}) > 1:
            return replace(view, cases=cases)
    return None


def which_block(results: Results, reference: Results | None) -> tuple[str, str, str]:
    """Which block is best, and why?"""
    question = say("Which block size is best, and why?")
    for wanted in BLOCKS:
        for of, mark in ((results, ""), (reference, say(" (reference machine)"))):
            view = _block_view(named(of, wanted))
            every = block_steps(view) if view else []
            if view and every:
                return question, sentences(say("At {shape}{mark}: {finding}.", shape=shape_text(*every[0].shape), mark=mark,
                                               finding=finding(view)), _why(every[0]), counted_text(view, every)), wanted
    return question, say("Block sizes were not measured: run {command}.", command="./gemmlab run block_size"), ""


def _why(steps: BlockSteps) -> str:
    """What the counters say of the best block, against the next smaller one."""
    rows = list(steps.rows)
    best = min(rows, key=lambda row: row.case.median_s)
    if not best.reasons:
        return say("Why, no counter tells: ./gemmlab profile counts.")
    before = rows[rows.index(best) - 1]
    return say("Why, from {before} to {block}: {reasons}.", before=steps.name(before.block), block=steps.name(best.block),
               reasons=say("number.comma").join(reason.text for reason in best.reasons))
