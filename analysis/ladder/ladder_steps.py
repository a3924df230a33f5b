"""The GPU ladder rung by rung: how much faster each is than the fastest before it, and which
counter can account for that.

A counter can account for a step where its change is worth (counter_worth.py) at least half of the
time saved or added. Where none does, the largest are named, with the share of the issue slots that
were used.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from analysis.counters.counted import Metrics, counted_elsewhere, metrics_of
from analysis.counters.counter_worth import (
    DRAM,
    INSTRUCTIONS,
    L1,
    L2,
    WAITS,
    Part,
    busy_share,
    card_of,
    parts_of,
    waits_of,
)
from analysis.tables.tables import Cell, Row, Table, empty, sentences
from language import say
from records.cases.case import Case
from records.cases.phrases import quoted
from records.cases.ratios import Ratio, speedup
from records.cases.series import series_of
from records.names.numbers import DASH, counted, duration, ends_of, joined, plain, ratio_text
from records.schema.operations import shape_text, volume
from records.view import View

ACCOUNTS = 0.5  # of the time saved or added: worth less, a counter is not the main reason
PART = 0.05  # of it: worth less, it is not named either
MOST_NAMED = 2  # counters a sentence
READY = "stalled_not_selected"  # no wait: the slot went to another warp
MOVED = 1.1  # occupancy that changed by less than a tenth is not named
# An id that ends in one of these is not a rung: it changes one thing of the rung that it is named
# after. How a step is said.
RUNG = "{above} after {below}"
SIDE = "{above}, which changes one thing of {below}"
LIBRARY = "{above} against {below}, the fastest rung"


@dataclass(frozen=True)
class Step:
    """Two points that are set side by side, and how that is said."""

    how: str
    below: Case
    above: Case

    @cached_property
    def ratio(self) -> Ratio:
        return speedup(self.below, self.above)

    @property
    def faster(self) -> bool:
        return not self.ratio.tie and self.ratio.value > 1

    @property
    def slower(self) -> bool:
        return not self.ratio.tie and self.ratio.value < 1

    @property
    def delta_s(self) -> float:
        """What the upper takes longer (negative: less long), by the rounds that both shared."""
        return self.below.median_s * (1 / self.ratio.value - 1)


def _chosen(view: View) -> list[Case]:
    """The points at the shape that most rungs and counters share: one an implementation, at its
    fastest parameters; one that changes one thing of a rung at that rung's."""
    places: dict[tuple, list[Case]] = {}
    for case in view.shown:
        if case.device == "gpu" and case.precision == "fp32" and not case.copy:
            places.setdefault((case.group, case.regime, case.shape), []).append(case)
    if not places:
        return []
    at = max(places, key=lambda key: (
        len({case.implementation for case in places[key] if case.case_id in view.counters}),
        len({case.implementation for case in places[key]}), volume(key[2]), key))
    ways: dict[str, list[Case]] = {}
    for series in series_of(places[at]):
        ways.setdefault(series.first.implementation, []).extend(series.cases)
    fastest = {name: min(cases, key=lambda case: case.median_s) for name, cases in ways.items()}
    return [next((case for case in ways[name] if case.variant_of in fastest
                  and case.parameters == fastest[case.variant_of].parameters),
                 fastest[name]) for name in ways]


def steps_of(view: View) -> list[Step]:
    """Every rung against the fastest before it, so that a rung has one factor wherever it is told;
    then what changes one thing of a rung, and the libraries against the fastest rung. A tie does
    not make a rung the fastest."""
    chosen = {case.implementation: case for case in _chosen(view)}
    aside = [case for case in chosen.values() if case.variant_of in chosen]
    libraries = [case for case in chosen.values() if case.library]
    rungs = [case for case in chosen.values() if case not in aside and case not in libraries]
    steps: list[Step] = []
    for above in rungs[1:]:
        steps.append(Step(RUNG, fastest_of(rungs[0], steps), above))
    steps += [Step(SIDE, chosen[case.variant_of], case) for case in aside]
    return steps + [Step(LIBRARY, fastest_of(rungs[0], steps), case) for case in libraries if rungs]


def fastest_of(first: Case, steps: Iterable[Step]) -> Case:
    """The rung that is faster than all before it, of the first and those above the steps."""
    return next((step.above for step in reversed(list(steps)) if step.how == RUNG and step.faster),
                first)


def _metrics(view: View, case: Case) -> Metrics:
    return metrics_of(view.counters.get(case.case_id) or {})


def _share(value: float) -> str:
    return f"{plain(100 * value)} %"


def _part(part: Part) -> str:
    """"instructions rose from 2,501 to 2,585 million"."""
    unit = " MB" if part.work.unit else f" {say('million')}"
    return say("{said} rose from {before} to {after}{unit}" if part.after > part.before
               else "{said} fell from {before} to {after}{unit}", said=say(part.work.said),
               before=plain(part.before / 1e6), after=plain(part.after / 1e6), unit=unit)


def _worth(part: Part, delta_s: float) -> str:
    """"instructions rose from 2,501 to 2,585 million, which could explain at most 80.0 µs of
    it"."""
    worth = say(", which could explain all of it") if part.worth_s >= delta_s else say(
        ", which could explain at most {time} of it", time=duration(part.worth_s))
    return _part(part) + worth


def _moved(key: str, before: float | None, after: float | None, **more: str) -> str:
    """A share of 1 that is told where its digits differ."""
    if before is None or after is None or _share(before) == _share(after):
        return ""
    return say(key, before=_share(before), after=_share(after), **more)


def _waits(step: Step, below: Metrics, above: Metrics) -> str:
    """": its warps wait more", and what for where that was counted: of which there is most more (or
    less)."""
    before, after = waits_of(step.below, below), waits_of(step.above, above)
    moved = {name: math.copysign(1, step.delta_s) * (after[name] - before[name]) for name in WAITS
             if name in before and name in after and name != READY}
    most = max(moved, key=lambda name: moved[name], default=None)
    if most is None or moved[most] < PART * abs(step.delta_s):
        what = say(", and what for was not counted") if most is None else ""
    else:
        what = say(", most of all for {what}, {after} of the time instead of {before}",
                   what=say(WAITS[most]), before=duration(before[most]),
                   after=duration(after[most]))
    return say(": its warps wait more" if step.slower else ": its warps wait less") + what


def _waiting(view: View, step: Step, below: Metrics, above: Metrics) -> str:
    """What is left where no counter accounts for the step: instructions that moved the other way,
    the issue slots used, and the warps that were there to use them."""
    cards = card_of(view, step.below), card_of(view, step.above)
    other = next((part for part in parts_of(below, above, cards[1], step.delta_s)
                  if part.work is INSTRUCTIONS and part.worth_s <= -PART * abs(step.delta_s)), None)
    used = busy_share(INSTRUCTIONS, step.below, below, cards[0])
    uses = busy_share(INSTRUCTIONS, step.above, above, cards[1])
    waits = ""
    if used is not None and uses is not None and (uses < used) == step.slower:
        waits = _waits(step, below, above)
    was, now = below.get("occupancy"), above.get("occupancy")
    moved = was is not None and now is not None and max(was, now) > MOVED * min(was, now)
    return sentences(say("Its {part}, which goes the other way.", part=_part(other)) if other
                     else "",
                     _moved("{after} of the issue slots were used instead of {before}{waits}.",
                            used, uses, waits=waits),
                     _moved("Achieved occupancy is {after} instead of {before}.", was, now)
                     if moved else "")


def parts_of_step(view: View, step: Step) -> list[Part]:
    """How the counters moved, what of it is worth naming; worth most first. Empty where a side was
    not counted."""
    below, above = _metrics(view, step.below), _metrics(view, step.above)
    waits = waits_of(step.below, below), waits_of(step.above, above)
    return [part for part in parts_of(below, above, card_of(view, step.above), step.delta_s, waits)
            if part.worth_s >= PART * abs(step.delta_s)] if below and above else []


def causes_of(step: Step, parts: list[Part]) -> list[Part]:
    """Those of the parts that can account for the step."""
    return [part for part in parts if part.worth_s >= ACCOUNTS * abs(step.delta_s)]


def _cause(view: View, step: Step) -> str:
    """What can account for a step that is not a tie."""
    below, above = _metrics(view, step.below), _metrics(view, step.above)
    missing = [case.name for case, found in ((step.below, below), (step.above, above)) if not found]
    if missing:
        return say("No counters are recorded of {names}, so that nothing here can explain it: "
                   "`gemmlab profile {experiment}` counts them.", names=joined(missing),
                   experiment=view.experiment)
    card, delta_s = card_of(view, step.above), abs(step.delta_s)
    parts = parts_of_step(view, step)
    causes = causes_of(step, parts)
    named = say("; ").join(_worth(part, delta_s) for part in (causes or parts)[:MOST_NAMED])
    none = (
        "No counter recorded is worth half of it; the largest: {parts}." if parts
        else "No counter recorded moved the way that would explain it." if card.cycles
        else "Clock and number of SMs are not recorded, so that no count can be turned into time.")
    return sentences(say("What can account for it: {parts}." if causes else none, parts=named),
                     "" if causes else _waiting(view, step, below, above))


def _why(view: View, step: Step) -> str:
    """What the counters say of a step that is not a tie."""
    below, above = _metrics(view, step.below), _metrics(view, step.above)
    return sentences(_cause(view, step), _moved("The FMA pipe is busy {after} of the time instead "
                                                "of {before}.", below.get("fma_pipe"),
                                                above.get("fma_pipe")))


def reason(view: View, step: Step) -> str:
    """The counters that can account for the step: "instructions fell from 2,501 to 1,250 million,
    which could explain all of the difference". Empty where none can, where one side was not
    counted, and of a tie."""
    causes = [] if step.ratio.tie else causes_of(step, parts_of_step(view, step))
    delta_s = abs(step.delta_s)
    worth = [say(", which could explain all of the difference") if part.worth_s >= delta_s
             else say(", which could explain at most {time} of the {all} of difference",
                      time=duration(part.worth_s), all=duration(delta_s))
             for part in causes[:MOST_NAMED]]
    return say("; ").join(_part(part) + text for part, text in zip(causes, worth))


def _value(ratio: Ratio) -> str:
    return ratio_text(ratio.value, *ends_of(ratio.decision))


def _sentence(view: View, step: Step) -> str:
    head = say(step.how, below=quoted(step.below.name), above=quoted(step.above.name))
    if step.ratio.tie:
        return say("{step}: {verdict}, {value} times; nothing to explain.", step=head,
                   value=_value(step.ratio), verdict=step.ratio.verdict)
    return sentences(say("{step}: slower, {value} times as fast, {time} more." if step.slower
                         else "{step}: {value} times as fast, {time} less.", step=head,
                         value=_value(step.ratio),
                         time=duration(abs(step.delta_s))), _why(view, step))


def _counted_where(view: View, steps: list[Step]) -> str:
    """That the counters are of another card than the times; empty where they are of the same."""
    cases = {case.case_id for step in steps for case in (step.below, step.above)}
    return counted_elsewhere([view.counters[one] for one in sorted(cases & view.counters.keys())],
                             view.run)


def step_sentences(view: View) -> list[str]:
    """How many rungs are faster than all before and which are slower than one, and a paragraph for
    each step."""
    steps = steps_of(view)
    rungs = [step for step in steps if step.how == RUNG]
    if not rungs:
        return []
    slower = [step.above.name for step in rungs if step.slower]
    faster = sum(not step.ratio.tie and not step.slower for step in rungs)
    told = [say("The rungs at {shape}, each beside the fastest before it with the 99 % interval "
                "of the ratio: {steps}, of which {faster} faster, {ties} not to be told apart, "
                "{slower} slower.", shape=shape_text(*rungs[0].above.shape),
                steps=counted(len(rungs), "step"), faster=faster,
                ties=len(rungs) - faster - len(slower), slower=len(slower))]
    told += [say("Slower than one before: {names}.", names=joined(slower))] if slower else []
    return [sentences(*told, _counted_where(view, steps)),
            *(_sentence(view, step) for step in steps)]


def _shares(view: View, case: Case) -> list[Cell]:
    """How near the card's limits it runs, in percent."""
    metrics, card = _metrics(view, case), card_of(view, case)
    shares = (busy_share(INSTRUCTIONS, case, metrics, card), metrics.get("fma_pipe"),
              busy_share(L1, case, metrics, card), busy_share(L2, case, metrics, card),
              busy_share(DRAM, case, metrics, card))
    return [Cell(DASH) if share is None else Cell(plain(100 * share), 100 * share, unit="%")
            for share in shares]


def steps_table(view: View) -> Table:
    """The first rung, and a row a step: the ratio with its 99 % interval, and how near the card's
    limits the upper runs."""
    steps = steps_of(view)
    if not any(step.how == RUNG for step in steps):
        return empty(view, say("No two rungs of a GPU ladder have a number that may be shown."))
    first = steps[0].below
    table = Table.of(view, sentences(
        say("At {shape}; brackets hold the 99 % interval of the ratio. An implementation stands at "
            "its fastest parameters; one that changes one thing of a rung, at that rung's. Issued: "
            "instructions over what all schedulers could issue in the time, one per cycle each "
            "(issue slots). FMA: how busy that pipe is; integer multiply-adds, as of addresses, "
            "run in it too. L1 and shared: the cycles that an SM's L1 and shared memory, which are "
            "one unit, are busy at the least: one per wavefront of shared memory, one for 128 "
            "contiguous bytes of a global load, one per sector where they lie scattered. L2 and "
            "DRAM: the time that their bytes take at the measured read ceiling, as a share of the "
            "whole. What a counter is worth in the sentences is formed likewise: its change at one "
            "instruction per scheduler and cycle, one cycle or bank conflict per cycle of an SM, "
            "bytes at the ceiling; but no more than the waits of warps for it moved, where these "
            "were counted. It may cost less where other work hides it, hence “up to”; at half of "
            "the difference in time it is said that it can account for it. A {dash}: not counted.",
            shape=shape_text(*first.shape), dash=DASH), _counted_where(view, steps)),
        (say("Rung"), say("Beside")),
        (say("times as fast"), say("issued %"), say("FMA %"), say("L1 and shared %"),
         say("L2 %"), say("DRAM %")),
        [Row((first.name, DASH), (Cell(DASH), *_shares(view, first)))])
    for step in steps:
        ratio = step.ratio
        times = Cell(_value(ratio) + (f", {ratio.verdict}" if ratio.tie else ""), ratio.value,
                     *ends_of(ratio.decision), "times")
        table.rows.append(Row((step.above.name, step.below.name),
                              (times, *_shares(view, step.above))))
    return table
