"""Records of a machine and an experiment with nothing wrong in them, and ways to plant what a
doctor must find."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

from make_data import case_line, run_line, timed

from records.loading import Results, load
from report.doctor import Finding, findings

Lines = list[dict[str, Any]]
HOST = {"cpu": "Intel Xeon", "architecture": "x86_64",
        "cores": 16, "isa": ["baseline", "avx2", "avx512"],
        "governor": "performance", "memory": 1 << 37}
DEFINITION = {"name": "sweep", "title": "A sweep", "tables": [], "figures": []}
SHAPES = ((1023,) * 3, (1024,) * 3, (1025,) * 3, (768, 512, 256), (1000, 500, 301))
POINTS = (("cpu.serial", {"isa": "avx512"}, 0.5),
          ("cpu.openmp", {"isa": "avx512", "threads": 1}, 0.5),
          ("cpu.openmp", {"isa": "avx512", "threads": 8}, 3.8),
          ("cpu.openmp", {"isa": "avx512", "threads": 16}, 7.1),
          ("gpu.tiled", {"block": 16}, 9000.0), ("gpu.register_tiled", {"tile": "8x8"}, 36000.0))


def label_of(implementation: str, parameters: dict[str, Any]) -> str:
    return ", ".join([implementation[4:],
                      *(f"{name} {value}" for name, value in parameters.items())])


def healthy_run() -> dict[str, Any]:
    run = run_line("xeon-h200", deepcopy(HOST), True, "sweep", DEFINITION, "r1",
                   "2026-11-20T10:00:00Z")
    run["build"] |= {"flags": "Release: -O3 -DNDEBUG", "sanitize": ""}
    run["gpus"] = [run["gpus"][0] | {"clocks": {"sm_mhz": 1980, "memory_mhz": 3201}}]
    run["ceilings"] = [entry | {"trusted": True} for entry in run["ceilings"]]
    return run


def healthy_case(run: dict[str, Any], implementation: str, parameters: dict[str, Any],
                 shape: tuple[int, int, int], rate: float, **more: Any) -> dict[str, Any]:
    """A verified point that reaches `rate` GFLOP/s, with all that a present-day record says of
    it."""
    gpu = implementation.startswith("gpu.")
    threads = parameters.get("threads", 1)
    facts = {"of_ceiling": 0.5, "bound_by": "compute", "throttled": False, "clock_mhz": 1965.0,
             "resources": {"registers": 96, "spill_bytes": 0}, "threads_actual": None} if gpu else {
                 "of_ceiling": 0.4, "bound_by": "memory", "cores": list(range(threads)),
                 "pinned": True, "run_queue_delay_s": 0.0, "steal_s": 0.0,
                 "threads_actual": threads}
    return case_line(run, "squares", implementation, parameters,
                     label_of(implementation, parameters), shape, rate, **(facts | more))


def healthy_cases(run: dict[str, Any]) -> Lines:
    return [healthy_case(run, implementation, parameters, shape, rate)
            for shape in SHAPES for implementation, parameters, rate in POINTS]


def twin_of(case: dict[str, Any], slower: float) -> dict[str, Any]:
    """The A/A twin of a case, by so much slower in every round."""
    slow = timed(case, [sample * slower for sample in case["samples_s"]])
    return slow | {"case_id": f"{case['case_id']}-twin", "twin_of": case["case_id"],
                   "label": f"{case['label']} (again)", "replica": 1}


def results_of(folder: Path, *lines: dict[str, Any]) -> Results:
    path = folder / "sweep.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return load(folder, [path])


def diagnosed(folder: Path, plant: Callable[[dict[str, Any], Lines], Any]) -> list[Finding]:
    """The findings in healthy records after `plant(run, cases)` has changed them; a list that it
    returns stands in for the cases."""
    run = healthy_run()
    cases = healthy_cases(run)
    changed = plant(run, cases)
    return findings(results_of(folder, run, *(changed if isinstance(changed, list) else cases)))


def of(cases: Lines, implementation: str, **wanted: Any) -> Lines:
    """The cases of an implementation with these fields or parameters."""
    return [case for case in cases if case["implementation"] == implementation and all(
        case["parameters"].get(name, case.get(name)) == value for name, value in wanted.items())]


def change(cases: Lines, **fields: Any) -> None:
    for case in cases:
        case |= fields


def times(cases: Lines, factor: float) -> None:
    """Makes cases so many times slower."""
    for case in cases:
        case |= timed(case, [sample * factor for sample in case["samples_s"]])
