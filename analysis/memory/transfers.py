"""Where the time of a GPU multiplication goes: kernel, launch and wait, copies, allocation.

Each part is the difference of two medians of one run: launch and wait is `call` less `kernel`, the
copies are `end-to-end` less `call`, the allocation is `end-to-end` with the device's buffers taken
and given back less without. Differences have no interval of their own here; the whole has that of
its median. A difference below zero is told as none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from analysis.tables.first_calls import phase_name
from language import recorded, say
from records.cases.case import Case
from records.cases.series import Shape, shapes_of
from records.cases.where import host_text
from records.names.naming import display_name
from records.names.numbers import between, duration, joined, percent, percents, plain
from records.schema.operations import shape_text
from records.view import View

KERNEL, LAUNCH, COPIES, ALLOCATION = PARTS = ("kernel", "launch", "copies", "allocation")
MEMORIES = ("pinned", "pageable")
MOST = 0.5  # of the time


@dataclass(frozen=True)
class Shares:
    """One shape and kind of host memory: seconds of each part, in the order of PARTS; `whole` is
    the case of all of them."""

    shape: Shape
    memory: str
    parts: dict[str, float]
    whole: Case

    @property
    def total_s(self) -> float:
        return sum(self.parts.values())

    def share(self, *parts: str) -> float:
        """Of the whole, 0 to 1."""
        return sum(self.parts.get(part, 0.0) for part in parts) / self.total_s


def part_name(part: str) -> str:
    return {KERNEL: phase_name(KERNEL), LAUNCH: say("launch and wait"),
            COPIES: say("copies of A, B and C"), ALLOCATION: say("allocation on the card")}[part]


def transfer_shares(view: View) -> list[Shares]:
    """Every shape and memory of the first implementation that was measured as kernel, call and end
    to end; small shapes first."""
    lines: dict[tuple, dict[tuple, Case]] = {}
    for case in view.shown:
        if case.device == "gpu" and not case.copy:
            key = (case.run_id, case.group, case.implementation,
                   tuple(sorted(map(str, case.parameters.items()))), case.cache)
            lines.setdefault(key, {}).setdefault(
                (case.shape, case.scope, case.host_memory, case.allocation), case)
    for line in lines.values():
        made = [shares for shape in shapes_of(line.values()) for memory in MEMORIES
                if (shares := _shares(line, shape, memory)) is not None]
        if made:
            return made
    return []


def _shares(line: dict[tuple, Case], shape: Shape, memory: str) -> Shares | None:
    kernel, call = line.get((shape, "kernel", None, None)), line.get((shape, "call", None, None))
    kept, taken = (line.get((shape, "end-to-end", memory, how))
                   for how in ("not counted", "counted"))
    if kernel is None or call is None or kept is None:
        return None
    steps = [(KERNEL, kernel), (LAUNCH, call), (COPIES, kept),
             *([(ALLOCATION, taken)] if taken else [])]
    parts, before = {}, 0.0
    for part, case in steps:
        parts[part] = max(case.median_s - before, 0.0)
        before = max(case.median_s, before)
    return Shares(shape, memory, parts, taken or kept)


def transfers_finding(view: View) -> str:
    """"Up to 4096 copies and allocation take most of the time from pageable memory (64 to 94 %);
    pinned, the copies are 6.1 to 7.7 times as fast"; empty where nothing was measured."""
    found = transfer_shares(view)
    if not found:
        return ""
    memory = "pageable" if any(one.memory == "pageable" for one in found) else "pinned"
    own = [one for one in found if one.memory == memory]
    heavy = [one for one in own if _moving(one) >= MOST]
    what = (say("copies and allocation") if any(ALLOCATION in one.parts for one in own)
            else say("the copies"))
    if not heavy:
        text = say("The kernel takes most of the time at every size; {what} from {memory} memory "
                   "take {shares}",
                   what=what, memory=recorded(memory), shares=_span([_moving(one) for one in own]))
    else:
        text = say("Up to {shape}, {what} take most of the time from {memory} memory ({shares})",
                   what=what, shape=shape_text(*heavy[-1].shape), memory=recorded(memory),
                   shares=_span([_moving(one) for one in heavy]))
    faster = _pinned_gains(found)
    return (text + say("; pinned, the copies are {times} times as fast", times=_range(faster))
            if faster else text)


def allocation_text(view: View | None) -> str:
    """"The card's memory stays allocated: else tiled 32 takes, on host 536c6b44, 132 µs at 256 and
    1.25 ms at 4096 more (pinned) and 120 µs and 1.46 ms more (pageable)."; without the price where
    the view has none."""
    found = [one for one in (transfer_shares(view) if view else ())
             if one.parts.get(ALLOCATION)]
    if not found:
        return say("The memory on the card stays allocated.")
    prices = []
    for memory in dict.fromkeys(one.memory for one in found):
        own = [one for one in found if one.memory == memory]
        ends = own if len(own) < 2 else [own[0], own[-1]]
        prices.append(say("{times} more ({memory})", memory=recorded(memory), times=joined(
            [say("{time} at {shape}", time=duration(one.parts[ALLOCATION]),
                 shape=shape_text(*one.shape)) for one in ends])))
    case = found[0].whole
    return say("The card's memory stays allocated: else {name} takes, on {host}, {prices}.",
               name=display_name(case), host=host_text(case.host), prices=joined(prices))


def _moving(one: Shares) -> float:
    return one.share(COPIES, ALLOCATION)


def _pinned_gains(found: list[Shares]) -> list[float]:
    """At each shape with both: time of the pageable copies over that of the pinned ones."""
    copies = {(one.shape, one.memory): one.parts[COPIES] for one in found}
    return [copies[shape, "pageable"] / pinned for (shape, memory), pinned in copies.items()
            if memory == "pinned" and pinned > 0 and copies.get((shape, "pageable"))]


def _range(values: Iterable[float]) -> str:
    return between(*(plain(end, 1) for end in (min(values), max(values))))


def _span(shares: list[float]) -> str:
    return percents((min(shares), max(shares)))


def transfers_described(view: View) -> str:
    """Each bar in words."""
    return say(" ").join(say("{shape}, {memory}: {time}, {parts}.", shape=shape_text(*one.shape),
                             memory=recorded(one.memory), time=duration(one.total_s),
                             parts=say(", ").join(f"{part_name(part)} {percent(one.share(part))}"
                                                  for part in one.parts))
                         for one in transfer_shares(view))
