"""Which times are to be relied on, and which of two timings of one submission counts."""

from __future__ import annotations

import os
from typing import Any

from submissions.verdicts.marks import Mark


def is_uncertain(verdict: dict[str, Any], mark: Mark | None) -> bool:
    """Does its mark hang on times that did not settle, or that other programs may have changed: on
    a busy machine, by rounds in which it or the library had to wait for a processor?"""
    busy = (verdict.get("load") or {}).get("busy") or verdict.get("ladder_busy", False)
    return bool(mark and mark.hangs_on_time
                and (mark.withheld or not (mark.settled and (mark.quiet or not busy))))


def that_counts(first: dict[str, Any], second: dict[str, Any],
                second_is_uncertain: bool) -> dict[str, Any]:
    """By how they were taken, never by how fast it was: the second where it is certain, or others
    took less of the machine meanwhile. What a timed call did wrong counts in any case."""
    if second["verdict"] != first["verdict"] or not second_is_uncertain:
        return second
    others = [(verdict.get("load") or {}).get("others", 0.0) for verdict in (first, second)]
    return second if others[1] < others[0] else first


def may_be_the_others_fault(verdict: dict[str, Any]) -> bool:
    """Beside others a call takes longer, and where all are one user, the system counts the others'
    threads."""
    return (verdict["verdict"] == "timeout"
            or (os.geteuid() != 0 and verdict["verdict"] in ("crashed", "out-of-memory")))
