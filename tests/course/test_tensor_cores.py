"""The rules that the drawings are computed by, held against the sources of the kernels."""

from __future__ import annotations

import itertools
import re

import pytest
from sample_records import ROOT

from course.chapter import chapters
from course.tensor_cores import banks, fragments, ring
from course.tensor_cores.order import place, waves

BLOCK, SLOT = "gpu/gemm/mma_sync/mma_block.h", "gpu/gemm/wgmma/result.h"
PTX, WALK = "gpu/gemm/tensor/instructions/ptx_sm80.h", "gpu/gemm/tile_walk.h"


def in_source(file: str, pattern: str) -> str:
    """What the group of the pattern matches in the file, once."""
    text = re.sub(r"\s+", " ", (ROOT / file).read_text(encoding="utf-8"))
    found = re.findall(pattern, text)
    assert len(found) == 1, (file, pattern, found)
    return found[0]


def value(expression: str, **names: int) -> int:
    """Of an expression of C++ on whole numbers, none of them below zero."""
    text = re.sub(r"(\w+ < \w+) \? (\w+) : (\w+)", r"(\2 if \1 else \3)", expression)
    text = re.sub(r"T::|std::uint32_t|static_cast<\w*>", "", text).replace("/", "//")
    return int(eval(text, {"__builtins__": {}}, names))


@pytest.mark.parametrize("name,across", [("a", 32), ("b", 128)])
def test_chunks_lie_where_the_kernel_puts_them(name, across):
    plain, exchanged = in_source(BLOCK, rf"place_{name}\(int row, int chunk\) {{ return row \* "
                                        r"T::B[KN] \+ \((T::kSwizzled \? .*? : chunk\)) \* kChunk"
                                 ).removeprefix("T::kSwizzled ? ").split(" : ")[::-1]
    assert plain == "chunk)"
    tile = banks.TILES[name.upper()]
    for row, chunk in itertools.product(range(32), range(across // fragments.CHUNK)):
        element = row * across + value(exchanged, row=row, chunk=chunk, BK=across,
                                       kChunk=fragments.CHUNK) * fragments.CHUNK
        assert tile.address(row, chunk, swizzle=True) == element * 2
        assert tile.address(row, chunk, swizzle=False) == (row * across + chunk * 8) * 2


def test_chunks_of_tma_lie_where_results_are_written_for_it():
    said = in_source(SLOT, r"place_in_slot\([^)]*\) { return \((slot \+ .*?)\) \^ ")
    for row, chunk in itertools.product(range(64), range(8)):
        at = value(said, slot=0, row=row, kRowBytes=banks.LINE) ^ chunk * banks.CHUNK_BYTES
        assert banks.TILES["TMA"].address(row, chunk, swizzle=True) == at


def test_lanes_hold_what_ldmatrix_gives_and_the_kernel_writes():
    row, chunk = (in_source(BLOCK, pattern) for pattern in (
        r"const int row = row_ \+ i \* kPieceRows \+ (lane_ % 16);",
        r"place_a<T>\(row, k / kChunk \+ (lane_ / 16)\)"))
    c_row = in_source(BLOCK, r"corner\.row \+ row_ \+ i \* kPieceRows \+ (lane_ .*?);")
    c_col = in_source(BLOCK, r"corner\.col \+ col_ \+ j \* kPieceCols \+ (lane_ .*?);")
    in_source(PTX, r"A lane gets the (?:/// )?elements (2·\(lane % 4\) and the next of row lane / "
                   r"4) of each")
    for lane in range(fragments.LANES):
        assert fragments.address_of(lane) == (value(row, lane_=lane), value(chunk, lane_=lane))
        assert fragments.of_matrix(lane) == ((lane // 4, 2 * (lane % 4)),
                                             (lane // 4, 2 * (lane % 4) + 1))
        for half, places in enumerate(fragments.of_c(lane)):
            left = value(c_row, lane_=lane, half=half), value(c_col, lane_=lane)
            assert places == (left, (left[0], left[1] + 1))


@pytest.mark.parametrize("held,rows,cols", [(fragments.of_a, 16, 16), (fragments.of_b, 16, 8),
                                            (fragments.of_c, 16, 8)])
def test_each_element_is_held_once(held, rows, cols):
    every = [one for lane in range(fragments.LANES) for places in held(lane) for one in places]
    assert sorted(every) == list(itertools.product(range(rows), range(cols)))


@pytest.mark.parametrize("name,in_order", [("A", 4), ("B", 8), ("TMA", 8)])
def test_rows_meet_in_the_banks_in_order_and_not_swizzled(name, in_order):
    tile = banks.TILES[name]
    for chunk in range(tile.row_bytes // banks.CHUNK_BYTES):
        assert banks.passes(tile.matrix(False, chunk)) == in_order
        assert banks.passes(tile.matrix(True, chunk)) == 1


def test_a_stage_is_filled_when_it_is_empty_and_read_when_it_is_full():
    for stages in range(1, 7):
        made = ring.rounds(stages, 24)
        for one in made:
            assert one.full == one.asked + ring.COPY and one.begun >= one.full
        for before, after in itertools.pairwise(made):
            assert after.begun >= before.empty
        for one, again in zip(made, made[stages:]):
            assert again.asked >= one.empty and again.phase == one.phase ^ 1
    covered = [ring.waited(ring.rounds(stages, 24)) for stages in (1, 2, 3, 4, 5)]
    assert covered == sorted(covered, reverse=True) and covered[2] > 0 == covered[3]


def test_tiles_are_taken_in_the_kernel_s_order():
    text = re.sub(r"\s+", " ", (ROOT / WALK).read_text(encoding="utf-8"))
    steps = re.findall(r"const Whole (\w+) = (.*?);", text)
    ends = re.findall(r"static_cast<int>\((.*?)\)[,}]", text)
    down, across, group = 21, 5, 8
    for tile in range(down * across):
        names = {"tile": tile, "group": group, "down": down, "across": across}
        for name, expression in steps:
            names[name] = value(expression, **names)
        assert place(tile, group, down, across) == tuple(value(end, **names) for end in ends)


def test_what_is_drawn_is_the_kernel_s_ring_and_order():
    rows, cols, stages = re.findall(r"StagedTile<In, (\d+), (\d+), (\d+), kColumnsOfB>", (
        ROOT / "gpu/gemm/wgmma_persistent.cu").read_text(encoding="utf-8"))[0]
    group = in_source("gpu/gemm/wgmma_persistent.cu", r"found\.group = (\d+);")
    drawn = {figure.kind: figure.of for one in chapters() for figure in one.figure
             if one.name == "12-tma-and-roles"}
    assert drawn["ring"][0] == stages and drawn["order"][1:] == [rows, cols, group]


def test_tiles_of_a_group_read_less():
    (row_by_row, _), (together, following) = (waves(group, 8192, 128, 256, 132)
                                              for group in (1, 8))
    assert len(together.down) == 8 and together.read < 0.7 * row_by_row.read
    assert not set(together.places) & set(following.places)
