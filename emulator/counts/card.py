"""Cards as emulator/cards/*.toml describe them, and how many blocks fit on an SM."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

from files.reading import InputError
from files.tree import ROOT

CARDS = ROOT / "emulator" / "cards"
DEFAULT_CARD = "h200"
WARP = 32
SHARED_UNIT = 128  # bytes: shared memory is handed out to blocks in multiples of it
REGISTERS_PER_THREAD_UNIT = 8
SCHEDULERS = 4  # of an SM; each has a quarter of the registers


@dataclass(frozen=True)
class Card:
    """Constants of a card; cycles are those of `clock_mhz`, GB/s are 10⁹ bytes per second."""

    key: str
    name: str
    compute_capability: str
    sms: float
    clock_mhz: float
    fp32_lanes_per_sm: float
    # multiply-adds of the tensor cores on elements of 16 and of 8 bits, sums in 32 bits, by
    # instructions of a warp and of a warpgroup; 0 where there are none
    mma_16bit_per_cycle: float
    mma_8bit_per_cycle: float
    wgmma_16bit_per_cycle: float
    wgmma_8bit_per_cycle: float
    issue_slots_per_sm: float
    shared_bytes_per_cycle: float
    l1_bytes_per_cycle: float
    lines_per_cycle: float
    l2_gb_per_s: float
    dram_gb_per_s: float
    shared_latency_cycles: float
    l1_latency_cycles: float
    l2_latency_cycles: float
    dram_latency_cycles: float
    barrier_cycles: float
    barrier_cycles_per_warp: float
    launch_us: float
    l2_bytes: float
    l1_bytes: float
    shared_bytes_per_sm: float
    shared_bytes_reserved: float
    registers_per_sm: float
    register_unit: float
    threads_per_sm: float
    blocks_per_sm: float

    def products_per_cycle(self, by: str, bits: int) -> float:
        """Of an SM's tensor cores, by "mma" or "wgmma"; of 32 bits (TF32) half of those of 16."""
        wide = self.mma_16bit_per_cycle if by == "mma" else self.wgmma_16bit_per_cycle
        narrow = self.mma_8bit_per_cycle if by == "mma" else self.wgmma_8bit_per_cycle
        return {8: narrow, 16: wide, 32: wide / 2}.get(bits, 0.0)

    @property
    def clock_hz(self) -> float:
        return self.clock_mhz * 1e6


CONSTANTS = tuple(field.name for field in fields(Card))[3:]


@dataclass(frozen=True)
class Residency:
    """Blocks that an SM holds at once, and what keeps more away."""

    blocks: int
    limit: str  # "registers", "shared memory", "threads" or "blocks"
    occupancy: float  # share of the threads that an SM can hold


def card_keys() -> list[str]:
    return sorted(path.stem for path in CARDS.glob("*.toml"))


def read_card(path: Path) -> dict:
    """The file as it stands: constants are tables with value and source. Raises InputError where
    one is missing."""
    read = tomllib.loads(path.read_text(encoding="utf-8"))
    for name in CONSTANTS:
        one = read.get(name)
        if (not isinstance(one, dict) or not isinstance(one.get("value"), (int, float))
                or not one.get("source")):
            raise InputError(f"{path.name}: {name} needs a value and a source")
    return read


@cache
def load_card(key: str = DEFAULT_CARD) -> Card:
    if key not in card_keys():
        raise InputError(f"there is no card '{key}'; there are {', '.join(card_keys())}")
    read = read_card(CARDS / f"{key}.toml")
    values = {name: read[name]["value"] for name in CONSTANTS}
    return Card(key, read["name"], read["compute_capability"], **values)


def _up(value: float, unit: float) -> float:
    return -(-value // unit) * unit


def residency(card: Card, threads: int, registers: int, shared_bytes: int) -> Residency:
    """By the occupancy rules of the CUDA C++ Programming Guide. Zero blocks where one does not fit
    at all."""
    warps = -(-threads // WARP)
    per_warp = _up(_up(max(registers, 1), REGISTERS_PER_THREAD_UNIT) * WARP, card.register_unit)
    shared = _up(shared_bytes + card.shared_bytes_reserved, SHARED_UNIT)
    fits = {"threads": card.threads_per_sm // (warps * WARP),
            "registers": SCHEDULERS * (card.registers_per_sm // SCHEDULERS // per_warp) // warps,
            "shared memory": card.shared_bytes_per_sm // shared if shared else card.blocks_per_sm,
            "blocks": card.blocks_per_sm}
    limit = min(fits, key=lambda name: fits[name])
    blocks = int(fits[limit])
    return Residency(blocks, limit, min(1.0, blocks * warps * WARP / card.threads_per_sm))
