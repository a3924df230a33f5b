"""Tables of what stands behind the times: what the statistics can tell apart, what a kernel
occupies, and the first call."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from statistics import median

from language import say
from records.cases.case import Case
from records.cases.ratios import Ratio, median_interval, speedup
from records.cases.series import series_of
from records.names.numbers import (
    DASH,
    counted,
    ends_of,
    percent,
    plain,
    ratio_text,
    time_unit,
    with_interval,
)
from records.schema.operations import shape_text
from records.view import View

from .tables import (
    MOST_NAMES,
    Cell,
    Row,
    Table,
    brackets_note,
    empty,
    listed,
    ratio_cell,
    sentences,
)


@dataclass
class Comparisons:
    """Points against their plain self: `expected` counts the ties of equal code, the slower ones of
    handicapped code."""

    implementation: str
    what: str
    handicap: float
    # times faster than the plain point
    ratios: list[tuple[Case, Ratio]] = field(default_factory=list)

    @property
    def ties(self) -> int:
        return sum(ratio.tie for _, ratio in self.ratios)

    @property
    def slower(self) -> int:
        return sum(not ratio.tie and ratio.value < 1 for _, ratio in self.ratios)

    @property
    def expected(self) -> int:
        return self.slower if self.handicap else self.ties

    @property
    def exceptions(self) -> list[str]:
        return [say("{label} at {shape}: {value} times", label=case.name,
                    shape=shape_text(*case.shape),
                    value=ratio_text(ratio.value, ratio.low, ratio.high))
                for case, ratio in self.ratios
                if (ratio.tie or ratio.value >= 1 if self.handicap else not ratio.tie)]


def _point(case: Case) -> tuple:
    return (case.group, case.implementation, json.dumps(case.parameters, sort_keys=True),
            case.shape, case.regime)


def comparisons(cases: list[Case]) -> list[Comparisons]:
    """Every shown replica and handicapped point against the plain point, by implementation and
    handicap."""
    plain_points = {_point(case): case for case in cases if not case.replica and not case.handicap}
    found: dict[tuple[str, float], Comparisons] = {}
    for case in cases:
        base = plain_points.get(_point(case))
        if base is None or base is case:
            continue
        key = case.implementation, case.handicap
        what = say("{share} % of the rows computed twice",
                   share=f"{100 * case.handicap:g}") if case.handicap else say(
            "the same code under another label")
        found.setdefault(key, Comparisons(*key[:1], what,
                                          case.handicap)).ratios.append((case, speedup(base, case)))
    return [found[key] for key in sorted(found, key=lambda key: (key[1], key[0]))]


def _together(of: list[Comparisons]) -> list[Comparisons]:
    """The sum over implementations, for each handicap that several have."""
    made = []
    for handicap in dict.fromkeys(one.handicap for one in of):
        parts = [one for one in of if one.handicap == handicap]
        if len(parts) > 1:
            made.append(Comparisons(say("all"), parts[0].what, handicap,
                                    [pair for one in parts for pair in one.ratios]))
    return made


def noise_table(view: View) -> Table:
    """How often the same code ties with itself, and code made slower on purpose is found slower."""
    found = comparisons(view.shown)
    if not found:
        return empty(view, say("No point of this experiment was measured under two labels or made "
                               "slower on purpose."))
    floors = sorted({case.noise for case in view.shown})
    table = Table.of(view, say(
        "A difference is declared where the 99 % interval of the ratio lies wholly outside 1 ± the "
        "noise floor ({floors}). Equal code should tie, code with a handicap should be found "
        "slower; the notes name what did otherwise.",
        floors=say(" or ").join(map(percent, floors))),
                     (say("Implementation"), say("Against the plain point")),
                     (say("comparisons"), say("as expected"), say("ties"), say("found slower"),
                      say("found faster")))
    for one in [*found, *_together(found)]:
        count, note = len(one.ratios), 0
        if one.exceptions and one in found:
            table.notes.append(say("Not found slower: {points}." if one.handicap
                                   else "Told apart: {points}.",
                                   points=listed(one.exceptions)))
            note = len(table.notes)
        numbers = one.ties, one.slower, count - one.ties - one.slower
        table.rows.append(Row((one.implementation, one.what), (
            Cell(str(count), count), Cell(say("{count} of {all}", count=one.expected, all=count),
                                          one.expected, note=note),
            *(Cell(str(number), number) for number in numbers))))
    return table


def noise_sentences(view: View) -> list[str]:
    """"The same code under another label tied in 98 of 100 comparisons." and the like, over all
    implementations."""
    found = comparisons(view.shown)
    texts = []
    for handicap in sorted({one.handicap for one in found}):
        parts = [one for one in found if one.handicap == handicap]
        of, expected = sum(len(one.ratios) for one in parts), sum(one.expected for one in parts)
        texts.append(say("With {what}, {expected} of {points} were found slower.",
                         what=parts[0].what, expected=expected, points=counted(of,
            "point")) if handicap
                     else say("The same code under another label tied in {expected} of "
                              "{comparisons}.", expected=expected,
                              comparisons=counted(of, "comparison")))
    return texts


_LIMIT = "occupancy_limit"
# Of a record: its name, how that is said, and how many are one of what is shown.
RESOURCES = (("registers", "registers per thread", 1), ("spill_bytes", "spilled bytes", 1),
             ("static_shared_bytes", "static shared KiB", 1024),
             ("dynamic_shared_bytes", "dynamic shared KiB", 1024),
             ("blocks_per_sm", "blocks per SM", 1), ("occupancy", "occupancy", None),
             (_LIMIT, "limited by", None))


def _resource(case: Case, name: str, unit: int | None) -> Cell:
    value = case.resources.get(name)
    if name == _LIMIT and isinstance(value, str):
        return Cell(say(", ").join(say("nothing" if part == "none" else part, context="limit")
                                   for part in value.split(" and ")))
    if not isinstance(value, (int, float)):
        return Cell(DASH)
    if unit is None:
        return Cell(f"{plain(100 * value, 0)} %", value, unit="1")
    shown = value / unit
    return Cell(f"{shown:,.0f}" if shown == round(shown) else plain(shown, 1), value,
                unit="byte" if "bytes" in name else "1")


def resources_table(view: View) -> Table:
    """What each GPU kernel occupies, at the largest shape at which it has a number."""
    found: list[tuple[str, Case]] = []
    without = []
    for series in series_of(case for case in view.shown if case.device == "gpu"):
        known = [case for case in series.cases if case.resources]
        if known:
            found.append((series.name, known[-1]))
        else:
            without.append(series.name)
    if not found:
        return empty(view, say("No point records what its kernel occupies (only the suite's own "
                               "GPU kernels do)."))
    # older records do not say what limits the occupancy
    columns = [(name, said, unit) for name, said, unit in RESOURCES
               if name != _LIMIT or any(_LIMIT in case.resources for _, case in found)]
    table = Table.of(view, say(
        "What one kernel occupies, as compiled and as the driver reports it, at the largest shape "
        "measured. A {dash}: not recorded.", dash=DASH), (say("Implementation"), say("Shape")),
                     tuple(say(said) for _, said, _ in columns),
                     [Row((label, shape_text(*case.shape)),
                          tuple(_resource(case, name, unit) for name, _, unit in columns))
                      for label, case in found])
    if without:
        table.notes.append(say("Not known of {names}.", names=listed(without)))
    return table


PHASES = ("context", "allocation", "transfer_in", "prepare", "module", "kernel", "transfer_out")


def phase_name(name: str) -> str:
    """What a phase of the first call is called."""
    return say(name.replace("_", " "))


def phases_of(cases: list[Case]) -> list[str]:
    """The phases that the cases record, in the order in which they happen; unknown ones last."""
    there = dict.fromkeys(name for case in cases for name, values in case.first_call_s.items()
                          if values)
    return [*(name for name in PHASES if name in there),
            *(name for name in there if name not in PHASES)]


def first_calls(cases: list[Case]) -> list[Case]:
    """Those that timed fresh processes and know the phases."""
    return [case for case in cases if case.shown and any(case.first_call_s.values())]


def steady_ratio(case: Case) -> Ratio | None:
    """First call over a steady call of the same process: the median over the processes. None where
    none was timed."""
    ratios = sorted(first / steady for first, steady in zip(case.samples_s, case.steady_s)
                    if steady > 0)
    if not ratios:
        return None
    return Ratio(median(ratios), *ends_of(median_interval(ratios)), len(ratios))


def first_call_sentences(view: View) -> list[str]:
    """"First call at 1024: naive, lazy takes 264 ms, 292 times its steady call, most of it context
    (214 ms)." for each implementation at the largest shape, at most MOST_NAMES."""
    cases = first_calls(list(view.cases))
    texts = []
    for series in series_of(cases)[:MOST_NAMES]:
        case = series.cases[-1]
        ratio = steady_ratio(case)
        longest = max(((name, median(values)) for name, values in case.first_call_s.items()
                       if values), key=lambda one: one[1])
        steady = say(", {value} times its steady call",
                     value=with_interval(ratio.value, ratio.low, ratio.high)) if ratio else ""
        texts.append(say("The first call of {name} at {shape} takes {time}{steady}; the longest "
                         "phase is {phase}, with {longest}.", name=series.name,
                         shape=shape_text(*case.shape), steady=steady,
                         time=_seconds(case.median_s).text, phase=phase_name(longest[0]),
                         longest=_seconds(longest[1]).text))
    return texts


def _seconds(value: float | None) -> Cell:
    if value is None:
        return Cell(DASH)
    scale, unit = time_unit(value)
    return Cell(f"{plain(value / scale)} {unit}", value, unit="s")


def first_call_table(view: View) -> Table:
    """The phases of a fresh process's first multiplication, and the same call later on."""
    cases = first_calls(list(view.cases))
    if not cases:
        return empty(view, say("No point has the scope first-call, so the first call is not split "
                               "into phases."))
    phases = phases_of(cases)
    table = Table.of(view, sentences(say(
        "One fresh process per sample: median of each phase of its first multiplication, of their "
        "total, and of a steady call later in the same process; the ratio is taken process by "
        "process."), brackets_note()),
                     (say("Implementation"), say("Shape")),
                     (*map(phase_name, phases), say("first call"), say("steady call"),
                      say("times longer")))
    for series in series_of(cases):
        for case in series.cases:
            known = [case.first_call_s.get(name) for name in phases]
            ratio = steady_ratio(case)
            table.rows.append(Row((series.name, shape_text(*case.shape)), (
                *(_seconds(median(values) if values else None) for values in known),
                _seconds(case.median_s),
                _seconds(median(case.steady_s) if case.steady_s else None),
                ratio_cell(ratio, itself=True) if ratio else Cell(DASH))))
    return table
