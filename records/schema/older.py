"""What records of before there was more than one operation leave unsaid. Their points are of C =
A·B, with `m`, `n`, `k` and `gflop_per_s`; the device stands in an implementation's id only, that it
changes one thing of another in its end, and that it is a library's in what it chose. Newer records
say all of it; nothing else in Python guesses.
"""

from __future__ import annotations

from typing import Any

from .older_names import LIBRARY, family_of, name_parts
from .operations import GEMM, Shape, shape_of

Line = dict[str, Any]

DIMENSIONS = ("m", "n", "k")
_CHANGES_ONE_THING = ("uncoalesced", "rolled", "conflicting", "padded")


def dims_of(line: Line) -> dict[str, int]:
    """The dimensions of a checked line or point, in the operation's order, whatever order a program
    wrote a gemm's in."""
    dims = line.get("dims")
    if dims and (line.get("operation") or GEMM) != GEMM:
        return dims
    return {name: (dims or line)[name] for name in DIMENSIONS}


def counted_shape(record: Line) -> Shape | None:
    """Of a `counters` record; None where it does not say."""
    if not record.get("dims") and any(record.get(name) is None for name in DIMENSIONS):
        return None
    return shape_of(dims_of(record), record.get("options") or {})


def rates_of(line: Line) -> dict[str, float]:
    """The rates of a checked case line by their keys, the operation's first one first; empty where
    it has no time."""
    rates = (line["rates"] if line.get("rates") is not None
             else {"gflop_per_s": line.get("gflop_per_s")})
    return {name: value for name, value in rates.items() if value is not None}


def device_of(line: Line) -> str:
    """"cpu" or "gpu" of whatever names an implementation."""
    return line.get("device") or str(line.get("implementation") or "").split(".", 1)[0]


def name_parts_of(line: Line) -> tuple[str, ...]:
    """("multi", ", {gpus} cards"): what texts call the implementation of a line."""
    own = tuple(line.get("name_parts") or ())
    return own or name_parts(line["implementation"], line.get("parameters") or {})


def variant_of(line: Line) -> str:
    """"gpu.tiled" of "gpu.tiled_padded": the implementation of which it changes one thing; empty
    where there is none."""
    if "variant_of" in line:
        return line["variant_of"] or ""
    stem, _, end = line["implementation"].rpartition("_")
    return stem if end in _CHANGES_ONE_THING else ""


def is_reference(line: Line) -> bool:
    """Is it a library's product, not ours and no student's?"""
    if line.get("reference") is not None:
        return line["reference"]
    return family_of(line["implementation"]) == LIBRARY or "library" in (line.get("chosen") or {})
