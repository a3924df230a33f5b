"""The finding of one implementation of ours beside the libraries, over all shapes, losses
included."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import median

from analysis.ladder.ladder import SETS
from analysis.tables.heads import Head, with_remark
from analysis.tables.kind import Section
from language import recorded, say
from records.cases.case import Case
from records.cases.phrases import MUCH, pairing, place_of, quoted, sound_mean, times, unsound
from records.cases.ratios import Ratio, geometric_mean, speedup
from records.cases.series import Shape
from records.cases.where import host_text
from records.names.naming import bare_name
from records.names.numbers import between, capital, counted, joined, percents, plain
from records.schema.operations import GEMM, shape_text
from records.view import View

from .peers import few_measured

LEAST_SHAPES = 3
ALIGNED = 16  # bytes: what a vector load and a bulk copy of the card ask of each row's start
MOST_NAMED = 3
FEW = 0.25  # of the shapes: no more than may carry a mean unseen
NOTABLY = 1.02  # times


@dataclass(frozen=True)
class Meeting:
    """Our fastest and the fastest library at one shape, in one group."""

    own: Case
    library: Case
    ratio: Ratio  # ours over the library's
    libraries: frozenset[str]  # the names of all that have a number there

    @property
    def shape(self) -> Shape:
        return self.own.shape

    @property
    def lost(self) -> bool:
        return not self.ratio.tie and self.ratio.value < 1


def _meetings(cases: Iterable[Case]) -> list[Meeting]:
    """One a host, group and shape where a library stands beside ours in bursts, undisturbed: our
    fastest against the fastest of all libraries there."""
    places: dict[tuple, list[Case]] = defaultdict(list)
    for case in cases:
        if (case.ranked and not case.copy and not case.disturbed and not case.load
                and case.scope != "first-call"):
            places[(case.host, case.experiment, case.group, *case.regime, case.cards,
                    case.shape)].append(case)
    made = []
    for there in places.values():
        own = [case for case in there if not case.library]
        libraries = [case for case in there if case.library]
        if own and libraries:
            best, library = (min(some, key=lambda case: case.median_s) for some in (own, libraries))
            made.append(Meeting(best, library, speedup(library, best),
                                frozenset(map(bare_name, libraries))))
    return made


def _unrestricted(met: list[Meeting]) -> list[Meeting]:
    """Those with the widest instructions that were measured: a library that is held to narrower
    ones is not what its makers ship."""
    levels = [level for level in SETS if any(one.own.parameters.get("isa") == level for one in met)]
    return [one for one in met if not levels
            or one.own.parameters.get("isa", levels[-1]) == levels[-1]]


def _held(met: list[Meeting], unlike_twins: int = 0) -> dict[str, str]:
    """How often it is ahead, of how many shapes, how often level and by which noise floor, with how
    many points are not in that as they chose other code the second time, and how often none of that
    nor behind can be said."""
    unresolved = sum(one.ratio.undecided for one in met)
    level = sum(one.ratio.tie and not one.ratio.undecided for one in met)
    floors = [one.ratio.noise for one in met]
    without = (say(", without {points} that chose other code the second time",
                   points=counted(unlike_twins, "point")) if unlike_twins else "")
    told = [say(", level at {count} (noise floor {floor}{without})", count=level,
                floor=percents((min(floors), max(floors))), without=without)
            if level else "",
            say(" ({count} not resolved)", count=unresolved) if unresolved else ""]
    return {"ahead": str(sum(not (one.lost or one.ratio.tie) for one in met)),
            "shapes": counted(len(met), "shape"), "open": "".join(told)}


def _library_name(met: list[Meeting]) -> str:
    """"the fastest library (cuBLAS, typed measured at 13 shapes)": with those that have a number at
    no more than half of the shapes, so that it is the others' elsewhere."""
    if len({bare_name(one.library) for one in met}) == 1:
        return bare_name(met[0].library)
    return with_remark(say("the fastest library"), few_measured([one.libraries for one in met]))


def _value(met: list[Meeting]) -> float:
    return geometric_mean([one.ratio.value for one in met])


def _mean(met: list[Meeting]) -> str:
    return plain(_value(met), 2)


def _libraries(met: list[Meeting]) -> set[str]:
    return {name for one in met for name in one.libraries}


def _qualified(met: list[Meeting]) -> str:
    """What the mean comes to without unsound points, without the groups of shapes that carry it, by
    the alignment of rows, and over the group where it is least; else the median where that is
    another by more than MUCH: a few shapes may carry a mean."""
    if parts := _carried(met) + _by_alignment(met) + _by_group(met):
        return sound_mean(one.ratio for one in met) + parts
    mean, middle = _value(met), median(one.ratio.value for one in met)
    return sound_mean(one.ratio for one in met) + (
        say(", {median} in the median", median=plain(middle, 2))
        if max(mean / middle, middle / mean) > MUCH else "")


def _unsound(met: list[Meeting]) -> str:
    """"The clock was held down on one side at 4096 and 16384; threads not bound to cores at 512.";
    empty where all is sound."""
    reasons: dict[str, list[str]] = defaultdict(list)
    for one in met:
        if why := unsound(one.own, one.library):
            reasons[why].append(shape_text(*one.shape))
    return capital(say("{parts}.", parts=say("; ").join(
        say("{reason} at {shapes}", reason=why, shapes=joined(shapes))
        for why, shapes in reasons.items()))) if reasons else ""


def _aligned(case: Case) -> bool:
    """Do all rows of A and B, as they are stored, start at a multiple of ALIGNED bytes?"""
    bits = re.search(r"\d+", str(case.options.get("type") or "float32"))
    size = int(bits[0]) // 8 if bits else 1
    rows = (case.m if case.options.get("transpose_a") == "yes" else case.k,
            case.k if case.options.get("transpose_b") == "yes" else case.n)
    return all(size * row % ALIGNED == 0 for row in rows)


def _by_alignment(met: list[Meeting]) -> str:
    """", 1.03 over the 38 whose rows start at multiples of 16 bytes, 1.35 over the others"; empty
    where the two lie within MUCH of each other, or either has too few shapes."""
    if any(one.own.operation != GEMM for one in met):
        return ""
    parts = [[one for one in met if _aligned(one.own) is whole] for whole in (True, False)]
    if min(map(len, parts)) < LEAST_SHAPES:
        return ""
    whole, odd = map(_value, parts)
    return say(", {mean} over the {count} whose rows start at multiples of {bytes} bytes, {odd} "
               "over the others", count=len(parts[0]), bytes=ALIGNED, mean=plain(whole, 2),
               odd=plain(odd, 2)) if max(whole / odd, odd / whole) > MUCH else ""


def _groups(met: list[Meeting]) -> dict[str, list[Meeting]]:
    found: dict[str, list[Meeting]] = defaultdict(list)
    for one in met:
        found[one.own.group].append(one)
    return found


def _carried(met: list[Meeting]) -> str:
    """", 1.13 without the 9 of the groups few rows, few columns and flat": without the groups that
    are most in favour, which together have at most FEW of the shapes, or the one that is most;
    empty where the mean is none the less for it."""
    groups = _groups(met)
    best = sorted(groups, key=lambda name: -_value(groups[name]))
    out = best[:1]
    for name in best[1:]:
        if sum(len(groups[one]) for one in (*out, name)) > FEW * len(met):
            break
        out.append(name)
    left = [one for one in met if one.own.group not in out]
    if len(left) < LEAST_SHAPES or _value(met) < NOTABLY * _value(left):
        return ""
    words = {"mean": _mean(left), "count": len(met) - len(left),
             "groups": joined([quoted(recorded(name)) for name in out])}
    return (say(", {mean} without the {count} of the group {groups}", **words) if len(out) == 1
            else say(", {mean} without the {count} of the groups {groups}", **words))


def _by_group(met: list[Meeting]) -> str:
    """", 1.08 over the 12 of the group drawn shapes, with 4 of the 5 losses": the group whose mean
    is least, unless it wins somewhere and a larger one holds more losses, which then is told of;
    empty where its mean lies no MUCH below that of all."""
    groups = {name: of for name, of in _groups(met).items() if len(of) >= LEAST_SHAPES}
    lost = {name: sum(one.lost for one in of) for name, of in groups.items()}
    if not groups:
        return ""
    least = min(groups, key=lambda name: _value(groups[name]))
    if lost[least] < len(groups[least]):
        larger = [name for name in groups if len(groups[name]) > len(groups[least])
                  and lost[name] > lost[least]]
        least = max(larger, key=lambda name: lost[name], default=least)
    if MUCH * _value(groups[least]) > _value(met):
        return ""
    every = sum(one.lost for one in met)
    return say(", {mean} over the {count} of the group {group}", mean=_mean(groups[least]),
               count=len(groups[least]), group=quoted(recorded(least))) + (
        say(", with {lost} of the {all} losses", lost=lost[least], all=every)
        if 2 * lost[least] > every > 1 else "")


def in_sustained_load(view: View) -> str:
    """"in sustained load 0.96 to 0.99 (4096 and 8192)", "in sustained load 1.02 to 1.07 (4096 and
    8192, in gpu_sustained)": of the same code of ours, in the same experiment or, where that has
    none, in another; empty where that was not measured."""
    bursts = _meetings(view.shown)
    codes = {one.own.implementation for one in bursts}
    every = _meetings(replace(case, load="") for case in view.everywhere
                      if case.load and (case.library or case.implementation in codes))
    own = [one for one in every if (one.own.host, one.own.experiment) == (
        view.host, view.experiment)]
    met = own or every
    if not met:
        return ""
    where = [] if own else [say("in {experiment}", experiment=joined(
        sorted({one.own.experiment for one in met})))]
    if (beside := _libraries(met)) < _libraries(bursts):
        where.append(say("beside {names} alone", names=joined(sorted(beside))))
    where += filter(None, [next(filter(None, (pairing(one.ratio) for one in met)), "")])
    values = [one.ratio.value for one in met]
    return say("in sustained load {times} ({shapes})",
               times=between(plain(min(values), 2), plain(max(values), 2)),
               shapes=say(", ").join([joined(list(dict.fromkeys(
                   shape_text(*one.shape) for one in met))), *where]))


def _worst(met: list[Meeting]) -> str:
    worst = min(met, key=lambda one: one.ratio.value)
    return say("{times} at worst ({shape})", times=plain(worst.ratio.value, 2),
               shape=place_of(worst.ratio))


def _told(met: list[Meeting]) -> str:
    """Where it is most ahead and most behind."""
    best, worst = max(met, key=lambda one: one.ratio.value), min(met,
                                                                 key=lambda one: one.ratio.value)
    lost = sorted((one for one in met if one.lost), key=lambda one: one.ratio.value)
    behind = [say("{shape} ({times})", shape=shape_text(*one.shape), times=times(one.ratio))
              for one in lost[:MOST_NAMED]]
    more = say("{count} more", count=len(lost) - MOST_NAMED) if len(lost) > MOST_NAMED else ""
    return say("Most ahead at {best} ({times}); {behind}.",
               best=shape_text(*best.shape), times=times(best.ratio),
               behind=say("behind at {shapes}", shapes=joined([*behind, *filter(None, [more])]))
               if lost else say("never behind, least at {shape} ({times})",
                                shape=shape_text(*worst.shape), times=times(worst.ratio)))


def peers_finding(section: Section) -> Head | None:
    """"pipelined is ahead of cuBLAS at 24 of 28 shapes, 1.16 times in geometric mean, 0.61 at
    worst". None where several of ours stand beside the libraries: that is a ladder."""
    view, met = section.view, _meetings(section.view.shown)
    if len(met) < LEAST_SHAPES or ("ratio_to_library" not in section.kinds
                                   and len({one.implementation for one in _ours(view)}) > 1):
        return None
    (threads, first), *others = _by_threads(met)
    own = joined(list(dict.fromkeys(bare_name(one.own) for one in first)))
    if threads > 1 and others:
        fewer = any((one.own.threads_actual or threads) < threads for one in first)
        own = say("{name} on up to {threads}" if fewer else "{name} on {threads}", name=own,
                  threads=counted(threads, "thread"))
    text = say("{own} is ahead of {library} at {ahead} of {shapes}{open}, {mean} "
               "times in geometric mean{sound}, {worst}", own=own, library=_library_name(first),
               **_held(first, view.unlike_twins), mean=_mean(first),
               sound=_qualified(first), worst=_worst(first))
    beside = [say("On {threads} it is ahead at {ahead} of {shapes}{open}, {mean} times in "
                  "geometric mean{sound}, {worst}.", threads=counted(count, "thread"), **_held(one),
                  mean=_mean(one), sound=_qualified(one), worst=_worst(one))
              for count, one in others]
    told = _told(first), *beside, _unsound(first)
    return Head(text, tuple(filter(None, told)),
                averaged=tuple(case for one in first for case in (one.own, one.library)))


def worse_elsewhere(view: View) -> str:
    """"0.90 times in geometric mean over 15 shapes on host 5e6f7a8b, in cpu_vs_gpu, cold cache;
    0.73 at worst on host 1a2b3c4d, in cpu_matrix (4096, threads not bound to cores)": where the
    same code of ours, asked for as many threads, is farther behind the fastest library on another
    host of the folder, in the same forms of the product, inputs and scope; empty where it is
    not."""
    first = _by_threads(_meetings(view.shown))[0][1]
    codes, forms = ({(one.own.implementation, one.own.threads) for one in first},
                    [one.own.options for one in first])
    alike = {(one.own.device, one.own.distribution, one.own.scope) for one in first}
    there = _unrestricted(_meetings(
        case for case in view.everywhere if case.host != view.host and case.options in forms
        and (case.device, case.distribution, case.scope) in alike
        and (case.library or (case.implementation, case.threads) in codes)))
    return say("; ").join(filter(None, (_less_on_average(first, there),
                                        _farther_behind(first, there))))


def _less_on_average(first: list[Meeting], there: list[Meeting]) -> str:
    """The least mean that an experiment of another host and state of the cache comes to; of a shape
    in several groups the one counts that has more of them. Empty where it lies no MUCH below."""
    places: dict[tuple[str, str, str], dict[Shape, Meeting]] = defaultdict(dict)
    sizes = Counter((one.own.run_id, one.own.group) for one in there)
    for one in sorted(there, key=lambda one: sizes[one.own.run_id, one.own.group]):
        places[one.own.host, one.own.experiment, one.own.cache][one.shape] = one
    means = [list(of.values()) for of in places.values() if len(of) >= LEAST_SHAPES]
    least = min(means, key=_value, default=[])
    if not least or MUCH * _value(least) > _value(first):
        return ""
    own = least[0].own
    return say("{mean} times in geometric mean over {shapes}{sound} on {host}, in {experiment}, "
               "{cache} cache", mean=_mean(least), sound=sound_mean(one.ratio for one in least),
               shapes=counted(len(least), "shape"), host=host_text(own.host),
               experiment=own.experiment, cache=recorded(own.cache))


def _farther_behind(first: list[Meeting], there: list[Meeting]) -> str:
    """The worst shape elsewhere, by the shared rounds or by the medians."""
    worst = min(there, key=_least, default=None)
    if worst is None or _least(worst) >= min(map(_least, first)):
        return ""
    return say("{times} at worst on {host}, in {experiment} ({place})",
               times=plain(worst.ratio.value, 2), host=host_text(worst.own.host),
               experiment=worst.own.experiment, place=place_of(worst.ratio))


def _least(one: Meeting) -> float:
    """The smaller of the ratio and of that of the medians."""
    return min(one.ratio.value, one.library.median_s / one.own.median_s)


def _by_threads(met: list[Meeting]) -> list[tuple[int, list[Meeting]]]:
    """By the threads that ours was asked to take, 0 on a GPU, most first."""
    found: dict[int, list[Meeting]] = defaultdict(list)
    for one in _unrestricted(met):
        found[one.own.threads if one.own.device == "cpu" else 0].append(one)
    return sorted(found.items(), reverse=True)


def _ours(view: View) -> list[Case]:
    return [case for case in view.shown if not case.library and case.ranked and not case.copy]
