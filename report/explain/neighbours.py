"""The rungs of the ladder that a kernel stands between, with what each asks of the memory; all of them counted and predicted."""

from __future__ import annotations

from dataclasses import dataclass

from ..language import say
from ..numbers import DASH, plain
from .explanation import Explanation
from .ladder import COUNTS, points
from .work import GLOBAL, SECTOR, SHARED, Site

AROUND = 3  # rungs shown to either side


@dataclass(frozen=True)
class Beside:
    """A rung, or the kernel itself, in the units of HEADS; None where it has no such access."""

    name: str
    own: bool
    sectors_a: float | None  # per request, loads of A
    sectors_b: float | None
    passes: float | None  # per request of shared memory
    multiply_adds: float | None  # per byte of the sectors that its loads touch
    gflop_per_s: float  # predicted

    @property
    def cells(self) -> tuple[str, ...]:
        """In the order of heads()."""
        return *(DASH if value is None else plain(value, 2) for value in
                 (self.sectors_a, self.sectors_b, self.passes, self.multiply_adds)), plain(self.gflop_per_s)

    @property
    def in_words(self) -> str:
        """For where there is no table."""
        counts = (f"{text} {head}" for text, head in zip(self.cells, heads()) if text != DASH)
        return say("number.semicolon").join(counts)


@dataclass(frozen=True)
class Neighbours:
    """`rows` by predicted GFLOP/s, the kernel itself among them; the rungs' counts are of `shape`."""

    shape: str
    rows: tuple[Beside, ...] = ()


def heads() -> tuple[str, ...]:
    return (say("sectors per request of A"), say("sectors per request of B"), say("passes per shared request"),
            say("multiply-adds per byte loaded"), say("GFLOP/s, predicted"))


def _per_request(sites: list[Site], counted: str) -> float | None:
    requests = sum(site.requests for site in sites)
    return sum(getattr(site, counted) for site in sites) / requests if requests else None


def _row(explanation: Explanation, name: str, own: bool = False) -> Beside:
    sites = [site for work in explanation.works for site in work.sites]
    loads = [site for site in sites if site.space == GLOBAL and site.operation == "load"]
    product = explanation.product
    loaded = SECTOR * sum(site.sectors for site in loads)
    return Beside(name, own, *(_per_request([site for site in loads if site.array == array], "sectors") for array in "AB"),
                  _per_request([site for site in sites if site.space == SHARED], "wavefronts"),
                  product.rows * product.cols * product.depth / loaded if loaded else None, explanation.gflop_per_s)


def neighbours(explanation: Explanation, name: str, card: str) -> Neighbours:
    """The rungs next to it by predicted GFLOP/s at the shape that the ladder's counts have and that is nearest to its own."""
    if not COUNTS.is_file():
        return Neighbours("")
    volume = explanation.product.rows * explanation.product.cols * explanation.product.depth
    shapes = {point.product for point in points()}
    nearest = min(shapes, key=lambda one: abs(one.rows * one.cols * one.depth - volume))
    rungs = sorted((_row(found, point.name) for point in points() if point.product == nearest and point.name != name
                    and (found := point.explanation(card))), key=lambda row: row.gflop_per_s)
    own = _row(explanation, name, own=True)
    place = sum(row.gflop_per_s < own.gflop_per_s for row in rungs)
    return Neighbours(f"{nearest.rows}×{nearest.cols}×{nearest.depth}",
                      (*rungs[max(0, place - AROUND):place], own, *rungs[place:place + AROUND]))


def in_columns(found: Neighbours) -> list[str]:
    """The same as lines of a terminal, the kernel itself marked by a star."""
    names = [f"* {row.name}" if row.own else f"  {row.name}" for row in found.rows]
    wide = max(map(len, names), default=0)
    titles = [f"[{number}] {head}" for number, head in enumerate(heads(), 1)]
    columns = [[f"[{number}]", *(row.cells[number - 1] for row in found.rows)] for number in range(1, len(titles) + 1)]
    widths = [max(map(len, column)) for column in columns]
    lines = ["  ".join([text.ljust(wide), *(cell.rjust(width) for cell, width in zip(cells, widths))])
             for text, *cells in zip(["", *names], *columns)]
    return [say("The ladder at {shape}, counted and predicted: {columns}", shape=found.shape, columns=say("number.semicolon").join(titles)), *lines] \
        if found.rows else []
