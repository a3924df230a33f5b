"""Short answers to what readers ask of the ladder and of the block size."""

from __future__ import annotations

import json
from typing import Any

from ..case import Case
from ..language import say
from ..ladder_steps import ASIDE
from ..naming import known
from ..numbers import ratio_text, shape_text
from ..ratios import speedup
from ..experiment import Experiment, Results
from ..series import Shape
from ..view import View
from ..wanted import specs, views
from .pairs import is_library
from .points import usable
from .words import name

LADDERS = ("gpu_ladder", "quick", "cpu_vs_gpu")
BLOCKS = ("block_size", "quick")
MOST_STEPS = 9


def named(results: Results | None, wanted: str) -> Experiment | None:
    return next((one for one in (results.experiments if results else ()) if one.name == wanted), None)


def _largest(cases: list[Case]) -> Shape:
    """The largest square, or shape, at which most implementations have a number."""
    kinds: dict[Shape, set[str]] = {}
    for case in cases:
        kinds.setdefault(case.shape, set()).add(case.implementation)
    return max(kinds, key=lambda shape: (len(set(shape)) == 1, len(kinds[shape]), shape))


def _main_labels(experiment: Experiment) -> list[str]:
    """Those that the definition calls the main steps: of the first figure that keeps to some."""
    return next(([str(label) for label in spec["labels"]] for spec in specs(experiment, "figures") if spec.get("labels")), [])


def climbed(experiment: Experiment) -> list[Case]:
    """The main steps of a GPU ladder at its largest square, in the order of the definition: one an implementation, at its fastest
    parameters where the definition names no step; libraries last."""
    cases = [case for case in experiment.cases if usable(case) and case.device == "gpu" and case.precision == "fp32"
             and case.scope == "kernel"]
    if not cases:
        return []
    host = max(cases, key=lambda case: (case.run_id, case.host)).host
    shape = _largest([case for case in cases if case.host == host])
    there = [case for case in cases if case.host == host and case.shape == shape]
    labels = _main_labels(experiment)
    steps = [case for label in labels for case in there if case.label == label]
    if len(steps) < 2:
        best: dict[str, Case] = {}
        for case in sorted(there, key=lambda case: case.median_s):
            if not case.implementation.endswith(ASIDE):
                best.setdefault(case.implementation, case)
        order = {implementation: place for place, implementation in enumerate(known())}
        steps = sorted(best.values(), key=lambda case: (is_library(case), order.get(case.implementation, len(order)), case.implementation))
    return steps[:MOST_STEPS]


def what_steps_buy(results: Results, reference: Results | None) -> tuple[str, str, str]:
    """What does each step buy?"""
    question = say("What does each step buy?")
    for wanted in LADDERS:
        for of, mark in ((results, ""), (reference, say(" (reference machine)"))):
            experiment = named(of, wanted)
            steps = climbed(experiment) if experiment else []
            if len(steps) < 2:
                continue
            best = max(steps, key=lambda case: case.gflop_per_s)
            told = [_step(below, above) for below, above in zip(steps, steps[1:])]
            text = say("At {shape}, kernel only{mark}: {first}; {steps}. The fastest, {best}, is {times} times the first.", shape=shape_text(*steps[0].shape),
                       mark=mark, first=name(steps[0]), steps=say("number.semicolon").join(told),
                       best=name(best), times=ratio_text(speedup(steps[0], best).value))
            return question, text, wanted
    return question, say("No GPU ladder was measured: run {command}.", command="./gemmlab run gpu_ladder"), ""


def _step(below: Case, above: Case) -> str:
    ratio = speedup(below, above)
    tie = say(", level") if ratio.tie and not ratio.undecided else ""
    return say("→ {name} {times}×{tie}", name=name(above), times=ratio_text(ratio.value), tie=tie)


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
