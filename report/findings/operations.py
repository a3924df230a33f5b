"""What heads the chapters of operations other than the gemm: how near the roof, sparse against dense, the memory's levels."""

from __future__ import annotations

from dataclasses import replace

from analysis.memory.hierarchy import ARITHMETIC, latency_levels
from analysis.memory.hierarchy_tables import hierarchy_finding
from analysis.tables.densities import density_finding
from analysis.tables.heads import Head
from analysis.tables.rates import best_of_ours, device_sentence
from analysis.tables.swept import sweep_finding
from language import recorded, say
from records.cases.case import Case
from records.names.numbers import capital, joined, percent, plain
from records.schema.operations import GEMM
from records.view import View

from .patterns import pattern_sentence

DEVICES = ("gpu", "cpu")


def _by_operation(view: View) -> list[View]:
    operations = list(dict.fromkeys(case.operation for case in view.shown))
    return [replace(view, cases=tuple(case for case in view.cases if case.operation == one)) for one in operations]


def _last(view: View, device: str) -> Case | None:
    """The largest point of our best line on the device."""
    found = best_of_ours(view, device)
    return found[1][-1][0] if found else None


def _reached(parts: list[View]) -> str:
    """"Our best reaches 91 to 93 % of the roof on the GPU and 95 % on the CPU at the largest size"; a roof that points pass was
    measured too low, and no share of it is told."""
    told: list[str] = []
    low_roofs: list[str] = []
    for device in DEVICES:
        last = [case for one in parts if (case := _last(one, device)) and case.share_trusted]
        shares = [case.of_ceiling for case in last if case.of_ceiling]
        if any(case.above_ceiling for case in last):
            low_roofs.append(say("the points on the {device} pass its roof, which was measured too low", device=device.upper()))
        elif shares:
            low, high = percent(min(shares)), percent(max(shares))
            span = low if low == high else say("{low} to {high}", low=low.removesuffix(" %"),
                                               high=high)
            told.append(say("{share} on the {device}" if told else "{share} of the roof on the {device}", share=span, device=device.upper()))
    reached = [say("Our best reaches {shares} at the largest size", shares=joined(told))] if told else []
    text = say("; ").join([*reached, *low_roofs])
    return capital(text)


def rates_head(view: View) -> Head | None:
    """How near the roof our best comes; and each operation on each device. A gemm beside others is there to be compared with."""
    parts = _by_operation(view)
    finding = _reached([one for one in parts if len(parts) == 1 or one.cases[0].operation != GEMM])
    sentences = []
    for device in DEVICES:
        said = [text if len(parts) == 1 else say("{operation}, {text}", operation=recorded(one.cases[0].operation), text=text)
                for one in parts if (text := device_sentence(one, device))]
        if said:
            sentences.append(say("{device}: {parts}.", device=device.upper(),
                                 parts=say("; ").join(said)))
    return Head(finding, tuple(sentences)) if finding or sentences else None


def density_head(view: View) -> Head | None:
    """Up to which density sparse is faster; and which kernel is the fastest for which pattern."""
    finding = density_finding(view)
    patterns = tuple(text for device in DEVICES if (text := pattern_sentence(view, device)))
    return Head(finding, patterns) if finding else rates_head(view)


def _barrier_text(view: View) -> str:
    """"a barrier 1,543 ns on the CPU with 16 threads and 39.5 ns on the GPU with 1024 threads"; empty where none was measured."""
    told = []
    for device in ("cpu", "gpu"):
        own = [case for case in view.shown if case.operation == "barrier" and case.device == device and not case.copy]
        if own:
            most = max(own, key=lambda case: case.dims["threads"])
            told.append(say("{time} ns on the {device} with {threads} threads", time=plain(most.rate), device=device.upper(),
                            threads=most.dims["threads"]))
    return say("a barrier {parts}", parts=joined(told)) if told else ""


def hierarchy_head(view: View) -> Head | None:
    """What a load from memory costs, against one from the nearest cache; and a step of arithmetic, and a barrier."""
    finding = hierarchy_finding(view)
    steps = [say("{time} ns on the {device}", time=plain(levels[ARITHMETIC].case.rate), device=device.upper())
             for device in ("cpu", "gpu") if ARITHMETIC in (levels := latency_levels(view, device))]
    costs = [say("a dependent multiply-add takes {parts}", parts=joined(steps))] if steps else []
    costs += [text] if (text := _barrier_text(view)) else []
    sentence = say("; ").join(costs)
    return Head(finding, (capital(sentence) + say("."),) if sentence else ()) if finding else None


def sweep_head(view: View) -> Head | None:
    """The ends of the one number that varies."""
    finding = sweep_finding(view)
    return Head(finding) if finding else None
