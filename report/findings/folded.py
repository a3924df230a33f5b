"""All that the records of one experiment on one host come to, in sentences: what a page folds away
under the finding."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from analysis.counters.roofline import share_sentences
from analysis.ladder.ladder_steps import step_sentences
from language import recorded, say
from records.baselines import Baselines
from records.cases.case import Case
from records.cases.phrases import named, times
from records.cases.ratios import Ratio, speedup
from records.cases.series import Shape, series_of, shapes_of
from records.names.numbers import duration, ends_of, joined, with_interval
from records.schema.operations import GEMM, by_volume, shape_text
from records.view import View, cases_of

from .standing import ranked_parts


def over_baseline(view: View) -> list[str]:
    """The largest and the smallest gain over the baseline, at the largest shape where both have
    numbers."""
    baselines = Baselines(view)
    if baselines.problem:
        return [baselines.problem] if view.baseline else []
    bases = baselines.others(case for case in view.shown
                             if case.precision == "fp32" and not case.copy)
    if not bases:
        return []
    shape = shapes_of(bases)[-1]
    there = [case for case in bases if case.shape == shape]
    gains = sorted(((speedup(bases[case], case), named(case, series.name))
                    for series in series_of(there) for case in series.cases),
                   key=lambda gain: gain[0].value)
    ratio, name = gains[-1]
    baseline = named(bases[there[0]], baselines.name)
    text = say(
        "At {shape}, {name} cannot be told from {baseline}" if ratio.undecided
        else "At {shape}, {name} ties with {baseline}" if ratio.tie
        else "At {shape}, {name} is {times} as fast as {baseline}" if ratio.value > 1
        else "At {shape}, {name} is slower than {baseline}", shape=shape_text(*shape), name=name,
               baseline=baseline, times=times(ratio, told=True))
    if ratio.undecided or (ratio.value <= 1 and not ratio.tie):
        text += say(" ({times} its rate{verdict})", times=times(ratio, told=True),
                    verdict=say(", {verdict}", verdict=ratio.verdict) if ratio.undecided else "")
    slower = [_named_gain(other, gain) for gain, other in gains[:-1] if gain.value < 1
              and not gain.tie]
    ties = [other for gain, other in gains[:-1] if gain.tie and not gain.undecided]
    open_ones = [_named_gain(other, gain) for gain, other in gains[:-1] if gain.undecided]
    text += say("; slower than {baseline}: {names}", baseline=baseline,
                names=joined(slower[:4])) if slower else ""
    text += say("; a tie with {baseline}: {names}", baseline=baseline,
                names=joined(ties[:4])) if ties else ""
    text += say("; not resolved against {baseline}: {names}", baseline=baseline,
                names=joined(open_ones[:4])) if open_ones else ""
    return [text + say(".")]


def _named_gain(name: str, ratio: Ratio) -> str:
    return say("{name} ({times})", name=name, times=times(ratio, told=True))


def side_by_side(parts: list[tuple[str, list[Case]]]) -> list[str]:
    """Of an experiment whose parts hold one line each, as one kernel with and without transfers:
    their times at the smallest and at the largest shape that all have. Empty where some part has a
    ranking of its own."""
    lines = [series_of(cases) for _, cases in parts]
    if len(parts) < 2 or any(len(series) != 1 for series in lines):
        return []
    shared = [shape for shape in shapes_of(case for _, cases in parts for case in cases)
              if all(shape in series[0].by_shape for series in lines)]
    found = []
    for shape in dict.fromkeys(shared[:1] + shared[-1:]):
        first, *others = sorted((series[0].by_shape[shape] for series in lines),
                                key=lambda case: case.median_s)
        told = [say("{name} {time}", name=named(first), time=duration(first.median_s))]
        told += [say("{name} {time}, {times} as long", name=named(case),
                     time=duration(case.median_s), times=times(speedup(case, first)))
                 for case in others]
        found.append(say("One multiplication at {shape}: {parts}." if first.operation == GEMM
                         else "One call at {shape}: {parts}.", shape=shape_text(*shape),
                         parts=say("; ").join(told)))
    return found


def other_classes(view: View) -> list[str]:
    """What reaches fp32's accuracy otherwise, and the fastest of what computes with less: at the
    largest shape where it stands beside plain fp32, against the fastest there."""
    by_class: dict[str, list[Case]] = {}
    plain_ones: dict[tuple, Case] = {}
    for case in view.shown:
        if case.copy or case.scope == "first-call" or case.device != "gpu" or case.by_fp32:
            continue
        place = (case.group, *case.regime, case.shape)
        if case.precision != "fp32":
            by_class.setdefault("fp32-split" if case.precision == "fp32-split" else "less",
                                []).append(case)
        elif place not in plain_ones or case.median_s < plain_ones[place].median_s:
            plain_ones[place] = case
    beside = {case: plain for cases in by_class.values() for case in cases
              if (plain := plain_ones.get((case.group, *case.regime, case.shape)))}
    told: dict[Shape, list[str]] = {}
    for cases in sorted(by_class.values(), key=lambda cases: min(case.place for case in cases)):
        known = [case for case in cases if case in beside]
        if not known:
            continue
        case = max(known, key=lambda one: (by_volume(one.shape), one.rate))
        best = beside[case]
        told.setdefault(case.shape, []).append(say(
            "{name} with {rate}, {times} the rate of {best}",
            name=named(case, series_of([case])[0].name),
            rate=with_interval(case.rate, *ends_of(case.rate_ci95), case.rate_unit),
            times=times(speedup(best, case)),
            best=named(best)))
    inputs = joined([recorded(one) for one in sorted({case.distribution for case in beside})])
    return [say("Ranked apart because they do not compute in plain fp32, at {shape} with {inputs} "
                "inputs: {parts}.", shape=shape_text(*shape), inputs=inputs,
                parts=say("; ").join(parts))
            for shape, parts in told.items()]


def of_group(group: str, texts: list[str]) -> list[str]:
    shown = group.upper() if group in ("cpu", "gpu") else f"{group[:1].upper()}{group[1:]}"
    return [say("{group}: {text}", group=shown, text=text) if group else text for text in texts]


def over_baselines(view: View, wanted: list[dict[str, Any]]) -> list[str]:
    """Over the baseline of each table and figure, among the points of its group, which is named
    where there are others."""
    found: list[str] = []
    compared = [spec for spec in wanted if spec.get("baseline")]
    several = len({spec.get("group") for spec in compared}) > 1
    for spec in {(spec.get("group"), repr(spec["baseline"])): spec for spec in compared}.values():
        cases = cases_of(view, spec)
        if cases:
            texts = over_baseline(View(view.experiment, view.kind, view.title, cases, view.run,
                                       spec["baseline"], view.reference))
            found += of_group(recorded(spec.get("group") or "") if several else "", texts)
    return list(dict.fromkeys(found))


def _under_roofs(view: View, wanted: list[dict[str, Any]]) -> list[str]:
    """How near each line of the rooflines wanted comes to the ceiling that binds it."""
    found: list[str] = []
    for spec in wanted:
        if spec["kind"] == "roofline":
            labels = [str(label) for label in spec.get("labels") or ()]
            cases = tuple(case for case in cases_of(view, spec) if not labels
                          or case.label in labels)
            found += share_sentences(replace(view, cases=cases))
    return list(dict.fromkeys(found))


def reasons(view: View, wanted: list[dict[str, Any]]) -> list[str]:
    """What explains the results: each step by its counters, or how near each line comes to its
    ceiling."""
    return (step_sentences(view) if any(spec["kind"] == "counters" for spec in wanted)
            else _under_roofs(view, wanted))


def parts_of(view: View, wanted: list[dict[str, Any]]) -> list[tuple[str, list[Case]]]:
    parts = ranked_parts(view,
                         list(dict.fromkeys(spec["group"] for spec in wanted if spec.get("group"))))
    if view.reference:  # it stands in for the GPU; what this machine's CPU does was measured here
        return [(name, cases) for name, cases in parts
                if any(case.device == "gpu" for case in cases)] or parts
    return parts
