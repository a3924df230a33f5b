"""Two machines or two runs side by side: medians of both, and their ratio, for every point that
both measured. Three or more: compare_many.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

from analysis.tables.tables import (
    MOST_NAMES,
    Cell,
    Notes,
    Row,
    Table,
    marked,
    ratio_cell,
    tie_note,
    time_cell,
)
from records.cases.case import Case, disturbed_words
from records.cases.experiment import Results
from records.cases.ratios import Ratio, unpaired
from records.cases.where import short_host
from records.matching import Match, matched
from records.names.numbers import DASH, counted, joined, percent, plain
from records.schema.operations import shape_text
from records.view import View, machine_name

MOST_LISTED = 50
PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")
NOT_CONFIRMED = "not confirmed: measured while other work ran"


@dataclass(frozen=True)
class Pair:
    """A point that both sides have a number for; above 1 the second is faster."""

    first: Case
    second: Case
    ratio: Ratio

    @property
    def disturbed(self) -> bool:
        """Did other work run on either side? Then no difference is confirmed."""
        return self.first.disturbed or self.second.disturbed

    @property
    def verdict(self) -> str:
        """"faster", "slower", "tie", "not resolved" or "not confirmed"."""
        if self.ratio.undecided:
            return "not resolved"
        if self.ratio.tie:
            return "tie"
        if self.disturbed:
            return "not confirmed"
        return "faster" if self.ratio.value > 1 else "slower"

    def beyond(self, allowed: float) -> bool:
        """Does the slowdown's 99 % interval, noise floor included, lie wholly beyond `allowed`
        percent? Under 6 samples: do its nearest samples lie beyond by UNSURE?"""
        bounds = self.ratio.bounds
        return bounds is not None and bounds[1] * (1 + allowed / 100) < 1

    def slower_than(self, allowed: float) -> bool:
        """Is the second confirmed to be more than `allowed` percent slower: beyond it, and neither
        side disturbed?"""
        return not self.disturbed and self.beyond(allowed)


def names_of(*sides: Results) -> tuple[str, ...]:
    """What to call them: the machines, or their folders or files where machines have one name, or
    these with their place."""
    names = [machine_name(results.runs[-1]) if results.runs else results.folder.name
             for results in sides]
    names = [results.folder.name if names.count(name) > 1 else name for name, results in zip(names,
                                                                                             sides)]
    words = [PLACES[place] if place < len(PLACES) else str(place + 1)
             for place in range(len(names))]
    return tuple(f"{name} ({word})" if names.count(name) > 1 else name for name, word in zip(names,
                                                                                             words))


class Labels:
    """What to call a point among `cases`: its label, and of its scope, cache and so on what is not
    the same for all of them."""

    def __init__(self, cases: Collection[Case]) -> None:
        parts = list(zip(*(case.regime for case in cases)))
        self._apart = [place for place, values in enumerate(parts) if len(set(values)) > 1]

    def of(self, case: Case, cores: str = "") -> str:
        """`cores`: "all cores" where machines have different numbers of them."""
        said = [case.regime[place] for place in self._apart if case.regime[place]]
        name = f"{case.label}, {cores}" if cores else case.label
        return f"{name} ({', '.join(said)})" if said else name


@dataclass
class Comparison:
    """The table of shared points, how many differ, the points that both sides have a number for,
    what makes some of them doubtful, and what is not compared."""

    table: Table
    pairs: list[Pair]
    verdict: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    shared: list[Match] = field(default_factory=list)
    unshared: tuple[list[Case], list[Case]] = ([], [])

    def regressions(self, allowed: float) -> list[Pair]:
        """The points confirmed more than `allowed` percent slower, in the order of the table."""
        return [pair for pair in self.pairs if pair.slower_than(allowed)]

    def doubtful(self, allowed: float) -> list[Pair]:
        """Those that would be regressions, had no other work run while they were measured."""
        return [pair for pair in self.pairs if pair.disturbed and pair.beyond(allowed)]


def compare(first: Results, second: Results, names: tuple[str, ...] = ()) -> Comparison:
    """Sets two result sets side by side; above 1 the second is faster. Where there is more than one
    host, a column names those of each point. `names`: what to call the two."""
    shared, *unshared = matched(first, second)
    names = names or names_of(first, second)
    labels = Labels([match.first for match in shared])
    hosts = len({case.host for match in shared for case in (match.first, match.second)}) > 1
    notes = Notes(View("", "compare", "", (), {}))
    table = Table(
        "compare", "Every shared point", f"Median times; the ratio is the time of {names[0]} over "
        f"that of {names[1]}: above 1 the latter is faster. Brackets hold 95 % confidence "
        "intervals; a ratio's comes from those of the two medians, added in quadrature on the log "
        f"scale. {tie_note()} {noise_text(shared)}",
        ("Implementation", "Shape", "Experiment", *(["Hosts"] if hosts else [])), (*names, "ratio"))
    pairs: list[Pair] = []
    for match in shared:
        both = match.first, match.second
        ratio = unpaired(*both) if all(case.shown for case in both) else None
        pairs += [Pair(*both, ratio)] if ratio else []
        cells = tuple(marked(time_cell(case), notes, case) if case.shown else notes.dash(case)
                      for case in both)
        cores = f"all cores ({match.cores})" if match.cores else ""
        heads = (labels.of(match.first, cores), shape_text(*match.first.shape),
                 match.first.experiment,
                 *([" / ".join(short_host(case.host) or DASH for case in both)] if hosts else []))
        table.rows.append(Row(heads, (*cells, pair_cell(pairs[-1], notes) if ratio else Cell("–"))))
    table.notes = notes.texts()
    warnings = _disturbances(names, first, second)
    remarks = [*_unconfirmed(pairs), *_all_cores(shared), *lost_text(names, shared),
               *unshared_texts(names, *unshared)]
    return Comparison(table, pairs, _verdict(names, pairs), remarks, warnings, shared,
                      (unshared[0], unshared[1]))


def pair_cell(pair: Pair, notes: Notes) -> Cell:
    cell = ratio_cell(pair.ratio)
    if pair.verdict != "not confirmed":
        return cell
    return Cell(f"{cell.text}, not confirmed", cell.value, cell.low, cell.high, cell.unit,
                notes.number(pair.second if pair.second.disturbed else pair.first,
                             disturbed_words()))


def _disturbances(names: tuple[str, ...], first: Results, second: Results) -> list[str]:
    """How many points of each side are disturbed, where any is."""
    counts = []
    for results in (first, second):
        shown = [case for experiment in results.experiments for case in experiment.cases
                 if case.shown]
        counts.append((sum(case.disturbed for case in shown), len(shown)))
    if not any(count for count, _ in counts):
        return []
    said = joined([f"{count:,} of {counted(every, 'point')} on {name}"
                   for name, (count, every) in zip(names, counts)])
    return [f"{said} were {disturbed_words()}; no difference that rests on one is confirmed."]


def _all_cores(shared: list[Match]) -> list[str]:
    found = [match for match in shared if match.cores]
    kinds = sorted({match.cores for match in found})
    return [(f"The numbers of cores differ: {counted(len(found), 'point')} on all cores of each "
             f"machine {'is' if len(found) == 1 else 'are'} set against each other, labelled "
             f"{joined([f'“all cores ({kind})”' for kind in kinds])}.")] if found else []


def noise_text(shared: list[Match]) -> str:
    """The floor is the larger of both sides' for an experiment and device; 0 where neither measured
    twins."""
    floors = [case.noise for match in shared for case in (match.first, match.second) if case.shown]
    if not any(floors):
        return "No noise floor was measured on either side; it is taken as 0."
    return f"The noise floor is the larger of the two sides': up to {percent(max(floors))} here."


def lost_text(names: tuple[str, ...], shared: list[Match]) -> list[str]:
    """Points that had a number and have none any more: no slowdown can be formed, and silence would
    hide them."""
    lost = [f"{match.first.label} at {shape_text(*match.first.shape)} ({match.second.why_left_out})"
            for match in shared if match.first.shown and not match.second.shown]
    return ([(f"{counted(len(lost), 'point')} with a number on {names[0]} "
              f"{'has' if len(lost) == 1 else 'have'} none on {names[1]}: {_listed(lost)}.")]
            if lost else [])


def _listed(texts: list[str]) -> str:
    more = f"; and {len(texts) - MOST_NAMES} more" if len(texts) > MOST_NAMES else ""
    return f"{'; '.join(texts[:MOST_NAMES])}{more}"


def regression_lines(comparison: Comparison, allowed: float) -> list[str]:
    """What `--fail-on-regression` says: a line per point that is confirmed slower, then those that
    are not confirmed."""
    found, doubtful = comparison.regressions(allowed), comparison.doubtful(allowed)
    head = (f"{counted(len(found), 'point')} of {len(comparison.pairs):,} confirmed slower by more "
            f"than {allowed:g} %")
    return [*_lines(head, found),
            *(_lines(f"{counted(len(doubtful), 'more point')} slower by more than {allowed:g} %, "
                     f"but {NOT_CONFIRMED}", doubtful) if doubtful else [])]


def _lines(head: str, found: list[Pair]) -> list[str]:
    lines = [f"{pair.first.experiment}: {pair.first.label} at {shape_text(*pair.first.shape)}: "
             f"{plain(100 * (1 / pair.ratio.value - 1), 1)} % slower"
             for pair in found[:MOST_LISTED]]
    more = [f"{len(found) - MOST_LISTED} more: see the table"] if len(found) > MOST_LISTED else []
    return [head + (":" if found else "."), *(f"  {line}" for line in [*lines, *more])]


def _unconfirmed(pairs: list[Pair]) -> list[str]:
    """The differences that are not declared, because other work ran."""
    found = [f"{pair.first.label} at {shape_text(*pair.first.shape)} ({plain(pair.ratio.value)} "
             "times)" for pair in pairs if pair.verdict == "not confirmed"]
    return [f"{NOT_CONFIRMED.capitalize()}: {_listed(found)}."] if found else []


def _verdict(names: tuple[str, ...], pairs: list[Pair]) -> list[str]:
    if not pairs:
        return [
            "No point has a number that may be shown on both sides, so nothing can be compared."]
    counts = Counter(pair.verdict for pair in pairs)
    ties, unconfirmed = counts["tie"], counts["not confirmed"]
    parts = [f"{word} at {counts[word]:,}" for word in ("faster", "slower", "not resolved")
             if counts[word] or word != "not resolved"]
    parts += ([f"not confirmed at {unconfirmed:,} (measured while other work ran)"]
              if unconfirmed else [])
    return [f"Of {counted(len(pairs), 'shared point')}, {names[1]} is {', '.join(parts)}, and "
            f"{ties:,} tie{'s' if ties == 1 else ''}."]


def unshared_texts(names: tuple[str, ...], mine: list[Case], theirs: list[Case]) -> list[str]:
    found = []
    for name, only in ((names[0], mine), (names[1], theirs)):
        if only:
            found.append(f"{counted(len(only), 'point')} only on {name}: "
                         f"{_listed(sorted({case.label for case in only}))}.")
    return found
