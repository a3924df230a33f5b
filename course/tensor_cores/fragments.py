"""Which lane of a warp holds which element of A, B and C of one mma.sync, m16n8k16.

The rules are those of gpu/gemm/mma_sync/mma_block.h and gpu/gemm/tensor/instructions/ptx_sm80.h;
tests/course/test_tensor_cores.py holds them against these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

from emulator.explain.drawing import BLUE, ORANGE, svg, text
from language import say

from .marks import FONT, ON_ORANGE, Box, Label, boxes, labels, note

LANES = 32
MATRICES, MATRIX_ROWS = 4, 8  # of ldmatrix.x4: eight rows of 16 bytes are a matrix of 8×8
CHUNK = 8  # elements of 16 bytes
SIDE = 16  # rows of A and C, terms of A and B
CELL, TINTS = 16, (BLUE, "#009e73", "#cc79a7", "#e69f00")  # of an element, of registers

Place = tuple[int, int]  # row and column of an element
Registers = list[tuple[Place, ...]]


def of_matrix(lane: int) -> tuple[Place, Place]:
    """The two elements of an 8×8 matrix that ldmatrix hands a lane."""
    return (lane // 4, 2 * (lane % 4)), (lane // 4, 2 * (lane % 4) + 1)


def address_of(lane: int) -> Place:
    """Row and chunk of A, or term and chunk of B, whose address a lane gives to ldmatrix.x4."""
    return lane % 16, lane // 16


def _corner(matrix: int) -> Place:
    """Of the matrix whose rows the lanes from 8·matrix on name: row and column."""
    row, chunk = address_of(MATRIX_ROWS * matrix)
    return row, chunk * CHUNK


def of_a(lane: int) -> Registers:
    """The elements (row, term) of a lane's four registers."""
    return [tuple((row + y, col + x) for y, x in of_matrix(lane))
            for row, col in map(_corner, range(MATRICES))]


def of_b(lane: int) -> Registers:
    """The elements (term, column) of its two registers: matrices that ldmatrix has transposed."""
    return [tuple((term + x, col + y) for y, x in of_matrix(lane))
            for term, col in map(_corner, range(2))]


def of_c(lane: int) -> Registers:
    """The elements (row, column) of its two pairs of sums."""
    return [tuple((lane // 4 + 8 * half, lane % 4 * 2 + right) for right in range(2))
            for half in range(2)]


def fragment_layout(of: Sequence[str]) -> Markup:
    """A·B → C, with the lane named in orange."""
    chosen, top, rows = int(of[0]), 24.0, SIDE * CELL
    a, b, c = 24.0, 324.0, 490.0  # where each begins
    parts = [*_operand(a, top, say("A, 16 rows × 16 terms"), "a", of_a, chosen),
             *_operand(b, top, say("B, 16 × 8"), "b", of_b, chosen),
             *_operand(c, top, say("C, 16 × 8"), "c", of_c, chosen),
             text((a + rows + b) / 2 + 6, top + rows / 2 + 5, "·", anchor="middle", size=20),
             text((b + rows / 2 + c) / 2, top + rows / 2 + 5, "→", anchor="middle", size=16)]
    for chunk, anchor, x in ((0, "end", a - 4), (1, "start", a + rows + 4)):
        named = [(lane, address_of(lane)[0]) for lane in range(LANES)
                 if address_of(lane)[1] == chunk]
        parts.append(labels([(x, top + row * CELL + 11.5, lane) for lane, row in named], 9, anchor,
                            "pale"))
    told = say("which of the 32 lanes holds which element of A, B and C")
    return svg(top + rows + 34, parts, told, FONT) + note(say(
        "In each box: the lane that holds these two elements, in the register of the tint; "
        "lane {lane} in orange. Beside A: the lane that gives ldmatrix the address of these 16 "
        "bytes.", lane=chosen))


def _operand(x: float, y: float, name: str, letter: str, held: Callable[[int], Registers],
             chosen: int) -> list[str]:
    """Its elements, in the tint of the register that holds them, with the lane's number; elements
    that share a register are one box."""
    tinted: list[list[Box]] = [[] for _ in TINTS]
    marked: list[Box] = []
    numbers: list[Label] = []
    marked_numbers: list[Label] = []
    for lane in range(LANES):
        for register, places in enumerate(held(lane)):
            (top, left), (bottom, right) = places[0], places[-1]
            area = (x + left * CELL, y + top * CELL, (right - left + 1) * CELL,
                    (bottom - top + 1) * CELL)
            tinted[register].append(area)
            label = (area[0] + area[2] / 2, area[1] + area[3] / 2 + 3.5, lane)
            (marked_numbers if lane == chosen else numbers).append(label)
            if lane == chosen:
                marked.append(area)
    size = 10 if tinted[0][0][2] > CELL else 9  # in upright boxes
    parts = [text(x, y - 9, name, "strong"),
             *(boxes(areas, colour, 0.22, "rule") for areas, colour in zip(tinted, TINTS)),
             boxes(marked, ORANGE), labels(numbers, size),
             labels(marked_numbers, size, kind="strong", colour=ON_ORANGE)]
    under = y + SIDE * CELL + 12
    for n, (areas, colour) in enumerate(zip(tinted, TINTS)):
        if areas:
            parts += [boxes([(x + n * 62, under, 12, 12)], colour, 0.4),
                      text(x + n * 62 + 17, under + 10, f"{letter}{2 * n}, {letter}{2 * n + 1}",
                           "soft")]
    return parts
