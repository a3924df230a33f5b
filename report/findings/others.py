"""Findings of an experiment that asks for no kind with a finding of its own: transfers, a baseline,
or rates alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from analysis.answer.names import way_text
from analysis.answer.points import END_TO_END, way_of
from analysis.tables.heads import Head, called, compared, rate, rounded, unlike_threads, with_remark
from analysis.tables.kind import Section
from language import say
from records.baselines import Baselines
from records.cases.case import Case
from records.cases.phrases import times
from records.cases.ratios import speedup
from records.cases.series import Series, Shape, series_of, shapes_of
from records.names.naming import display_name
from records.names.numbers import duration, joined
from records.schema.operations import shape_text
from records.view import View, cases_of

from .folded import over_baseline, side_by_side
from .standing import fastest, ranked_parts, standings


def transfer_finding(section: Section) -> Head | None:
    """"With transfers, a product at 4096 takes 1.2 times as long as the kernel alone from pinned
    memory, 2.7 times from pageable"; without a kernel alone, what pinned memory brings over
    pageable."""
    parts = ranked_parts(section.view, [])
    sentences = side_by_side(parts)
    if not sentences:
        return None
    lines = [series_of(cases)[0] for _, cases in parts]
    shape = [shape for shape in shapes_of(case for series in lines for case in series.cases)
             if all(shape in series.by_shape for series in lines)][-1]
    cases = [series.by_shape[shape] for series in lines]
    kernel = next((case for case in cases if case.scope == "kernel"), None)
    moved = {way_of(case): case for case in cases}
    if kernel and set(END_TO_END) <= moved.keys():
        ratios = {name: rounded(speedup(case, kernel).value) for name, case in moved.items()
                  if name in END_TO_END}
        text = say("With transfers, {name} at {shape} takes {pinned} times as long as the kernel "
                   "alone from pinned memory, {pageable} times from pageable",
                   name=display_name(kernel), shape=shape_text(*shape), **ratios)
        both = dict.fromkeys((shape, next(one for one in shapes_of(lines[0].cases)
                                          if all(one in series.by_shape for series in lines))))
        return Head(text, tuple(_moved_text(lines, one) for one in both), (kernel, *moved.values()))
    pairs = [(one, other) for one in cases for other in cases
             if (one.host_memory, other.host_memory) == ("pinned", "pageable")
             and (one.scope, one.allocation) == (other.scope, other.allocation)]
    if not pairs:
        return None
    text = joined(
        [compared(called(one), speedup(other, one), called(other)) for one, other in pairs])
    return Head(say("{text} at {shape}", text=text, shape=shape_text(*shape)),
                tuple(sentences[-1:]), tuple(case for pair in pairs for case in pair))


def _moved_text(lines: list[Series], shape: Shape) -> str:
    """"At 256: kernel 13.6 µs; with transfers pinned 45.6 µs, 3.33 times [3.32, 3.35] as long;
    …"."""
    cases = [series.by_shape[shape] for series in lines]
    kernel = next(case for case in cases if case.scope == "kernel")
    told = [say("kernel {time}", time=duration(kernel.median_s))]
    told += [say("{way} {time}, {times} as long", way=way_text(way), time=duration(case.median_s),
                 times=times(speedup(case, kernel))) for way in END_TO_END
             for case in cases if way_of(case) == way]
    return say("At {shape}: {parts}.", shape=shape_text(*shape), parts=say("; ").join(told))


def baseline_finding(section: Section) -> Head | None:
    """"blocked is 398 times as fast as serial at 2048", of the first table that names a
    baseline."""
    view = section.view
    for spec in section.wanted:
        if not spec.get("baseline"):
            continue
        of = replace(view, cases=cases_of(view, spec), baseline=spec["baseline"])
        bases = Baselines(of).others(case for case in of.shown
                                     if case.precision == "fp32" and not case.copy)
        if bases:
            shape = shapes_of(bases)[-1]
            best = min((case for case in bases if case.shape == shape),
                       key=lambda case: case.median_s)
            base = bases[best]
            told = compared(called(best), speedup(base, best), called(base))
            text = with_remark(say("{compared} at {shape}", compared=told,
                                   shape=shape_text(*shape)), unlike_threads(best, base))
            return Head(text, (*over_baseline(of), *_fastest_at(of, best)), (best, base))
    return None


def _fastest_at(view: View, best: Case) -> list[str]:
    """The standing in the part and at the shape that the best is of."""
    parts = ([case for case in cases if case.shape == best.shape] for _, cases in ranked_parts(view,
                                                                                               []))
    cases = next((cases for cases in parts if best in cases), [])
    return fastest(series_of(cases), view.everywhere) if cases else []


def fastest_finding(section: Section) -> Head | None:
    """"X is 1.4 times as fast as the next, Y, at 2048"."""
    parts = ranked_parts(section.view, [])
    if not parts:
        return None
    cases = max((cases for _, cases in parts), key=len)
    at = shapes_of(cases)[-1]
    last, series = (standings(series_of([case for case in cases if case.shape == at]))[-1],
                    series_of(cases))
    best, shape = last.fastest.by_shape[last.shape], shape_text(*last.shape)
    return Head(_standing_text(last.ties, last.undecided, last.next, last.lead, best, shape),
                tuple(fastest(series, section.view.everywhere)[:2]), (best,))


def _standing_text(ties: tuple[Series, ...], undecided: tuple, after: Series | None, lead: Any,
                   best: Case, shape: str) -> str:
    if ties:
        names = joined([called(best), *(series.name for series in ties)])
        return say("{names} are level at {shape}", names=names, shape=shape)
    if undecided:
        return say("{name} cannot be told from {other} at {shape}", name=called(best),
                   other=joined([one.name for one, _ in undecided]), shape=shape)
    if after is None:
        return say("{name} reaches {rate} at {shape}", name=called(best),
                   rate=rate(best), shape=shape)
    return say("{name} is {times} times as fast as the next, {other}, at {shape}",
               name=called(best), times=rounded(lead.value), other=after.name, shape=shape)
