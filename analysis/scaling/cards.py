"""Products that several cards share: how much faster than on one, and than libraries'."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.tables.heads import Head, rounded, with_remark
from analysis.tables.tables import sentences, time_cell
from language import say
from records.cases.case import SPLIT, Case
from records.cases.phrases import quoted, remark, times, unsound
from records.cases.ratios import LEAST_PAIRS, Ratio, speedup
from records.cases.series import Series, Shape, having, series_of
from records.cases.trust import trusted
from records.names.naming import display_name
from records.names.numbers import counted, joined, percent, plain
from records.schema.operations import shape_text
from records.view import View

from .scaling import Line, Scaled, scaled

NOTABLY = 1.02  # times


def over_cards(view: View) -> Scaled:
    """Shapes and implementations with numbers on one card and on more."""
    return scaled(view, "gpus")


def most_cards(lines: list[Line]) -> int:
    return max((max(line.gains) for line in lines), default=0)


def place_of(case: Case) -> str:
    """Where its operands begin: "first", "sharded" or "host"."""
    return str(case.parameters.get("operands"))


def places_text(cases: Iterable[Case]) -> str:
    """What the words for places of operands mean, of those that the cases have."""
    there = set(map(place_of, cases))
    words = ((say("“sharded”: each card holds its part of A and B before the clock starts."),
              "sharded"),
             (say("“host”: A, B and C lie in the host's page-locked memory."), "host"),
             (say("Without such a word: A and B lie on the first card."), "first"))
    told = [text for text, place in words if place in there]
    return (sentences(*told, say("C ends where A and B began, of “sharded” on the first card."))
            if len(there & {"sharded", "host"}) else "")


def best_line(lines: list[Line], precision: str = "fp32") -> Line | None:
    """The suite's own that is the fastest on the most cards; a library's where there is none of
    ours. None where there is none of the precision."""
    most = most_cards(lines)
    there = [line for line in lines
             if most in line.cases and line.cases[most].precision == precision]
    return min(there,
               key=lambda line: (line.cases[most].library, line.cases[most].median_s), default=None)


def sound_shapes(found: Scaled) -> list[Shape]:
    """Those at which our best has six samples on one card and on the most; all where there is none:
    a factor of three samples is that of a moment."""
    def sound(shape: Shape) -> bool:
        best = best_line(found.lines(shape))
        return best is not None and all(
            (best.cases[cards].sample_count or len(best.cases[cards].samples_s)) >= LEAST_PAIRS
            for cards in (1, max(best.cases)))
    return [shape for shape in found.shapes if sound(shape)] or list(found.shapes)


def over_libraries(lines: list[Line], precision: str) -> list[tuple[Series, Ratio]]:
    """Each library on the most cards, with its fastest parameters where they do not say where
    operands begin, the fastest first; and how many times as fast our fastest is whose operands
    begin where the library's do."""
    most = most_cards(lines)
    there = [line for line in lines
             if most in line.cases and line.cases[most].precision == precision]
    found = []
    fastest: dict[tuple[str, str], Line] = {}
    for line in sorted(there, key=lambda line: line.cases[most].median_s):
        if line.cases[most].library:
            fastest.setdefault((line.cases[most].implementation, place_of(line.cases[most])), line)
    for library in fastest.values():
        case = library.cases[most]
        ours = [line.cases[most] for line in there if not line.cases[most].library
                and place_of(line.cases[most]) == place_of(case)]
        if ours:
            found.append((library.series, speedup(case, min(ours, key=lambda one: one.median_s))))
    return sorted(found, key=lambda one: one[1].value)


def cards_finding(view: View) -> str:
    """"2 cards are 1.97 times as fast as one at 16384: 99 % of linear (multi, sharded)": at the
    largest shape."""
    found = over_cards(view)
    lines = found.lines(sound_shapes(found)[-1]) if found.shapes else []
    best = best_line(lines) or best_line(lines, SPLIT)
    if best is None:
        return ""
    cards, gain = max(best.gains.items())
    return say("{cards} are {times} times as fast as one at {shape}: {share} of linear ({name})",
               shape=shape_text(*best.shape), name=best.series.name, times=rounded(gain.value),
               cards=counted(cards, "card"), share=percent(gain.value / cards))


def cards_title(view: View) -> str:
    """The same with what is unsound of it, for a figure; a section says that itself."""
    text, head = cards_finding(view), cards_head(view)
    return with_remark(text, unsound(*head.cases)) if text and head else text


def cards_head(view: View) -> Head | None:
    """What several cards bring in plain FP32 and on matrix units, each at its largest shape,
    against one and against libraries on as many; or for work that grows with them."""
    found = over_cards(view)
    if not found.shapes:
        return _grown_head(view)
    best = [next(filter(None, (best_line(found.lines(shape), precision)
                               for shape in reversed(found.shapes))),
                 None) for precision in ("fp32", SPLIT)]
    told = [_told(view, found, line) for line in best if line]
    first = best_line(found.lines(sound_shapes(found)[-1])) or best[-1]
    return Head(cards_finding(view), tuple(told),
                (first.cases[1], first.cases[max(first.gains)]) if first else ()) if told else None


def _told(view: View, found: Scaled, own: Line) -> str:
    """"“multi, sharded” at 16384: 159 ms on one card, 80.6 ms on 2 cards, 1.97 times as fast"; and
    over whom, at the largest shape at which libraries ran on one card, too."""
    cards, gain = max(own.gains.items())
    case = own.cases[cards]
    text = say("{name} at {shape}: {one} on one card, {more} on {cards}, {times} as fast",
               name=quoted(own.series.name), cards=counted(cards, "card"),
               shape=shape_text(*own.shape), one=time_cell(own.cases[1]).text,
               more=time_cell(case).text, times=times(gain))
    fewer = _least_gain(found, own)
    text += say(", {times} at {shape}", times=rounded(fewer.value), shape=shape_text(
        *fewer.of[-1].shape)) if fewer else ""
    links = links_share(view, case)
    text += (say("; the links alone need {share} of that time", share=percent(links))
             if links else "")
    compared = ((shape, over) for shape in reversed(found.shapes)
                if (over := over_libraries(found.lines(shape), case.precision)))
    shape, over = next(compared, (own.shape, []))
    parts = joined([_over(series.name, ratio) + _one_block(view, series) + _whose(own, ratio.of[-1])
                    for series, ratio in over])
    if over and shape == own.shape:
        text += say("; with operands in the same place {parts}", parts=parts)
    elif over:
        text += say("; at {shape}, with operands in the same place, {parts}",
                    shape=shape_text(*shape), parts=parts)
        beside = [say("a tie with {other}", other=quoted(name)) if ratio.tie else _over(name, ratio)
                  for name, ratio in _beside(view, case) if not ratio.undecided]
        text += (say("; at {shape} {parts}", shape=shape_text(*own.shape), parts=joined(beside))
                 if beside else "")
    return text + say(".")


def _least_gain(found: Scaled, own: Line) -> Ratio | None:
    """The least that the line gains by as many cards at another shape, where that is notably less
    and rests on six samples; else None."""
    cards, gain = max(own.gains.items())
    every = [line.gains[cards] for shape in found.shapes for line in found.lines(shape)
             if line.series.name == own.series.name and cards in line.gains]
    least = min((ratio for ratio in every if ratio.low is not None), default=gain,
                key=lambda ratio: ratio.value)
    return least if gain.value > NOTABLY * least.value else None


def _over(name: str, ratio: Ratio) -> str:
    return say("{times} as fast as {other}", times=times(ratio), other=quoted(name))


def _whose(own: Line, case: Case) -> str:
    """" (multi)": which of ours it is, where the sentence is about another line; operands that
    begin elsewhere make it one."""
    name = display_name(case, ("gpus",))
    return say(" ({name})", name=quoted(name)) if name != own.series.name else ""


def _one_block(view: View, library: Series) -> str:
    """That a library whose speed depends on the size of its blocks was measured with one size only,
    or with two."""
    sizes = sorted({int(case.parameters["block"]) for case in view.shown
                    if case.implementation == library.first.implementation
                    and case.parameters.get("block") and case.dims == library.first.dims})
    return (say(" (blocks of {block}, the only ones measured)", block=sizes[0]) if len(sizes) == 1
            else say(" (of blocks of {sizes}, the only ones measured)", sizes=joined(
                [str(size) for size in sizes])) if len(sizes) == 2 else "")


def _beside(view: View, own: Case) -> list[tuple[str, Ratio]]:
    """Libraries at a case's shape, on as many cards, with operands in the same place, which need
    not have run on one card."""
    there = [case for case in having(view.cases, "gpus")
             if case.shown and case.library and case.precision == own.precision
             and (case.m, case.n, case.k, case.cards, place_of(case))
             == (own.m, own.n, own.k, own.cards, place_of(own))]
    return [(display_name(case, ("gpus",)), speedup(case, own)) for case in there]


def links_share(view: View, case: Case) -> float | None:
    """Of a product whose matrices lie on the host: the time that A and B, or C, take at least on
    the links as measured, whichever is longer, over the product's. None for others."""
    rates = [_links(view, f"transfer_{way}_device", case.cards) for way in ("to", "from")]
    if place_of(case) != "host" or not all(rates):
        return None
    floats = (case.m * case.k + case.k * case.n, case.m * case.n)
    return max(4e-9 * count / gb_per_s for count, gb_per_s in zip(floats, rates)) / case.median_s


def _links(view: View, what: str, cards: int) -> float:
    """GB/s of so many cards at once: no more than each alone, nor than all that the run saw; 0
    where it was not measured."""
    one = _link(view, what)
    if cards == 1:
        return one
    every = _link(view, f"{what}s")
    return min(cards * one, every) if one else every


def _link(view: View, what: str) -> float:
    """GB/s; 0 where it was not measured."""
    return max((float(entry["value"]) for entry in view.run.get("ceilings") or ()
                if entry.get("what") == what and entry.get("level") == "pinned"
                and entry.get("value") and trusted(entry)), default=0.0)


def _grown(view: View) -> list[tuple[Case, Case]]:
    """Products of one card beside such of as many times the work on so many cards, with the same
    parameters else."""
    pairs = []
    for series in series_of([case for case in view.shown
                             if not case.copy and "gpus" in case.parameters], without="gpus"):
        base = next((case for case in series.cases if case.cards == 1), None)
        pairs += [(base, case) for case in series.cases
                  if base and case.cards > 1
                  and case.m * case.n * case.k == case.cards * base.m * base.n * base.k]
    return pairs


def _largest(pairs: list[tuple[Case, Case]], cards: int,
             precision: str) -> tuple[Case, Case] | None:
    return next(
        (pair for pair in pairs if pair[1].cards == cards and pair[1].precision == precision), None)


def _grown_head(view: View) -> Head | None:
    """"2 times the work on 2 cards takes 1.02 times as long as on one: 98 % of linear"."""
    pairs = _grown(view)
    if not pairs:
        return None
    most = max(case.cards for _, case in pairs)
    base, case = _largest(pairs, most, "fp32") or pairs[0]
    longer = case.median_s / base.median_s
    text = say("{count} times the work on {cards} takes {times} times as long as on one: {share} "
               "of linear", count=case.cards, cards=counted(case.cards, "card"),
               times=rounded(longer), share=percent(1 / longer))
    units = _largest(pairs, most, SPLIT)
    if units and case.precision == "fp32":
        text += say("; on matrix units {share}",
                    share=percent(units[0].median_s / units[1].median_s))
    told = [say("{name}: {one} on one card at {small}, {more} on {cards} at {large}{mark}.",
                name=quoted(display_name(case, ("gpus",))), one=time_cell(base).text,
                small=shape_text(*base.shape), more=time_cell(case).text,
                cards=counted(case.cards, "card"), large=shape_text(*case.shape),
                mark=remark(base, case)) for base, case in pairs]
    return Head(text, tuple(told), (base, case, *(units or ())))


def cards_described(view: View) -> str:
    """Each line's speedups in words, at the largest shape."""
    found = over_cards(view)
    return say(" ").join(
        say("{name} at {shape}: {values}.", name=line.series.name, shape=shape_text(*line.shape),
            values=say(", ").join(say("{times} at {threads}", times=plain(gain.value, 2),
                                      threads=counted(cards, "card"))
                                  for cards, gain in line.gains.items()))
        for shape in found.shapes[-1:] for line in found.lines(shape))
