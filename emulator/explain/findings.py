"""What a prediction says in a sentence: what binds, and the line that causes it."""

from __future__ import annotations

from emulator.counts.work import SHARED, Site
from emulator.model.explanation import Explanation, costliest, line_shares
from emulator.model.model import (
    BARRIERS,
    DRAM,
    FMA,
    ISSUE,
    L2,
    LSU,
    MEMORY,
    OWN_WORK,
    TENSOR,
    WAITING,
    Prediction,
    memory_cycles,
)
from language import say
from records.names.numbers import duration, percent, plain

from .advice import advice_of, per_request, without_waste

CLEAR = 0.25  # share of the time from which one line is named as the cause
# share of the waiting from which the unit that is worked with is named: more blocks would not help
# much
NEARLY = 0.8
MOSTLY = 0.5  # share of a unit's work from which its waste is the cause


def unit_name(unit: str) -> str:
    return {FMA: say("multiply-adds"), TENSOR: say("tensor cores"), ISSUE: say("instruction issue"),
            LSU: say("shared memory and L1"), L2: "L2", DRAM: "DRAM", WAITING: say("waiting")}[unit]


def _busiest(explanation: Explanation) -> str:
    """The unit that binds; of a chain of waiting that is mostly a block's own work, the one that it
    works with."""
    prediction = explanation.prediction
    if prediction.binding != WAITING or _chain(prediction) != OWN_WORK:
        return prediction.binding
    return max((FMA, TENSOR, ISSUE, LSU), key=lambda unit: prediction.parts.get(unit, 0.0))


def _chain(prediction: Prediction) -> str:
    return max((MEMORY, BARRIERS, OWN_WORK), key=lambda part: prediction.chain[part])


def _wasted(explanation: Explanation) -> Site | None:
    """Where shared memory and L1 bind and most of their work is waste: the accesses that waste
    most."""
    if _busiest(explanation) != LSU:
        return None
    card, sites = explanation.card, explanation.work.sites
    cycles = [memory_cycles(site, card) for site in sites]
    wasted = [(whole - memory_cycles(without_waste(site), card), site)
              for whole, site in zip(cycles, sites)]
    _, worst = max(wasted, key=lambda one: one[0])
    return (worst if sum(much for much, site in wasted if site.space == worst.space)
            > MOSTLY * sum(cycles) else None)


def _waste_text(site: Site) -> str:
    if site.space == SHARED:
        return say("bank conflicts are the limit: {passes} passes over shared memory per request "
                   "where {least} would do", passes=per_request(site.wavefronts, site),
                   least=per_request(site.least_wavefronts, site))
    return say("scattered addresses are the limit: {sectors} sectors per request where {least} "
               "would do", sectors=per_request(site.sectors, site),
               least=per_request(max(site.least_sectors, site.requests), site))


def _binds(explanation: Explanation) -> str:
    prediction, busiest = explanation.prediction, _busiest(explanation)
    if busiest == WAITING:
        cause = say("for memory") if _chain(prediction) == MEMORY else say("at barriers")
        return say("warps wait {cause} (occupancy {occupancy})", cause=cause,
                   occupancy=percent(prediction.held.occupancy))
    if (prediction.binding == WAITING
            and prediction.parts[busiest] < NEARLY * prediction.parts[WAITING]):
        return say("too few blocks per SM at once ({blocks}) to keep {unit} busy",
                   blocks=prediction.held.blocks, unit=unit_name(busiest))
    return {
        FMA: say("the multipliers are the limit"),
        TENSOR: say("the tensor cores are the limit"),
        ISSUE: say("every instruction slot is taken"),
        LSU: say("shared memory and L1 are the limit"), L2: say("the L2's bandwidth is the limit"),
        DRAM: say("the memory's bandwidth is the limit")}[busiest]


def finding(explanation: Explanation, name: str) -> str:
    """"gpu.tiled: shared memory and L1 are the limit; line 31 takes 62 % of the time"."""
    (file, line), share = costliest(explanation.work, explanation.prediction, explanation.card)
    if (site := _wasted(explanation)) is not None:
        file, line = site.file, site.line
        share = line_shares(explanation.work, explanation.prediction, explanation.card)[file, line]
    binds = _waste_text(site) if site else _binds(explanation)
    if (share < CLEAR and not site) or not line:
        return say("{name}: {binds}", name=name, binds=binds)
    if file:
        return say("{name}: {binds}; {file}, line {line}, takes {share} of the time", name=name,
                   binds=binds, file=file.rsplit("/", 1)[-1], line=line, share=percent(share))
    return say("{name}: {binds}; line {line} takes {share} of the time", name=name, binds=binds,
               line=line, share=percent(share))


def summary(explanation: Explanation) -> str:
    """The predicted time as a range, and what it rests on."""
    m, n, k = explanation.product.sides
    return say("Predicted for {m}×{n}×{k} on {card}: {time} ({low} to {high}), {rate} GFLOP/s. A "
               "prediction from counted accesses, no measurement.",
               m=m, n=n, k=k, card=explanation.card.name,
               time=duration(explanation.seconds), low=duration(explanation.low),
               high=duration(explanation.high), rate=plain(explanation.gflop_per_s))


def short_answer(explanation: Explanation, name: str, measured: str = "") -> list[str]:
    """What the terminal shows before the page's path. `measured`: what measured_time.py tells."""
    lines = [finding(explanation, name), summary(explanation), *filter(None, [measured])]
    for one in advice_of(explanation)[:3]:
        lines.append(say("{text} (the model: {share} less time)", text=one.text,
                         share=percent(one.saves)))
    return lines
