"""Writes data/emulated/gpu_ladder.jsonl and matrix_ladder.jsonl: `GEMMLAB_PROGRAM=… python -m
emulator.explain.record` (minutes; no GPU is needed).

Every rung that is predicted, with the parameters, types and at the shapes of the H200's records,
and those of other cards' published ladders, some of its blocks.
"""

from __future__ import annotations

import json
import math
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from commands.program import program_path
from emulator.counts.work import GLOBAL, Product
from emulator.model.elsewhere import published
from emulator.model.fit import bars
from emulator.model.ladder import COUNTS, MEASURED, TENSOR_COUNTS, TENSOR_MEASURED, Key, measured
from files.reading import InputError

from .command import counted

BLOCK_STEPS = 4096  # blocks × depth that are run of each grid
FEWEST_BLOCKS = 2
WORKERS = 2
UNLIKE = "gpu.pipelined"  # its blocks do different shares of K: of small ones more stand for all,
UNLIKE_TILES = 128 * 128  # so many elements of C of them
KEPT_OF_SITES = ("line", "file", "space", "operation", "array", "bytes", "asynchronous", "requests",
                 "lanes", "sectors", "lines", "wavefronts")


def shortened(launch: dict[str, Any]) -> dict[str, Any]:
    """Without what only a page shows, and without zeros."""
    kept = ("grid", "block", "dynamic_shared_bytes", "static_shared_bytes", "blocks_run",
            "barriers", "l2_bytes", "dram_read_bytes", "dram_write_bytes", "products")
    arrays = [{name: array[name] for name in ("name", "space", "bytes")}
              for array in launch["arrays"] if array["space"] == GLOBAL]
    sites = [{name: site[name] for name in KEPT_OF_SITES if site.get(name)}
             for site in launch["sites"]]
    return {"kernel": launch["kernel"]} | {name: launch[name] for name in kept
                                           if launch.get(name)} | {"arrays": arrays, "sites": sites}


def blocks_of(implementation: str, parameters: dict[str, Any], k: int) -> int:
    """How many blocks of each grid are run."""
    tile = str(parameters.get("tile") or "") if implementation == UNLIKE else ""
    sides = [int(side) for side in re.findall(r"\d+", tile)[:2]]
    return max(FEWEST_BLOCKS, BLOCK_STEPS // k, UNLIKE_TILES // math.prod(sides) if sides else 0)


def line_of(program: str, key: Key) -> str:
    """The line of one point; empty where it cannot be counted, which is said."""
    implementation, written, asked, m, n, k = key
    parameters, options = json.loads(written), json.loads(asked)
    try:
        counts = counted(program, implementation, parameters, Product(m, n, k),
                         blocks_of(implementation, parameters, k), options)
    except InputError as error:
        print(f"left out: {implementation} {written} at {m}×{n}×{k}: {error}", file=sys.stderr)
        return ""
    if wrong := counts["findings"] or counts["error"]:
        print(f"found in {implementation} {written} at {m}×{n}×{k}: {wrong}", file=sys.stderr)
    print(f"{implementation} {written} {m}×{n}×{k}", flush=True)
    record = {"implementation": implementation, "name_parts": counts["name_parts"],
              "parameters": parameters} | ({"options": options} if options else {}) | {
                  "m": m, "n": n, "k": k,
                  "launches": [shortened(launch) for launch in counts["launches"]]}
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def main() -> None:
    program, not_predicted = program_path(), bars()["not_predicted"]
    for path, wanted in ((COUNTS, {*measured(MEASURED), *(one.key for one in published())}),
                         (TENSOR_COUNTS, set(measured(TENSOR_MEASURED)))):
        keys = sorted(key for key in wanted if key[0] not in not_predicted)
        with ThreadPoolExecutor(WORKERS) as pool:
            lines = list(filter(None, pool.map(lambda key: line_of(program, key), keys)))
        path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
