"""Instructions read from SASS: parts of a listing made up, and the committed table against what ncu
counted on an H200."""

from __future__ import annotations

import orjson
import pytest

from emulator.counts.sass import (
    BARRIERS,
    MULTIPLY_ADDS,
    WARPS,
    Part,
    bare,
    dynamic,
    functions,
    parts_of,
)
from emulator.model.ladder import MEASURED, parameters_key, points

COUNTED_AT = 4096
CLOSE = 0.02

# a tile's loop around a rolled one; the loop left over by unrolling, which has fewer multiply-adds,
# stands behind them
LISTING = """
		Function : _Z1kPf
        /*0000*/                   S2R R0, SR_TID.X ;                 /* 0x0000000000007919 */
                                                                      /* 0x000e220000002100 */
        /*0010*/                   LDG.E R2, desc[UR4][R2.64] ;
        /*0020*/                   STS [R3], R2 ;
        /*0030*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*0040*/                   LDS.128 R4, [R0] ;
        /*0050*/                   FFMA R1, R4, R5, R1 ;
        /*0060*/                   FFMA R1, R6, R7, R1 ;
        /*0070*/              @!P0 BRA 0x40 ;
        /*0080*/               @P1 BRA 0x10 ;
        /*0090*/                   FFMA R1, R4, R5, R1 ;
        /*00a0*/               @P2 BRA 0x90 ;
        /*00b0*/                   STG.E desc[UR4][R2.64], R1 ;
        /*00c0*/                   EXIT ;
        /*00d0*/                   BRA 0xd0;
        /*00e0*/                   NOP;
"""


def test_a_listing_falls_into_parts_by_its_loops():
    [(name, code)] = functions(LISTING).items()
    assert name == "_Z1kPf" and code[-1].operation == "EXIT"
    inner, *rest = parts_of(code)
    assert inner == Part(MULTIPLY_ADDS, 2, {"shared": 1, "multiply_add": 2, "branch": 1})
    assert Part(BARRIERS, 1, {"global": 1, "shared": 1, "barrier": 1, "branch": 1}) in rest
    assert Part(WARPS, 1, {"thread_index": 1, "global": 1, "branch": 1}) in rest and len(rest) == 2


def test_parts_run_as_often_as_what_was_counted():
    made = dynamic(parts_of(functions(LISTING)["_Z1kPf"]), multiply_adds=800, barriers=50, warps=4)
    assert made == {"shared": 450, "multiply_add": 800, "branch": 454, "global": 54, "barrier": 50,
                    "thread_index": 4}


def test_code_that_does_not_multiply_in_a_loop_has_no_parts():
    assert parts_of(functions(LISTING.replace("FFMA", "FADD"))["_Z1kPf"]) == ()


@pytest.mark.parametrize("function, name", [
    ("void a::(anonymous namespace)::tiled_kernel<16, 0>(float const*, float const*)",
     "tiled_kernel<16, 0>"), ("void a::run<a::Tile<2>, true>(a::Tile<2>)", "run<a::Tile<2>, true>"),
    ("plain", "plain"), ("plain(int)", "plain")])
def test_names_are_those_of_the_emulator(function, name):
    assert bare(function) == name


def counted_by_ncu() -> dict[tuple[str, str], float]:
    """Warp instructions at COUNTED_AT, by implementation and parameters."""
    read = (orjson.loads(line) for line in MEASURED.read_bytes().splitlines())
    return {(one["implementation"], parameters_key(one["parameters"])): one["metrics"][
        "instructions"]["value"] for one in read if one.get("kind") == "counters"
        and "instructions" in one["metrics"] and one["m"] == one["k"] == COUNTED_AT}


def test_the_ladders_instructions_are_those_that_ncu_counted():
    counted = counted_by_ncu()
    held = 0
    for point in points():
        shape = point.product
        key = point.implementation, parameters_key(point.parameters)
        if shape.rows != COUNTED_AT or shape.depth != COUNTED_AT or key not in counted:
            continue
        works = point.explanation().works
        if any(work.compiled for work in works):
            held += 1
            assert sum(work.instructions for work in works) == pytest.approx(counted[key],
                                                                             rel=CLOSE), point.name
    assert held >= 35
