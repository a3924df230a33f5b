"""Findings of one parameter: which block is best, and what more threads bring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analysis.tables.heads import Head, rate, rounded, with_remark
from language import say
from records.cases.case import Case
from records.cases.cores import processors_text
from records.cases.phrases import times, unsound
from records.cases.ratios import Ratio, speedup
from records.cases.series import Series, Shape, by_value, having, series_of, shapes_of, values_of
from records.names.numbers import counted, joined
from records.schema.operations import shape_text
from records.view import View

from .ladder_steps import RUNG, Step, reason
from .parameter_sentences import least_of_best

Values = dict[Any, Case]


def _largest(view: View, parameter: str, series: Series) -> tuple[Shape, Values] | None:
    """The largest shape at which two values have a number."""
    lookup = by_value(series, parameter)
    for shape in reversed(shapes_of(series.cases)):
        shown = {value: case for value, case in lookup[shape].items() if case.shown}
        if len(shown) > 1:
            return shape, shown
    return None


def _swept(view: View, parameter: str) -> list[tuple[Series, Shape, Values]]:
    cases = (case for case in having(view.cases, parameter)
             if not case.copy and case.precision == "fp32")
    found = [(series, _largest(view, parameter, series))
             for series in series_of(cases, without=parameter)]
    return [(series, *at) for series, at in found if at]


def _block_name(series: Series, value: Any) -> str:
    """"32×32" of a tile on the GPU, "block 64" of a CPU."""
    return f"{value}×{value}" if series.first.device == "gpu" else say("block {value}", value=value)


def block_finding(view: View, counted: Sequence[View]) -> Head | None:
    """"A 32×32 tile is 1.11 times as fast as 16×16, and 5.6 times as fast as 4×4". `counted`: views
    whose counters may say why."""
    swept = _swept(view, "block")
    if not swept:
        return None
    series, shape, shown = swept[0]
    ranked = sorted(shown, key=lambda value: shown[value].median_s)
    best, after, last = ranked[0], ranked[1], ranked[-1]
    names = {value: _block_name(series, value) for value in ranked}
    near, far = speedup(shown[after], shown[best]), speedup(shown[last], shown[best])
    words = {"best": names[best], "next": names[after], "last": names[last],
             "near": rounded(near.value), "far": rounded(far.value)}
    tile = series.first.device == "gpu"
    if near.tie and len(ranked) > 2:
        text = say("{best} and {next} are not told apart, {far} times as fast as {last}"
                   if near.undecided else "{best} and {next} are level, {far} times as fast as "
                   "{last}", **words)
    elif near.tie:
        text = say("{best} and {next} are not told apart" if near.undecided else "{best} and "
                   "{next} are level", **words)
    elif len(ranked) > 2:
        text = say("A {best} tile is {near} times as fast as {next}, and {far} times as fast as "
                   "{last}" if tile else "{best} is {near} times as fast as {next}, and {far} "
                   "times as fast as {last}", **words)
    else:
        text = say("A {best} tile is {near} times as fast as {next}" if tile else "{best} is "
                   "{near} times as fast as {next}", **words)
    losses = _elsewhere(series, best, shape, names)
    text = say("; ").join(
        filter(None, (say("{text} at {shape}", text=text, shape=shape_text(*shape)), losses)))
    others = [say("{times} over {other}", times=times(speedup(shown[value], shown[best])),
                  other=names[value]) for value in ranked[1:]]
    told = say("{name} at {shape}: {best} reaches {rate}, {others}.", name=series.name,
               shape=shape_text(*shape), best=names[best], rate=rate(shown[best]),
               others=joined(others))
    return Head(text,
                tuple(filter(None, (told, _why(shown[after], shown[best], [view, *counted])))),
                (shown[best], shown[after]))


def _why(after: Case, best: Case, views: Sequence[View]) -> str:
    """The counters' reason, of the first view in which both blocks were counted at one shape and
    differ the same way."""
    for view in views:
        at = {case.shape: case for case in view.shown
              if case.case_id in view.counters and _alike(case, after)}
        for case in view.shown:
            below = at.get(case.shape)
            if (below is None or case.case_id not in view.counters or not _alike(case, best)
                    or case.group != below.group):
                continue
            told = reason(view, Step(RUNG, below, case)) if speedup(below, case).value > 1 else ""
            if told:
                return say("Why, by the counters at {shape}: {reason}.",
                           shape=shape_text(*case.shape), reason=told)
    return ""


def _alike(case: Case, other: Case) -> bool:
    return (case.implementation, case.parameters,
            case.precision) == (other.implementation, other.parameters, other.precision)


def _elsewhere(series: Series, best: Any, at: Shape, names: dict[Any, str]) -> str:
    """"at 256 16×16 is ahead (1.10 times [1.09, 1.11])": at which other shapes another block is."""
    lookup, found = by_value(series, "block"), []
    for shape in shapes_of(series.cases):
        shown = {value: case for value, case in lookup[shape].items() if case.shown}
        if shape == at or best not in shown:
            continue
        first = min(shown, key=lambda value: shown[value].median_s)
        ratio = speedup(shown[best], shown[first])
        if not ratio.tie and first in names:
            found.append(say("at {shape} {best} is ahead ({times} times)", best=names[first],
                             shape=shape_text(*shape), times=rounded(ratio.value)))
    return say("; ").join(found)


def thread_finding(view: View) -> Head | None:
    """"11 threads make ikj 9.1 times as fast as one at 1000; 22 make it 7.9 times"."""
    gains = [(series, shape, shown, gain) for series, shape, shown in _swept(view, "threads")
             if 1 in shown and len(shown) > 1 and (gain := _gain(shown)).value > 1]
    if not gains:
        return None
    series, shape, shown, gain = max(gains, key=lambda one: one[3].value)
    best, values = least_of_best(shown, "threads"), values_of(shown.values(), "threads")
    text = say("{threads} make {name} {times} times as fast as one at {shape}",
               shape=shape_text(*shape), threads=counted(best, "thread"), name=series.name,
               times=rounded(gain.value))
    other = _other(values, best)
    if other is not None:
        ratio = speedup(shown[1], shown[other])
        more = rounded(ratio.value)
        text = say("{text}; {threads} are no faster ({times} times)"
                   if speedup(shown[best], shown[other]).tie else "{text}; {threads} make it "
                   "{times} times", text=text, threads=other, times=more)
        text = with_remark(text, unsound(*ratio.of))
    parts = [say("{name} {times} with {threads}", name=one.name, times=times(ratio),
                 threads=counted(least_of_best(own, "threads"), "thread"))
             for one, _, own, ratio in sorted(gains, key=lambda one: -one[3].value)]
    told = say("Over one thread at {shape}: {parts}.", shape=shape_text(*shape),
               parts=joined(parts))
    return Head(text, (told, *_beyond(view, series, shown, best)), (shown[1], shown[best]))


def _gain(shown: Values) -> Ratio:
    return speedup(shown[1], shown[least_of_best(shown, "threads")])


def _other(values: list[Any], best: Any) -> Any:
    """What is told beside the best: the most threads, or where these are it, the most below."""
    rest = [value for value in values if value not in (1, best)]
    above = [value for value in rest if value > best]
    return above[0] if above else rest[-1] if rest else None


def _beyond(view: View, series: Series, shown: Values, best: Any) -> tuple[str, ...]:
    """How far the best number of threads is from as many times one thread."""
    if best == 1:
        return ()
    share = _gain(shown).value / best
    cores = say(" of {cores}", cores=processors_text(view.run)) if view.cores else ""
    return (say("Efficiency of {name}: {share} % with {threads}{cores}.", name=series.name,
                share=f"{100 * share:.0f}", threads=counted(best, "thread"), cores=cores),)
