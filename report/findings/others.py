"""Findings that rest on one kind of table: errors, replicas, first calls, transfers, GPU over CPU, a baseline, or rates alone."""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import Any

from analysis.answer.headline import gained, headline_of, numbers
from analysis.answer.over_hosts import over_hosts, told_together
from analysis.answer.points import (
    END_TO_END,
    KERNEL,
    Contest,
    Match,
    contest_in,
    way_of,
)
from analysis.answer.words import side, way_text
from analysis.tables.accuracy_tables import (
    accuracy_counts,
    accuracy_sentences,
    split_speed,
)
from analysis.tables.evidence_tables import (
    comparisons,
    first_call_sentences,
    first_calls,
    noise_sentences,
    phase_name,
    steady_ratio,
)
from analysis.tables.heads import (
    Head,
    called,
    compared,
    faster,
    rate,
    rounded,
    unlike_threads,
    with_remark,
)
from language import say
from records.baselines import Baselines
from records.cases.case import Case
from records.cases.ratios import speedup
from records.cases.said import quoted, times
from records.cases.series import Series, Shape, series_of, shapes_of
from records.names.numbers import capital, duration, joined
from records.schema.operations import shape_text
from records.view import View

from .standing import fastest, ranked_parts, standings
from .told import cases_of, over_baseline, side_by_side

Wanted = list[dict[str, Any]]


def accuracy_finding(view: View, wanted: Wanted) -> Head | None:
    """"tensor is at or below cuBLAS's error at all 42 distributions and shapes; pipelined at 39"."""
    spec = next((spec for spec in wanted if spec["kind"] == "accuracy"), None)
    if spec is None:
        return None
    errors = replace(view, cases=cases_of(view, spec), baseline=spec.get("baseline"))
    library, counts = accuracy_counts(errors)
    if not counts:
        return None
    most = max(every for _, every in counts.values())
    whole = [label for label, (held, every) in counts.items() if held == every]
    part = [say("{label} at {held} of {every}", label=quoted(label), held=held, every=every)
            for label, (held, every) in counts.items() if held < every]
    texts = [say("{labels}: error at or below that of {library} at all {count} distributions and shapes", labels=joined(list(map(quoted, whole))),
                 library=library, count=most)] if whole else []
    told = [text for _, text in sorted(zip(counts, accuracy_sentences(errors)), key=lambda pair: pair[0] in whole)]
    return Head(say("; ").join(filter(None, [*texts, *part, split_speed(errors)])), tuple(told[:2]))


def noise_finding(view: View) -> Head | None:
    """"Equal code ties in 98 of 100 comparisons; code made 2 % slower is found slower at 95 of 100"."""
    texts = []
    every = comparisons(view.shown)
    for handicap in sorted({one.handicap for one in every}):
        of = [one for one in every if one.handicap == handicap]
        said = {"held": sum(one.expected for one in of), "count": sum(len(one.ratios) for one in of), "share": f"{100 * handicap:g}"}
        texts.append(say("code made {share} % slower is found slower in {held} of {count}", **said) if handicap else
                     say("Equal code ties in {held} of {count} comparisons", **said))
    return Head(say("; ").join([texts[0], *texts[-1:]][:len(texts)]),
                tuple(noise_sentences(view)[:2])) if texts else None


def first_call_finding(view: View) -> Head | None:
    """"The first call of tiled 32 in a process takes 282 ms, 1,108 times a later one; 280 ms of it is context"."""
    every = series_of(first_calls(list(view.cases)))
    if not every:
        return None
    first = next((series for series in every if series.first.device == "gpu"), every[0])
    case, ratio = first.cases[-1], steady_ratio(first.cases[-1])
    phase, longest = max(((name, median(values)) for name, values in case.first_call_s.items() if values), key=lambda one: one[1])
    later = say(", {times} times a later one", times=rounded(ratio.value)) if ratio else ""
    text = say("The first call of {name} in a process takes {time}{later}; {longest} of it: {phase}",
               name=case.name, time=duration(case.median_s), later=later,
               longest=duration(longest), phase=phase_name(phase))
    dearest = max(range(len(every)), key=lambda place: every[place].cases[-1].median_s)
    sentences = first_call_sentences(view)
    told = [sentences[place] for place in dict.fromkeys((every.index(first), dearest)) if place < len(sentences)]
    return Head(text, tuple(told))


def transfer_finding(view: View) -> Head | None:
    """"With transfers, a product at 4096 takes 1.2 times as long as the kernel alone from pinned memory, 2.7 times from pageable";
    without a kernel alone, what pinned memory brings over pageable."""
    parts = ranked_parts(view, [])
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
        ratios = {name: rounded(speedup(case, kernel).value) for name, case in moved.items() if name in END_TO_END}
        text = say("With transfers, a product at {shape} takes {pinned} times as long as the kernel alone from pinned memory, {pageable} "
                   "times from pageable", shape=shape_text(*shape), **ratios)
        both = dict.fromkeys((shape, next(one for one in shapes_of(lines[0].cases) if all(one in series.by_shape for series in lines))))
        return Head(text, tuple(_moved_text(lines, one) for one in both), (kernel, *moved.values()))
    pairs = [(one, other) for one in cases for other in cases if (one.host_memory, other.host_memory) == ("pinned", "pageable")
             and (one.scope, one.allocation) == (other.scope, other.allocation)]
    if not pairs:
        return None
    text = joined([compared(called(one), speedup(other, one), called(other)) for one, other in pairs])
    return Head(say("{text} at {shape}", text=text, shape=shape_text(*shape)), tuple(sentences[-1:]), tuple(case for pair in pairs for case in pair))


def _moved_text(lines: list[Series], shape: Shape) -> str:
    """"At 256: kernel 13.6 µs; with transfers pinned 45.6 µs, 3.33 times [3.32, 3.35] as long; …"."""
    cases = [series.by_shape[shape] for series in lines]
    kernel = next(case for case in cases if case.scope == "kernel")
    told = [say("kernel {time}", time=duration(kernel.median_s))]
    told += [say("{way} {time}, {times} as long", way=way_text(way), time=duration(case.median_s), times=times(speedup(case, kernel)))
             for way in END_TO_END for case in cases if way_of(case) == way]
    return say("At {shape}: {parts}.", shape=shape_text(*shape), parts=say("; ").join(told))


def contest_finding(view: View) -> Head | None:
    """"The GPU is 23 times as fast as the CPU at 4096, best against best; 12 times with transfers"."""
    contest = contest_in(view)
    if contest is None:
        return None
    one = headline_of(contest)
    way = KERNEL if KERNEL in one.best else next(iter(one.best), None)
    if way is None:
        return None
    match, shape = one.best[way], shape_text(*one.shape)
    if len({case.implementation for case in contest.cases if case.device == "cpu"}) == 1:  # there is no best to choose
        text = say("{gpu} is {compared}", gpu=capital(side(match.gpu)), compared=gained(match, contest, _at(side(match.cpu), shape)))
    else:
        text = say("The GPU is {compared}, best against best", compared=gained(match, contest, _at(say("the CPU"), shape)))
        if not over_hosts(match, contest):
            told = told_together(match, contest)
            text = with_remark(text, say("{gpu} against {cpu}", gpu=side(told.gpu), cpu=side(told.cpu)))
    if one.moved and one.moved != way:
        text = _with_transfers(text, one.best[one.moved], contest)
    told = [say("{label}: {value} ({detail}).", label=capital(number.label), value=number.value, detail=number.detail) for number in numbers(one)]
    return Head(text, tuple(told[:2]))


def _at(other: str, shape: str) -> str:
    return say("{other} at {shape}", other=other, shape=shape)


def _with_transfers(text: str, match: Match, contest: Contest) -> str:
    ratio = told_together(match, contest).ratio
    if ratio.value > 1 and not ratio.tie:
        return say("{text}; with transfers {times} times", text=text, times=over_hosts(match, contest) or rounded(ratio.value))
    return say("{text}; with transfers {compared}", text=text, compared=faster(ratio, say("the CPU")))


def baseline_finding(view: View, wanted: Wanted) -> Head | None:
    """"blocked is 398 times as fast as serial at 2048", of the first table that names a baseline."""
    for spec in wanted:
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
            text = with_remark(say("{compared} at {shape}", compared=told, shape=shape_text(*shape)), unlike_threads(best, base))
            return Head(text, (*over_baseline(of), *_fastest_at(of, best)), (best, base))
    return None


def _fastest_at(view: View, best: Case) -> list[str]:
    """The standing in the part and at the shape that the best is of."""
    parts = ([case for case in cases if case.shape == best.shape] for _, cases in ranked_parts(view, []))
    cases = next((cases for cases in parts if best in cases), [])
    return fastest(series_of(cases)) if cases else []


def fastest_finding(view: View) -> Head | None:
    """"X is 1.4 times as fast as the next, Y, at 2048"."""
    parts = ranked_parts(view, [])
    if not parts:
        return None
    cases = max((cases for _, cases in parts), key=len)
    at = shapes_of(cases)[-1]
    last, series = standings(series_of([case for case in cases if case.shape == at]))[-1], series_of(cases)
    best, shape = last.fastest.by_shape[last.shape], shape_text(*last.shape)
    return Head(_standing_text(last.ties, last.undecided, last.next, last.lead, best, shape), tuple(fastest(series)[:2]), (best,))


def _standing_text(ties: tuple[Series, ...], undecided: tuple, after: Series | None, lead: Any, best: Case, shape: str) -> str:
    if ties:
        names = joined([called(best), *(series.name for series in ties)])
        return say("{names} are level at {shape}", names=names, shape=shape)
    if undecided:
        return say("{name} cannot be told from {other} at {shape}", name=called(best), other=joined([one.name for one, _ in undecided]),
                   shape=shape)
    if after is None:
        return say("{name} reaches {rate} at {shape}", name=called(best), rate=rate(best), shape=shape)
    return say("{name} is {times} times as fast as the next, {other}, at {shape}", name=called(best), times=rounded(lead.value),
               other=after.name, shape=shape)
