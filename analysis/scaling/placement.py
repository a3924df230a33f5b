"""Which cores the threads of CPU points ran on, and whether they were bound to them."""

from __future__ import annotations

from dataclasses import dataclass

from language import say
from records.cases.case import Case
from records.names.naming import display_name
from records.names.numbers import counted, joined
from records.view import View

MOST_NAMES = 3


@dataclass(frozen=True)
class Placement:
    """Points with as many threads on the same cores."""

    threads: int  # that ran
    cores: tuple[int, ...]
    bound: bool
    cases: tuple[Case, ...]

    @property
    def alone(self) -> bool:
        """Had each thread a core of its own?"""
        return len(self.cores) >= self.threads

    @property
    def names(self) -> str:
        """Of what ran: "ikj, blocked"; at most three, and how many more."""
        names = list(dict.fromkeys(display_name(case) for case in self.cases))
        more = ([say("{count} more", count=len(names) - MOST_NAMES)]
                if len(names) > MOST_NAMES else [])
        return say(", ").join(names[:MOST_NAMES] + more)


def placements(view: View) -> list[Placement]:
    """Fewest threads first; points that recorded no core are left out."""
    found: dict[tuple[int, tuple[int, ...], bool], list[Case]] = {}
    for case in view.shown:
        if case.device == "cpu" and case.cores and not case.copy:
            key = (case.threads_actual or case.threads, tuple(sorted(set(case.cores))),
                   bool(case.pinned))
            found.setdefault(key, []).append(case)
    return [Placement(*key, tuple(found[key]))
            for key in sorted(found, key=lambda key: (key[0], -len(key[1]), key[1], not key[2]))]


def placement_finding(view: View) -> str:
    """"At all 25 points with no more threads than cores each thread had a core of its own; at 17 it
    was bound to it"; empty where no core was recorded."""
    found = placements(view)
    fitting = [one for one in found if not view.cores or one.threads <= view.cores]
    every, alone = (sum(len(one.cases) for one in of)
                    for of in (fitting, [one for one in fitting if one.alone]))
    bound = sum(len(one.cases) for one in fitting if one.alone and one.bound)
    if not every:
        return ""
    head = ("At all {points} with no more threads than cores, each thread had a core of its own; "
            "at {bound} it was bound to it" if alone == every
            else "At {alone} of {points} with no more threads than cores, each thread had a core "
            "of its own; at {bound} it was bound to it")
    text = say(head, alone=alone, points=counted(every, "point"), bound=bound)
    shared = [one for one in fitting if not one.alone]
    return text + say("; {names} shared cores", names=joined(
        list(dict.fromkeys(one.names for one in shared))[:2])) if shared else text


def placement_described(view: View) -> str:
    """Each row in words."""
    return say(" ").join(
        say("{threads} on {cores}, {bound}: {names}.", threads=counted(one.threads, "thread"),
            cores=counted(len(one.cores), "core"), bound=bound_text(one.bound), names=one.names)
        for one in placements(view))


def bound_text(bound: bool) -> str:
    return say("bound to them") if bound else say("not bound")
