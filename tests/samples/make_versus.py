"""Records of experiments/cpu_vs_gpu.toml as a run makes them, in small: for tests of the answer.
Nothing of it was measured."""

from __future__ import annotations

import json
import tomllib
from itertools import product
from pathlib import Path
from typing import Any

from make_data import LAPTOP, WORKSTATION, case_line, listed, run_line

ROOT = Path(__file__).resolve().parents[2]
SIZES = (64, 128, 256, 512, 1024, 2048, 4096, 8192)
MOST_S = 4.0  # a longer call is skipped
RATES = {"cpu.serial": 2, "cpu.openmp": 24, "cpu.blocked": 6, "cpu.register_blocked": 40,
         "cpu.packed": 95, "cpu.matrix": 280, "cpu.openblas": 100, "cpu.blis": 90,
         "cpu.onednn": 110, "cpu.mkl": 115, "cpu.eigen": 80, "cpu.openblas_pypi": 98,
         "gpu.naive": 5200, "gpu.tiled": 9000, "gpu.register_tiled": 34000, "gpu.pipelined": 50000,
         "gpu.cublas": 51000, "gpu.tensor": 120000}
# Names that the method does not give.
NAMES = {"cpu.openmp": "OpenMP", "cpu.register_blocked": "register-blocked",
         "cpu.matrix": "matrix unit", "cpu.openblas": "OpenBLAS",
         "cpu.openblas_pypi": "OpenBLAS PyPI", "cpu.blis": "BLIS", "cpu.onednn": "oneDNN",
         "cpu.mkl": "MKL", "cpu.eigen": "Eigen", "gpu.tiled": "tiled 32",
         "gpu.register_tiled": "register-tiled 8×8", "gpu.cublas": "cuBLAS"}
WORDS = {1: "one core", "cores": "all cores", "call": "call", "end-to-end": "end to end",
         "pinned": "pinned", "pageable": "pageable"}
LIBRARIES = ("cpu.openblas", "cpu.openblas_pypi", "cpu.blis", "cpu.onednn", "cpu.mkl", "gpu.cublas")
REASON = "no /sys/class/powercap in a virtual machine"


def _lines(run: dict[str, Any]) -> list[dict[str, Any]]:
    """The lines of a [[group.run]], its lists crossed and named as the program does it."""
    found = {}
    axes = {key: listed(run[key]) for key in ("implementation", "threads", "scope", "host_memory")
            if key in run}
    for chosen in product(*axes.values()):
        one = dict(zip(axes, chosen))
        name = one["implementation"]
        for key, has in (("threads", name.startswith("cpu") and name != "cpu.serial"),
                         ("host_memory", one.get("scope") == "end-to-end")):
            if not has:
                one.pop(key, None)
        one |= {"gpu.tiled": {"block": 32}, "gpu.register_tiled": {"tile": "8x8"}}.get(name, {})
        words = [WORDS[value] for key, value in one.items() if value in WORDS
                 and (key != "scope" or len(axes["scope"]) > 1)]
        pattern = run.get("label", ", ".join(["{name}", *words]))
        label = pattern.replace("{name}", NAMES.get(name, name[4:]))
        found[label] = one | {"label": label}
    return list(found.values())


def _seconds(wanted: dict[str, Any], size: int, cores: int) -> float:
    """A model: work at the rate, a fixed cost of a call, transfers."""
    name, scope = wanted["implementation"], wanted.get("scope", "kernel")
    rate = RATES[name] * (0.8 * cores if wanted.get("threads") == "cores"
                          and name != "cpu.openmp" else 1)
    seconds = 2e-9 * size**3 / rate + (6e-6 if name.startswith("gpu") else 9e-6
                                       if wanted.get("threads") == "cores" else 1e-6)
    seconds += 4e-6 if scope != "kernel" else 0
    if scope == "end-to-end":
        seconds += 12 * size**2 / (50e9 if wanted["host_memory"] == "pinned" else 9e9) + 20e-6
    return seconds


def _energy(name: str, group: str, scope: str, seconds: float, rapl: bool) -> dict[str, Any]:
    if group != "energy" or (name.startswith("cpu") and not rapl):
        return {}
    watts, source = ((250, "rapl package") if name.startswith("cpu")
                     else (600 if scope == "kernel" else 300, "nvml counter"))
    calls = int(1 / seconds) + 1
    return {"energy_j_per_call": watts * seconds, "energy_source": source, "energy_calls": calls,
            "energy_s": calls * seconds}


def _line(run: dict[str, Any], group: str, wanted: dict[str, Any], size: int,
          rapl: bool) -> dict[str, Any]:
    name, cores, scope = wanted["implementation"], run["host"]["cores"], wanted.get("scope",
                                                                                    "kernel")
    parameters = {key: wanted[key] for key in ("block", "tile") if key in wanted}
    if "threads" in wanted:
        parameters["threads"] = cores if wanted["threads"] == "cores" else wanted["threads"]
    seconds = _seconds(wanted, size, cores)
    more: dict[str, Any] = {"scope": scope, "host_memory": wanted.get("host_memory"),
                            "allocation": "not counted" if "host_memory" in wanted else None}
    more |= {"precision": "fp32-split"} if name in ("cpu.matrix", "gpu.tensor") else {}
    more |= ({"chosen": {"library": f"lib{name[4:]}.so", "version": "1.2.3"}}
             if name in LIBRARIES else {})
    more |= _energy(name, group, scope, seconds, rapl)
    status = (("unsupported", "no CUDA device") if name.startswith("gpu") and not run["gpus"]
              else ("skipped", f"predicted {seconds:.0f} s, above the limit of {MOST_S:g} s")
              if seconds > MOST_S else ("ok", ""))
    line = case_line(run, group, name, parameters, wanted["label"], (size,) * 3,
                     2e-9 * size**3 / seconds, *status, **more)
    return line | {"case_id": f"{line['case_id'][:14]}{group[:2]}"}


def write(folder: Path, gpu: bool = True, rapl: bool = False) -> Path:
    """folder/cpu_vs_gpu.jsonl of a host with or without a GPU, whose CPU's energy can be read or
    not; the folder."""
    read = tomllib.loads((ROOT / "experiments" / "cpu_vs_gpu.toml").read_text(encoding="utf-8"))
    groups = [group for group in read["group"] if "type" not in group]  # plain float32 alone
    lines_of = {group["name"]: [line for run in group["run"] for line in _lines(run)]
                for group in groups}
    definition = {"name": "cpu_vs_gpu",
                  **{key: read[key] for key in ("title", "question", "source")},
                  "tables": [table for table in read["table"] if table["group"] in lines_of],
                  "figures": read["figure"], "lines": list(dict.fromkeys(
                      line["label"] for of_group in lines_of.values() for line in of_group))}
    host = (WORKSTATION if gpu
            else LAPTOP) | {"id": "0123456789ab"} | ({} if rapl else {"rapl_unavailable": REASON})
    run = run_line("versus", host, gpu, "cpu_vs_gpu", definition, "v1", "2026-11-22T15:00:00Z")
    lines = [run, *(_line(run, group["name"], wanted, size, rapl) for group in groups
                    for size in (SIZES if "m" in group else group["size"])
                    for wanted in lines_of[group["name"]])]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cpu_vs_gpu.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines),
                                             encoding="utf-8", newline="\n")
    return folder
