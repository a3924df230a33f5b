"""The points of the records as columns: a number or the place of a dictionary's entry for each
point.

Only points that may be shown are in it; how many are not, and why, is counted for each experiment.
Times are seconds, rates in the unit of their shape's entry, shares parts of 1, energy joules per
call. Numbers keep six digits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import orjson

from language import recorded, say
from records.cases.case import Case
from records.cases.where import short_host
from records.loading import Experiment, Results
from records.names.naming import colour_of, display_name, family_of, parameter_text
from records.names.palette import dark_of
from records.schema.operations import extents, is_time, shape_text
from records.view import machine_name, title_of

from .spread import Spreads

VERSION = 2
Sets = Sequence[tuple[str, Results]]
REGIME = ("scope", "cache", "distribution", "host_memory", "allocation", "module_loading", "load",
          "group", "precision")
NUMBERS = {"median": "median_s", "rate": "rate", "share": "of_ceiling",
           "energy": "energy_j_per_call", "eta": "eta_max", "count": "sample_count",
           "calls": "calls_per_sample", "threads": "threads_actual", "clock": "clock_mhz",
           "power": "power_w"}
BOOKS = ("experiments", "shapes", "variants", "hosts", "regimes", "runs", "notes")


def short(values: Iterable[float | int | None]) -> list[float | int | None]:
    """Six digits of each number; whole numbers as they are."""
    return [float(f"{value:.6g}") if isinstance(value, float) else value for value in values]


class _Book:
    """Entries that many points share, each once, in the order in which they come."""

    def __init__(self) -> None:
        self.entries: list[Any] = []
        self._places: dict[Any, int] = {}

    def place(self, key: Any, entry: Any) -> int:
        """Where the entry stands; `entry` is called for a key that is new."""
        found = self._places.get(key)
        if found is None:
            found = self._places[key] = len(self.entries)
            self.entries.append(entry())
        return found


def _variant(case: Case) -> dict[str, Any]:
    """An implementation with its parameters: its name and colours, its name without each parameter,
    each parameter said."""
    parameters = case.parameters
    colour = colour_of(case)
    without = {name: display_name(case, (name,)) for name in parameters}
    name = display_name(case)
    return {"implementation": case.implementation, "device": case.device,
            "parameters": dict(parameters), "name": name,
            "without": {key: other for key, other in without.items() if other != name},
            "said": {key: parameter_text(key, value) for key, value in parameters.items()},
            "family": family_of(case), "colour": [colour, dark_of().get(colour, colour)]}


def _shape(case: Case) -> dict[str, Any]:
    """What was computed: the operation, its extents, its options in words, the unit of its rate and
    whether less of it is better; `size` where all extents are one."""
    there = extents(case.shape)
    options = say(", ").join(recorded(str(option)) for option in case.shape[len(there):])
    return {"operation": case.operation, "dims": case.dims, "options": options,
            "text": shape_text(*case.shape), "size": there[0] if len(set(there)) == 1 else None,
            "unit": case.rate_unit, "less": is_time(case.rate_unit)}


def _regime(case: Case) -> dict[str, str]:
    """What a point is compared with alike; what does not qualify it is left out."""
    found = {name: str(getattr(case, name)) for name in REGIME if getattr(case, name)}
    if case.replica:
        found["replica"] = str(case.replica)
    if case.handicap:
        found["handicap"] = f"{case.handicap:g}"
    return found


def _notes(case: Case) -> dict[str, Any]:
    """What the pointer tells beside the numbers."""
    marks = [name for name in ("disturbed", "throttled", "crowded", "remeasured")
             if getattr(case, name)]
    found = {"chosen": dict(case.chosen), "bound_by": case.bound_by,
             "marks": marks, "timing": case.timing,
             "energy_source": case.energy_source if case.energy_j_per_call else "",
             "doubtful": not case.share_trusted}
    return {name: value for name, value in found.items() if value}


def _numbers(cases: list[Case]) -> dict[str, list[Any]]:
    """The columns of numbers."""
    ends = [case.ci95_s or (None, None) for case in cases]
    fields = {name: list(map(attrgetter(field), cases)) for name, field in NUMBERS.items()}
    fields |= {"low": [low for low, _ in ends], "high": [high for _, high in ends]}
    return {name: short(values) for name, values in fields.items()}


class _Places:
    """Collects points: the places of what they share, column by column."""

    def __init__(self) -> None:
        self.cases: list[Case] = []
        self.books = {name: _Book() for name in BOOKS}
        self.columns: dict[str, list[int]] = {name[:-1]: [] for name in BOOKS}
        # what is already in the books, by what costs little to look up
        self._variants: dict[tuple, int] = {}
        self._notes: dict[tuple, int] = {}

    def take(self, case: Case, experiment: int, host: dict[str, Any], run: dict[str, Any]) -> None:
        """Adds a point of the experiment at that place."""
        books, columns = self.books, self.columns
        self.cases.append(case)
        columns["experiment"].append(experiment)
        computed = case.operation, case.shape, case.rate_unit
        columns["shape"].append(books["shapes"].place(computed, lambda: _shape(case)))
        columns["variant"].append(self._variant_of(case))
        columns["host"].append(books["hosts"].place((host.get("set", ""),
                                                     host["id"] or host["machine"]), lambda: host))
        key = (case.regime, case.group, case.precision, case.replica, case.handicap)
        columns["regime"].append(books["regimes"].place(key, lambda: _regime(case)))
        columns["run"].append(books["runs"].place(case.run_id, lambda: _run(case.run_id, run)))
        columns["note"].append(self._note_of(case))

    def _variant_of(self, case: Case) -> int:
        """Cases as read from a file share their table of parameters, which is written out once."""
        key = case.implementation, id(case.parameters)
        place = self._variants.get(key)
        if place is None:
            place = self._variants[key] = self.books["variants"].place(
                (case.implementation, orjson.dumps(case.parameters)), lambda: _variant(case))
        return place

    def _note_of(self, case: Case) -> int:
        """The same of what the pointer tells: most points have the same to tell."""
        key = (id(case.chosen), case.bound_by, case.disturbed, case.throttled, case.crowded,
               case.remeasured, case.timing, case.energy_source if case.energy_j_per_call else "",
               case.share_trusted)
        place = self._notes.get(key)
        if place is None:
            notes = _notes(case)
            place = self._notes[key] = self.books["notes"].place(orjson.dumps(notes), lambda: notes)
        return place


def _run(name: str, run: dict[str, Any]) -> dict[str, str]:
    program = run.get("program") or {}
    return {"id": name, "date": str(run.get("started_utc") or "")[:10],
            "commit": str(program.get("commit") or "")[:12]}


def _host(run: dict[str, Any], host: str) -> dict[str, Any]:
    return {"machine": machine_name(run), "id": short_host(host),
            "cores": int((run.get("host") or {}).get("cores") or 0)}


@dataclass(frozen=True)
class _Source:
    """Whose the points of an experiment are: `name` where several sets of records are looked at
    together."""

    name: str = ""
    reference: bool = False


def _experiments(results: Results, reference: Results | None,
                 sets: Sets) -> Iterator[tuple[Experiment, _Source]]:
    for name, one in sets or [("", results)]:
        yield from ((experiment, _Source(name)) for experiment in one.experiments)
    yield from ((experiment, _Source(reference=True))
                for experiment in (reference.experiments if reference else ()))


def _left_out(cases: Iterable[Case]) -> dict[str, int]:
    """Why points are not in it: "skipped" -> 3."""
    why = Counter(recorded(case.status) if case.status != "ok" else case.why_left_out
                  for case in cases if not case.shown)
    return dict(sorted(why.items()))


def payload_of(results: Results, reference: Results | None = None,
               sets: Sets = ()) -> dict[str, Any]:
    """All that the explorer knows of the records, and of those of the machine that stands in; of
    several sets by name where there are `sets`."""
    made = _Places()
    for experiment, source in _experiments(results, reference, sets):
        runs = {run.get("run_id"): run for run in experiment.runs}
        hosts: dict[tuple, dict[str, Any]] = {}
        entry = {"name": experiment.name, "title": title_of(experiment), "left_out": {}}
        place = made.books["experiments"].place(experiment.name, lambda: entry)
        known = made.books["experiments"].entries[place]
        known["left_out"] = dict(Counter(known["left_out"]) + Counter(_left_out(experiment.cases)))
        for case in (*experiment.cases, *experiment.elsewhere):
            if case.shown:
                run = runs.get(case.run_id, experiment.run)
                if (case.host, source) not in hosts:
                    hosts[case.host, source] = _host(run, case.host) | (
                        {"reference": True} if source.reference else {}) | (
                            {"set": source.name} if source.name else {})
                made.take(case, place, hosts[case.host, source], run)
    used = {name: book.entries for name, book in made.books.items()}
    words = {one: recorded(one) for one in (
        *(value for regime in used["regimes"] for value in regime.values()),
        *(shape["operation"] for shape in used["shapes"]))}
    return {"kind": "gemmlab explorer", "version": VERSION, **used,
            "columns": made.columns | _numbers(made.cases),
            "words": {one: said for one, said in words.items() if said != one},
            "samples": Spreads(made.cases).packed()}
