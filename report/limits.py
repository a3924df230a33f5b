"""What limits the results, in a few sentences: noise, clocks, ties, what was left out and what was
not measured."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.tables.tables import sentences
from language import say
from records.cases.case import Case
from records.cases.experiment import Results
from records.cases.hosts import hosts_of
from records.cases.series import series_of
from records.names.numbers import counted, joined, percent, plain
from records.view import View, title_of
from report.doctor import NOTE, Finding
from report.findings.standing import standings
from report.machine.stale import summary_text

from .summary import Exhibit

MOST_FINDINGS, MOST_LIMITS = 3, 13
MEASURED_BY = {"threads": "thread_scaling", "block-size": "block_size", "steps-gpu": "gpu_ladder",
               "steps-cpu": "cpu_ladder"}


def _noise(results: Results) -> str:
    """The lowest and the highest noise floor, and how many experiments have none."""
    floors = [(end, one) for one in results.experiments for noise in one.noise.values()
              for end in noise.ends]
    pairs = [(noise.most, one) for one in results.experiments for noise in one.noise.values()]
    if not floors:
        return say("No experiment holds a pair of the same code under two labels, so the noise "
                   "floor is unknown and taken as 0.")
    least, most = min(floors, key=lambda one: one[0]), max(floors, key=lambda one: one[0])
    without = sum(not one.noise for one in results.experiments)
    widest = max(pairs, key=lambda one: one[0])
    told = (say("Noise floor, from the same code under two labels: {most}", most=percent(most[0]))
            if percent(least[0]) == percent(most[0]) else say(
                "Noise floors of the experiments, from the same code under two labels: {least} "
                "({first}) to {most} ({second})", least=percent(least[0]), first=title_of(least[1]),
                most=percent(most[0]), second=title_of(most[1])))
    return sentences(
        say("{floors}; a single pair came apart by up to {most} ({where}). What lies within its "
            "floor is called a tie.", floors=told, most=percent(widest[0]),
            where=title_of(widest[1])),
        say("{count} without such a pair.", count=counted(without, "experiment"))
        if without else "")


def _clocks(shown: list[Case]) -> str:
    """The clocks that were seen; they are not locked."""
    timed = [case for case in shown if case.device == "gpu" and case.clock_mhz]
    clocks = [case.clock_mhz or 0 for case in timed]
    lowest = min((case.clock_low_mhz or case.clock_mhz or 0 for case in timed), default=0)
    throttled = sum(bool(case.throttled) for case in shown)
    said = say("Clocks were not locked: the points' median clocks on the GPU are {low} to {high} "
               "MHz, the lowest reading {lowest}.", low=plain(min(clocks), 0),
               high=plain(max(clocks), 0), lowest=plain(lowest, 0)) if clocks else ""
    return sentences(said, say("{count} were measured while the card held its clock down.",
                               count=counted(throttled, "point")) if throttled else "")


def _disturbed(shown: list[Case]) -> str:
    count = sum(case.disturbed for case in shown)
    return say("Other work ran on the same cores while {count} of {all} were measured; no ranking "
               "that rests on them is certain.",
               count=f"{count:,}", all=counted(len(shown), "point")) if count else ""


def _ties(views: list[View]) -> str:
    """Of the experiments that have a figure in the summary."""
    told = {}
    for view in views:
        if not view.reference:
            ranked = [one for one in standings(series_of(case for case in view.shown
                                                         if not case.copy)) if one.next or one.ties]
            told[view.title] = sum(bool(one.ties) for one in ranked), len(ranked)
    parts = [say("{ties} of {all} in “{title}”", ties=ties, all=counted(count, "ranking"),
                 title=title) for title, (ties, count) in told.items() if ties]
    return say("The fastest ties with another in {parts}: their order there means nothing.",
               parts=joined(parts)) if parts else ""


def _hosts(results: Results) -> str:
    count = len(hosts_of(results.runs))
    return say("The records come from {count} hosts of the same kind; but where another host is "
               "named beside it no ratio, noise floor or sentence mixes them.",
               count=count) if count > 1 else ""


def _unmeasured(exhibits: Iterable[Exhibit]) -> str:
    """What of the summary was not measured here, and what measures it."""
    there = {one.name for one in exhibits}
    missing = [command for name, command in MEASURED_BY.items() if name not in there]
    return say("Not measured here: {names} (./gemmlab run {command}).", names=joined(missing),
               command=" ".join(missing)) if missing else ""


def limits(results: Results, found: Iterable[Finding], counts: str,
           exhibits: list[Exhibit]) -> list[str]:
    """At most MOST_LIMITS sentences; what does not apply is left out. `counts`: how many points
    have a number."""
    shown = [case for one in results.experiments for case in one.cases if case.shown]
    grave = [one for one in found if one.severity != NOTE]
    scope = say("One machine and one product: single precision, row-major, dense random matrices. "
                "Another card, driver or shape may change the order.")
    told = [scope, counts, _hosts(results), summary_text(results),
            _noise(results), _clocks(shown), _disturbed(shown),
            _ties([view for one in exhibits for view, _ in one.figures if view.kind != "energy"]),
            _unmeasured(exhibits),
            *(say("The doctor warns of {experiments}: {text}", experiments=one.experiment,
                  text=one.text) if one.experiment else say("The doctor warns: {text}",
                                                            text=one.text)
              for one in grave[:MOST_FINDINGS])]
    if len(grave) > MOST_FINDINGS:
        told.append(say("It warns of {count} more things; the full report lists them.",
                        count=len(grave) - MOST_FINDINGS))
    return [text for text in told if text][:MOST_LIMITS]
