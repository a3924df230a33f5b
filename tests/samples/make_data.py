"""Writes the sample records of tests/samples/data: `python tests/samples/make_data.py`. The same
bytes every time.

workstation: a CPU and a GPU, with one skipped, one incorrect, one crashed point, a record that is
overtaken by a later one, and a torn line. laptop: the same sweep without a GPU. workstation2: a
second run that is 10 % faster. bench: see make_evidence.py.
"""

from __future__ import annotations

import hashlib
import json
from math import comb
from pathlib import Path
from statistics import median

DATA = Path(__file__).parent / "data"
SAMPLES = 11
WORKSTATION = {"cpu": "Intel Xeon Platinum 8480+", "cores": 16, "memory": 137438953472}
LAPTOP = {"cpu": "AMD Ryzen 7 5800U", "cores": 8, "memory": 16821870592}
GPU = {"name": "NVIDIA H200", "uuid": "GPU-0", "compute_capability": "9.0", "driver": "580.65.06",
       "runtime": "13.0"}
GPU_RATES = {"gpu.naive": 5200, "gpu.tiled": 9000, "gpu.register_tiled": 34000, "gpu.cublas": 49000}


def noise(*key: object) -> float:
    """In [0, 1), from the key alone."""
    return int(hashlib.sha256(repr(key).encode()).hexdigest()[:8], 16) / 2**32


def listed(value: object) -> list:
    """What a key of a definition names, one or a list."""
    return value if isinstance(value, list) else [value]


def run_line(machine: str, host: dict, gpu: bool, experiment: str, definition: dict, run_id: str,
             started: str) -> dict:
    ceilings = [{"device": "cpu", "what": "fma", "level": "avx2", "threads": 1,
                 "value": 60.0, "unit": "GFLOP/s", "how": "FMA loop"},
                {"device": "cpu", "what": "fma", "level": "avx2", "threads": host["cores"],
                 "value": 60.0 * host["cores"], "unit": "GFLOP/s", "how": "FMA loop"},
                {"device": "cpu", "what": "memory_read", "level": "dram", "threads": host["cores"],
                 "value": 80.0, "unit": "GB/s", "how": "sum of a long vector"}]
    if gpu:
        ceilings.append({"device": "gpu", "what": "fma", "level": "",
                         "threads": 0, "value": 60100.0,
                         "unit": "GFLOP/s", "how": "FFMA loop"})
    return {"kind": "run", "schema": 1, "run_id": run_id,
            "started_utc": started, "arguments": ["run", experiment],
            "definition_sha256": hashlib.sha256(json.dumps(definition).encode()).hexdigest(),
            "experiment": experiment, "machine": machine,
            "definition": definition, "program": {"version": "0.1.0", "commit": "0123456789ab",
                                                  "dirty": False, "source_sha256": "00"},
            "build": {"compiler": "GNU 12.2.0", "flags": "-O3", "nvcc": "13.0" if gpu else ""},
            "host": host, "environment": {}, "gpus": [GPU] if gpu else [], "ceilings": ceilings}


def statistics_of(samples: list[float], shape: tuple[int, int, int]) -> dict:
    """What a record says of its samples, as docs/record_format.md has it."""
    ordered, count = sorted(samples), len(samples)
    inside = [rank for rank in range(count // 2)
              if sum(comb(count, one) for one in range(rank + 1)) * 40 <= 2**count]
    middle = median(samples)
    return {"sample_count": count, "median_s": middle, "min_s": ordered[0],
            "ci95_s": [ordered[inside[-1]], ordered[-1 - inside[-1]]] if inside else None,
            "gflop_per_s": 2.0 * shape[0] * shape[1] * shape[2] / middle / 1e9}


UNTIMED = {"sample_count": 0, "median_s": None, "ci95_s": None, "min_s": None, "gflop_per_s": None}


def timed(line: dict, samples: list[float]) -> dict:
    """The line with these samples and all that follows from them."""
    return line | {"samples_s": samples, "rounds": list(range(len(samples)))} | (
        statistics_of(samples, (line["m"], line["n"], line["k"])) if samples else UNTIMED)


def case_line(run: dict, group: str, implementation: str, parameters: dict, label: str,
              shape: tuple, rate: float, status: str = "ok", reason: str = "", verdict: str = "ok",
              samples: int = SAMPLES, **more: object) -> dict:
    m, n, k = shape
    # the label too: these samples need no runner's identity
    point = [implementation, parameters, label, shape]
    work = 2.0 * m * n * k
    measured = status in ("ok", "incorrect", "reduced-precision")
    drift = [1 + 0.02 * noise(run["run_id"], group, shape, turn) for turn in range(samples)]
    values = [float(f"{work / (rate * 1e9) * drift[turn] * (1 + 0.01 * noise(*point, turn)):.6g}")
              for turn in range(samples)] if measured else []
    line = {
        "kind": "case", "run_id": run["run_id"],
        "case_id": hashlib.sha256(json.dumps(point, sort_keys=True).encode()).hexdigest()[:16],
        "experiment": run["experiment"], "implementation": implementation, "parameters": parameters,
        "label": label, "m": m, "n": n, "k": k, "scope": "kernel",
        "cache": "cold", "timing": "launch", "distribution": "uniform",
        "seed": 1, "group": group, "status": status, "reason": reason,
        "precision": "fp32", "samples_s": [], "rounds": [], **UNTIMED,
        "of_ceiling": None, "bound_by": None, "stop_reason": "precision" if values else "",
        "verify": [{"method": "bound", "eta_max": 1.5, "residual": 0, "worst": {"row": 0, "col": 0},
                    "verdict": verdict}] if measured else [],
        "threads_actual": parameters.get("threads", 0), "chosen": {}, "resources": {},
        "phases_s": {}, "warnings": []}
    return (timed(line, values) if values else line) | more


def sweep(run: dict, gpu: bool, faster: float = 1.0) -> list[dict]:
    """CPU and GPU over three sizes and one rectangle."""
    lines = []
    for size in ((256, 256, 256), (512, 512, 512), (1024, 1024, 1024), (768, 512, 256)):
        work = size[0] * size[1] * size[2]
        ramp = work / (work + 2e7)
        for threads, rate in ((1, 1.9), (8, 14.0), (16, 24.0)):
            skipped = threads == 1 and size[0] == 1024
            lines.append(case_line(run, "sweep", "cpu.openmp", {"isa": "avx2", "threads": threads},
                                   f"OpenMP, {threads} threads", size, rate * faster,
                                   *(("skipped", "predicted 43 s, above the limit of 20 s")
                                     if skipped else ())))
        lines.append(case_line(run, "sweep", "cpu.openblas", {"threads": 16}, "OpenBLAS", size,
                               44 * run["host"]["cores"] * ramp * faster))
        for name, rate in GPU_RATES.items():
            if name == "gpu.register_tiled":
                continue
            for block in ((4, 8, 16, 32) if name == "gpu.tiled" else (0,)):
                parameters = {"block": block} if block else {}
                label = f"{name[4:]}, block {block}" if block else name[4:]
                speed = rate * ramp * ((block or 32) / 32) ** 0.8
                bad: tuple = ()
                if not gpu:
                    bad = ("unsupported", "no CUDA device")
                elif block == 8 and size[0] == 512:
                    bad = ("incorrect", "eta 812 at (3, 5)", "incorrect")
                elif name == "gpu.naive" and size[0] == 768:
                    bad = ("crashed", "signal 11 (SIGSEGV)")
                lines.append(case_line(run, "sweep", name, parameters, label, size, speed, *bad))
    return lines


def threads(run: dict, cores: int) -> list[dict]:
    lines = []
    for size in (512, 1024):
        for count in (1, 2, 4, 8, cores, 2 * cores):
            for name, rate, share in (("cpu.openmp", 1.9, 0.03), ("cpu.openblas", 55.0, 0.08)):
                used = min(count, cores)
                lines.append(case_line(run, "threads", name, {"threads": count},
                                       f"{name[4:]}, {count} threads", (size,) * 3,
                                       rate * used / (1 + share * (used - 1))))
    return lines


def ladder(run: dict) -> list[dict]:
    lines = []
    steps = [("gpu.naive_uncoalesced", {}, 700), ("gpu.naive", {}, 5200),
             ("gpu.tiled", {"block": 16}, 7000), ("gpu.tiled", {"block": 32}, 9000),
             ("gpu.tiled_rolled", {"block": 32}, 8980), ("gpu.tiled_padded", {"block": 32}, 8990),
             ("gpu.tiled_conflicting", {"block": 32}, 3100),
             ("gpu.register_tiled", {"tile": "4x4"}, 24000),
             ("gpu.register_tiled", {"tile": "8x8"}, 36000), ("gpu.cublas", {}, 49000),
             ("gpu.cublaslt", {}, 49200)]
    for shape in ((1024,) * 3, (2048,) * 3, (8192, 6144, 4096)):
        ramp = shape[0] / (shape[0] + 200)
        for name, parameters, rate in steps:
            extra = "".join(f", {key} {value}" for key, value in parameters.items())
            lines.append(case_line(run, "ladder", name, parameters, f"{name[4:]}{extra}",
                                   shape, rate * ramp))
        lines.append(case_line(run, "ladder", "gpu.cublas_tf32", {}, "cublas", shape, 210000 * ramp,
                               "ok", "", "reduced-precision", precision="tf32"))
    return lines


QUICK = {"name": "quick", "title": "A first look",
         "question": "What do threads, tiling and a library bring?", "source": "", "tables": [
             {"kind": "time"}, {"kind": "gflops"},
             {"kind": "speedup", "baseline": {"implementation": "cpu.openmp", "threads": 8}},
             {"kind": "block_size"}],
         "figures": [{"kind": "gflops_vs_size"}, {"kind": "time_vs_size"}, {
             "kind": "speedup_bars", "baseline": {"implementation": "cpu.openmp", "threads": 8}},
             {"kind": "block_size"}, {"kind": "block_heatmap"}]}
THREADS = {"name": "thread_scaling", "title": "Threads",
           "question": "How far do more threads help?", "source": "",
           "tables": [{"kind": "thread_scaling"}], "figures": [{"kind": "thread_scaling"}]}
LADDER = {"name": "gpu_ladder", "title": "The GPU ladder",
          "question": "What does each step of optimisation buy?", "source": "", "tables": [
              {"kind": "gflops"}, {"kind": "speedup", "baseline": {"implementation": "gpu.naive"}}],
          "figures": [{"kind": "ladder_bars"},
                      {"kind": "speedup_bars", "baseline": {"implementation": "gpu.naive"}}]}


def write(machine: str, experiment: str, lines: list[dict], torn: str = "") -> None:
    folder = DATA / machine
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines) + torn
    (folder / f"{experiment}.jsonl").write_text(text, encoding="utf-8", newline="\n")


def main() -> None:
    run = run_line("workstation", WORKSTATION, True, "quick", QUICK, "w1", "2026-11-20T10:00:00Z")
    cases = sweep(run, gpu=True)
    stale = timed(cases[0], [9.0] * SAMPLES)
    write("workstation", "quick", [run, stale, *cases], torn='{"kind":"case","run_id":"w1","case')
    run = run_line("workstation", WORKSTATION, True, "thread_scaling", THREADS, "w2",
                   "2026-11-20T11:00:00Z")
    write("workstation", "thread_scaling", [run, *threads(run, 16)])
    run = run_line("workstation", WORKSTATION, True, "gpu_ladder", LADDER, "w3",
                   "2026-11-20T12:00:00Z")
    write("workstation", "gpu_ladder", [run, *ladder(run)])
    run = run_line("workstation", WORKSTATION, True, "quick", QUICK, "w4", "2026-11-21T10:00:00Z")
    write("workstation2", "quick", [run, *sweep(run, gpu=True, faster=1.1)])
    run = run_line("laptop", LAPTOP, False, "quick", QUICK, "l1", "2026-11-21T09:00:00Z")
    write("laptop", "quick", [run, *sweep(run, gpu=False)])
    from make_evidence import main as write_evidence

    write_evidence()


if __name__ == "__main__":
    main()
