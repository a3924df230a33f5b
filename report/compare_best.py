"""What a comparison opens with: the best of each machine at one size, and where the machines differ most."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from .answer.headline import FAVOURITE
from .answer.words import side
from .case import Case
from .compare import Labels, Pair
from .compare_many import Beside, Many
from .experiment import Results
from .heads import faster
from .operations import GEMM, by_volume, is_square, shape_text
from .rates import rate_cell
from .ratios import unpaired
from .tables import Row, Table, ratio_cell, time_cell

MOST_EACH_WAY = 5
SIDES: tuple[tuple[str, Callable[[Case], bool]], ...] = (
    ("GPU", lambda case: case.device == "gpu"), ("CPU", lambda case: case.device == "cpu"),
    ("CPU, one core", lambda case: case.device == "cpu" and case.threads == 1))


@dataclass(frozen=True)
class Best:
    """The fastest of both machines at one size; above 1 the second is faster."""

    name: str
    what: str
    pair: Pair

    @property
    def size(self) -> str:
        return shape_text(*self.pair.first.shape)

    def sentence(self, first: str) -> str:
        """"CPU at 1000: B's best (oneDNN, 2 cores) is 3.4 times slower than A's (MKL, 16 cores)."."""
        compared = faster(self.pair.ratio, f"{first}'s ({side(self.pair.first)})")
        return f"{self.what} at {self.size}: {self.name}'s best ({side(self.pair.second)}) is {compared}."


def _fastest(results: Results, of: Callable[[Case], bool]) -> dict[tuple, Case]:
    """The fastest plain FP32 product of each shape, cache and inputs, on one card, that nothing disturbed."""
    found: dict[tuple, Case] = {}
    for case in (case for experiment in results.experiments for case in experiment.cases):
        if case.operation == GEMM and case.shown and case.scope == "kernel" and case.precision == "fp32" and case.cards == 1 \
                and not (case.copy or case.disturbed or case.load) and of(case):
            key = case.shape, case.cache, case.distribution
            if key not in found or case.median_s < found[key].median_s:
                found[key] = case
    return found


def _rank(key: tuple) -> tuple:
    shape, cache, _ = key
    return shape == FAVOURITE, is_square(shape), by_volume(shape)[:1], cache == "cold", key


def bests(first: Results, second: Results, name: str) -> list[Best]:
    """Of each side that both have: at 4096, else at the largest square, else at the largest shape that both measured."""
    made = []
    for what, of in SIDES:
        mine, theirs = _fastest(first, of), _fastest(second, of)
        shared = max(mine.keys() & theirs.keys(), key=_rank, default=None)
        if shared is not None:
            both = mine[shared], theirs[shared]
            made.append(Best(name, what, Pair(*both, unpaired(*both))))
    return [one for one in made if one.pair.ratio]


def missing(first: Results, second: Results, names: tuple[str, str]) -> list[str]:
    """"GPU: no plain FP32 product on B.", of the sides that one machine has alone."""
    made = []
    for what, of in SIDES[:2]:
        has = [bool(_fastest(side, of)) for side in (first, second)]
        if any(has) and not all(has):
            made.append(f"{what}: no plain FP32 product on {names[has.index(False)]}.")
    return made


def best_table(many: Many, found: list[Best]) -> Table:
    """A row for each side of each machine beside the first."""
    several = len(many.others) > 1
    columns = (many.first, "the other" if several else many.others[0].name, "ratio")
    table = Table("compare_best", "Best against best", "The rate of whatever is fastest on each machine in plain FP32, at one size that both "
                  f"measured; ratio: how many times as fast as {many.first}. Brackets hold 95 % confidence intervals.",
                  (*(["Machine"] if several else []), "Side", "Size", f"Best of {columns[0]}", f"Best of {columns[1]}"), columns)
    for one in found:
        pair = one.pair
        table.rows.append(Row((*([one.name] if several else []), one.what, f"{one.size}, {pair.first.cache} cache", side(pair.first), side(pair.second)),
                              (*(rate_cell(case, with_unit=True) for case in (pair.first, pair.second)), ratio_cell(pair.ratio))))
    return table


def _most(other: Beside) -> list[Pair]:
    """The confirmed differences that are largest either way, the second's largest lead first; one of each implementation."""
    found: dict[tuple, Pair] = {}
    for pair in other.comparison.pairs:
        key = pair.first.experiment, pair.first.label, pair.ratio.value > 1
        if not pair.ratio.tie and not pair.disturbed and (key not in found or _size(pair) > _size(found[key])):
            found[key] = pair
    ordered = sorted(found.values(), key=lambda pair: -pair.ratio.value)
    faster = [pair for pair in ordered if pair.ratio.value > 1][:MOST_EACH_WAY]
    return [*faster, *[pair for pair in ordered if pair.ratio.value < 1][-MOST_EACH_WAY:]]


def _size(pair: Pair) -> float:
    return abs(math.log(pair.ratio.value))


def most_table(many: Many) -> Table:
    """Where each machine differs most from the first."""
    several = len(many.others) > 1
    columns = (many.first, "the other" if several else many.others[0].name, "ratio")
    table = Table("compare_most", "What differs most", f"Of the shared points up to {MOST_EACH_WAY} at which the other is ahead of "
                  f"{many.first} most, and as many at which it is behind most: median times; above 1 the other is faster. Of each implementation of "
                  "an experiment its largest difference, and only what is confirmed.",
                  (*(["Machine"] if several else []), "Implementation", "Shape", "Experiment"), columns)
    for other in many.others:
        labels = Labels([pair.first for pair in other.comparison.pairs])
        for pair in _most(other):
            heads = (*([other.name] if several else []), labels.of(pair.first), shape_text(*pair.first.shape), pair.first.experiment)
            table.rows.append(Row(heads, (time_cell(pair.first), time_cell(pair.second), ratio_cell(pair.ratio))))
    if not table.rows:
        table.caption = "No difference is confirmed."
    return table
