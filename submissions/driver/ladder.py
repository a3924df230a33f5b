"""The ladder and the library of a class: timed beside the library, with which each hand-in is
timed, too; once per folder, or once more where it had to wait for a processor."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
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
    return (found if isinstance(found, dict)
            and found.get("circumstances") == circumstances else None)


def record(folder: Path, device: str, circumstances: dict[str, Any],
           timed: dict[str, Any]) -> dict[str, Any]:
    """In one step, as verdicts are written; what was written is returned."""
    made = {key: timed[key] for key in ("rows", "notes", "load")} | {"circumstances": circumstances}
    unfinished = folder / f".{FILE}.{os.getpid()}"
    unfinished.write_text(json.dumps(_all(folder) | {device: made}, indent=1) + "\n",
                          encoding="utf-8", newline="\n")
    os.replace(unfinished, folder / FILE)
    return made


def is_uncertain(known: dict[str, Any]) -> bool:
    """Was it timed on a busy machine, by rounds in which a rung or the library had to wait?"""
    rungs = [row for row in known["rows"] if row["role"] == "ladder" and row["median_s"]]
    return is_busy(known) and not all(row.get("quiet") for row in rungs)


def is_busy(known: dict[str, Any]) -> bool:
    return bool((known["load"] or {}).get("busy"))


class Ladders:
    """Those of a class, one per device, as they stand in its folder."""

    def __init__(self, folder: Path, circumstances: dict[str, Any], fresh: bool) -> None:
        self._folder, self._circumstances, self._fresh = folder, circumstances, fresh
        self._turns = 1
        self._timed: dict[str, int] = {}  # how often it was timed for each device by now

    def once_more(self) -> None:
        """What is uncertain may be timed once more."""
        self._turns += 1

    def known(self, device: str) -> dict[str, Any] | None:
        """What was timed by now, in this call of the command or before."""
        fresh = self._fresh and not self._timed.get(device, 0)
        return None if fresh else recorded(self._folder, device, self._circumstances)

    def of(self, device: str, time: Callable[[], dict[str, Any]],
           held_up: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """`rows`, `notes` and `load`; `time` finds them where they are not known, or uncertain, or
        where the library was `held_up` meanwhile. Of two uncertain ones the one beside which others
        took less counts."""
        times = self._timed.get(device, 0)
        known = self.known(device)
        if known and (times >= self._turns or not (is_uncertain(known) or held_up(known))):
            return known
        self._timed[device] = times + 1
        timed = time()
        if known and is_uncertain(timed) and timed["load"]["others"] >= known["load"]["others"]:
            return known
        return record(self._folder, device, self._circumstances, timed)
