"""How near their roof our best points of each operation come."""

from __future__ import annotations

from dataclasses import replace

from analysis.tables.heads import Head
from analysis.tables.kind import Section
from analysis.tables.rates import best_of_ours, device_sentence
from language import recorded, say
from records.cases.case import Case
from records.names.numbers import capital, joined, percent
from records.schema.operations import GEMM
from records.view import View

DEVICES = ("gpu", "cpu")


def _by_operation(view: View) -> list[View]:
    operations = list(dict.fromkeys(case.operation for case in view.shown))
    return [replace(view, cases=tuple(case for case in view.cases if case.operation == one))
            for one in operations]


def _last(view: View, device: str) -> Case | None:
    """The largest point of our best line on the device."""
    found = best_of_ours(view, device)
    return found[1][-1][0] if found else None


def _reached(parts: list[View]) -> str:
    """"Our best reaches 91 to 93 % of the roof on the GPU and 95 % on the CPU at the largest size";
    a roof that points pass was measured too low, and no share of it is told."""
    told: list[str] = []
    low_roofs: list[str] = []
    for device in DEVICES:
        last = [case for one in parts if (case := _last(one, device)) and case.share_trusted]
        shares = [case.of_ceiling for case in last if case.of_ceiling]
        if any(case.above_own_ceiling for case in last):
            low_roofs.append(say("the points on the {device} pass its roof, which was measured too "
                                 "low", device=device.upper()))
        elif shares:
            low, high = percent(min(shares)), percent(max(shares))
            span = low if low == high else say("{low} to {high}", low=low.removesuffix(" %"),
                                               high=high)
            told.append(say("{share} on the {device}" if told else "{share} of the roof on the "
                            "{device}", share=span, device=device.upper()))
    reached = ([say("Our best reaches {shares} at the largest size", shares=joined(told))]
               if told else [])
    text = say("; ").join([*reached, *low_roofs])
    return capital(text)


def rates_head(section: Section) -> Head | None:
    """How near the roof our best comes; and each operation on each device. A gemm beside others is
    there to be compared with."""
    parts = _by_operation(section.view)
    finding = _reached([one for one in parts if len(parts) == 1 or one.cases[0].operation != GEMM])
    sentences = []
    for device in DEVICES:
        said = [text if len(parts) == 1
                else say("{operation}, {text}", operation=recorded(one.cases[0].operation),
                         text=text) for one in parts if (text := device_sentence(one, device))]
        if said:
            sentences.append(say("{device}: {parts}.", device=device.upper(),
                                 parts=say("; ").join(said)))
    return Head(finding, tuple(sentences)) if finding or sentences else None


