"""The memory hierarchy of a machine as a table, and in a sentence."""

from __future__ import annotations

from msgspec.structs import replace

from analysis.tables.tables import Cell, Notes, Row, Table, brackets_note, empty, marked, sentences
from language import say
from records.cases.case import Case
from records.names.numbers import DASH, ends_of, plain, with_interval
from records.view import View

from .hierarchy import (
    DRAM,
    L1,
    LEVELS,
    Entry,
    bandwidth_levels,
    capacities,
    cycles_of,
    latency_levels,
    told_cycles,
)

DEVICES = ("cpu", "gpu")
KIB = 1024


def bytes_text(size: float) -> str:
    """"48 KiB", "1 MiB", "50 MiB"."""
    for unit, scale in (("GiB", KIB**3), ("MiB", KIB**2), ("KiB", KIB)):
        if size >= scale:
            return f"{size / scale:.3g} {unit}"
    return f"{size:.0f} B"


def _size_cell(view: View, device: str, level: str, entry: Entry | None) -> Cell:
    """What the driver tells of its size, and up to which working set the curve stays level."""
    told = dict(capacities(view, device)).get(level) if level != DRAM else None
    seen = entry.reach if entry and entry.reach else 0
    text = say("; ").join(filter(None,
                                 (bytes_text(told) if told else "",
                                  say("seen to {size}", size=bytes_text(seen)) if seen else
        "")))
    return Cell(text or DASH, told or seen or None, unit="bytes" if text else "")


def _value_cell(entry: Entry | None, notes: Notes) -> Cell:
    if entry is None:
        return Cell(DASH)
    case = entry.case
    low, high = ends_of(case.rate_ci95)
    unit = case.rate_unit.partition(" per ")[0]
    cell = Cell(with_interval(case.rate, low, high, unit), case.rate, low, high, unit)
    why = (say("no plateau: the best point of the nearest cache, of others the one nearest to half "
               "of the capacity, of DRAM the largest") if not entry.plateau
           else say("one plateau with the level above it: the two cannot be told apart")
           if entry.shared else "")
    return replace(cell, note=notes.number(case, why)) if why else marked(cell, notes, case)


def _cycles_cell(entry: Entry | None, notes: Notes) -> Cell:
    cycles = cycles_of(entry.case) if entry else None
    if entry is None or cycles is None:
        return Cell(DASH)
    if told_cycles(entry.case) is None:
        return Cell(DASH, note=notes.number(entry.case, say("the cycles were counted where the "
                                                            "loads took another time")))
    return Cell(plain(cycles), cycles, unit="cycles")


def hierarchy_table(view: View) -> Table:
    """A row per level: size, latency and bandwidth, CPU and GPU side by side."""
    notes = Notes(view)
    delays = {device: latency_levels(view, device) for device in DEVICES}
    flows = {device: bandwidth_levels(view, device) for device in DEVICES}
    levels = [level for level in LEVELS
              if any(level in of for found in (delays, flows) for of in found.values())]
    if not levels:
        return empty(view, say("Neither latency nor bandwidth over the working set was measured."))
    there = [device for device in DEVICES if delays[device] or flows[device]]
    columns = [say(name, device=device.upper()) for device in there for name in _columns(device)]
    table = Table.of(view, sentences(
        say("Latency: a chain of dependent loads; bandwidth: all threads read the same working set "
            "again and again. A level is a plateau of the curve: at least three sizes over a "
            "factor of two whose neighbours differ by at most 10 %."), brackets_note()),
        (say("memory level"),), tuple(columns))
    for level in levels:
        cells: list[Cell] = []
        for device in there:
            delay, flow = delays[device].get(level), flows[device].get(level)
            cells += [_size_cell(view, device, level, delay or flow), _value_cell(delay, notes)]
            cells += [_cycles_cell(delay, notes)] if device == "gpu" else []
            cells.append(_value_cell(flow, notes))
        table.rows.append(Row((say(level),), tuple(cells)))
    table.notes = notes.texts()
    return table


def _columns(device: str) -> list[str]:
    return ["{device}: size", "{device}: latency",
            *(["{device}: cycles"] if device == "gpu" else []), "{device}: bandwidth"]


def hierarchy_finding(view: View) -> str:
    """"A load from DRAM takes 95 ns on the CPU and 480 ns on the GPU, 79 and 26 times one from
    L1"."""
    told: list[tuple[str, Case, float]] = []
    for device in DEVICES:
        levels = latency_levels(view, device)
        if DRAM in levels and L1 in levels and all(levels[one].plateau and not levels[one].shared
                                                   for one in (DRAM, L1)):
            told.append((device.upper(), levels[DRAM].case,
                         levels[DRAM].case.rate / levels[L1].case.rate))
    if not told:
        return ""
    parts = [say("{time} ns on the {device} ({times} times one from L1)", time=plain(case.rate),
                 device=device, times=plain(times, 0)) for device, case, times in told]
    return say("A dependent load from DRAM takes {parts}", parts=say(" and ").join(parts))


def hierarchy_described(view: View) -> str:
    """Each level's latency and bandwidth in words."""
    told = []
    for device in DEVICES:
        delays, flows = latency_levels(view, device), bandwidth_levels(view, device)
        parts = [say("{level}: {values}", level=say(level), values=say(", ").join(filter(None, (
            f"{plain(delays[level].case.rate)} ns" if level in delays else "",
            f"{plain(flows[level].case.rate)} GB/s" if level in flows else ""))))
            for level in LEVELS if level in delays or level in flows]
        told += [say("{device}: {parts}.", device=device.upper(),
                     parts=say("; ").join(parts))] if parts else []
    return sentences(*told)
