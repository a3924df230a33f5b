"""Who is the fastest in a figure over size, in one sentence that can be its title."""

from __future__ import annotations

from language import say
from records.baselines import Baselines
from records.cases.case import Case
from records.cases.phrases import doubts, pairing, unsound
from records.cases.ratios import Ratio, speedup
from records.cases.series import Series, series_of
from records.names.numbers import counted, duration, percent, plain, ratio_text
from records.schema.operations import Shape, by_volume, is_square, shape_text
from records.view import View, once

from .heads import unlike_threads, with_remark


def _by_shape(series: list[Series]) -> dict[Shape, list[tuple[Case, str]]]:
    """At each shape with two lines or more, smallest work first: (case, name of its line), the
    fastest first."""
    found: dict[Shape, list[tuple[Case, str]]] = {}
    for one in series:
        for shape, case in one.by_shape.items():
            found.setdefault(shape, []).append((case, one.name))
    return {shape: sorted(found[shape], key=lambda entry: entry[0].median_s)
            for shape in sorted(found, key=by_volume) if len(found[shape]) > 1}


def _winner(ranked: list[tuple[Case, str]]) -> str:
    """The name of the fastest; empty where the next cannot be told from it."""
    if len(ranked) < 2 or speedup(ranked[1][0], ranked[0][0]).tie:
        return ""
    return ranked[0][1]


def _comparable(view: View) -> list[Series]:
    """The lines of plain fp32, where all ran under one regime on as many cards and none is a copy
    of another; empty otherwise."""
    cases = [case for case in view.shown if case.precision == "fp32" and not case.copy]
    return series_of(cases) if len({(case.regime, case.cards) for case in cases}) == 1 else []


@once
def fastest_text(view: View) -> str:
    """"pipelined is the fastest at 9 of 10 sizes: 54,355 GFLOP/s at 8192", with "(plain fp32)"
    where other lines stand beside; of the largest size alone where none is at half of them. Empty
    where there are no two lines to compare, or they ran under several regimes."""
    text, _ = _fastest(_comparable(view))
    return (say("{text} (plain fp32)", text=text) if text
            and any(case.precision != "fp32" for case in view.shown) else text)


@once
def fastest_under_roof(view: View) -> str:
    """The same, and which share of the roof that is: "tuned is the fastest at 6 of 7 sizes: 4,522
    GB/s at 2²⁶, 97 % of the roof"."""
    text, case = _fastest(_comparable(view))
    share = roof_text(case) if case else ""
    return say("{text}, {share}", text=text, share=share) if share else text


def roof_text(case: Case) -> str:
    """"97 % of the roof"; "above the measured roof" where that was measured too low; empty where no
    roof that is trusted binds it."""
    if case.of_ceiling is None or not case.share_trusted:
        return ""
    return (say("above the measured roof") if case.above_own_ceiling
            else say("{share} of the roof", share=percent(case.of_ceiling)))


def _fastest(series: list[Series]) -> tuple[str, Case | None]:
    """The sentence, and the point whose rate it tells."""
    ranked = _by_shape(series)
    shapes = list(ranked)
    if not shapes:
        return "", None
    winners = [_winner(of) for of in ranked.values()]
    name = max((one for one in winners if one), key=winners.count, default="")
    sizes = [shape for shape, one in zip(shapes, winners) if one == name]
    if name and 2 * len(sizes) > len(shapes):
        last = max(sizes, key=by_volume)
        first = ranked[last][0][0]
        many = counted(len(shapes), "size" if all(map(is_square, shapes)) else "shape")
        text = ("{name} is the fastest at all {sizes}: {rate} {unit} at {size}"
                if len(sizes) == len(shapes) > 1
                else "{name} is the fastest at {count} of {sizes}: {rate} {unit} at {size}"
                if len(shapes) > 1 else "{name} is the fastest: {rate} {unit} at {size}")
        return say(text, name=name, count=len(sizes), sizes=many, rate=plain(first.rate),
                   unit=first.rate_unit, size=shape_text(*last)), first
    last = shapes[-1]
    (first, first_name), (second, second_name), *_ = ranked[last]
    if winners[-1]:
        return say("{name} is the fastest at {size}: {rate} {unit}", name=first_name,
                   size=shape_text(*last), rate=plain(first.rate), unit=first.rate_unit), first
    ratio = speedup(second, first)
    return _alike(ratio, first_name, second_name), None if ratio.undecided else first


def _alike(ratio: Ratio, name: str, other: str) -> str:
    """Of two that tie that they are level, with the rate; of two about which nothing is decided
    that they are not told apart, with what is unsound of them."""
    case = ratio.of[-1]
    if not ratio.undecided:
        return say("{one} and {other} are level at {size}: {rate} {unit}", one=name, other=other,
                   size=shape_text(*case.shape), rate=plain(case.rate), unit=case.rate_unit)
    return with_remark(say("{one} and {other} are not told apart at {size}", one=name, other=other,
                           size=shape_text(*case.shape)), unsound(*ratio.of))


@once
def times_text(view: View) -> str:
    """"At 8192 pipelined takes 20.2 ms, naive 9.4 times as long": the fastest and the slowest line
    of the largest size that most lines share. Empty where there are no two."""
    series = [one for one in series_of(view.shown) if not one.first.copy]
    ranked = _by_shape(series)
    if not ranked:
        return ""
    at = max(ranked, key=lambda shape: (len(ranked[shape]), by_volume(shape)))
    (fast, fast_name), (slow, slow_name) = ranked[at][0], ranked[at][-1]
    ratio, size = speedup(slow, fast), shape_text(*at)
    if ratio.undecided:
        return _alike(ratio, fast_name, slow_name)
    if ratio.tie:
        return say("At {size}, {one} and {other} take equally long: {time}", size=size,
                   one=fast_name, other=slow_name, time=duration(fast.median_s))
    return with_remark(say("At {size}, {fast} takes {time}, {slow} {ratio} times as long",
                           size=size, fast=fast_name, slow=slow_name, time=duration(fast.median_s),
                           ratio=ratio_text(ratio.value)), _doubts(ratio))


@once
def speedup_text(view: View) -> str:
    """"OpenBLAS is 74 times as fast as serial at 512": the fastest of plain fp32 over the baseline,
    at the largest shape. Empty where there is no such pair."""
    bases = Baselines(view).others(case for case in view.shown if case.precision == "fp32")
    if not bases:
        return ""
    shape = max((case.shape for case in bases), key=by_volume)
    best, name = min(((case, one.name) for one in series_of(bases) for case in one.cases
                      if case.shape == shape), key=lambda found: found[0].median_s)
    ratio, baseline = speedup(bases[best], best), bases[best].name
    size = shape_text(*shape)
    if ratio.tie:
        return _alike(ratio, name, baseline)
    return with_remark(say("{name} is {ratio} times as fast as {baseline} at {size}", name=name,
                           ratio=ratio_text(ratio.value), baseline=baseline, size=size),
                       _doubts(ratio))


def _doubts(ratio: Ratio) -> str:
    """"11 threads against 1, 3 samples, not paired"."""
    base, case = ratio.of
    return say(", ").join(filter(None, (unlike_threads(case, base), doubts(base, case),
                                        pairing(ratio))))
