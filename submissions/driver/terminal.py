"""What the terminal shows: where the judge is, and a verdict in words."""

from __future__ import annotations

import sys
import time
from typing import Any

from commands import progress
from commands.terminal_output import draw
from files import safe
from submissions.verdicts.verdict import ladder_of

QUIET_S, BETWEEN_LINES_S = 2.0, 20.0


def left_text(seconds: float) -> str:
    """"about 3 min left"."""
    return (f"about {seconds / 60:.0f} min left" if seconds >= 90
            else f"about {max(seconds, 1):.0f} s left")


class Counting:
    """How many of a class are done, and how long the others will take if they are like those
    before."""

    def __init__(self, total: int, what: str) -> None:
        self._total, self._what = total, what
        self._done = 0
        self._began = time.monotonic()

    def one_more(self) -> None:
        self._done += 1

    @property
    def text(self) -> str:
        """"checked 3 of 100, about 2 min left"."""
        made = f"{self._what} {self._done} of {self._total}"
        if not 0 < self._done < self._total:
            return made
        each_s = (time.monotonic() - self._began) / self._done
        return f"{made}, {left_text(each_s * (self._total - self._done))}"


class Progress:
    """In place on a terminal; elsewhere a line now and then, and none in the first seconds."""

    def __init__(self) -> None:
        self.now = ""
        self._terminal = progress.redraws(2)
        self._next_line = time.monotonic() + QUIET_S

    def tell(self, doing: str) -> None:
        now, what = time.monotonic(), safe.shown(self.now)
        if self._terminal:
            draw(f"{what}: {doing} ...")
        elif now >= self._next_line:
            sys.stderr.write(f"gemmlab: {what}: {doing} ...\n")
            self._next_line = now + BETWEEN_LINES_S
            sys.stderr.flush()

    def end(self) -> None:
        if self._terminal:
            draw("")


def _messages(messages: list[dict[str, Any]]) -> list[str]:
    """Warnings beside errors mostly follow from them: the parameters of a body that did not parse
    are "unused"."""
    errors = any(message["kind"] == "error" for message in messages)
    return [f"  line {message['line']}: {message['kind']}: {message['text']}"
            for message in messages if not (errors and message["kind"] == "warning")]


def _speed(row: dict[str, Any]) -> str:
    """"41.2 GFLOP/s [40.9, 41.4], 7 calls, 52.1 % of the library", or why there is no time."""
    if row["median_s"] is None:
        return f"not timed: {row['skipped']}"
    text = f"{row['gflop_per_s']:>8.1f} GFLOP/s"
    if row["ci95_s"] is not None:  # the longest time gives the lowest rate
        work = row["gflop_per_s"] * row["median_s"]
        text += f" [{work / row['ci95_s'][1]:.1f}, {work / row['ci95_s'][0]:.1f}]"
    text += f", {row['samples']} call{'' if row['samples'] == 1 else 's'}"
    if row["of_library"] is not None:
        text += f", {100 * row['of_library']:.1f} % of the library"
    return text


# Once for each verdict, and for each class.
_ORDER = {"N": "shapes: rows x inner x columns, MxNxK of solve; BLAS and the rest of gemmlab call "
               "the columns N and the inner dimension K",
          "K": "shapes: rows x inner x columns, MxKxN of solve"}


def order(of: dict[str, Any]) -> str:
    """What a shape's numbers are, by the rule's or a verdict's `solve`."""
    return _ORDER[(of.get("solve") or {}).get("inner", "N")]


def _shape(sides: dict[str, int]) -> str:
    return "x".join(str(sides[side]) for side in "MNK")


def _ladder(verdict: dict[str, Any]) -> list[str]:
    table = ladder_of(verdict)
    if not table:
        return []
    from emulator.explain.neighbours import (
        in_columns,  # drawing is loaded only where there is something to draw
    )

    return in_columns(table)


def speed_line(verdict: dict[str, Any]) -> str:
    """"anna.cpp: 48.3 GFLOP/s at 1024x1024x1024, 58.1 % of the library; mark 75 of 100": what
    timing added of one in a class."""
    own = [row for row in verdict["performance"] if row["role"] == "submission"]
    said = f"{_speed(own[-1]).strip()} at {_shape(own[-1]['shape'])}" if own else "not timed"
    if doubtful := [_shape(row["shape"]) for row in own if row.get("settled") is False]:
        said += f", not settled at {', '.join(doubtful)}"
    mark = verdict.get("mark")
    return _harmless([f"{verdict['submission']}: {verdict['verdict']}, {said}"
                      + (f"; mark {_mark_text(mark)} of {mark['most']:g}" if mark else "")])


def _mark_text(mark: dict[str, Any]) -> str:
    """"75", "75 (70 to 80 by the intervals)", or that no speed could be relied on."""
    if mark["withheld"]:
        return (f"withheld, as no speed could be relied on: {mark['at_least']:g} to "
                f"{mark['at_most']:g}")
    unsure = mark["at_least"] < mark["at_most"]
    return f"{mark['value']:g}" + (f" ({mark['at_least']:g} to {mark['at_most']:g} by the "
                                   "intervals)" if unsure else "")


def _harmless(lines: list[str]) -> str:
    """Names and messages are other people's: nothing in them that a terminal obeys."""
    return "\n".join(safe.shown(line) for line in lines)


def in_words(verdict: dict[str, Any], known: bool, brief: bool) -> str:
    """A verdict for a terminal; `known`: it was judged before. `brief`: its first line alone."""
    how = (f"{' by emulation, without a GPU' if verdict['emulated'] else ''}"
           f"{' (judged before)' if known else ''}")
    lines = [f"{verdict['submission']}: {verdict['verdict']}{how}. {verdict['summary']}"]
    if brief:
        return _harmless(lines)
    build = verdict["build"]
    lines += _messages(build["messages"])
    hints = dict.fromkeys(
        hint for hint in (build["hint"], *(one["hint"] for one in verdict["failures"])) if hint)
    lines += [f"  hint: {hint}" for hint in hints]
    lines += [f"  found: {one['explanation']}" for one in verdict["findings"]]
    lines += [f"  not run: {missing}" for missing in verdict["sanitizer"]["missing"]]
    if verdict["counters_missing"]:
        lines.append(f"  counters were not read: {verdict['counters_missing']}")
    if verdict["emulated"]:
        lines.append("  checked by emulation, without a GPU: no times")
    named = [verdict["performance"], verdict.get("explanation")]
    if any(named) or any(one["shape"] for one in verdict["failures"]):
        lines.append(f"  {order(verdict)}")
    for row in verdict["performance"]:
        lines.append(f"  {_shape(row['shape']):<16} {row['label']:<26} {_speed(row)}")
    if verdict.get("explanation"):
        lines.append(f"  predicted, not measured, at {_shape(verdict['counts']['shape'])}:")
        lines += [f"    {what}: {value}" for what, value in verdict["explanation"]["facts"]]
        lines += [f"    {line}" for line in _ladder(verdict)]
    lines += [f"  {one['title']}: {one['text']}" for one in verdict["advice"]]
    return _harmless(lines)
