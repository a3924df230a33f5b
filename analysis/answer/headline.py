"""The answer in one sentence, in four numbers and in three lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from language import say
from records.cases.case import Case
from records.cases.phrases import MUCH, by_medians, caveats, over_its_own
from records.cases.ratios import ACCORD
from records.cases.series import Shape
from records.cases.where import host_text
from records.names.numbers import between, duration, plain
from records.schema.operations import is_square, option_words, shape_text, volume

from .allocation import allocating_text
from .crossings import Crossing, crossing_of
from .energy import Spent, cpu_unreadable, spent_of, thriftier_elsewhere, told_shape
from .model import Number
from .names import (
    card_name,
    cores_of,
    count_of,
    faster,
    name,
    rounded,
    side,
    sizes_text,
    threads_of,
    times,
    unsound,
    with_remark,
)
from .over_hosts import (
    Span,
    hosts_left_out,
    least,
    of_host,
    over_hosts,
    passed_over,
    quickest,
    span_of,
    told_together,
)
from .pairs import BEST, PLAIN, SERIAL, match_of, matches_of
from .points import CALL, END_TO_END, KERNEL, PAGEABLE, PINNED, WAYS, Contest, Match

FAVOURITE = (4096, 4096, 4096)  # told first where it was measured


def _rank(shape: Shape) -> tuple:
    return is_square(shape), volume(shape), shape


def headline_shape(contest: Contest) -> Shape:
    """4096 squared, or the largest square, or the largest shape, at which a kernel stands beside
    the CPU's best."""
    known = [shape for shape in contest.shapes if match_of(BEST, contest, shape)] or contest.shapes
    return FAVOURITE if FAVOURITE in known else max(known, key=_rank)


@dataclass(frozen=True)
class Headline:
    """What is told first of a contest, at one shape."""

    contest: Contest
    shape: Shape

    @cached_property
    def best(self) -> dict[str, Match]:
        """The best of both, by the way the GPU was timed."""
        return {way: match for way in WAYS
                if (match := match_of(BEST, self.contest, self.shape, way))}

    @cached_property
    def plain(self) -> Match | None:
        """A plain kernel against plain loops: on all cores, or on one where that was not measured;
        at the largest square that has them where they were too slow for this shape."""
        shapes = [self.shape, *sorted((shape for shape in self.contest.shapes if is_square(shape)),
                                      reverse=True)]
        found = (match_of(pairing, self.contest, shape) for shape in shapes
                 for pairing in (PLAIN, SERIAL))
        return next((match for match in found if match and match.won), None)

    @cached_property
    def plain_span(self) -> tuple[Span, list[int], Match | None] | None:
        """What the plain kernel gains over the same loops at the largest square that has both and
        at those down to a quarter of it; which these are; and a smaller size at which it gains
        less, the smallest. None where one number tells all: loops collapse at some sizes, powers of
        two above all."""
        squares, found = self._plain_squares, self.plain_told
        span = span_of([match.ratio.value for match in found]) if len(found) > 1 else None
        less = next((match for match in squares if span and match.ratio.value < span.low), None)
        return (span, [int(match.shape[0]) for match in found], less) if span else None

    @cached_property
    def _plain_squares(self) -> list[Match]:
        pairing = SERIAL if self.plain and threads_of(self.plain.cpu) == 1 else PLAIN
        return [match for match in matches_of(pairing, self.contest) if is_square(match.shape)]

    @property
    def plain_told(self) -> list[Match]:
        """The squares that `plain_span` is over."""
        every = self._plain_squares
        return [match for match in every if 4 * int(match.shape[0]) >= int(every[-1].shape[0])]

    @cached_property
    def crossings(self) -> dict[str, Crossing]:
        """From which size the best of both favours the GPU, by the way it was timed."""
        return {way: found for way in WAYS if (found := crossing_of(self.contest, way))}

    @cached_property
    def spent(self) -> list[Spent]:
        return spent_of(self.contest.cases)

    def thriftiest(self, device: str) -> Spent | None:
        """The FP32 point of a device that takes the fewest joules, without transfers, at the
        largest shape at which both devices have an energy."""
        there = [spent for spent in self.spent
                 if spent.case.shape == told_shape(self.spent) and spent.case.device == device
                 and spent.case.scope == KERNEL and spent.case.precision == "fp32"]
        return min(there, key=lambda spent: spent.joules, default=None)

    @property
    def moved(self) -> str:
        """How transfers were timed that are told of first; empty where they were not."""
        return next((way for way in END_TO_END if way in self.best), "")


def headline_of(contest: Contest) -> Headline:
    """At the shape that is told first."""
    return Headline(contest, headline_shape(contest))


def clause(one: Headline) -> str:
    """"on 4096×4096 matrices in plain float32 the H200's best kernel is 23 times as fast as the
    best on 16 cores (oneDNN) …", to stand within a sentence, and beside the numbers: these say on
    which points it rests."""
    match = one.best.get(KERNEL) or next(iter(one.best.values()))
    span, told = over_hosts(match, one.contest), told_together(match, one.contest)
    compared = faster(told.ratio, _best_of_cpu(told)) if span is None else say(
        "{span} times as fast as the best on {cores}", span=span,
        cores=cores_of(told.cpu, *quickest(match, one.contest).values()))
    typed = bool(option_words(one.shape))  # which the shape then tells
    text = say(
        "at {shape} the {card}'s best kernel is {compared}; {pays}" if typed else
        "on {shape} matrices in plain float32 the {card}'s best kernel is {compared}; {pays}",
        shape=_matrices(one.shape), card=card_name(one.contest.run), compared=compared,
        pays=pays(one))
    ranges = span or any(found.later for found in one.crossings.values())
    return say("{text} (ranges are over hosts and runs)", text=text) if ranges else text


def _who(match: Match) -> str:
    return say(", ").join(filter(None, (name(match.cpu), unsound(match.cpu, match.gpu))))


def _best_of_cpu(match: Match) -> str:
    return say("the best on {cores} ({name})", cores=cores_of(match.cpu), name=_who(match))


def _left_out(match: Match, contest: Contest) -> str:
    """What would tell of less than the range does, and is not sound; empty where there is
    nothing."""
    out = [of_host(case, match, contest) for case in passed_over(match, contest)]
    return say("left out: {what}", what=say(", ").join(out)) if out else ""


def gained(match: Match, contest: Contest, other: str) -> str:
    """"29 to 37 times as fast as OTHER, by host and run"; "40 times as fast as OTHER", with what is
    unsound about it."""
    span, told = over_hosts(match, contest), told_together(match, contest)
    if span:
        return say("{span} times as fast as {other}, by host and run", span=span, other=other)
    return with_remark(faster(told.ratio, other), caveats(told.ratio))


def over_loops(one: Headline) -> str:
    """"A plain kernel is 79 to 895 times as fast as plain loops on 16 cores (N = 256 to 1024; 3.2
    at 64)."; empty where none wins."""
    if one.plain is None:
        return ""
    loops = (say("three plain loops") if threads_of(one.plain.cpu) == 1
             else say("plain loops on {cores}", cores=count_of(one.plain.cpu)))
    span, where = rounded(one.plain.ratio.value), [say("at {shape}", shape=shape_text(
        *one.plain.shape))]
    if one.plain_span:
        gained_span, sizes, less = one.plain_span
        span, where = str(gained_span), [say("N = {low} to {high}", low=sizes[0], high=sizes[-1])]
        where += ([say("{times} at {size}", times=rounded(less.ratio.value), size=less.shape[0])]
                  if less else [])
        where += filter(None, [_at_powers(one.plain_told)])
    return say("A plain kernel is {span} times as fast as {loops} ({where}).", span=span,
               loops=loops, where=say("; ").join(where))


def _at_powers(told: list[Match]) -> str:
    """"the loops reach 7.0 to 20 GFLOP/s at powers of two, 26 to 27 between": where that flatters
    what is gained over them; else empty."""
    sizes = {int(match.shape[0]): match.cpu.rate for match in told}
    powers = [rate for size, rate in sizes.items() if size & (size - 1) == 0]
    others = [rate for size, rate in sizes.items() if size & (size - 1)]
    if not powers or not others or max(powers) * MUCH > min(others):
        return ""
    return say("the loops reach {slow} GFLOP/s at powers of two, {fast} between", slow=between(
        plain(min(powers)), plain(max(powers))), fast=between(plain(min(others)),
                                                              plain(max(others))))


def _matrices(shape: Shape) -> str:
    return f"{shape[0]}×{shape[1]}" if is_square(shape) else shape_text(*shape)


def pays(one: Headline) -> str:
    """"with transfers, allocation not counted, it pays from N = 410 on from pinned memory, from 724
    from pageable"."""
    found = one.crossings.get(one.moved)
    if not one.moved:
        return say("transfers were not measured")
    if found is None:
        return say("with transfers it is {compared}",
                   compared=faster(one.best[one.moved].ratio, say("the CPU")))
    own = found.own
    if own.size is not None or (own.always and found.later):
        text = say("with transfers{kept} it pays from N = {size} on from {memory} memory",
                   kept=_kept(one), size=found.sizes, memory=say(one.moved))
        other = one.crossings.get(PAGEABLE) if one.moved == PINNED else None
        return text + (say(", from {size} from {memory}", size=other.sizes, memory=say(PAGEABLE))
                       if other and other.own.size else "")
    if own.always:
        return say("with transfers{kept} it pays at every size measured, from N = {size} on from "
                   "{memory} memory", kept=_kept(one), size=own.sizes[0], memory=say(one.moved))
    return say("with transfers it does not pay up to N = {size}", size=own.sizes[-1])


def _kept(one: Headline) -> str:
    """That the card's memory stays allocated, where the records say so."""
    return (say(", allocation not counted,") if allocated_before(one.best.values()) else "")


def allocated_before(matches: Iterable[Match]) -> bool:
    """Was the card's memory allocated before the product, where transfers were timed?"""
    return any(match.gpu.allocation == "not counted" for match in matches)


def _over(one: Headline, way: str, label: str, more: str) -> Number:
    """With the interval of the pair that is told of: where there is a range over hosts, the one
    with which nothing is wrong."""
    best = one.best[way]
    span, match = over_hosts(best, one.contest), told_together(best, one.contest)
    value = (say("level") if match.ratio.tie and not match.ratio.undecided
             else f"{span or rounded(match.ratio.value)}×")
    _, bracket, ends = times(match.ratio).partition("[")
    told = [bracket + ends if bracket else say("no interval")]
    if span:
        told = [with_remark(say("timed together {times}", times=times(match.ratio)),
                            over_its_own(match.cpu)), least(best, one.contest)]
    told.append(_left_out(best, one.contest))
    out = (hosts_left_out(best, one.contest, passed_over(best, one.contest)) if way == KERNEL
           else "")
    told.append(say("not counted: {hosts}", hosts=out) if out else "")
    told.append(say("not resolved") if match.ratio.undecided else "")
    who = (say("{gpu} against {cpu}", gpu=side(match.gpu), cpu=side(match.cpu))
           if way == KERNEL else "")
    return Number(value, label,
                  say("; ").join(filter(None, (*told, who, more, caveats(match.ratio)))),
                  "speedup" if way == KERNEL else "transfers")


def called_text(one: Headline) -> str:
    """"With its launch (call) the kernel's speedup is 0.93 at 256 (not resolved), 19 at 1024.": at
    the largest square at which the launch and the wait leave less than half of what the kernel
    gains, and at a quarter of it; empty where they do nowhere, or were not timed."""
    kernels = {kernel.shape: kernel.ratio.value for kernel in matches_of(BEST, one.contest)}
    found = {int(called.shape[0]): called.ratio
             for called in matches_of(BEST, one.contest, CALL) if is_square(called.shape)
             and 2 * called.ratio.value < kernels.get(called.shape, 0)}
    last = max(found, default=0)
    told = [with_remark(say("{times} at {size}", times=rounded(found[size].value), size=size),
                        say(", ").join(filter(None, (found[size].word, by_medians(found[size])))))
            for size in (last // 4, last) if size in found]
    return say("With its launch ({call}) the kernel's speedup is {sizes}.", call=say(CALL),
               sizes=say(", ").join(told)) if told else ""


def not_square_text(one: Headline) -> str:
    """"With transfers the speedup at shapes that are not square (3) is pinned 0.94 to 1.79,
    pageable 0.14 to 0.29.": of long and flat matrices; empty where none was measured."""
    found = {way: [match.ratio.value for match in matches_of(BEST, one.contest, way)
                   if not is_square(match.shape)] for way in END_TO_END}
    told = [f"{say(way)} {between(rounded(min(values)), rounded(max(values)))}"
            for way, values in found.items() if values]
    return say("With transfers the speedup at shapes that are not square ({count}) is {ranges}.",
               count=max(map(len, found.values())), ranges=say(", ").join(told)) if told else ""


def _pays_from(one: Headline) -> Number | None:
    way = one.moved or KERNEL
    found = one.crossings.get(way)
    if found is None:
        return None
    own = found.own
    value = f"N = {found.sizes}" if found.later else \
        f"N = {sizes_text(own.size)}" if own.size is not None else \
        f"N ≤ {own.sizes[0]}" if own.always else say("never")
    known = [f"{say(other)} {there.called if other == CALL else there.text}"
             for other in dict.fromkeys((way, PINNED, PAGEABLE, CALL))
             if (there := one.crossings.get(other))]
    sizes, host = allocating_text(one.contest, END_TO_END, brief=True)
    known += [say("with allocation as on {host} {sizes}", host=host, sizes=sizes)] \
        if sizes else []
    label = (say("from here on the GPU wins, transfers included") if one.moved
             else say("from here on the kernel wins"))
    return Number(value, label, say("; ").join(dict.fromkeys(known)), "speedup")


def _energy(one: Headline) -> Number | None:
    gpu, cpu = one.thriftiest("gpu"), one.thriftiest("cpu")
    if gpu is None:
        return None
    beside = say(
        "CPU {joules} J ({name})", joules=plain(cpu.joules), name=side(cpu.case)) if cpu else say(
            "the CPU's {why}", why=cpu_unreadable(one.contest.run, one.contest.cases, short=True))
    return Number(f"{plain(gpu.joules)} J",
                  say("a product at {shape}, the card alone", shape=shape_text(*gpu.case.shape)),
                  say("; ").join(filter(None, (name(gpu.case), _reading(gpu),
                                               _elsewhere(gpu, one.contest),
                                               thriftier_elsewhere(gpu, one.spent), beside))),
                  "energy")


def _reading(spent: Spent) -> str:
    """"one reading of 1.01 s"."""
    length = spent.case.energy_s
    return (say("one reading of {time}", time=duration(length)) if length
            else say("one reading over calls without a pause"))


def other_readings(spent: Spent, contest: Contest) -> list[Case]:
    """Of the same kernel and shape in any experiment: the longest, where it is longer, and that of
    the fewest joules, where they are notably fewer."""
    own = spent.case
    found = [case for case in contest.beside
             if (case.implementation, case.parameters, case.shape, case.scope,
                 case.distribution) == (own.implementation, own.parameters, own.shape, own.scope,
                                        own.distribution)
             and case.energy_j_per_call and case.energy_s]
    longest = max(found, key=lambda case: case.energy_s or 0, default=own)
    least = min(found, key=lambda case: case.energy_j_per_call or 0, default=own)
    told = [longest] if (longest.energy_s or 0) > MUCH * (own.energy_s or 0) else []
    told += [least] if (least.energy_j_per_call or 0) * (1 + ACCORD) < spent.joules else []
    return list(dict.fromkeys(told))


def _elsewhere(spent: Spent, contest: Contest) -> str:
    """"14.3 J over 2.57 s on host 536c6b44; 13.5 J over 1.00 s on host 816ef9d9"."""
    return say("; ").join(say("{joules} J over {time} on {host}",
                              joules=plain(case.energy_j_per_call or 0),
                              time=duration(case.energy_s or 0), host=host_text(case.host))
                          for case in other_readings(spent, contest))


def _beside(other: Match, told: str, contest: Contest) -> str:
    """Whom a number beside another is set against, where that is not `told`, and what is
    unsound."""
    match = told_together(other, contest)
    whom = say("against {name}", name=match.cpu.name) if match.cpu.name != told else ""
    return say(", ").join(filter(None, (whom, caveats(match.ratio))))


def numbers_by_name(one: Headline) -> dict[str, Number]:
    """"kernel", "transfers", "from" and "more", as far as they were measured: kernel, with
    transfers, break-even, and energy, or what the best gains over plain loops."""
    shape = shape_text(*one.shape)
    found: dict[str, Number | None] = {}
    if KERNEL in one.best:
        found["kernel"] = _over(one, KERNEL, say("GPU over CPU at {shape}, kernel", shape=shape),
                                "")
    if one.moved:
        told = told_together(one.best[one.moved], one.contest).cpu.name
        others = [with_remark(
            f"{say(way)} {over_hosts(other, one.contest) or rounded(other.ratio.value)}×",
            say("; ").join(filter(None, (least(other, one.contest),
                                         _beside(other, told, one.contest)))))
            for way in END_TO_END if way != one.moved and (other := one.best.get(way))]
        found["transfers"] = _over(one, one.moved,
                                   say("GPU over CPU at {shape}, with transfers", shape=shape),
                                   say("; ").join([say(one.moved), *others]))
    found |= {"from": _pays_from(one), "more": _energy(one) or _gain(one)}
    return {name: number for name, number in found.items() if number}


def numbers(one: Headline) -> tuple[Number, ...]:
    """At most four."""
    return tuple(numbers_by_name(one).values())


def _gain(one: Headline) -> Number | None:
    if one.plain is None:
        return None
    gained = one.plain_span[0] if one.plain_span else rounded(one.plain.ratio.value)
    return Number(f"{gained}×", say(
        "plain kernel over plain loops at {shape}", shape=shape_text(*one.plain.shape)),
        say("{gpu} against {cpu}", gpu=side(one.plain.gpu), cpu=side(one.plain.cpu)), "speedup")
