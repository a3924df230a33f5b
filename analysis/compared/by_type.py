"""What a type buys: of each type that matrices have, and of each precision that products of float32
are computed in, the fastest method, beside the fastest of float32 in float32."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from analysis.answer.names import cores_of
from analysis.tables.heads import Head, rounded, with_remark
from analysis.tables.kind import Section
from analysis.tables.rates import rate_cell
from analysis.tables.tables import (
    Cell,
    Notes,
    Row,
    Table,
    brackets_note,
    empty,
    marked,
    ratio_cell,
    sentences,
    time_cell,
    units_text,
)
from language import recorded, say
from records.cases.case import SPLIT, Case
from records.cases.phrases import by_medians, over_its_own, pairing, quoted, unsound
from records.cases.ratios import NEAR, Ratio, speedup
from records.names.numbers import DASH, joined, plain
from records.schema.operations import option_text, shape_text
from records.view import View, cases_of

UNIT = 2.0**-24  # of an error
APART = 1.02  # times the clock: ratios whose clocks differ by more are of more than the types
SIGNIFICAND = {"float16": 11, "bfloat16": 8, "float8_e4m3": 4, "float8_e5m2": 3}  # bits
TYPES = {"type", "result"}
TURNED = {"transpose_a", "transpose_b"}  # how operands are stored: no other product

Place = tuple[tuple[int, ...], int]  # m, n, k and threads of a CPU


@dataclass(frozen=True)
class Bought:
    """The fastest of its type and precision, and the fastest of float32 in float32 there."""

    case: Case
    base: Case
    level: tuple[Case, ...] = ()  # of its type and precision those that are as fast: see _level

    @cached_property
    def ratio(self) -> Ratio:
        return speedup(self.base, self.case)

    @property
    def method(self) -> str:
        """"matrix, tuned (level with cublasLt, typed)": the one whose numbers these are first."""
        return with_remark(self.case.name, say("level with {other}", other=say("; ").join(
            one.name for one in self.level)) if self.level else "")

    def _times_less(self, of: Callable[[Case], float | None]) -> float | None:
        """How many times as much float32 takes."""
        own, base = of(self.case), of(self.base)
        return base / own if own and base else None

    @property
    def unpaused(self) -> float | None:
        """How many times as fast in calls without a pause, those that its joules are of."""
        return self._times_less(lambda one: one.energy_s / one.energy_calls
                          if one.energy_s and one.energy_calls else None)

    @property
    def is_base(self) -> bool:
        return self.case is self.base

    @property
    def fewer(self) -> float | None:
        """How many times the joules float32 takes."""
        return self._times_less(lambda one: one.energy_j_per_call)

    @property
    def digits(self) -> float | None:
        """Decimal digits of the sum of absolute terms that the largest error leaves, at least:
        where C is rounded to a narrower type, half a unit of it counts whole (see at_least_text).
        None where no error was found, or the type has no such unit."""
        eta, narrow = self.case.eta_max, rounded_to(self.case)
        if eta is None or (narrow and narrow not in SIGNIFICAND):
            return None
        lost = eta * UNIT + (2.0**-SIGNIFICAND[narrow] if narrow else 0)
        return -math.log10(lost) if lost else None


def at_least_text(one: Bought) -> str:
    """What makes the digits a bound, and that they are of the matrices as they are given; empty
    where they are of the largest error that was found."""
    narrow = rounded_to(one.case)
    return say("at least: half a unit of {type}, which C is rounded to, counts whole; A and B are "
               "as they are given in their type", type=recorded(narrow)) if narrow else ""


def rounded_to(case: Case) -> str:
    """The type of 8 or 16 bits that C is rounded to, which its error does not count: it is of what
    is beyond; empty where C holds its sums."""
    result = _result(case)
    return "" if result in ("float32", "int32") else result


def _result(case: Case) -> str:
    return str(case.options.get("result") or _type(case))


def _type(case: Case) -> str:
    return str(case.options.get("type") or "float32")


def _kind(case: Case) -> tuple[str, str, str]:
    """Type, result, and of float32 the precision that it is computed in."""
    return _type(case), _result(case), case.precision if _type(case) == "float32" else ""


def _is_plain(case: Case) -> bool:
    return _kind(case) == ("float32", "float32", "fp32")


def type_text(case: Case) -> str:
    """"float32", "float32 in bf16", "int8, to int32, B transposed"."""
    if _type(case) != "float32":
        turned = sorted(TURNED & case.options.keys())
        return say(", ").join(recorded(option_text(name, case.options[name]))
                              for name in ("type", "result", *turned) if name in case.options)
    return (recorded("float32") if _is_plain(case)
            else say("float32 in {precision}", precision=recorded(case.precision)))


def _usable(view: View) -> list[Case]:
    """Under the regime that most points have: types are compared, and nothing else."""
    own = [case for case in view.shown if not case.copy and case.options.keys() <= TYPES | TURNED]
    most = Counter(case.regime for case in own).most_common(1)
    return [case for case in own if case.regime == most[0][0]]


def bought(view: View) -> dict[Place, list[Bought]]:
    """The largest product first, of one the most threads; of each place float32 in float32 first,
    then the slowest type. Only places that have float32 in float32 and something else."""
    at: dict[Place, dict[tuple, list[Case]]] = {}
    for case in sorted(_usable(view), key=lambda one: one.median_s):
        at.setdefault((tuple(case.dims.values()), case.threads if case.device == "cpu" else 0),
                      {}).setdefault(_kind(case), []).append(case)
    made = {}
    for place in sorted(at, key=lambda one: (math.prod(one[0]), one), reverse=True):
        base = next((cases[0] for cases in at[place].values() if _is_plain(cases[0])), None)
        if base and len(at[place]) > 1:
            made[place] = sorted((Bought(cases[0], base, _level(cases))
                                  for cases in at[place].values()),
                                 key=lambda one: (not one.is_base, -one.case.median_s))
    return made


def _level(cases: list[Case]) -> tuple[Case, ...]:
    """Those that tie with the first, the fastest, or whose clock alone was held down and that are
    behind by no more than that takes."""
    def level(other: Case) -> bool:
        ratio = speedup(other, cases[0])
        held = bool(other.throttled) and not cases[0].throttled and ratio.value < NEAR
        return held or (ratio.tie and not ratio.undecided)

    return tuple(filter(level, cases[1:]))


def fullest(found: dict[Place, list[Bought]]) -> list[Bought]:
    """At the size that most types have, of such the largest; empty where there is none."""
    return max(found.items(), default=((), []),
               key=lambda one: (len(one[1]), math.prod(one[0][0]), one[0]))[1]


def smallest(found: dict[Place, list[Bought]], ones: list[Bought]) -> list[Bought]:
    """Of the smallest size, on as many threads, where that is another than theirs; else empty."""
    own = ones[0].case
    there = [of for (_, threads), of in found.items()
             if threads == (own.threads if own.device == "cpu" else 0)]
    least = min(there, key=lambda of: math.prod(of[0].case.dims.values()))
    return least if least[0].case.dims != own.dims else []


def _joules(case: Case) -> Cell:
    joules = case.energy_j_per_call
    return Cell(plain(joules), joules, unit="J") if joules else Cell(DASH)


def _times_cell(value: float | None) -> Cell:
    return Cell(plain(value), value, unit="times") if value else Cell(DASH)


def _error(one: Bought, notes: Notes) -> Cell:
    case, narrow = one.case, rounded_to(one.case)
    if case.eta_max is None:
        return Cell(DASH)
    note = notes.number(case, say(
        "beyond the rounding of C to {type}, which every method shares",
        type=recorded(narrow))) if narrow else 0
    return Cell(plain(case.eta_max), case.eta_max, unit="2^-24 |A||B|", note=note)


def _digits(one: Bought, notes: Notes) -> Cell:
    digits, bound = one.digits, at_least_text(one)
    if digits is not None:
        return Cell(plain(digits, 1), digits, unit="digits",
                    note=notes.number(one.case, bound) if bound else 0)
    return Cell(say("exact") if one.case.eta_max == 0 and not rounded_to(one.case) else DASH)


def types_table(view: View) -> Table:
    """A row a size and type: time, rate, times as fast as float32, joules, error."""
    found = bought(view)
    if not found:
        return empty(view, say("No type stands beside float32 at one size."))
    every = [one for ones in found.values() for one in ones]
    metered, several = any(one.case.energy_j_per_call for one in every), len(
        {one.case.rate_unit for one in every}) > 1
    unpaused = any(one.unpaused for one in every)
    notes, threads = Notes(view), any(place[1] for place in found)
    table = Table.of(view, sentences(
        say("Of each type the fastest method; times as fast as the fastest of float32 computed in "
            "float32, which stands first."), brackets_note(),
        say("Error: the largest of an element of C, |C − R| in units of 2⁻²⁴·(|A||B|), against the "
            "product in double precision of A and B as they are given; digits: those of |A||B| "
            "that it leaves, C's own rounding included. Of shapes with more than 2³³ products, "
            "over 4,096 elements and projections. What rounding float32 matrices to a type costs "
            "is told by “float32 in …”."),
        say("J: of one product, one reading over many calls without a pause, in which the clock "
            "may be lower; the card alone.") if metered else ""),
        (say("Size"), *([say("threads")] if threads else []), say("A and B"), say("Method")),
        (say("time"), units_text(one.case for one in every), say("times as fast"),
         *([say("times, without a pause")] if unpaused else []),
         *([say("J"), say("times fewer J")] if metered else []), say("error, units"),
         say("digits")))
    for (dims, count), ones in found.items():
        for one in ones:
            ratio = marked(ratio_cell(one.ratio, one.is_base), notes, one.case, one.base,
                           ratio=one.ratio)
            table.rows.append(Row(
                (shape_text(*dims), *([str(count)] if threads else []), type_text(one.case),
                 one.method),
                (time_cell(one.case), rate_cell(one.case, several), ratio,
                 *([_times_cell(one.unpaused)] if unpaused else []),
                 *([_joules(one.case), _times_cell(one.fewer)] if metered else []),
                 _error(one, notes),
                 _digits(one, notes))))
    table.notes = notes.texts()
    return table


def types_finding(section: Section) -> Head | None:
    """What finding_of says of the section's table of types."""
    spec = next(spec for spec in section.wanted if spec["kind"] == "types")
    ones = fullest(bought(replace(section.view, cases=cases_of(section.view, spec))))
    return Head(finding_of(ones)) if ones else None


def at_smallest(found: dict[Place, list[Bought]], ones: list[Bought]) -> str:
    """"At 1024: float16 7.5, bfloat16 7.3 …; float32 itself 1.48 in fp32-split and 3.7 in bf16.":
    what fewer digits buy depends on the size; empty where one was measured."""
    few = smallest(found, ones)
    return say("At {shape}: {parts}.", shape=shape_text(*few[0].case.dims.values()),
               parts=_parts(few, digits=False)) if few else ""


def finding_of(ones: list[Bought]) -> str:
    """"Times as fast as float32 (pipelined, 6.8 digits) at 8192, uniform inputs: bfloat16 15 and
    “int8, to int32” 29 (not paired); float32 itself 4.7 in fp32-split (7.7 digits) and 13 in bf16
    (3.9 digits)": of those of one place of `bought`; of each type, and of what is
    computed in fewer digits, the fastest."""
    base = ones[0]
    cores = ("" if base.case.device == "gpu"
             else say(", {cores}", cores=cores_of(base.case)))
    whom = with_remark(recorded("float32"), say(", ").join(
        filter(None, (base.case.name, _digits_text(base), over_its_own(base.case)))))
    return say("Times as fast as {base} at {shape}{cores}, {inputs} inputs: {parts}", base=whom,
               shape=shape_text(*base.case.dims.values()), cores=cores,
               inputs=recorded(base.case.distribution), parts=_parts(ones))


def _digits_text(one: Bought) -> str:
    return say("{digits} digits", digits=plain(one.digits, 1)) if one.digits else ""


def _parts(ones: list[Bought], digits: bool = True) -> str:
    base = ones[0]
    fastest: dict[tuple, Bought] = {}
    for one in ones:  # the slowest first
        if not one.is_base:
            kind = one.case.precision == SPLIT, _type(one.case)
            fastest.pop(kind, None)
            fastest[kind] = one
    told = list(fastest.values())
    types = [one for one in told if _type(one.case) != "float32"]
    clocks = _clocks(base, told)
    own = [_in_float32(one, base, clocks, digits) for one in told if one not in types]
    first = joined([say("{type} {times}", type=quoted(type_text(one.case)),
                        times=_times(one, clocks)) for one in types])
    parts = [with_remark(first, _remark(clocks, base, *types)) if types else "",
             say("float32 itself {ways}", ways=joined(own)) if own else ""]
    return say("; ").join(filter(None, parts))


def _clocks(base: Bought, told: list[Bought]) -> dict[Case, str]:
    """"at 1,725 MHz, float32 at 1,980" of each that ran at another clock than float32, where the
    clocks lie more than APART from each other; else empty."""
    every = [mhz for one in (base, *told) if (mhz := one.case.clock_mhz)]
    whole = base.case.clock_mhz
    if not whole or max(every) <= APART * min(every):
        return {}
    return {one.case: say("at {clock} MHz, float32 at {whole}", clock=plain(mhz, 0),
                          whole=plain(whole, 0))
            for one in told if (mhz := one.case.clock_mhz) and mhz != whole}


def _remark(clocks: dict[Case, str], base: Bought, *ones: Bought) -> str:
    """What is unsound of these but for the clocks that are told, and that one is not paired with
    float32."""
    loose = next(filter(None, (pairing(one.ratio) for one in ones)), "")
    cases = [one.case for one in (base, *ones)]
    held = {bool(case.throttled) for case in cases if case not in clocks}
    return say(", ").join(filter(None, (unsound(*cases, clock=len(held) > 1), loose)))


def _times(one: Bought, clocks: dict[Case, str]) -> str:
    word = say(", ").join(filter(None, (one.ratio.word, by_medians(one.ratio))))
    return with_remark(with_remark(rounded(one.ratio.value), word), clocks.get(one.case, ""))


def _in_float32(one: Bought, base: Bought, clocks: dict[Case, str], told: bool) -> str:
    """"13 in bf16 (3.9 digits)"; the digits where they are to be told."""
    text = say("{times} in {precision}", times=_times(one, clocks),
               precision=recorded(one.case.precision))
    digits = _digits_text(one) if told else ""
    return with_remark(with_remark(text, digits), _remark(clocks, base, one))
