"""The ladder and the library of a class: timed once per folder, beside the library, with which each hand-in is timed, too."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

FILE = "ladder.json"


def _all(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def recorded(folder: Path, device: str, circumstances: dict[str, Any]) -> dict[str, Any] | None:
    """What was timed for a device by the same rule, program and machine; None where nothing was."""
    found = _all(folder).get(device)
    return found if isinstance(found, dict) and found.get("circumstances") == circumstances else None


def record(folder: Path, device: str, circumstances: dict[str, Any], timed: dict[str, Any]) -> dict[str, Any]:
    """In one step, as verdicts are written; what was written is returned."""
    made = {key: timed[key] for key in ("rows", "notes", "load")} | {"circumstances": circumstances}
    unfinished = folder / f".{FILE}.{os.getpid()}"
    unfinished.write_text(json.dumps(_all(folder) | {device: made}, indent=1) + "\n", encoding="utf-8", newline="\n")
    os.replace(unfinished, folder / FILE)
    return made
