"""Hosts of one model side by side, as a table and in words."""

from __future__ import annotations

from itertools import groupby

from analysis.tables.tables import Cell, Row, Table, sentences
from language import say
from records.cases.experiment import Results
from records.cases.where import host_text, short_host
from records.names.numbers import DASH, percent, plain

from .side_by_side import FEWEST, Apart, apart, point_name

SHOWN_DECIMALS = 3


def what_text(one: Apart) -> str:
    """"54 points of gemm on the GPU", "FMA, one core"."""
    if one.unit:
        return one.name
    return say("{points} points of {operation}", points=f"{one.points:,}", operation=one.name)


def _value(one: Apart, host: str) -> Cell:
    value = one.values[host]
    text = plain(value, None if one.unit else SHOWN_DECIMALS)
    return Cell(say("{value} ({host})", value=text, host=short_host(host)), value, unit=one.unit)


def distance_text(one: Apart, host: str) -> str:
    """"3.8 % slower"."""
    distance = one.distance(host)
    return say("{share} slower" if distance < 0 else "{share} faster", share=percent(abs(distance)))


def _odd(one: Apart) -> Cell:
    return Cell(say(", ").join(short_host(host) + say(": ") + distance_text(one, host)
                               for host in one.odd) or DASH)


def _row(one: Apart) -> Row:
    order = sorted(one.values, key=lambda host: (one.values[host], host))
    middle = Cell(plain(one.middle, None if one.unit else SHOWN_DECIMALS), one.middle,
                  unit=one.unit)
    what = say("{what}: {unit}", what=what_text(one), unit=one.unit or say("relative speed"))
    return Row((one.model, what),
               (Cell(str(len(order)), len(order)), Cell(percent(one.spread), one.spread), _odd(one),
                _value(one, order[0]), middle, _value(one, order[-1])))


def spread_texts(found: list[Apart]) -> list[str]:
    """"NVIDIA H200, 9 hosts: they lie 0.2 % (FMA) to 4.2 % (copying to the card) apart." for each
    model."""
    told = []
    for (device, model), of in groupby(found, lambda one: (one.device, one.model)):
        every = sorted(of, key=lambda one: one.spread)
        count = max(len(one.values) for one in every)
        same = say("Same card" if device == "gpu" else "Same processor")
        ends = [say("{spread} ({what})", spread=percent(one.spread), what=what_text(one))
                for one in (every[0], every[-1])]
        told.append(say("{same} ({model}), {count} hosts: spread {ends}.",
                        same=same, model=model, count=count,
                        ends=say("{low} to {high}", low=ends[0], high=ends[1]) if len(every) > 1
                        else ends[0]))
    return told


def odd_texts(found: list[Apart]) -> list[str]:
    """By how much and in what odd hosts differ, a sentence for each model."""
    told: dict[str, dict[str, list[Apart]]] = {}
    for one in found:
        for host in one.odd:
            told.setdefault(one.model, {}).setdefault(host, []).append(one)
    return [say("Of the hosts with {model}, the odd one out is {hosts}." if len(hosts) == 1 else
                "Of the hosts with {model}, the odd ones out are {hosts}.", model=model,
                hosts=say("; ").join(_host(host, of) for host, of in hosts.items())) for model,
            hosts in told.items()]


def _host(host: str, of: list[Apart]) -> str:
    """"host 1a2b3c4d (3.8 % slower than the median of 9 in copying to the card)"."""
    return say("{host} ({how})", host=host_text(host),
               how=say(", ").join(_how(one, host) for one in of))


def _how(one: Apart, host: str) -> str:
    worst = one.worst.get(host)
    at = say(", most at {point}", point=point_name(worst[1])) if worst else ""
    return say("{how} than the median of {count} in {what}{at}", how=distance_text(one, host),
               count=len(one.values), what=what_text(one), at=at)


def side_by_side_table(results: Results) -> tuple[Table | None, list[str]]:
    """(a row for each thing that several hosts of one model have, or None where there is none; what
    it says in words)."""
    found = apart(results)
    if not found:
        return None, []
    caption = sentences(say("Each value is one host's own, and more is faster: ceilings that held "
                            "their self-check, and of points that several hosts measured with the "
                            "same program their speed relative to the median host. The spread runs "
                            "from the slowest to the fastest host, as a share of the median."),
                        say("An odd one out lies farther from the median of {count} hosts or more "
                            "than 5.2 times the median distance from it, and farther than 2 % or "
                            "the noise floor.", count=FEWEST))
    columns = (say("hosts"), say("spread"), say("odd one out"), say("slowest (host)"),
               say("median"), say("fastest (host)"))
    table = Table("side_by_side", say("Hosts side by side"), caption,
                  (say("Model"), say("What")), columns, [_row(one) for one in found])
    return table, [*spread_texts(found), *odd_texts(found)]
