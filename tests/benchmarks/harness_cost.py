"""What the harness itself costs: `python tests/benchmarks/harness_cost.py PROGRAM [EXPERIMENT...]`.

Plans 100,000 points, then measures the experiments (default: cpu_ladder, and gpu_ladder where
PROGRAM has a GPU) into a temporary folder and reads their `cost` records. Exits 1 where planning
takes over 2 s, where over 10 % of the wall time is neither measured work nor what was asked for
besides it, or where inputs and verification take longer than the measured work. Not run by ctest:
it says as much of the machine as of the program.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MOST_PLANNING_S = 2.0
MOST_OVERHEAD = 0.10
MANY = """title = "many"
question = "what does planning cost?"
[[group]]
name = "g"
size = { from = 1, to = 12500, step = 1 }
[[group.run]]
implementation = "cpu.ikj"
threads = [1, 2, 3, 4, 5, 6, 7, 8]
"""


def planning(program: Path, folder: Path) -> bool:
    definition = folder / "many.toml"
    definition.write_text(MANY, encoding="utf-8")
    start = time.perf_counter()
    subprocess.run([program, "run", definition, "--dry-run", "--output", folder / "none"],
                   check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    print(f"planning 100,000 points: {seconds:.2f} s (at most {MOST_PLANNING_S:.0f} s)")
    return seconds <= MOST_PLANNING_S


def costs(file: Path) -> list[dict]:
    with file.open(encoding="utf-8") as lines:
        return [record for record in map(json.loads, lines) if record["kind"] == "cost"]


def overhead(program: Path, experiment: str, folder: Path) -> bool:
    subprocess.run([program, "run", experiment, "--no-report", "--output", folder], check=False,
                   stdout=subprocess.DEVNULL)
    found = costs(folder / f"{experiment}.jsonl")
    if not found:
        print(f"{experiment}: nothing was measured", file=sys.stderr)
        return False
    cost = found[-1]
    besides = cost["inputs_s"] + cost["reference_s"] + cost["verify_s"]
    print(f"{experiment}: {cost['wall_s']:.0f} s in all; measured {cost['measured_s']:.1f} s, "
          f"warm-ups and pilots {cost['warm_up_s'] + cost['pilot_s']:.1f} s, inputs, references "
          f"and verification {besides:.1f} s, overhead {100 * cost['overhead']:.1f} % (at most "
          f"{100 * MOST_OVERHEAD:.0f} %)")
    return cost["overhead"] <= MOST_OVERHEAD and besides <= cost["measured_s"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path, metavar="PROGRAM",
                        help="build/cpu/runner/gemmlab, say")
    parser.add_argument("experiments", nargs="*", metavar="EXPERIMENT")
    options = parser.parse_args()
    if not options.program.is_file():
        parser.error(f"{options.program}: there is no such program")
    experiments = options.experiments
    if not experiments:
        info = json.loads(subprocess.run([options.program, "info", "--json"], check=True,
                                         capture_output=True).stdout)
        experiments = ["cpu_ladder", *(["gpu_ladder"] if info["gpus"] else [])]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        passed = [planning(options.program, folder)]
        passed += [overhead(options.program, experiment, folder) for experiment in experiments]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
