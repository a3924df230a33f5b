"""The measured ceilings that count, and whether those that a point's share was formed with can be
trusted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .case import Case
from .hosts import host_of
from .trust import Entry, trusted

IDENTITY = ("device", "what", "level", "threads")


def _key(entry: Entry) -> tuple:
    return tuple(str(entry.get(name)) for name in IDENTITY)


def every_ceiling(runs: Iterable[dict[str, Any]]) -> list[tuple[str, list[Entry]]]:
    """Of each host and ceiling all entries with a number, the latest last; host by host, CPU before
    GPU."""
    found: dict[tuple[str, tuple], list[Entry]] = {}
    places: dict[str, int] = {}
    for run in runs:
        host = host_of(run)
        places.setdefault(host, len(places))
        for entry in run.get("ceilings") or ():
            if isinstance(entry, dict) and isinstance(entry.get("value"), (int, float)):
                found.setdefault((host, _key(entry)), []).append(entry)
    order = sorted(found, key=lambda key: (places[key[0]], str(found[key][0].get("device"))))
    return [(key[0], found[key]) for key in order]


def best_ceilings(runs: Iterable[dict[str, Any]]) -> list[Entry]:
    """Of one host's runs: of each ceiling with a number the latest trusted entry, or the latest
    where none is; CPU before GPU."""
    return [([entry for entry in entries if trusted(entry)] or entries)[-1]
            for _, entries in every_ceiling(runs)]


def with_best_ceilings(runs: list[dict[str, Any]], host: str | None = None) -> dict[str, Any]:
    """The latest run of the host, of the latest run's where none is named, with the best ceilings
    of all runs there; empty where there is no run."""
    wanted = host_of(runs[-1]) if host is None and runs else host
    own = [run for run in runs if host_of(run) == wanted]
    return own[-1] | {"ceilings": best_ceilings(own)} if own else {}


def of_share(case: Case, run: dict[str, Any]) -> Entry | None:
    """The ceiling that the case's share was formed with: min(all cores' value, t times one
    thread's) for t threads, of the best instruction set or of the level that binds. None where the
    run has none."""
    what, level = (("fma", "ffma"), None) if case.bound_by == "compute" else (
        ("memory_read",), "dram" if case.bound_by == "memory" else case.bound_by)
    found = [entry for entry in run.get("ceilings") or () if isinstance(entry, dict)
             and entry.get("device") == case.device and entry.get("value")
             and entry.get("what") in what and (level is None or entry.get("level") == level)]
    best = {one: max((entry for entry in found if (entry.get("threads") == 1) == one),
                     key=lambda entry: entry["value"], default=None) for one in (True, False)}
    one, every = best[True], best[False]
    if case.device == "gpu" or one is None:
        return every
    return (one if every is None or case.threads * one["value"] < every["value"]
            or case.threads == 1 else every)


def mark_shares(cases: Iterable[Case], runs: list[dict[str, Any]]) -> None:
    """Tells each case whether the ceiling that its share was formed with held its self-check."""
    doubtful = {run.get("run_id"): run for run in runs if not all(
        trusted(entry) for entry in run.get("ceilings") or () if isinstance(entry, dict))}
    for case in cases:
        if case.of_ceiling is not None and case.run_id in doubtful:
            entry = of_share(case, doubtful[case.run_id])
            case.share_trusted = entry is None or trusted(entry)
