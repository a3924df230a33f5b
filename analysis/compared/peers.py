"""Our implementations beside the libraries: at every shape over the library that is the fastest
there, round by round."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from analysis.tables.heads import with_remark
from language import say
from records.cases.case import Case
from records.cases.ratios import Ratio, geometric_mean, speedup
from records.cases.series import Series, Shape, series_of
from records.names.naming import display_name
from records.names.numbers import counted, ratio_text
from records.schema.operations import by_volume, extents, is_square, shape_text
from records.view import View

FLAT = 8  # an extent this many times smaller or longer than the others makes a shape flat or deep


@dataclass(frozen=True)
class Duel:
    """One shape: ours, the fastest library there, and how many times as fast ours is."""

    case: Case
    rival: Case
    ratio: Ratio
    libraries: frozenset[str] = frozenset()  # the names of all that have a number there


def few_measured(libraries: Sequence[Collection[str]]) -> str:
    """"cuBLAS, typed measured at 13 shapes": of the names that stand at each shape those at no more
    than half of the shapes, so that the best is another's elsewhere."""
    shares = Counter(name for names in libraries for name in names)
    return say(", ").join(say("{name} measured at {shapes}", name=name,
                              shapes=counted(count, "shape"))
                          for name, count in sorted(shares.items()) if 2 * count <= len(libraries))


@dataclass(frozen=True)
class Peer:
    """One of our lines over all shapes, squares first."""

    name: str
    series: Series
    duels: tuple[Duel, ...]

    @property
    def ahead(self) -> int:
        return sum(not duel.ratio.tie and duel.ratio.value > 1 for duel in self.duels)

    @property
    def level(self) -> int:
        return sum(duel.ratio.tie and not duel.ratio.undecided for duel in self.duels)

    @property
    def unresolved(self) -> int:
        return sum(duel.ratio.undecided for duel in self.duels)

    @property
    def mean(self) -> float:
        """Geometric."""
        return geometric_mean([duel.ratio.value for duel in self.duels])

    @property
    def worst(self) -> Duel:
        return min(self.duels, key=lambda duel: duel.ratio.value)

    @property
    def rivals(self) -> set[str]:
        return {display_name(duel.rival) for duel in self.duels}


def kind_of(shape: Shape) -> int:
    """0 of a square, then few rows, few columns, short K, long K, and 5 of any other: the order on
    the axis."""
    if is_square(shape):
        return 0
    if len(shape) != 3 or isinstance(shape[2], str):
        return 5
    m, n, k = extents(shape)
    thin = [m * FLAT <= min(n, k), n * FLAT <= min(m, k), k * FLAT <= min(m, n),
            k >= FLAT * max(m, n)]
    return thin.index(True) + 1 if any(thin) else 5


def on_axis(shape: Shape) -> tuple:
    """The sort key of shapes on the axis: by kind, then by work."""
    return kind_of(shape), by_volume(shape)


def _place(case: Case) -> tuple:
    return case.run_id, case.group, case.shape, case.regime, case.threads


def peers_of(view: View) -> list[Peer]:
    """Ours with at least one library of plain fp32 in its group, most shapes first; then what is
    not plain fp32."""
    there: dict[tuple, list[Case]] = defaultdict(list)
    for case in view.shown:
        if case.library and case.ranked and not case.copy:
            there[_place(case)].append(case)
    rivals = {place: min(cases, key=lambda case: case.median_s) for place, cases in there.items()}
    own = [case for case in view.shown
           if not case.library and not case.copy and _place(case) in rivals]
    made = []
    for one in series_of(own):
        duels = [Duel(case, rivals[place], speedup(rivals[place], case),
                      frozenset(map(display_name, there[place])))
                 for case in one.cases for place in [_place(case)]]
        made.append(Peer(one.name, one,
                         tuple(sorted(duels, key=lambda duel: on_axis(duel.case.shape)))))
    return sorted(made, key=lambda peer: (not peer.series.first.ranked, -len(peer.duels)))


def said(peer: Peer) -> str:
    """"pipelined is ahead of the best library at 24 of 28 shapes: 1.16 times in geometric mean,
    0.61 at worst"."""
    rival = peer.rivals.pop() if len(peer.rivals) == 1 else with_remark(
        say("the best library"), few_measured([duel.libraries for duel in peer.duels]))
    level = say(" and level at {count}", count=peer.level) if peer.level else ""
    level += say(" ({count} not resolved)", count=peer.unresolved) if peer.unresolved else ""
    shapes = counted(len(peer.duels), "shape")
    if len(peer.duels) == 1:
        return say("{name} is {ratio} times as fast as {rival} at {size}",
                   name=peer.name, ratio=ratio_text(peer.mean), rival=rival,
                   size=shape_text(*peer.duels[0].case.shape))
    return say("{name} is ahead of {rival} at {ahead} of {shapes}{level}: {mean} times in "
               "geometric mean, {worst} at worst",
               name=peer.name, rival=rival, ahead=peer.ahead, shapes=shapes, level=level,
               mean=ratio_text(peer.mean), worst=ratio_text(peer.worst.ratio.value))


def finding_of(peers: list[Peer]) -> str:
    """What is said of the line with most shapes, of such with most threads, of such the best; empty
    where there is none."""
    full = [peer for peer in peers if peer.series.first.ranked] or peers
    return said(max(full, key=lambda peer: (len(peer.duels), peer.series.first.threads,
                                            peer.mean))) if full else ""
