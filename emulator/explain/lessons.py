"""What the ladder's emulated counts teach of coalescing, bank conflicts, reuse and occupancy: the
numbers of four figures, and the finding of each. Nothing here is measured; the same on every
machine but for the card whose time is predicted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from emulator.counts.card import DEFAULT_CARD, WARP, load_card
from emulator.counts.work import GLOBAL, SHARED, Product
from emulator.model.explanation import Explanation
from emulator.model.ladder import Point, points
from language import say
from records.names.numbers import percent, plain
from records.view import View

from .advice import limit_name
from .patterns import SIZE, Pattern, slowdown, twins
from .predicted import card_of

WORD = 4  # bytes of a value
TILED = "gpu.tiled"


class Emulated(View):
    """A view of counts, not of points: what stands below its title is where they come from."""

    @cached_property
    def machine(self) -> str:
        return say("Emulated on a CPU, predicted for {card}; nothing here was measured",
                   card=load_card(card(self)).name)


def emulated(view: View) -> Emulated:
    return Emulated(view.experiment, view.kind, view.title, (), view.run)


def card(view: View) -> str:
    """The run's, where it is described."""
    return card_of(view) or DEFAULT_CARD


def source_text(_: View) -> str:
    """What every such figure says of its numbers."""
    return say("Emulated: counts of data/emulated, by the emulator on a CPU, the same on every "
               "machine; nothing was measured.")


@dataclass(frozen=True)
class Rung:
    """A kernel of the ladder at SIZE, with what its counts say. `uses`: multiply-adds that an
    element of A or B serves, for each time that a lane loads it from global and from shared memory;
    None where it loads none there."""

    name: str
    point: Point
    explanation: Explanation
    global_uses: float | None
    shared_uses: float | None

    @property
    def warps(self) -> int:
        """Per SM, at once."""
        return self.explanation.prediction.held.blocks * self.explanation.work.warps

    @property
    def gflop_per_s(self) -> float:
        return self.explanation.gflop_per_s

    @property
    def limit(self) -> str:
        return self.explanation.prediction.held.limit


def _uses(explanation: Explanation, space: str) -> float | None:
    product = explanation.product
    values = sum(site.lanes * site.bytes / WORD for work in explanation.works
                 for site in work.of(space) if site.operation == "load")
    return 2 * product.rows * product.cols * product.depth / values if values else None


def rungs(view: View) -> list[Rung]:
    """By predicted GFLOP/s; those that the ladder's own records hold. The same kernel under two
    names stands once."""
    made: dict[tuple, Rung] = {}
    for point in points():
        found = (point.explanation(card(view)) if point.product == Product(SIZE, SIZE, SIZE)
                 and point.seconds else None)
        if found is None:
            continue
        rung = Rung(point.name, point, found, _uses(found, GLOBAL), _uses(found, SHARED))
        made.setdefault((point.implementation, rung.global_uses, rung.shared_uses, rung.warps,
                         round(rung.gflop_per_s)), rung)
    return sorted(made.values(), key=lambda rung: rung.gflop_per_s)


def best_of_each(found: list[Rung]) -> list[Rung]:
    """Of each kernel the fastest parameters."""
    # in order of the rate: the last one stays
    best = {rung.point.implementation: rung for rung in found}
    return [rung for rung in found if best[rung.point.implementation] is rung]


def reusing(view: View) -> list[Rung]:
    """Every block of gpu.tiled, and the best of each other kernel that is no variant of it."""
    found = rungs(view)
    tiled = [rung for rung in found if rung.point.implementation == TILED]
    others = [rung for rung in best_of_each(found)
              if not rung.point.implementation.startswith(TILED)]
    return sorted(tiled + others,
                  key=lambda rung: (rung.global_uses or 0, rung.shared_uses or 0, rung.gflop_per_s))


def _between(pair: tuple[Pattern, Pattern] | None, view: View, text: str, **more: object) -> str:
    ratio = slowdown(pair, card(view)) if pair else None
    return say(text, **more) + (say("; the kernel is predicted to take {times} times as long",
                                    times=plain(ratio, 1)) if ratio else "")


def coalescing_finding(view: View) -> str:
    pair = twins(GLOBAL)
    if pair is None:
        return ""
    bad, good = pair
    return _between(pair, view, "Lanes {step} bytes apart touch {sectors} sectors in one load, "
                    "side by side {least}",
                    step=f"{bad.step:,}", sectors=plain(bad.amount, 0), least=plain(good.amount, 0))


def banks_finding(view: View) -> str:
    pair = twins(SHARED)
    if pair is None:
        return ""
    bad, good = pair
    return _between(pair, view, "Rows of {bytes} bytes put a column into {banks} of 32 banks: "
                    "{passes} passes per load, with rows of {other} bytes {least}",
                    bytes=bad.step, other=good.step, banks=len(columns_of(bad)),
                    passes=plain(bad.amount, 0), least=plain(good.amount, 0))


def columns_of(pattern: Pattern) -> dict[int, list[list[int]]]:
    """By bank, the lanes that each pass serves: those that want one word of it together."""
    wanted: dict[int, dict[int, list[int]]] = {}
    for lane, address in enumerate(pattern.addresses):
        if address >= 0:
            word = address // WORD
            wanted.setdefault(word % WARP, {}).setdefault(word, []).append(lane)
    return {bank: list(words.values()) for bank, words in sorted(wanted.items())}


def reuse_finding(view: View) -> str:
    """Blocks against register tiles, where larger blocks change nothing for shared memory."""
    found = reusing(view)
    tiled = [rung for rung in found if rung.point.implementation == TILED]
    blocks = [rung.global_uses or 0.0 for rung in tiled]
    once = {round(rung.shared_uses or 0.0, 1) for rung in tiled}
    most = max((rung.shared_uses or 0.0 for rung in found), default=0.0)
    if len(once) != 1 or most <= max(once):
        return ""
    return say("Larger blocks use a value from global memory {low} to {high} times, but one from "
               "shared memory always {once}×; register tiles use that up to {most}×",
               low=plain(min(blocks), 0), high=plain(max(blocks), 0), once=plain(max(once), 0),
               most=plain(most, 0))


def occupancy_finding(view: View) -> str:
    found = best_of_each(rungs(view))
    if len(found) < 2:
        return ""
    fastest = found[-1]
    full = max(rung.warps for rung in found)
    if fastest.warps == full:
        return say("The fastest rung, {name}, holds the most warps, {warps} per SM",
                   name=fastest.name, warps=full)
    rival = max((rung for rung in found if rung.warps == full), key=lambda rung: rung.gflop_per_s)
    return say("The fastest rung, {name}, holds {warps} of {most} warps per SM, as {limit} allow; "
               "those that hold {full} reach {share} of its rate at most", name=fastest.name,
               warps=fastest.warps, most=plain(load_card(card(view)).threads_per_sm / WARP, 0),
               limit=limit_name(fastest.limit), full=full,
               share=percent(rival.gflop_per_s / fastest.gflop_per_s))
