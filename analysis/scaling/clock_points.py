"""Clock, power and temperature of the card at each point, and where it could not hold its clock."""

from __future__ import annotations

from dataclasses import dataclass

from language import recorded, say
from records.cases.case import Case
from records.cases.clocks import dipped
from records.cases.hosts import first_card
from records.cases.series import shapes_of
from records.names.numbers import counted, joined, percent, plain
from records.schema.operations import shape_text
from records.view import View

MOST_TOLD = 12  # points in words


@dataclass(frozen=True)
class Clocks:
    """GPU points that recorded their clock, and those of them at which it was held down or dipped
    by more than a tenth."""

    cases: tuple[Case, ...]
    held_down: tuple[Case, ...]
    most_mhz: float | None  # that the card says it can


def clocks_of(view: View) -> Clocks:
    cases = tuple(case for case in view.shown
                  if case.device == "gpu" and case.clock_mhz and not case.copy)
    gpu = first_card(view.run)
    return Clocks(cases, tuple(case for case in cases if case.throttled or dipped(case)),
                  (gpu.get("clocks") or {}).get("sm_mhz"))


def clocks_finding(view: View) -> str:
    """"The card held its clock below 4096; from there on it fell as low as 1,365 of 1,980 MHz (sw
    power cap)"; empty where no clock was held down."""
    found = clocks_of(view)
    if not found.held_down:
        return ""
    shapes = shapes_of(found.held_down)
    lowest = min(mhz for case in found.held_down if (mhz := case.clock_low_mhz or case.clock_mhz))
    reasons = sorted({recorded(reason) for case in found.held_down
                      for reason in case.throttle_reasons})
    why = say(" ({reasons})", reasons=joined(reasons)) if reasons else ""
    of = say(" of {most}", most=plain(found.most_mhz, 0)) if found.most_mhz else ""
    return say("From {shape} on the card could not hold its clock: it fell as low as {low}{of} "
               "MHz{why}", shape=shape_text(*shapes[0]), low=plain(lowest, 0), of=of, why=why)


def clocks_described(view: View) -> str:
    """The points at which the clock was held down, in words."""
    found = clocks_of(view)
    told = [say("{name} at {shape}: {clock} MHz, lowest {low}{power}.",
                name=case.label, shape=shape_text(*case.shape), clock=plain(mhz, 0),
                low=plain(case.clock_low_mhz or mhz, 0), power=_power(case))
            for case in found.held_down[:MOST_TOLD] if (mhz := case.clock_mhz)]
    head = say("{count} of {points} with a clock that was held down.", count=len(found.held_down),
               points=counted(len(found.cases), "point"))
    return say(" ").join([head, *told])


def _power(case: Case) -> str:
    share = (say(", held down at {share} of its readings", share=percent(case.throttled_share))
             if case.throttled_share else "")
    return (say(", ") + f"{plain(case.power_w, 0)} W" if case.power_w else "") + share
