"""From which size the GPU wins over the CPU's best, as told: on the host that timed both, and with
the quickest times of each other host, link and state of the cache."""

from __future__ import annotations

from dataclasses import dataclass

from language import say
from records.cases.case import Case
from records.schema.operations import extents

from .break_even import BreakEven, break_even, squares_of
from .links import other_links
from .names import crossing, crossing_by_medians, rests_on, sizes_text, with_remark
from .over_hosts import APART, by_point, quickest
from .pairs import BEST, Pairing, matches_of
from .points import Contest, Match

MOST_STEP = 4  # times the size: a line between sizes further apart says little


@dataclass(frozen=True)
class Elsewhere:
    """The GPU's times over one host's link against one host's quickest CPU times; `cpu`: of these
    the one at the largest size that is not won; `link`: that host, where it is not the own one."""

    found: BreakEven
    cpu: Case
    link: str = ""

    @property
    def text(self) -> str:
        """"306", or "none (to 4096)"."""
        return crossing(self.found) if self.found.never else sizes_text(_place(self.found))


@dataclass(frozen=True)
class Crossing:
    """`own`: of the match at each size. `later`: of the host with whose times it is the largest,
    where that is larger than the own one: a host where the GPU wins sooner makes none of it
    sooner."""

    own: BreakEven
    later: Elsewhere | None = None

    @property
    def sizes(self) -> str:
        """"240 to 306"; "240 [235, 247]" where it is no later elsewhere; "all sizes (from 64)"
        where that holds with each."""
        if self.later is None:
            return crossing(self.own)
        return say("{low} to {high}", low=sizes_text(_place(self.own)), high=self.later.text)

    @property
    def text(self) -> str:
        """"240 [235, 247] (306 by packed on host 1a2b3c4d, warm cache; 256 a tie)": the own one,
        with the later one and what is unsound of its neighbours; "64 (the smallest measured; 68 by
        packed on host 1a2b3c4d)"."""
        if self.own.always and self.later:
            return with_remark(sizes_text(_place(self.own)), say("; ").join(
                filter(None, (say("the smallest measured"), self.remark))))
        return with_remark(crossing(self.own), self.remark)

    @property
    def called(self) -> str:
        """"266 [247, 305] (135 by the medians)"."""
        return with_remark(self.sizes, crossing_by_medians(self.own))

    @property
    def brief(self) -> str:
        """"240 to 306 (256 a tie)": the same without where it is later."""
        return with_remark(self.sizes, rests_on(self.own))

    @property
    def remark(self) -> str:
        """What stands in the brackets."""
        told = by_point(self.later.text, self.later.cpu, self.later.link) if self.later else ""
        return say("; ").join(filter(None, (told, rests_on(self.own))))


def _place(found: BreakEven) -> float:
    """Where it is, to rank by: of one that is always won the smallest size, of one never won the
    largest."""
    if found.size is not None:
        return found.size
    return float(found.sizes[0] if found.always else found.sizes[-1])


def _later(found: BreakEven, own: BreakEven) -> bool:
    """Does the GPU win from a larger size on than by the own one? Lost at each of fewer sizes does
    not say so."""
    if found.always or own.never:
        return False
    if found.never:
        return found.sizes[-1] > _place(own)
    ends = [extents(match.shape)[0] for match in found.between]
    return ends[-1] <= MOST_STEP * ends[0] and _place(found) > (
        1.0 if own.always else APART) * _place(own)


def crossing_of(contest: Contest, way: str, pairing: Pairing = BEST) -> Crossing | None:
    """None where fewer than two squares were measured. A pairing that names who is compared is
    told of on the contest's own host alone."""
    matches = squares_of(matches_of(pairing, contest, way))
    own = break_even(matches)
    if own is None:
        return None
    if not pairing.of_any:
        return Crossing(own)
    by_host: dict[tuple[str, str], list[Match]] = {}
    for match in matches:
        links = {"": match.gpu} | other_links(match, contest)
        for host, case in ({match.cpu.host: match.cpu} | quickest(match, contest)).items():
            for link, gpu in links.items():
                by_host.setdefault((host, link), []).append(Match(case, gpu))
    others = [Elsewhere(found, next(match.cpu for match in there
                                    if extents(match.shape)[0] == found.lost), link)
              for (_, link), there in by_host.items()
              if (found := break_even(there)) and _later(found, own)]
    return Crossing(own, max(others, key=lambda one: _place(one.found), default=None))
