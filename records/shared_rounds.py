"""Whether a point ran in the rounds that its whole group shared as it ran in all of its rounds.

A point that is precise takes part in fewer rounds while others of its group need more, and one that
has used its time in none; in older records it stopped at once. Ratios are taken over shared rounds,
medians over all: where the two differ, ratios.py says which is told.
"""

from __future__ import annotations

from statistics import median

from language import say

from .cases.case import Case
from .cases.experiment import Experiment
from .cases.ratios import LEAST_PAIRS
from .names.numbers import counted, duration, percent
from .schema.operations import shape_text

APART = 0.05


def _shared(cases: list[Case]) -> set[int]:
    """As a rule they all have the same rounds, and one array of them."""
    return set.intersection(*map(set, {id(case.rounds): case.rounds for case in cases}.values()))


def unlike(experiment: Experiment) -> tuple[list[tuple[float, Case]], int]:
    """(median over the rounds that all of its group shared (s), case) of each shown point for which
    it lies more than APART off the median over all; the farthest first; and how many points were
    looked at."""
    groups: dict[tuple, list[Case]] = {}
    for case in experiment.cases:
        if case.shown and case.rounds and case.scope != "first-call" and not case.load:
            groups.setdefault((case.run_id, case.group, case.shape, case.scope, case.cache),
                              []).append(case)
    found, looked_at = [], 0
    for cases in groups.values():
        rounds = _shared(cases) if len(cases) > 1 else set()
        if len(rounds) < LEAST_PAIRS:
            continue
        for case in cases:
            if case.copy:
                continue
            looked_at += 1
            every = len(case.rounds) == len(rounds)
            shared = median(case.samples_s if every else [
                sample for turn, sample in zip(case.rounds, case.samples_s) if turn in rounds])
            if abs(shared / case.median_s - 1) > APART:
                found.append((shared, case))
    return sorted(found, key=lambda entry: -abs(entry[0] / entry[1].median_s - 1)), looked_at


def unlike_text(experiment: Experiment) -> str:
    """"7 of 35 points ran otherwise in the rounds that all of their group shared …"; empty where
    none did."""
    found, looked_at = unlike(experiment)
    if not found:
        return ""
    shared, worst = found[0]
    return say("{count} of {points} ran otherwise in the rounds that all of their group shared "
               "than over all of theirs, by more than {apart} of the median (most: {label} at "
               "{shape}, {shared} there and {all} over all).",
               count=f"{len(found):,}", points=counted(looked_at, "point"), apart=percent(APART),
               label=worst.name, shape=shape_text(*worst.shape), shared=duration(shared),
               all=duration(worst.median_s))
