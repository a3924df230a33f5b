"""Figures that answer what the figures of an older definition asked.

Records keep the definition with which they were measured. Where the definition that the suite shipped then asked for figures
that another kind answers better since, its records show that kind: the numbers are the same.
"""

from __future__ import annotations

from typing import Any

Spec = dict[str, Any]
# (experiment, kinds of its figures then) -> what to make of them: an index keeps that one, a table is a new one
_THEN: dict[tuple[str, tuple[str, ...]], tuple[int | Spec, ...]] = {
    ("block_size", ("block_size", "block_heatmap", "gflops_vs_size")): (0,),
    ("transfers", ("time_vs_size",)): ({"kind": "transfer_shares"},),
    ("thread_scaling", ("thread_scaling",)): (0, {"kind": "thread_placement"}),
    ("gpu_peers", ("gflops_vs_size",)): (0, {"kind": "clocks"}),
}


def figures_of(definition: dict[str, Any]) -> list[Any]:
    """The definition's figures, or those that stand for them now."""
    figures = list(definition.get("figures") or ())
    kinds = tuple(str(spec.get("kind")) for spec in figures if isinstance(spec, dict))
    now = _THEN.get((str(definition.get("name")), kinds)) if len(kinds) == len(figures) else None
    return figures if now is None else [figures[one] if isinstance(one, int) else one for one in now]
