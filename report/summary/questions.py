"""Short answers to what readers ask most of CPU and GPU."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.answer.allocation import allocating_text
from analysis.answer.break_even import reuse_of
from analysis.answer.crossings import Crossing, crossing_of
from analysis.answer.energy import Spent, cpu_unreadable, thriftier_elsewhere, told_shape
from analysis.answer.headline import Headline, over_loops
from analysis.answer.names import name, side, unsound, version_of, with_remark
from analysis.answer.pairs import BEST, PLAIN, SPLIT, Pairing, matches_of
from analysis.answer.points import CALL, END_TO_END, KERNEL, PAGEABLE, PINNED, way_of
from language import say
from records.cases.case import Case
from records.cases.ratios import speedup
from records.cases.series import Shape
from records.cases.where import host_text
from records.names.numbers import capital, duration, joined, plain
from records.schema.operations import is_square, shape_text


@dataclass(frozen=True)
class Asked:
    """The questions of one contest."""

    one: Headline

    def from_where(self) -> tuple[str, ...]:
        """From which size does it pay? A paragraph for each pairing."""
        if not self.one.crossings:
            return (say("Only one square size was measured on both; ./gemmlab run cpu_vs_gpu "
                        "measures many."),)
        told = {BEST: say("Best against best, the GPU wins {parts}.",
                          parts=_parts(self.one.crossings))}
        told |= {pairing: say(text, parts=_parts(found)) for pairing, text in OTHERWISE.items()
                 if (found := self._crossings(pairing))}
        told[PLAIN] = say(" ").join(filter(None, (over_loops(self.one), told.get(PLAIN))))
        return tuple(filter(None, told.values()))

    def _crossings(self, pairing: Pairing) -> dict[str, Crossing]:
        """Empty where the CPU has nothing that `BEST` has not."""
        found = {way: crossing for way in self.one.crossings
                 if (crossing := crossing_of(self.one.contest, way, pairing))}
        return found if pairing is not SPLIT or any(
            match.cpu.precision != "fp32" for match in matches_of(SPLIT, self.one.contest)) else {}

    def with_transfers(self) -> str:
        """Does it pay with transfers?"""
        ways = [way for way in END_TO_END if way in self.one.crossings]
        if not ways:
            return say("Transfers were not measured beside the CPU: run {command}.",
                                 command="./gemmlab run cpu_vs_gpu")
        never = all(self.one.crossings[way].own.never for way in ways)
        verdict = say("No") if never else say("Yes")
        told = [say("{verdict}, {parts}.", verdict=verdict,
                    parts=_parts({way: self.one.crossings[way] for way in ways}, brief=True))]
        told += [self._share(ways), self._reuse(ways)]
        return say(" ").join(filter(None, told))

    def with_allocation(self) -> str:
        """From which size does it pay where the card's memory is allocated, too?"""
        sizes, host = allocating_text(self.one.contest, END_TO_END)
        return say("With the price of {host} the GPU wins from {sizes} on, against the CPU of "
                   "{own}.", host=host, sizes=sizes,
                   own=host_text(self.one.contest.host)) if sizes else ""

    def _share(self, ways: list[str]) -> str:
        """What of a product is transfer, at the size of the headline, by the memory that it comes
        from."""
        found = {way: reuse for way in ways
                 if (reuse := reuse_of(self.one.contest, self.one.shape, way))}
        if not found:
            return ""
        told = [say("{share} % of {time} ({memory})",
                    share=plain(100 * max(1 - 1 / speedup(reuse.moved, reuse.match.gpu).value, 0),
                                0), time=duration(reuse.moved.median_s), memory=say(way))
                for way, reuse in found.items()]
        return say("At {shape} transfers take {shares} of {name}.",
                   shape=shape_text(*self.one.shape), shares=joined(told),
                   name=joined(list({name(reuse.moved): None for reuse in found.values()})))

    def _reuse(self, ways: list[str]) -> str:
        """How often A and B must be used again at the largest size at which one product does not
        pay, by the memory that they come from; and whether that counts launches."""
        told = []
        for way in ways:
            found = [reuse for shape in self.one.contest.shapes
                     if is_square(shape) and (reuse := reuse_of(self.one.contest, shape, way))
                     and reuse.uses and reuse.uses > 1]
            if found:
                last = found[-1]
                bracket = f" [{last.low}, {last.high or '∞'}]" if last.low != last.high else ""
                told.append(say("from {uses} on at N = {size} ({memory}, {name})",
                                uses=f"{last.uses}{bracket}", size=last.shape[0], memory=say(way),
                                name=name(last.moved)))
        launched = way_of(last.match.gpu) == CALL if told else False
        return say("Products with the same A and B, their launches counted, pay {where}."
                   if launched else "Products with the same A and B pay {where}, launches not "
                   "counted.", where=joined(told)) if told else ""

    def which_library(self) -> str:
        """Which CPU library was compared?"""
        cpu = self.one.contest.of(self.one.shape, "cpu")
        every = _versions([case for shape in self.one.contest.shapes
                           for case in self.one.contest.of(shape, "cpu")])
        libraries = [case for case in cpu if case.library]
        if not libraries:
            return say("None: no CPU library has a number here; the best on the CPU is {name}.",
                       name=side(cpu[0]))
        who = with_remark(side(libraries[0]), unsound(libraries[0]))
        text = (say("{name}, the fastest of {every} at {shape} in the group {group}.", name=who,
                    every=joined(every), shape=shape_text(*self.one.shape),
                    group=libraries[0].group) if len(every) > 1
                else say("{name}: no other has a number here.", name=side(libraries[0])))
        if libraries[0] is not cpu[0]:
            text += say(" ") + say("The suite's own {name} is faster than it there, so the GPU is "
                                   "compared with that.", name=side(cpu[0]))
        return text

    def _told(self, shape: Shape | None) -> list[Spent]:
        """The plain kernel, and of each class the thriftiest: FP32, matrix units, with transfers,
        and the CPU's."""
        classes: dict[tuple, Spent] = {}
        for one in sorted(self.one.spent, key=lambda one: one.joules):
            if one.case.shape == shape:
                plain_one = one.case.implementation == "gpu.naive" and one.case.scope == KERNEL
                moved = one.case.device == "gpu" and way_of(one.case) in END_TO_END
                classes.setdefault(
                    (one.case.device == "cpu", moved, moved or one.case.precision, plain_one), one)
        return [classes[key]
                for key in sorted(classes, key=lambda key: (key[:2], not key[3], str(key[2])))]

    def power(self) -> str:
        """What did the card draw?"""
        shape = told_shape(self.one.spent)
        told = [say("{name} {watts} W, {joules} J per product, {rate} GFLOP/s per watt",
                    name=_timed(one.case), watts=plain(one.watts, 0), joules=plain(one.joules),
                    rate=plain(one.gflop_per_joule)) for one in self._told(shape)]
        if told and shape is not None:
            why = cpu_unreadable(self.one.contest.run, self.one.contest.cases)
            text = say("At {shape}: {parts}.", shape=shape_text(*shape), parts=say("; ").join(told))
            told_of = self.one.thriftiest("gpu")
            less = thriftier_elsewhere(told_of, self.one.spent) if told_of else ""
            text += say(" ") + say("{name}: {less}.", name=capital(name(told_of.case)), less=less) \
                if told_of and less else ""
            text += say(" ") + say("Energy is of calls without a pause, in which the card may be "
                                   "slower than in a short burst.")
            text += say(" ") + say("The CPU's energy {why}.", why=why) if why else ""
            return text
        best = self.one.best.get(KERNEL)
        if best and best.gpu.power_w:
            return say("{watts} W while {name} was timed at {shape}; its energy was not read.",
                       watts=plain(best.gpu.power_w, 0), name=name(best.gpu),
                       shape=shape_text(*self.one.shape))
        return say("It was not read: run {command}.", command="./gemmlab run cpu_vs_gpu")


OTHERWISE = {PLAIN: "A plain kernel against plain loops on all cores wins {parts}.",
             SPLIT: "With matrix units on both sides, at FP32's accuracy, the GPU wins {parts}."}
WON_BY = {KERNEL: "by its kernel without the launch {sizes}",
          PINNED: "with transfers from pinned memory {sizes}",
          PAGEABLE: "with transfers from pageable memory {sizes}"}


def _parts(crossings: dict[str, Crossing], brief: bool = False) -> str:
    """"by its kernel at every size from N = 64; with transfers from pinned memory from N = 236
    [231, 247]". `brief`: without where it is later."""
    return say("; ").join(say(text, sizes=_sizes(crossings[way], brief))
                          for way, text in WON_BY.items() if way in crossings)


def _sizes(found: Crossing, brief: bool) -> str:
    own = found.own
    if own.never:
        return say("at no size up to N = {size}", size=own.sizes[-1])
    if own.always:
        return with_remark(say("at every size measured, from N = {size}", size=own.sizes[0]),
                           found.remark)
    return say("from N = {size}", size=found.brief if brief else found.text)


def _timed(case: Case) -> str:
    if case.device == "cpu":
        return side(case)
    return name(case) if case.scope == "kernel" else say(
        "{name} with transfers ({memory})", name=name(case), memory=say(way_of(case)))


def _versions(cases: list[Case]) -> list[str]:
    """"oneDNN 3.1", each library once."""
    found: dict[str, None] = {}
    for case in cases:
        if case.library:
            found[" ".join(filter(None, (name(case), version_of(case))))] = None
    return list(found)
