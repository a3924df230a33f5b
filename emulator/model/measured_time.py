"""The committed measurement beside a prediction: the reference machine's, on the card asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emulator.counts.work import Product
from language import say
from records.cases.case import Case
from records.cases.experiment import Results
from records.cases.hosts import first_card
from records.loading import find_files, load
from records.names.numbers import ends_of, percent, plain, time_unit, with_interval
from records.reference import DATA, reference_folder
from records.schema.operations import GEMM, shape_of, shape_text, volume

from .explanation import Explanation

# Experiments whose question these times answer; others measure them beside something else.
FIRST = ("gpu_ladder", "block_size")


@dataclass(frozen=True)
class Measured:
    """A kernel's own time as recorded: at the shape asked for or, where `nearest`, at another."""

    case: Case
    nearest: bool

    @property
    def time(self) -> str:
        """"12.4 [12.4, 12.4] µs"."""
        scale, unit = time_unit(self.case.median_s)
        low, high = (None if end is None else end / scale for end in ends_of(self.case.ci95_s))
        return with_interval(self.case.median_s / scale, low, high, unit)

    def outside(self, explanation: Explanation) -> bool:
        """Does the predicted range miss it? Of another shape the range says nothing."""
        return not self.nearest and \
            not explanation.low <= self.case.median_s <= explanation.high

    def told(self, explanation: Explanation) -> str:
        """The sentence beside the prediction."""
        case = self.case
        where = {"card": explanation.card.name, "experiment": case.experiment, "time": self.time}
        if self.nearest:
            return say("Measured on the reference machine's {card} only at other sizes; the "
                       "nearest is {shape}: {time}, {rate} GFLOP/s (experiment {experiment}).",
                       shape=shape_text(*case.shape), rate=plain(case.rate), **where)
        off = case.median_s / explanation.seconds - 1
        how = say("{percent} more than predicted" if off > 0 else "{percent} less than predicted",
                  percent=percent(abs(off)))
        return say("Measured on the reference machine's {card}: {time}, outside the range ({how}; "
                   "experiment {experiment})." if self.outside(explanation) else
                   "Measured on the reference machine's {card}: {time}, within the range ({how}; "
                   "experiment {experiment}).", how=how, **where)


def _results(folder: Path, implementation: str) -> Results | None:
    """Of the files that name the implementation."""
    named = f'"{implementation}"'.encode()
    files = [path for path in find_files(folder) if named in path.read_bytes()]
    return load(folder, files) if files else None


def _on_card(results: Results, card: str) -> Iterator[Case]:
    """What was timed of kernels alone on a card of that name: gemm, in bursts, on inputs from a
    cold cache."""
    first = {run["run_id"]: first_card(run) for run in results.runs}
    for case in (case for experiment in results.experiments for case in experiment.cases):
        plain_one = (case.scope, case.cache, case.operation) == ("kernel", "cold", GEMM) and \
            not (case.copy or case.load)
        if plain_one and case.shown and first.get(case.run_id, {}).get("name") == card:
            yield case


def measured_time(implementation: str, parameters: dict[str, Any], product: Product, card: str,
                  options: dict[str, str] | None = None, data: Path = DATA) -> Measured | None:
    """At that shape, else at the one whose work is nearest; of several those of FIRST, then the
    latest. None where the reference machine's records have none on a card of that name.
    `parameters`: complete."""
    folder = reference_folder(data)
    results = _results(folder, implementation) if folder else None
    found = [case for case in _on_card(results, card)
             if (case.implementation, case.parameters, case.options) == (
                 implementation, parameters, options or {})] if results else []
    shape = shape_of({"m": product.rows, "n": product.cols, "k": product.depth}, options or {})

    def distance(case: Case) -> tuple:
        return (case.shape != shape, abs(math.log(volume(case.shape) / volume(shape))),
                FIRST.index(case.experiment) if case.experiment in FIRST else len(FIRST))

    latest_first = sorted(found, key=lambda case: case.run_id, reverse=True)
    case = min(latest_first, key=distance, default=None)
    return Measured(case, case.shape != shape) if case else None
