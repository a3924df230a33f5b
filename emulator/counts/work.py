"""What one launch does, read from the emulator's JSON of counts (emulator/exports.h): warp
instructions, sectors, wavefronts.

The emulator counts accesses, not arithmetic. Multiply-adds follow from the product's shape, and the
remaining instructions from what nvcc made of the kernel (sass.py), or from the accesses, by the
rule of `Work.instructions`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from . import sass
from .card import REGISTERS_PER_THREAD_UNIT, WARP

SECTOR = 32  # bytes
GLOBAL, SHARED = "global", "shared"
# Instructions beside memory and multiply-adds, as nvcc 13 compiles gpu.naive (6.6 per multiply-add)
# and gpu.tiled at block 16 (4.3): addresses per load from global memory; guards, addresses and
# selection per copy into shared memory; the loop per barrier.
PER_GLOBAL_LOAD, PER_COPY, PER_BARRIER = 2, 9, 2
PER_MMA = 16 * 8 * 16  # multiply-adds of a warp's instruction of 16 bits
AS_COUNTED = 0.1  # of all loads and stores, at most so many in another space than nvcc's code has
# where no compiler said how many
FEWEST_REGISTERS, REGISTERS_PER_SUM, MOST_REGISTERS = 30, 1.5, 255


@dataclass(frozen=True)
class Site:
    """A line's accesses of one kind, over the whole grid. Numbers are warp instructions, sectors of
    32 bytes, lines of 128 bytes, passes over the banks."""

    line: int
    file: str
    space: str
    operation: str
    array: str
    bytes: int  # per lane
    requests: float
    lanes: float
    sectors: float = 0
    least_sectors: float = 0
    lines: float = 0
    l1_miss_sectors: float = 0
    l2_miss_sectors: float = 0
    wavefronts: float = 0
    least_wavefronts: float = 0
    degree_worst: float = 0
    asynchronous: bool = False
    example: dict[str, Any] | None = None


_COUNTED = ("requests", "lanes", "sectors", "least_sectors", "lines", "l1_miss_sectors",
            "l2_miss_sectors", "wavefronts", "least_wavefronts")


@dataclass(frozen=True)
class Work:
    """One launch, scaled to its whole grid where only some of its blocks were run."""

    kernel: str
    line: int
    blocks: int
    threads: int  # per block
    shared_bytes: int  # per block
    sites: tuple[Site, ...]
    barriers: float  # per warp
    multiply_adds: float  # warp instructions
    l2_bytes: float
    dram_bytes: float | None  # None where only some blocks were run
    array_bytes: float  # of the global arrays that it touches
    sums: float  # elements of C per thread
    # multiply-adds of the tensor cores, by "mma" or "wgmma" and the bits of an element of A
    products: tuple[tuple[str, int, float], ...] = ()
    registers: int | None = None  # per thread; None where no compiler said
    # its instructions as nvcc compiled it; empty where that is not known
    compiled: tuple[sass.Part, ...] = ()
    blocks_across: float = 1  # blocks along a row of C
    # accesses between barriers, by warp of the first block
    timeline: tuple[tuple[int, tuple[float, ...]], ...] = ()
    dims: dict[str, tuple[int, ...]] = field(default_factory=dict)  # of the shared arrays

    @property
    def warps(self) -> int:
        """Per block."""
        return -(-self.threads // WARP)

    def of(self, space: str) -> Iterable[Site]:
        return (site for site in self.sites if site.space == space)

    @property
    def global_loads(self) -> float:
        return sum(site.requests for site in self.of(GLOBAL) if site.operation == "load")

    @property
    def instructions(self) -> float:
        """Warp instructions: those that nvcc compiled, or estimated from accesses, copies, barriers
        and multiply-adds."""
        if self.compiled:
            return sum(self.compiled_instructions.values())
        stores = sum(site.requests for site in self.of(SHARED) if site.operation == "store")
        copies = min(self.global_loads, stores)
        tensor = sum(count * bits / 16 / PER_MMA for _, bits, count in self.products)
        return (self.multiply_adds + tensor + sum(site.requests for site in self.sites)
                + PER_GLOBAL_LOAD * self.global_loads + PER_COPY * copies
                + (1 + PER_BARRIER) * self.barriers * self.warps * self.blocks)

    @property
    def compiled_instructions(self) -> dict[str, float]:
        """Warp instructions by class; empty where nvcc's are not known."""
        warps = self.warps * self.blocks
        return sass.dynamic(self.compiled, self.multiply_adds, self.barriers * warps, warps)

    @property
    def loads_ahead(self) -> float:
        """Share of the loads from global memory into registers that nobody waits for; 0 where
        nvcc's code is not known."""
        return max((part.ahead for part in self.compiled), default=0.0)

    @property
    def registers_or_guess(self) -> int:
        if self.registers:
            return self.registers
        guess = min(FEWEST_REGISTERS + REGISTERS_PER_SUM * self.sums, MOST_REGISTERS)
        return int(-(-guess // REGISTERS_PER_THREAD_UNIT) * REGISTERS_PER_THREAD_UNIT)


@dataclass(frozen=True)
class Product:
    """C = A·B as the multiply-adds see it: C has rows × cols elements, each a sum of `depth`
    terms."""

    rows: int
    cols: int
    depth: int
    # a submission's, whose pages write rows, inner, columns
    as_in_solve: bool = field(default=False, compare=False)

    @property
    def sides(self) -> tuple[int, int, int]:
        """In the order in which they are written: the suite's M, N, K, or those of `solve`."""
        if self.as_in_solve:
            return self.rows, self.depth, self.cols
        return self.rows, self.cols, self.depth


def _site(read: dict[str, Any], scale: float) -> Site:
    counts = {name: float(read.get(name) or 0) * scale for name in _COUNTED}
    return Site(line=int(read.get("line") or 0), file=str(read.get("file") or ""),
                space=str(read.get("space") or ""), operation=str(read.get("operation") or ""),
                array=str(read.get("array") or ""), bytes=int(read.get("bytes") or 0),
                degree_worst=float(read.get("degree_worst") or 0),
                asynchronous=bool(read.get("asynchronous")), example=read.get("example")
                if isinstance(read.get("example"), dict) else None, **counts)


def _size(read: dict[str, Any], key: str) -> int:
    return math.prod(int(side) for side in read.get(key) or [1])


def _work(read: dict[str, Any], product: Product) -> Work:
    blocks, threads = _size(read, "grid"), _size(read, "block")
    run = int(read.get("blocks_run") or blocks)
    scale = blocks / max(run, 1)
    warps = -(-threads // WARP)
    sites = tuple(_site(one, scale) for one in read.get("sites") or [])
    touched = {site.array for site in sites if site.space == GLOBAL}
    arrays = {str(one.get("name")): float(one.get("bytes") or 0)
              for one in read.get("arrays") or [] if one.get("space") == GLOBAL}
    dram = float(read.get("dram_read_bytes") or 0) + float(read.get("dram_write_bytes") or 0)
    timeline = tuple(
        (int(one.get("warp") or 0), tuple(float(stretch) for stretch in one.get("stretches") or []))
        for one in read.get("timeline") or [])
    return Work(
        kernel=str(read.get("kernel") or "kernel"), line=int(read.get("line") or 0), blocks=blocks,
        threads=threads, shared_bytes=int(read.get("dynamic_shared_bytes")
                                          or 0) + int(read.get("static_shared_bytes") or 0),
        sites=sites, barriers=float(read.get("barriers") or 0) / max(run * warps, 1),
        multiply_adds=0, l2_bytes=float(read.get("l2_bytes") or 0) * scale, dram_bytes=dram
        if run >= blocks else None, array_bytes=sum(arrays.get(name, 0) for name in touched),
        sums=product.rows * product.cols / max(blocks * threads, 1),
        products=tuple((str(one.get("by")), int(one.get("bits") or 0),
                        scale * float(one.get("multiply_adds") or 0))
                       for one in read.get("products") or []),
        blocks_across=max(1.0, math.sqrt(blocks * product.cols / product.rows)), timeline=timeline,
        dims={str(one.get("name")): tuple(int(side) for side in one.get("dims") or [])
              for one in read.get("arrays") or [] if one.get("space") == SHARED})


def _bare(kernel: str) -> str:
    """The name without its namespace, template arguments and parameters."""
    plain = kernel.replace("(anonymous namespace)::", "").strip("() ")
    return re.split(r"[<(]", plain)[0].split("::")[-1].split(" ")[-1]


def _identity(work: Work) -> tuple:
    """Of a kernel: its name, which a launch through a pointer does not have, and the lines that it
    runs."""
    return work.kernel, frozenset((site.file, site.line) for site in work.sites)


def _loaded(work: Work) -> float:
    return sum(site.lanes for site in work.sites if site.operation == "load")


def _code_of(kernel: str, compiled: dict[str, tuple[sass.Part, ...]]) -> tuple[sass.Part, ...]:
    """By its whole name, else, where a launch writes template arguments in other words, as the only
    one of its name without them; empty where that is not known."""
    if kernel in compiled:
        return compiled[kernel]
    alike = [code for name, code in compiled.items() if kernel and _bare(name) == _bare(kernel)]
    return alike[0] if len(alike) == 1 else ()


def _as_counted(work: Work) -> Work:
    """With nvcc's code where that makes the loads and stores that were counted, in global and in
    shared memory; else with as many multiply-adds as bring that about, since which lanes of a warp
    share a sum only these say. Without that code where nothing does: it is of another form than
    sass.py knows."""
    counted = {space: sum(site.requests for site in work.of(space)) for space in (GLOBAL, SHARED)}
    loop = next(part for part in work.compiled if part.runs == sass.MULTIPLY_ADDS)
    per_add = sum(loop.counts.get(space, 0) for space in counted) / loop.of
    of_rest = replace(work, multiply_adds=0).compiled_instructions
    left = sum(counted.values()) - sum(of_rest.get(space, 0) for space in counted)
    solved = replace(work, multiply_adds=left / per_add) if per_add and left > 0 else work
    for known in (work, solved):
        made = known.compiled_instructions
        if all(abs(made.get(space, 0) - requests) <= AS_COUNTED * sum(counted.values())
               for space, requests in counted.items()):
            return known
    return replace(work, compiled=())


def works_of(counts: dict[str, Any], product: Product, registers: dict[str, int],
             compiled: dict[str, tuple[sass.Part, ...]] | None = None) -> list[Work]:
    """The launches of one call. The multiply-adds, where the tensor cores make none, belong to the
    kernel that loads most, shared out over its launches by their loads. `registers` are those per
    thread that a compiler or driver gave, by kernel name; "" is the kernel that loads most.
    `compiled`: instructions as nvcc compiled them, likewise; not taken where they do not fit what
    was counted."""
    works = [_work(one, product) for one in counts.get("launches") or []]
    if not works:
        return []
    by_kernel: dict[tuple, float] = {}
    for work in works:
        by_kernel[_identity(work)] = by_kernel.get(_identity(work), 0) + _loaded(work)
    main = max(by_kernel, key=lambda kernel: by_kernel[kernel])
    total = max(by_kernel[main], 1)
    bare = {_bare(name): count for name, count in registers.items()}
    tensor = any(work.products for work in works)  # then these are the product's multiply-adds
    made = []
    for work in works:
        share = _loaded(work) / total if _identity(work) == main else 0
        # a warp that is not full, and a tile beyond C's edge, multiply as long as full ones
        sums = math.ceil(work.sums * (1 - 1e-9)) if share else 0
        lanes = work.blocks * work.warps * WARP * sums * product.depth
        own = registers.get(work.kernel) or bare.get(_bare(work.kernel)) if work.kernel else None
        one = replace(work, multiply_adds=0 if tensor else share * lanes / WARP,
                      sums=work.sums if share else 0,
                      registers=own or (registers.get("") if share else None),
                      compiled=_code_of(work.kernel, compiled or {}) if share else ())
        made.append(_as_counted(one) if one.compiled else one)
    return made
