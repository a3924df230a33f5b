"""Short answers to what readers ask of the ladder and of the block size."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from ..case import Case
from ..experiment import Experiment, Results
from ..ladder import Ladder, Rung, compact, factor_text, ladders_of
from ..language import say
from ..numbers import ratio_text, shape_text
from ..ratios import speedup
from ..series import Shape
from ..view import View
from ..wanted import specs, views
from .points import usable

LADDERS = ("gpu_ladder", "quick", "cpu_vs_gpu")
BLOCKS = ("block_size", "quick")
MOST_STEPS = 9


def named(results: Results | None, wanted: str) -> Experiment | None:
    return next((one for one in (results.experiments if results else ()) if one.name == wanted), None)


def _largest(cases: list[Case]) -> Shape:
    """The largest square, or shape, at which most blocks have a number."""
    counts: dict[Shape, int] = {}
    for case in cases:
        counts[case.shape] = counts.get(case.shape, 0) + 1
    return max(counts, key=lambda shape: (len(set(shape)) == 1, counts[shape], shape))


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
    told = [_step(rung) for rung in (*others, *(rung for rung in ladder.libraries if rung.ratio))]
    text = say("At {shape}, kernel only{mark}: {first}; {steps}. From {first} to {best} it is {times} times.", shape=shape_text(*ladder.shape),
               mark=say(" (reference machine)") if view.reference else "", first=first.name, steps=say("number.semicolon").join(told), best=ladder.best.name,
               times=ratio_text(speedup(first.case, ladder.best.case).value))
    return question, text, view.experiment


def _step(rung: Rung) -> str:
    """"→ tiled 32 ×1.44 (L2 traffic ÷8)"."""
    text = say("→ {name} {factor}", name=rung.name, factor=factor_text(rung.ratio))
    return say("{step} ({why})", step=text, why=rung.why) if rung.why else text


def _block_view(experiment: Experiment | None) -> View | None:
    """The points of one implementation's blocks, of the latest host."""
    for view in views(experiment, {"kind": "block_size"}, None) if experiment else ():
        cases = tuple(case for case in view.cases if usable(case) and case.device == "gpu" and case.implementation == "gpu.tiled")
        if len({json.dumps(case.parameters.get("block")) for case in cases}) > 1:
            return View(view.experiment, view.kind, view.title, cases, view.run, host=view.host, counters=view.counters)
    return None


def which_block(results: Results, reference: Results | None) -> tuple[str, str, str]:
    """Which block is best, and why?"""
    question = say("Which block size is best, and why?")
    for wanted in BLOCKS:
        for of, mark in ((results, ""), (reference, say(" (reference machine)"))):
            view = _block_view(named(of, wanted))
            text = _best_block(view) if view else ""
            if text:
                return question, text + mark, wanted
    return question, say("Block sizes were not measured: run {command}.", command="./gemmlab run block_size"), ""


def _best_block(view: View) -> str:
    shape = _largest(list(view.cases))
    by_block: dict[Any, Case] = {case.parameters.get("block"): case for case in view.cases if case.shape == shape}
    best = min(by_block.values(), key=lambda case: case.median_s)
    told = [say("{times} times block {block}", times=ratio_text(ratio.value, ratio.low, ratio.high), block=block)
            for block, case in by_block.items() if case is not best and (ratio := speedup(case, best))]
    return say("Block {block} at {shape}: {others}.", block=best.parameters["block"], shape=shape_text(*shape),
               others=say("number.semicolon").join(told))
