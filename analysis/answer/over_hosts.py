"""How far a speedup holds over the hosts of a folder: clouds hand out machines of one name and
different speed."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from analysis.tables.heads import rounded, with_remark
from language import recorded, say
from records.cases.case import Case
from records.cases.phrases import over_its_own
from records.cases.ratios import paired, speedup
from records.cases.series import Shape
from records.cases.where import host_text
from records.names.naming import display_name
from records.names.numbers import counted, duration, joined
from records.schema.operations import is_square

from .links import other_links
from .names import times, unsound
from .points import KERNEL, Contest, Match, usable, way_of

CLEARLY = 1.03  # times as fast: less is what groups of one run differ by
APART = 1.05  # times as much: less is what one host differs by from run to run


def in_any_group(like: Case, cases: Iterable[Case]) -> list[Case]:
    """Of these the other points at its shape that were timed as it was, in whichever group."""
    def kind(case: Case) -> tuple[Any, ...]:
        return case.device, case.shape, case.precision, case.regime, way_of(case)

    return [case for case in cases
            if case is not like and kind(case) == kind(like) and usable(case)]


def clearly_faster(cases: Iterable[Case], than: Case) -> list[Case]:
    return [case for case in cases if case.median_s * CLEARLY < than.median_s]


def few_libraries(like: Case, cases: Iterable[Case]) -> str:
    """"of the libraries oneDNN and OpenBLAS alone have a number here": of those at its square that
    were timed as it was on as many threads, where more were at another square of these cases, so
    that a best was chosen among fewer; else empty."""
    found: dict[Shape, dict[str, None]] = {}
    for case in cases:
        if (is_square(case.shape) and case.library and usable(case) and case.threads == like.threads
                and (case.device, case.precision, case.regime) == (like.device, like.precision,
                                                                   like.regime)):
            found.setdefault(case.shape, {})[display_name(case)] = None
    there = list(found.get(like.shape, {}))
    if not there or len(there) == max(map(len, found.values())):
        return ""
    return say("of the libraries only {names} has a number here" if len(there) == 1
               else "of the libraries only {names} have a number here", names=joined(there))


@dataclass(frozen=True)
class Span:
    """From the least to the most that may be said."""

    low: float
    high: float

    def __str__(self) -> str:
        """"29 to 41"."""
        return say("{low} to {high}", low=rounded(self.low), high=rounded(self.high))


def span_of(values: list[float]) -> Span | None:
    """None where they lie within 5 % of each other, so that one of them tells all."""
    low, high = min(values), max(values)
    return Span(low, high) if high > APART * low else None


def told_together(match: Match, contest: Contest) -> Match:
    """Of the pairs of the same kernel, in any group that it was timed in at this shape, the one
    whose CPU is the fastest with which nothing is wrong; where no group has such a pair, the kernel
    beside a CPU of another group that is sound and faster. The match itself where that is sound, or
    none is, or the CPU of such a pair is slower: a slow baseline is no better for being sound."""
    if not unsound(match.cpu, match.gpu):
        return match
    sound = sorted((case for case in contest.cases if _alike(case, match) and case.device == "cpu"
                    and case.median_s <= APART * match.cpu.median_s and not unsound(case)),
                   key=lambda case: case.median_s)
    kernels = _kernels(match, contest)
    pairs = [Match(cpu, gpu) for cpu in sound for gpu in kernels
             if cpu.group == gpu.group and not unsound(cpu, gpu)]
    apart = [Match(cpu, match.gpu) for cpu in sound if cpu.median_s < match.cpu.median_s
             and not unsound(cpu, match.gpu)]
    return next(iter(pairs + apart), match)


def _kernels(match: Match, contest: Contest) -> list[Case]:
    """The match's kernel, timed in the same way, in every group that has it at this shape."""
    return [case for case in contest.cases if _alike(case, match) and case.device == "gpu" and (
        case.implementation, case.parameters, case.scope, case.host_memory) == (
        match.gpu.implementation, match.gpu.parameters, match.gpu.scope, match.gpu.host_memory)]


def _alike(case: Case, match: Match) -> bool:
    """Of its shape and inputs; of matrix units where the match's GPU uses its own."""
    return (case.shape == match.shape and case.precision in ("fp32", match.gpu.precision)
            and case.distribution == match.cpu.distribution)


def _beside(match: Match, contest: Contest) -> list[Case]:
    """The CPU's points of any experiment, cache and group at the match's shape and inputs: of its
    own host, and of each other that measured the same implementation there with as many threads,
    or with as many is faster without it; fastest first."""
    every = _at_its_shape(match, contest)
    hosts = {case.host for case in every if case.threads == match.cpu.threads
             and (case.implementation == match.cpu.implementation
                  or case.median_s < match.cpu.median_s)}
    return [case for case in every if case.host in hosts | {match.cpu.host}]


def _at_its_shape(match: Match, contest: Contest) -> list[Case]:
    """The CPU's points of every host at the match's shape and inputs, fastest first."""
    return sorted((case for case in contest.beside_at.get(("cpu", match.shape), ())
                   if _alike(case, match)), key=lambda case: case.median_s)


def not_counted(match: Match, contest: Contest) -> list[Case]:
    """Of each host that measured there with as many threads and that the range leaves out, as it
    lacks what the GPU is set against or has no sound point, the fastest point."""
    counted_in = {match.cpu.host, *quickest(match, contest)}
    return list(_first_of_each([
        case for case in _at_its_shape(match, contest)
        if case.threads == match.cpu.threads and case.host not in counted_in]).values())


def hosts_left_out(match: Match, contest: Contest, but: Collection[Case] = ()) -> str:
    """"46 by oneDNN on host 1a2b3c4d, warm cache: no MKL on 16 threads there", "41 by packed on
    host 5e6f7a8b, warm cache, 5 samples"; empty where no host is left out. `but`: told already."""
    sets = {case.host for case in _beside(match, contest)}
    lacks = say("no {name} on {threads} there", name=display_name(match.cpu),
                threads=counted(match.cpu.threads, "thread"))
    told = [(case, of_host(case, match, contest)) for case in not_counted(match, contest)
            if case not in but]
    return say("; ").join(point if case.host in sets else say("{point}: {lacks}", point=point,
                                                              lacks=lacks)
                          for case, point in told)


def _first_of_each(cases: list[Case]) -> dict[str, Case]:
    """host -> its first, in the order of these."""
    found: dict[str, Case] = {}
    for case in cases:
        found.setdefault(case.host, case)
    return found


def quickest(match: Match, contest: Contest) -> dict[str, Case]:
    """host -> the CPU's fastest point there with which nothing is wrong but that it may be above
    its ceiling: to leave out only what is fast for the CPU would flatter the GPU. A host without
    one is left out, as is the match's own where that would be slower than the match."""
    def counts(case: Case) -> bool:
        return not unsound(case, ceiling=False) and (case.host != match.cpu.host
                                                     or case.median_s <= match.cpu.median_s)

    return _first_of_each([case for case in _beside(match, contest) if counts(case)])


def passed_over(match: Match, contest: Contest) -> list[Case]:
    """Of each host the fastest point that is not sound, where it would tell of less than the range
    does."""
    least = _quickest_of_all(match, contest).median_s
    return list(_first_of_each([case for case in _beside(match, contest)
                                if case.median_s < least and unsound(case)]).values())


def faster_text(match: Match, contest: Contest) -> str:
    """"in the group energy 41 by packed on host …": what the match's kernel gains there over the
    CPU's fastest point of any group, sound or not, where that is clearly faster than the match's;
    the point's time where that group did not time the kernel so. Where it is of the match's own
    group and sat out some of its rounds, in how many it was. Empty where none is faster."""
    best = min(clearly_faster(in_any_group(match.cpu, contest.cases), match.cpu),
               key=lambda case: case.median_s, default=None)
    if best is None:
        return ""
    what = of_host(best, match, contest) if _kernel_beside(best, match, contest) else say(
        ", ").join(filter(None, (say("{name} takes {time}", name=display_name(best),
                                     time=duration(best.median_s)), unsound(best))))
    text = say("in the group {group} {what}", group=best.group, what=what)
    shared, every = len(paired(match.cpu, best)), len(match.cpu.samples_s)
    return (say("{text}, in {shared} of {rounds} rounds", text=text, shared=shared, rounds=every)
            if best.group == match.cpu.group and shared < every else text)


def other_group_text(told: Match, own: Match) -> str:
    """"of the group energy; 41.3 by MKL, threads not bound to cores, in the group pairs": that what
    is told of is of another group than the match it stands for; empty where it is not."""
    if told.cpu.group == own.cpu.group:
        return ""
    name = say(", ").join(filter(None, (display_name(own.cpu), unsound(own.cpu, own.gpu))))
    return say("of the group {group}; {times} by {name}, in the group {other}",
               group=told.cpu.group, times=rounded(own.ratio.value), name=name,
               other=own.cpu.group)


def _kernel_beside(case: Case, match: Match, contest: Contest) -> Case | None:
    """The match's kernel as it was timed in the group of the case."""
    return next((one for one in _kernels(match, contest)
                 if (one.run_id, one.group) == (case.run_id, case.group)), None)


def of_host(case: Case, match: Match, contest: Contest, interval: bool = False) -> str:
    """"29 (card of host 944e1f55) by MKL on host 766d76a7, warm cache, above its ceiling": what the
    match's kernel gains over another point of the CPU, by the rounds of its group where that has
    the kernel; else whose card it ran on, or on its own host that the two are not paired. With its
    `interval`."""
    kernel = _kernel_beside(case, match, contest)
    ratio = speedup(case, kernel or match.gpu)
    value = times(ratio) if interval else rounded(ratio.value)
    loose = (say("not paired") if case.host == match.gpu.host
             else say("card of {host}", host=host_text(match.gpu.host)))
    return by_point(value if kernel else with_remark(value, loose), case)


def by_point(value: str, case: Case, link: str = "") -> str:
    """"29 by MKL on host 766d76a7, warm cache": a number with the point of the CPU that it rests
    on, and the host whose transfers are in it, where that is not the GPU's own."""
    return say(", ").join(filter(None, (
        say("{times} by {name} on {host}", times=value, name=display_name(case),
            host=host_text(case.host)),
        say("{cache} cache", cache=recorded(case.cache)), unsound(case) or over_its_own(case),
        say("transfers as on {host}", host=host_text(link)) if link else "")))


def _links(match: Match, contest: Contest) -> list[Case]:
    """The match's GPU point over the link of each other host that gives clearly another time."""
    own = match.gpu.median_s
    return [case for case in other_links(match, contest).values()
            if max(case.median_s / own, own / case.median_s) > APART]


def _quickest_of_all(match: Match, contest: Contest) -> Case:
    """The CPU's point that the lower end of the range rests on."""
    return min((told_together(match, contest).cpu, *quickest(match, contest).values()),
               key=lambda one: one.median_s)


def doubt_of_least(match: Match, contest: Contest) -> str:
    """"over hosts the least is by MKL on host 1a2b3c4d, 145 % of its run's ceiling": of a lower end
    that rests on such a point; else empty."""
    case = _quickest_of_all(match, contest)
    doubt = over_its_own(case)
    return say("over hosts the least is by {name} on {host}, {doubt}", name=display_name(case),
               host=host_text(case.host), doubt=doubt) if doubt else ""


def least(match: Match, contest: Contest) -> str:
    """What the lower end of the range rests on, of a kernel alone with its interval; empty where
    that is the pair that was timed together."""
    told = told_together(match, contest).cpu
    case = _quickest_of_all(match, contest)
    link = max((match.gpu, *_links(match, contest)), key=lambda one: one.median_s)
    if link is not match.gpu:
        return by_point(rounded(case.median_s / link.median_s), case, link.host)
    return of_host(case, match, contest, interval=way_of(match.gpu) == KERNEL) \
        if case.median_s < told.median_s else ""


def over_hosts(match: Match, contest: Contest) -> Span | None:
    """The GPU's speedup over the CPU, and what it would be over the least sound CPU time of each
    host, with transfers by the link of each. None where one number tells all."""
    told = told_together(match, contest)
    each = [case.median_s for case in quickest(match, contest).values()]
    return span_of([told.ratio.value, *(time / match.gpu.median_s for time in each),
                    *(time / link.median_s for link in _links(match, contest)
                      for time in (told.cpu.median_s, *each))])
