"""One experiment as the rules see it: what every rule needs, worked out once."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from records.cases.case import Case
from records.cases.experiment import Experiment


class Look:
    """The cases of one experiment; A/A twins are not among them."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.cases = experiment.cases

    @cached_property
    def shown(self) -> list[Case]:
        """Cases with a verified time."""
        return [case for case in self.cases if case.shown]

    @cached_property
    def plain(self) -> list[Case]:
        """Those of `shown` that were measured neither a second time nor with a handicap: each point
        once."""
        return [case for case in self.shown if not case.replica and not case.handicap]

    @cached_property
    def runs(self) -> list[dict[str, Any]]:
        """The runs that the cases come from; the latest where there are no cases."""
        used = {case.run_id for case in self.cases}
        return ([run for run in self.experiment.runs if run.get("run_id") in used]
                or self.experiment.runs[-1:])

    @cached_property
    def run_of(self) -> dict[str, dict[str, Any]]:
        """run_id -> run."""
        return {str(run.get("run_id")): run for run in self.experiment.runs}

    @cached_property
    def cores(self) -> dict[str, int]:
        """run_id -> cores that its process might use; a run that does not say is not in it."""
        return {run_id: int(run["host"]["cores"]) for run_id, run in self.run_of.items()
                if (run.get("host") or {}).get("cores")}

    def threads_of(self, case: Case) -> int:
        """Threads asked for; 0 where the implementation takes no number of threads."""
        threads = case.parameters.get("threads") if case.device == "cpu" else None
        return threads if isinstance(threads, int) else 0
