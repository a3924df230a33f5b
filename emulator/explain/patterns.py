"""What one warp asks for in each of two pairs of kernels: one that wastes sectors or passes, and
the same one without the waste.

`GEMMLAB_PROGRAM=… python -m emulator.explain.patterns` writes data/emulated/patterns.jsonl
(seconds; no GPU is needed). A line is a kernel with its parameters at a shape, and each kind of
load: its counts, the lines of source that hold it, and the addresses of the 32 lanes of one warp,
in bytes from the start of the array.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from commands.program import program_path
from emulator.counts.constants import EMULATED
from emulator.counts.work import GLOBAL, SHARED, Product, Site
from emulator.model.ladder import parameters_key, points
from records.names.naming import name_from
from records.schema.older import name_parts_of

from .advice import lane_step
from .command import ROOT, counted

PATTERNS = EMULATED / "patterns.jsonl"
SIZE, BLOCK, BLOCKS = 1024, 32, 2
# By what is wasted: the kernel that wastes, and its twin that does not.
TWINS = {GLOBAL: ("gpu.tiled_uncoalesced", "gpu.tiled"),
         SHARED: ("gpu.tiled_conflicting", "gpu.tiled_padded")}
KEPT = ("line", "file", "space", "operation", "array", "bytes", "requests", "lanes", "sectors",
        "least_sectors", "lines", "wavefronts", "least_wavefronts")


@dataclass(frozen=True)
class Pattern:
    """One kind of load of a kernel. `source`: its line of code. `dims`: of a shared array.
    `amount`: sectors or passes per request."""

    implementation: str
    parameters: dict[str, Any]
    name_parts: tuple[str, ...]
    site: Site
    source: str
    dims: tuple[int, ...]

    @property
    def array(self) -> str:
        """"A", "Bs[32][33]"."""
        return self.site.array + "".join(f"[{side}]" for side in self.dims)

    @property
    def name(self) -> str:
        return name_from(self.name_parts, self.parameters)

    @property
    def addresses(self) -> list[int]:
        return [int(address) for address in (self.site.example or {})["addresses"]]

    @property
    def step(self) -> int:
        """Bytes from lane to lane."""
        return abs(lane_step(self.site) or 0)

    @property
    def amount(self) -> float:
        return (self.site.wavefronts if self.site.space == SHARED
                else self.site.sectors) / self.site.requests

    @property
    def waste(self) -> float:
        """Times as much as would do."""
        site = self.site
        return self.amount * site.requests / ((site.least_wavefronts if site.space == SHARED
                                               else site.least_sectors) or site.requests)


@lru_cache(maxsize=2)
def patterns(path: Path = PATTERNS) -> tuple[Pattern, ...]:
    """Every recorded load; none where the file is not there."""
    made = []
    for line in path.read_bytes().splitlines() if path.is_file() else []:
        read = orjson.loads(line)
        for one in read["sites"]:
            counts = {name: one.get(name, 0) for name in KEPT}
            site = Site(**counts, example={"addresses": one["addresses"]})
            made.append(Pattern(read["implementation"], read["parameters"], name_parts_of(read),
                                site, one["source"], tuple(one.get("dims", ()))))
    return tuple(made)


def twins(space: str) -> tuple[Pattern, Pattern] | None:
    """The load that wastes most, and the twin's load of the same array; None where they are not
    recorded."""
    wasteful, right = ([one for one in patterns() if one.implementation == name
                        and one.site.space == space] for name in TWINS[space])
    worst = max(wasteful, key=lambda one: one.waste, default=None)
    same = next((one for one in right if worst and one.site.array == worst.site.array), None)
    return (worst, same) if worst and same else None


def slowdown(pair: tuple[Pattern, Pattern], card: str) -> float | None:
    """How many times the predicted time of the twin the wasteful kernel takes, at the shape of the
    patterns."""
    product = Product(SIZE, SIZE, SIZE)
    times = [found.seconds for one in pair for point in points()
             if (point.implementation, parameters_key(point.parameters), point.product)
             == (one.implementation, parameters_key(one.parameters), product)
             and (found := point.explanation(card))]
    return times[0] / times[1] if len(times) == 2 else None


def _recorded(program: str, implementation: str) -> dict[str, Any]:
    parameters = {"block": BLOCK}
    counts = counted(program, implementation, parameters, Product(SIZE, SIZE, SIZE), BLOCKS)
    dims = {array["name"]: {"dims": array["dims"]} for launch in counts["launches"]
            for array in launch["arrays"] if array.get("dims")}
    sites = []
    for site in (site for launch in counts["launches"] for site in launch["sites"]
                 if site["operation"] == "load"):
        text = (ROOT / site["file"]).read_text(encoding="utf-8").splitlines()[site["line"]
                                                                              - 1].strip()
        sites.append({name: site[name] for name in KEPT if site.get(name)} | dims.get(site["array"],
                                                                                      {})
                     | {"source": text, "addresses": site["example"]["addresses"]})
    return {"implementation": implementation, "name_parts": counts["name_parts"],
            "parameters": parameters, "m": SIZE, "n": SIZE, "k": SIZE, "sites": sites}


def main() -> None:
    program = program_path()
    lines = [json.dumps(_recorded(program, name), ensure_ascii=False, separators=(",", ":"))
             for pair in TWINS.values() for name in pair]
    PATTERNS.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
