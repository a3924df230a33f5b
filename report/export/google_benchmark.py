"""Google Benchmark's JSON, one file per experiment, so that its `compare.py benchmarks a.json
b.json` works on our records.

A kept sample is a repetition (run_type "iteration"); mean, median, standard deviation and variation
follow as aggregates. Only verified points are there. Records hold wall time alone, so cpu_time
repeats real_time.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any

from files.safe import file_name
from records.cases.case import Case
from records.cases.experiment import Experiment, Results
from records.schema.operations import rate_at

NS = 1e9
_LEVELS = {"l1d": ("Data", 1), "l2": ("Unified", 2), "l3": ("Unified", 3)}
_USUAL = {"scope": "kernel", "cache": "cold", "distribution": "uniform", "host_memory": None,
          "allocation": None, "module_loading": None, "load": None, "replica": 0, "handicap": 0.0}


def name_of(case: Case) -> str:
    """"cpu.ikj/isa:avx2/threads:2/1024x1024x1024"; what is not as usual is added, e.g.
    "/cache:warm"."""
    parts = [case.implementation,
             *(f"{name}:{value}" for name, value in sorted(case.parameters.items())),
             "x".join(map(str, case.dims.values())),
             *(f"{name}:{value}" for name, value in case.options.items()),
             *(f"{name}:{getattr(case, name)}" for name, usual in _USUAL.items()
               if getattr(case, name) != usual)]
    return "/".join(parts)


def _names(cases: list[Case]) -> list[tuple[str, Case]]:
    """A name for each; the group is added where one point was measured in several."""
    groups: dict[str, set[str]] = defaultdict(set)
    for case in cases:
        groups[name_of(case)].add(case.group)
    return [(f"{name}/group:{case.group}" if len(groups[name]) > 1 else name, case)
            for name, case in ((name_of(case), case) for case in cases)]


def _context(experiment: Experiment, machine: str, cases: list[Case]) -> dict[str, Any]:
    run = experiment.run
    host, build, gpus = run.get("host") or {}, run.get("build") or {}, run.get("gpus") or []
    clocks = [case.clock_mhz for case in cases if case.device == "cpu" and case.clock_mhz]
    caches = [{"type": _LEVELS[name][0], "level": _LEVELS[name][1], "size": size, "num_sharing": 0}
              for name, size in (host.get("caches") or {}).items() if name in _LEVELS and size]
    return {"date": str(run.get("started_utc") or "").replace("Z", "+00:00"), "host_name": machine,
            "executable": "gemmlab", "num_cpus": int(host.get("cores") or 0),
            "mhz_per_cpu": round(median(clocks)) if clocks else 0,
            "cpu_scaling_enabled": host.get("governor") not in (None, "", "unknown", "performance"),
            "caches": caches, "load_avg": [], "library_build_type": "debug"
            if str(build.get("flags")).startswith("Debug") else "release",
            "experiment": experiment.name,
            "gemmlab_version": str((run.get("program") or {}).get("version") or ""),
            "gpu": str(gpus[0].get("name")) if gpus else "",
            "note": "wall time; cpu_time repeats real_time; 0 MHz: not known"}


def _rates(case: Case, seconds: float) -> dict[str, float]:
    return {case.rate_unit: rate_at(case.rate, case.rate_unit, case.median_s, seconds)}


def _entries(family: int, name: str, case: Case) -> Iterator[dict[str, Any]]:
    samples = list(case.samples_s)
    common = {"family_index": family, "per_family_instance_index": 0, "run_name": name}
    threads = case.parameters.get("threads")
    more = {"repetitions": len(samples), "threads": threads if isinstance(threads, int) else 1}
    for index, sample in enumerate(samples):
        yield {"name": name, **common, "run_type": "iteration", **more, "repetition_index": index,
               "iterations": case.calls_per_sample, "real_time": sample * NS, "cpu_time": sample
               * NS, "time_unit": "ns", "label": case.label, **_rates(case, sample)}
    if len(samples) < 2:  # Google Benchmark, too, has no aggregates of one repetition
        return
    mean, spread = fmean(samples), stdev(samples)
    for aggregate, seconds in (("mean", mean), ("median", case.median_s), ("stddev", spread),
                               ("cv", spread / mean)):
        unit = "percentage" if aggregate == "cv" else "time"
        time = seconds if aggregate == "cv" else seconds * NS
        rates = _rates(case, seconds) if aggregate in ("mean", "median") else {}
        yield {"name": f"{name}_{aggregate}", **common, "run_type": "aggregate", **more,
               "aggregate_name": aggregate, "aggregate_unit": unit, "iterations": len(samples),
               "real_time": time, "cpu_time": time, "time_unit": "ns", "label": case.label, **rates}


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _write(experiment: Experiment, machine: str, path: Path) -> None:
    """The file of one experiment: its context, and the benchmarks of its verified points, one per
    line and one after the other, since together they may not fit in the memory."""
    cases = [case for case in experiment.cases
             if case.shown and case.samples_s and min(case.samples_s) > 0]
    between = ""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(f'{{\n "context": {_line(_context(experiment, machine, cases))},\n'
                   ' "benchmarks": [')
        for family, (name, case) in enumerate(_names(cases)):
            for entry in _entries(family, name, case):
                file.write(f"{between}\n  {_line(entry)}")
                between = ","
        file.write("\n ]\n}\n")


def write(results: Results, folder: Path) -> list[Path]:
    """Writes <experiment>.json for each experiment into `folder`; returns the paths. Raises
    OSError."""
    written = []
    for experiment in results.experiments:
        machine = str(experiment.run.get("machine") or results.folder.name)
        path = folder / f"{file_name(experiment.name)}.json"
        _write(experiment, machine, path)
        written.append(path)
    return written
