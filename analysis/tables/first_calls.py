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
from records.names.numbers import counted, duration, ends_of
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
    """"A process's first product takes 282 ms on the card (tiled 32; cuBLAS 488 ms) and 13.1 ms on
    the CPU (oneDNN, 5 threads), at 1024 on host 1a2b3c4d.": the quickest of each device at the
    largest shape and the host that have both; empty where none has."""
    best: dict[tuple, dict[str, Case]] = {}
    for case in sorted(first_calls(cases), key=lambda one: -one.median_s):
        at = best.setdefault((math.prod(case.shape[:3]), case.shape, case.host), {})
        at[case.device] = case
        if case.library and case.device == "gpu":
            at["library"] = case
    both = [of for _, of in sorted(best.items(), key=lambda one: one[0][0])
            if len(of.keys() - {"library"}) > 1]
    if not both:
        return ""
    cpu, gpu = both[-1]["cpu"], both[-1]["gpu"]
    library = both[-1].get("library", gpu)
    on_card = display_name(gpu) if library is gpu else say(
        "{name}; {other} {time}", name=display_name(gpu), other=display_name(library),
        time=duration(library.median_s))
    on_cpu = say("{name}, {cores}", name=display_name(cpu),
                 cores=counted(cpu.threads_actual or cpu.threads, "thread"))
    return say("A process's first product takes {gpu_time} on the card ({gpu}) and {cpu_time} on "
               "the CPU ({cpu}), at {shape} on {host}.", gpu_time=duration(gpu.median_s),
               gpu=on_card, cpu_time=duration(cpu.median_s), cpu=on_cpu,
               shape=shape_text(*gpu.shape), host=host_text(gpu.host))
