"""The finding of one implementation of ours beside the libraries, over all shapes, losses
included."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median

from analysis.ladder.ladder import SETS
from analysis.tables.heads import Head
from analysis.tables.kind import Section
from language import say
from records.cases.case import Case
from records.cases.phrases import MUCH, place_of, sound_mean, times, unsound
from records.cases.ratios import Ratio, geometric_mean, speedup
from records.cases.series import Shape
from records.names.naming import bare_name
from records.names.numbers import capital, counted, joined, plain
from records.schema.operations import shape_text
from records.view import View

LEAST_SHAPES = 3
MOST_NAMED = 3


@dataclass(frozen=True)
class Meeting:
    """Our fastest and the fastest library at one shape, in one group."""

    own: Case
    library: Case
    ratio: Ratio  # ours over the library's

    @property
    def shape(self) -> Shape:
        return self.own.shape

    @property
    def lost(self) -> bool:
        return not self.ratio.tie and self.ratio.value < 1


def _meetings(view: View) -> list[Meeting]:
    """One a group and shape where a library stands beside ours in bursts, undisturbed: our fastest
    against the fastest of all libraries there."""
    places: dict[tuple, list[Case]] = defaultdict(list)
    for case in view.shown:
        if (case.ranked and not case.copy and not case.disturbed and not case.load
                and case.scope != "first-call"):
            places[(case.group, *case.regime, case.cards, case.shape)].append(case)
    made = []
    for cases in places.values():
        own = [case for case in cases if not case.library]
        libraries = [case for case in cases if case.library]
        if own and libraries:
            best, library = (min(some, key=lambda case: case.median_s) for some in (own, libraries))
            made.append(Meeting(best, library, speedup(library, best)))
    return made


def _unrestricted(met: list[Meeting]) -> list[Meeting]:
    """Those with the widest instructions that were measured: a library that is held to narrower
    ones is not what its makers ship."""
    levels = [level for level in SETS if any(one.own.parameters.get("isa") == level for one in met)]
    return [one for one in met if not levels
            or one.own.parameters.get("isa", levels[-1]) == levels[-1]]


def _held(met: list[Meeting]) -> dict[str, str]:
    """How often it is level or ahead, of how many shapes, and how often neither that nor behind can
    be said."""
    unresolved = sum(one.ratio.undecided for one in met)
    return {"held": str(sum(not one.lost and not one.ratio.undecided for one in met)),
            "shapes": counted(len(met), "shape"),
            "open": say(" ({count} not resolved)", count=unresolved) if unresolved else ""}


def _library_name(met: list[Meeting]) -> str:
    names = {bare_name(one.library) for one in met}
    return names.pop() if len(names) == 1 else say("the fastest library")


def _mean(met: list[Meeting]) -> str:
    return plain(geometric_mean([one.ratio.value for one in met]), 2)


def _qualified(met: list[Meeting]) -> str:
    """What the mean comes to without unsound points, and the median where that is another by more
    than MUCH: a few shapes may carry a mean."""
    values = [one.ratio.value for one in met]
    mean, middle = geometric_mean(values), median(values)
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
    """"pipelined is level with cuBLAS or ahead at 24 of 28 shapes, 1.16 times in geometric mean,
    0.61 at worst". None where several of ours stand beside the libraries: that is a ladder."""
    view, met = section.view, _meetings(section.view)
    if len(met) < LEAST_SHAPES or ("ratio_to_library" not in section.kinds
                                   and len({one.implementation for one in _ours(view)}) > 1):
        return None
    (threads, first), *others = _by_threads(met)
    own = joined(list(dict.fromkeys(bare_name(one.own) for one in first)))
    if threads > 1 and others:
        fewer = any((one.own.threads_actual or threads) < threads for one in first)
        own = say("{name} on up to {threads}" if fewer else "{name} on {threads}", name=own,
                  threads=counted(threads, "thread"))
    text = say("{own} is level with {library} or ahead at {held} of {shapes}{open}, {mean} "
               "times in geometric mean{sound}, {worst}", own=own, library=_library_name(first),
               **_held(first), mean=_mean(first),
               sound=_qualified(first), worst=_worst(first))
    beside = [say("On {threads} it is level or ahead at {held} of {shapes}{open}, {mean} times in "
                  "geometric mean{sound}, {worst}.", threads=counted(count, "thread"), **_held(one),
                  mean=_mean(one), sound=_qualified(one), worst=_worst(one))
              for count, one in others]
    return Head(text, tuple(filter(None, (_told(first), *beside, _unsound(first)))),
                averaged=tuple(case for one in first for case in (one.own, one.library)))


def _by_threads(met: list[Meeting]) -> list[tuple[int, list[Meeting]]]:
    """By the threads that ours was asked to take, 0 on a GPU, most first."""
    found: dict[int, list[Meeting]] = defaultdict(list)
    for one in _unrestricted(met):
        found[one.own.threads if one.own.device == "cpu" else 0].append(one)
    return sorted(found.items(), reverse=True)


def _ours(view: View) -> list[Case]:
    return [case for case in view.shown if not case.library and case.ranked and not case.copy]
