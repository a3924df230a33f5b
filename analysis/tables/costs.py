"""What stands round the measurements: ceilings, what clocks and launches cost, where the time went,
disturbances."""

from __future__ import annotations

from typing import Any

from language import recorded, say
from records.cases.case import MOST_DISTURBED, MOST_OF_CEILING, Case
from records.cases.ceilings import every_ceiling, trusted
from records.cases.experiment import Experiment
from records.cases.hosts import host_of, hosts_of
from records.cases.where import short_host
from records.names.numbers import DASH, counted, joined, plain, time_unit
from records.schema.operations import shape_text

from .tables import Cell, Row, Table, ended, listed, sentences

# Of a `cost` record: the parts of the wall time.
SPENT = {
    "measured_s": "measured", "energy_s": "energy", "warm_up_s": "warm-ups", "pilot_s": "pilots",
    "verify_s": "verification", "inputs_s": "inputs", "reference_s": "references",
    "ceilings_s": "ceilings"}


def _of_host(caption: str, host: str, several: bool) -> str:
    """The caption with the host that all rows are of; of several, a column names each."""
    return sentences(caption, ended(say("Host") + say(": ") + short_host(host)) if host
                     and not several else "")


def ceilings_table(runs: list[dict[str, Any]]) -> Table | None:
    """Every measured ceiling with its self-check, and how far it lay apart over the runs; None
    where no run holds any."""
    found = every_ceiling(runs)
    if not found:
        return None
    several = len({host for host, _ in found}) > 1
    heads = [*([say("Host")] if several else []), say("Device"), say("What"), say("Level"),
             say("Threads"), say("How, and its self-check"), say("Trusted")]
    caption = _of_host(say(
        "Measured in the same runs as the points, and checked against themselves: twice the work "
        "must take twice the time. One that does not hold is not trusted. Lowest and highest: over "
        "the runs whose ceiling is trusted, where there is any; the loop is told as the latest of "
        "them tells it. A point's share is formed with its own run's ceilings: for t threads, the "
        "smaller of the value of all cores and t times that of one thread."), found[0][0], several)
    table = Table("ceilings", say("Measured ceilings"), caption, tuple(heads),
                  (say("lowest to highest"),))
    for host, entries in found:
        used = [entry for entry in entries if trusted(entry)] or entries
        entry = used[-1]
        words = (*([short_host(host) or DASH] if several else []), str(entry.get("device", ""))
                 .upper(), recorded(str(entry.get("what", "")).replace("_", " ")),
                 recorded(str(entry.get("level") or DASH)), str(entry.get("threads") or DASH),
                 recorded(str(entry.get("how") or DASH)), _trusted_text(entries))
        unit, values = str(entry.get("unit") or ""), [one["value"] for one in used]
        ends = list(dict.fromkeys(plain(value) for value in (min(values), max(values))))
        text = say("{low} to {high}", low=ends[0], high=ends[1]) if len(ends) > 1 else ends[0]
        table.rows.append(Row(words, (Cell(f"{text} {unit}".rstrip(), entry["value"], min(values),
                                           max(values), unit),)))
    return table


def _trusted_text(entries: list[dict[str, Any]]) -> str:
    """"yes", "no", or "14 of 15" runs; a dash where the records do not say."""
    if all(entry.get("trusted") is None for entry in entries):
        return DASH
    held = sum(map(trusted, entries))
    return say("yes") if held == len(entries) else say("{trusted} of {runs}", trusted=held,
                                                       runs=len(entries)) if held \
        else say("no")


def clocks_table(runs: list[dict[str, Any]]) -> Table | None:
    """What reading a clock, an empty pair of events or a launch costs; None where no run holds
    any."""
    hosts = list(hosts_of(runs))
    latest = {(host_of(run), str(entry.get("device")), str(entry.get("what"))): entry
              for run in runs for entry in run.get("costs") or ()
              if isinstance(entry, dict) and isinstance(entry.get("value"), (int, float))}
    found = sorted(latest.items(),
                   key=lambda one: (hosts.index(one[0][0]), str(one[1].get("device"))))
    if not found:
        return None
    several = len({host for (host, *_), _ in found}) > 1
    heads = [*([say("Host")] if several else []), say("Device"), say("What"), say("How")]
    caption = _of_host(say("The least time that can be told from nothing; small GPU points are "
                           "timed in batches or graph replays, so that this is not what is "
                           "measured."), found[0][0][0], several)
    table = Table("costs", say("What clocks and launches cost"), caption, tuple(heads),
                  (say("time"),))
    for (host, *_), entry in found:
        scale, unit = time_unit(entry["value"])
        words = (*([short_host(host) or DASH] if several else []), str(entry.get("device", ""))
                 .upper(), recorded(str(entry.get("what", "")).replace("_", " ")),
                 recorded(str(entry.get("how") or DASH)))
        table.rows.append(Row(words, (Cell(f"{plain(entry['value'] / scale)} {unit}",
                                           entry["value"], unit="s"),)))
    return table


def _share(part: float, whole: float) -> str:
    return f"{plain(100 * part / whole, 1)} %"


def spent_text(experiment: Experiment) -> str:
    """"Where the time went: of 63.0 s, 76.2 % measured, …; overhead 4.2 %." over all runs; empty
    without records."""
    costs = [cost for cost in experiment.costs
             if isinstance(cost.get("wall_s"), (int, float)) and cost["wall_s"] > 0]
    if not costs:
        return ""
    total = {name: sum(float(cost.get(name) or 0) for cost in costs) for name in SPENT}
    wall = sum(cost["wall_s"] for cost in costs)
    overhead = sum(float(cost.get("overhead") or 0) * cost["wall_s"] for cost in costs)
    parts = [say("{share} {what}", share=_share(total[name], wall), what=say(said))
             for name, said in SPENT.items() if total[name] > 0]
    runs = say(" of {runs}", runs=counted(len(costs), "run")) if len(costs) > 1 else ""
    start_up = sum(float(cost.get("start_up_s") or 0) for cost in costs)
    why = say(", of which {share} starting and checking fresh processes",
              share=_share(start_up, wall)) if start_up > 0.1 * wall else ""
    return say("Where the time went: of {wall} s{runs}, {parts}; overhead {overhead}{why}."
               if parts else "Where the time went: {wall} s{runs}, overhead {overhead}.",
               wall=plain(wall), runs=runs, parts=joined(parts),
               overhead=_share(overhead, wall), why=why)


def disturbed_text(cases: list[Case]) -> str:
    """"2 of 40 points were measured while throttled; 1 waited …"; empty where nothing disturbed a
    point."""
    shown = [case for case in cases if case.shown]
    throttled = [case for case in shown if case.throttled]
    waited = [case for case in shown if case.disturbed]
    again = sum(case.remeasured for case in shown)
    parts = []
    if throttled:
        why = sorted({reason for case in throttled for reason in case.throttle_reasons})
        parts.append(say("{count} of {points} was measured while throttled{why}"
                         if len(throttled) == 1
                         else "{count} of {points} were measured while throttled{why}",
                         count=f"{len(throttled):,}",
                         points=counted(len(shown), "point"),
                         why=say(" ({reasons})", reasons=", ".join(map(recorded, why))) if why else
                             ""))
    if waited:
        parts.append(say("{count} of {points} lost more than {share} % of the timed seconds to "
                         "other programs (run-queue delay or steal)", count=f"{len(waited):,}",
                         points=counted(len(shown), "point"), share=plain(100 * MOST_DISTURBED, 0)))
    if again:
        parts.append(say("{count} was measured again after throttling" if again == 1
                         else "{count} were measured again after throttling", count=f"{again:,}"))
    return say("; ").join(parts) + say(".") if parts else ""


def above_ceiling_text(experiment: Experiment) -> str:
    """The points that beat the ceiling that binds them; empty where none does."""
    broken = [(case, case.of_highest or case.of_ceiling) for case in experiment.cases
              if case.shown and case.above_ceiling and case.of_ceiling]
    if not broken:
        return ""
    named = [say("{label} at {shape} ({share} %)", label=case.name, shape=shape_text(*case.shape),
                 share=plain(100 * share, 0)) for case, share in broken]
    return say("{name}: {points} above {most} % of the ceiling that binds, which cannot be: a "
               "broken measurement of the point or of the ceiling: {named}.", name=experiment.name,
               points=counted(len(broken), "point"),
               most=plain(100 * MOST_OF_CEILING, 0), named=listed(named))
