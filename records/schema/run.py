"""What the lines of kinds `run` and `cost` must be (see lines.py)."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from .types import SCHEMA, Amount, Cores, Count, Name, Number, Seconds, Texts, Whole, Word


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
    cores_worth: Amount | None = None
    smt_pairs: list[list[Whole]] | None = None
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


class Shard(Struct):
    """Which part of an experiment's points the run was given."""

    index: Count
    count: Count
    plan: Name
    points: Count


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
    shard: Shard | None = None
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
