"""Sample records, ways to change them, and what is there to test with."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from commands.satellites import satellites
from records.loading import Case, Experiment, Results, find_files, load
from records.schema.older import device_of, is_reference, name_parts_of, variant_of
from records.schema.older_names import family_of
from report.__main__ import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(__file__).parent / "data"
# of which records are committed
MACHINES = sorted({path.parent for path in (ROOT / "data" / "results").glob("*/*.jsonl")})


@contextmanager
def standing_in(data: Path = ROOT / "data") -> Iterator[None]:
    """Within, the machine that `data` names stands in where records have no GPU, as for every reader.
    Most of a small report's time goes into that."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("report.command", "report.bundle.command"):
            patch.setattr(f"{module}.DATA", data)
        yield


def implementations() -> set[str]:
    """The ids of all, whether they are built here or not: what rows.txt of each operation lists."""
    return {f"{path.parts[-3]}.{name}" for path in ROOT.glob("?pu/*/rows.txt")
            for name in re.findall(r"^\w+", path.read_text(encoding="utf-8"), re.MULTILINE)}


def read(machine: str) -> Results:
    """The sample records of "workstation", "workstation2" or "laptop"."""
    return load(DATA / machine, find_files(DATA / machine))


def experiment(machine: str, name: str) -> Experiment:
    return next(found for found in read(machine).experiments if found.name == name)


def make_case(implementation: str = "cpu.ikj", samples: tuple[float, ...] = (2.0,) * 7,
              **more) -> Case:
    """A shown case of 64×64×64 with the given samples (s), or with other fields as named; m, n, k
    and gflop_per_s by name."""
    ordered = sorted(samples)
    size = more.pop("size", 64)
    median = ordered[len(ordered) // 2]
    line = {"implementation": implementation} | {
        name: more.get(name, {}) for name in ("chosen", "parameters")}
    fields = {"run_id": "r", "case_id": f"{implementation}{more}{size}",
              "experiment": "e", "implementation": implementation,
              "device": device_of(line), "name_parts": name_parts_of(line),
              "family": family_of(implementation), "variant_of": variant_of(line),
              "library": is_reference(line),
              "parameters": {}, "label": implementation,
              "dims": {name: more.pop(name, size) for name in "mnk"},
              "scope": "kernel", "cache": "cold", "distribution": "uniform",
              "group": "g", "status": "ok", "reason": "", "precision": "fp32",
              "verdicts": ("ok",), "samples_s": array("d", samples),
              "rounds": array("q", range(len(samples))), "measured_s": median,
              "ci95_s": (ordered[0], ordered[-1]) if len(samples) >= 6 else None,
              "rates": {"gflop_per_s": more.pop("gflop_per_s", 2 * size**3 / median / 1e9)},
              "of_ceiling": None, "bound_by": None, "threads_actual": 0, "warnings": ()}
    return Case(**(fields | more))


def needs(satellite: str) -> None:
    """Skips the test where that satellite has been taken off."""
    if satellite not in satellites():
        pytest.skip(f"{satellite} is not there")


def needs_command(name: str) -> None:
    """Skips the test where no satellite brings that command."""
    if name not in COMMANDS:
        pytest.skip(f"nothing brings {name}")
