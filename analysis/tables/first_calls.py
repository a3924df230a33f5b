"""First calls of fresh processes: their phases, and how many times a later call they take."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import median

from language import say
from records.cases.case import Case
from records.cases.ratios import Ratio, median_interval
from records.cases.where import host_text
from records.names.naming import display_name
from records.names.numbers import duration, ends_of
from records.schema.operations import shape_text

PHASES = ("context", "allocation", "transfer_in", "prepare", "module", "kernel", "transfer_out")


def phase_name(name: str) -> str:
    """What a phase of the first call is called."""
    return say(name.replace("_", " "))


def phases_of(cases: list[Case]) -> list[str]:
    """The phases that the cases record, in the order in which they happen; unknown ones last."""
    there = dict.fromkeys(name for case in cases for name, values in case.first_call_s.items()
                          if values)
    return [*(name for name in PHASES if name in there),
            *(name for name in there if name not in PHASES)]


def first_calls(cases: Iterable[Case]) -> list[Case]:
    """Those that timed fresh processes and know the phases."""
    return [case for case in cases if case.shown and any(case.first_call_s.values())]


def steady_ratio(case: Case) -> Ratio | None:
    """First call over a steady call of the same process: the median over the processes. None where
    none was timed."""
    ratios = sorted(first / steady for first, steady in zip(case.samples_s, case.steady_s)
                    if steady > 0)
    if not ratios:
        return None
    return Ratio(median(ratios), *ends_of(median_interval(ratios)), len(ratios))


def first_product_text(cases: Iterable[Case]) -> str:
    """"A process's first product takes 282 ms on the card (tiled 32) and 13.1 ms on the CPU
    (oneDNN), at 1024 on host 1a2b3c4d.": the quickest of each device at the largest shape and the
    host that have both; empty where none has."""
    best: dict[tuple, dict[str, Case]] = {}
    for case in sorted(first_calls(cases), key=lambda one: -one.median_s):
        best.setdefault((math.prod(case.shape[:3]), case.shape, case.host), {})[case.device] = case
    both = [of for _, of in sorted(best.items(), key=lambda one: one[0][0]) if len(of) > 1]
    if not both or {"cpu", "gpu"} - both[-1].keys():
        return ""
    cpu, gpu = both[-1]["cpu"], both[-1]["gpu"]
    return say("A process's first product takes {gpu_time} on the card ({gpu}) and {cpu_time} on "
               "the CPU ({cpu}), at {shape} on {host}.", gpu_time=duration(gpu.median_s),
               gpu=display_name(gpu), cpu_time=duration(cpu.median_s), cpu=display_name(cpu),
               shape=shape_text(*gpu.shape), host=host_text(gpu.host))
