"""What is wrong with records or with this machine, in plain words: `gemmlab doctor`, and a section of the report.

A rule is a function that yields findings; the modules' lists RULES are all of them. A new rule is a function and its name
in such a list.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..records import Results
from . import build, kernels, machine, sizes, threads, timing
from .finding import NOTE, PROBLEM, Finding
from .look import Look

RUN_RULES = build.RULES
EXPERIMENT_RULES = (*threads.RULES, *kernels.RULES, *timing.RULES, *sizes.RULES)
MACHINE_RULES = machine.RULES

__all__ = ["NOTE", "PROBLEM", "Finding", "findings", "machine_findings", "merged"]


def findings(results: Results) -> list[Finding]:
    """What the rules find in these records: problems first, each once with all the experiments that show it."""
    found = []
    for experiment in results.experiments:
        look = Look(experiment)
        of_runs = (finding for run in look.runs for rule in RUN_RULES for finding in rule(run))
        of_cases = (finding for rule in EXPERIMENT_RULES for finding in rule(look))
        found += [replace(finding, experiment=experiment.name) for finding in (*of_runs, *of_cases)]
    return merged(found)


def machine_findings(here: machine.Machine) -> list[Finding]:
    """What the rules find in this machine and in the program as built."""
    return merged([*(finding for rule in MACHINE_RULES for finding in rule(here)),
                    *(finding for rule in RUN_RULES for finding in rule(here.info))])


def merged(found: Iterable[Finding]) -> list[Finding]:
    """Each finding once, with the names of all the experiments that show it; problems first."""
    names: dict[Finding, list[str]] = {}
    for finding in found:
        names.setdefault(replace(finding, experiment=""), []).append(finding.experiment)
    merged = [replace(finding, experiment=", ".join(dict.fromkeys(filter(None, of)))) for finding, of in names.items()]
    return sorted(merged, key=lambda finding: finding.severity != PROBLEM)  # stable: else in the order of the rules
