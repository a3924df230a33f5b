"""The order in which blocks take the tiles of C, as gpu/gemm/tile_walk.h has it, and what those
that run at a time read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from emulator.explain.drawing import BLUE, FAINT, ORANGE, svg, text
from language import say

from .marks import FONT, Box, boxes, note

TILE_WIDE, TILE_HIGH, ROWS_SHOWN = 8.2, 7, 20
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


def tile_order(of: Sequence[str], at_once: int) -> Markup:
    """C of the size named and its tiles of rows×cols that run at a time, row by row and in
    groups."""
    size, rows, cols, group = map(int, of)
    left, top, gap = 36.0, 52.0, 50.0
    parts: list[str] = []
    height = 0.0
    for panel, (grouped, name) in enumerate((
            (1, say("row by row")), (group, say("{group} rows together", group=group)))):
        first, second = waves(grouped, size, rows, cols, at_once)
        x = left + panel * (size / cols * TILE_WIDE + gap)
        parts.append(text(x, 14, name, "strong"))
        height = _waves(parts, first, second, size, x, top)
    return svg(height, parts, say("tiles that run at a time, in two orders"), FONT) + note(say(
        "The first {shown} rows of tiles of C, {size}×{size} in tiles of {rows}×{cols}. Full "
        "colour: the {count} that run first, one for each SM of the card; pale: the next ones. "
        "Blue: what the first read of A (left) and of B (above).", shown=ROWS_SHOWN, size=size,
        rows=rows, cols=cols, count=at_once))


def _waves(parts: list[str], first: Wave, second: Wave, size: int, x: float, y: float) -> float:
    """The first rows of tiles, and what the first wave reads. Returns where it ends."""
    across = size // first.cols
    strip = 9

    def areas(places: Iterable[Place]) -> list[Box]:
        return [(round(x + col * TILE_WIDE, 1), y + row * TILE_HIGH, TILE_WIDE - 1, TILE_HIGH - 1)
                for row, col in places]

    bottom = y + ROWS_SHOWN * TILE_HIGH
    parts += [boxes([(x, y, across * TILE_WIDE - 1, ROWS_SHOWN * TILE_HIGH - 1)], FAINT, 0.4),
              boxes(areas(first.places), ORANGE),
              boxes(areas(one for one in second.places if one[0] < ROWS_SHOWN), ORANGE, 0.45),
              boxes([(x - strip - 4, y + row * TILE_HIGH, strip, TILE_HIGH - 1)
                      for row in sorted(first.down)]
                     + [(round(x + col * TILE_WIDE, 1), y - strip - 4, TILE_WIDE - 1, strip)
                        for col in sorted(first.across)], BLUE),
              text(x - strip - 8, y + 12, "A", "soft", "end"),
              text(x, y - strip - 9, "B", "soft"),
              text(x, bottom + 18, say("{rows} rows of A, {cols} columns of B:",
                                       rows=len(first.down) * first.rows,
                                       cols=len(first.across) * first.cols)),
              text(x, bottom + 36, say("{count} × K elements", count=f"{first.read:,}"), "strong")]
    return bottom + 44
