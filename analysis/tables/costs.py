"""What stands round the measurements: ceilings, what clocks and launches cost, where the time went, disturbances."""

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
SPENT = ("measured_s", "energy_s", "warm_up_s", "pilot_s", "verify_s", "inputs_s", "reference_s", "ceilings_s")


def _of_host(caption: str, host: str, several: bool) -> str:
    """The caption with the host that all rows are of; of several, a column names each."""
    return sentences(caption, ended(say("cost.host") + say("page.colon") + short_host(host)) if host and not several else "")


def ceilings_table(runs: list[dict[str, Any]]) -> Table | None:
    """Every measured ceiling with its self-check, and how far it lay apart over the runs; None where no run holds any."""
    found = every_ceiling(runs)
    if not found:
        return None
    several = len({host for host, _ in found}) > 1
    heads = [*(["host"] if several else []), "device", "what", "level", "threads", "how_checked", "trusted"]
    caption = _of_host(say("cost.ceilings_caption"), found[0][0], several)
    table = Table("ceilings", say("cost.ceilings"), caption, tuple(say(f"cost.{name}") for name in heads), (say("cost.range"),))
    for host, entries in found:
        used = [entry for entry in entries if trusted(entry)] or entries
        entry = used[-1]
        words = (*([short_host(host) or DASH] if several else []), str(entry.get("device", "")).upper(),
                 recorded(str(entry.get("what", "")).replace("_", " ")), recorded(str(entry.get("level") or DASH)),
                 str(entry.get("threads") or DASH), recorded(str(entry.get("how") or DASH)), _trusted_text(entries))
        unit, values = str(entry.get("unit") or ""), [one["value"] for one in used]
        ends = list(dict.fromkeys(plain(value) for value in (min(values), max(values))))
        text = say("cost.from_to", low=ends[0], high=ends[1]) if len(ends) > 1 else ends[0]
        table.rows.append(Row(words, (Cell(f"{text} {unit}".rstrip(), entry["value"], min(values), max(values), unit),)))
    return table


def _trusted_text(entries: list[dict[str, Any]]) -> str:
    """"yes", "no", or "14 of 15" runs; a dash where the records do not say."""
    if all(entry.get("trusted") is None for entry in entries):
        return DASH
    held = sum(map(trusted, entries))
    return say("cost.yes") if held == len(entries) else say("cost.of_runs", trusted=held, runs=len(entries)) if held \
        else say("cost.no")


def clocks_table(runs: list[dict[str, Any]]) -> Table | None:
    """What reading a clock, an empty pair of events or a launch costs; None where no run holds any."""
    hosts = list(hosts_of(runs))
    latest = {(host_of(run), str(entry.get("device")), str(entry.get("what"))): entry for run in runs
              for entry in run.get("costs") or () if isinstance(entry, dict) and isinstance(entry.get("value"), (int, float))}
    found = sorted(latest.items(), key=lambda one: (hosts.index(one[0][0]), str(one[1].get("device"))))
    if not found:
        return None
    several = len({host for (host, *_), _ in found}) > 1
    heads = [*(["host"] if several else []), "device", "what", "how"]
    caption = _of_host(say("cost.costs_caption"), found[0][0][0], several)
    table = Table("costs", say("cost.costs"), caption, tuple(say(f"cost.{name}") for name in heads), (say("cost.time"),))
    for (host, *_), entry in found:
        scale, unit = time_unit(entry["value"])
        words = (*([short_host(host) or DASH] if several else []), str(entry.get("device", "")).upper(),
                 recorded(str(entry.get("what", "")).replace("_", " ")), recorded(str(entry.get("how") or DASH)))
        table.rows.append(Row(words, (Cell(f"{plain(entry['value'] / scale)} {unit}", entry["value"], unit="s"),)))
    return table


def _share(part: float, whole: float) -> str:
    return f"{plain(100 * part / whole, 1)} %"


def spent_text(experiment: Experiment) -> str:
    """"Where the time went: of 63.0 s, 76.2 % measured, …; overhead 4.2 %." over all runs; empty without records."""
    costs = [cost for cost in experiment.costs if isinstance(cost.get("wall_s"), (int, float)) and cost["wall_s"] > 0]
    if not costs:
        return ""
    total = {name: sum(float(cost.get(name) or 0) for cost in costs) for name in SPENT}
    wall = sum(cost["wall_s"] for cost in costs)
    overhead = sum(float(cost.get("overhead") or 0) * cost["wall_s"] for cost in costs)
    parts = [say("cost.part", share=_share(total[name], wall), what=say(f"cost.{name}")) for name in SPENT if total[name] > 0]
    runs = say("cost.runs", runs=counted(len(costs), "run")) if len(costs) > 1 else ""
    start_up = sum(float(cost.get("start_up_s") or 0) for cost in costs)
    why = say("cost.start_up", share=_share(start_up, wall)) if start_up > 0.1 * wall else ""
    return say("cost.spent" if parts else "cost.spent_only", wall=plain(wall), runs=runs, parts=joined(parts),
               overhead=_share(overhead, wall), why=why)


def disturbed_text(cases: list[Case]) -> str:
    """"2 of 40 points were measured while throttled; 1 waited …"; empty where nothing disturbed a point."""
    shown = [case for case in cases if case.shown]
    throttled = [case for case in shown if case.throttled]
    waited = [case for case in shown if case.disturbed]
    again = sum(case.remeasured for case in shown)
    parts = []
    if throttled:
        why = sorted({reason for case in throttled for reason in case.throttle_reasons})
        parts.append(say(_one("cost.throttled", len(throttled)), count=f"{len(throttled):,}",
                         points=counted(len(shown), "point"), why=say("cost.why", reasons=", ".join(map(recorded, why))) if why else ""))
    if waited:
        parts.append(say("cost.waited", count=f"{len(waited):,}", points=counted(len(shown), "point"),
                         share=plain(100 * MOST_DISTURBED, 0)))
    if again:
        parts.append(say(_one("cost.again", again), count=f"{again:,}"))
    return say("number.semicolon").join(parts) + say("number.stop") if parts else ""


def _one(key: str, count: int) -> str:
    return f"{key}_one" if count == 1 else key


def above_ceiling_text(experiment: Experiment) -> str:
    """The points that beat the ceiling that binds them; empty where none does."""
    broken = [(case, case.of_ceiling) for case in experiment.cases
              if case.shown and case.above_ceiling and case.of_ceiling]
    if not broken:
        return ""
    named = [say("cost.above_point", label=case.name, shape=shape_text(*case.shape),
                 share=plain(100 * share, 0)) for case, share in broken]
    return say("cost.above", name=experiment.name, points=counted(len(broken), "point"),
               most=plain(100 * MOST_OF_CEILING, 0), named=listed(named))
