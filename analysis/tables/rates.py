"""What each implementation of an operation reaches: its rate, its share of the roof, and how it
stands to the library of its device."""

from __future__ import annotations

from language import recorded, say
from records.cases.case import SPLIT, Case
from records.cases.phrases import caveats, quoted, sound_mean
from records.cases.ratios import Ratio, geometric_mean, speedup
from records.cases.series import Series, series_of, shapes_of
from records.names.naming import bare_name
from records.names.numbers import DASH, ends_of, plain, ratio_text, with_interval
from records.schema.operations import shape_text
from records.view import View

from .heads import unlike_threads, with_remark
from .leaders import roof_text
from .tables import (
    Cell,
    Notes,
    Row,
    Table,
    brackets_note,
    marked,
    of_count,
    over_share,
    ratio_cell,
    sentences,
    size_head,
    tie_note,
    units_text,
)


def rate_cell(case: Case, with_unit: bool = False) -> Cell:
    """The rate of the median time; with its unit where a column has several."""
    low, high = ends_of(case.rate_ci95)
    return Cell(with_interval(case.rate, low, high, case.rate_unit if with_unit else ""), case.rate,
                low, high, case.rate_unit)


def share_cell(case: Case, notes: Notes) -> Cell:
    """The share of the roof that binds the point, with the interval that its time has."""
    if case.of_ceiling is None:
        return Cell(DASH)
    ends: tuple[float, float] | None = None
    if case.ci95_s and min(case.ci95_s) > 0:
        ends = (case.of_ceiling * case.median_s / case.ci95_s[1],
                case.of_ceiling * case.median_s / case.ci95_s[0])
    text = of_count(case.of_ceiling)
    if ends:
        text = f"{text} [{of_count(ends[0])}, {of_count(ends[1])}]"
    why = over_share(case)
    return Cell(text, case.of_ceiling, *ends_of(ends), "1", notes.number(case, why) if why else 0)


class Rivals:
    """The fastest library of the same device at each instance, among points that may be ranked with
    it."""

    def __init__(self, cases: list[Case]) -> None:
        self._best: dict[tuple, Case] = {}
        for case in cases:
            known = self._best.get(_place(case))
            if (case.library and not case.copy and case.precision == "fp32"
                    and (known is None or case.median_s < known.median_s)):
                self._best[_place(case)] = case

    def of(self, case: Case) -> Case | None:
        return self._best.get(_place(case))

    @property
    def names(self) -> list[str]:
        return sorted({case.name for case in self._best.values()})


def _place(case: Case) -> tuple:
    return case.host, case.device, case.operation, case.shape, case.regime, case.cards


def rates_table(view: View) -> Table:
    """A row per implementation and instance: rate, share of the roof, and times as fast as the
    fastest library."""
    rivals, notes = Rivals(view.shown), Notes(view)
    having = [case for case in view.shown if case.of_ceiling is not None]
    doubtful = (say("The roof of some was not trusted.")
                if any(not case.share_trusted for case in having) else "")
    names = rivals.names
    beside = say("the library") if len(names) != 1 else names[0]
    apart = len({case.operation for case in view.cases}) > 1
    table = Table.of(view, sentences(
        say("The rate of the median time; the share of the measured roof that binds; and how many "
            "times as fast as the fastest library of the same device.") if names
        else say("The rate of the median time, and the share of the measured roof that binds."),
        brackets_note(), doubtful, tie_note() if names else ""),
        (*([say("operation")] if apart else []), size_head(view.cases), say("Implementation")),
        (units_text(view.shown), say("of the roof"), *([say("times as fast as {name}", name=beside)]
                                                          if names else [])))
    several = len({case.rate_unit for case in view.shown}) > 1
    for operation in dict.fromkeys(case.operation for case in view.cases):
        own = series_of(case for case in view.cases if case.operation == operation)
        for shape in shapes_of(case for one in own for case in one.cases):
            for one in own:
                case = one.by_shape.get(shape)
                if case is not None:
                    heads = (*([recorded(operation)] if apart else []),
                             shape_text(*shape), one.name)
                    table.rows.append(Row(heads, _cells(case, rivals, notes, bool(names), several)))
    table.notes = notes.texts()
    return table


def _cells(case: Case, rivals: Rivals, notes: Notes, compared: bool,
           several: bool) -> tuple[Cell, ...]:
    if not case.shown:
        return (notes.dash(case),) * (3 if compared else 2)
    cells = marked(rate_cell(case, several), notes, case), share_cell(case, notes)
    if not compared:
        return cells
    rival = rivals.of(case)
    if rival is None:
        return *cells, Cell(DASH)
    ratio = speedup(rival, case)
    return *cells, marked(ratio_cell(ratio, rival is case), notes, case, rival, ratio=ratio)


def best_of_ours(view: View, device: str,
                 precision: str = "") -> tuple[Series, list[tuple[Case, Ratio | None]]] | None:
    """Of our lines on the device, of that precision where one is named, the one with most
    instances, of such the fastest: each point with its ratio to the library."""
    rivals = Rivals(view.shown)
    own = list(series_of(case for case in view.shown if case.device == device and not case.library
                         and not case.copy and precision in ("", case.precision)))
    if not own:
        return None
    most = max(len(one.cases) for one in own)
    best = min((one for one in own if len(one.cases) == most),
               key=lambda one: one.cases[-1].median_s)
    return best, [(case, speedup(rival, case) if (rival := rivals.of(case)) else None)
                  for case in best.cases]


def _half_roof_from(cases: list[Case]) -> str:
    """"half of the roof from 2²⁰ on", of vectors; empty where that does not hold at the largest, or
    holds at every size."""
    first = None
    for case in cases:  # the smallest first
        near = (len(case.dims) == 1 and not case.options and case.share_trusted
                and not case.above_own_ceiling and (case.of_ceiling or 0) >= 0.5)
        first = (first or case) if near else None
    return (say("half of the roof from {size} on", size=shape_text(*first.shape)) if first
            and first is not cases[0] else "")


def _uneven(ratios: list[Ratio]) -> str:
    """" (threads differ at 3)": how many of them set more threads against fewer; empty where none
    does."""
    count = sum(bool(unlike_threads(*ratio.of)) for ratio in ratios)
    return say(" (threads differ at {count})", count=count) if count else ""


def device_sentence(view: View, device: str) -> str:
    """"tuned 3,627 GB/s at 2²⁶ (93 % of the roof, 1.02 times the library)", of plain FP32 and of
    what splits its operands; empty where nothing of ours was measured."""
    ours = [case for case in view.shown if case.device == device and not case.library
            and not case.copy]
    precisions = sorted({case.precision for case in ours} & {"fp32", SPLIT})
    return say("; ").join(filter(None,
                                 (_line_sentence(view, device, one) for one in precisions or [""])))


def _line_sentence(view: View, device: str, precision: str) -> str:
    found = best_of_ours(view, device, precision)
    if found is None:
        return ""
    series, points = found
    case, ratio = points[-1]
    more = [text for text in (roof_text(case), _half_roof_from([one for one, _ in points])) if text]
    if ratio is not None:
        rival = ratio.of[0]
        text = (say("level with {library}", library=bare_name(rival))
                if ratio.tie and not ratio.undecided else
                say("{ratio} times the rate of {library}", library=bare_name(rival),
                    ratio=ratio_text(ratio.value)))
        remark = say(", ").join(filter(None, (unlike_threads(case, rival), caveats(ratio))))
        more.append(with_remark(text, remark))
    if len(known := [(one, of) for one, of in points if of is not None]) > 1:
        more.append(_over_all(known))
    text = say("{name} {rate} at {size}", name=quoted(series.name),
               rate=f"{plain(case.rate)} {case.rate_unit}", size=shape_text(*case.shape))
    return text + (say(" ({more})", more=say(", ").join(more)) if more else "")


def _over_all(known: list[tuple[Case, Ratio]]) -> str:
    """"1.33 times in geometric mean over 24 instances, 0.74 at worst (33×65×67); 19 of them ran
    kernels of plain FP32"."""
    ratios = [ratio for _, ratio in known]
    worst, least = min(known, key=lambda one: one[1].value)
    text = (say("{mean} times in geometric mean over {count} instances", count=len(known),
                mean=ratio_text(geometric_mean([one.value for one in ratios]))) + sound_mean(ratios)
            + _uneven(ratios))
    text = say("{text}, {times} at worst ({shape})", text=text, times=ratio_text(least.value),
               shape=shape_text(*worst.shape))
    plain_ones = sum(case.by_fp32 for case, _ in known)
    return (say("{text}; {count} of them ran kernels of plain FP32", text=text, count=plain_ones)
            if plain_ones else text)
