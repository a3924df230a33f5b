"""Clock marks that hold for both sides of a comparison.

The card's power cap pulls the clock down for moments, and whether the driver's flag is seen with it
is chance: at 16384 cuBLAS (lowest 1,395 MHz) was marked and `pipelined` beside it (lowest 1,500
MHz) was not. Where a point of a group at a shape is marked, every other whose clock dipped is
marked, too. The runner now decides so itself, from many readings of the clock (`throttled_share`):
this is for records from before.
"""

from __future__ import annotations

from .case import Case
from .experiment import Experiment

DIPPED = 0.9  # of the point's own median clock


def dipped(case: Case) -> bool:
    """Did its lowest clock lie far below its median clock?"""
    return bool(case.clock_mhz and case.clock_low_mhz
                and case.clock_low_mhz < DIPPED * case.clock_mhz)


def mark_dips(experiment: Experiment) -> None:
    """Marks as throttled what dipped beside a throttled point: the same run, group and shape."""
    groups: dict[tuple, list[Case]] = {}
    for case in experiment.cases:
        if case.device == "gpu" and case.throttled_share is None:
            groups.setdefault((case.run_id, case.group, case.shape), []).append(case)
    for cases in groups.values():
        reasons = sorted({reason for case in cases if case.throttled
                          for reason in case.throttle_reasons})
        if any(case.throttled for case in cases):
            for case in cases:
                if not case.throttled and dipped(case):
                    case.throttled, case.throttle_reasons = True, tuple(reasons)
