"""Who is fastest where: the standing at each shape, in sentences, and how often nobody is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from analysis.compared.elsewhere import lead_elsewhere
from analysis.tables.tables import over_share
from language import recorded, say
from records.cases.case import Case
from records.cases.phrases import named, named_over, times
from records.cases.ratios import Ratio, speedup
from records.cases.series import Series, Shape, series_of, shape_names, shapes_of
from records.names.numbers import counted, ends_of, joined, plain, with_interval
from records.schema.operations import shape_text
from records.view import View


@dataclass(frozen=True)
class Standing:
    """One shape: its fastest case, those that tie with it, those about which nothing is decided,
    and the next one behind, by how much; none of these where nothing else has a number."""

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


def fastest(series: list[Series], every: Iterable[Case] = ()) -> list[str]:
    """"X is fastest from 256 to 1024: at 1024 1.3 times [1.2, 1.4] the next, Y." A sentence per
    stretch of shapes. `every`: all that the folder holds, of which a library may be faster than
    the one that is next."""
    stretches = _stretches(standings(series))
    found = []
    for stretch in reversed(stretches[-3:]):
        last, shapes = stretch[-1], [one.shape for one in stretch]
        best = named_over(last.fastest, shapes)
        where = shape_text(*last.shape) if len(stretch) == 1 else f"{shape_names(shapes)}"
        if last.ties:
            names = joined([best, *(named_over(tie, shapes) for tie in last.ties[:4])])
            more = say(" (and {count} more)", count=len(last.ties)
                       - 4) if len(last.ties) > 4 else ""
            text = say("At {where}, {names}{more} tie for the fastest: their 99 % intervals do "
                       "not tell them apart", where=where, names=names, more=more)
        else:
            text = say("{best} is the only one ranked at {where}" if _alone(last)
                       else "{best} has the highest rate at {where}" if last.undecided
                       else "{best} is fastest at {where}",
                       best=best, where=where)
        rate = last.fastest.by_shape[last.shape]
        several = len(stretch) > 1
        text += say("; the highest median at {shape} is that of {best}, {rate}"
                    if last.ties and several
                    else "; the highest median is that of {best}, {rate}" if last.ties
                    else ", with {rate} at {shape}" if several
                    else ", with {rate}", shape=shape_text(*last.shape),
                    best=named(rate, last.fastest.name),
                    rate=with_interval(rate.rate, *ends_of(rate.rate_ci95), rate.rate_unit))
        text += _share(rate)
        if last.next is not None and last.lead is not None:
            after = last.next.by_shape[last.shape]
            text += say("; that is {times} the rate of the next, {next}", times=times(last.lead),
                        next=named(after, last.next.name))
            if after.library and not rate.library and (
                    lead := lead_elsewhere(after, rate, every)):
                text += say("; {lead}", lead=lead)
        text += "".join(say("; against {name} {value} times, {verdict}",
                            name=named(one.by_shape[last.shape], one.name),
                            value=plain(ratio.value),
                            verdict=ratio.verdict) for one, ratio in last.undecided[:4])
        found.append(text + say("."))
    if len(stretches) > 3:
        found.append(say("Below {shape} the fastest changes {count} more times; the tables show "
                         "where.", shape=shape_text(*stretches[-3][0].shape), count=len(stretches)
                         - 3))
    return found


def _share(case: Case) -> str:
    """" (71 % of the ceiling that binds it)"."""
    if not case.of_ceiling:
        return ""
    why = over_share(case)
    broken = say(", {why}", why=why) if why else ""
    return say(" ({share} % of the ceiling that binds it{broken})",
               share=plain(100 * case.of_ceiling, 0), broken=broken)


def ranked_parts(view: View, groups: list[str]) -> list[tuple[str, list[Case]]]:
    """The cases that may be ranked against each other: same group, regime and number of cards, fp32
    only, without copies made to test the statistics and without first calls; the groups in the
    order given, others after them."""
    parts: dict[tuple, list[Case]] = {}
    for case in view.shown:
        if case.precision == "fp32" and not case.copy and case.scope != "first-call":
            parts.setdefault((case.group, *case.regime, case.cards_words), []).append(case)
    varying = [place for place in range(10) if len({key[place] for key in parts}) > 1]
    ordered = sorted(
        parts, key=lambda key: (groups.index(key[0]) if key[0] in groups else len(groups), key))
    return [(say(", ").join(recorded(key[place]) for place in varying if key[place]), parts[key])
            for key in ordered]


def ties_text(view: View) -> str:
    """"the fastest ties with another in 5 of 12 rankings; in 1, ..." over all that is ranked; empty
    where none does."""
    every = [one for _, cases in ranked_parts(view, []) for one in standings(series_of(cases))
             if one.ties or one.undecided or one.next]
    ties, undecided = sum(bool(one.ties) for one in every), sum(bool(one.undecided)
                                                                for one in every)
    if not ties and not undecided:
        return ""
    open_ones = say("; in {undecided}, the samples do not decide between it and some other",
                    undecided=undecided) if undecided else ""
    return say("the fastest ties with another in {ties} of {shapes}", ties=ties,
               shapes=counted(len(every), "ranking")) + open_ones + say(".")
