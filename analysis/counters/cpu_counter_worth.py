"""Which of the processor's counters can account for a step between two rungs on the CPU.

The change of a counter is turned into cycles, at about what one costs where nothing else hides it;
a counter that is worth at least half of the cycles saved or added can account for them.
"""

from __future__ import annotations

from dataclasses import dataclass

from .counted import Metrics

CYCLES, INSTRUCTIONS = "cpu_cycles", "cpu_instructions"
ACCOUNTS = 0.5  # of the cycles saved or added: worth less, a counter is not the reason


@dataclass(frozen=True)
class Cost:
    """What a counter costs: `cycles` each. A miss of L1 that L2 serves takes 14; a page found by a
    walk through tables in L2 about 30; a line from memory 80 ns at 3 to 4 GHz; four instructions go
    through in a cycle."""

    name: str
    said: str  # key of its words
    cycles: float


COSTS = (Cost("dtlb_load_misses", "TLB misses {amount}", 30.0),
         Cost("llc_load_misses", "last-level misses {amount}", 300.0),
         Cost("l1d_load_misses", "L1 misses {amount}", 14.0),
         Cost(INSTRUCTIONS, "instructions {amount}", 0.25))


def cause_of(below: Metrics, above: Metrics) -> Cost | None:
    """The counter that is worth most of the cycles between two rungs; None where none is worth half
    of them, or a side was not counted."""
    if CYCLES not in below or CYCLES not in above or above[CYCLES] == below[CYCLES]:
        return None
    cycles = above[CYCLES] - below[CYCLES]
    worth = {cost: (above[cost.name] - below[cost.name]) * cost.cycles / cycles for cost in COSTS
             if cost.name in below and cost.name in above}
    most = max(worth, key=lambda cost: worth[cost], default=None)
    return most if most is not None and worth[most] >= ACCOUNTS else None
