"""The ladder as it is drawn: at one shape, each rung with its factor over the fastest before, what
changes one thing of it beside it, and the libraries. On the CPU a ladder for each instruction
set."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from analysis.counters.counted import metrics_of
from analysis.counters.counter_worth import CONFLICTS, DRAM, INSTRUCTIONS, L1, L2
from analysis.counters.cpu_counter_worth import cause_of
from analysis.tables.heads import with_remark
from language import say
from records.baselines import matches
from records.cases.case import Case
from records.cases.phrases import doubts
from records.cases.ratios import Ratio
from records.cases.series import Series, Shape, series_of
from records.names.naming import display_name, is_library, isa_text
from records.names.numbers import percent, plain, ratio_text
from records.schema.operations import is_square, shape_text, volume
from records.view import View

from .ladder_steps import RUNG, SIDE, Step, causes_of, parts_of_step

# parameters of which each value is a rung; of other parameters the fastest value is drawn
OWN_STEPS = ("step", "layout")
SETS = ("baseline", "neon", "avx2", "avx512")
MOST_COMPACT = 9  # rungs of the summary's ladder
NEARLY = 0.9
DOUBLED = 2.0  # from here on a change is told as a factor, below as percent


@dataclass(frozen=True)
class Rung:
    """A point of the ladder. `ratio`: over the fastest rung before; for what stands aside, over its
    rung; None for the first."""

    name: str
    case: Case
    ratio: Ratio | None = None
    over: str = ""  # the name of what the ratio is over
    why: str = ""  # what the counters say, in a few words
    asides: tuple[Rung, ...] = ()


@dataclass(frozen=True)
class Ladder:
    """Rungs in the order of the definition, behind the baseline where one is named, all of one
    instruction set (`isa`; empty where there is but one)."""

    shape: Shape
    isa: str
    rungs: tuple[Rung, ...]
    libraries: tuple[Rung, ...]
    apart: tuple[Rung, ...]  # what does not compute in plain fp32

    @property
    def best(self) -> Rung:
        return max(self.rungs, key=lambda rung: rung.case.rate)

    @property
    def library(self) -> Rung | None:
        return max(self.libraries, key=lambda rung: rung.case.rate, default=None)


def _key(case: Case) -> tuple:
    return case.implementation, *(str(case.parameters.get(name, "")) for name in OWN_STEPS)


def _at_one_shape(view: View) -> list[Series]:
    """The lines of the regime and shape at which most implementations have a number; of several
    such the largest square. Where NEARLY as many have one on a CPU at a size whose rows are no
    power of two apart, that size: at the others a column lies in few sets of the caches, and plain
    loops collapse as they do nowhere else."""
    places: dict[tuple, list[Case]] = {}
    for case in view.shown:
        if not case.copy:
            places.setdefault((case.group, case.regime, case.shape), []).append(case)
    if not places:
        return []
    lines = {key: len({(_key(case), case.parameters.get("isa")) for case in cases})
             for key, cases in places.items()}
    most = max(lines.values())

    def typical(key: tuple) -> bool:
        columns = places[key][0].dims.get("n", 0)
        return (lines[key] >= NEARLY * most and places[key][0].device == "cpu"
                and columns & (columns - 1) > 0)

    return series_of(places[max(places, key=lambda key: (
        typical(key), lines[key], is_square(key[2]), volume(key[2]), key))])


def _fastest(series: list[Series]) -> list[Series]:
    """One line per rung, at its fastest parameters; what changes one thing of a rung at that
    rung's."""
    ways: dict[tuple, list[Series]] = {}
    for one in series:
        ways.setdefault(_key(one.first), []).append(one)
    best = {key: min(of, key=lambda one: one.first.median_s) for key, of in ways.items()}
    chosen = []
    for key, of in ways.items():
        stem = best.get((of[0].first.variant_of, *key[1:]))
        chosen.append(next((one for one in of
                            if stem and one.first.parameters == stem.first.parameters), best[key]))
    return chosen


def _amount(before: float, after: float) -> str:
    """"÷8", "×16", "−31 %"; "from none" where there was none before."""
    if not before or not after:
        return say("from none") if after else say("to none")
    factor = after / before
    if max(factor, 1 / factor) < DOUBLED:
        return f"{'+' if factor > 1 else '−'}{percent(abs(factor - 1))}"
    return (f"×{plain(factor, 0 if factor >= 9.5 else 1)}" if factor > 1
            else f"÷{plain(1 / factor, 0 if factor <= 1 / 9.5 else 1)}")


def _short_why(view: View, step: Step) -> str:
    """"DRAM traffic ÷8": the counter that accounts for a step; empty where none does, or it was not
    counted."""
    if step.ratio.tie:
        return ""
    if step.above.device == "cpu":
        return _cpu_why(view, step)
    causes = causes_of(step, parts_of_step(view, step))
    if not causes:
        return ""
    # which are cycles of L1, too
    part = next((part for part in causes if part.work is CONFLICTS), causes[0])
    what = {INSTRUCTIONS: "instructions {amount}",
            L1: "L1/shared cycles {amount}", L2: "L2 traffic {amount}",
            DRAM: "DRAM traffic {amount}", CONFLICTS: "bank conflicts {amount}"}[part.work]
    return say(what, amount=_amount(part.before, part.after))


def _cpu_why(view: View, step: Step) -> str:
    """"TLB misses ÷8", likewise."""
    below, above = (metrics_of(view.counters.get(case.case_id) or {})
                    for case in (step.below, step.above))
    cost = cause_of(below, above)
    return say(cost.said, amount=_amount(below[cost.name], above[cost.name])) if cost else ""


def _rung(view: View, name: str, case: Case, below: Rung | None, how: str = RUNG) -> Rung:
    if below is None:
        return Rung(name, case)
    step = Step(how, below.case, case)
    return Rung(name, case, step.ratio, below.name, _short_why(view, step))


def _fastest_rung(rungs: Sequence[Rung]) -> Rung | None:
    """The last one that is faster than all before it, by more than a tie."""
    risen = (rung for rung in reversed(rungs) if rung.ratio is None
             or (rung.ratio.value > 1 and not rung.ratio.tie))
    return next(risen, None)


def _chained(series: list[Series]) -> set[str]:
    """The variants that have variants of their own: there the variants are the ladder, and each is
    a rung. One that stood beside its rung would hide its own."""
    variants = {one.first.implementation for one in series if one.first.variant_of}
    return variants & {one.first.variant_of for one in series}


def _ladder(view: View, series: list[Series], isa: str) -> Ladder:
    chosen = _fastest(series)
    plain_ones = [one for one in chosen if one.first.ranked]
    own = [one for one in plain_ones if not is_library(one.first)]
    if view.baseline:
        own.sort(key=lambda one: not matches(one.first, view.baseline or {}))
    places = {one.first.implementation: place for place, one in enumerate(own)}
    chain = _chained(own)
    beside = {place: stem for place, one in enumerate(own)
              if (stem := places.get(one.first.variant_of, place)) < place
              and not {one.first.implementation, one.first.variant_of} & chain}
    rungs: list[Rung] = []
    for place, one in enumerate(own):
        if place in beside:
            continue
        made = _rung(view, one.name, one.first, _fastest_rung(rungs))
        asides = tuple(_rung(view, own[other].name, own[other].first, made, SIDE)
                       for other, stem in beside.items() if stem == place)
        rungs.append(replace(made, asides=asides))
    fastest = _fastest_rung(rungs)
    libraries = tuple(_rung(view, one.name, one.first, fastest)
                      for one in plain_ones if is_library(one.first))
    apart = tuple(Rung(one.name, one.first) for one in chosen if one not in plain_ones)
    return Ladder(series[0].first.shape, isa, tuple(rungs), libraries, apart)


def ladders_of(view: View) -> list[Ladder]:
    """One ladder, or one an instruction set, from the narrowest to the widest; without a set's name
    where there is but one. Libraries that choose their instructions themselves stand in the widest.
    Empty where nothing is shown."""
    series = _at_one_shape(view)
    sets = {str(one.first.parameters["isa"]) for one in series
            if "isa" in one.first.parameters and not is_library(one.first)}
    if len(sets) < 2:
        return [_ladder(view, series, "")] if series else []
    ordered = sorted(sets, key=lambda name: (SETS.index(name) if name in SETS else -1, name))
    made = []
    for isa in ordered:
        of = [replace(one, name=display_name(one.first)) for one in series
              if one.first.parameters.get("isa", ordered[-1]) == isa]
        made.append(_ladder(view, of, isa))
    return [one for one in made if one.rungs]


def climbed(ladder: Ladder, most: int) -> tuple[Rung, ...]:
    """At most `most` rungs, each faster than all before it and with its factor over the one before;
    those that add least left out. The first and the fastest stay."""
    kept = [rung for rung in ladder.rungs if rung.ratio is None
            or (rung.ratio.value > 1 and not rung.ratio.tie)]
    while len(kept) > max(most, 2):
        gains = [after.case.rate / before.case.rate for before, after in itertools.pairwise(kept)]
        del kept[1 + gains.index(min(gains))]
    return tuple(kept)


def compact(view: View, ladder: Ladder, most: int) -> Ladder:
    """The ladder of those rungs alone, with no variants, and the fastest library."""
    rungs: list[Rung] = []
    for rung in climbed(ladder, most):
        rungs.append(_rung(view, rung.name, rung.case, rungs[-1] if rungs else None))
    best = ladder.library
    return replace(ladder, rungs=tuple(rungs), libraries=(best,) if best else ())


def fullest(view: View) -> Ladder | None:
    """The ladder that the summary draws and tells: of several instruction sets that of the fastest
    rung, without what is not faster than all before it; None where there are not two rungs."""
    found = [ladder for ladder in ladders_of(view) if len(ladder.rungs) > 1]
    return (compact(view, max(found, key=lambda ladder: ladder.best.case.rate), MOST_COMPACT)
            if found else None)


def factor_text(ratio: Ratio) -> str:
    """"×1.44", "÷11.7" of less than half; "level" of a tie, "not resolved" where nothing can be
    said."""
    if ratio.tie:
        return ratio.word if ratio.undecided else say("level")
    return (f"×{ratio_text(ratio.value)}" if ratio.value * DOUBLED >= 1
            else f"÷{ratio_text(1 / ratio.value)}")


def finding_of(ladders: list[Ladder]) -> str:
    """"From naive to pipelined: 9.36 times at 4096; the largest step is register-tiled 2-D
    (×2.06)"; of the ladder that gets farthest, with what is unsound behind either number. Empty
    where there are not two rungs."""
    ladders = [one for one in ladders if len(one.rungs) > 1]
    if not ladders:
        return ""
    ladder = max(ladders, key=lambda one: one.best.case.rate)
    first, best = ladder.rungs[0], ladder.best
    total = Step(RUNG, first.case, best.case).ratio
    size = shape_text(*ladder.shape)
    if best is first or total.tie:
        return say("No step is faster than {first} at {size}", first=first.name, size=size)
    upward = ladder.rungs[1:ladder.rungs.index(best) + 1]
    steps = [rung for rung in upward if rung.ratio and not rung.ratio.tie]
    most = max(steps, key=lambda rung: rung.ratio.value if rung.ratio else 0.0, default=None)
    text = say("With {isa}, from {first} to {best}: {total} times at {size}" if ladder.isa
               else "From {first} to {best}: {total} times at {size}", isa=isa_text(ladder.isa),
               first=first.name, best=best.name, total=ratio_text(total.value), size=size)
    text = with_remark(text, doubts(first.case, best.case, disturbed=True))
    if most is not None and most.ratio and len(steps) > 1:
        share = math.log(most.ratio.value) / math.log(total.value)
        text = say("{climb}, most of it by {step} (×{factor})" if share > 0.5 else "{climb}; the "
                   "largest step is {step} (×{factor})",
                   climb=text, step=most.name, factor=ratio_text(most.ratio.value))
        text = with_remark(text, doubts(*most.ratio.of, disturbed=True))
    return text

