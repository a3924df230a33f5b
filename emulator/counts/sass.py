"""Instructions of a kernel as nvcc compiled it: the SASS that cuobjdump prints, as parts that run
once per multiply-add, barrier or warp.

data/emulated/gpu_sass.jsonl holds those of the ladder's kernels (compiled.py writes it). A part's
instructions are static; how often it runs follows from what the emulator counts: the loop with most
multiply-adds runs until all are made, loops around it as often as their barriers were met, the rest
once for each warp. Loops left over by unrolling, and code beside the loops that multiplies, are
taken not to run: so they do not where K is a multiple of what nvcc unrolled.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from .constants import EMULATED

TABLE = EMULATED / "gpu_sass.jsonl"
# what a part runs once for so many of
MULTIPLY_ADDS, BARRIERS, WARPS = RUNS = ("multiply_adds", "barriers", "warps")
THREAD_INDEX = "thread_index"  # reads of threadIdx, each a pass of the shared memory's unit
CLASSES = (
    ("multiply_add", r"[FD]FMA"), ("shared", r"LDS|STS|ATOMS"),
    ("global", r"LDG|STG|RED|ATOM|LD\b|ST\b"), ("barrier", r"BAR\b"),
    ("branch", r"BRA|EXIT|BSSY|BSYNC|RET|CALL|WARPSYNC"),
    ("integer",
     r"U?(IMAD|IADD|LEA|LOP|SHF|ISETP|MOV|SEL|PLOP|P2R|R2P|I2F|F2I|BFE|PRMT|IMNMX|VI)|CS2R|S2U?R|U?LDC|R2UR"))


@dataclass(frozen=True)
class Part:
    """Code that runs once for each `of` multiply-adds, barriers (of one warp) or warps."""

    runs: str
    of: int
    counts: dict[str, int]  # static instructions, by class
    # share of its loads from global memory that are made long before their value is used
    ahead: float = 0.0


@dataclass(frozen=True)
class Instruction:
    address: int
    text: str

    @property
    def operation(self) -> str:
        """"LDS.128", without the predicate."""
        return re.sub(r"^@!?U?P\w+\s+", "", self.text).split()[0]

    @property
    def target(self) -> int | None:
        found = (re.search(r"\b0x([0-9a-f]+)$", self.text)
                 if self.operation.startswith("BRA") else None)
        return int(found[1], 16) if found else None

    @property
    def kind(self) -> str:
        if self.operation == "S2R" and "SR_TID" in self.text:
            return THREAD_INDEX
        return next((name for name, pattern in CLASSES if re.match(pattern, self.operation)),
                    "other")


Loop = tuple[int, int]  # addresses of its first instruction and of the branch back


def functions(dump: str) -> dict[str, list[Instruction]]:
    """By mangled name, from `cuobjdump -sass`; without the padding behind the last instruction."""
    found: dict[str, list[Instruction]] = {}
    for line in dump.splitlines():
        if name := re.search(r"Function : (\S+)", line):
            found[name[1]] = []
        elif (read := re.match(r"\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;", line)) and found:
            found[next(reversed(found))].append(Instruction(int(read[1], 16), read[2]))
    for code in found.values():
        while code and (code[-1].operation == "NOP" or code[-1].target == code[-1].address):
            code.pop()
    return found


def _blocks(code: list[Instruction]) -> list[list[Instruction]]:
    """Stretches without a branch into or out of their middle."""
    starts = {one.target
              for one in code} | {after.address for before, after in itertools.pairwise(code)
                                  if before.operation.startswith(("BRA", "EXIT", "RET"))}
    made: list[list[Instruction]] = []
    for one in code:
        if not made or one.address in starts:
            made.append([])
        made[-1].append(one)
    return made


def _by_loop(code: list[Instruction]) -> dict[Loop | None, list[list[Instruction]]]:
    """The blocks of each loop that are in no loop within it; None: of no loop."""
    ends: dict[int, int] = {}
    for one in code:
        if one.target is not None and one.target < one.address:
            ends[one.target] = max(one.address, ends.get(one.target, 0))
    made: dict[Loop | None, list[list[Instruction]]] = {loop: []
                                                        for loop in ends.items()} | {None: []}
    for block in _blocks(code):
        around = [loop for loop in ends.items() if loop[0] <= block[0].address <= loop[1]]
        made[min(around, key=lambda loop: loop[1] - loop[0], default=None)].append(block)
    return made


def _counts(blocks: Iterable[list[Instruction]]) -> Counter[str]:
    return Counter(one.kind for block in blocks for one in block)


def _ahead(code: list[Instruction]) -> float:
    """Of a loop: the share of loads from global memory into registers between which and their
    value's first use lie half of its multiply-adds. Such a load is for the next tile, as in
    gpu.double_buffered: nobody waits for it."""
    half = sum(one.kind == "multiply_add" for one in code) / 2
    early = loads = 0
    for at, load in enumerate(code):
        into = re.search(r"\bR(\d+), ", load.text) if re.match(r"LDG(?!STS)",
                                                               load.operation) else None
        if into is None:
            continue
        loads += 1
        bits = re.search(r"\.(64|128)", load.operation)
        wide = int(bits[1]) // 32 if bits else 1
        wanted = re.compile(r"\bR(" + "|".join(str(int(into[1]) + n) for n in range(wide)) + r")\b")
        use = next((n for n in range(at + 1, len(code)) if wanted.search(code[n].text)), len(code))
        early += sum(one.kind == "multiply_add" for one in code[at:use]) >= half
    return early / loads if loads else 0.0


def parts_of(code: list[Instruction]) -> tuple[Part, ...]:
    """Empty where no loop multiplies: how often its loops run is then not known."""
    loops = _by_loop(code)
    hot = max((loop for loop in loops if loop),
              key=lambda loop: _counts(loops[loop])["multiply_add"], default=None)
    if hot is None or not _counts(loops[hot])["multiply_add"]:
        return ()
    of_hot = _counts(loops[hot])
    made = [Part(MULTIPLY_ADDS, of_hot["multiply_add"], dict(of_hot),
                 _ahead([one for block in loops[hot] for one in block]))]
    for loop, blocks in loops.items():
        counts = _counts(block for block in blocks if not _counts([block])["multiply_add"])
        around = loop is not None and loop[0] <= hot[0] and hot[1] <= loop[1]
        if loop == hot or not counts or (_counts(blocks)["multiply_add"] and loop and not around):
            continue
        by_barriers = around and counts["barrier"]
        made.append(Part(BARRIERS if by_barriers else WARPS,
                         counts["barrier"] if by_barriers else 1, dict(counts)))
    return tuple(made)


def dynamic(parts: tuple[Part, ...], multiply_adds: float, barriers: float,
            warps: float) -> dict[str, float]:
    """Warp instructions of a launch by class. All three are of the whole grid; a barrier counts
    once for each warp."""
    totals = dict(zip(RUNS, (multiply_adds, barriers, warps)))
    made: dict[str, float] = {}
    for part in parts:
        for kind, count in part.counts.items():
            made[kind] = made.get(kind, 0.0) + count * totals[part.runs] / part.of
    return made


def bare(function: str) -> str:
    """"tiled_kernel<16, 0>", of what c++filt says; as emulator/lines.cpp names kernels."""
    function = function.replace("(anonymous namespace)::", "")
    begin = depth = 0
    for end, letter in enumerate(function):
        if letter == "(" and not depth:
            return function[begin:end]
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if not depth and letter in " :":
            begin = end + 1
    return function[begin:]


@lru_cache(maxsize=1)
def table() -> dict[str, tuple[Part, ...]]:
    """The ladder's kernels, as committed."""
    read = ([json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]
            if TABLE.is_file() else [])
    return {one["kernel"]: tuple(Part(**part) for part in one["parts"]) for one in read}
