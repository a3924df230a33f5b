"""The most telling of the published claims in one table: claim, theirs, ours, verdict."""

from __future__ import annotations

from math import log

from analysis.tables.tables import Row, Table
from language import say
from records.cases.experiment import Results
from report.summary import Exhibit

from . import measured_text, published_text
from .book import Book, book, in_language
from .judge import NOT_JUDGED, REPRODUCED, VERDICTS, Judged, judge, statuses
from .points import Points
from .why import conditions_words, verdict_text

MOST_CLAIMS = 8


def _weight(judged: Judged) -> float:
    """How much a claim tells: of one that holds, how large its effect is; of one that does not, how
    far off it is."""
    value, published = judged.value.value, judged.claim.number
    if value <= 0 or judged.claim.published_unit:  # theirs is no such figure
        return 0.0
    if judged.verdict == REPRODUCED or published is None or published <= 0:
        return abs(log(value)) if judged.claim.unit == "times" else 0.0
    return abs(log(value / published))


def telling(judged: list[Judged], most: int) -> list[Judged]:
    """At most `most` of those that could be measured: of each verdict its share, the weightiest, in
    the book's order."""
    known = [one for one in judged if one.verdict != NOT_JUDGED]
    kept: list[Judged] = []
    for verdict in VERDICTS:
        own = sorted((one for one in known if one.verdict == verdict), key=_weight, reverse=True)
        kept += own[:max(1, round(most * len(own) / max(len(known), 1)))]
    kept = sorted(kept, key=_weight, reverse=True)[:most]
    return sorted(kept, key=lambda one: (VERDICTS.index(one.verdict), judged.index(one)))


def claims_exhibit(results: Results, of: Book | None = None) -> Exhibit | None:
    """What others published, beside these records; None where no claim can be judged."""
    the_book, points = of or book(), Points(results)
    judged = [judge(claim, points) for claim in the_book.claims]
    counts = statuses(judged)
    if counts["not_judged"] == counts["count"]:
        return None
    heads = say("Claim"), say("Source"), say("Published"), say("Here"), say("Verdict")
    table = Table("claims", say("The most telling of the published claims"), "", heads, ())
    for one in telling(judged, MOST_CLAIMS):
        table.rows.append(Row((in_language(one.claim.statement, one.claim.zh),
                               the_book.title(one.claim.source), published_text(one.claim),
                               measured_text(one, conditions_words(one)),
                               verdict_text(one)), ()))
    table.caption = say("{count} of {all} claims; the full report has every one with its reason. "
                        "Behind the size stand host, the CPU's threads, scope and cache; bursts on "
                        "uniform inputs where nothing else is said. Brackets hold the 95 % "
                        "interval, or the ends of several sizes or runs; of fewer than six "
                        "samples, which have no interval, their nearest and farthest a quarter "
                        "beyond.",
                        count=len(table.rows), all=len(judged))
    return Exhibit("claims", say("Published claims"), say("Do published claims hold here?"),
                   (say("Of {count} published claims {reproduced} are reproduced here, "
                        "{direction_only} hold in direction only, {not_reproduced} are not "
                        "reproduced, and {not_judged} are not judged.", **counts),),
                   (("claims", table),), (), "published")
