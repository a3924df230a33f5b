"""The explorer's ready-made views: each a question that readers ask, with what is then chosen.

An experiment is found by what its points can show, not by its name: those of the machine itself
first, then those of the machine that stands in. What no record can show has no view.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlencode

from analysis.answer.points import contest_of
from language import say
from records.cases.case import Case
from records.cases.experiment import Results
from records.matching import matched
from records.schema.operations import GEMM, is_square

from .payload import Sets

State = dict[str, str]  # by the names of state.js
FEWEST_THREADS = 3  # of which a curve can be told


def _squares(results: Results) -> dict[str, list[Case]]:
    """Of each experiment the points of square gemms that may be compared."""
    found = {one.name: [case for case in one.cases if case.shown and case.operation == GEMM
                        and is_square(case.shape) and case.scope == "kernel" and not case.copy]
             for one in results.experiments}
    return {name: cases for name, cases in found.items() if cases}


def _most(cases: Iterable[Case], of: Callable[[Case], Any]) -> Any:
    return Counter(map(of, cases)).most_common(1)[0][0]


def _versus(results: Results) -> State | None:
    """The GPU over the CPU's best, of the experiment that the report's first sentence is about."""
    contest = contest_of(results)
    if contest is None:
        return None
    gpu = [case for cases in contest.at.values() for case in cases if case.device == "gpu"]
    return {"e": contest.experiment, "x": "size", "y": "speedup", "b": "cpu", "d": "gpu",
            "s": "kernel", "q": _most(gpu, lambda case: case.group)} if gpu else None


def _rates(results: Results) -> State | None:
    """GFLOP/s by size: of the same points and the CPU's, else of the experiment with most sizes."""
    if versus := _versus(results):
        return {"e": versus["e"], "x": "size", "y": "rate", "s": "kernel", "q": versus["q"]}
    sizes = {name: len({case.shape for case in cases}) for name, cases in _squares(results).items()}
    name = max(sizes, key=lambda name: sizes[name], default=None)
    return {"e": name, "x": "size", "y": "rate", "s": "kernel"} if name else None


def _swept(results: Results, parameter: str, fewest: int) -> tuple[str, list[Case]] | None:
    """(name, points) of the experiment of which the largest share of points differs from others of
    the same line in the parameter alone."""
    found = []
    for name, cases in _squares(results).items():
        lines: dict[tuple, list[Case]] = defaultdict(list)
        for case in cases:
            others = {key: value for key, value in case.parameters.items() if key != parameter}
            lines[case.implementation, json.dumps(others, sort_keys=True), case.shape, case.regime,
                  case.group, case.host].append(case)
        swept = [case for line in lines.values() for case in line
                 if len({one.parameters.get(parameter) for one in line} - {None}) >= fewest]
        if swept:
            found.append((len(swept) / len(cases), len(swept), name, swept))
    return max(found, key=lambda one: one[:3])[2:] if found else None


def _blocks(results: Results) -> State | None:
    """What a larger tile buys over the smallest, by size: of the device with more such points."""
    found = _swept(results, "block", 2)
    if found is None:
        return None
    device, group = _most(found[1], lambda case: (case.device, case.group))
    return {"e": found[0], "x": "size", "y": "speedup", "d": device, "s": "kernel", "q": group}


def _threads(results: Results) -> State | None:
    """T₁/Tₙ, at the size with most points."""
    found = _swept(results, "threads", FEWEST_THREADS)
    return found and {"e": found[0], "x": "p.threads", "y": "speedup", "b": "first", "d": "cpu",
                      "s": "kernel", "g": str(_most(found[1], lambda case: case.shape[0]))}


def _rungs(results: Results, device: str) -> State | None:
    """Our implementations of a device over the first of their definition, at the largest size that
    has it: where most of them were measured, at more than one size where there is such."""
    places: dict[tuple[str, str], list[Case]] = defaultdict(list)
    for name, cases in _squares(results).items():
        for case in cases:
            if case.device == device and not case.library and case.precision == "fp32":
                places[name, case.group].append(case)
    ranks = {place: (len({case.shape for case in cases}) > 1,
                     len({case.implementation for case in cases}))
             for place, cases in places.items()}
    name, group = best = max(ranks, key=lambda place: ranks[place], default=("", ""))
    if not name or ranks[best][1] < 2:
        return None
    first = min(places[best], key=lambda case: case.place).implementation
    size = max(case.shape[0] for case in places[best] if case.implementation == first)
    return {"e": name, "x": "implementation", "y": "speedup", "b": first, "d": device,
            "s": "kernel", "q": group, "g": str(size)}


def _types(results: Results) -> State | None:
    """What other types than FP32 buy: on the device and in the group with most of them."""
    found: dict[tuple[str, str, str], set[tuple]] = defaultdict(set)
    for name, cases in _squares(results).items():
        for case in cases:
            found[name, case.device, case.group].add((case.precision, case.shape))
    kinds = {place: {precision for precision, _ in points} for place, points in found.items()}
    having = [place for place, types in kinds.items() if "fp32" in types and len(types) > 1]
    if not having:
        return None
    name, device, group = max(having, key=lambda place: (len(kinds[place]), len(found[place])))
    return {"e": name, "x": "size", "y": "speedup", "b": "fp32", "d": device, "s": "kernel",
            "q": group}


def _over_first(sets: Sets) -> State | None:
    """Each other machine over the first, where most sizes were measured with equal parameters."""
    shared = [match.first for _, other in sets[1:] for match in matched(sets[0][1], other)[0]
              if match.first.shown and match.second.shown and not match.cores]
    if not shared:
        return None
    squares = [case for case in shared if is_square(case.shape)]
    name, group = _most(squares or shared, lambda case: (case.experiment, case.group))
    return {"e": name, "x": "size" if squares else "shape", "y": "speedup", "q": group}


def presets_of(results: Results, reference: Results | None = None,
               sets: Sets = ()) -> list[dict[str, str]]:
    """[{"name", "state": an address' text}], in the order of the page: those of the machine itself
    first. `sets`: machines that are looked at together."""
    own, theirs = [], []
    for name, form in ((say("Each machine over the first"), lambda _: _over_first(sets)),
                       (say("GPU over the best CPU"), _versus),
                       (say("GFLOP/s by size"), _rates),
                       (say("Block size"), _blocks),
                       (say("Threads: T₁/Tₙ"), _threads),
                       (say("What a GPU rung buys"), lambda of: _rungs(of, "gpu")),
                       (say("What a CPU rung buys"), lambda of: _rungs(of, "cpu")),
                       (say("What a type buys"), _types)):
        if state := form(results):
            own.append({"name": name, "state": urlencode(state)})
        elif reference is not None and (state := form(reference)):
            theirs.append({"name": say("{name} (reference machine)", name=name),
                           "state": urlencode(state | {"h": "reference"})})
    return own + theirs
