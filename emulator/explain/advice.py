"""One sentence per costly line: what its accesses ask for, what would do, and how; with the time
that the model then gives."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, replace

from emulator.counts.work import GLOBAL, SECTOR, SHARED, Site
from emulator.model.explanation import Explanation
from emulator.model.model import ISSUE, LSU, WAITING, predict
from language import say
from records.names.numbers import counted, percent, plain

WASTE = 1.25  # from here on more sectors or passes than needed are worth a word
WORTH = 0.03  # share of the time that a piece of advice must save;
LEAST = 0.01  # or this,
GROSS = 4.0  # where so many times as many sectors or passes as needed are moved
MOST = 5
# multiply-adds per load from shared memory below which a thread should compute more elements
FEW_PER_LOAD = 4
SECTORS_PER_LINE = 4
LOW_OCCUPANCY = 0.5


@dataclass(frozen=True)
class Advice:
    """`line` 0: of the launch as a whole. `saves`: share of the predicted time."""

    title: str
    text: str
    line: int
    file: str
    saves: float
    waste: float = 1.0  # how many times as many sectors or passes as needed


def lane_step(site: Site) -> int | None:
    """Bytes from a lane's address to the next lane's, where most neighbours that are active lie
    alike."""
    addresses = (site.example or {}).get("addresses") or []
    steps = Counter(after - before for before, after in itertools.pairwise(addresses) if before >= 0
                    and after >= 0)
    step, times = next(iter(steps.most_common(1)), (0, 0))
    return step if 2 * times > steps.total() else None


def _word(operation: str) -> str:
    return {"load": say("load", context="instruction"), "store": say("store")}.get(
        operation, say("atomic operation"))


def _place(site: Site) -> str:
    return (say("{file}, line {line}", file=site.file.rsplit("/", 1)[-1], line=site.line)
            if site.file else say("line {line}", line=site.line))


def per_request(amount: float, site: Site) -> str:
    """Of sectors or passes: "32", "1.5"."""
    return plain(amount / site.requests if site.requests else 0.0, 1).removesuffix(".0")


def _saved(explanation: Explanation, sites: tuple[Site, ...]) -> float:
    """Share of the launch's time that the model takes off with these sites; what a block waits for
    memory stays."""
    prediction = explanation.prediction
    less = predict(replace(explanation.work, sites=sites), explanation.card, prediction.wait_cycles)
    return 1 - less.seconds / prediction.seconds


def _saving(explanation: Explanation, old: Site, new: Site) -> float:
    return _saved(explanation,
                  tuple(new if site is old else site for site in explanation.work.sites))


def without_waste(site: Site) -> Site:
    """The same requests where they touch no more sectors and take no more passes than they must, as
    far as that was counted."""
    if site.space == SHARED:
        return replace(site, wavefronts=site.least_wavefronts or site.wavefronts)
    least = site.least_sectors or site.sectors
    return replace(site, sectors=least,
                   lines=min(site.lines, least / SECTORS_PER_LINE + site.requests))


def _coalescing(explanation: Explanation, site: Site) -> Advice | None:
    if (site.space != GLOBAL or not site.requests
            or site.sectors <= WASTE * max(site.least_sectors, 1)):
        return None
    step = lane_step(site)
    if step and abs(step) > site.bytes:
        how = say("its lanes are {step} bytes apart; let threadIdx.x run along the row, or go "
                  "through a tile in shared memory", step=f"{abs(step):,}")
    elif step == site.bytes:
        how = say("it does not start at a multiple of {sector} bytes; move its start or pad the "
                  "rows", sector=SECTOR)
    else:
        how = say("let lanes that follow one another read addresses that do")
    text = say("{place}: each warp's {operation} of {array} touches {sectors} sectors; {least} "
               "would do: {how}.", place=_place(site), operation=_word(site.operation),
               array=site.array or say("memory"), sectors=per_request(site.sectors, site),
               least=per_request(max(site.least_sectors, site.requests), site), how=how)
    return Advice(say("Neighbouring threads should read neighbouring addresses"), text,
                  site.line, site.file, _saving(explanation, site, without_waste(site)),
                  site.sectors / max(site.least_sectors, 1))


def _conflicts(explanation: Explanation, site: Site) -> Advice | None:
    if (site.space != SHARED or not site.requests
            or site.wavefronts <= WASTE * max(site.least_wavefronts, 1)):
        return None
    dims = explanation.work.dims.get(site.array, ())
    if len(dims) == 2 and dims[1] % 2 == 0:
        how = say("a spare column, {array}[{rows}][{cols}], spreads them over the banks",
                  array=site.array, rows=dims[0], cols=dims[1] + 1)
    else:
        how = say("let lanes run along a row, or change the rows' length so that they lie in "
                  "different banks")
    text = say("{place}: each warp's {operation} of {array} takes {passes} passes over the banks; "
               "{least} would do: {how}.", place=_place(site), operation=_word(site.operation),
               array=site.array or say("shared memory"), passes=per_request(site.wavefronts, site),
               least=per_request(site.least_wavefronts, site), how=how)
    return Advice(say("Lanes meet in one bank of shared memory"), text, site.line, site.file,
                  _saving(explanation, site, without_waste(site)),
                  site.wavefronts / max(site.least_wavefronts, 1))


def _reuse(explanation: Explanation) -> Advice | None:
    """More multiply-adds per load: through a tile in shared memory, or through registers."""
    work, prediction = explanation.work, explanation.prediction
    if prediction.binding not in (LSU, ISSUE, WAITING) or not work.multiply_adds:
        return None
    loads = [site for site in work.sites if site.operation == "load"]
    shared = [site for site in loads if site.space == SHARED]
    main = max(shared or loads, key=lambda site: site.requests, default=None)
    if main is None:
        return None
    total = sum(site.requests for site in (shared or loads))
    each = work.multiply_adds / total
    if each >= FEW_PER_LOAD:
        return None
    where = say("shared memory") if shared else say("global memory")
    how = say("let each thread compute several elements of C, so that a loaded value serves "
              "several multiply-adds") if shared else say("load a tile of A and B into shared "
                                                          "memory once, and let the whole block "
                                                          "read it there")
    text = say("{place}: a load from {where} serves {each} multiply-adds per lane: {how}.",
               place=_place(main), where=where, each=plain(each, 1), how=how)
    fewer = each / FEW_PER_LOAD
    sites = tuple(replace(site, requests=site.requests * fewer, wavefronts=site.wavefronts * fewer,
                          lines=site.lines * fewer, sectors=site.sectors * fewer)
                  if site in (shared or loads) else site for site in work.sites)
    return Advice(say("Each loaded value should serve more multiply-adds"), text, main.line,
                  main.file, _saved(explanation, sites))


def _filling(explanation: Explanation) -> Advice | None:
    """Blocks against SMs: idle SMs, or a last wave that is nearly empty."""
    work, card = explanation.work, explanation.card
    even = 1 / card.sms
    idle = 1 - even / explanation.prediction.busiest_share
    if idle < 0.1:
        return None
    if work.blocks < card.sms:
        text = say("The grid has {blocks} for {sms} SMs: {idle} of the card is idle. "
                   "Smaller tiles, or a split of the inner dimension, give more blocks.",
                   blocks=counted(work.blocks, "block"), sms=plain(card.sms, 0), idle=percent(idle))
    else:
        text = say("The last of {waves} waves of blocks does not fill the card, which costs "
                   "{idle}: another tile, or a larger product, fits better.",
                   waves=plain(explanation.prediction.waves, 1), idle=percent(idle))
    return Advice(say("Blocks do not fill the card"), text, 0, "", idle)


def _waiting(explanation: Explanation) -> Advice | None:
    held, prediction = explanation.prediction.held, explanation.prediction
    if prediction.binding != WAITING or held.occupancy > LOW_OCCUPANCY:
        return None
    text = say("An SM holds {blocks} of {warps} ({occupancy} of its threads; the limit: {limit}), "
               "too few to hide the wait for memory: load the next tile while this one is "
               "multiplied, or use less per block.",
               blocks=counted(held.blocks, "block"), warps=counted(explanation.work.warps, "warp"),
               occupancy=percent(held.occupancy), limit=limit_name(held.limit))
    more = predict(explanation.work, explanation.card, wait_cycles=0)
    return Advice(say("Warps wait for memory"), text, 0, "", 1 - more.seconds / prediction.seconds)


def limit_name(limit: str) -> str:
    return {"registers": say("registers"), "shared memory": say("shared memory"),
            "threads": say("threads per SM")}.get(limit, say("blocks per SM"))


def advice_of(explanation: Explanation) -> list[Advice]:
    """What saves most first; nothing where the model sees no gain and little is wasted."""
    found = [_reuse(explanation), _filling(explanation), _waiting(explanation)]
    for site in explanation.work.sites:
        found += [_coalescing(explanation, site), _conflicts(explanation, site)]
    kept = [one for one in found if one is not None
            and (one.saves >= WORTH or (one.waste >= GROSS and one.saves >= LEAST))]
    return sorted(kept, key=lambda one: -one.saves)[:MOST]
