"""What the accesses that the emulator has counted mean: advice, a predicted time and a page of its
own."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def explain(verdict: dict[str, Any], source: Path, folder: Path) -> None:
    """Adds `explanation` to a verdict, and the advice that follows from its counts; the page goes
    into `folder`. A prediction is not a measurement: no mark and no place on the ladder follows
    from it."""
    verdict["explanation"] = None
    if not verdict["counts"]:
        return
    from emulator.explain.submission import (
        explained,  # drawing is loaded only where there is something to draw
    )

    folder.mkdir(parents=True, exist_ok=True)
    made = explained(verdict["counts"], verdict["build"]["kernels"], source, folder)
    verdict["advice"] += made["advice"]
    verdict["explanation"] = {"facts": [list(fact) for fact in made["facts"]], "page": made["page"],
                              "ladder": made["ladder"]}
