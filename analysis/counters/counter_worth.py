"""What the change of a counter is worth in time: how long its count takes at the most that the card
does of such work.

That is what the change could cost or save where nothing else hid it. Where warps' waits for that
work were counted too, it is worth no more than these moved: work that nobody waited for cost
nothing. Time is also instructions over issue slots and the share of these that were used: what the
number of instructions does not explain is the waiting of warps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from records.cases.case import Case
from records.cases.hosts import first_card
from records.view import View

from .counted import Metrics, summed
from .roofline import bandwidth_roofs

LINE, WIDEST_LOAD = 4, 16  # sectors: of 128 bytes, and of 32 lanes with 16 bytes each
# of an SM, each of which issues one instruction per cycle (compute capability 7.0 and later)
SCHEDULERS = 4


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
    # of a warp for such work; none for instructions, which take the slots themselves
    waits: tuple[str, ...] = ()


@dataclass(frozen=True)
class Part:
    """How a counter moved, and what of the step's time that is worth (s; negative where it moved
    the other way)."""

    work: Work
    before: float
    after: float
    worth_s: float


def _l1_cycles(metrics: Metrics) -> float | None:
    """Cycles that an SM's L1 and shared memory, which are one, are busy: a wavefront of shared
    memory takes one, a global load one for 128 contiguous bytes. More than the 16 sectors that a
    warp's widest load holds lie scattered: one each."""
    requests, each = (metrics.get("global_load_requests"),
                      metrics.get("global_load_sectors_per_request"))
    if requests is None or each is None:
        return None
    loads = requests * (each if each > WIDEST_LOAD else max(1.0, each / LINE))
    return loads + metrics.get("shared_wavefronts", 0.0)


_SHARED = ("stalled_short_scoreboard", "stalled_mio_throttle")
_GLOBAL = ("stalled_long_scoreboard", "stalled_lg_throttle")
WORKS = (
    Work("instructions", "", summed("instructions"), lambda card: card.slots),
    Work("cycles of L1 and shared memory", "", _l1_cycles, lambda card: card.cycles,
         (*_SHARED, *_GLOBAL)),
    Work("bank conflicts", "", summed("shared_load_bank_conflicts", "shared_store_bank_conflicts"),
         lambda card: card.cycles,
         _SHARED),
    Work("L2 traffic", "B", summed("l2_bytes"), lambda card: card.l2, _GLOBAL),
    Work("DRAM traffic", "B", summed("dram_read_bytes", "dram_write_bytes"),
         lambda card: card.dram, _GLOBAL))
INSTRUCTIONS, L1, CONFLICTS, L2, DRAM = WORKS
Waits = dict[str, float]  # one of WAITS -> seconds
# What a warp waits for, and how that is said.
WAITS = {
    "stalled_barrier": "other warps at a barrier",
    "stalled_long_scoreboard": "data from global memory (long scoreboard)",
    "stalled_short_scoreboard": "data from shared memory (short scoreboard)",
    "stalled_mio_throttle": "room in the queue to shared memory (MIO throttle)",
    "stalled_lg_throttle": "room in the queue to global memory (LG throttle)",
    "stalled_math_pipe_throttle": "a busy pipe (math pipe throttle)",
    "stalled_dispatch_stall": "dispatch (dispatch stall)",
    "stalled_wait": "the fixed latency of an instruction (wait)",
    "stalled_not_selected": "another warp that is issued first (not selected)",
    "stalled_no_instruction": "the next instruction to be fetched (no instruction)"}


def card_of(view: View, case: Case) -> Card:
    """At the clock at which the case was timed, with the measured ceilings of L2 and DRAM."""
    gpu = first_card(view.run)
    clock, sms = case.clock_mhz or (gpu.get("clocks") or {}).get("sm_mhz"), gpu.get("sm_count")
    roofs = {roof.level: 1e9 * roof.value for roof in bandwidth_roofs(view, "gpu") if roof.trusted}
    return Card(1e6 * clock * sms if clock and sms else None, roofs.get("l2"), roofs.get("dram"))


def parts_of(below: Metrics, above: Metrics, card: Card, delta_s: float,
             waits: tuple[Waits, Waits] = ({}, {})) -> list[Part]:
    """Every counter of both, as moved over a step that takes `delta_s` longer (negative: less
    long); worth most first. `waits`: what warps waited for before and after, where that was
    counted."""
    made, way = [], math.copysign(1, delta_s)
    for work in WORKS:
        before, after, rate = work.count(below), work.count(above), work.rate(card)
        if before is not None and after is not None and rate:
            worth_s = way * (after - before) / rate
            if work.waits and all(name in one for name in work.waits for one in waits):
                waited_s = way * sum(waits[1][name] - waits[0][name] for name in work.waits)
                worth_s = min(worth_s, max(waited_s, 0.0))
            made.append(Part(work, before, after, worth_s))
    return sorted(made, key=lambda part: -part.worth_s)


def busy_share(work: Work, case: Case, metrics: Metrics, card: Card) -> float | None:
    """Of the time of the case, how long its count takes at the card's most; for instructions: the
    share of the issue slots that were used. None where one of them is not recorded."""
    count, rate = work.count(metrics), work.rate(card)
    return count / rate / case.median_s if count is not None and rate else None


def waits_of(case: Case, metrics: Metrics) -> Waits:
    """Of the time of the case, how long an average warp waited for each of WAITS (s), as far as
    counted."""
    every = metrics.get("warps_per_issue")
    if not every:
        return {}
    return {name: case.median_s * metrics[name] / every for name in WAITS if name in metrics}
