"""What `gemmlab report` costs on 100,000 records of 20 samples, without its PDF: `python
tests/benchmarks/report_cost.py`.

Writes such records into a temporary folder, builds their report in a process of its own, and prints
wall time and peak memory. Exits 1 over 20 s or 1 GiB. Not run by ctest: it says as much of the
machine as of the program.

Log, on two cores of an AMD EPYC with nothing else running. The bar of 20 s is missed: 26.2 s (24.1
to 27.7, five runs), 39 to 45 s of processor, 901 MiB; before the second round of attempts 36.7 s,
55 s of processor, 886 MiB. On average 1.6 cores are busy all that time, so most of what is left is
work, not waiting: ten figures in three formats take half of it (axes and ticks, not lines), tables
a fifth, reading a tenth (46 µs per record), the explorer and packing CSV a tenth.
- Ratios, regimes and whether a point is shown formed once: a quarter fewer calls, the largest gain.
- Titles of panels without a search for ticks: 8 % of a figure's calls; no search for garbage in the
  processes that draw, and 32 sizes in place of 64 in a figure: 9 % of a figure's time; none gained
  in the process that makes tables.
- The explorer's library packed while records are read: 2 s moved to the idle core.
- The explorer made beside the figures: 4 s less, but 1,041 to 1,058 MiB, over the bar; taken back.
- Of over 20,000 points figures drawn as SVG alone, and kinds of table and figure looked up once and
  not for each of 28 questions per record: 37.4 and 40.8 s of processor and 56 s in place of 70.1
  and 73.3 s and 88 to 116 s, alternately on two cores that others kept busy (load 7 to 9). On quiet
  cores of another processor (Xeon, 2026-11-27): 29.9, 29.9 and 28.1 s, 35 to 38 s of processor, 893
  to 924 MiB. One process makes tables, findings and the explorer all that time, at most a fourth of
  the work is beside it, so the bar of 20 s needs that process's work halved, or its experiments
  made side by side.
- Not tried: decoding records straight into cases; a lower level of packing, which changes the bytes
  of every page.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST_WALL_S = 20.0
MOST_BYTES = 2**30
LABELS = 40
SAMPLES = 20


def run_line(experiment: str) -> dict:
    baseline = {"implementation": "cpu.openmp", "threads": 1}
    definition = {
        "name": experiment, "title": f"Cost {experiment}", "question": "", "source": "",
        "lines": [f"line {index}" for index in range(LABELS)], "left_out": [],
        "tables": [{"kind": "time"}, {"kind": "gflops"}, {"kind": "speedup", "baseline": baseline}],
        "figures": [{"kind": "gflops_vs_size"}, {"kind": "speedup_bars", "baseline": baseline}]}
    return {"kind": "run", "schema": 1, "run_id": f"run-{experiment}",
            "started_utc": "2026-11-21T10:00:00Z", "experiment": experiment,
            "machine": "bench", "arguments": ["run", experiment], "definition": definition,
            "program": {"version": "0.1.0", "commit": "0", "dirty": False},
            "build": {"compiler": "GNU"}, "host": {"cpu": "A CPU", "cores": 16},
            "environment": {}, "gpus": [], "ceilings": [
                {"device": "cpu", "what": "fma", "level": "avx2", "threads": 16, "value": 1000.0,
                 "unit": "GFLOP/s", "how": "loop", "trusted": True}], "costs": []}


def case_line(experiment: str, index: int, size: int, number: int,
              random_of: random.Random) -> dict:
    """A record with every field that the runner writes; the times scatter by 2 %."""
    seconds = 2e-9 * size**3 / (10 + index)
    samples = [float(f"{seconds * random_of.gauss(1, 0.02):.9g}") for _ in range(SAMPLES)]
    ordered = sorted(samples)
    middle = (ordered[9] + ordered[10]) / 2
    return {"kind": "case", "run_id": f"run-{experiment}", "case_id": f"{number:016x}",
            "experiment": experiment, "implementation": "cpu.openmp",
            "parameters": {"isa": "avx2", "threads": index + 1},
            "label": f"line {index}", "m": size, "n": size,
            "k": size, "scope": "kernel", "cache": "cold",
            "timing": "launch", "distribution": "uniform", "seed": 1, "group": "sweep",
            "status": "ok", "reason": None, "precision": "fp32", "samples_s": samples,
            "rounds": list(range(SAMPLES)), "sample_count": SAMPLES, "calls_per_sample": 1,
            "input_sets": 3, "median_s": middle, "ci95_s": [ordered[5], ordered[14]],
            "min_s": ordered[0], "gflop_per_s": 2e-9 * size**3 / middle, "of_ceiling": 0.7,
            "bound_by": "compute", "stop_reason": "precision", "verify": [
                {"method": method, "eta_max": 1.5, "residual": None, "worst": {"row": 0, "col": 0},
                 "verdict": "ok"} for method in ("exact", "bound", "inputs-unchanged")],
            "threads_actual": index + 1, "chosen": {"tile": "8x8"},
            "resources": {}, "host_memory": None, "allocation": None,
            "module_loading": None, "replica": 0, "handicap": 0.0, "twin_of": None,
            "least_bytes": 12 * size**2, "moved_bytes": 24 * size**2,
            "cores": list(range(index % 16 + 1)),
            "pinned": True, "run_queue_delay_s": 1e-6, "steal_s": 0.0, "denormals": "kept",
            "clock_mhz": None, "clock_low_mhz": None, "temperature_c": None,
            "power_w": None, "throttled": None, "throttle_reasons": [], "remeasured": False,
            "phases_s": {"prepare": 0.1, "pilot": 0.1, "verify": 0.1, "warm_up": 0.1,
                         "settle": 0.1, "timed": SAMPLES * middle}, "warnings": []}


def write_records(folder: Path, records: int, experiments: int) -> None:
    """`records` case lines in all, and for one point a size and experiment its A/A twin besides."""
    for part in range(experiments):
        name, random_of = f"cost{part}", random.Random(part)
        with (folder / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            file.write(json.dumps(run_line(name)) + "\n")
            for number in range(records // experiments):
                index, size = number % LABELS, 64 + number // LABELS
                line = case_line(name, index, size, number, random_of)
                file.write(json.dumps(line, separators=(",", ":")) + "\n")
                if index == 0:
                    twin = case_line(name, index, size, number, random_of) | {
                        "case_id": f"twin{number:012x}", "twin_of": line["case_id"],
                        "label": f"line {index} (again)"}
                    file.write(json.dumps(twin, separators=(",", ":")) + "\n")


def _resident(process: int) -> int:
    """Bytes of the process and of all that it started; what they share counts once (PSS)."""
    try:
        rollup = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
        children = Path(f"/proc/{process}/task/{process}/children").read_text(
            encoding="ascii").split()
    except OSError:  # it has just ended
        return 0
    own = next(
        (int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:")), 0)
    return own + sum(_resident(int(child)) for child in children)


def watched(process: subprocess.Popen) -> int:
    """Waits for the process; the most memory seen, of all its processes together, five times a
    second."""
    peak = 0
    while process.poll() is None:
        peak = max(peak, _resident(process.pid))
        time.sleep(0.2)
    return peak


def main() -> int:
    """0 within both bars, 1 over one of them or when the report cannot be built."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=100_000,
                        help="how many cases (default 100000)")
    parser.add_argument("--experiments", type=int, default=5,
                        help="spread over how many experiments (default 5)")
    options = parser.parse_args()
    if options.experiments < 1 or options.records < LABELS * options.experiments:
        parser.error(f"--records must be at least {LABELS} for each of --experiments")
    with tempfile.TemporaryDirectory() as folder:
        write_records(Path(folder), options.records, options.experiments)
        megabytes = sum(path.stat().st_size for path in Path(folder).glob("*.jsonl")) / 1e6
        begin = time.perf_counter()
        process = subprocess.Popen([sys.executable, "-m", "report", "build", folder, "--no-pdf"],
                                   cwd=ROOT, stdout=subprocess.DEVNULL)
        peak = watched(process)
        wall_s = time.perf_counter() - begin
        written = (Path(folder) / "report" / "report.html").is_file()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{options.records:,} records of {SAMPLES} samples ({megabytes:.0f} MB) in "
          f"{options.experiments} experiments: {wall_s:.1f} s (bar {MOST_WALL_S:.0f} s; "
          f"{used.ru_utime + used.ru_stime:.1f} s of processor), {peak / 2**20:.0f} MiB (bar "
          f"{MOST_BYTES / 2**20:.0f} MiB)")
    return (0 if process.returncode == 0 and written and wall_s < MOST_WALL_S
            and peak < MOST_BYTES else 1)


if __name__ == "__main__":
    sys.exit(main())
