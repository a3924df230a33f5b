"""What is computed, apart from how: an operation's dimensions, options and rates, as records tell
them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import Any

from language import recorded, say

GEMM = "gemm"
# the extents in the operation's order, then the options that are not its default, in words
Shape = tuple[int | str, ...]

_UNITS = {"gflop_per_s": "GFLOP/s", "gop_per_s": "GOP/s", "gbyte_per_s": "GB/s"}
_TIMES = ("ns", "µs", "us", "ms", "s ", "cycles")
_SPEAK_FOR_THEMSELVES = ("pattern", "matrix", "type")
_POWERS_FROM = 2**20  # from which on a power of two is written as one
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def unit_of(rate: str | None) -> str:
    """"GFLOP/s" of "gflop_per_s"; what no table knows is its key in words."""
    if rate is None:
        return ""
    return (_UNITS.get(rate) or rate.removesuffix("_per_s").replace("_", " ")
            + ("/s" if rate.endswith("_per_s") else ""))


def units_of(runs: Iterable[dict[str, Any]]) -> dict[tuple[str, str], str]:
    """The unit of each (operation, rate) that runs name."""
    found: dict[tuple[str, str], str] = {}
    for run in runs:
        for operation in run.get("operations") or ():
            for rate in operation.get("rates") or ():
                if rate.get("unit"):
                    found[str(operation["name"]), str(rate["name"])] = _whole_unit(
                        str(rate["name"]), str(rate["unit"]))
    return found


def _whole_unit(rate: str, unit: str) -> str:
    """"ns per load" of the rate "ns_per_load" in "ns"."""
    _, per, thing = rate.partition("_per_")
    return (f"{unit} per {thing.replace('_', ' ')}" if per and is_time(unit)
            and " per " not in unit else unit)


def is_time(unit: str) -> bool:
    """Is less better, as of "ns per load"?"""
    return unit.startswith(_TIMES)


def rate_at(rate: float, unit: str, median_s: float, seconds: float) -> float:
    """The rate of a call that takes `seconds` where one of `median_s` has `rate`."""
    return rate / median_s * seconds if is_time(unit) else rate * median_s / seconds


def option_text(name: str, value: Any) -> str:
    """"A transposed", "one B for all" products of a batch, "banded" of a pattern, "bfloat16" and
    "to float32" of the types of elements, "lda + 12" of a padded row, "alpha 2" of a number."""
    verb, _, operand = name.partition("_")
    if verb == "transpose" and operand:
        return f"{operand.upper()} transposed"
    if verb == "shared" and operand and value == "yes":
        return f"one {operand.upper()} for all"
    if name in _SPEAK_FOR_THEMSELVES and isinstance(value, str):
        return value
    if name == "result":
        return f"to {value}"
    if name.endswith("_extra"):
        return f"{name.removesuffix('_extra')} + {value}"
    return (f"{name.replace('_', ' ')} {value:g}" if isinstance(value, float)
            else f"{name.replace('_', ' ')} {value}")


def shape_of(dims: dict[str, int], options: dict[str, Any]) -> Shape:
    """What tells one instance of an operation from another."""
    if not options:
        return tuple(dims.values())
    ordered = sorted(options.items(), key=lambda option: option[0] == "result")  # behind its type
    return (*dims.values(), *(option_text(name, value) for name, value in ordered))


@cache
def extents(shape: Shape) -> tuple[int, ...]:
    return tuple(part for part in shape if not isinstance(part, str))


def option_words(shape: Shape) -> tuple[str, ...]:
    """The options that are not the operation's default: "A transposed"."""
    return tuple(part for part in shape if isinstance(part, str))


def volume(shape: Shape) -> int:
    """The product of the extents: which of two shapes of one operation is the larger."""
    return math.prod(extents(shape))


def is_square(shape: Shape) -> bool:
    """Has it one extent, the same for all dimensions, and no options?"""
    return len(set(shape)) == 1 and not isinstance(shape[0], str)


def by_volume(shape: Shape) -> tuple:
    """A sort key: smallest first."""
    there = extents(shape)
    return math.prod(there), there, shape[len(there):]


def extent_text(extent: int) -> str:
    """"1024"; a power of two from 2²⁰ on as such."""
    power = extent.bit_length() - 1
    return (f"2{str(power).translate(_RAISED)}" if extent >= _POWERS_FROM and extent == 1 << power
            else str(extent))


def shape_text(*shape: int | str) -> str:
    """"1024" for a square, "8192×4096×6144" as m×n×k, "2²⁶" for a vector, "4096×4096, banded" with
    options."""
    there = extents(shape)
    words = map(recorded, option_words(shape))
    text = extent_text(there[0]) if len(set(there)) == 1 else "×".join(map(extent_text, there))
    return say(", ").join([text, *words])
