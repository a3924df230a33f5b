"""Figures and tables that answer what those of an older definition asked.

Records keep the definition with which they were measured. Where the definition that the suite
shipped then asked for figures or tables that another kind answers better since, its records show
that kind: the numbers are the same.
"""

from __future__ import annotations

from typing import Any

Spec = dict[str, Any]
_PAPER = {  # the paper's kernels, all of them over its naive one
    "labels": ["naive, coalesced", "shared memory", "coalesced", "bank-conflict free", "unrolled"],
    "baseline": {"implementation": "gpu.naive"}}
# (experiment, kinds of its figures or tables then) -> what to make of them: an index keeps that
# one, a table is a new one
_THEN: dict[str, dict[tuple[str, tuple[str, ...]], tuple[int | Spec, ...]]] = {
    "figures": {
        ("block_size", ("block_size", "block_heatmap", "gflops_vs_size")): (0,),
        ("transfers", ("time_vs_size",)): ({"kind": "transfer_shares"},),
        ("thread_scaling", ("thread_scaling",)): (0, {"kind": "thread_placement"}),
        ("gpu_peers", ("gflops_vs_size",)): (0, {"kind": "clocks"}),
        ("matrix_peers", ("gflops_vs_size",)): ({"kind": "ratio_to_library"}, 0),
        ("matrix_ladder", ("gflops_vs_size",)): (
            {"kind": "ladder_bars", "group": "bfloat16"}, 0),
        ("published_paper", ("ladder_bars",)): (
            {"kind": "ladder_bars", "group": "block 32", **_PAPER},),
    },
    "tables": {
        ("types_gpu", ("gflops", "energy")): ({"kind": "types"}, 0),
        ("types_cpu", (*["gflops"] * 5, *["rates"] * 2, *["gflops"] * 3, *["speedup"] * 3)): (
            {"kind": "types"}, *range(13)),
        ("multi_gpu_strong", ("gflops",)): ({"kind": "card_scaling"},),
        ("multi_gpu_host", ("gflops",)): ({"kind": "card_scaling"},),
        ("published_paper", ("speedup", "speedup", "time", "resources", "counters")): (
            *({"kind": "speedup", "title": f"Speedup over the naive kernel, block {block}",
               "group": f"block {block}", **_PAPER} for block in (32, 16)), 2, 3, 4),
    },
}


def asked_for(definition: dict[str, Any], what: str) -> list[Any]:
    """The definition's "figures" or "tables", or those that stand for them now."""
    every = list(definition.get(what) or ())
    kinds = tuple(str(spec.get("kind")) for spec in every if isinstance(spec, dict))
    now = (_THEN[what].get((str(definition.get("name")), kinds))
           if len(kinds) == len(every) else None)
    return every if now is None else [every[one] if isinstance(one, int) else one for one in now]
