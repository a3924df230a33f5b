"""What a line of a results file must be: the types and bounds of its fields, here alone, and numbers that follow from their
samples. What the fields mean: data/README.md. Fields that stand nowhere here are allowed and left as they are.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, ValidationError

from .older import DIMENSIONS
from .safe import shown

SCHEMA = 1

Name = Annotated[str, Meta(max_length=300)]
Whole = Annotated[int, Meta(ge=-(2**53), le=2**53)]
Count = Annotated[int, Meta(ge=0, le=2**53)]
Cores = Annotated[int, Meta(ge=0, le=2**20)]
Extent = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Number = Annotated[float, Meta(ge=-1e300, le=1e300)]
Amount = Annotated[float, Meta(ge=0, le=1e30)]
Rate = Annotated[float, Meta(gt=0, le=1e15)]
Time = Annotated[float, Meta(ge=1e-15, le=1e9)]
Seconds = Annotated[float, Meta(ge=0, le=1e9)]
Word = Name | Whole | Number | bool | None
Texts = list[str | None]


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
    device: Name | None = None
    family: Name | None = None
    variant_of: Name | None = None
    reference: bool | None = None
    operation: Name | None = None
    dims: dict[Name, Extent] | None = None
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
    resources: dict[Name, Whole | Number | None] | None = None
    host_memory: Name | None = None
    allocation: Name | None = None
    module_loading: Name | None = None
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
    throttled: bool | None = None
    throttled_share: Annotated[float, Meta(ge=0, le=1)] | None = None
    fingerprint: Name | None = None
    throttle_reasons: Texts | None = None
    remeasured: bool | None = None
    phases_s: dict[Name, Seconds | None] | None = None
    first_call_s: dict[Name, list[Seconds]] | None = None
    steady_s: list[Seconds | None] | None = None
    warnings: Texts | None = None


class Spec(Struct):
    """A table or a figure of a definition."""

    kind: Name | None = None
    title: str | None = None
    group: Name | None = None
    labels: list[str] | None = None
    baseline: dict[Name, Word] | None = None


class LeftOut(Struct):
    """What the program was built without."""

    implementation: Name | None = None
    reason: str | None = None


class Definition(Struct):
    """An experiment as its TOML file has it."""

    name: Name | None = None
    title: str | None = None
    question: str | None = None
    source: str | None = None
    tables: list[Spec] | None = None
    figures: list[Spec] | None = None
    lines: list[str] | None = None
    left_out: list[LeftOut] | None = None


class Host(Struct):
    """The computer that measured."""

    id: Name | None = None
    cpu: Name | None = None
    sockets: Cores | None = None
    cores: Cores | None = None
    threads_per_core: Cores | None = None
    memory: Amount | None = None
    memory_bytes: Amount | None = None
    caches: dict[Name, Amount | None] | None = None
    isa: Texts | None = None
    governor: Name | None = None
    kernel: Name | None = None
    container: Name | None = None
    rapl_unavailable: Name | None = None


class Gpu(Struct):
    """One of its GPUs."""

    name: Name | None = None
    uuid: Name | None = None
    compute_capability: Name | None = None
    driver: Name | None = None
    runtime: Name | None = None
    sm_count: Cores | None = None
    memory: Amount | None = None
    memory_bytes: Amount | None = None
    clocks: dict[Name, Amount | None] | None = None


class Measured(Struct):
    """A ceiling, or what a clock or a launch costs."""

    device: Name | None = None
    what: Name | None = None
    level: Name | None = None
    threads: Cores | None = None
    value: Annotated[float, Meta(ge=0, le=1e15)] | None = None
    unit: Name | None = None
    how: str | None = None
    trusted: bool | None = None


class RateOf(Struct):
    """A rate of an operation: its key in `rates`, and its unit."""

    name: Name
    unit: Name | None = None


class Described(Struct):
    """A dimension or an option of an operation."""

    name: Name
    summary: str | None = None


class OperationOf(Struct):
    """What an operation's records are to be read with."""

    name: Name
    title: str | None = None
    dimensions: list[Described] | None = None
    options: list[Described] | None = None
    rates: list[RateOf] | None = None


class RunLine(Struct):
    """A line of kind `run`."""

    run_id: Name
    schema: Annotated[int, Meta(ge=1, le=SCHEMA)] | None = None
    started_utc: Name | None = None
    experiment: Name | None = None
    machine: Name | None = None
    arguments: Texts | None = None
    definition_sha256: Name | None = None
    definition: Definition | None = None
    operations: list[OperationOf] | None = None
    program: dict[Name, Word] | None = None
    build: dict[Name, str | Whole | Number | bool | None] | None = None
    host: Host | None = None
    environment: dict[Name, str | None] | None = None
    gpus: list[Gpu] | None = None
    gpu_unavailable: str | None = None
    ceilings: list[Measured] | None = None
    costs: list[Measured] | None = None


class CostLine(Struct):
    """A line of kind `cost`."""

    run_id: Name
    experiment: Name | None = None
    wall_s: Seconds | None = None
    overhead: Annotated[float, Meta(ge=-1e6, le=1e6)] | None = None
    start_up_s: Seconds | None = None
    ceilings_s: Seconds | None = None
    inputs_s: Seconds | None = None
    reference_s: Seconds | None = None
    prepare_s: Seconds | None = None
    pilot_s: Seconds | None = None
    verify_s: Seconds | None = None
    warm_up_s: Seconds | None = None
    settle_s: Seconds | None = None
    measured_s: Seconds | None = None
    energy_s: Seconds | None = None


class Metric(Struct):
    """One of a point's counters."""

    value: Number | None = None
    unit: Name | None = None


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
    dims: dict[Name, Extent] | None = None
    options: dict[Name, Word] | None = None
    m: Extent | None = None
    n: Extent | None = None
    k: Extent | None = None
    tool: str | None = None
    kernel: str | None = None


KINDS = {"run": RunLine, "case": CaseLine, "cost": CostLine, "counters": CountersLine}


def checked(line: Any) -> dict[str, Any]:
    """The line, of one of KINDS and with fields of the right types. Raises ValueError with key and reason."""
    kind = line.get("kind") if isinstance(line, dict) else None
    form = KINDS.get(kind) if isinstance(kind, str) else None
    if form is None:
        raise ValueError("not an object" if not isinstance(line, dict) else f"unknown kind {shown(repr(kind))[:60]}")
    try:
        msgspec.convert(line, form)
    except ValidationError as error:
        raise ValueError(_told(line, str(error))) from error
    if kind == "case":
        _whole(line)
    return line


def _whole(line: dict[str, Any]) -> None:
    """Raises ValueError where a case has no dimensions, neither in `dims` nor as m, n and k."""
    if line.get("dims"):
        return
    if missing := [name for name in DIMENSIONS if line.get(name) is None]:
        raise ValueError("dims: there is no dimension" if "dims" in line or len(missing) == 3 else f"there is no {missing[0]}")


def _told(line: dict[str, Any], error: str) -> str:
    """"m: expected int >= 1" of msgspec's "Expected `int` >= 1 - at `$.m`"."""
    if isinstance(line.get("schema"), int) and line["schema"] > SCHEMA:
        return f"schema: {line['schema']} is newer than {SCHEMA}, which this version reads"
    reason, _, place = error.partition(" - at ")
    reason = reason.replace("`", "").replace("Object missing required field", "there is no")
    key = re.sub(r"^`?(key` in `)?\$\.?|`", "", place)
    return f"{key}: {reason[:1].lower()}{reason[1:]}" if key else f"{reason[:1].lower()}{reason[1:]}"
