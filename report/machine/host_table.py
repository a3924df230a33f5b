"""The hosts behind the records: what tells them apart, and which experiments ran on each."""

from __future__ import annotations

from analysis.tables.tables import Cell, Row, Table, sentences
from language import say
from records.cases.cores import processors_of, processors_text
from records.cases.hosts import UUID_SHOWN, Run, cards_of, fma_rate, hosts_of
from records.cases.where import short_host
from records.names.numbers import DASH, joined, plain

from .machine_facts import bytes_text


def _experiments(runs: list[Run]) -> str:
    return joined(list(dict.fromkeys(str(run.get("experiment") or say("a run")) for run in runs)))


def _rate(runs: list[Run], every: bool) -> Cell:
    """The trusted FMA rate of one core, or of all, over the runs."""
    values = [rate for run in runs if (rate := fma_rate(run, every)) is not None]
    if not values:
        return Cell(DASH)
    ends = list(dict.fromkeys(plain(value, 0) for value in (min(values), max(values))))
    text = say("{low} to {high}", low=ends[0], high=ends[1]) if len(ends) > 1 else ends[0]
    return Cell(text, values[-1], min(values), max(values), "GFLOP/s")


def _processors(runs: list[Run]) -> str:
    """Of the host; where its runs might not use as many, how many they might."""
    counts = sorted({one.count for run in runs if (one := processors_of(run)).count})
    return processors_text(runs[-1]) if len(counts) < 2 else say(
        "{low} to {high} processors, by run", low=counts[0], high=counts[-1])


def hosts_table(runs: list[Run]) -> Table | None:
    """A row per host; None where no run says anything of its host."""
    found = hosts_of(runs)
    if not any(found):
        return None
    caption = sentences(say("Which experiment was measured on which host, with the FMA rate of its "
                            "CPU in GFLOP/s, by its widest instructions, where the number held its "
                            "self-check; the range is over the runs."), say(
                                "{count} hosts: but where another host is named beside it no "
                                "ratio, noise floor, ceiling or sentence mixes them, and hosts "
                                "were not measured side by side, so that no interval covers what "
                                "they differ by.", count=len(found)) if len(found) > 1 else "")
    table = Table("hosts", say("Hosts"), caption,
                  tuple(map(say, ("Host", "CPU, cores, memory, GPU", "Experiments"))),
                  (say("one core"), say("all cores")))
    for name, of in found.items():
        host = of[-1].get("host") or {}
        cards = (uuid[:UUID_SHOWN] for uuid in cards_of(of[-1]))
        what = (str(host.get("cpu") or ""), _processors(of),
                bytes_text(host.get("memory")), *cards)
        heads = (short_host(name) or DASH, say(", ").join(filter(None, what)) or DASH,
                 _experiments(of))
        table.rows.append(Row(heads, (_rate(of, False), _rate(of, True))))
    return table
