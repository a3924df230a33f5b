"""The measured ceilings that count, and whether those that a point's share was formed with can be
trusted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .case import Case
from .hosts import host_of
from .trust import Entry, trusted

IDENTITY = ("device", "what", "level", "threads")
CONTRADICTED = 1.1  # times as much: less is what a clock under more load takes


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
    """Of one host's runs: of each ceiling with a number the highest trusted entry, or the latest
    where none is; CPU before GPU. A run beside other work measures less than the machine can."""
    return [max((entry for entry in entries if trusted(entry)), key=lambda entry: entry["value"],
                default=entries[-1]) for _, entries in every_ceiling(map(_counted, runs))]


def _counted(run: dict[str, Any]) -> dict[str, Any]:
    """The run with what it says itself in place of a ceiling that was measured too low."""
    low = too_low(run)
    return run if low is None else run | {"ceilings": [
        entry | {"value": low[1]} if entry is low[0] else entry for entry in run["ceilings"]]}


def without_too_low(run: dict[str, Any]) -> dict[str, Any]:
    """The run without a ceiling that was measured too low."""
    low = too_low(run)
    return run if low is None else run | {"ceilings": [
        entry for entry in run["ceilings"] if entry is not low[0]]}


def too_low(run: dict[str, Any]) -> tuple[Entry, float] | None:
    """The ceiling of multiply-adds on all processors that the run itself contradicts, and what they
    did by its other word: as many times one processor's as they were measured to be worth, which is
    more by CONTRADICTED. Other work ran while such a ceiling was measured."""
    host = run.get("host") or {}
    found = {(entry.get("level"), entry.get("threads")): entry
             for entry in run.get("ceilings") or () if isinstance(entry, dict)
             and (entry.get("device"), entry.get("what")) == ("cpu", "fma")
             and isinstance(entry.get("value"), (int, float)) and trusted(entry)}
    one = max((entry for (_, threads), entry in found.items() if threads == 1),
              key=lambda entry: entry["value"], default=None)
    every = found.get((one["level"], host.get("cores"))) if one else None
    if one is None or every is None or not isinstance(host.get("cores_worth"), (int, float)):
        return None
    value = float(host["cores_worth"]) * one["value"]
    return (every, value) if value > CONTRADICTED * every["value"] else None


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


def _most(case: Case, run: dict[str, Any]) -> float:
    """What the ceiling that binds the case allows on its threads; 0 where the run has none."""
    entry = of_share(case, run)
    if entry is None:
        return 0.0
    alone = case.device == "cpu" and entry.get("threads") == 1
    return float(entry["value"]) * (case.threads if alone else 1)


def _times_higher(case: Case, run: dict[str, Any], highest: dict[str, Any]) -> float:
    """How many times as high as in the case's own run the ceiling that binds it is in `highest`; of
    transfers that of the direction in which it differs most."""
    if case.bound_by != "transfer":
        own = _most(case, run)
        return _most(case, highest) / own if own else 1.0
    there = [{_key(entry): float(entry["value"]) for entry in one.get("ceilings") or ()
              if isinstance(entry, dict) and entry.get("value")
              and str(entry.get("what")).startswith("transfer_")
              and entry.get("level") == case.host_memory} for one in (run, highest)]
    return max((there[1][key] / there[0][key] for key in there[0].keys() & there[1].keys()),
               default=1.0)


def _place(run: dict[str, Any]) -> tuple[str, Any]:
    """The host, and how many of its processors the run might use."""
    return host_of(run), (run.get("host") or {}).get("cores")


def mark_shares(cases: Iterable[Case], runs: list[dict[str, Any]],
                everywhere: list[dict[str, Any]] | None = None) -> None:
    """Tells each case its share of the highest trusted ceiling of its host in the runs
    `everywhere`, of the latest where none is trusted; and whether the ceiling that its share was
    formed with can be trusted: it held its self-check, and the case did not pass it where another
    run of the host measured a higher one. A share of a ceiling that its own run contradicts becomes
    one of what that run says instead."""
    known = {str(run.get("run_id")): run for run in runs}
    counted = {name: _counted(run) for name, run in known.items()}
    highest: dict[tuple[str, Any], list[dict[str, Any]]] = {}
    for run in everywhere or runs:
        highest.setdefault(_place(run), []).append(run)
    best = {place: {"ceilings": best_ceilings(of)} for place, of in highest.items()}
    for case in cases:
        own = known.get(case.run_id)
        if case.of_ceiling is None or own is None:
            continue
        entry, raw = of_share(case, own), own
        own = counted[case.run_id]
        if own is not raw and (most := _most(case, own)):
            case.of_ceiling *= _most(case, raw) / most
        case.share_trusted = entry is None or trusted(entry)
        if (higher := _times_higher(case, own, best.get(_place(own), {}))) > 0:
            case.of_highest = case.of_ceiling / higher
            case.share_trusted &= not (higher > 1 and case.above_own_ceiling)
