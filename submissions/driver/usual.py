"""What the library usually takes beside the hand-ins and the ladder of one folder. Where it took
much longer or shorter beside one, something held it up that no waiting for a processor shows, and
that hand-in's share of its speed is not to be believed."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import median_low
from typing import Any

from submissions.hand_ins import homework
from submissions.verdicts.grading import Grading
from submissions.verdicts.library_times import KEY, is_far
from submissions.verdicts.verdict import CORRECT, REDUCED, shape_of

from .ladder import Ladders

_SAME = ("program", "machine", "rule")
_Verdict = dict[str, Any]


def _name(shape: dict[str, int]) -> str:
    return json.dumps(shape, sort_keys=True)


def library_rows(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """`shape` and `median_s` of the library, of the rows of a verdict or of the ladder."""
    return [{"shape": row["shape"], "median_s": row["median_s"]}
            for row in rows if row["role"] == "library" and row["median_s"]]


def _believed(verdict: _Verdict) -> bool:
    """Not beside one that may have slowed the library down on purpose."""
    return verdict.get("verdict") in (CORRECT, REDUCED) and verdict.get("speed_counts", True)


def neighbours(output: Path, submission: dict[str, Any],
               circumstances: dict[str, Any]) -> list[_Verdict]:
    """Verdicts in the same folder by the same program, machine and rule, of other hand-ins for the
    same device."""
    folders = [folder for folder in sorted(output.iterdir())
               if folder.is_dir() and folder.name != submission["name"]]
    same = {key: circumstances[key] for key in _SAME} | {"device": submission["device"]}
    return [found for folder in folders if (found := homework.recorded(folder))
            and all(found.get(key) == same[key] for key in same)]


class Usual:
    """Of one call of the command. `neighbours`: of a single file, what was judged into the same
    folder before."""

    def __init__(self, grading: Grading | None, ladders: Ladders) -> None:
        self._shares = grading.shares if grading else ()
        self._ladders = ladders
        self.neighbours: list[_Verdict] = []

    def _usual(self, device: str, verdicts: Iterable[_Verdict]) -> dict[str, tuple[float, int]]:
        """By shape: the median, of two the shorter, and of how many times it is."""
        same = [one for one in (*self.neighbours, *verdicts)
                if one["device"] == device and _believed(one)]
        rows = [one.get("performance") or []
                for one in same] + [(self._ladders.known(device) or {"rows": []})["rows"]]
        seen: dict[str, list[float]] = defaultdict(list)
        for row in (row for of_one in rows for row in library_rows(of_one)):
            seen[_name(row["shape"])].append(row["median_s"])
        return {shape: (median_low(times), len(times)) for shape, times in seen.items()}

    def put_into(self, verdict: _Verdict, verdicts: Iterable[_Verdict]) -> None:
        """`library_times` of verdict.json. `verdicts`: all that are known by now, this one with
        them."""
        usual = self._usual(verdict["device"], verdicts)
        ladder = {_name(row["shape"]): row["median_s"]
                  for row in verdict.get("ladder_library") or []}
        verdict[KEY] = [{"shape": row["shape"], "usual_s": usual[shape][0], "of": usual[shape][1],
                         "beside_s": row["median_s"], "beside_ladder_s": ladder.get(shape)}
                        for row in library_rows(verdict.get("performance") or [])
                        if (shape := _name(row["shape"])) in usual]

    def _is_graded(self, shape: dict[str, int], device: str) -> bool:
        return any(share.shape == shape_of(shape) and share.device in ("", device)
                   for share in self._shares)

    def was_held_up(self, verdict: _Verdict) -> bool:
        """Was the library beside it far from its usual time, at a shape on which points for speed
        hang?"""
        return any(is_far(one["beside_s"] / one["usual_s"])
                   and self._is_graded(one["shape"], verdict["device"])
                   for one in verdict.get(KEY) or [])

    def was_ladder_held_up(self, known: dict[str, Any], device: str,
                           verdicts: Iterable[_Verdict]) -> bool:
        usual = self._usual(device, verdicts)
        return any(is_far(row["median_s"] / usual[shape][0])
                   and self._is_graded(row["shape"], device) for row in library_rows(known["rows"])
                   if (shape := _name(row["shape"])) in usual)
