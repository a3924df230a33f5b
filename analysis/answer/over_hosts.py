"""How far a speedup holds over the hosts of a folder: clouds hand out machines of one name and different speed."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.tables.heads import rounded
from language import recorded, say
from records.cases.case import Case
from records.cases.where import host_text
from records.names.naming import display_name

from .points import Contest, Match
from .words import unsound

APART = 1.1  # times as much: less is a matter of the interval


@dataclass(frozen=True)
class Span:
    """From the least to the most that may be said."""

    low: float
    high: float

    def __str__(self) -> str:
        """"29 to 41"."""
        return say("{low} to {high}", low=rounded(self.low), high=rounded(self.high))


def span_of(values: list[float]) -> Span | None:
    """None where they lie within 10 % of each other, so that one of them tells all."""
    low, high = min(values), max(values)
    return Span(low, high) if high > APART * low else None


def quickest(match: Match, contest: Contest) -> dict[str, Case]:
    """host -> the CPU's fastest point of any experiment, cache and group at the match's shape and inputs: of its own host and of each other
    that measured the same implementation there with as many threads."""
    alike = [case for case in contest.beside if case.shape == match.shape and case.distribution == match.cpu.distribution]
    hosts = {case.host for case in alike if (case.implementation, case.threads) == (match.cpu.implementation, match.cpu.threads)}
    found: dict[str, Case] = {}
    for case in alike:
        if case.host in hosts | {match.cpu.host} and (case.host not in found or case.median_s < found[case.host].median_s):
            found[case.host] = case
    return found


def least(match: Match, contest: Contest) -> str:
    """"29 by MKL on host 766d76a7, warm, above its ceiling": what the lower end of the range rests on."""
    host, case = min(quickest(match, contest).items(), key=lambda one: one[1].median_s)
    return say(", ").join(filter(None, (
        say("{times} by {name} on {host}", times=rounded(case.median_s / match.gpu.median_s), name=display_name(case), host=host_text(host)),
        say("{cache} cache", cache=recorded(case.cache)) if case.cache != match.cpu.cache else "", unsound(case))))


def sound_one(match: Match, contest: Contest) -> Match | None:
    """The fastest point of the CPU, in any group that the same kernel was timed in at this shape, with which nothing is wrong; None
    where the match's own is sound, or none is."""
    if not unsound(match.cpu, match.gpu):
        return None
    alike = [case for case in contest.cases if case.shape == match.shape and case.precision == "fp32"]
    kernels = [case for case in alike if (case.implementation, case.parameters, case.scope, case.host_memory) == (
        match.gpu.implementation, match.gpu.parameters, match.gpu.scope, match.gpu.host_memory)]
    pairs = [Match(cpu, gpu) for gpu in kernels for cpu in alike if cpu.device == "cpu" and cpu.group == gpu.group and not unsound(cpu, gpu)]
    return min(pairs, key=lambda one: one.cpu.median_s, default=None)


def over_hosts(match: Match, contest: Contest) -> Span | None:
    """The GPU's speedup over the CPU, and what it would be over the least CPU time of each host. None where one number tells all."""
    times = [case.median_s for case in quickest(match, contest).values()]
    return span_of([match.ratio.value, *(time / match.gpu.median_s for time in times)])
