"""Sentences computed from the cases of one machine: who is fastest where, by how much, and over the baseline."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

from .accuracy_tables import accuracy_sentences
from .baselines import Baselines
from .case import Case, disturbed_words
from .evidence_tables import first_call_sentences, noise_sentences
from .ladder_steps import step_sentences
from .language import recorded, say
from .numbers import counted, duration, joined, plain, ratio_text, shape_text, with_interval
from .parameter_sentences import by_parameter
from .ratios import Ratio, speedup
from .roofline import share_sentences
from .said import mark, named, named_over, times
from .series import Series, Shape, series_of, shape_names, shapes_of
from .view import View

MOST_GROUPS = 8
MOST_TOP = 3  # of them at the head of the page


@dataclass(frozen=True)
class Standing:
    """One shape: its fastest case, those that tie with it, those about which nothing is decided, and the next one behind,
    by how much; none of these where nothing else has a number."""

    shape: Shape
    fastest: Series
    ties: tuple[Series, ...]
    undecided: tuple[tuple[Series, Ratio], ...]
    next: Series | None
    lead: Ratio | None


def standings(series: list[Series]) -> list[Standing]:
    """The standing at each shape, smallest first."""
    at: dict[Shape, list[tuple[float, Series, Case]]] = {}
    for one in series:
        for case in one.cases:
            if case.shown:
                at.setdefault(case.shape, []).append((case.median_s, one, case))
    made = []
    for shape in shapes_of(case for one in series for case in one.cases if case.shown):
        ranked = sorted(at[shape], key=lambda entry: entry[0])
        ties, undecided, behind, lead = [], [], None, None
        for _, one, case in ranked[1:]:
            ratio = speedup(case, ranked[0][2])
            if ratio.undecided:
                undecided.append((one, ratio))
            elif ratio.tie:
                ties.append(one)
            elif behind is None:
                behind, lead = one, ratio
        made.append(Standing(shape, ranked[0][1], tuple(ties), tuple(undecided), behind, lead))
    return made


def _stretches(standing: list[Standing]) -> list[list[Standing]]:
    """Neighbouring shapes with the same fastest and the same ties."""
    made: list[list[Standing]] = []
    for one in standing:
        if made and _who(one) == _who(made[-1][-1]):
            made[-1].append(one)
        else:
            made.append([one])
    return made


def _who(standing: Standing) -> tuple:
    return (standing.fastest.name, tuple(tie.name for tie in standing.ties),
            tuple(one.name for one, _ in standing.undecided), _alone(standing))


def _alone(standing: Standing) -> bool:
    return not standing.ties and not standing.undecided and standing.next is None


def fastest(series: list[Series]) -> list[str]:
    """"X is fastest from 256 to 1024: at 1024 1.3 times [1.2, 1.4] the next, Y." A sentence a stretch of shapes."""
    stretches = _stretches(standings(series))
    found = []
    for stretch in reversed(stretches[-3:]):
        last, shapes = stretch[-1], [one.shape for one in stretch]
        best = named_over(last.fastest, shapes)
        where = shape_text(*last.shape) if len(stretch) == 1 else f"{shape_names(shapes)}"
        if last.ties:
            names = joined([best, *(named_over(tie, shapes) for tie in last.ties[:4])])
            more = say("sentence.and_more", count=len(last.ties) - 4) if len(last.ties) > 4 else ""
            text = say("sentence.tie", where=where, names=names, more=more)
        else:
            text = say("sentence.alone" if _alone(last) else "sentence.highest" if last.undecided else "sentence.fastest",
                       best=best, where=where)
        rate = last.fastest.by_shape[last.shape]
        one, several = ("sentence.tie_rate", "sentence.tie_rate_at") if last.ties else ("sentence.rate", "sentence.rate_at")
        text += say(several if len(stretch) > 1 else one, shape=shape_text(*last.shape),
                    best=named(rate, last.fastest.name), rate=with_interval(rate.gflop_per_s, *(rate.gflop_ci95 or (None, None)), "GFLOP/s"))
        text += _share(rate)
        if last.next is not None and last.lead is not None:
            text += say("sentence.lead", times=times(last.lead), next=named(last.next.by_shape[last.shape], last.next.name))
        text += "".join(say("sentence.open", name=named(one.by_shape[last.shape], one.name), value=plain(ratio.value),
                            verdict=ratio.verdict) for one, ratio in last.undecided[:4])
        found.append(text + say("number.stop"))
    if len(stretches) > 3:
        found.append(say("sentence.changes", shape=shape_text(*stretches[-3][0].shape), count=len(stretches) - 3))
    return found


def _share(case: Case) -> str:
    """" (71 % of the ceiling that binds it)"."""
    if not case.of_ceiling:
        return ""
    broken = say("sentence.broken") if case.above_ceiling else ""
    return say("sentence.share", share=plain(100 * case.of_ceiling, 0), broken=broken)


def over_baseline(view: View) -> list[str]:
    """The largest and the smallest gain over the baseline, at the largest shape where both have numbers."""
    baselines = Baselines(view)
    if baselines.problem:
        return [baselines.problem] if view.baseline else []
    shown = [case for case in view.shown if case.precision == "fp32" and not case.copy
             and baselines.of(case) not in (None, case)]
    if not shown:
        return []
    shape = shapes_of(shown)[-1]
    gains = sorted(((baselines.speedup(case), named(case, series.name)) for series in series_of(c for c in shown if c.shape == shape)
                    for case in series.cases), key=lambda gain: gain[0].value)
    ratio, name = gains[-1]
    verb = "unsure" if ratio.undecided else "tie" if ratio.tie else "faster" if ratio.value > 1 else "slower"
    baseline = named(baselines.of(next(case for case in shown if case.shape == shape)), baselines.name)
    text = say(f"sentence.over_{verb}", shape=shape_text(*shape), name=name, baseline=baseline, times=times(ratio))
    if ratio.undecided or ratio.value <= 1 and not ratio.tie:
        text += say("sentence.its_rate", times=times(ratio),
                    verdict=say("sentence.verdict", verdict=ratio.verdict) if ratio.undecided else "")
    slower = [_named_gain(other, gain) for gain, other in gains[:-1] if gain.value < 1 and not gain.tie]
    ties = [other for gain, other in gains[:-1] if gain.tie and not gain.undecided]
    open_ones = [_named_gain(other, gain) for gain, other in gains[:-1] if gain.undecided]
    text += say("sentence.slower", baseline=baseline, names=joined(slower[:4])) if slower else ""
    text += say("sentence.ties_with", baseline=baseline, names=joined(ties[:4])) if ties else ""
    text += say("sentence.undecided", baseline=baseline, names=joined(open_ones[:4])) if open_ones else ""
    return [text + say("number.stop")]


def _named_gain(name: str, ratio: Ratio) -> str:
    return say("sentence.gain", name=name, times=times(ratio))


def _gain(ratio: Ratio) -> str:
    verdict = say("sentence.in_brackets", text=ratio.verdict) \
        if ratio.undecided or ratio.low is not None and ratio.tie else ""
    return say("sentence.step_gain", value=ratio_text(ratio.value, ratio.low, ratio.high), verdict=verdict)


def steps(cases: list[Case], labels: list[str]) -> list[str]:
    """"Step by step at 4096: naive → tiled: 1.41 [1.41, 1.42] times; → cublas: 5.95 [5.90, 6.06] times." in the order
    of the labels, at the largest shape where most of them have numbers."""
    at: dict[Shape, dict[str, Case]] = {}
    for case in cases:
        if case.shown and case.precision == "fp32" and not case.copy and case.label in labels:
            at.setdefault(case.shape, {}).setdefault(case.label, case)
    shape = max(at, key=lambda one: (len(at[one]), one[0] * one[1] * one[2], one), default=None)
    if shape is None or len(at[shape]) < 2:
        return []
    climbed = [at[shape][label] for label in dict.fromkeys(labels) if label in at[shape]]
    gains = [say("sentence.step", name=named(case), gain=_gain(speedup(below, case)))
             for below, case in zip(climbed, climbed[1:])]
    return [say("sentence.steps", shape=shape_text(*shape), first=named(climbed[0]),
                steps=(say("number.semicolon") + "→ ").join(gains))]


def _side_by_side(parts: list[tuple[str, list[Case]]]) -> list[str]:
    """Of an experiment whose parts hold one line each, as one kernel with and without transfers: their times at the smallest
    and at the largest shape that all have. Empty where some part has a ranking of its own."""
    lines = [series_of(cases) for _, cases in parts]
    if len(parts) < 2 or any(len(series) != 1 for series in lines):
        return []
    shared = [shape for shape in shapes_of(case for _, cases in parts for case in cases)
              if all(shape in series[0].by_shape for series in lines)]
    found = []
    for shape in dict.fromkeys(shared[:1] + shared[-1:]):
        first, *others = sorted((series[0].by_shape[shape] for series in lines), key=lambda case: case.median_s)
        told = [say("sentence.takes", name=named(first), time=duration(first.median_s))]
        told += [say("sentence.takes_longer", name=named(case), time=duration(case.median_s), times=times(speedup(case, first)))
                 for case in others]
        found.append(say("sentence.side_by_side", shape=shape_text(*shape), parts=say("number.semicolon").join(told)))
    return found


def _other_classes(view: View) -> list[str]:
    """What reaches fp32's accuracy otherwise, and the fastest of what computes with less: at the largest shape where it stands
    beside plain fp32, against the fastest there."""
    by_class: dict[str, list[Case]] = {}
    plain_ones: dict[tuple, Case] = {}
    for case in view.shown:
        if case.copy or case.scope == "first-call" or case.device != "gpu":
            continue
        place = (case.group, *case.regime, case.shape)
        if case.precision != "fp32":
            by_class.setdefault("fp32-split" if case.precision == "fp32-split" else "less", []).append(case)
        elif place not in plain_ones or case.median_s < plain_ones[place].median_s:
            plain_ones[place] = case
    beside = {case.case_id: plain_ones.get((case.group, *case.regime, case.shape)) for cases in by_class.values() for case in cases}
    told: dict[Shape, list[str]] = {}
    for cases in sorted(by_class.values(), key=lambda cases: min(case.place for case in cases)):
        known = [case for case in cases if beside[case.case_id]]
        if not known:
            continue
        case = max(known, key=lambda one: (math.prod(one.shape), one.gflop_per_s))
        best = beside[case.case_id]
        told.setdefault(case.shape, []).append(say(
            "sentence.class", name=named(case, series_of([case])[0].name),
            rate=with_interval(case.gflop_per_s, *(case.gflop_ci95 or (None, None)), "GFLOP/s"), times=times(speedup(best, case)),
            best=named(best)))
    return [say("sentence.classes", shape=shape_text(*shape), parts=say("number.semicolon").join(parts))
            for shape, parts in told.items()]


def _parts(view: View, groups: list[str]) -> list[tuple[str, list[Case]]]:
    """The cases that may be ranked against each other: same group and regime, fp32 only, without copies made
    to test the statistics and without first calls; the groups in the order given, others after them."""
    parts: dict[tuple, list[Case]] = {}
    for case in view.shown:
        if case.precision == "fp32" and not case.copy and case.scope != "first-call":
            parts.setdefault((case.group, *case.regime), []).append(case)
    varying = [place for place in range(7) if len({key[place] for key in parts}) > 1]
    ordered = sorted(parts, key=lambda key: (groups.index(key[0]) if key[0] in groups else len(groups), key))
    return [(say("number.comma").join(recorded(key[place]) for place in varying if key[place]), parts[key])
            for key in ordered]


@dataclass(frozen=True)
class Summary:
    """What is said of one experiment on one machine; `top` is what the head of the page repeats, `why` what explains it."""

    sentences: list[str]
    top: list[str]
    why: list[str] = field(default_factory=list)


def _cases_of(view: View, spec: dict[str, Any]) -> tuple[Case, ...]:
    """Those of the group that a table or figure is of, or all."""
    return tuple(case for case in view.cases if spec.get("group") in (None, case.group))


def _step_by_step(view: View, wanted: list[dict[str, Any]]) -> list[str]:
    """Of each ladder that keeps to the labels of its main steps."""
    found: list[str] = []
    for spec in wanted:
        if spec["kind"] in ("ladder_bars", "gflops_vs_size") and spec.get("labels"):
            found += steps(list(_cases_of(view, spec)), [str(label) for label in spec["labels"]])
    return list(dict.fromkeys(found))


def _of_group(group: str, texts: list[str]) -> list[str]:
    shown = group.upper() if group in ("cpu", "gpu") else f"{group[:1].upper()}{group[1:]}"
    return [say("sentence.group", group=shown, text=text) if group else text for text in texts]


def _over_baselines(view: View, wanted: list[dict[str, Any]]) -> list[str]:
    """Over the baseline of each table and figure, among the points of its group, which is named where there are others."""
    found: list[str] = []
    compared = [spec for spec in wanted if spec.get("baseline")]
    several = len({spec.get("group") for spec in compared}) > 1
    for spec in compared:
        cases = _cases_of(view, spec)
        if cases:
            texts = over_baseline(View(view.experiment, view.kind, view.title, cases, view.run, spec["baseline"], view.reference))
            found += _of_group(recorded(spec.get("group") or "") if several else "", texts)
    return list(dict.fromkeys(found))


def _under_roofs(view: View, wanted: list[dict[str, Any]]) -> list[str]:
    """How near each line of the rooflines wanted comes to the ceiling that binds it."""
    found: list[str] = []
    for spec in wanted:
        if spec["kind"] == "roofline":
            labels = [str(label) for label in spec.get("labels") or ()]
            cases = tuple(case for case in _cases_of(view, spec) if not labels or case.label in labels)
            found += share_sentences(replace(view, cases=cases))
    return list(dict.fromkeys(found))


def summary(view: View, wanted: list[dict[str, Any]]) -> Summary:
    """The sentences that the tables and figures wanted call for. Where every point was disturbed, one says so at their
    head, and the others name no point as such."""
    if not view.shown:
        why = [say("sentence.nothing" if view.cases else "sentence.not_measured")]
        return Summary(why, why)
    if not all(case.disturbed for case in view.shown):
        return _summary(view, wanted)
    calm = replace(view, cases=tuple(replace(case, run_queue_delay_s=None, steal_s=None) for case in view.cases))
    said, first = _summary(calm, wanted), say("sentence.all_disturbed", points=view.disturbed_text())
    return Summary([first, *said.sentences], [first, *said.top], said.why)


def _summary(view: View, wanted: list[dict[str, Any]]) -> Summary:
    found: list[str] = []
    parts = _parts(view, list(dict.fromkeys(spec["group"] for spec in wanted if spec.get("group"))))
    if view.reference:  # it stands in for the GPU; what this machine's CPU does was measured here
        parts = [(name, cases) for name, cases in parts if any(case.device == "gpu" for case in cases)] or parts
    kinds = {spec["kind"] for spec in wanted}
    if kinds == {"accuracy"}:  # it asks for errors, and times them only as far as it must
        errors = _errors(view, wanted)
        return Summary(errors, errors, [])
    top = _side_by_side(parts)
    found += top
    for place, (name, cases) in enumerate([] if top or "noise" in kinds else parts[:MOST_GROUPS]):
        series = series_of(cases)
        texts = _of_group(name, fastest(series))
        top += texts[:1] if place < MOST_TOP and len(series) > 1 else []
        found += texts
    if len(parts) > MOST_GROUPS:
        found.append(say("sentence.more_groups", count=len(parts) - MOST_GROUPS))
    classes = _other_classes(view)
    found += classes
    climbed = _step_by_step(view, wanted)
    top += [*classes, *climbed]
    found += [*climbed, *_over_baselines(view, wanted)]
    if any(case.copy for case in view.shown):
        found.append(say("sentence.copies"))
    if "block_size" in kinds or "block_heatmap" in kinds:
        found += by_parameter(view, "block")
    if "thread_scaling" in kinds:
        found += by_parameter(view, "threads")
    copies = noise_sentences(view) if "noise" in kinds else []
    first = first_call_sentences(view) if "first_call" in kinds else []
    errors = _errors(view, wanted)
    top += [*copies, *first[:3], *errors]
    found += [*copies, *first, *errors]
    why = step_sentences(view) if "counters" in kinds else _under_roofs(view, wanted)
    if any(case.disturbed for case in view.shown) and any(mark() in text for text in found):
        found.append(say("sentence.mark", mark=mark(), how=disturbed_words()))
    return Summary(found, top, why)


def _errors(view: View, wanted: list[dict[str, Any]]) -> list[str]:
    """What the tables of errors come to."""
    return [text for spec in wanted if spec["kind"] == "accuracy"
            for text in accuracy_sentences(replace(view, cases=_cases_of(view, spec), baseline=spec.get("baseline")))]


def ties_text(view: View) -> str:
    """"the fastest ties with another in 5 of 12 rankings; in 1, ..." over all that is ranked; empty where none does."""
    every = [one for _, cases in _parts(view, []) for one in standings(series_of(cases))
             if one.ties or one.undecided or one.next]
    ties, undecided = sum(bool(one.ties) for one in every), sum(bool(one.undecided) for one in every)
    if not ties and not undecided:
        return ""
    open_ones = say("sentence.ties_open", undecided=undecided) if undecided else ""
    return say("sentence.ties", ties=ties, shapes=counted(len(every), "ranking")) + open_ones + say("number.stop")
