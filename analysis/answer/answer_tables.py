"""The tables `versus` (GPU over CPU), `break_even`, `reuse` and `energy`."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.tables.tables import Cell, Notes, Row, Table, empty, marked, ratio_cell, sentences
from language import say
from records.cases.case import Case
from records.cases.series import Shape
from records.names.numbers import DASH, joined, plain
from records.schema.operations import shape_text
from records.view import View

from .break_even import Reuse, break_even, reuse_of
from .crossings import crossing_of
from .energy import cpu_unreadable, spent_of
from .names import name, rested, side, way_text
from .pairs import BEST, PAIRINGS, Pairing, match_of, matches_of
from .points import END_TO_END, WAYS, Contest, Match, contest_in, way_of

JOULE, PER_WATT, WATT = "J", "GFLOP/s/W", "W"


def _no_contest(view: View) -> Table:
    return empty(view, say("CPU and GPU have no undisturbed number at the same shape, so that "
                           "nothing can be compared."))


def _libraries(contest: Contest) -> str:
    """That every CPU library with a number takes part, by name."""
    names = list(dict.fromkeys(name(case) for case in contest.cases
                               if case.device == "cpu" and case.library))
    return (say("CPU libraries compared: {names}.", names=joined(names)) if names
            else say("No CPU library has a number here."))


def _left_out(contest: Contest) -> str:
    count = contest.disturbed
    return say("{count} disturbed points are not used.", count=count) if count else ""


def _ways(contest: Contest) -> list[str]:
    there = {way_of(case) for case in contest.cases if case.device == "gpu"}
    return [way for way in WAYS if way in there]


def _names(cases: Iterable[Case]) -> str:
    return " / ".join(dict.fromkeys(map(side, cases)))


def _pair_row(pairing: Pairing, shape: Shape, by_way: dict[str, Match], ways: list[str],
              notes: Notes) -> Row:
    cells = []
    for way in ways:
        match = by_way.get(way)
        cells.append(marked(ratio_cell(match.ratio), notes, match.cpu, match.gpu, ratio=match.ratio)
                     if match else Cell(DASH))
    found = list(by_way.values())
    return Row((shape_text(*shape), say(pairing.name), _names(match.cpu for match in found),
                _names(match.gpu for match in found)), tuple(cells))


def versus_table(view: View) -> Table:
    """GPU over CPU: a row a pairing and shape, a column a way of timing the GPU."""
    contest = contest_in(view)
    if contest is None:
        return _no_contest(view)
    ways, notes = _ways(contest), Notes(view)
    table = Table.of(view, sentences(
        say("How many times as fast as the CPU the GPU is, with its 95 % interval; below 1 the CPU "
            "is ahead."),
        say("The CPU's time is that of a call; the GPU's is that of the kernel, of the call, or "
            "end to end with A and B moved to the card and C back."),
        say("Where the fastest kernel is not the same in every column, all are named in the "
            "columns' order."),
        _libraries(contest), _left_out(contest)),
        (say("Size"), say("Compared"), say("CPU"), say("GPU")), tuple(map(way_text, ways)))
    for pairing in PAIRINGS:
        for shape in contest.shapes:
            by_way = {way: match for way in ways
                      if (match := match_of(pairing, contest, shape, way))}
            if by_way:
                table.rows.append(_pair_row(pairing, shape, by_way, ways, notes))
    table.notes = notes.texts()
    return table


def break_even_table(view: View) -> Table:
    """From which square size the GPU wins: a row a pairing and way of timing."""
    contest = contest_in(view)
    if contest is None:
        return _no_contest(view)
    table = Table.of(view, sentences(
        say("From which square size on the GPU is faster at every size measured. A tie does not "
            "count as a win."),
        say("The size is interpolated between the two measured ones beside it, both axes "
            "logarithmic; its interval is where the 95 % ends of the ratios cross 1."),
        _left_out(contest)), (say("Compared"), say("GPU timed as")),
        (say("GPU wins from N"), say("largest size not won"), say("won from there on")))
    for pairing in PAIRINGS:
        for way in _ways(contest):
            found = break_even(matches_of(pairing, contest, way))
            if found is None:
                continue
            ends = (found.size, found.low, found.high) if found.size else (None, None, None)
            told = crossing_of(contest, way) if pairing is BEST else None
            size = Cell(told.text if told else rested(found),
                        found.sizes[0] if found.always else ends[0], *ends[1:], unit="N")
            bracket = (Cell(str(one), one, unit="N") if one else Cell(DASH)
                       for one in (found.lost, found.won))
            table.rows.append(Row((say(pairing.name), way_text(way)), (size, *bracket)))
    return table if table.rows else empty(view, say("CPU and GPU share fewer than two square "
                                                    "sizes, so that there is no break-even."))


def _uses_cell(found: Reuse | None) -> Cell:
    if found is None:
        return Cell(DASH)
    if found.uses is None:
        return Cell(say("never"))
    low, high = found.low or found.uses, found.high
    ends = plain(high, 0) if high else "∞"
    return Cell(f"{plain(found.uses, 0)} [{plain(low, 0)}, {ends}]", found.uses, low, high,
                say("products"))


def reuse_table(view: View) -> Table:
    """How often A and B must be used on the card until their transfer is paid: a row per shape, a
    column a kind of host memory."""
    contest = contest_in(view)
    if contest is None:
        return _no_contest(view)
    ways = [way for way in END_TO_END if way in _ways(contest)]
    table = Table.of(view, say(
        "In how many products A and B must take part on the card until the GPU, transfers "
        "included, is ahead of the CPU's best: the smallest r with (transfer + r·kernel)/r below "
        "the CPU's time. The interval holds what the 95 % ends of the three times allow; ∞: "
        "perhaps never."),
        (say("Size"), say("CPU"), say("GPU")), tuple(map(way_text, ways)))
    for shape in contest.shapes:
        found = {way: reuse_of(contest, shape, way) for way in ways}
        one = next((reuse for reuse in found.values() if reuse), None)
        if one:
            table.rows.append(Row((shape_text(*shape), side(one.match.cpu), side(one.match.gpu)),
                                  tuple(_uses_cell(found[way]) for way in ways)))
    return table if table.rows else empty(view, say("No kernel was timed end to end beside the "
                                                    "CPU, so that nothing is known of transfers."))


def energy_table(view: View) -> Table:
    """What a product costs: a row per shape and point."""
    spent = spent_of(view.cases)
    why = cpu_unreadable(view.run, view.cases)
    remark = say("The CPU's energy {why}.", why=why) if why else ""
    if not spent:
        return empty(view, sentences(say("No point has an energy: cards and processors renew their "
                                         "counters every 20 to 100 ms, and these points were too "
                                         "short."), remark))
    table = Table.of(view, sentences(
        say("Energy of one product, and GFLOP/s per watt; one reading over many calls, so that "
            "there is no interval."),
        say("GPU: the card alone, end to end too; the host's share is not in it."), remark),
        (say("Size"), say("Implementation"), say("GPU timed as"), say("read from")),
        (say("J per product"), say("GFLOP/s per watt"), say("W")))
    for one in spent:
        way = way_text(way_of(one.case)) if one.case.device == "gpu" else DASH
        values = ((one.joules, JOULE), (one.gflop_per_joule, PER_WATT), (one.watts, WATT))
        table.rows.append(Row((shape_text(*one.case.shape), side(one.case), way, one.source), tuple(
            Cell(plain(value), value, unit=unit) for value, unit in values)))
    return table


