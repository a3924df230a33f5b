"""What stands round the measurements: ceilings, what clocks and launches cost, where the time went, disturbances."""

from __future__ import annotations

from typing import Any

from .case import MOST_DISTURBED, MOST_OF_CEILING, Case
from .ceilings import best_ceilings
from .numbers import DASH, counted, joined, plain, shape_text, time_unit
from .records import Experiment
from .tables import MOST_NAMES, Cell, Row, Table

# Of a `cost` record: what each part of the wall time is called.
SPENT = (("measured_s", "measured"), ("warm_up_s", "warm-ups"), ("pilot_s", "pilots"), ("verify_s", "verification"),
         ("inputs_s", "inputs"), ("reference_s", "references"), ("ceilings_s", "ceilings"))


def ceilings_table(runs: list[dict[str, Any]]) -> Table | None:
    """Every measured ceiling with its self-check; None where no run holds any."""
    found = best_ceilings(runs)
    if not found:
        return None
    table = Table("ceilings", "Measured ceilings", "Measured in the same runs as the points, and checked against "
                  "themselves: twice the work must take twice the time. One that does not hold is not trusted, and a trusted one of "
                  "another run stands in for it where there is any. A point's share is formed with its own run's ceilings: for "
                  "t threads, the smaller of the value of all cores and t times that of one thread.",
                  ("Device", "What", "Level", "Threads", "How, and its self-check", "Trusted"), ("value",))
    for entry in found:
        trusted = {True: "yes", False: "no"}.get(entry.get("trusted"), DASH)
        heads = (str(entry.get("device", "")).upper(), str(entry.get("what", "")).replace("_", " "),
                 str(entry.get("level") or DASH), str(entry.get("threads") or DASH), str(entry.get("how") or DASH), trusted)
        unit = str(entry.get("unit") or "")
        table.rows.append(Row(heads, (Cell(f"{plain(entry['value'])} {unit}".rstrip(), entry["value"], unit=unit),)))
    return table


def clocks_table(runs: list[dict[str, Any]]) -> Table | None:
    """What reading a clock, an empty pair of events or a launch costs; None where no run holds any."""
    latest = {(str(entry.get("device")), str(entry.get("what"))): entry for run in runs for entry in run.get("costs") or ()
              if isinstance(entry, dict) and isinstance(entry.get("value"), (int, float))}
    found = sorted(latest.values(), key=lambda entry: str(entry.get("device")))
    if not found:
        return None
    table = Table("costs", "What clocks and launches cost", "The least time that can be told from nothing; small GPU points "
                  "are timed in batches or graph replays, so that this is not what is measured.",
                  ("Device", "What", "How"), ("time",))
    for entry in found:
        scale, unit = time_unit(entry["value"])
        heads = (str(entry.get("device", "")).upper(), str(entry.get("what", "")).replace("_", " "),
                 str(entry.get("how") or DASH))
        table.rows.append(Row(heads, (Cell(f"{plain(entry['value'] / scale)} {unit}", entry["value"], unit="s"),)))
    return table


def _share(part: float, whole: float) -> str:
    return f"{plain(100 * part / whole, 1)} %"


def spent_text(experiment: Experiment) -> str:
    """"Where the time went: of 63.0 s, 76.2 % measured, …; overhead 4.2 %." over all runs; empty without records."""
    costs = [cost for cost in experiment.costs if isinstance(cost.get("wall_s"), (int, float)) and cost["wall_s"] > 0]
    if not costs:
        return ""
    total = {name: sum(float(cost.get(name) or 0) for cost in costs) for name, _ in SPENT}
    wall = sum(cost["wall_s"] for cost in costs)
    overhead = sum(float(cost.get("overhead") or 0) * cost["wall_s"] for cost in costs)
    parts = [f"{_share(total[name], wall)} {said}" for name, said in SPENT if total[name] > 0]
    runs = f" of {counted(len(costs), 'run')}" if len(costs) > 1 else ""
    start_up = sum(float(cost.get("start_up_s") or 0) for cost in costs)
    why = f", of which {_share(start_up, wall)} starting and checking fresh processes" if start_up > 0.1 * wall else ""
    return f"Where the time went: of {plain(wall)} s{runs}, {joined(parts)}; overhead {_share(overhead, wall)}{why}." if parts \
        else f"Where the time went: {plain(wall)} s{runs}, overhead {_share(overhead, wall)}."


def disturbed_text(cases: list[Case]) -> str:
    """"2 of 40 points were measured while throttled; 1 waited …"; empty where nothing disturbed a point."""
    shown = [case for case in cases if case.shown]
    throttled = [case for case in shown if case.throttled]
    waited = [case for case in shown if case.disturbed]
    again = sum(case.remeasured for case in shown)
    parts = []
    if throttled:
        why = sorted({reason for case in throttled for reason in case.throttle_reasons})
        parts.append(f"{len(throttled):,} of {counted(len(shown), 'point')} {_was(len(throttled))} measured while throttled"
                     + (f" ({', '.join(why)})" if why else ""))
    if waited:
        parts.append(f"{len(waited):,} of {counted(len(shown), 'point')} lost more than {plain(100 * MOST_DISTURBED, 0)} % of "
                     "the timed seconds to other programs (run-queue delay or steal)")
    if again:
        parts.append(f"{again:,} {_was(again)} measured again after throttling")
    return f"{'; '.join(parts)}." if parts else ""


def _was(count: int) -> str:
    return "was" if count == 1 else "were"


def above_ceiling_text(experiment: Experiment) -> str:
    """The points that beat the ceiling that binds them; empty where none does."""
    broken = [case for case in experiment.cases if case.shown and case.above_ceiling]
    if not broken:
        return ""
    named = [f"{case.label} at {shape_text(*case.shape)} ({plain(100 * case.of_ceiling, 0)} %)" for case in broken]
    more = f"; and {len(named) - MOST_NAMES} more" if len(named) > MOST_NAMES else ""
    return f"{experiment.name}: {counted(len(broken), 'point')} above {plain(100 * MOST_OF_CEILING, 0)} % of the ceiling that " \
           f"binds, which cannot be: a broken measurement of the point or of the ceiling: {'; '.join(named[:MOST_NAMES])}{more}."
