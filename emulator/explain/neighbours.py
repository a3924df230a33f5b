"""The rungs of the ladder that a kernel stands between, with what each asks of the memory; all of
them counted and predicted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from emulator.counts.work import GLOBAL, SECTOR, SHARED, Product, Site
from emulator.model.explanation import Explanation
from emulator.model.ladder import COUNTS, points
from language import say
from records.names.numbers import DASH, plain

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
        return (*(DASH if value is None else plain(value, 2)
                  for value in (self.sectors_a, self.sectors_b, self.passes, self.multiply_adds)),
                plain(self.gflop_per_s))


@dataclass(frozen=True)
class Neighbours:
    """`rows` by predicted GFLOP/s, the kernel itself among them; the rungs' counts are of
    `product`, which is `shape` in words."""

    shape: str
    rows: tuple[Beside, ...] = ()
    product: Product | None = None

    @property
    def as_table(self) -> dict[str, Any]:
        """For a verdict's JSON: "shape", "heads", and "rows" of "name", "own" and "cells"."""
        return {"shape": self.shape, "heads": list(heads()), "rows": [
            {"name": row.name, "own": row.own, "cells": list(row.cells)} for row in self.rows]}


def heads() -> tuple[str, ...]:
    return (say("sectors per request of A"), say("sectors per request of B"),
            say("passes per shared request"), say("multiply-adds per byte loaded"),
            say("GFLOP/s, predicted"))


def _per_request(sites: list[Site], counted: str) -> float | None:
    requests = sum(site.requests for site in sites)
    return sum(getattr(site, counted) for site in sites) / requests if requests else None


def _row(explanation: Explanation, name: str, own: bool = False) -> Beside:
    sites = [site for work in explanation.works for site in work.sites]
    loads = [site for site in sites if site.space == GLOBAL and site.operation == "load"]
    product = explanation.product
    loaded = SECTOR * sum(site.sectors for site in loads)
    of_a, of_b = (_per_request([site for site in loads if site.array == array], "sectors")
                  for array in "AB")
    return Beside(name, own, of_a, of_b,
                  _per_request([site for site in sites if site.space == SHARED], "wavefronts"),
                  product.rows * product.cols * product.depth / loaded if loaded else None,
                  explanation.gflop_per_s)


def neighbours(explanation: Explanation, name: str, card: str) -> Neighbours:
    """The rungs next to it by predicted GFLOP/s at the shape that the ladder's counts have and that
    is nearest to its own."""
    if not COUNTS.is_file():
        return Neighbours("")
    volume = explanation.product.rows * explanation.product.cols * explanation.product.depth
    shapes = {point.product for point in points()}
    nearest = min(shapes, key=lambda one: abs(one.rows * one.cols * one.depth - volume))
    rungs = sorted((_row(found, point.name) for point in points() if point.product == nearest
                    and point.name != name and (found := point.explanation(card))),
                   key=lambda row: row.gflop_per_s)
    own = _row(explanation, name, own=True)
    place = sum(row.gflop_per_s < own.gflop_per_s for row in rungs)
    nearest = replace(nearest, as_in_solve=explanation.product.as_in_solve)
    shape = "×".join(map(str, nearest.sides))
    if nearest.as_in_solve:
        shape = say("{shape} (rows × inner × columns)", shape=shape)
    around = (*rungs[max(0, place - AROUND):place], own, *rungs[place:place + AROUND])
    return Neighbours(shape, around, nearest)


def in_columns(table: dict[str, Any]) -> list[str]:
    """What as_table holds as lines of a terminal, the kernel itself marked by a star; none where it
    has no rows."""
    rows, titles = (table["rows"],
                    [f"[{number}] {head}" for number, head in enumerate(table["heads"], 1)])
    lines = [["", *(f"[{number}]" for number in range(1, len(titles) + 1))],
             *([f"{'*' if row['own'] else ' '} {row['name']}", *row["cells"]] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    return [say("The ladder at {shape}, counted and predicted (32 lanes side by side need 4 "
                "sectors for 4 bytes each, 16 for 16): {columns}", shape=table["shape"],
                columns=say("; ").join(titles)), *("  ".join([name.ljust(widths[0]), *(
                    cell.rjust(width) for cell, width in zip(cells, widths[1:]))])
                    for name, *cells in lines)
    ] if rows else []
