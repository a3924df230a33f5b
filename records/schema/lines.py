"""What a line of a results file must be: the types and bounds of its fields, here and in run.py
alone. What the fields mean: docs/record_format.md. Fields that stand nowhere here are allowed and
left as they are.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, ValidationError

from files.safe import shown

from .older import DIMENSIONS
from .operations import GEMM
from .run import CostLine, RunLine
from .types import (
    SCHEMA,
    Amount,
    Cores,
    Count,
    Extent,
    Name,
    Number,
    Rate,
    Seconds,
    Size,
    Texts,
    Time,
    Whole,
    Word,
)


class Check(Struct, gc=False):
    """One of a case's checks."""

    verdict: Name
    eta_max: Number | None = None


class CaseLine(Struct, gc=False):
    """A line of kind `case`."""

    run_id: Name
    case_id: Name
    experiment: Name
    implementation: Name
    status: Name
    name: Name | None = None
    name_parts: Texts | None = None
    device: Name | None = None
    family: Name | None = None
    variant_of: Name | None = None
    reference: bool | None = None
    operation: Name | None = None
    dims: dict[Name, Size] | None = None
    options: dict[Name, Word] | None = None
    rates: dict[Name, Rate | None] | None = None
    m: Extent | None = None
    n: Extent | None = None
    k: Extent | None = None
    parameters: dict[Name, Word] | None = None
    label: Name | None = None
    scope: Name | None = None
    cache: Name | None = None
    timing: Name | None = None
    distribution: Name | None = None
    seed: int | None = None
    group: Name | None = None
    reason: str | None = None
    precision: Name | None = None
    samples_s: list[Time | None] | None = None
    rounds: list[Count] | None = None
    sample_count: Count | None = None
    calls_per_sample: Annotated[int, Meta(ge=1, le=2**53)] | None = None
    median_s: Time | None = None
    min_s: Time | None = None
    ci95_s: list[Time | None] | None = None
    gflop_per_s: Rate | None = None
    of_ceiling: Amount | None = None
    bound_by: Name | None = None
    stop_reason: str | None = None
    verify: list[Check] | None = None
    threads_actual: Cores | None = None
    cores: list[Cores] | None = None
    pinned: bool | None = None
    chosen: dict[Name, str | Whole | Number | bool | None] | None = None
    resources: dict[Name, Name | Whole | Number | None] | None = None
    host_memory: Name | None = None
    allocation: Name | None = None
    module_loading: Name | None = None
    load: Name | None = None
    sustained_s: Seconds | None = None
    replica: Count | None = None
    handicap: Annotated[float, Meta(ge=0, le=1)] | None = None
    twin_of: Name | None = None
    least_bytes: Amount | None = None
    moved_bytes: Amount | None = None
    run_queue_delay_s: Seconds | None = None
    steal_s: Seconds | None = None
    denormals: Name | None = None
    clock_mhz: Amount | None = None
    clock_low_mhz: Amount | None = None
    temperature_c: Number | None = None
    power_w: Amount | None = None
    energy_j_per_call: Amount | None = None
    energy_source: Name | None = None
    energy_calls: Count | None = None
    energy_s: Seconds | None = None
    no_energy: str | None = None
    rates_per_j: dict[Name, Rate | None] | None = None
    throttled: bool | None = None
    throttled_share: Annotated[float, Meta(ge=0, le=1)] | None = None
    fingerprint: Name | None = None
    throttle_reasons: Texts | None = None
    remeasured: bool | None = None
    phases_s: dict[Name, Seconds | None] | None = None
    first_call_s: dict[Name, list[Seconds]] | None = None
    steady_s: list[Seconds | None] | None = None
    warnings: Texts | None = None


class Metric(Struct):
    """One of a point's counters."""

    value: Number | None = None
    unit: Name | None = None
    reason: Name | None = None  # why there is no value


class CountersLine(Struct):
    """A line of kind `counters`."""

    run_id: Name
    case_id: Name
    metrics: dict[Name, Metric]
    experiment: Name | None = None
    implementation: Name | None = None
    parameters: dict[Name, Word] | None = None
    label: Name | None = None
    group: Name | None = None
    operation: Name | None = None
    dims: dict[Name, Size] | None = None
    options: dict[Name, Word] | None = None
    m: Extent | None = None
    n: Extent | None = None
    k: Extent | None = None
    tool: str | None = None
    kernel: str | None = None


KINDS = {"run": RunLine, "case": CaseLine, "cost": CostLine, "counters": CountersLine}


def checked(line: Any) -> dict[str, Any]:
    """The line, of one of KINDS and with fields of the right types. Raises ValueError with key and
    reason."""
    kind = line.get("kind") if isinstance(line, dict) else None
    form = KINDS.get(kind) if isinstance(kind, str) else None
    if form is None:
        raise ValueError("not an object" if not isinstance(line, dict)
                         else f"unknown kind {shown(repr(kind))[:60]}")
    try:
        msgspec.convert(line, form)
    except ValidationError as error:
        raise ValueError(_told(line, str(error))) from error
    # counters may say nothing of their shape
    if kind == "case" or (kind == "counters" and line.get("dims")):
        _whole(line)
    return line


# The dimensions that something asks for by name, of each operation; of others whatever there is
# counts.
NAMED = {GEMM: DIMENSIONS, "access": ("n",), "barrier": ("threads",), "chase": ("bytes",),
         "gemv": ("m", "n"), "spmv": ("m", "n", "nnz")}


def _whole(line: dict[str, Any]) -> None:
    """Raises ValueError where a line lacks dimensions: of `dims`, or in older records of m, n and
    k."""
    dims, operation = line.get("dims"), line.get("operation") or GEMM
    there = dims or {name: line[name] for name in DIMENSIONS if line.get(name) is not None}
    if not there or not (dims or operation == GEMM):
        raise ValueError("dims: there is no dimension")
    for name in NAMED.get(operation, ()):
        if name not in there:
            raise ValueError(f"dims: there is no {name}, which {operation} has; it needs "
                             f"{', '.join(NAMED[operation])}" if dims else f"there is no {name}")
    if operation == GEMM and len(there) > len(DIMENSIONS):
        raise ValueError(f"dims: {GEMM} has {', '.join(DIMENSIONS)} and no other")


def _told(line: dict[str, Any], error: str) -> str:
    """"m: expected int >= 1" of msgspec's "Expected `int` >= 1 - at `$.m`"."""
    if isinstance(line.get("schema"), int) and line["schema"] > SCHEMA:
        return f"schema: {line['schema']} is newer than {SCHEMA}, which this version reads"
    reason, _, place = error.partition(" - at ")
    reason = reason.replace("`", "").replace("Object missing required field", "there is no")
    key = re.sub(r"^`?(key` in `)?\$\.?|`", "", place)
    return (f"{key}: {reason[:1].lower()}{reason[1:]}" if key
            else f"{reason[:1].lower()}{reason[1:]}")
