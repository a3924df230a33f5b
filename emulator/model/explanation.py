"""Counts of one call and a card become a prediction, the lines that cost, and advice: what page,
command and judge show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from emulator.counts.card import DEFAULT_CARD, Card, load_card
from emulator.counts.sass import Part
from emulator.counts.work import GLOBAL, Product, Site, Work, works_of

from .model import (
    DRAM,
    ISSUE,
    L2,
    LSU,
    MEMORY,
    OWN_WORK,
    WAITING,
    Prediction,
    memory_cycles,
    predict,
)

Place = tuple[str, int]  # file ("" is the student's own), line
ARITHMETIC: Place = ("", 0)  # what no line's accesses stand for


@dataclass(frozen=True)
class Explanation:
    """Times are seconds of the whole call; what is said of one launch is said of the one that takes
    longest."""

    card: Card
    product: Product
    works: list[Work]
    predictions: list[Prediction]

    @property
    def seconds(self) -> float:
        return sum(one.seconds for one in self.predictions)

    @property
    def low(self) -> float:
        return sum(one.low for one in self.predictions)

    @property
    def high(self) -> float:
        return sum(one.high for one in self.predictions)

    @property
    def gflop_per_s(self) -> float:
        return 2 * self.product.rows * self.product.cols * self.product.depth / self.seconds / 1e9

    @property
    def longest(self) -> int:
        return max(range(len(self.works)), key=lambda n: self.predictions[n].seconds)

    @property
    def work(self) -> Work:
        return self.works[self.longest]

    @property
    def prediction(self) -> Prediction:
        return self.predictions[self.longest]


def explained(counts: dict[str, Any], product: Product,
              registers: dict[str, int], card: str = DEFAULT_CARD,
              compiled: dict[str, tuple[Part, ...]] | None = None) -> Explanation | None:
    """None where the counts hold no launch. `compiled`: the instructions of kernels by name, where
    nvcc's are known (sass.py)."""
    works = works_of(counts, product, registers, compiled)
    if not works:
        return None
    known = load_card(card)
    return Explanation(known, product, works, [predict(work, known) for work in works])


def _split(sites: tuple[Site, ...], amounts: list[float]) -> dict[Place, float]:
    """Shares of a unit's work by line; nothing where there is none."""
    total = sum(amounts)
    made: dict[Place, float] = {}
    for site, amount in zip(sites, amounts):
        if amount > 0:
            made[site.file, site.line] = made.get((site.file, site.line), 0) + amount / total
    return made


def line_shares(work: Work, prediction: Prediction, card: Card) -> dict[Place, float]:
    """Share of the predicted time by line; the rest is arithmetic, addresses and barriers. A unit
    counts by how much of the time would go with its work, and is split over lines by what they ask
    of it."""
    sites = work.sites
    loads = [site.requests if site.space == GLOBAL and site.operation == "load"
             and not site.asynchronous else 0 for site in sites]
    units = {LSU: _split(sites, [memory_cycles(site, card) for site in sites]),
             L2: _split(sites, [site.l1_miss_sectors or site.sectors for site in sites]),
             DRAM: _split(sites, [site.l2_miss_sectors or site.sectors for site in sites]),
             MEMORY: _split(sites, loads)}
    instructions = work.instructions or 1.0
    units[ISSUE] = {place: share * sum(site.requests for site in sites) / instructions
                    for place, share in _split(sites, [site.requests for site in sites]).items()}
    weights = prediction.weights
    weights |= {MEMORY: weights[WAITING] * prediction.chain[MEMORY]}
    weights[LSU] += weights[WAITING] * prediction.chain[OWN_WORK]
    made: dict[Place, float] = {}
    for unit, split in units.items():
        for place, share in split.items():
            made[place] = made.get(place, 0) + weights[unit] * share
    made[ARITHMETIC] = max(0.0, 1 - sum(made.values()))
    return made


def costliest(work: Work, prediction: Prediction, card: Card) -> tuple[Place, float]:
    """The line of most of the time, and its share."""
    shares = {place: share for place, share in line_shares(work, prediction, card).items()
              if place != ARITHMETIC}
    return max(shares.items(), key=lambda entry: entry[1], default=(ARITHMETIC, 0.0))
