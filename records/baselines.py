"""What each case is set against: the one that the definition names as baseline, at the same shape
and on the same host."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from language import say

from .cases.case import Case
from .cases.ratios import Ratio, speedup
from .names.numbers import joined
from .view import View


def matches(case: Case, wanted: dict[str, Any]) -> bool:
    """Is the case what a baseline such as {"implementation": "cpu.openmp", "threads": 8} asks
    for?"""
    for key, value in wanted.items():
        own = (getattr(case, key) if key in ("implementation", "label", "scope", "cache")
               else case.parameters.get(key))
        if str(own) != str(value):
            return False
    return True


def _matching(cases: Iterable[Case], wanted: dict[str, Any]) -> list[Case]:
    """Those that match. Cases as read from a file share their table of parameters: each kind of
    case is looked at once."""
    known: dict[tuple, bool] = {}
    found = []
    for case in cases:
        kind = (case.implementation, id(case.parameters), case.label, case.scope,
                case.cache, case.load)
        if kind not in known:
            known[kind] = matches(case, wanted)
        if known[kind]:
            found.append(case)
    return found


def _wanted_text(wanted: dict[str, Any]) -> str:
    """"cpu.openmp, threads 8"."""
    return ", ".join(str(value) if key in ("implementation", "label") else f"{key} {value}"
                     for key, value in wanted.items())


class Baselines:
    """Finds the baseline of each case: the one case that matches at the same shape, scope, cache
    and load, on the same host."""

    def __init__(self, view: View) -> None:
        self.problem = ""  # one sentence, where no speedup at all can be formed
        self.wanted = view.baseline or {}
        self.name = _wanted_text(self.wanted)  # its label, where it was measured under one
        self._at: dict[tuple, list[Case]] = {}
        if not self.wanted:
            self.problem = say("No baseline is named, so no speedup is formed.")
            return
        found = _matching((*view.cases, *view.beside), self.wanted)
        for case in found:
            if case.shown:
                self._at.setdefault((case.host, case.shape, case.scope, case.cache, case.load),
                                    []).append(case)
        if len({case.name for case in found}) == 1:
            self.name = found[0].name
        if not found:
            self.problem = say("The baseline ({name}) was not measured here, so no speedup is "
                               "formed.", name=self.name)
        elif not self._at:
            self.problem = say("The baseline ({name}) has no number that may be shown ({why}), so "
                               "no speedup is formed.", name=self.name, why=found[0].why_left_out)
        elif len({(case.implementation, str(sorted(case.parameters.items())), case.label)
                  for case in found}) > 1:
            self.problem = say("The baseline ({name}) fits more than one variant ({labels}), so "
                               "no speedup is formed.", name=self.name, labels=joined_labels(found))
            self._at = {}

    def of(self, case: Case) -> Case | None:
        """The baseline at the case's shape, of its own run and group if there is one."""
        found = self._at.get((case.host, case.shape, case.scope, case.cache, case.load))
        if not found:
            return None
        if len(found) == 1:  # as a rule; this is asked for each point of each table
            return found[0]
        return min(found, key=lambda other: (other.run_id != case.run_id, other.group != case.group,
                                             other.regime != case.regime, other.replica,
                                             other.handicap, other.case_id))

    def others(self, cases: Iterable[Case]) -> dict[Case, Case]:
        """case -> its baseline, of the cases that have one and are none themselves."""
        return {case: baseline for case in cases
                if (baseline := self.of(case)) is not None and baseline is not case}

    def speedup(self, case: Case) -> Ratio | None:
        """Over the baseline; None where either has no number that may be shown."""
        baseline = self.of(case) if case.shown else None
        return speedup(baseline, case) if baseline else None


def joined_labels(cases: list[Case]) -> str:
    labels = sorted({case.name for case in cases})
    return joined(labels if len(labels) <= 4
                  else [*labels[:3], say("{count} more", count=len(labels) - 3)])
