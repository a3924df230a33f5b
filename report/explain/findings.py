"""What a prediction says in a sentence: what binds, and the line that causes it."""

from __future__ import annotations

from ..language import say
from ..numbers import duration, percent, plain
from .advice import advice_of
from .explanation import Explanation, costliest
from .model import BARRIERS, DRAM, FMA, ISSUE, L2, LSU, MEMORY, WAITING

CLEAR = 0.25  # share of the time from which one line is named as the cause


def unit_name(unit: str) -> str:
    return {FMA: say("multiply-adds"), ISSUE: say("instruction issue"), LSU: say("shared memory and L1"), L2: "L2", DRAM: "DRAM",
            WAITING: say("waiting")}[unit]


def _binds(explanation: Explanation) -> str:
    prediction = explanation.prediction
    if prediction.binding == WAITING:
        chain = max((MEMORY, BARRIERS), key=lambda part: prediction.chain[part])
        cause = say("for memory") if chain == MEMORY else say("at barriers")
        return say("warps wait {cause} (occupancy {occupancy})", cause=cause, occupancy=percent(prediction.held.occupancy))
    return {FMA: say("the multipliers are the limit"), ISSUE: say("every instruction slot is taken"),
            LSU: say("shared memory and L1 are the limit"), L2: say("the L2's bandwidth is the limit"),
            DRAM: say("the memory's bandwidth is the limit")}[prediction.binding]


def finding(explanation: Explanation, name: str) -> str:
    """"gpu.tiled: shared memory and L1 are the limit; line 31 takes 62 % of the time"."""
    (file, line), share = costliest(explanation.work, explanation.prediction, explanation.card)
    if share < CLEAR or not line:
        return f"{name}: {_binds(explanation)}"
    if file:
        return say("{name}: {binds}; {file}, line {line}, takes {share} of the time", name=name, binds=_binds(explanation),
                   file=file.rsplit("/", 1)[-1], line=line, share=percent(share))
    return say("{name}: {binds}; line {line} takes {share} of the time", name=name, binds=_binds(explanation), line=line,
               share=percent(share))


def summary(explanation: Explanation) -> str:
    """The predicted time as a range; what it is worth."""
    product = explanation.product
    return say("Predicted for {m}×{n}×{k} on {card}: {time} ({low} to {high}), {rate} GFLOP/s. Computed from counted accesses; nothing "
               "was measured.", m=product.rows, n=product.cols, k=product.depth, card=explanation.card.name,
               time=duration(explanation.seconds), low=duration(explanation.low), high=duration(explanation.high),
               rate=plain(explanation.gflop_per_s))


def short_answer(explanation: Explanation, name: str) -> list[str]:
    """What the terminal shows before the page's path."""
    lines = [finding(explanation, name), summary(explanation)]
    for one in advice_of(explanation)[:3]:
        lines.append(say("{text} (the model: {share} less time)", text=one.text, share=percent(one.saves)))
    return lines
