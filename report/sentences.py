"""A few sentences computed from the cases of one machine: who is fastest where, by how much, and what is a tie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .numbers import counted, joined, plain, shape_text, with_interval
from .parameter_tables import by_value, having
from .ratios import Ratio, speedup
from .records import Case
from .series import Series, Shape, series_of, shape_names, shapes_of, values_of
from .view import Baselines, View

MOST_GROUPS = 8


@dataclass(frozen=True)
class Standing:
    """One shape: its fastest case, those that cannot be told from it, and the next one behind, by how much."""

    shape: Shape
    fastest: Series
    ties: tuple[Series, ...]
    next: Series | None
    lead: Ratio | None


def times(ratio: Ratio) -> str:
    """"1.34 times [1.30, 1.39]"."""
    return f"{with_interval(ratio.value, ratio.low, ratio.high, '')}".replace(" [", " times [", 1) \
        if ratio.low is not None else f"{plain(ratio.value)} times"


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
        ties, behind, lead = [], None, None
        for _, one, case in ranked[1:]:
            ratio = speedup(case, ranked[0][2])
            if ratio.tie:
                ties.append(one)
            elif behind is None:
                behind, lead = one, ratio
        made.append(Standing(shape, ranked[0][1], tuple(ties), behind, lead))
    return made


def _stretches(standing: list[Standing]) -> list[list[Standing]]:
    """Neighbouring shapes with the same fastest and the same ties."""
    made: list[list[Standing]] = []
    for one in standing:
        key = (one.fastest.name, tuple(tie.name for tie in one.ties))
        if made and key == (made[-1][-1].fastest.name, tuple(tie.name for tie in made[-1][-1].ties)):
            made[-1].append(one)
        else:
            made.append([one])
    return made


def fastest(series: list[Series]) -> list[str]:
    """"X is fastest from 256 to 1024: at 1024 1.3 times [1.2, 1.4] the next, Y." A sentence a stretch of shapes."""
    stretches = _stretches(standings(series))
    found = []
    for stretch in reversed(stretches[-3:]):
        last = stretch[-1]
        where = shape_text(*last.shape) if len(stretch) == 1 else f"{shape_names(s.shape for s in stretch)}"
        if last.ties:
            names = joined([last.fastest.name, *(tie.name for tie in last.ties[:4])])
            more = f" (and {len(last.ties) - 4} more)" if len(last.ties) > 4 else ""
            text = f"At {where}, {names}{more} tie for the fastest: their intervals do not tell them apart"
        else:
            text = f"{last.fastest.name} is fastest at {where}"
        rate = last.fastest.by_shape[last.shape]
        text += f", with {with_interval(rate.gflop_per_s, *(rate.gflop_ci95 or (None, None)), 'GFLOP/s')}"
        text += f" at {shape_text(*last.shape)}" if len(stretch) > 1 else ""
        text += _share(rate)
        if last.next is not None and last.lead is not None:
            text += f"; that is {times(last.lead)} the rate of the next, {last.next.name}"
        found.append(text + ".")
    if len(stretches) > 3:
        found.append(f"Below {shape_text(*stretches[-3][0].shape)} the fastest changes "
                        f"{len(stretches) - 3} more times; the tables show where.")
    return found


def _share(case: Case) -> str:
    """" (71 % of the ceiling that binds it)"."""
    if not case.of_ceiling:
        return ""
    broken = ", which cannot be: the ceiling or this time is wrong" if case.of_ceiling > 1.05 else ""
    return f" ({plain(100 * case.of_ceiling, 0)} % of the ceiling that binds it{broken})"


def over_baseline(view: View) -> list[str]:
    """The largest and the smallest gain over the baseline, at the largest shape where both have numbers."""
    baselines = Baselines(view)
    if baselines.problem:
        return [baselines.problem] if view.baseline else []
    shown = [case for case in view.shown if case.precision == "fp32" and baselines.of(case) not in (None, case)]
    if not shown:
        return []
    shape = shapes_of(shown)[-1]
    gains = sorted(((baselines.speedup(case), series.name) for series in series_of(c for c in shown if c.shape == shape)
                    for case in series.cases), key=lambda gain: gain[0].value)
    ratio, name = gains[-1]
    verb = "ties with" if ratio.tie else f"is {times(ratio)} as fast as" if ratio.value > 1 else "is slower than"
    text = f"At {shape_text(*shape)}, {name} {verb} {baselines.name}"
    if ratio.value <= 1 and not ratio.tie:
        text += f" ({times(ratio)} its rate)"
    slower = [f"{other} ({times(gain)})" for gain, other in gains[:-1] if gain.value < 1 and not gain.tie]
    ties = [other for gain, other in gains[:-1] if gain.tie]
    text += f"; slower than it: {joined(slower[:4])}" if slower else ""
    text += f"; a tie with it: {joined(ties[:4])}" if ties else ""
    return [text + "."]


def _gain(ratio: Ratio) -> str:
    return f"{with_interval(ratio.value, ratio.low, ratio.high)} times" + \
        (" (a tie)" if ratio.low is not None and ratio.tie else "")


def steps(cases: list[Case], labels: list[str]) -> list[str]:
    """"Step by step at 4096: naive → tiled: 1.41 [1.41, 1.42] times; → cublas: 5.95 [5.90, 6.06] times." in the order
    of the labels, at the largest shape where most of them have numbers."""
    at: dict[Shape, dict[str, Case]] = {}
    for case in cases:
        if case.shown and case.precision == "fp32" and case.label in labels:
            at.setdefault(case.shape, {}).setdefault(case.label, case)
    shape = max(at, key=lambda one: (len(at[one]), one[0] * one[1] * one[2], one), default=None)
    if shape is None or len(at[shape]) < 2:
        return []
    climbed = [at[shape][label] for label in dict.fromkeys(labels) if label in at[shape]]
    gains = [f"{case.label}: {_gain(speedup(below, case))}" for below, case in zip(climbed, climbed[1:])]
    return [f"Step by step at {shape_text(*shape)}: {climbed[0].label} → {'; → '.join(gains)}."]


def _least_of_best(shown: dict[Any, Case], parameter: str) -> Any:
    """The smallest value of those that cannot be told from the fastest."""
    best = min(shown, key=lambda value: shown[value].median_s)
    return next(value for value in values_of(shown.values(), parameter)
                if value == best or speedup(shown[value], shown[best]).tie)


def _value_name(parameter: str, value: Any) -> str:
    """"8 threads", "1 thread", "block 8"."""
    return counted(value, "thread") if parameter == "threads" else f"{parameter} {value}"


def _best_value(series: Series, parameter: str) -> str | None:
    """"block 32 is fastest at 1024, 2.4 times [2.3, 2.5] as fast as block 4" at the largest shape with two values."""
    lookup = by_value(series, parameter)
    for shape in reversed(shapes_of(series.cases)):
        shown = {value: case for value, case in lookup[shape].items() if case.shown}
        if len(shown) < 2:
            continue
        least = values_of(shown.values(), parameter)[0]
        best = _least_of_best(shown, parameter)
        ratio = speedup(shown[least], shown[best])
        at = f"at {shape_text(*shape)}"
        best_name, least_name = _value_name(parameter, best), _value_name(parameter, least)
        if best == least:
            return f"{series.name}: {least_name}, the smallest, is the fastest {at}, or ties with it"
        tied = best != min(shown, key=lambda value: shown[value].median_s)
        verb, more = ("are", "more threads tie with them") if parameter == "threads" else ("is", "larger ones tie with it")
        return f"{series.name}: {best_name} {verb} the fastest {at}{f' ({more})' if tied else ''}, " \
               f"{times(ratio)} as fast as {least_name}"
    return None


def by_parameter(view: View, parameter: str) -> list[str]:
    """What the best value of the parameter brings over its smallest, a sentence an implementation (at most six)."""
    found = []
    for series in series_of(having(view, parameter), without=parameter):
        text = _best_value(series, parameter)
        if text and parameter == "threads":
            text += _efficiency(series)
        if text:
            found.append(text + ".")
    return found[:6]


def _efficiency(series: Series) -> str:
    """", an efficiency of 86 %" of the best number of threads over one, at the largest shape."""
    lookup = by_value(series, "threads")
    shape = shapes_of(series.cases)[-1]
    shown: dict[Any, Case] = {value: case for value, case in lookup[shape].items() if case.shown}
    if 1 not in shown or len(shown) < 2:
        return ""
    best = _least_of_best(shown, "threads")
    return f" (efficiency {plain(100 * speedup(shown[1], shown[best]).value / best, 0)} %)" if best != 1 else ""


def _parts(view: View, groups: list[str]) -> list[tuple[str, list[Case]]]:
    """The cases that may be ranked against each other: same group, scope, cache and inputs, fp32 only; the groups in
    the order given, others after them."""
    parts: dict[tuple, list[Case]] = {}
    for case in view.shown:
        if case.precision == "fp32":
            parts.setdefault((case.group, case.scope, case.cache, case.distribution), []).append(case)
    varying = [place for place in range(4) if len({key[place] for key in parts}) > 1]
    ordered = sorted(parts, key=lambda key: (groups.index(key[0]) if key[0] in groups else len(groups), key))
    return [(", ".join(key[place] for place in varying if key[place]), parts[key]) for key in ordered]


@dataclass(frozen=True)
class Summary:
    """What is said of one experiment on one machine; `top` is what the head of the page repeats."""

    sentences: list[str]
    top: list[str]


def _step_by_step(view: View, wanted: list[dict[str, Any]]) -> list[str]:
    """Of each ladder that keeps to the labels of its main steps."""
    found: list[str] = []
    for spec in wanted:
        if spec["kind"] in ("ladder_bars", "gflops_vs_size") and spec.get("labels"):
            found += steps([case for case in view.cases if spec.get("group") in (None, case.group)],
                           [str(label) for label in spec["labels"]])
    return list(dict.fromkeys(found))


def _over_baselines(view: View, wanted: list[dict[str, Any]]) -> list[str]:
    """Over the baseline of each table and figure, among the points of its group."""
    found: list[str] = []
    for spec in wanted:
        if spec.get("baseline"):
            cases = tuple(case for case in view.cases if spec.get("group") in (None, case.group))
            if cases:
                found += over_baseline(View(view.experiment, view.kind, view.title, cases, view.run, spec["baseline"],
                                            view.reference))
    return list(dict.fromkeys(found))


def summary(view: View, wanted: list[dict[str, Any]]) -> Summary:
    """The sentences that the tables and figures wanted call for."""
    if not view.shown:
        why = ["No point has a number that may be shown." if view.cases else "No point was measured on this machine."]
        return Summary(why, why)
    found: list[str] = []
    parts = _parts(view, list(dict.fromkeys(spec["group"] for spec in wanted if spec.get("group"))))
    if view.reference:  # it stands in for the GPU; what this machine's CPU does was measured here
        parts = [(name, cases) for name, cases in parts if any(case.device == "gpu" for case in cases)] or parts
    top: list[str] = []
    for name, cases in parts[:MOST_GROUPS]:
        shown_name = name.upper() if name in ("cpu", "gpu") else f"{name[:1].upper()}{name[1:]}"
        texts = [(f"{shown_name}: " if name else "") + text for text in fastest(series_of(cases))]
        top += texts[:1]
        found += texts
    if len(parts) > MOST_GROUPS:
        found.append(f"{len(parts) - MOST_GROUPS} more groups stand in the tables.")
    climbed = _step_by_step(view, wanted)
    top += climbed
    found += [*climbed, *_over_baselines(view, wanted)]
    kinds = {spec["kind"] for spec in wanted}
    if "block_size" in kinds or "block_heatmap" in kinds:
        found += by_parameter(view, "block")
    if "thread_scaling" in kinds:
        found += by_parameter(view, "threads")
    return Summary(found, top)
