"""Synthetic records of operations other than today's gemm, in the format of
docs/record_format.md: their numbers are invented, and follow
from a roof, so that the tests know what tables and figures have to say of them."""

from __future__ import annotations

import hashlib
import json
import tomllib
from itertools import product
from math import prod
from pathlib import Path
from statistics import median

from make_data import UNTIMED, WORKSTATION, listed, noise, run_line, statistics_of

ROOF = {"cpu": 80.0, "gpu": 3900.0}  # GB/s
OPERATIONS = {
    "dot": (("n",), (("gbyte_per_s", "GB/s"), ("gflop_per_s", "GFLOP/s"))),
    "axpy": (("n",), (("gbyte_per_s", "GB/s"), ("gflop_per_s", "GFLOP/s"))),
    "triad": (("n",), (("gbyte_per_s", "GB/s"), ("gflop_per_s", "GFLOP/s"))),
    "gemv": (("m", "n"), (("gbyte_per_s", "GB/s"), ("gflop_per_s", "GFLOP/s"))),
    "spmv": (("m", "n", "nnz"), (("gflop_per_s", "GFLOP/s"), ("gbyte_per_s", "GB/s"))),
    "gemm": (("m", "n", "k"), (("gflop_per_s", "GFLOP/s"),)),
    "chase": (("bytes",), (("ns_per_load", "ns"),)),
    "access": (("n",), (("gbyte_per_s", "GB/s"),)),
    "lanes": (("warps", "loads"), (("gbyte_per_s", "GB/s"), ("gload_per_s", "1e9 loads/s"))),
    "chain": (("steps",), (("ns_per_step", "ns"),)),
    "barrier": (("threads",), (("ns_per_barrier", "ns"),)),
}
INVERSE = ("ns_per_load", "ns_per_step", "ns_per_barrier")
SAMPLES = 9


def block_of(name: str) -> dict:
    """What the run line says of an operation."""
    dims, rates = OPERATIONS[name]
    return {"name": name, "title": name,
            "dimensions": [{"name": dim, "summary": f"the {dim}"} for dim in dims],
            "options": [{"name": option, "summary": option, "default": 1}
                        for option in ("stride", "degree") if name in ("access", "lanes")],
            "rates": [{"name": rate, "unit": unit} | ({"inverse": True} if rate in INVERSE else {})
                      for rate, unit in rates]}


def run_of(experiment: str, definition: dict, *operations: str, gpu: bool = True) -> dict:
    run = run_line("workstation", WORKSTATION, gpu, experiment, definition, f"o-{experiment}",
                   "2026-11-22T10:00:00Z")
    return run | {"operations": [block_of(name) for name in operations]}


def point(run: dict, operation: str, implementation: str, dims: dict, seconds: float, amounts: dict,
          *, group: str = "", options: dict | None = None, parameters: dict | None = None,
          label: str = "", library: bool = False, share: float | None = None,
          samples: int = SAMPLES, **more: object) -> dict:
    """A case line whose calls take about `seconds`; `amounts`: of each rate what one call gets
    done, in the rate's unit."""
    key = [operation, implementation, dims, options or {}, parameters or {}, label, group]
    values = [float(f"{seconds * (1 + 0.01 * noise(*map(str, key), turn)):.6g}")
              for turn in range(samples)]
    known = {name: value for name, value in statistics_of(values, (1, 1, 1)).items()
             if name != "gflop_per_s"}
    middle = median(values)
    rates = {name: middle / amount if name in INVERSE else amount / middle
             for name, amount in amounts.items()}
    return {"kind": "case", "run_id": run[
        "run_id"], "case_id": hashlib.sha256(json.dumps(key).encode()).hexdigest()[:16],
        "experiment": run["experiment"], "operation": operation, "implementation": implementation,
        "device": implementation[:3], "family": None, "variant_of": None, "reference": library,
        "parameters": parameters or {}, "label": label or implementation, "dims": dims,
        "options": options or {}, "scope": "kernel", "cache": "cold", "timing": "launch",
        "distribution": "uniform", "seed": 1, "group": group or operation, "precision": "fp32",
        "status": "ok", "reason": None, "samples_s": values, "rounds": list(range(samples)),
        **known, "rates": rates, "of_ceiling": share, "bound_by": "memory" if share else None,
        "stop_reason": "precision", "verify": [{"method": "bound", "eta_max": 1.5, "residual": 0,
                                                "worst": {"row": 0, "col": 0}, "verdict": "ok"}],
        "threads_actual": 0, "chosen": {}, "resources": {}, "phases_s": {}, "warnings": []} | more


def skipped(line: dict, reason: str) -> dict:
    """The same point without a number."""
    untimed = {name: value for name, value in UNTIMED.items() if name != "gflop_per_s"}
    return line | untimed | {"status": "skipped", "reason": reason, "samples_s": [],
                             "rounds": [], "verify": [], "of_ceiling": None,
                             "rates": dict.fromkeys(line["rates"])}


# implementation without its operation -> (share of the roof, a library?)
ROWS = {"cpu.{}": (0.2, False), "cpu.{}_openmp": (0.9, False), "cpu.{}_simd": (0.95, False),
        "cpu.openblas_{}": (0.85, True), "gpu.{}": (0.7, False), "gpu.{}_tuned": (0.93, False),
        "gpu.cublas_{}": (0.91, True)}


def vectors(run: dict, operation: str, streams: int, flop: int) -> list[dict]:
    """`streams` vectors moved, `flop` operations per element."""
    lines = []
    for n in (2**16, 2**20, 2**26):
        for pattern, (share, library) in ROWS.items():
            implementation = pattern.format(operation)
            if operation == "triad" and library:
                continue
            roof, moved = ROOF[implementation[:3]], streams * 4e-9 * n
            reached = share * n / (n + 2e5)
            lines.append(point(run, operation, implementation, {"n": n}, moved / (reached * roof), {
                "gbyte_per_s": moved, "gflop_per_s": flop * 1e-9 * n},
                library=library, share=reached, label=implementation[4:].replace("_", ", ")))
    return lines


def blas1() -> list[dict]:
    definition = {"name": "blas1", "title": "Vectors",
                  "question": "How near does each come to the memory's roof?", "source": "",
                  "tables": [{"kind": "rates"}, {"kind": "time"}, {"kind": "block_size"}],
                  "figures": [{"kind": "rate_vs_size", "group": name}
                              for name in ("dot", "axpy", "triad")] + [{"kind": "ladder_bars"}]}
    run = run_of("blas1", definition, "dot", "axpy", "triad")
    return [run, *vectors(run, "dot", 2, 2), *vectors(run, "axpy", 3, 2),
            *vectors(run, "triad", 3, 2)]


def gemv() -> list[dict]:
    definition = {"name": "gemv", "title": "Matrix times vector", "question": "Does it reach the "
                  "memory's roof?", "source": "", "tables": [{"kind": "rates"}],
                  "figures": [{"kind": "rate_vs_size"}, {"kind": "ratio_to_library"}]}
    run, lines = run_of("gemv", definition, "gemv"), []
    for m, n, options in ((1024, 1024, {}), (16384, 16384, {}), (16384, 16384, {"transpose_a": 1}),
                          (65536, 512, {})):
        for pattern, (share, library) in ROWS.items():
            implementation, moved = pattern.format("gemv"), 4e-9 * (m * n + m + n)
            reached = share * m * n / (m * n + 1e6)
            lines.append(point(run, "gemv", implementation, {"m": m, "n": n},
                               moved / (reached * ROOF[implementation[:3]]),
                               {"gbyte_per_s": moved, "gflop_per_s": 2e-9 * m * n}, options=options,
                               library=library, share=reached))
    return [run, *lines]


SPARSE = {"cpu.spmv": (0.15, False), "cpu.eigen_spmv": (0.6, True), "gpu.spmv_warp": (0.7, False),
          "gpu.spmv_merge": (0.8, False), "gpu.cusparse_spmv": (0.75, True)}


def spmv() -> list[dict]:
    definition = {"name": "spmv", "title": "Sparse matrix times vector",
                  "question": "At which density does sparse beat dense?", "source": "",
                  "tables": [{"kind": "rates", "group": "patterns"}, {"kind": "density"}],
                  "figures": [{"kind": "rate_vs_size", "group": "densities"}, {"kind": "density"}]}
    run, lines, rows = run_of("spmv", definition, "spmv", "gemv"), [], 8192
    for group, shapes in (("patterns",
                           [(rows, {} if pattern == "uniform" else {"pattern": pattern}, 16 * rows)
                            for pattern in ("uniform", "banded", "power-law")]),
                          ("densities", [(rows, {}, int(rows * rows * density))
                                         for density in (0.001, 0.01, 0.1, 0.3, 0.9)])):
        for size, options, nnz in shapes:
            for implementation, (share, library) in SPARSE.items():
                moved = 1e-9 * (8 * nnz + 12 * size)
                lines.append(point(run, "spmv", implementation, {"m": size, "n": size, "nnz": nnz},
                                   moved / (share * ROOF[implementation[:3]]),
                                   {"gflop_per_s": 2e-9 * nnz, "gbyte_per_s": moved},
                                   options=options, library=library, share=share, group=group))
    for implementation, library in (("cpu.openblas_gemv", True), ("gpu.cublas_gemv", True)):
        moved = 4e-9 * (rows * rows + 2 * rows)
        lines.append(point(run, "gemv", implementation, {"m": rows, "n": rows},
                           moved / (0.9 * ROOF[implementation[:3]]),
                           {"gbyte_per_s": moved, "gflop_per_s": 2e-9 * rows * rows},
                           library=library, share=0.9, group="dense"))
    return [run, *lines]


KIB, MIB = 1024, 1024 * 1024
# (implementation, its way, largest working set) -> (bytes up to which a level serves it, its
# latency in ns, its bandwidth in GB/s)
LEVELS = {("gpu.chase", "l1", 128 * KIB): ((128 * KIB, 18.0),),
          ("gpu.chase", "l2", 512 * MIB): ((48 * MIB, 130.0), (2**60, 480.0)),
          ("gpu.chase", "shared", 32 * KIB): ((48 * KIB, 16.0),),
          ("cpu.chase", "huge", 512 * MIB): ((32 * KIB, 1.2), (1 * MIB, 4.0),
                                             (32 * MIB, 20.0), (2**60, 95.0)),
}
STREAMS = {("gpu.access", "l2"): ((48 * MIB, 5600.0), (2**60, 3700.0)), ("cpu.access", ""): (
    (512 * KIB, 1900.0), (16 * MIB, 900.0), (32 * MIB, 400.0), (2**60, 75.0))}


def _level(levels: tuple, size: int) -> float:
    return next(value for reach, value in levels if size <= reach)


def memory() -> list[dict]:
    definition = {"name": "memory", "title": "The machine's memory",
                  "question": "What does each level cost?", "source": "",
                  "tables": [{"kind": "memory_hierarchy"}, {"kind": "sweep", "group": "strides"},
                             {"kind": "sweep", "group": "conflicts"}],
                  "figures": [{"kind": "memory_hierarchy"}, {"kind": "sweep", "group": "strides"},
                              {"kind": "sweep", "group": "conflicts"},
                              {"kind": "sweep", "group": "occupancy"}]}
    run = run_of("memory", definition, "chase", "access", "lanes", "chain", "barrier")
    run |= {"host": run["host"] | {"caches": {"l1d": 32 * KIB, "l2": 1 * MIB, "l3": 32 * MIB}},
            "gpus": [run["gpus"][0] | {"l2": 50 * MIB, "sm_count": 132}]}
    lines, loads = [], 131071
    for (implementation, way, most), levels in LEVELS.items():
        size = 4 * KIB
        while size <= most:
            name, told = (("pages", {}) if implementation[:3] == "cpu"
                          else ("path", {"cycles_per_load": 1.7 * _level(levels, size)}))
            lines.append(point(run, "chase", implementation, {"bytes": size},
                               loads * 1e-9 * _level(levels, size), {"ns_per_load": loads * 1e-9},
                               parameters={name: way}, label=f"{implementation}, {way}",
                               chosen=told, cache="warm"))
            size *= 2
    for (implementation, way), levels in STREAMS.items():
        for power in range(16, 30):
            parameters = {"width": 16, "path": way} if way else {"width": 64, "threads": 16}
            lines.append(point(run, "access", implementation, {"n": 2**power // 4},
                               1.0737 / _level(levels, 2**power), {"gbyte_per_s": 1.0737},
                               parameters=parameters, options={"passes": "many"},
                               label=implementation, group="bandwidth", cache="warm"))
    for stride in (1, 2, 4, 8, 16, 32):
        for implementation in ("gpu.access", "cpu.access"):
            lines.append(point(run, "access", implementation, {"n": 2**26},
                               0.268 / ROOF[implementation[:3]] * min(stride, 8),
                               {"gbyte_per_s": 0.268}, parameters={"width": 4},
                               options={"stride": stride} if stride > 1 else {},
                               label=implementation, group="strides", cache="warm"))
    for degree in (1, 2, 4, 8, 16, 32):
        lines.append(
            point(run, "lanes", "gpu.lanes", {"warps": 4096, "loads": 1024}, 2e-5 * degree,
                  {"gbyte_per_s": 0.537, "gload_per_s": 4.2e-3}, parameters={"path": "shared"},
                  options={"pattern": "conflict"} | ({"degree": degree} if degree > 1 else {}),
                  group="conflicts", cache="warm"))
    for blocks in (1, 2, 4, 8):
        for implementation in ("gpu.access", "gpu.access_spilling"):
            lines.append(point(run, "access", implementation, {"n": 2**26}, 1e-4 * (1 + 2 / blocks),
                               {"gbyte_per_s": 0.268}, parameters={"blocks_per_sm": blocks},
                               group="occupancy", cache="warm", resources={"occupancy": blocks / 8},
                               variant_of=None))
    for implementation, seconds in (("cpu.chain", 1.3e-3), ("gpu.chain", 2.5e-3)):
        lines.append(point(run, "chain", implementation, {"steps": 10**6},
                           seconds, {"ns_per_step": 1e-3}, cache="warm",
                           chosen={"cycles_per_step": 4.2} if implementation[:3] == "gpu" else {}))
    return [run, *lines]


def gemm_forms() -> list[dict]:
    definition = {"name": "gemm_forms", "title": "C = α·op(A)·op(B) + β·C",
                  "question": "Does a transpose cost?", "source": "",
                  "tables": [{"kind": "rates"}, {"kind": "gflops"}],
                  "figures": [{"kind": "ratio_to_library"}]}
    run, lines, n = run_of("gemm_forms", definition, "gemm"), [], 2048
    for options in ({}, {"transpose_a": "t"}, {"transpose_b": "t"}, {"alpha": 2.0, "beta": 0.5}):
        for implementation, rate, library in (
                ("cpu.packed", 900.0, False), ("cpu.openblas", 1000.0, True),
                ("gpu.pipelined", 52000.0, False), ("gpu.cublas", 50000.0, True)):
            work = 2e-9 * n**3
            lines.append(point(run, "gemm", implementation, {"m": n, "n": n, "k": n}, work / rate,
                               {"gflop_per_s": work}, options=options, library=library,
                               share=0.8, group="cpu" if implementation[:3] == "cpu" else "gpu",
                               bound_by="compute"))
    return [run, *lines]


RESERVED = {"name", "operation", "run", "combine", "size", "scope", "cache", "distribution",
            "host_memory", "allocation", "twins"}


def _values(given: object) -> list:
    """What a definition's key says, written out."""
    found: list = []
    for one in listed(given):
        if isinstance(one, dict):
            value = one["from"]
            while value <= one["to"]:
                found.append(value)
                value = max(int(value * one.get("factor", 2)), value + 1)
        else:
            found += ({"cores": [16], "all": [1, 2, 4, 8, 16]}.get(one, [one])
                      if isinstance(one, str) else [one])
    return found


def of_definition(path: Path) -> list[dict]:
    """Invented records of a committed definition, so that its chapter can be built before anybody
    measured it: every group, label, dimension and option of it; each value of one beside the first
    values of the others."""
    definition = tomllib.loads(path.read_text(encoding="utf-8")) | {"name": path.stem}
    groups = [group | {"operation": group.get("operation", definition.get("operation", "gemm"))}
              for group in definition["group"]]
    run = run_of(path.stem, {key: definition[key] for key in ("name", "title", "question",
                                                              "source", "table", "figure") if key
                             in definition}, *dict.fromkeys(group["operation"] for group in groups))
    run["ceilings"] = [entry | {"how": ""} for entry in run["ceilings"]]
    run["definition"] |= {"tables": run["definition"].pop("table", []),
                          "figures": run["definition"].pop("figure", [])}
    lines = []
    for group in groups:
        dims, rates = OPERATIONS[group["operation"]]
        given = {key: _values(value) for key, value in group.items() if key not in RESERVED}
        for name in dims:
            given.setdefault(name, _values(group.get("size", 1024)))
        for place in range(max(map(len, given.values()))):
            at = {name: values[min(place, len(values) - 1)] for name, values in given.items()}
            extent = {name: max(int(at[name]), 1) for name in dims}
            for entry in group["run"]:
                keys = [key for key in entry if key not in ("implementation", "label", "precision")]
                for implementation, *chosen in product(listed(entry["implementation"]),
                                                       *(_values(entry[key]) for key in keys)):
                    parameters = dict(zip(keys, chosen))
                    lines.append(point(
                        run, group["operation"], implementation, extent, 1e-3 * (place + 1),
                        {name: 2e-9 * prod(extent.values()) if group["operation"] == "gemm" else 1.0
                         for name, _ in rates}, group=group["name"], parameters=parameters,
                        options={key: value for key, value in at.items() if key not in dims},
                        label=entry.get("label", implementation).format(**parameters), share=0.5))
    return [run, *lines]


EXPERIMENTS = {"blas1": blas1, "gemv": gemv, "spmv": spmv, "memory": memory,
               "gemm_forms": gemm_forms}


def write(folder: Path, *names: str) -> Path:
    """The records of these experiments, or of all, in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or EXPERIMENTS:
        lines = EXPERIMENTS[name]()
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line, ensure_ascii=False) + "\n"
                                                      for line in lines), encoding="utf-8")
    return folder
