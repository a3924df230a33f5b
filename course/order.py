"""The order in which blocks take the tiles of C, as gpu/gemm/tile_walk.h has it, and what those that
run at a time read."""

from __future__ import annotations

from dataclasses import dataclass

Place = tuple[int, int]  # row and column, counted in tiles


def place(tile: int, group: int, down: int, across: int) -> Place:
    """Of the `tile`th of down×across tiles, of which `group` rows are walked together."""
    first_row = tile // (group * across) * group
    rows = min(group, down - first_row)
    within = tile % (group * across)
    return first_row + within % rows, within // rows


@dataclass(frozen=True)
class Wave:
    """The tiles, of rows×cols elements each, that run at a time."""

    places: tuple[Place, ...]
    rows: int
    cols: int

    @property
    def down(self) -> set[int]:
        """Rows of tiles: each one's part of A is read."""
        return {row for row, _ in self.places}

    @property
    def across(self) -> set[int]:
        return {col for _, col in self.places}

    @property
    def read(self) -> int:
        """Rows of A and columns of B that come from memory, if the L2 keeps what is shared."""
        return len(self.down) * self.rows + len(self.across) * self.cols


def waves(group: int, size: int, rows: int, cols: int, at_once: int) -> tuple[Wave, Wave]:
    """The first and the second of a product of `size`³."""
    down, across = -(-size // rows), -(-size // cols)
    places = [place(tile, group, down, across) for tile in range(down * across)]
    return (Wave(tuple(places[:at_once]), rows, cols),
            Wave(tuple(places[at_once:2 * at_once]), rows, cols))
