"""Which cores the threads ran on: a row for points with as many threads on the same cores, a column
a core."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from analysis.tables.kind import FigureKind
from analysis.tables.tables import sentences
from language import say
from records.cases.case import Case
from records.names.naming import display_name
from records.names.numbers import counted, joined
from records.view import View

from .drawing import layout
from .drawing.beside import bare

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


def finding(view: View) -> str:
    """"At all 25 points with no more threads than processors, each thread had one of its own; at 17
    it was bound to it"; empty where none was recorded."""
    found = placements(view)
    fitting = [one for one in found if not view.cores or one.threads <= view.cores]
    every, alone = (sum(len(one.cases) for one in of)
                    for of in (fitting, [one for one in fitting if one.alone]))
    bound = sum(len(one.cases) for one in fitting if one.alone and one.bound)
    if not every:
        return ""
    head = ("At all {points} with no more threads than processors, each thread had one of its own; "
            "at {bound} it was bound to it" if alone == every
            else "At {alone} of {points} with no more threads than processors, each thread had one "
            "of its own; at {bound} it was bound to it")
    text = say(head, alone=alone, points=counted(every, "point"), bound=bound)
    shared = [one for one in fitting if not one.alone]
    return text + say("; {names} shared processors", names=joined(
        list(dict.fromkeys(one.names for one in shared))[:2])) if shared else text


def described(view: View) -> str:
    """Each row in words."""
    return say(" ").join(
        say("{threads} on {cores}, {bound}: {names}.", threads=counted(one.threads, "thread"),
            cores=counted(len(one.cores), "processor"), bound=bound_text(one.bound),
            names=one.names)
        for one in placements(view))


def bound_text(bound: bool) -> str:
    return say("bound to them") if bound else say("not bound")


MOST_ROWS = 28
ROW_IN, RIGHT_IN, LEFT_IN, LEGEND_IN = 0.22, 2.6, 1.0, 0.2
BOUND, FREE = ("#0072B2", ""), ("#cccccc", "///")


def figure(view: View) -> Figure | str:
    """Filled: its threads were bound to the cores; hatched: they ran there, free to move."""
    every = placements(view)
    if not every:
        return say("No point recorded the cores that its threads ran on.")
    found = layout.thinned(every, MOST_ROWS)
    note = sentences(
        say("{count} of {all} drawn: see the table.", count=len(found),
            all=counted(len(every), "row")) if len(found) < len(every) else "",
        say("Threads that ran, of points of all shapes; cores by the system's numbers."))
    drawn, (axes,) = layout.figure_with(view, 1, ROW_IN * len(found), note=note,
                                        title=finding(view), left_in=LEFT_IN, right_in=RIGHT_IN,
                                        legend_in=LEGEND_IN)
    _rows(axes, found)
    return drawn


def _rows(axes: Axes, found: list[Placement]) -> None:
    cores = sorted({core for one in found for core in one.cores})
    places = {core: place for place, core in enumerate(cores)}
    for row, one in enumerate(found):
        colour, hatch = BOUND if one.bound else FREE
        for core in one.cores:
            axes.barh(row, 0.84, 0.7, left=places[core] - 0.42, color=colour, hatch=hatch,
                      edgecolor="white", linewidth=0.4)
        points = say("{points}: {names}", points=counted(len(one.cases), "point"), names=one.names)
        axes.annotate(layout.shortened(points, 42), (1, row), xycoords=axes.get_yaxis_transform(),
                      xytext=(5, 0), va="center", textcoords="offset points", fontsize=7,
                      annotation_clip=False)
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.set_xlim(-0.6, max(len(cores) - 0.4, 4))
    axes.set_yticks(range(len(found)), [counted(one.threads, "thread") for one in found])
    axes.set_xticks([places[core] for core in layout.thinned(cores, 16)],
                    [str(core) for core in layout.thinned(cores, 16)])
    axes.set_xlabel(say("core"))
    axes.grid(visible=False)
    bare(axes)
    axes.legend([Patch(facecolor=colour, hatch=hatch, edgecolor="white")
                 for colour, hatch in (BOUND, FREE)], [bound_text(True), bound_text(False)],
                loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, borderaxespad=0.2)


KIND = FigureKind(
    title="on which cores",
    about="the cores that the threads ran on, and whether they were bound to them",
    has=lambda case: bool(case.cores),
    explains=True,
    figure=figure,
    finding=finding,
    described=described)
