"""What the figures over block sizes share: which implementations, shapes and blocks they draw."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from analysis.tables.parameter_tables import by_value, having
from analysis.tables.tables import sentences
from language import say
from records.cases.case import Case
from records.cases.series import Series, Shape, series_of, shapes_of, values_of
from records.names.numbers import counted
from records.schema.operations import is_square
from records.view import View

from . import layout


@dataclass(frozen=True)
class Blocks:
    """A panel for each of `series`, over `shapes` and `blocks`; `note` says what is not drawn."""

    series: list[Series]
    shapes: list[Shape]
    blocks: list[Any]
    note: str

    @property
    def square(self) -> bool:
        return all(map(is_square, self.shapes))

    @property
    def shape_label(self) -> str:
        return say("size m = n = k" if self.square else "shape m×n×k")

    def cases(self, series: Series) -> list[list[Case | None]]:
        """A row per shape, a column per block; None where there is no number."""
        lookup = by_value(series, "block")
        return [[lookup.get(shape, {}).get(block) for block in self.blocks]
                for shape in self.shapes]


def blocks_of(view: View, most_shapes: int, most_blocks: int) -> Blocks | None:
    """The shown points with a block size, thinned evenly; None where there is none."""
    cases = [case for case in having(view, "block") if case.shown]
    if not cases:
        return None
    series, shapes = series_of(cases, without="block"), shapes_of(cases)
    blocks = values_of(cases, "block")
    drawn = Blocks(series[:layout.MOST_PANELS], layout.thinned(shapes, most_shapes),
                   layout.thinned(blocks, most_blocks), "")
    counts = ((len(drawn.series), len(series), "implementation"),
              (len(drawn.shapes), len(shapes), "shape"),
              (len(drawn.blocks), len(blocks), "block size"))
    return replace(drawn,
                   note=sentences(*(say("{count} of {all} drawn: see the table.", count=some,
                                        all=counted(every, thing))
                                           for some, every, thing in counts if some < every)))
