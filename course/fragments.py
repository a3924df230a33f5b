"""Which lane of a warp holds which element of a tensor core's operands, where chunks of a tile lie in
shared memory, and what a read of them costs.

The formulas are those of gpu/gemm/mma_sync/mma_block.h, gpu/gemm/wgmma/result.h and
gpu/gemm/tensor/instructions/ptx_sm80.h; tests/course/test_fragments.py holds them against these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

LANES = 32
MATRICES, MATRIX_ROWS = 4, 8  # of ldmatrix.x4: eight rows of 16 bytes are a matrix of 8×8
CHUNK, CHUNK_BYTES = 8, 16  # elements and bytes of a chunk
BANKS, WORD = 32, 4
LINE = BANKS * WORD  # bytes that the banks serve in one pass

Place = tuple[int, int]  # row and column of an element


def of_matrix(lane: int) -> tuple[Place, Place]:
    """The two elements of an 8×8 matrix that ldmatrix hands a lane."""
    return (lane // 4, 2 * (lane % 4)), (lane // 4, 2 * (lane % 4) + 1)


def address_of(lane: int) -> Place:
    """Row and chunk of A, or term and chunk of B, whose address a lane gives to ldmatrix.x4."""
    return lane % 16, lane // 16


def _corner(matrix: int) -> Place:
    """Of the matrix whose rows lanes 8·matrix and on give: row and column."""
    row, chunk = address_of(MATRIX_ROWS * matrix)
    return row, chunk * CHUNK


def of_a(lane: int) -> list[tuple[Place, ...]]:
    """The elements (row, term) of a lane's four registers."""
    return [tuple((row + y, col + x) for y, x in of_matrix(lane))
            for row, col in map(_corner, range(4))]


def of_b(lane: int) -> list[tuple[Place, ...]]:
    """The elements (term, column) of its two registers: matrices that ldmatrix has transposed."""
    return [tuple((term + x, col + y) for y, x in of_matrix(lane))
            for term, col in map(_corner, range(2))]


def of_c(lane: int) -> list[tuple[Place, ...]]:
    """The elements (row, column) of its two pairs of sums."""
    return [tuple((lane // 4 + 8 * half, lane % 4 * 2 + right) for right in range(2))
            for half in range(2)]


@dataclass(frozen=True)
class Tile:
    """Rows in shared memory, and in which order their chunks lie."""

    row_bytes: int
    swizzled: Callable[[int, int], int]  # row and chunk -> the chunk's place in its row

    def address(self, row: int, chunk: int, swizzle: bool) -> int:
        place = self.swizzled(row, chunk) if swizzle else chunk
        return row * self.row_bytes + place * CHUNK_BYTES


TILES = {
    "A": Tile(64, lambda row, chunk: chunk ^ (row // 2 % 4)),  # place_a
    "B": Tile(256, lambda row, chunk: chunk ^ (row % 8)),  # place_b
    "TMA": Tile(128, lambda row, chunk: chunk ^ (row % 8)),  # place_in_slot
}


def passes(addresses: list[int], width: int = CHUNK_BYTES) -> int:
    """Over the banks, to serve lanes that read `width` bytes each from there on: the most different
    words that one bank is asked for."""
    words: dict[int, set[int]] = {}
    for address in addresses:
        for word in range(address // WORD, (address + width) // WORD):
            words.setdefault(word % BANKS, set()).add(word)
    return max(map(len, words.values()))


def matrix_rows(name: str, swizzle: bool, chunk: int = 0) -> list[int]:
    """The addresses of the eight rows of a matrix."""
    return [TILES[name].address(row, chunk, swizzle) for row in range(MATRIX_ROWS)]
