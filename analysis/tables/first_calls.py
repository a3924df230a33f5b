"""First calls of fresh processes: their phases, and how many times a later call they take."""

from __future__ import annotations

from statistics import median

from language import say
from records.cases.case import Case
from records.cases.ratios import Ratio, median_interval
from records.names.numbers import ends_of

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


def first_calls(cases: list[Case]) -> list[Case]:
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
