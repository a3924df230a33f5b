"""The processor's counters of one call, by the program itself (perf_event_open)."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from typing import Any

TIMEOUT_S = 600


class PerfError(Exception):
    """Why a point has no counters, as one line."""


@dataclass(frozen=True)
class Counted:
    tool: str
    metrics: dict[str, dict[str, Any]]  # name -> value (None: not counted), unit, reason

    @property
    def refused(self) -> dict[str, list[str]]:
        """reason -> the counters that have no value for it."""
        found: dict[str, list[str]] = {}
        for name, metric in self.metrics.items():
            if metric["value"] is None:
                found.setdefault(str(metric.get("reason")), []).append(name)
        return found

    @property
    def nothing(self) -> bool:
        """No counter has a value; the time is no counter."""
        return all(metric["value"] is None for name, metric in self.metrics.items()
                   if name != "time_s")


def count(call: list[str]) -> Counted:
    """Calls the program once. Raises PerfError where it fails, or says something else than
    counters."""
    try:
        done = subprocess.run([*call, "--counters"], capture_output=True, encoding="utf-8",
                              errors="replace", timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise PerfError(f"no end after {TIMEOUT_S} s") from error
    if done.returncode:
        raise PerfError(" ".join((done.stderr or done.stdout).split())
                        or f"exit code {done.returncode}")
    try:
        said = json.loads(done.stdout.splitlines()[-1])
        return Counted(str(said["tool"]), {str(name): {"value": metric["value"], **metric}
                                           for name, metric in said["metrics"].items()})
    except (IndexError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise PerfError("the program's counters are not as expected") from error
