"""What is wrong with records or with this machine, in plain words: `gemmlab doctor`, and a section
of the report.

A rule is a function that yields findings; the modules' lists RULES are all of them. A new rule is a
function and its name in such a list.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from records.cases.experiment import Results

from . import machine
from .rules import alike, build, headline, hosts, kernels, sizes, threads, timing, tree
from .rules.finding import NOTE, PROBLEM, Finding
from .rules.look import Look

RUN_RULES = build.RULES
EXPERIMENT_RULES = (*threads.RULES, *kernels.RULES, *timing.RULES, *sizes.RULES)
FOLDER_RULES = (*headline.RULES, *alike.RULES, *hosts.RULES, *tree.RULES)
MACHINE_RULES = machine.RULES
# What comes first among findings of one severity: numbers that are not what their names say, then
# numbers that are not comparable, then what distorts them; whatever is not named here follows.
RANKS = ("wrong-shapes", "unsound-baseline", "same-kernel", "above-ceiling", "mixed-hosts",
         "not-optimised", "sanitizers", "noise", "throttled", "disturbed", "cold-start",
         "threads-bring-nothing", "threads-did-not-run", "threads-share-cores", "untrusted-ceiling",
         "counted-elsewhere", "several-hosts")

__all__ = ["NOTE", "PROBLEM", "Finding", "findings", "machine_findings", "merged"]


def findings(results: Results) -> list[Finding]:
    """What the rules find in these records: problems first, each once with all the experiments that
    show it."""
    found = [finding for rule in FOLDER_RULES for finding in rule(results)]
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
    """Each finding once, with the names of all the experiments that show it; problems first, of
    these the gravest."""
    names: dict[Finding, list[str]] = {}
    for finding in found:
        names.setdefault(replace(finding, experiment=""), []).append(finding.experiment)
    merged = [replace(finding, experiment=", ".join(dict.fromkeys(filter(None, of))))
              for finding, of in names.items()]
    return sorted(merged, key=_rank)  # stable: else in the order of the rules


def _rank(finding: Finding) -> tuple[bool, int]:
    return (finding.severity != PROBLEM, RANKS.index(finding.rule) if finding.rule in RANKS
            else len(RANKS))
