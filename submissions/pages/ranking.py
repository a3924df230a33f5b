"""All submissions beside each other: ranking.csv, ranking.html, ranking.md."""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from analysis.tables.tables import Cell, Row
from files import safe
from files.output import write_text
from records.names.numbers import DASH, counted, joined
from submissions.verdicts.marks import Mark
from submissions.verdicts.steps import points_text
from submissions.verdicts.verdict import (
    CORRECT,
    FILE,
    UNBUILT,
    VERDICTS,
    Shape,
    Timing,
    Verdict,
    order_text,
)

from . import speed
from .page import write_both

Judged = tuple[Verdict, Mark | None]
MOST_NOTE = 120  # letters of why one could not be built


@dataclass
class Entry:
    """One submission's row."""

    verdict: Verdict
    mark: Mark | None
    timing: Timing | None  # its own at the shape that is compared
    place: str = ""  # "2", "2=" where others share it, empty where C was wrong

    @property
    def name(self) -> str:
        return self.verdict.submission

    @property
    def page(self) -> str:
        """The page's address, as seen from the ranking; nothing in a folder's name can make more of
        it."""
        return f"{quote(os.fsencode(self.verdict.folder.name), safe='')}/page.html"

    @property
    def pattern(self) -> str:
        return next((failure.pattern for failure in self.verdict.failures if failure.pattern), "")

    @property
    def points(self) -> str:
        if self.mark and self.mark.withheld:
            return "withheld"
        return points_text(self.mark.value) if self.mark else ""

    @property
    def rate(self) -> float:
        return self.timing.gflop_per_s if self.timing else 0.0

    @property
    def able(self) -> bool:
        """Does it get a place? Where its times count for nothing, not among those that have
        some."""
        return self.verdict.usable and not (self.timing and self.doubt)

    @property
    def doubt(self) -> str:
        """Why its speed does not count; empty where it does."""
        if self.mark and self.mark.withheld:
            return "mark withheld: no speed could be relied on"
        if self.timing and not self.timing.speed_counts:
            return self.timing.speed_why or "its time does not count"
        return ("" if self.verdict.raw.get("speed_counts", True)
                or not self.verdict.usable else str(self.verdict.raw.get("speed_why") or ""))

    @property
    def notes(self) -> list[str]:
        """What a reader must know before the speed is believed; of what is left out or could not be
        built, why."""
        load = self.verdict.part("load")
        made = [self.doubt] if self.doubt else []
        if self.verdict.usable and self.timing and self.timing.settled is False:
            made.append("not settled")
        if self.verdict.usable and load.get("busy"):
            made.append(f"others used {load['others']:.1f} of {counted(load['cores'], 'core')}")
        if self.verdict.verdict == UNBUILT:
            made.append(safe.shortened(safe.visible(str(self.verdict.raw.get("summary") or "")),
                                       MOST_NOTE))
        return made


@dataclass
class Group:
    """The submissions for one device, the best first."""

    device: str
    shape: Shape | None  # at which speed is compared
    entries: list[Entry]
    counts: str
    notes: list[str]

    @property
    def title(self) -> str:
        return f"{self.device.upper()} submissions"

    @property
    def caption(self) -> str:
        """What is compared, in which order, and what a tie is."""
        where = (f"Speed and share at {self.shape.words}, the largest shape at which every correct "
                 "submission here was timed; brackets: 95 % interval."
                 if self.shape else "No shape at which every correct submission was timed, so that "
                 "speed is not compared.")
        how = ("share of the library's speed in the same rounds" if self.beside_library
               else "GFLOP/s")
        return (f"{where} Places go by the {how}. “2=”: a place that is shared, because the "
                "interval overlaps that of the first at this place, or misses it by less than the "
                "noise floor, so that the speeds cannot be told apart. What is not right has no "
                "place.")

    @property
    def beside_library(self) -> bool:
        return _beside_library(self.entries)

    @property
    def rows(self) -> list[tuple[Entry, Row]]:
        """(entry, its GFLOP/s and share of the library)."""
        return [(entry, Row((), (speed.gflops_cell(entry.timing), speed.library_cell(entry.timing))
                            if entry.timing else (Cell(DASH), Cell(DASH))))
                for entry in self.entries]


def shared_shape(verdicts: list[Verdict]) -> Shape | None:
    """The largest shape at which all right ones were timed (those that were timed at all)."""
    timed = [{timing.shape for timing in one.own if timing.measured}
             for one in verdicts if one.verdict == CORRECT]
    timed = [shapes for shapes in timed if shapes]
    return (max(set.intersection(*timed), key=lambda shape: (shape.work, shape), default=None)
            if timed else None)


def _measured_at(verdict: Verdict, shape: Shape | None) -> Timing | None:
    return next((timing for timing in verdict.own if timing.measured and timing.shape == shape),
                None)


def _beside_library(entries: list[Entry]) -> bool:
    """Was each one that has a time timed in rounds with the library? The machine may be slower for
    one than for another, but then for the library, too."""
    timed = [entry.timing for entry in entries if entry.timing]
    return bool(timed) and all(timing.of_library is not None for timing in timed)


def _speed(entry: Entry, beside_library: bool) -> float:
    if entry.timing is None:
        return 0.0
    return (entry.timing.of_library or 0.0) if beside_library else entry.rate


def _ends(timing: Timing, beside_library: bool) -> tuple[float, float]:
    """The least and the most that its speed may be, as a share of the library's or in GFLOP/s."""
    if beside_library and timing.library_share is not None:
        return timing.library_share[1:]
    return timing.gflop_ci95 or (timing.gflop_per_s, timing.gflop_per_s)


def _overlap(one: Entry, other: Entry, beside_library: bool) -> bool:
    """Can their speeds not be told apart, by the intervals and by what the same code comes apart?
    Without both they can, where the numbers differ."""
    if one.timing is None or other.timing is None:
        return one.timing is other.timing
    noise = 1 + max(one.verdict.noise or 0, other.verdict.noise or 0)
    low, high = _ends(one.timing, beside_library)
    its_low, its_high = _ends(other.timing, beside_library)
    return low <= its_high * noise and its_low <= high * noise


def _ordered(entries: list[Entry]) -> list[Entry]:
    """Those with a place by precision and speed, then the others by mark and verdict; the same by
    name."""
    beside, words = _beside_library(entries), list(VERDICTS)

    def key(one: Entry) -> tuple:
        worth = one.mark.value if one.mark else 0
        rank = words.index(one.verdict.verdict)
        order = (rank, -_speed(one, beside)) if one.able else (-worth, rank)
        return (not one.able, *order, one.name, one.verdict.folder.name)

    return sorted(entries, key=key)


def _give_places(entries: list[Entry]) -> None:
    """A place for each submission whose C is right; it is shared with the first at that place of
    the same verdict whose interval overlaps, so that a chain of overlaps does not make one place of
    all."""
    able = [entry for entry in entries if entry.able]
    first, numbers, beside = 0, [], _beside_library(entries)
    for index, entry in enumerate(able):
        alike = able[first].verdict.verdict == entry.verdict.verdict
        if not (index and alike and _overlap(able[first], entry, beside)):
            first = index
        numbers.append(first + 1)
    shared = Counter(numbers)
    for entry, number in zip(able, numbers):
        entry.place = f"{number}{'=' if shared[number] > 1 else ''}"


def _notes(verdicts: list[Verdict]) -> list[str]:
    """What keeps the rows from being compared without a second thought."""
    made = []
    for what, key, said in (
            ("machines", "machine", "speeds and shares do not compare between them"),
            ("rules", "rule", "verdicts and speeds follow from different limits and shapes"),
            ("versions of the judge", "program", "judge them again with --fresh where it matters")):
        seen = {repr(sorted(one.part(key).items(), key=str)) for one in verdicts}
        if len(seen) > 1:
            made.append(f"These were judged with {len(seen)} {what}: {said}.")
    if emulated := sum(one.emulated for one in verdicts):
        made.append(f"{counted(emulated, 'submission')} checked by emulation, without a GPU: no "
                    "times.")
    same: dict[str, list[Verdict]] = {}
    for one in verdicts:
        if one.raw.get("sha256"):
            same.setdefault(str(one.raw["sha256"]), []).append(one)
    made += [f"The same file, byte for byte: {joined([_label(one) for one in alike])}."
             for alike in same.values() if len(alike) > 1]
    return made


def _label(verdict: Verdict) -> str:
    folder = safe.visible(verdict.folder.name)
    return (verdict.submission if folder == verdict.submission
            else f"{verdict.submission} (in {folder})")


def groups(judged: list[Judged]) -> list[Group]:
    """CPU and GPU apart; in each by speed, then mark, then name."""
    made = []
    for device in ("cpu", "gpu"):
        here = [(verdict, mark) for verdict, mark in judged if verdict.device == device]
        if not here:
            continue
        verdicts = [verdict for verdict, _ in here]
        shape = shared_shape(verdicts)
        entries = _ordered(
            [Entry(verdict, mark, _measured_at(verdict, shape)) for verdict, mark in here])
        _give_places(entries)
        seen = Counter(verdict.verdict for verdict in verdicts)
        counts = ", ".join(f"{seen[name]} {name}" for name in VERDICTS if seen[name])
        made.append(Group(device, shape, entries,
                          f"{counted(len(entries), 'submission')}: {counts}.", _notes(verdicts)))
    return made


def _certainty(entry: Entry) -> list[str]:
    """How far the speed is to be believed: is it settled at the shape that is compared, and what
    did others use meanwhile?"""
    settled, load = entry.timing.settled if entry.timing else None, entry.verdict.part("load")
    used = [f"{load['others']:.2f}", str(load["cores"])] if load else ["", ""]
    return ["" if settled is None else "yes" if settled else "no", *used,
            safe.for_csv("; ".join(entry.notes))]


def shapes_timed(made: list[Group]) -> list[Shape]:
    """Of all submissions, the smallest first."""
    entries = [entry for group in made for entry in group.entries]
    return sorted({timing.shape for entry in entries for timing in entry.verdict.own},
                  key=lambda shape: (shape.work, shape))


def csv_text(made: list[Group]) -> str:
    """One row per submission, in the order of the pages; numbers unrounded; an empty field is a
    number that is not there."""
    shapes = shapes_timed(made)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["name", "folder", "device", "verdict", "pattern", "mark", "most",
                     "mark_low", "mark_high", "place", "settled", "others_used", "cores",
                     "notes", *(f"gflop_per_s_{shape.key}" for shape in shapes),
                     *(f"of_library_{shape.key}" for shape in shapes)])
    for group in made:
        for entry in group.entries:
            timings = [_measured_at(entry.verdict, shape) for shape in shapes]
            numbers = [timing.gflop_per_s if timing else None for timing in timings]
            numbers += [timing.of_library if timing else None for timing in timings]
            mark = ([f"{one:.10g}" for one in (entry.mark.value, entry.mark.most, *entry.mark.ends)]
                    if entry.mark else [""] * 4)
            if entry.mark and entry.mark.withheld:
                mark[0] = ""
            writer.writerow([safe.for_csv(entry.name),
                             safe.for_csv(safe.visible(entry.verdict.folder.name)),
                             group.device, entry.verdict.verdict, entry.pattern,
                             *mark, entry.place, *_certainty(entry),
                             *("" if number is None else repr(number) for number in numbers)])
    return out.getvalue()


def write(judged: list[Judged], folder: Path) -> None:
    made = groups(judged)
    write_text(folder / "ranking.csv", csv_text(made))
    names = Counter((verdict.device, verdict.submission) for verdict, _ in judged)
    doubled = {name for (_, name), count in names.items() if count > 1}
    write_both(folder, "ranking", "ranking", groups=made,
               order=order_text(shapes_timed(made)), marked=any(mark for _, mark in judged),
               label=lambda entry: _label(entry.verdict) if entry.name in doubled else entry.name,
               file=FILE)
