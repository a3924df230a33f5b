"""The emulated counts of the ladders that are committed (data/emulated/gpu_ladder.jsonl and, of
those on matrix units, matrix_ladder.jsonl), and the measurements that they are held against.

A line of the counts is one implementation with its parameters at one shape: `implementation`,
`name_parts`, `parameters`, the product's `options` where it has any, `m`, `n`, `k`, and `launches`
as the emulator writes them, without findings, examples and timelines.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from emulator.counts import sass
from emulator.counts.card import DEFAULT_CARD
from emulator.counts.constants import EMULATED
from emulator.counts.work import Product
from records.names.naming import name_from
from records.names.numbers import ranks
from records.schema.older import name_parts_of

from .explanation import Explanation, explained

MEASURED = EMULATED.parent / "results" / "intel-xeon-nvidia-h200" / "gpu_ladder.jsonl"
TENSOR_MEASURED = MEASURED.with_name("matrix_ladder.jsonl")
COUNTS = EMULATED / "gpu_ladder.jsonl"
TENSOR_COUNTS = EMULATED / "matrix_ladder.jsonl"
# implementation, parameters and the product's options as JSON, m, n, k
Key = tuple[str, str, str, int, int, int]


@dataclass(frozen=True)
class Point:
    """A rung at a shape: its counts, what the compiler gave it on the card, and how long it took
    there."""

    implementation: str
    parameters: dict[str, Any]
    name_parts: tuple[str, ...]
    product: Product
    counts: dict[str, Any]
    registers: int | None
    seconds: float | None
    options: dict[str, str] = field(default_factory=dict)  # the product's, such as its type

    @property
    def key(self) -> Key:
        return key_of(self.implementation, self.parameters, self.product, self.options)

    @property
    def name(self) -> str:
        return name_from(self.name_parts, self.parameters)

    def explanation(self, card: str = DEFAULT_CARD) -> Explanation | None:
        return explained(self.counts, self.product, {"": self.registers} if self.registers else {},
                         card, sass.table())


@dataclass(frozen=True)
class Accuracy:
    """Predictions against measurements: mean |error|, its worst, and Spearman's rank
    correlation."""

    count: int
    mean_error: float
    worst_error: float
    rank_correlation: float


def parameters_key(parameters: dict[str, Any]) -> str:
    return json.dumps(parameters, sort_keys=True)


def key_of(implementation: str, parameters: dict[str, Any], product: Product,
           options: dict[str, str] | None = None) -> Key:
    return (implementation, parameters_key(parameters), parameters_key(options or {}),
            product.rows, product.cols, product.depth)


@lru_cache(maxsize=3)
def measured(path: Path = MEASURED) -> dict[Key, tuple[float, int | None]]:
    """Median seconds and registers of every GPU case of the records that has a number; of kernels
    alone."""
    found: dict[Key, tuple[float, int | None]] = {}
    for line in path.read_bytes().splitlines():
        read = orjson.loads(line)
        if (read.get("kind") != "case" or read.get("status") != "ok"
                or read.get("scope") != "kernel" or read.get("twin_of")):
            continue
        dims = read.get("dims") or read  # older records have them in the open
        key = key_of(read["implementation"], read["parameters"],
                     Product(dims["m"], dims["n"], dims["k"]), read.get("options"))
        found[key] = (read["median_s"], (read.get("resources") or {}).get("registers"))
    return found


def recorded_registers(of: Key) -> int | None:
    """Registers per thread on the H200, at whatever shape was measured; of another type where that
    one was not."""
    known = [(key, registers) for ladder in (MEASURED, TENSOR_MEASURED)
             for key, (_, registers) in measured(ladder).items()
             if key[:2] == of[:2] and registers]
    return next((registers for key, registers in known if key[2] == of[2]),
                known[0][1] if known else None)


@lru_cache(maxsize=2)
def points(path: Path = COUNTS) -> tuple[Point, ...]:
    """Every committed count, with its measurement where there is one."""
    known = measured() | measured(TENSOR_MEASURED)
    made = []
    for line in path.read_bytes().splitlines():
        read = orjson.loads(line)
        product = Product(read["m"], read["n"], read["k"])
        options = read.get("options") or {}
        key = key_of(read["implementation"], read["parameters"], product, options)
        seconds, registers = known.get(key, (None, recorded_registers(key)))
        made.append(Point(read["implementation"], read["parameters"], name_parts_of(read), product,
                          {"launches": read["launches"]}, registers, seconds, options))
    return tuple(made)


def accuracy(pairs: list[tuple[float, float]]) -> Accuracy:
    """Of (predicted, measured) seconds; at least two."""
    errors = [abs(predicted / seconds - 1) for predicted, seconds in pairs]
    first, second = (ranks([predicted for predicted, _ in pairs]),
                     ranks([seconds for _, seconds in pairs]))
    middle = (len(pairs) - 1) / 2
    both = sum((one - middle) * (other - middle) for one, other in zip(first, second))
    spread = (sum((one - middle) ** 2 for one in first) * sum((other - middle) ** 2
                                                              for other in second)) ** 0.5
    return Accuracy(len(pairs), sum(errors) / len(errors), max(errors),
                    both / spread if spread else 0.0)
