"""What a product costs in energy: joules, and GFLOP/s per watt, which is GFLOP per joule."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from language import recorded, say
from records.cases.case import Case
from records.cases.series import Shape, shapes_of
from records.names.naming import display_name
from records.names.numbers import plain
from records.schema.operations import shape_text

from .points import usable, way_of

SOURCES = {"nvml counter": "the card's energy counter (NVML)",
           "integrated power": "readings of the card's power, integrated",
           "rapl package": "the processor's energy counter (RAPL, package)"}


@dataclass(frozen=True)
class Spent:
    """The energy of one product."""

    case: Case

    @property
    def joules(self) -> float:
        return float(self.case.energy_j_per_call or 0)

    @property
    def gflop_per_joule(self) -> float:
        """The same number as GFLOP/s per watt."""
        return 2e-9 * self.case.m * self.case.n * self.case.k / self.joules

    @property
    def watts(self) -> float:
        """Mean power over the stretch that was read; over the median time where its samples told
        the energy."""
        calls, seconds = self.case.energy_calls, self.case.energy_s
        return (self.joules * calls / seconds if calls and seconds
                else self.joules / self.case.median_s)

    @property
    def source(self) -> str:
        """How it was read, in the language in use."""
        name = self.case.energy_source or ""
        return say(SOURCES[name]) if name in SOURCES else recorded(name)


def spent_of(cases: Iterable[Case]) -> list[Spent]:
    """Of the points that have an energy, in the order of their shapes and lines; of one measured
    twice the one whose energy a stretch without pauses told."""
    found: dict[tuple, Case] = {}
    for case in cases:
        if usable(case) and case.energy_j_per_call and case.energy_j_per_call > 0:
            key = case.implementation, json.dumps(case.parameters,
                                                  sort_keys=True), case.shape, way_of(case)
            if key not in found or (case.energy_calls and not found[key].energy_calls):
                found[key] = case
    order = {shape: place for place, shape in enumerate(shapes_of(found.values()))}
    return [Spent(case) for case in sorted(found.values(), key=lambda case: (
        order[case.shape], case.device, case.place, case.case_id))]


def thriftier_elsewhere(told: Spent, spent: Iterable[Spent]) -> str:
    """"at 4096 1.77 J, cuBLAS 1.76": what the kernel that is told of takes at the largest other
    shape where another in plain FP32, without transfers, takes less; empty where none does."""
    at: dict[Shape, list[Spent]] = {}
    for one in spent:
        if (one.case.device, one.case.scope, one.case.precision) == (
                told.case.device, told.case.scope, told.case.precision):
            at.setdefault(one.case.shape, []).append(one)
    for shape in reversed(shapes_of(one.case for of in at.values() for one in of)):
        own = next((one for one in at[shape] if (one.case.implementation, one.case.parameters) == (
            told.case.implementation, told.case.parameters)), None)
        least = min(at[shape], key=lambda one: one.joules)
        if own and least.joules < own.joules:
            return say("at {shape} {joules} J, {name} {less}", shape=shape_text(*shape),
                       joules=plain(own.joules), name=display_name(least.case),
                       less=plain(least.joules))
    return ""


def cpu_unreadable(run: dict[str, Any], cases: Iterable[Case], short: bool = False) -> str:
    """Why the CPU's energy is not there; empty where it is. `short`: without the system's
    reason."""
    if any(one.case.device == "cpu" for one in spent_of(cases)):
        return ""
    why = (run.get("host") or {}).get("rapl_unavailable")
    if not why:
        return say("was not read")
    return say("cannot be read here") if short else say("cannot be read here: {reason}",
                                                        reason=recorded(str(why)))


def told_shape(spent: list[Spent]) -> Shape | None:
    """The largest shape at which most devices have an energy; None where no point has one."""
    devices: dict[Shape, set[str]] = {}
    for one in spent:
        devices.setdefault(one.case.shape, set()).add(one.case.device)
    shapes = shapes_of(one.case for one in spent)
    return max(shapes, key=lambda shape: (len(devices[shape]), shapes.index(shape)), default=None)
