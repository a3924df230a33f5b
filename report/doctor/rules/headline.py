"""Rules on what the report says first: is the CPU's time sound that the GPU is set against, and is
it that of other hosts, too?"""

from __future__ import annotations

from collections.abc import Iterator

from analysis.answer.headline import headline_of
from analysis.answer.names import unsound
from analysis.answer.over_hosts import (
    hosts_left_out,
    over_hosts,
    passed_over,
    quickest,
    told_together,
)
from analysis.answer.points import KERNEL, Contest, Match, contest_of
from analysis.tables.heads import rounded
from language import say
from records.cases.case import Case
from records.cases.experiment import Results
from records.cases.where import host_text
from records.names.numbers import duration, joined

from .finding import Finding, note, point_text, problem


def _match(results: Results) -> tuple[Contest, Match] | None:
    contest = contest_of(results)
    best = headline_of(contest).best if contest else {}
    match = best.get(KERNEL) or next(iter(best.values()), None)
    return (contest, match) if contest and match else None


def _marked(case: Case) -> str:
    why = unsound(case)
    return f"({why})" if why else ""


def unsound_baseline(results: Results) -> Iterator[Finding]:
    """The two points of the headline: unbound, disturbed, above their ceiling, throttled on one
    side, or of too few samples."""
    found = _match(results)
    match = told_together(found[1], found[0]) if found else None
    if found and match and (why := unsound(match.cpu, match.gpu)):
        yield problem("unsound-baseline", say(
            "The report's first number ({times} times) sets {gpu} against {cpu}: {why}.",
            times=rounded(match.ratio.value), gpu=match.gpu.name, cpu=point_text(match.cpu),
            why=why), say("Measure {experiment} again with --fresh on a quiet machine whose "
                          "threads may be bound.", experiment=found[0].experiment))


def hosts_disagree(results: Results) -> Iterator[Finding]:
    """Other hosts of the folder, or other runs, took another time for what the GPU is set
    against."""
    found = _match(results)
    if found and (span := over_hosts(found[1], found[0])):
        told, passed = told_together(found[1], found[0]), passed_over(found[1], found[0])
        times = [say(" ").join(filter(None, (
            say("{time} by {name} on {host}", time=duration(case.median_s),
                name=case.name, host=host_text(host)), _marked(case))))
            for host, case in [*sorted(quickest(found[1], found[0]).items()),
                               *((case.host, case) for case in passed)]]
        yield note("headline-by-host", say(
            "The report's first number is {span} times by the CPU's host: {cpu} took {time}, and "
            "the least was {times}.", span=span, cpu=point_text(told.cpu),
            time=duration(told.cpu.median_s), times=joined(times)) + (say(
                " Not counted: {hosts}.", hosts=out) if (out := hosts_left_out(
                    found[1], found[0], passed)) else ""),
            say("Quote the range, or measure {experiment} on the host that you mean.",
                experiment=found[0].experiment))


RULES = (unsound_baseline, hosts_disagree)
