"""Short answers to what readers ask most of CPU and GPU."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..case import Case
from ..language import say
from ..numbers import duration, joined, plain
from ..operations import shape_text
from ..ratios import Ratio
from ..series import Shape
from .break_even import BreakEven, Reuse, break_even_of, reuse_of
from .energy import Spent, cpu_unreadable, told_shape
from .headline import Headline
from .pairs import BEST, PLAIN, SERIAL, SPLIT, match_of
from .points import END_TO_END, KERNEL, WAYS, way_of
from .words import crossing, name, side, times, way_text

ASKED = (2048, 2048, 2048)
VERSION = re.compile(r"\d+(?:\.\d+)+")
Question = tuple[str, str, str]  # question, answer, anchor


@dataclass(frozen=True)
class Asked:
    """The questions of one contest."""

    one: Headline

    @property
    def anchor(self) -> str:
        return self.one.contest.experiment

    def _shape(self) -> Shape:
        return ASKED if match_of(BEST, self.one.contest, ASKED) else self.one.shape

    def how_much(self) -> Question:
        """How much faster is the GPU at N = 2048?"""
        shape, contest = self._shape(), self.one.contest
        found = {way: match for way in WAYS if (match := match_of(BEST, contest, shape, way))}
        cpu = next(iter(found.values())).cpu
        parts = [say("{way} {times} ({gpu})", way=way_text(way), times=_compared(match.ratio), gpu=name(match.gpu))
                 for way, match in found.items()]
        text = say("Against the CPU's best, {cpu}: {parts}.", cpu=side(cpu), parts=say("number.semicolon").join(parts))
        plain_one = next((match for pairing in (PLAIN, SERIAL) if (match := match_of(pairing, contest, shape))), None)
        if plain_one:
            text += say("number.space") + say("Plain against plain, {gpu} against {cpu}: {times}.", gpu=name(plain_one.gpu),
                                              cpu=side(plain_one.cpu), times=_compared(plain_one.ratio))
        split = match_of(SPLIT, contest, shape)
        if split:
            text += say("number.space") + say("On matrix units at FP32's accuracy ({name}): {times}.", name=name(split.gpu),
                                              times=_compared(split.ratio))
        return say("How much faster is the GPU at N = {size}?", size=shape_text(*shape)), text, self.anchor

    def from_where(self) -> Question:
        """From which size does it pay?"""
        question = say("From which size does the GPU pay?")
        if not self.one.crossings:
            return question, say("Only one square size was measured on both; ./gemmlab run cpu_vs_gpu measures many."), self.anchor
        told = [say("Best against best: {parts}.", parts=_parts(self.one.crossings))]
        plain_ones = {way: found for way in self.one.crossings if (found := break_even_of(self.one.contest, PLAIN, way))}
        told += [say("Plain loops on all cores against a plain kernel: {parts}.", parts=_parts(plain_ones))] if plain_ones else []
        return question, say("number.space").join(told), self.anchor

    def with_transfers(self) -> Question:
        """Does it pay with transfers?"""
        question = say("Does it pay with transfers?")
        ways = [way for way in END_TO_END if way in self.one.crossings]
        if not ways:
            return question, say("Transfers were not measured beside the CPU: run {command}.",
                                 command="./gemmlab run cpu_vs_gpu"), self.anchor
        verdict = say("No") if all(self.one.crossings[way].never for way in ways) else say("Yes")
        told = [say("{verdict}: {parts}.", verdict=verdict, parts=_parts({way: self.one.crossings[way] for way in ways}))]
        share = self._share()
        told += [share] if share else []
        below = self._reuse(ways[0])
        told += [below] if below else []
        return question, say("number.space").join(told), self.anchor

    def _share(self) -> str:
        """What of a product is transfer, at the size of the headline."""
        reuse = reuse_of(self.one.contest, self.one.shape, self.one.moved)
        if reuse is None:
            return ""
        share = 1 - reuse.match.gpu.median_s / reuse.moved.median_s
        return say("At {shape} transfers take {share} % of {time} ({name}).", shape=shape_text(*self.one.shape),
                   share=plain(100 * max(share, 0), 0), time=duration(reuse.moved.median_s), name=name(reuse.moved))

    def _reuse(self, way: str) -> str:
        """How often A and B must be used again at the largest size at which one product does not pay."""
        found = [reuse for shape in self.one.contest.shapes if len(set(shape)) == 1
                 and (reuse := reuse_of(self.one.contest, shape, way)) and reuse.uses and reuse.uses > 1]
        if not found:
            return ""
        last: Reuse = found[-1]
        return say("At {size} A and B must be used {uses} times on the card before their transfer is paid.",
                   size=last.shape[0], uses=last.uses)

    def which_library(self) -> Question:
        """Which CPU library was compared?"""
        question = say("Which CPU library was compared?")
        cpu = self.one.contest.of(self.one.shape, "cpu")
        every = _versions([case for shape in self.one.contest.shapes for case in self.one.contest.of(shape, "cpu")])
        libraries = [case for case in cpu if case.library]
        if not libraries:
            return question, say("None: no CPU library has a number here; the best on the CPU is {name}.", name=side(cpu[0])), self.anchor
        text = say("{name}, the fastest of {every} at {shape}.", name=side(libraries[0]), every=joined(every),
                   shape=shape_text(*self.one.shape)) if len(every) > 1 else say("{name}: no other has a number here.", name=side(libraries[0]))
        if libraries[0] is not cpu[0]:
            text += say("number.space") + say("The suite's own {name} is faster than it there, so the GPU is compared with that.",
                                              name=side(cpu[0]))
        return question, text, self.anchor

    def _told(self, shape: Shape | None) -> list[Spent]:
        """The plain kernel, and of each class the thriftiest: FP32, matrix units, with transfers, and the CPU's."""
        classes: dict[tuple, Spent] = {}
        for one in sorted(self.one.spent, key=lambda one: one.joules):
            if one.case.shape == shape:
                plain_one = one.case.implementation == "gpu.naive" and one.case.scope == KERNEL
                moved = one.case.device == "gpu" and way_of(one.case) in END_TO_END
                classes.setdefault((one.case.device == "cpu", moved, moved or one.case.precision, plain_one), one)
        return [classes[key] for key in sorted(classes, key=lambda key: (key[:2], not key[3], str(key[2])))]

    def power(self) -> Question:
        """What did the card draw?"""
        question = say("What did the card draw?")
        shape = told_shape(self.one.spent)
        told = [say("{name} {watts} W, {joules} J per product, {rate} GFLOP/s per watt", name=_timed(one.case), watts=plain(one.watts, 0),
                    joules=plain(one.joules), rate=plain(one.gflop_per_joule)) for one in self._told(shape)]
        if told and shape is not None:
            why = cpu_unreadable(self.one.contest.run, self.one.contest.cases)
            text = say("At {shape}: {parts}.", shape=shape_text(*shape), parts=say("number.semicolon").join(told))
            text += say("number.space") + say("The CPU's energy {why}.", why=why) if why else ""
            return question, text, self.anchor
        best = self.one.best.get(KERNEL)
        if best and best.gpu.power_w:
            return question, say("{watts} W while {name} was timed at {shape}; its energy was not read.", watts=plain(best.gpu.power_w, 0),
                                 name=name(best.gpu), shape=shape_text(*self.one.shape)), self.anchor
        return question, say("It was not read: run {command}.", command="./gemmlab run cpu_vs_gpu"), self.anchor


def _compared(ratio: Ratio) -> str:
    """"23.0 [22.8, 23.3] times as fast", "1.01 [0.99, 1.03] times, a tie", "1,473 times as fast, no interval"."""
    more = [ratio.word if ratio.tie else "", say("no interval") if ratio.low is None else ""]
    return say("number.comma").join(filter(None, (say("{times} times as fast", times=times(ratio)), *more)))


def _from(found: BreakEven) -> str:
    if found.never:
        return say("never up to N = {size}", size=found.sizes[-1])
    if found.always:
        return say("at every size measured, from N = {size} on", size=found.sizes[0])
    return say("from N = {size} on", size=crossing(found))


def _parts(crossings: dict[str, BreakEven]) -> str:
    """"kernel and call from N = 91 on; end to end, pinned from N = 328 on": ways with the same answer together."""
    by_text: dict[str, list[str]] = {}
    for way, found in crossings.items():
        by_text.setdefault(_from(found), []).append(way_text(way))
    return say("number.semicolon").join(say("{ways}: {text}", ways=joined(ways), text=text) for text, ways in by_text.items())


def _timed(case: Case) -> str:
    if case.device == "cpu":
        return side(case)
    return name(case) if case.scope == "kernel" else say("{name} with transfers", name=name(case))


def _versions(cases: list[Case]) -> list[str]:
    """"oneDNN 3.1", each library once."""
    found: dict[str, None] = {}
    for case in cases:
        if case.library:
            version = VERSION.search(str(case.chosen.get("version") or ""))
            found[f"{name(case)} {version[0]}" if version else name(case)] = None
    return list(found)


def contest_questions(one: Headline) -> list[Question]:
    """All that the contest can be asked."""
    asked = Asked(one)
    return [asked.how_much(), asked.from_where(), asked.with_transfers(), asked.which_library(), asked.power()]
