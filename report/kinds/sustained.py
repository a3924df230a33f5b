"""What an implementation does in a burst, and what it keeps up: rates, clock, power and joules per
product."""

from __future__ import annotations

import json
from dataclasses import dataclass

from analysis.answer.energy import SOURCES
from analysis.answer.names import side
from analysis.tables.heads import Head, with_remark
from analysis.tables.kind import Section, TableKind
from analysis.tables.tables import (
    Cell,
    Notes,
    Row,
    Table,
    empty,
    ended,
    marked,
    rate_cell,
    ratio_cell,
    sentences,
    size_head,
)
from language import recorded, say
from records.cases.case import Case
from records.cases.phrases import caveats
from records.cases.ratios import geometric_mean, speedup
from records.cases.series import shapes_of
from records.names.naming import display_name
from records.names.numbers import DASH, counted, joined, plain, ratio_text
from records.schema.operations import GEMM, shape_text
from records.view import View


@dataclass(frozen=True)
class Kept:
    """One point under a sustained load, and the same in a burst where that was measured."""

    sustained: Case
    burst: Case | None

    @property
    def watts(self) -> float | None:
        """Mean power over the calls that count; of a card that tells no energy, the median of its
        readings."""
        case = self.sustained
        if case.energy_j_per_call and case.energy_calls and case.energy_s:
            return case.energy_j_per_call * case.energy_calls / case.energy_s
        return case.power_w

    @property
    def gflop_per_joule(self) -> float | None:
        """The same number as GFLOP/s per watt."""
        return self.sustained.rates_per_j.get("gflop_per_j")


def kept_of(view: View) -> list[Kept]:
    """Of each shown point under a sustained load, in the order of shapes and lines."""
    def key(case: Case) -> tuple:
        return (case.host, case.implementation,
                json.dumps(case.parameters, sort_keys=True), case.shape, case.scope, case.cache,
                case.distribution, case.replica, case.handicap)

    bursts = {key(case): case for case in view.shown if not case.load}
    sustained = [case for case in view.shown if case.load == "sustained"]
    order = {shape: place for place, shape in enumerate(shapes_of(sustained))}
    return [Kept(case, bursts.get(key(case))) for case in sorted(
        sustained, key=lambda case: (order[case.shape], case.place, case.case_id))]


def sustained_head(view: View) -> Head | None:
    """"Sustained, pipelined is 1.04 times as fast as cuBLAS in geometric mean over 3 sizes, 1.02 at
    worst (16384); in a burst 1.06": of our plain FP32 over the fastest library. None where no
    library was measured under a sustained load beside it."""
    kept = [one for one in kept_of(view) if one.sustained.precision == "fp32"]
    pairs = []
    for shape in shapes_of(one.sustained for one in kept):
        sides = [[one for one in kept if one.sustained.shape == shape
                  and one.sustained.library == library] for library in (True, False)]
        if all(sides):
            pairs.append([min(side, key=lambda one: one.sustained.median_s) for side in sides])
    if not pairs:
        return None
    ratios = [(speedup(library.sustained, own.sustained), own.sustained) for library, own in pairs]
    bursts = [speedup(library.burst, own.burst).value for library, own in pairs if library.burst
              and own.burst]
    worst, at = min(ratios, key=lambda one: one[0].value)
    text = say("Sustained, {name} is {mean} times as fast as {library} in geometric mean over "
               "{sizes}, {worst} at worst ({shape})", name=display_name(at),
               mean=ratio_text(geometric_mean([ratio.value for ratio, _ in ratios])),
               library=display_name(pairs[0][0].sustained), sizes=counted(len(pairs), "size"),
               worst=ratio_text(worst.value), shape=shape_text(*at.shape))
    text = with_remark(text, say(", ").join(dict.fromkeys(
        filter(None, (caveats(ratio) for ratio, _ in ratios)))))
    return Head(text + say("; in a burst {mean}", mean=ratio_text(geometric_mean(bursts)))
                if bursts else text)


def _number(value: float | None, unit: str) -> Cell:
    return Cell(DASH) if value is None else Cell(plain(value), value, unit=unit)


def _how(kept: list[Kept]) -> str:
    """How long they ran, how the energy was read, and why it was not."""
    seconds = sorted({round(one.sustained.sustained_s or 0) for one in kept})
    sources = sorted({one.sustained.energy_source for one in kept if one.sustained.energy_source})
    missing = sorted({one.sustained.no_energy for one in kept if one.sustained.no_energy})
    return sentences(
        say("Burst: short samples in rounds with the others. Sustained: calls without a pause for "
            "{seconds} s, of which the second half counts, with its clock, power and energy.",
            seconds=joined([str(one) for one in seconds])),
        say("The two shared no rounds, so that their ratio is that of the medians."),
        say("Energy: {sources}.", sources=joined([say(SOURCES[one]) if one in SOURCES
                                                  else recorded(one) for one in sources]))
        if sources else "",
        say("Energy is missing: {reasons}.", reasons=joined([recorded(one) for one in missing]))
        if missing else "")


def sustained_table(view: View) -> Table:
    """A row per shape and implementation: both rates, how much is kept, clock, power, joules per
    product and GFLOP/s per watt."""
    kept, notes = kept_of(view), Notes(view)
    if not kept:
        return empty(view, say("No point was measured under a sustained load."))
    table = Table.of(view, _how(kept), (size_head(view.cases), say("Implementation")),
                     (say("burst"), say("sustained"), say("sustained over burst"), "MHz", "W",
                      say("J per product"), say("GFLOP/s per watt")))
    for one in kept:
        burst = marked(rate_cell(one.burst, notes), notes, one.burst) if one.burst else Cell(DASH)
        ratio = speedup(one.burst, one.sustained) if one.burst else None
        table.rows.append(Row((shape_text(*one.sustained.shape), side(one.sustained)), (
            burst, rate_cell(one.sustained, notes), ratio_cell(ratio) if ratio else Cell(DASH),
            _number(one.sustained.clock_mhz, "MHz"), _number(one.watts, "W"),
            _number(one.sustained.energy_j_per_call, "J"),
            _number(one.gflop_per_joule, "GFLOP/s/W"))))
    table.notes = notes.texts()
    return table


def _beside_peers(section: Section) -> list[str]:
    """The finding as a sentence, where all shapes beside the libraries head the section."""
    head = sustained_head(section.view) if "ratio_to_library" in section.kinds else None
    return [ended(head.finding)] if head else []


KIND = TableKind(title="in a burst, and for good",
                 about="rates in a burst and under a sustained load, with clock, power, joules per "
                 "product and GFLOP/s per watt",
                 of=GEMM,
                 has=lambda case: bool(case.load),
                 table=sustained_table,
                 heads=(lambda section: sustained_head(section.view),),
                 before=13,
                 says=_beside_peers)
