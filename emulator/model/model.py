"""How long a launch takes on a card: the largest of what it asks of each unit, and of waiting,
softened where two are alike.

Each unit's time is work over throughput on the SM that has most blocks. Waiting is Little's law by
blocks: an SM holds so many blocks at once, each of which goes through its own chain of latencies.
Units overlap, but not perfectly: the p-norm of all times, p = SOFTNESS, is the largest where one
stands out, and 2^(1/p) times as much where two are equal. The constants in CONSTANTS are fitted by
emulator/model/fit.py on the cases that data/emulated/bars.toml names.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from emulator.counts.card import WARP, Card, Residency, residency
from emulator.counts.constants import CONSTANTS
from emulator.counts.work import GLOBAL, SECTOR, SHARED, Site, Work
from files.reading import InputError

BANK_BYTES = 128  # of one pass over the banks
FMA, TENSOR, ISSUE, LSU, L2, DRAM, WAITING = UNITS = (
    "multiply-adds", "tensor cores", "issue", "shared and L1", "L2", "DRAM", "waiting")
MEMORY, BARRIERS, OWN_WORK = "memory", "barriers", "own work"


@dataclass(frozen=True)
class Prediction:
    """Seconds; `parts` by unit, each alone. `low` and `high` hold four of five of the ladder's
    measured times."""

    seconds: float
    low: float
    high: float
    parts: dict[str, float]
    chain: dict[str, float]  # of "waiting": its shares by MEMORY, BARRIERS and OWN_WORK
    wait_cycles: float  # of a block, for global memory
    held: Residency
    busiest_share: float  # of the grid's blocks, on the SM that has most
    waves: float

    @property
    def binding(self) -> str:
        return max(self.parts, key=lambda unit: self.parts[unit])

    @property
    def weights(self) -> dict[str, float]:
        """How much of the time goes, in shares, if a unit's work goes: the derivative of the
        p-norm."""
        powers = {unit: part ** CONSTANTS["softness"] for unit, part in self.parts.items()}
        total = sum(powers.values()) or 1.0
        return {unit: power / total for unit, power in powers.items()}


def memory_cycles(site: Site, card: Card) -> float:
    """Cycles of an SM's load and store unit for a site, if one SM did all of it. Global memory: a
    cycle per 128-byte line looked up, or the L1's bytes if these take longer; nothing of what TMA
    moves past the L1, which looks up no line. Shared memory: a pass over the banks each."""
    if site.space == SHARED:
        return site.wavefronts * BANK_BYTES / card.shared_bytes_per_cycle
    if not site.lines:
        return 0.0
    return max(site.lines / card.lines_per_cycle, site.sectors * SECTOR / card.l1_bytes_per_cycle)


def tensor_cycles(work: Work, card: Card) -> float:
    """Cycles of an SM's tensor cores, if one SM did all of it. Raises InputError where the card has
    no such instruction."""
    total = 0.0
    for by, bits, count in work.products:
        rate = card.products_per_cycle(by, bits)
        if not rate:
            raise InputError(f"{work.kernel or 'the kernel'} multiplies by {by} of {bits} bits, "
                             f"which the {card.name} has not")
        total += count / rate
    return total


def _dram_bytes(work: Work, card: Card, at_once: int) -> float:
    """What the emulator counted; where it ran some blocks only: every array once if the L2 holds
    them all, else what the blocks that run at the same time read of A and B together, rows of C
    apart from columns."""
    if work.dram_bytes is not None:
        return work.dram_bytes
    if work.array_bytes <= card.l2_bytes:
        return min(work.array_bytes, work.l2_bytes)
    at_once = min(at_once, work.blocks)
    across = min(at_once, work.blocks_across)
    alike = (at_once / across + across) / (2 * at_once)
    return max(min(work.array_bytes, work.l2_bytes), alike * work.l2_bytes)


def _wait_cycles(work: Work, card: Card, dram_bytes: float) -> float:
    """Cycles that one block waits for global memory and at barriers, if nothing else ran. Between
    two barriers a tile is waited for once; without barriers a warp waits each time that it has as
    many loads under way as it can. Nobody waits for copies that are asynchronous, nor for loads
    into registers for the next tile."""
    warps = work.blocks * work.warps
    loads = sum(site.requests for site in work.of(GLOBAL)
                if site.operation == "load" and not site.asynchronous) / warps
    loads *= 1 - work.loads_ahead
    by_barrier = min(work.barriers / 2, loads)
    waits = max(by_barrier, loads / CONSTANTS["loads_in_flight"])
    if waits <= 0:
        return 0.0
    sectors = sum(site.sectors for site in work.of(GLOBAL))
    together = loads / waits * (work.warps if by_barrier >= waits else 1)
    missing = min(1.0, work.l2_bytes / SECTOR / sectors) if sectors else 0.0
    far = min(1.0, dram_bytes / work.l2_bytes) if work.l2_bytes else 0.0
    beyond_l1, beyond_l2 = 1 - (1 - missing) ** together, 1 - (1 - missing * far) ** together
    latency = (card.l1_latency_cycles
               + beyond_l1 * (card.l2_latency_cycles - card.l1_latency_cycles)
               + beyond_l2 * (card.dram_latency_cycles - card.l2_latency_cycles))
    return waits * (latency + CONSTANTS["queue_cycles"] * beyond_l1)


def _barrier_cycles(work: Work, card: Card) -> float:
    return work.barriers * (card.barrier_cycles + card.barrier_cycles_per_warp * work.warps
                            + card.shared_latency_cycles)


def predict(work: Work, card: Card, wait_cycles: float | None = None) -> Prediction:
    """A block that fits on no SM counts as one per SM. `wait_cycles`, where given, stands for what
    a block waits for global memory: of a kernel that is changed in something else. Raises
    InputError where the card lacks an instruction."""
    held = residency(card, work.threads, work.registers_or_guess, work.shared_bytes)
    most = max(held.blocks, 1)
    slots = int(card.sms) * most
    full, rest = divmod(work.blocks, slots)
    busiest = full * most + math.ceil(rest / card.sms)  # blocks that the busiest SM works off
    resident = min(most, busiest)
    share = busiest / work.blocks
    dram = _dram_bytes(work, card, slots)
    per_sm = {FMA: work.multiply_adds * WARP / card.fp32_lanes_per_sm * share,
              TENSOR: tensor_cycles(work, card) * share,
              ISSUE: work.instructions / card.issue_slots_per_sm * share,
              LSU: sum(memory_cycles(site, card) for site in work.sites) * share}
    # what a block keeps the busiest unit, when it runs by itself
    alone = max(per_sm.values()) / busiest
    waits = _wait_cycles(work, card, dram) if wait_cycles is None else wait_cycles
    chain = {MEMORY: waits, BARRIERS: _barrier_cycles(work, card),
             OWN_WORK: CONSTANTS["own_work"] * alone}
    length = sum(chain.values())
    per_sm[WAITING] = length * busiest / resident
    parts = {unit: cycles / card.clock_hz for unit, cycles in per_sm.items()}
    parts |= {L2: work.l2_bytes / (card.l2_gb_per_s * 1e9), DRAM: dram / (card.dram_gb_per_s * 1e9)}
    softness = CONSTANTS["softness"]
    seconds = sum(part ** softness
                  for part in parts.values()) ** (1 / softness) + card.launch_us * 1e-6
    return Prediction(seconds, seconds * CONSTANTS["low"], seconds * CONSTANTS["high"],
                      {unit: parts[unit] for unit in UNITS if unit != TENSOR or work.products},
                      {name: cycles / length if length else 0.0 for name, cycles in chain.items()},
                      waits, held, share, work.blocks / slots)
