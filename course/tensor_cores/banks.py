"""Where chunks of a tile lie in the banks of shared memory, in order and swizzled, and how many
passes a read of eight rows takes.

The rules are those of gpu/gemm/mma_sync/mma_block.h and gpu/gemm/wgmma/result.h;
tests/course/test_tensor_cores.py holds them against these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from emulator.explain.drawing import BLUE, ORANGE, svg, text
from language import say

from .fragments import MATRIX_ROWS
from .marks import FONT, ON_ORANGE, Box, Label, boxes, labels, note

CHUNK_BYTES = 16
BANKS, WORD = 32, 4
LINE = BANKS * WORD  # bytes that the banks serve in one pass
SLOTS = LINE // CHUNK_BYTES  # of a line, a chunk each
WIDE, HIGH, TOP, LEFT, GAP = 34.0, 19.0, 40.0, 54.0, 18.0


@dataclass(frozen=True)
class Tile:
    """Rows in shared memory, and in which order their chunks lie."""

    row_bytes: int
    swizzled: Callable[[int, int], int]  # row and chunk -> the chunk's place in its row

    def address(self, row: int, chunk: int, swizzle: bool) -> int:
        place = self.swizzled(row, chunk) if swizzle else chunk
        return row * self.row_bytes + place * CHUNK_BYTES

    def matrix(self, swizzle: bool, chunk: int = 0) -> list[int]:
        """The addresses of that chunk of eight rows, which are read at a time."""
        return [self.address(row, chunk, swizzle) for row in range(MATRIX_ROWS)]


TILES = {
    "A": Tile(64, lambda row, chunk: chunk ^ (row // 2 % 4)),  # place_a
    "B": Tile(256, lambda row, chunk: chunk ^ (row % 8)),  # place_b
    "TMA": Tile(128, lambda row, chunk: chunk ^ (row % 8)),  # place_in_slot
}


def passes(addresses: list[int], width: int = CHUNK_BYTES) -> int:
    """Over the banks, to serve lanes that read `width` bytes each from there on: the most different
    words that one bank is asked for."""
    words = {word for at in addresses for word in range(at // WORD, (at + width) // WORD)}
    return max(Counter(word % BANKS for word in words).values())


def bank_passes(of: Sequence[str]) -> Markup:
    """How eight rows meet in the banks, of each tile named, in order and swizzled."""
    said = {"A": say("A's tile, of which a row is 64 bytes: the eight rows that ldmatrix reads at "
                     "a time"),
            "B": say("B's tile, of which a row is 256 bytes; its first 128 are drawn"),
            "TMA": say("a tile of TMA and wgmma, of which a row is 128 bytes")}
    drawn = Markup("")
    for name in of:
        parts = [labels([(LEFT - 6, TOP - 6, say("banks"))], 9, "end", "pale")]
        height = max(_panel(parts, TILES[name], swizzle) for swizzle in (False, True))
        drawn += note(said[name]) + svg(
            height, parts, say("where eight chunks lie in the 32 banks, in order and swizzled"),
            FONT)
    return drawn


def _panel(parts: list[str], tile: Tile, swizzle: bool) -> float:
    """The lines of 128 bytes in which the eight rows' first chunks lie. Returns where it ends."""
    x0 = LEFT + swizzle * (SLOTS * WIDE + GAP)
    wanted = tile.matrix(swizzle)
    lines = {line: TOP + n * HIGH for n, line in enumerate(sorted({at // LINE for at in wanted}))}
    per_slot = Counter(at % LINE // CHUNK_BYTES for at in wanted)

    def box(at: int) -> Box:
        return x0 + at % LINE // CHUNK_BYTES * WIDE, lines[at // LINE], WIDE, HIGH

    def label(at: int, chunk: int) -> Label:
        x, y, *_ = box(at)
        return x + WIDE / 2, y + 13.5, chunk

    chunks = {at: chunk for row in range(MATRIX_ROWS)
              for chunk in range(tile.row_bytes // CHUNK_BYTES)
              if (at := tile.address(row, chunk, swizzle)) // LINE in lines}
    met = {at for at in wanted if per_slot[at % LINE // CHUNK_BYTES] > 1}
    alone = set(wanted) - met
    bottom = TOP + len(lines) * HIGH
    places = [(x0 + slot * WIDE + WIDE / 2, slot) for slot in range(SLOTS)]
    step = BANKS // SLOTS
    parts += [
        text(x0, 14, say("swizzled") if swizzle else say("in order"), "strong"),
        labels([(x, TOP - 6, f"{slot * step}–{(slot + 1) * step - 1}") for x, slot in places], 9,
               kind="pale"),
        boxes(map(box, sorted(met)), ORANGE), boxes(map(box, sorted(alone)), BLUE),
        boxes(map(box, chunks), "none", kind="rule"),
        labels([label(at, chunk) for at, chunk in chunks.items() if at not in wanted], 10,
               kind="pale"),
        labels([label(at, chunks[at]) for at in sorted(met)], 10, kind="strong", colour=ON_ORANGE),
        labels([label(at, chunks[at]) for at in sorted(alone)], 10, kind="on"),
        labels([(x, bottom + 15, per_slot[slot]) for x, slot in places], 11),
        text(x0, bottom + 34, say("passes over the banks: {passes}", passes=passes(wanted)),
             "strong")]
    if not swizzle:
        parts.append(labels([(LEFT - 6, y + 13.5, _rows_text(tile, line))
                             for line, y in lines.items()], 10, "end", "pale"))
    return bottom + 42


def _rows_text(tile: Tile, line: int) -> str:
    """The rows of a line of 128 bytes."""
    first, rows = line * LINE // tile.row_bytes, LINE // tile.row_bytes
    return (say("rows {first}, {last}", first=first, last=first + rows - 1) if rows > 1
            else say("row {row}", row=first))
