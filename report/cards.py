"""Products that several cards share: speedup over one card, and what of the time the exchange takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .case import Case
from .heads import Head, rounded
from .language import say
from .naming import display_name
from .numbers import DASH, counted, joined, percent, plain, time_unit, with_interval
from .operations import shape_text
from .parameter_tables import by_value, having
from .ratios import Ratio, speedup
from .said import quoted, times
from .scaling import Line, Scaled, scaled
from .series import Series, series_of, shapes_of
from .tables import Cell, Notes, Row, Table, empty, marked, of_count, rate_cell, ratio_cell, sentences, size_head, time_cell
from .trust import trusted
from .view import View

SPLIT = "fp32-split"


def over_cards(view: View) -> Scaled:
    """Shapes and implementations with numbers on one card and on more."""
    return scaled(view, "gpus")


def most_cards(lines: list[Line]) -> int:
    return max((max(line.gains) for line in lines), default=0)


def best_line(lines: list[Line], precision: str = "fp32") -> Line | None:
    """The suite's own that is the fastest on the most cards; a library's where there is none of ours. None where there is none of the
    precision."""
    most = most_cards(lines)
    there = [line for line in lines if most in line.cases and line.cases[most].precision == precision]
    return min(there, key=lambda line: (line.cases[most].library, line.cases[most].median_s), default=None)


def over_libraries(lines: list[Line], precision: str) -> list[tuple[Series, Ratio]]:
    """Each library on the most cards, the fastest first, and how many times as fast our fastest is whose operands begin where the
    library's do."""
    most = most_cards(lines)
    there = [line for line in lines if most in line.cases and line.cases[most].precision == precision]
    found = []
    for library in (line for line in there if line.cases[most].library):
        case = library.cases[most]
        ours = [line.cases[most] for line in there if not line.cases[most].library
                and line.cases[most].parameters.get("operands") == case.parameters.get("operands")]
        if ours:
            found.append((library.series, speedup(case, min(ours, key=lambda one: one.median_s))))
    return sorted(found, key=lambda one: one[1].value)


def cards_finding(view: View) -> str:
    """"2 cards are 1.97 times as fast as one at 16384: 99 % of linear (multi, sharded)": at the largest shape."""
    found = over_cards(view)
    lines = found.lines(found.shapes[-1]) if found.shapes else []
    best = best_line(lines) or best_line(lines, SPLIT)
    if best is None:
        return ""
    cards, gain = max(best.gains.items())
    return say("{cards} are {times} times as fast as one at {shape}: {share} of linear ({name})", shape=shape_text(*best.shape),
               name=best.series.name, times=rounded(gain.value), cards=counted(cards, "card"), share=percent(gain.value / cards))


def cards_head(view: View) -> Head | None:
    """What several cards bring in plain FP32 and on matrix units, against one and against libraries on as many; or for work that grows
    with them."""
    found = over_cards(view)
    if not found.shapes:
        return _grown_head(view)
    lines = found.lines(found.shapes[-1])
    best = [line for precision in ("fp32", SPLIT) if (line := best_line(lines, precision))]
    told = [_told(view, lines, line) for line in best]
    return Head(cards_finding(view), tuple(told)) if told else None


def _told(view: View, lines: list[Line], own: Line) -> str:
    """"“multi, sharded” at 16384: 159 ms on one card, 80.6 ms on 2 cards, 1.97 times as fast"; and over whom."""
    cards, gain = max(own.gains.items())
    case = own.cases[cards]
    text = say("{name} at {shape}: {one} on one card, {more} on {cards}, {times} as fast", name=quoted(own.series.name), cards=counted(cards, "card"),
               shape=shape_text(*own.shape), one=_time(own.cases[1]), more=_time(case), times=times(gain))
    over = [say("{times} over {other}", times=times(ratio), other=quoted(series.name))
            for series, ratio in over_libraries(lines, case.precision)]
    text += say("; with operands in the same place {parts}", parts=joined(over)) if over else ""
    links = links_share(view, case)
    return text + (say("; the links alone need {share} of that time", share=percent(links)) if links else "") + say("number.stop")


def places_text(cases: Iterable[Case]) -> str:
    """What the words for places of operands mean, of those that the cases have."""
    there = {case.parameters.get("operands") for case in cases}
    words = ((say("“sharded”: each card holds its part of A and B before the clock starts."), "sharded"),
             (say("“host”: A, B and C lie in the host's page-locked memory."), "host"),
             (say("Without such a word: A and B lie on the first card."), "first"))
    told = [text for text, place in words if place in there]
    return sentences(*told, say("C ends where A and B began, of “sharded” on the first card.")) if len(there & {"sharded", "host"}) else ""


def links_share(view: View, case: Case) -> float | None:
    """Of a product whose matrices lie on the host: the time that A and B, or C, take at least on the links as measured, whichever is
    longer, over the product's. None for others."""
    rates = [_links(view, f"transfer_{way}_device", case.cards) for way in ("to", "from")]
    if case.parameters.get("operands") != "host" or not case.median_s or not all(rates):
        return None
    floats = (case.m * case.k + case.k * case.n, case.m * case.n)
    return max(4e-9 * count / gb_per_s for count, gb_per_s in zip(floats, rates)) / case.median_s


def _links(view: View, what: str, cards: int) -> float:
    """GB/s of so many cards at once: no more than each alone, nor than all that the run saw; 0 where it was not measured."""
    one = _link(view, what)
    if cards == 1:
        return one
    every = _link(view, f"{what}s")
    return min(cards * one, every) if one else every


def _link(view: View, what: str) -> float:
    """GB/s; 0 where it was not measured."""
    return max((float(entry["value"]) for entry in view.run.get("ceilings") or () if entry.get("what") == what
                and entry.get("level") == "pinned" and entry.get("value") and trusted(entry)), default=0.0)


def _grown(view: View) -> list[tuple[Case, Case]]:
    """Products of one card beside such of as many times the work on so many cards, with the same parameters else."""
    pairs = []
    for series in series_of([case for case in view.shown if not case.copy and "gpus" in case.parameters], without="gpus"):
        base = next((case for case in series.cases if case.cards == 1), None)
        pairs += [(base, case) for case in series.cases
                  if base and case.cards > 1 and case.m * case.n * case.k == case.cards * base.m * base.n * base.k]
    return pairs


def _grown_head(view: View) -> Head | None:
    """"2 times the work on 2 cards takes 1.02 times as long as on one: 98 % of linear"."""
    pairs = _grown(view)
    if not pairs:
        return None
    most = max(case.cards for _, case in pairs)
    base, case = next((pair for pair in pairs if pair[1].cards == most and pair[1].precision == "fp32"), pairs[0])
    longer = case.median_s / base.median_s
    text = say("{count} times the work on {cards} takes {times} times as long as on one: {share} of linear", count=case.cards,
               cards=counted(case.cards, "card"), times=rounded(longer), share=percent(1 / longer))
    split = next((one / more for one, more in ((first.median_s, many.median_s) for first, many in pairs
                                               if many.cards == most and many.precision == SPLIT)), None)
    if split and case.precision == "fp32":
        text += say("; on matrix units {share}", share=percent(split))
    told = [say("{name}: {one} on one card at {small}, {more} on {cards} at {large}{mark}.", name=quoted(display_name(
                case.implementation, {**case.parameters, "gpus": 1})), one=_time(base), small=shape_text(*base.shape), more=_time(case),
                cards=counted(case.cards, "card"), large=shape_text(*case.shape),
                mark=say("said.throttled") if base.throttled or case.throttled else "") for base, case in pairs]
    return Head(text, tuple(told))


def _time(case: Case) -> str:
    scale, unit = time_unit(case.median_s)
    low, high = (end / scale for end in case.ci95_s) if case.ci95_s else (None, None)
    return with_interval(case.median_s / scale, low, high, unit)


def cards_described(view: View) -> str:
    """Each line's speedups in words, at the largest shape."""
    found = over_cards(view)
    return say("number.space").join(
        say("{name} at {shape}: {values}.", name=line.series.name, shape=shape_text(*line.shape),
            values=say("number.comma").join(say("{times} at {threads}", times=plain(gain.value, 2), threads=counted(cards, "card"))
                                            for cards, gain in line.gains.items()))
        for shape in found.shapes[-1:] for line in found.lines(shape))


def cards_table(view: View) -> Table:
    """A row per implementation, shape and number of cards that has a number: time, rate, times one card, share of linear."""
    cases = [case for case in having(view, "gpus") if case.shown]
    if not cases:
        return empty(view, say("No point says on how many cards it ran, or none has a number."))
    notes = Notes(view)
    table = Table(view.kind, view.full_title, sentences(
        say("Times one card: the same with the same parameters on one card. Of linear: that over the number of cards."), places_text(cases),
        say("table.interval"),
        say("table.tie"), view.left_out_text() if view.left_out else ""),
        (say("table.implementation"), size_head(cases), say("cards")),
        (say("parameter.time"), "GFLOP/s", say("times one card"), say("of linear")), reference=view.reference)
    for series in series_of(cases, without="gpus"):
        lookup = by_value(series, "gpus")
        for shape in shapes_of(series.cases):
            for cards, case in sorted(lookup[shape].items()):
                one = lookup[shape].get(1)
                cells = (marked(time_cell(case), notes, case), marked(rate_cell(case, notes), notes, case), *_gain_cells(one, case, notes))
                table.rows.append(Row((series.name, shape_text(*shape), str(cards)), cells))
    table.notes = notes.texts()
    return table


def _gain_cells(one: Case | None, case: Case, notes: Notes) -> tuple[Cell, Cell]:
    if one is None:
        return Cell(DASH), Cell(DASH)
    ratio = speedup(one, case)
    share = ratio.value / case.cards
    return marked(ratio_cell(ratio, one is case), notes, case, one, ratio=ratio), Cell(of_count(share), share, unit="1")


@dataclass(frozen=True)
class CardTime:
    """What the cards of a point did with its time, as shares of it, the mean of all cards in its last product."""

    case: Case
    waiting: float  # not multiplying: what of the exchange nothing hides, and the ends
    arriving: float  # until the last operand was there, hidden or not


def card_times(view: View) -> list[CardTime]:
    """Of the points that say so, smallest work first, and slower ones first at a shape."""
    made = [CardTime(case, float(case.chosen["share_not_multiplying"]), float(case.chosen["share_arriving"]))
            for case in view.shown
            if not case.copy and "share_not_multiplying" in case.chosen and "share_arriving" in case.chosen]
    return sorted(made, key=lambda one: (one.case.m * one.case.n * one.case.k, one.case.shape, -(one.case.median_s or 0)))


def card_times_finding(view: View) -> str:
    """"Of the time of 9 products the cards do not multiply 1.2 % to 14 %; the most: multi, 2 cards at 16384"."""
    found = card_times(view)
    if not found:
        return ""
    most, least = max(found, key=lambda one: one.waiting), min(found, key=lambda one: one.waiting)
    return say("Cards that do not multiply, waiting for operands or sending C: {least} to {most} of the time, the most in {name} at {shape}",
               least=percent(least.waiting), most=percent(most.waiting), name=most.case.name, shape=shape_text(*most.case.shape))


def card_times_described(view: View) -> str:
    """Each bar in words."""
    return say("number.space").join(
        say("{name} at {shape}: not multiplying {waiting}, operands on their way {arriving}.", name=one.case.name,
            shape=shape_text(*one.case.shape), waiting=percent(one.waiting), arriving=percent(one.arriving))
        for one in card_times(view))
