"""Instructions read from SASS: parts of a listing made up, and the committed table against what ncu
counted on an H200."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import orjson
import pytest

from emulator.counts.constants import EMULATED
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
from emulator.counts.work import Product, works_of
from emulator.model.explanation import explained
from emulator.model.fit import bars, is_fitted
from emulator.model.ladder import MEASURED, accuracy, parameters_key, points
from records.names.numbers import percent

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


def counts_of(loads: float, stores: float, threads: int = 32) -> dict:
    """Of a launch of the kernel in LISTING: four blocks, each with a barrier."""
    made = {"array": "A", "lanes": 32 * loads}
    return {"launches": [{"kernel": "k", "grid": [4, 1, 1], "block": [threads, 1, 1], "barriers": 4,
                          "sites": [made | {"space": "global", "operation": "load",
                                            "requests": stores},
                                    made | {"space": "shared", "operation": "load",
                                            "requests": loads}]}]}


@pytest.mark.parametrize("loads, multiply_adds, taken", [
    (4 + 400, 800, True),  # an LDS for two of 800: 4 blocks of a warp, sums of 200 terms
    (4 + 100, 200, True),  # four lanes share a sum
    (8, 800, False)])  # shared memory is loaded from elsewhere than in that loop
def test_multiply_adds_are_as_many_as_bring_about_the_loads_that_were_counted(
        loads, multiply_adds, taken):
    compiled = {"k": parts_of(functions(LISTING)["_Z1kPf"])}
    counts = counts_of(loads, 8 if taken else 90)
    [work] = works_of(counts, Product(4, 32, 200), {}, compiled)
    assert bool(work.compiled) == taken
    assert work.multiply_adds == pytest.approx(multiply_adds)


@pytest.mark.parametrize("launched, known", [
    ("k<kSide, float>", ["k<16, float>"]), ("k", ["a::k<16>"]), ("k<16>", ["k<32>", "k<16>"])])
def test_a_kernels_code_is_found_by_its_name_where_template_arguments_are_written_otherwise(
        launched, known):
    parts = parts_of(functions(LISTING)["_Z1kPf"])
    counts = counts_of(404, 8)
    counts["launches"][0]["kernel"] = launched
    for names, found in ((known, True), ([*known, "k<1>", "k<2>"], launched in known),
                         (["another"], False)):
        [work] = works_of(counts, Product(4, 32, 200), {}, dict.fromkeys(names, parts))
        assert bool(work.compiled) == found


def counted_by_ncu(files: Iterable[Path]) -> dict[tuple[str, str, tuple[int, ...]], float]:
    """Warp instructions by implementation, parameters and shape."""
    read = (orjson.loads(line) for file in files for line in file.read_bytes().splitlines()
            if b'"counters"' in line)
    return {(one["implementation"], parameters_key(one["parameters"]),
             (dims["m"], dims["n"], dims["k"])): one["metrics"]["instructions"]["value"]
            for one in read if one.get("kind") == "counters" and "instructions" in one["metrics"]
            for dims in [one.get("dims") or one]}


def test_the_readme_states_the_errors_of_nvccs_code_and_of_the_rule_as_they_are():
    """Of a rung whose code is known: as a hand-in is predicted where nvcc is, and elsewhere."""
    counted = counted_by_ncu(sorted(MEASURED.parent.glob("*.jsonl")))
    fitted_to = bars()["fit"]
    # what of it: (by nvcc's code, by the rule, as it is)
    found: dict[str, list[tuple[float, float, float]]] = {"instructions": [], "time": []}
    registers = {}
    for point in points():
        by_code, by_rule = point.explanation(), explained(point.counts, point.product, {})
        if not any(work.compiled for work in by_code.works):
            continue
        if truth := counted.get((point.implementation, parameters_key(point.parameters),
                                 point.product.sides)):
            found["instructions"].append((*(sum(work.instructions for work in one.works)
                                            for one in (by_code, by_rule)), truth))
        if point.seconds and not is_fitted(point, fitted_to):
            found["time"].append((by_code.seconds, by_rule.seconds, point.seconds))
        if point.registers:
            registers[point.name] = (by_rule.work.registers_or_guess, point.registers)
    expected = {}
    for what, both in found.items():
        errors = [accuracy([(one[way], one[2]) for one in both]) for way in (0, 1)]
        expected[what] = [str(len(both)), *(percent(error) for one in errors
                                            for error in (one.mean_error, one.worst_error))]
    guessed = accuracy(list(registers.values()))
    expected["registers"] = [str(guessed.count), "", "", percent(guessed.mean_error),
                             percent(guessed.worst_error)]
    text = (EMULATED / "README.md").read_text(encoding="utf-8")
    stated = {cells[0]: cells[1:] for line in text.splitlines() if line.startswith("|")
              for cells in [[cell.strip() for cell in line.strip("|").split("|")]]
              if cells[0] in expected}
    assert stated == expected


def test_the_ladders_instructions_are_those_that_ncu_counted():
    counted = {key[:2]: count for key, count in counted_by_ncu([MEASURED]).items()
               if key[2] == (COUNTED_AT,) * 3}
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
