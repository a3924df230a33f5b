"""NVIDIA Nsight Compute: how it is found and called, and what its CSV says."""

from __future__ import annotations

import csv
import math
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from analysis.counters.metrics import Kernel, in_base_units, wanted
from files.reading import InputError

TIMEOUT_S = 600
_NO_PERMISSION = ("the driver lets only administrators read the GPU's counters (ERR_NVGPUCTRPERM): "
                  "run it as root, or set the driver's option "
                  "NVreg_RestrictProfilingToAdminUsers=0 "
                  "(https://developer.nvidia.com/ERR_NVGPUCTRPERM)")
_UNKNOWN = re.compile(r"==(?:ERROR|WARNING)==.*?[Ff]ailed to find metric:? *'?([\w.]+)")


class NcuError(Exception):
    """One call could not be profiled; the message is one line."""


@dataclass(frozen=True)
class Profile:
    """One profiled call: its kernels' names in order, and the metrics of each in base units."""

    names: tuple[str, ...]
    kernels: tuple[Kernel, ...]


def find_ncu() -> str:
    """Its path: on PATH, else beside nvcc in CUDA_HOME. Raises InputError where there is none."""
    home = os.environ.get("CUDA_HOME")
    found = (shutil.which("ncu")
             or (shutil.which("ncu", path=os.path.join(home, "bin")) if home else None))
    if not found:
        raise InputError("ncu (NVIDIA Nsight Compute) is neither on PATH nor in CUDA_HOME/bin: it "
                         "comes with CUDA, or by itself from "
                         "https://developer.nvidia.com/nsight-compute")
    return found


def version_of(ncu: str) -> str:
    """"ncu 2025.3.0"; "ncu" where it does not tell."""
    done = subprocess.run([ncu, "--version"], stdin=subprocess.DEVNULL, capture_output=True,
                          encoding="utf-8", errors="replace", check=False)
    found = re.search(r"Version (\d+\.\d+(?:\.\d+)?)", done.stdout)
    return f"ncu {found[1]}" if found else "ncu"


def command_line(ncu: str, metrics: Sequence[str], call: Sequence[str]) -> list[str]:
    """The call profiles what the program brackets with cudaProfilerStart and Stop. The clocks are
    left alone, so that the time is one at the clock of the other measurements."""
    return [ncu, "--csv", "--page", "raw", "--print-units", "base", "--profile-from-start",
            "off", "--clock-control", "none", "--target-processes", "all", "--metrics",
            ",".join(metrics), *call]


def _kernel_name(signature: str) -> str:
    """"void tiled<16>(const float *, …)" -> "tiled<16>": without the return type and the
    arguments."""
    depth = 0
    for place, letter in enumerate(signature):
        depth += (letter == "<") - (letter == ">")
        if letter == "(" and not depth and place and not signature.startswith("(anonymous", place):
            signature = signature[:place]
            break
    return signature.strip().removeprefix("void ").strip()


def _number(text: str, unit: str) -> float | None:
    try:
        value = float(text.replace(",", ""))
    except ValueError:  # "n/a", empty
        return None
    return in_base_units(value, unit) if math.isfinite(value) else None


def parse(output: str) -> Profile:
    """The kernels in the output of `ncu --csv --page raw`: a header, a row of units, and a row per
    kernel, among the program's own lines and ncu's that begin with "==". Raises NcuError where
    there is no kernel."""
    lines = output.splitlines()
    start = next((place for place, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        raise NcuError("ncu printed no table of metrics")
    header, *rows = csv.reader(line for line in lines[start:] if line.startswith('"'))
    if "Kernel Name" not in header:
        raise NcuError("ncu's table has no column 'Kernel Name'")
    # ncu adds dozens of the card's attributes
    units, names, kernels, asked = [""] * len(header), [], [], set(wanted())
    for row in rows:
        if len(row) != len(header):
            continue
        if not row[0]:  # the row of units has no ID
            units = row
            continue
        names.append(_kernel_name(row[header.index("Kernel Name")]))
        values = {name: _number(text, unit) for name, unit, text in zip(header, units, row)
                  if name in asked}
        kernels.append({name: value for name, value in values.items() if value is not None})
    if not kernels:
        raise NcuError("ncu saw no kernel")
    return Profile(tuple(names), tuple(kernels))


def unknown_metrics(output: str) -> set[str]:
    """The metrics that ncu refuses on this card. Versions differ: 2025.3 leaves a metric out and
    says nothing."""
    return {name.rstrip(".") for name in _UNKNOWN.findall(output)}


def _last_word(output: str, code: int) -> str:
    """What went wrong, in one line: what the program said, else ncu's error, else the last line
    that anyone printed."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    own = [line.removeprefix("gemmlab: ") for line in lines if line.startswith("gemmlab: ")]
    errors = [line.removeprefix("==ERROR== ") for line in lines if line.startswith("==ERROR==")]
    others = [line for line in lines if not line.startswith(("==", '"'))]
    return (own[-1:] or errors[:1] or others[-1:] or [f"exit code {code}"])[0]


class Ncu:
    """Calls ncu; remembers which metrics it does not know, so that each is refused once."""

    def __init__(self, path: str, metrics: Sequence[str]) -> None:
        self.path = path
        self.metrics = list(metrics)
        self.unknown: list[str] = []

    def profile(self, call: Sequence[str]) -> Profile:
        """Profiles one call of a program. Raises NcuError where this call, InputError where every
        call must fail."""
        while True:
            output, code = self._run(call)
            if "ERR_NVGPUCTRPERM" in output:
                raise InputError(_NO_PERMISSION)
            unknown = unknown_metrics(output) & set(self.metrics)
            if code == 0 and not unknown:
                return parse(output)
            if not unknown:
                raise NcuError(_last_word(output, code))
            self.unknown += sorted(unknown)
            self.metrics = [name for name in self.metrics if name not in unknown]
            if not self.metrics:
                raise InputError("ncu knows none of the metrics on this card")

    def _run(self, call: Sequence[str]) -> tuple[str, int]:
        try:
            done = subprocess.run(command_line(self.path, self.metrics, call),
                                  stdin=subprocess.DEVNULL, encoding="utf-8",
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=TIMEOUT_S, check=False, errors="replace")
        except subprocess.TimeoutExpired as error:
            raise NcuError(f"not done after {TIMEOUT_S} s") from error
        except OSError as error:
            raise InputError(f"{self.path}: {error.strerror}") from error
        return done.stdout, done.returncode
