"""What an assignment adds to a verdict: which it was, and the points for its own conditions."""

from __future__ import annotations

from typing import Any

from .schema import Assignment, Loads


def loads_per_multiplication(counts: dict[str, Any]) -> float | None:
    """Floats that threads load from global memory for each of the M·N·K multiplications; None where
    nothing was counted."""
    shape, launches = counts.get("shape"), counts.get("launches")
    if not shape or not launches:
        return None
    floats = sum(site["lanes"] * site["bytes"] / 4 * launch["blocks"] / launch["blocks_run"]
                 for launch in launches for site in launch.get("sites", [])
                 if site["space"] == "global" and site["operation"] == "load")
    return floats / (shape["M"] * shape["N"] * shape["K"])


def _part(loads: Loads, counts: dict[str, Any]) -> dict[str, Any]:
    counted = loads_per_multiplication(counts)
    if counted is None:
        return {"what": "loads from global memory were not counted", "points": 0,
                "of": loads.points}
    return {"what": f"{counted:.3g} floats loaded from global memory per multiplication; at most "
            f"{loads.at_most:g} are asked for",
            "points": loads.points if counted <= loads.at_most else 0, "of": loads.points}


def add_to(verdict: dict[str, Any], assignment: Assignment | None) -> None:
    """`assignment` of verdict.json: null, or its name and the points for its own conditions."""
    if assignment is None:
        verdict["assignment"] = None
        return
    parts = [_part(assignment.loads, verdict.get("counts") or {})] if assignment.loads else []
    verdict["assignment"] = {"name": assignment.name, "parts": parts}
