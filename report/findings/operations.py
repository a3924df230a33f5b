"""What heads the chapters of operations other than the gemm: how near the roof, sparse against dense, the memory's levels."""

from __future__ import annotations

from dataclasses import replace

from ..case import Case
from ..densities import density_finding
from ..heads import Head
from ..hierarchy_tables import hierarchy_finding
from ..language import say
from ..numbers import joined, percent
from ..operations import GEMM
from ..rates import best_of_ours, device_sentence
from ..swept import sweep_finding
from ..view import View

DEVICES = ("gpu", "cpu")


def _by_operation(view: View) -> list[View]:
    operations = list(dict.fromkeys(case.operation for case in view.shown))
    if len(operations) > 1:  # a gemm beside them is there to be compared with
        operations = [one for one in operations if one != GEMM]
    return [replace(view, cases=tuple(case for case in view.cases if case.operation == one)) for one in operations]


def _last(view: View, device: str) -> Case | None:
    """The largest point of our best line on the device."""
    found = best_of_ours(view, device)
    return found[1][-1][0] if found else None


def rates_head(view: View) -> Head | None:
    """"Our best reaches 91 to 93 % of the roof on the GPU and 95 % on the CPU at the largest size"; and each operation on each device."""
    parts = _by_operation(view)
    told = []
    for device in DEVICES:
        shares = [(one.cases[0].operation, case.of_ceiling) for one in parts if (case := _last(one, device)) and case.of_ceiling]
        if shares:
            low, high = min(share for _, share in shares), max(share for _, share in shares)
            span = percent(low) if percent(low) == percent(high) else say("where.from_to", low=percent(low).removesuffix(" %"), high=percent(high))
            told.append(say("{share} on the {device}" if told else "{share} of the roof on the {device}", share=span, device=device.upper()))
    sentences = []
    for device in DEVICES:
        said = [text for one in parts if (text := device_sentence(one, device))]
        if said:
            sentences.append(say("{device}: {parts}.", device=device.upper(), parts=say("number.semicolon").join(said)))
    finding = say("Our best reaches {shares} at the largest size", shares=joined(told)) if told else ""
    return Head(finding, tuple(sentences)) if finding or sentences else None


def density_head(view: View) -> Head | None:
    """Up to which density sparse is faster; and how fast the sparse products are."""
    finding = density_finding(view)
    rates = rates_head(replace(view, cases=tuple(case for case in view.cases if case.operation == "spmv")))
    return Head(finding, rates.sentences if rates else ()) if finding else rates


def hierarchy_head(view: View) -> Head | None:
    """What a load from memory costs, against one from the nearest cache."""
    finding = hierarchy_finding(view)
    return Head(finding) if finding else None


def sweep_head(view: View) -> Head | None:
    """The ends of the one number that varies."""
    finding = sweep_finding(view)
    return Head(finding) if finding else None
