"""A machine's row: numbers and doubts are those of its report's first screen."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from analysis.answer.headline import Headline, headline_of, numbers_by_name
from analysis.answer.model import Number
from analysis.answer.names import name, side
from analysis.answer.points import KERNEL, contest_of
from analysis.tables.tables import Cell, Row, Table
from files.safe import record_name
from language import say
from records.cases.case import Case
from records.cases.experiment import Results
from records.cases.phrases import unsound
from records.names.numbers import joined, plain
from records.schema.operations import shape_text
from records.view import machine_name
from report.machine.machine_facts import versions_text
from report.summary.block_size import best_block
from report.summary.cpu_only import CpuAnswer

_FIRST = re.compile(r"\d[\d,]*\.?\d*")


@dataclass(frozen=True, eq=False)
class Machine:
    """A folder of records."""

    results: Results

    @property
    def name(self) -> str:
        return record_name(self.results.folder.resolve().name)

    @cached_property
    def headline(self) -> Headline | None:
        contest = contest_of(self.results)
        return headline_of(contest) if contest else None

    @cached_property
    def numbers(self) -> dict[str, Number]:
        return numbers_by_name(self.headline) if self.headline else {}

    @cached_property
    def fastest(self) -> dict[str, Case]:
        """By device: of the CPU the best at the largest square with a choice, of the card the
        kernel that the headline is of."""
        cpu = CpuAnswer(self.results).fastest
        found = {"cpu": cpu} if cpu else {}
        if self.headline and (match := self.headline.best.get(KERNEL)):
            found["gpu"] = match.gpu
        return found

    def part(self, device: str) -> str:
        """The CPU, or the cards, that its runs name."""
        names = {machine_name(run, gpu=device == "gpu", cpu=device == "cpu")
                 for run in self.results.runs if device == "cpu" or run.get("gpus")}
        return joined(sorted(names))

    def who(self, device: str) -> str:
        """"MKL, 16 threads at 4096": what is fastest, and where."""
        case = self.fastest.get(device)
        if case is None:
            return ""
        known = side(case) if device == "cpu" else name(case)
        return say("{name} at {shape}", name=known, shape=shape_text(*case.shape))

    @property
    def last_day(self) -> str:
        return max((str(run.get("started_utc") or "")[:10] for run in self.results.runs),
                   default="")


class _Notes:
    """Numbered: what stands behind a number, said once."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def of(self, *texts: str) -> int:
        text = say("; ").join(filter(None, texts))
        if text and text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text) + 1 if text else 0


def _told(number: Number | None, notes: _Notes) -> Cell:
    """A number of the first screen, sorted by the first that its text names: of a range the
    least."""
    if number is None:
        return Cell("")
    first = _FIRST.search(number.value)
    value = float(first[0].replace(",", "")) if first else None
    return Cell(number.value, value, note=notes.of(number.label, number.detail))


def _rate(case: Case | None, who: str, notes: _Notes) -> Cell:
    if case is None or case.rate is None:
        return Cell("")
    return Cell(plain(case.rate, 0), case.rate, unit="GFLOP/s", note=notes.of(who, unsound(case)))


def _block(results: Results, notes: _Notes) -> Cell:
    found = best_block(results)
    if found is None:
        return Cell("")
    block, told = found
    return Cell(f"{block}×{block}", float(block), note=notes.of(told))


def _place(one: Machine) -> tuple[float, float, str]:
    """Of the machines that gain most from their card first, then of the fastest CPUs."""
    gained = one.headline.best.get(KERNEL) if one.headline else None
    cpu = one.fastest.get("cpu")
    return (-(gained.ratio.value if gained else 0), -((cpu and cpu.rate) or 0), one.name)


def table_of(machines: list[Machine]) -> Table:
    """A row for each machine."""
    notes = _Notes()
    table = Table(
        "gallery", say("Machines"), say("Each number is the one on the first screen of the "
                                        "machine's own report, in plain float32; the notes say "
                                        "what stands behind it. A click on a head sorts, a range "
                                        "by its least."),
        (say("Machine"), say("Card"), "CPU", say("best kernel")),
        (say("card over CPU"), say("with transfers"), say("pays from"), say("best tile"),
         say("card, GFLOP/s"), say("CPU, GFLOP/s"), say("measured until"), "gemmlab"))
    for one in sorted(machines, key=_place):
        kernel = one.fastest.get("gpu")
        heads = one.name, one.part("gpu"), one.part("cpu"), name(kernel) if kernel else ""
        cells = [_told(one.numbers.get(what), notes) for what in ("kernel", "transfers", "from")]
        cells += [_block(one.results, notes),
                  *(_rate(one.fastest.get(device), one.who(device), notes)
                    for device in ("gpu", "cpu")),
                  Cell(one.last_day), Cell(versions_text(one.results.runs))]
        table.rows.append(Row(heads, tuple(cells)))
    table.notes = notes.texts
    return table
