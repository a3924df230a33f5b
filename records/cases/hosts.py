"""Which host a run was made on. Machines of one model share a folder of records, but not their
clocks, neighbours and cards: numbers of two hosts are never set against each other.

A run names its host (`host.id`). For an older one the id is worked out from GPU uuids, CPU model,
cores and memory. Where an id does not rest on a card's uuid, or was worked out, it can stand for
several hosts: clouds hand out virtual machines of one shape and one image. Runs of such an id whose
measured single-core FMA rate differs by more than APART are therefore told apart, unless all cores
together say otherwise: a single core may have been slowed for a moment, all of them are not. On a
quiet host that rate repeats within 6 % (12 runs of the 16-core Xeon); under other work on the same
processor it moved by 27 % (18 runs).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from statistics import median
from typing import Any

from .trust import trusted

Run = dict[str, Any]

APART = 1.15  # times as fast on one core: another host
SUPPORT = 1.05  # times as fast on all cores: they say so too
UUID_SHOWN = 12  # letters of a GPU's uuid: enough to tell cards apart
DIGITS = 8  # of an id that is worked out
_TOLD = "told_apart"  # added to a run that is read: its host among those of the same id


def _identity(run: Run) -> str:
    host = run.get("host") or {}
    if host.get("id"):
        return str(host["id"])
    uuids = sorted(str(gpu.get("uuid") or gpu.get("name")) for gpu in run.get("gpus") or ())
    known = [uuids, *(host.get(name) for name in ("cpu", "cores", "memory"))]
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()[:DIGITS] if any(known) else ""


def host_of(run: Run) -> str:
    """The id of the run's host; empty where the run says nothing of it."""
    return str(run.get(_TOLD) or _identity(run))


def _rates(run: Run) -> dict[tuple[str, bool], float]:
    """The trusted FMA rates of the CPU by (isa level, is it of all cores?)."""
    return {(str(entry.get("level")), entry.get("threads") != 1): float(entry["value"])
            for entry in run.get("ceilings") or () if isinstance(entry, dict)
            and entry.get("device") == "cpu" and entry.get("what") == "fma"
            and isinstance(entry.get("value"), (int, float)) and trusted(entry)}


def _clusters(runs: list[Run]) -> list[list[Run]]:
    """The runs of one id, sorted out by their rate; one that has none says nothing against the
    slowest."""
    rates = [(run, _rates(run)) for run in runs]
    levels = [level for _, known in rates for level, every in known if not every]
    level = max(levels, key=lambda one: (levels.count(one), one), default="")
    single, whole = (level, False), (level, True)
    parts: list[list[tuple[Run, dict[tuple[str, bool], float]]]] = []
    timed = [(run, own) for run, own in rates if single in own]
    for run, own in sorted(timed, key=lambda entry: entry[1][single]):
        there = [its[whole] for _, its in (parts[-1] if parts else ()) if its.get(whole)]
        agrees = not there or whole not in own or own[whole] > SUPPORT * median(there)
        if parts and not (own[single] > APART * parts[-1][0][1][single] and agrees):
            parts[-1].append((run, own))
        else:
            parts.append([(run, own)])
    silent = [run for run, own in rates if single not in own]
    first, *others = [[run for run, _ in part] for part in parts] or [[]]
    return [silent + first, *others]


def _certain(run: Run) -> bool:
    """Did the run name its host, by a card's uuid too, which no other host has?"""
    return bool((run.get("host") or {}).get("id") and cards_of(run))


def tell_apart(runs: Iterable[Run]) -> None:
    """Notes in each run of an id that stands for several hosts which of them it is: "1a2b3c4d.1"
    for the slowest."""
    by_id: dict[str, list[Run]] = {}
    for run in runs:
        if not _certain(run):
            by_id.setdefault(_identity(run), []).append(run)
    for name, of in by_id.items():
        parts = _clusters(of)
        for number, part in enumerate(parts if len(parts) > 1 else (), 1):
            for run in part:
                run[_TOLD] = f"{name}.{number}"


def hosts_of(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """host -> its runs, in the order of the runs."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(host_of(run), []).append(run)
    return found


def fma_rate(run: Run, every: bool) -> float | None:
    """GFLOP/s of FMA on one core, or on `every` one, at the widest level that was measured: the one
    with the highest number, trusted or not; None where its number is not trusted."""
    measured = [(float(entry["value"]), str(entry.get("level")))
                for entry in run.get("ceilings") or () if isinstance(entry, dict)
                and entry.get("device") == "cpu" and entry.get("what") == "fma"
                and isinstance(entry.get("value"), (int, float))]
    return _rates(run).get((max(measured)[1], every)) if measured else None


def first_card(run: Run) -> dict[str, Any]:
    """What the run says of its first GPU; empty where it has none."""
    return next(iter(run.get("gpus") or ()), {})


def cards_of(run: Run) -> tuple[str, ...]:
    """The uuids of the run's GPUs."""
    return tuple(str(gpu["uuid"]) for gpu in run.get("gpus") or () if gpu.get("uuid"))
