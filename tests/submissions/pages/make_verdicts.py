"""Verdicts as the judge writes them, for tests of the pages: `python
tests/submissions/pages/make_verdicts.py FOLDER` writes them all."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from submissions.verdicts.grading import Grading, grading_from

CPU_SHAPES = ((256, 256, 256), (512, 512, 512), (1024, 1024, 1024), (8192, 6144, 4096))
GPU_SHAPES = ((512, 512, 512), (1024, 1024, 1024), (4096, 4096, 4096), (8192, 6144, 4096))
# GFLOP/s at all shapes; the library comes last.
CPU_LADDER = {"cpu.serial": 1.4, "cpu.openmp": 2.7, "cpu.ikj": 21.0, "cpu.blocked": 48.0,
              "cpu.eigen": 120.0, "cpu.openblas": 160.0}
GPU_LADDER = {"gpu.naive": 5200.0, "gpu.tiled block=16": 7800.0, "gpu.tiled block=32": 9000.0,
              "gpu.register_tiled": 34000.0, "gpu.cublas": 49000.0}
CEILING = {"cpu": 220.0, "gpu": 60000.0}


def sides(shape: tuple[int, int, int]) -> dict[str, int]:
    return dict(zip("MNK", shape))


def row(shape: tuple[int, int, int], name: str, role: str, rate: float, library: float,
        device: str) -> dict[str, Any]:
    """A measured row whose interval is 2 % to either side."""
    work = 2 * shape[0] * shape[1] * shape[2] / 1e9
    median = work / rate
    return {"shape": sides(shape), "implementation": name, "role": role,
            "median_s": median, "ci95_s": [median / 1.02, median * 1.02],
            "samples": 7, "gflop_per_s": rate, "of_library": rate / library,
            "of_library_ci95": [rate / library * 0.97, rate / library * 1.03],
            "of_ceiling": rate / CEILING[device], "bound_by": "compute", "skipped": ""}


def skip(entry: dict[str, Any], why: str) -> None:
    """Turns a measured row into one that was skipped."""
    entry.update(dict.fromkeys(("median_s", "ci95_s", "gflop_per_s",
                                "of_library", "of_library_ci95", "of_ceiling")),
                 samples=0, bound_by="", skipped=why)


def performance(device: str, rate: float) -> list[dict[str, Any]]:
    ladder, shapes = (CPU_LADDER, CPU_SHAPES) if device == "cpu" else (GPU_LADDER, GPU_SHAPES)
    *rungs, library = ladder
    rows = []
    for shape in shapes:
        rows.append(row(shape, "submission", "submission", rate, ladder[library], device))
        rows += [row(shape, name, "ladder", ladder[name], ladder[library], device)
                 for name in rungs]
        rows.append(row(shape, library, "library", ladder[library], ladder[library], device))
    return rows


def places(device: str, rate: float) -> list[dict[str, Any]]:
    ladder, shapes = (CPU_LADDER, CPU_SHAPES) if device == "cpu" else (GPU_LADDER, GPU_SHAPES)
    faster = [name for name in ladder if ladder[name] > rate]
    slower = [name for name in ladder if ladder[name] <= rate]
    return [{"shape": sides(shape), "rank": len(faster) + 1, "of": len(ladder) + 1,
             "above": faster[0] if faster else "", "below": slower[-1] if slower else ""}
            for shape in shapes]


def right(name: str = "mine.cpp", device: str = "cpu", rate: float = 64.0,
          **more: Any) -> dict[str, Any]:
    """A correct submission of `rate` GFLOP/s at every shape, with fields changed as named."""
    compiler = ("g++ -std=c++20 -O3 -march=native -fopenmp -shared" if device == "cpu"
                else "nvcc -O3 -arch=sm_90a -shared")
    shapes = [(16, 16, 16), (3, 5, 7), (33, 24, 65)]
    made = {
        "schema": 2, "submission": name, "sha256": f"{abs(hash_of(name)):064x}", "device": device,
        "judged_utc": "2026-11-21T10:00:00Z",
        "program": {"version": "0.9", "commit": "ed9d08812345", "source_sha256": "ab" * 32},
        "machine": {"cpu": "Intel Xeon Platinum 8480+", "cores": 2,
                    "gpu": "NVIDIA H200" if device == "gpu" else None},
        "rule": {"file": "default.toml", "sha256": "cd" * 32}, "seed": 1234,
        "options": {"random_shapes": 12, "timing": True, "sanitize": False},
        "verdict": "correct", "summary": "Right at all 60 shapes.",
        "build": {"ok": True, "reason": "", "hint": "", "command": f"{compiler} {name}",
                  "seconds": 1.25, "messages": [], "kernels": []},
        "isolation": {"holds": ["its own user", "no network", "no writing outside its own folder"],
                      "missing": ["bubblewrap is not installed"]},
        "checks": {"shapes": 60, "right": 60, "calls": 180,
                   "list": [{"shape": sides(one), "right": True} for one in shapes]},
        "failures": [], "performance": performance(device, rate), "place": places(device, rate),
        "first_call": {"shape": sides((512, 512, 512)), "first_s": 0.0125, "steady_s": 0.005},
        "threads": {"ran": 1.9, "cores": 2} if device == "cpu" else None, "resources": [],
        "counters": {}, "sanitizer": {"ran": [], "missing": [], "findings": []},
        "ceilings": [{"device": device, "what": "fma", "value": CEILING[device],
                      "unit": "GFLOP/s"}],
        "advice": [{"title": "Keep a tile of C in registers",
                    "text": "Each element of A then serves several of C."}],
        "notes": []}
    if device == "gpu":
        made["build"]["kernels"] = [{"name": "sgemm", "registers": 168, "spill_bytes": 0,
                                     "static_shared_bytes": 16384, "stack_bytes": 0}]
        made["resources"] = [{"kernel": "sgemm", "registers": 168, "spill_bytes": 0,
                              "shared_bytes": 16384, "occupancy": 0.1875, "blocks_per_sm": 3,
                              "threads": 128}]
        made["counters"] = {"dram_read_bytes": {"value": 1.25e9, "unit": "byte"},
                            "fma_pipe": {"value": 0.5, "unit": "share"}}
        made["counters_at"] = {"M": 2048, "N": 2048, "K": 2048}
    return made | more


def hash_of(text: str) -> int:
    """The same in every process, unlike hash()."""
    return int.from_bytes(text.encode()[-8:], "big")


def failure(**more: Any) -> dict[str, Any]:
    return {"verdict": "incorrect", "shape": sides((3, 5, 7)), "element": {"row": 2, "col": 6},
            "expected": 12.0, "got": 0.0, "wrong": 7, "of": 21, "pattern": "only-squares",
            "explanation": "Right for every square, wrong for the 9 others.",
            "hint": "Compare the stride of B with K: B has N rows of K elements each."} | more


def wrong(name: str = "wrong.cpp", verdict: str = "incorrect", **more: Any) -> dict[str, Any]:
    """A submission that is not right: one failure, no times."""
    made = right(name, verdict=verdict, summary="Wrong at 9 of 60 shapes.",
                 performance=[], place=[], first_call=None, threads=None, advice=[],
                 failures=[failure(verdict=verdict)])
    made["checks"] = {"shapes": 60, "right": 51, "calls": 153, "list": [
        {"shape": sides((16, 16, 16)), "right": True}, {"shape": sides((3, 5, 7)), "right": False}]}
    return made | more


def unbuilt(name: str = "typo.cpp") -> dict[str, Any]:
    made = wrong(name, "build-failed", summary="line 12: expected ';' before '}' token",
                 failures=[], isolation={"holds": [], "missing": []},
                 checks={"shapes": 0, "right": 0, "calls": 0, "list": []})
    made["build"].update(
        ok=False, reason="line 12: expected ';' before '}' token",
        hint="A statement before it does not end.", messages=[
            {"kind": "error", "line": 12, "column": 3, "text": "expected ';' before '}' token"},
            {"kind": "warning", "line": 7, "column": 9, "text": "unused variable 'tile'"}])
    return made


def everything() -> dict[str, dict[str, Any]]:
    """Folder -> verdict: what a course hands in."""
    made = {"anna": right("blocked.cpp", rate=64.0), "ben": right("naive.cpp", rate=2.2, advice=[
        {"title": "One core of 2 works",
         "text": "Rows of C do not depend on each other: share them out."}]),
        "cleo": right("blocked.cpp", rate=64.6), "dora": wrong("stride.cpp"), "emil": unbuilt(),
        "finn": right("tiled.cu", "gpu", 21000.0), "gina": right("tensor.cu", "gpu", 30000.0),
        "hugo": wrong("loop.cpp", "timeout", failures=[failure(
            verdict="timeout", element=None, expected=None, got=None, wrong=0, of=0, pattern="",
            explanation="A call took longer than 10 s.",
            hint="Look for a loop whose end is never reached.")])}
    skip(made["ben"]["performance"][21], "predicted to take 187 s a call; at most 10 s is allowed")
    made["ben"]["place"].pop()
    made["anna"]["build"]["messages"] = [{"kind": "warning", "line": 30, "column": 12,
                                          "text": "unused variable 'i' [-Wunused]"}]
    made["gina"].update(verdict="reduced-precision",
                        summary="Right, but with about 10 bits instead of 24.", failures=[failure(
                            verdict="reduced-precision", shape=sides((64, 64, 64)),
                            element={"row": 1, "col": 2}, expected=3.25, got=3.2519531, wrong=0,
                            of=0, pattern="tf32", explanation="Each factor is rounded to 10 bits.",
                            hint="Leave out wmma's tf32 type.")])
    made["finn"]["build"]["kernels"][0]["spill_bytes"] = 64
    return made


def grading(**changes: Any) -> Grading:
    """That of the shipped rule, with fields changed as named; without shares where any is."""
    def share(shape: int, device: str, reference: str, full: float) -> dict[str, Any]:
        return {"shape": sides((shape, shape, shape)), "device": device, "reference": reference,
                "full": full, "points": 20}

    shipped = {"most": 100, "correct": 60, "reduced_precision": 20, "bands": 4, "groups": [],
               "warning": 1, "warnings_at_most": 5, "spills": 2, "first_call": 0, "shares": [
                   share(1024, "cpu", "cpu.blocked", 1.0), share(1024, "cpu", "library", 0.5),
                   share(1024, "gpu", "gpu.tiled block=32", 1.0)]}
    return grading_from(shipped | ({"shares": []} | changes if changes else {}))


def write(folder: Path, verdicts: dict[str, dict[str, Any]]) -> Path:
    """folder/<name>/verdict.json for each."""
    for name, verdict in verdicts.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "verdict.json").write_text(json.dumps(verdict), encoding="utf-8")
    return folder


if __name__ == "__main__":
    write(Path(sys.argv[1]), everything())
