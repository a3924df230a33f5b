"""What others call the rungs, as Python asks it; `list` and `check` ask the same file (tests/runner/definition/aliases_test.cpp)."""

from __future__ import annotations

import re

import pytest
from conftest import ROOT

from files.reading import InputError
from records.names.aliases import aliases, resolved, with_sources


def test_every_alias_stands_for_a_known_implementation_and_none_twice():
    rows = {f"{path.parts[-3]}.{name}" for path in ROOT.glob("?pu/*/rows.h")
            for name in re.findall(r"ROW\((\w+)\)", path.read_text(encoding="utf-8"))}
    assert set(aliases()) <= rows
    for names in aliases().values():
        assert len(names) == len(set(names))


@pytest.mark.parametrize("name,meant", [
    ("kernel 2", "gpu.naive"), ("GMEM coalescing", "gpu.naive"), ("SMEM blocktiling", "gpu.tiled block=32"), ("1D blocktiling", "gpu.register_tiled_1d"),
    ("2d-block_tiling", "gpu.register_tiled_2d"), ("vectorize", "gpu.vector_loads"), ("warptiling", "gpu.warp_tiled"),
    ("sgemm_v1", "gpu.vector_loads"), ("sgemm_v2", "gpu.transposed_a"), ("sgemm_v3", "gpu.double_buffered"), ("内存合并", "gpu.naive"),
    ("共享内存分块", "gpu.tiled block=32"), ("访存优化", "gpu.vector_loads"), ("双缓存", "gpu.double_buffered"), ("向量化访存", "gpu.vector_loads"),
    ("v4", "gpu.vector_loads_4x4"), ("gpu.tensor", "gpu.tensor"), ("cpu.my_own", "cpu.my_own")])
def test_the_usual_names_are_understood(name, meant):
    assert resolved(name) == meant


def test_an_unknown_name_names_near_ones_in_a_line():
    with pytest.raises(InputError, match="no rung is called '2D blocktilng'; near: 2D blocktiling"):
        resolved("2D blocktilng")
    with pytest.raises(InputError, match="see gemmlab list"):
        resolved("xyzzy")


def test_an_ambiguous_name_says_what_it_may_mean():
    with pytest.raises(InputError, match="'tiling' is ambiguous: gpu.tiled block=32 .*, cpu.blocked"):
        resolved("tiling")


def test_who_calls_it_so_stands_behind_the_names():
    assert with_sources("gpu.double_buffered_two_barriers") == "v7 (t4-notebook)"
    assert with_sources("cpu.blocked_packed") == "copy optimization, 分块拷贝"  # many say so
    assert "kernel 10, warptiling, warp tiling (SGEMM_CUDA); " in with_sources("gpu.warp_tiled")
