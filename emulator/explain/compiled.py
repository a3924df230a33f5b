"""Writes data/emulated/gpu_sass.jsonl: what nvcc makes of the ladder's kernels.

`python -m emulator.explain.compiled` needs nvcc, and cuobjdump, which comes with the CUDA Toolkit
or as PyPI's nvidia-cuda-cuobjdump (beside it nvidia-cuda-nvdisasm), on PATH; no GPU.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from emulator.counts.constants import EMULATED
from emulator.counts.sass import TABLE, Part, bare, functions, parts_of
from emulator.model.ladder import points
from files.reading import InputError

PROFILED = EMULATED.parent / "results" / "intel-xeon-nvidia-h200" / "gpu_counts.jsonl"
KERNELS = EMULATED.parents[1] / "gpu" / "gemm"
ARCHITECTURE = "sm_90a"
COMPILED = 600  # seconds that nvcc may take for a file


def _output(command: list[str], given: str = "") -> str:
    done = subprocess.run(command, input=given, capture_output=True, encoding="utf-8",
                          errors="replace", timeout=COMPILED)
    if done.returncode:
        raise InputError(f"{command[0]}: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
    return done.stdout


def of_listing(sass: str) -> dict[str, tuple[Part, ...]]:
    """By kernel name, of what `cuobjdump -sass` prints; without those whose parts are not known."""
    code = functions(sass)
    names = _output(["c++filt"], "\n".join(code)).splitlines() if code else []
    known = ((bare(name), parts_of(one)) for name, one in zip(names, code.values()))
    return {name: parts for name, parts in known if parts}


def of_object(file: Path) -> dict[str, tuple[Part, ...]]:
    """By kernel name, of an object or cubin that nvcc made. Raises InputError where cuobjdump is
    missing or finds nothing."""
    if not shutil.which("cuobjdump"):
        raise InputError("cuobjdump is not on PATH: it comes with the CUDA Toolkit, or as PyPI's "
                         "nvidia-cuda-cuobjdump")
    return of_listing(_output(["cuobjdump", "-sass", str(file)]))


def _lines(names: set[str]) -> Iterable[str]:
    with tempfile.TemporaryDirectory() as folder:
        for source in sorted(KERNELS.rglob("*.cu")):
            if not any(name.partition("<")[0] in source.read_text(encoding="utf-8")
                       for name in names):
                continue
            cubin = Path(folder) / (source.stem + ".cubin")
            _output(["nvcc", "-std=c++17", "-O3", f"-arch={ARCHITECTURE}", "-cubin", "-I",
                     str(KERNELS.parents[1]), "-o", str(cubin), str(source)])
            for kernel, parts in of_object(cubin).items():
                if kernel in names:
                    record: dict[str, Any] = {"kernel": kernel,
                                              "parts": [vars(part) for part in parts]}
                    yield json.dumps(record, separators=(",", ":"))


def _profiled() -> set[str]:
    """Kernels that ncu's records name, as "<unnamed>::tiled_kernel<16, 0>(const float *, int)"."""
    read = [json.loads(line) for line in PROFILED.read_text(encoding="utf-8").splitlines()]
    return {name for one in read
            for name in re.findall(r"(\w+(?:<[^()]*>)?)\(", one.get("kernel") or "")}


def main() -> None:
    names = {str(launch.get("kernel")) for point in points()
             for launch in point.counts["launches"]} - {""} | _profiled()
    lines = sorted(_lines(names))
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    print(f"{len(lines)} of {len(names)} kernels", file=sys.stderr)


if __name__ == "__main__":
    main()
