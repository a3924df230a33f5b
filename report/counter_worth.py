"""What the change of a counter is worth in time: how long its count takes at the most that the card does of such work.

That is what the change could cost or save where nothing else hid it. Time is also instructions over issue slots and the
share of these that were used: what the number of instructions does not explain is the waiting of warps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from .case import Case
from .counter_tables import Metrics, summed
from .profile.metrics import STALLS
from .roofline import bandwidth_roofs
from .view import View

SCHEDULERS = 4  # of an SM, each of which issues one instruction a cycle (compute capability 7.0 and later)


@dataclass(frozen=True)
class Card:
    """The most that it does a second; None where the records do not tell."""

    cycles: float | None  # of all SMs together
    l2: float | None  # bytes
    dram: float | None

    @property
    def slots(self) -> float | None:
        return self.cycles and SCHEDULERS * self.cycles


@dataclass(frozen=True)
class Work:
    """What a counter counts. `rate`: how much of it the card does a second at most."""

    said: str  # key of its words
    unit: str  # "B" for bytes, else empty
    count: Callable[[Metrics], float | None]
    rate: Callable[[Card], float | None]


@dataclass(frozen=True)
class Part:
    """How a counter moved, and what of the step's time that is worth (s; negative where it moved the other way)."""

    work: Work
    before: float
    after: float
    worth_s: float


def _sectors(metrics: Metrics) -> float | None:
    """That loads from global memory asked for."""
    requests, each = metrics.get("global_load_requests"), metrics.get("global_load_sectors_per_request")
    return requests * each if requests is not None and each is not None else None


# A scattered sector takes a cycle of its own; four of a coalesced request share one, so that theirs are worth less than this.
WORKS = (
    Work("counter.instructions_said", "", summed("instructions"), lambda card: card.slots),
    Work("ladder.requests", "", summed("global_load_requests"), lambda card: card.cycles),
    Work("ladder.sectors", "", _sectors, lambda card: card.cycles),
    Work("ladder.conflicts", "", summed("shared_load_bank_conflicts", "shared_store_bank_conflicts"), lambda card: card.cycles),
    Work("ladder.wavefronts", "", summed("shared_wavefronts"), lambda card: card.cycles),
    Work("counter.l2_said", "B", summed("l2_bytes"), lambda card: card.l2),
    Work("counter.dram_said", "B", summed("dram_read_bytes", "dram_write_bytes"), lambda card: card.dram))
INSTRUCTIONS, L2, DRAM = WORKS[0], WORKS[-2], WORKS[-1]
# What a warp waits for, and how that is said.
WAITS = {f"stalled_{reason}": f"stall.{reason}" for reason in STALLS}


def card_of(view: View, case: Case) -> Card:
    """At the clock at which the case was timed, with the measured ceilings of L2 and DRAM."""
    gpu = next(iter(view.run.get("gpus") or ()), {})
    clock, sms = case.clock_mhz or (gpu.get("clocks") or {}).get("sm_mhz"), gpu.get("sm_count")
    roofs = {roof.level: 1e9 * roof.value for roof in bandwidth_roofs(view, "gpu") if roof.trusted}
    return Card(1e6 * clock * sms if clock and sms else None, roofs.get("l2"), roofs.get("dram"))


def parts_of(below: Metrics, above: Metrics, card: Card, delta_s: float) -> list[Part]:
    """Every counter of both, as moved over a step that takes `delta_s` longer (negative: less long); worth most first."""
    made = []
    for work in WORKS:
        before, after, rate = work.count(below), work.count(above), work.rate(card)
        if before is not None and after is not None and rate:
            made.append(Part(work, before, after, math.copysign(1, delta_s) * (after - before) / rate))
    return sorted(made, key=lambda part: -part.worth_s)


def busy_share(work: Work, case: Case, metrics: Metrics, card: Card) -> float | None:
    """Of the time of the case, how long its count takes at the card's most; for instructions: the share of the issue slots
    that were used. None where one of them is not recorded."""
    count, rate = work.count(metrics), work.rate(card)
    return count / rate / case.median_s if count is not None and rate else None


def waits_of(case: Case, metrics: Metrics) -> dict[str, float]:
    """Of the time of the case, how long an average warp waited for each of WAITS (s); only what was counted."""
    every = metrics.get("warps_per_issue")
    return {name: case.median_s * metrics[name] / every for name in WAITS if name in metrics} if every else {}
