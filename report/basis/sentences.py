"""Every sentence with a number that a machine's README, report, PDF and course say, with the points
that it was made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from analysis.answer.headline import headline_of, other_readings
from analysis.answer.links import other_links
from analysis.answer.over_hosts import not_counted, passed_over, quickest, told_together
from analysis.answer.pairs import PLAIN, matches_of
from analysis.answer.points import contest_of
from analysis.ladder.small_tiles import ASKED_OF
from commands.satellites import offered
from language import say
from records.cases.case import Case
from records.cases.experiment import Results
from records.schema.operations import is_square
from report.asked.wanted import specs, views
from report.findings.section import found_in
from report.summary.answer import answer_of
from report.summary.exhibits import summary_of

NUMBER = re.compile(r"\d")


@dataclass(frozen=True)
class Told:
    """A sentence; the points that it may be formed of; and how many of the same experiment and host
    were left out, with why."""

    where: str
    text: str
    cases: tuple[Case, ...]
    left_out: str = ""


def _of_headline(results: Results) -> tuple[Case, ...]:
    """The best of both as each way was timed, the CPU's on other hosts, and the plain loops."""
    contest = contest_of(results)
    if contest is None:
        return tuple(case for one in results.experiments for case in one.cases)
    one = headline_of(contest)
    pairs = [*one.best.values(), *(match for match in matches_of(PLAIN, contest)
                                   if is_square(match.shape)), *filter(None, [one.plain]),
             *(told_together(match, contest) for match in one.best.values())]
    spent = list(filter(None, (one.thriftiest("gpu"), one.thriftiest("cpu"))))
    others = [case for own in spent for case in (own.case, *other_readings(own, contest))] \
        + [case for match in one.best.values() for case in (
        *quickest(match, contest).values(), *passed_over(match, contest),
        *not_counted(match, contest), *other_links(match, contest).values())]
    return tuple(dict.fromkeys([*(case for match in pairs for case in (match.cpu, match.gpu)),
                                *others]))


def _first(results: Results) -> Iterator[Told]:
    """The headline, its numbers and the lines for a terminal; README has the headline, PDF and page
    all of it."""
    contest, answer, cases = contest_of(results), answer_of(results, None), _of_headline(results)
    out = (say("{count} disturbed points are not used.", count=contest.disturbed) if contest
           and contest.disturbed else "")
    yield Told("headline", answer.sentence, cases, out)
    for number in answer.numbers:
        yield Told("headline's numbers",
                   f"{number.value} {number.label} ({number.detail})", cases, out)
    for line in answer.lines:
        yield Told("terminal", line, cases, out)


def _summary(results: Results) -> Iterator[Told]:
    """The sentences of each question of the report's front and of the PDF."""
    by_name = {one.name: one for one in results.experiments}
    for exhibit in summary_of(results, None):
        views_drawn = [view for view, _ in exhibit.figures]
        cases = [case for view in views_drawn for case in view.cases]
        named = [by_name[name] for name in (exhibit.more, *ASKED_OF) if name in by_name]
        cases += [case for one in named for case in one.cases]
        for text in exhibit.sentences:
            yield Told(f"summary, {exhibit.name}", text, tuple(dict.fromkeys(cases)),
                       next((view.left_out_text() for view in views_drawn), ""))


def _sections(results: Results) -> Iterator[Told]:
    """What the report says of each experiment, on each of its hosts."""
    counted = [view for one in results.experiments if one.counters
               for view in views(one, {"kind": "summary"}, None)]
    for experiment in results.experiments:
        wanted = [*specs(experiment, "tables"), *specs(experiment, "figures")]
        for view in views(experiment, {"kind": "summary"}, None):
            found = found_in(view, wanted, counted)
            for text in dict.fromkeys((found.finding, *found.sentences, *found.more, *found.why)):
                own = found.cases if text == found.finding and found.cases else view.cases
                yield Told(experiment.name, text, own, view.left_out_text())


def _satellites(results: Results) -> Iterator[Told]:
    for sentences in offered("sentences").values():
        for place, text, points in sentences(results):
            yield Told(place, text, points)


def told(results: Results) -> Iterator[Told]:
    """All of them, those without a number left out."""
    every: Iterable[Iterator[Told]] = (_first(results), _summary(results), _sections(results),
                                       _satellites(results))
    for part in every:
        yield from (one for one in part if NUMBER.search(one.text))

