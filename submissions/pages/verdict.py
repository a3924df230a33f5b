"""verdict.json, one a submission, as data; what it means: submissions/verdict.md."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from report.operations import shape_text
from report.records import InputError
from report.safe import cleaned

SCHEMA = 1
FILE = "verdict.json"
MOST_KERNELS, LONGEST_NAME = 50, 200
CORRECT, REDUCED = "correct", "reduced-precision"
VERDICTS = (CORRECT, REDUCED, "incorrect", "out-of-memory", "timeout", "crashed", "out-of-bounds", "dishonest",
            "build-failed")  # from the best to the worst
_NUMBERS_IN_WORDS = {"NaN", "Infinity", "-Infinity"}


@dataclass(frozen=True, order=True)
class Shape:
    """In the words of solve(A, B, C, M, N, K): A is M×N, B is N×K, C is M×K; N is the inner dimension."""

    M: int
    N: int
    K: int

    @property
    def work(self) -> int:
        return self.M * self.N * self.K

    @property
    def key(self) -> str:
        """As rules and CSV columns name it: "8192x6144x4096"."""
        return f"{self.M}x{self.N}x{self.K}"

    @property
    def short(self) -> str:
        """"1024" for a square, else "8192×6144×4096", as M×N×K."""
        return shape_text(self.M, self.N, self.K)

    @property
    def words(self) -> str:
        """"M = N = K = 1024", "M = 3, N = 5, K = 7"."""
        if self.M == self.N == self.K:
            return f"M = N = K = {self.M}"
        return f"M = {self.M}, N = {self.N}, K = {self.K}"


def shape_of(sides: Any) -> Shape | None:
    """From {"M": 3, "N": 5, "K": 7}; None where it is something else."""
    if not isinstance(sides, dict) or not all(type(sides.get(side)) is int and sides[side] > 0 for side in "MNK"):
        return None
    return Shape(sides["M"], sides["N"], sides["K"])


@dataclass(frozen=True)
class Failure:
    verdict: str
    shape: Shape | None
    element: tuple[int, int] | None  # row and column of C, from 0
    expected: float | str | None
    got: float | str | None
    wrong: int  # elements of C; 0: not counted
    of: int
    pattern: str
    explanation: str
    hint: str


@dataclass(frozen=True)
class Timing:
    """One implementation at one shape."""

    shape: Shape
    implementation: str
    role: str  # submission, ladder or library
    median_s: float | None
    ci95_s: tuple[float, float] | None
    samples: int
    gflop_per_s: float | None
    of_library: float | None
    of_library_ci95: tuple[float, float] | None
    of_ceiling: float | None
    bound_by: str
    skipped: str

    @property
    def measured(self) -> bool:
        return not self.skipped and bool(self.median_s) and self.gflop_per_s is not None

    @property
    def gflop_ci95(self) -> tuple[float, float] | None:
        """From the times: the longest gives the lowest rate."""
        if self.ci95_s is None or not self.measured:
            return None
        work = self.gflop_per_s * self.median_s
        return work / self.ci95_s[1], work / self.ci95_s[0]


def _same(one: str, other: str) -> bool:
    """"gpu.tiled block=32" and "gpu.tiled, block = 32" are one."""
    return re.sub(r"[\s,]", "", one) == re.sub(r"[\s,]", "", other)


@dataclass(frozen=True)
class Verdict:
    folder: Path
    raw: dict[str, Any]  # the whole of it, texts made visible
    submission: str
    device: str
    verdict: str
    failures: tuple[Failure, ...]
    timings: tuple[Timing, ...]

    @property
    def usable(self) -> bool:
        """Is its C right, be it with less precision? Only then is its speed worth a number."""
        return self.verdict in (CORRECT, REDUCED)

    @property
    def own(self) -> list[Timing]:
        """The submission's own times, in the rule's order; none where C was wrong."""
        return [timing for timing in self.timings if timing.role == "submission"] if self.usable else []

    @property
    def largest(self) -> Timing | None:
        """Its time at the largest shape that was measured."""
        return max((timing for timing in self.own if timing.measured), key=lambda timing: timing.shape.work, default=None)

    def at(self, shape: Shape, name: str) -> Timing | None:
        """The time of an implementation, or of the "library", at a shape, where it was measured."""
        return next((timing for timing in self.timings if timing.shape == shape and timing.measured and
                     (timing.role == "library" if name == "library" else _same(timing.implementation, name))), None)

    @property
    def resources(self) -> list[dict[str, Any]]:
        """What the process that ran the submission says of its kernels. Whoever wrote the submission can have written
        this, too: only names and numbers are taken from it."""
        made = []
        for one in self.items("resources")[:MOST_KERNELS] if isinstance(self.items("resources"), list) else []:
            if isinstance(one, dict):
                numbers = {key: value for key, value in one.items() if type(value) in (int, float) and abs(value) < 1e18}
                made.append(numbers | {"kernel": str(one.get("kernel") or "unnamed")[:LONGEST_NAME]})
        return made

    def part(self, key: str) -> dict[str, Any]:
        """An object of the file; empty where it is null or missing."""
        return self.raw.get(key) or {}

    def items(self, key: str) -> list[Any]:
        return self.raw.get(key) or []


class _Reader:
    """Takes values out of one file's objects; says file, key, value and what is allowed where one does not fit."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def fail(self, key: str, value: Any, allowed: str) -> InputError:
        return InputError(f"{self._file}: {key} = {json.dumps(value)[:80]}; allowed: {allowed}")

    def one_of(self, raw: dict, key: str, allowed: tuple[Any, ...]) -> Any:
        if raw.get(key) not in allowed:
            raise self.fail(key, raw.get(key), ", ".join(map(str, allowed)))
        return raw[key]

    def text(self, raw: dict, key: str) -> str:
        value = raw.get(key)
        if value is not None and not isinstance(value, str):
            raise self.fail(key, value, "a text")
        return value or ""

    def number(self, raw: dict, key: str) -> float | None:
        value = raw.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
            raise self.fail(key, value, "a number or null")
        return value

    def matrix_value(self, raw: dict, key: str) -> float | str | None:
        """A number, or one of the words that stand for what JSON has no number for."""
        return raw[key] if raw.get(key) in _NUMBERS_IN_WORDS else self.number(raw, key)

    def objects(self, raw: dict, key: str) -> list[dict]:
        value = raw.get(key) or []
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise self.fail(key, value, "a list of objects")
        return value

    def shape(self, raw: dict) -> Shape | None:
        value = raw.get("shape")
        if value is None:
            return None
        shape = shape_of(value)
        if shape is None:
            raise self.fail("shape", value, '{"M": 3, "N": 5, "K": 7}, each at least 1')
        return shape

    def ends(self, raw: dict, key: str) -> tuple[float, float] | None:
        value = raw.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) != 2 or not all(isinstance(end, (int, float)) for end in value) \
                or not 0 < value[0] <= value[1]:
            raise self.fail(key, value, "[low, high] with 0 < low <= high, or null")
        return value[0], value[1]

    def failure(self, raw: dict) -> Failure:
        place = raw.get("element")
        return Failure(self.text(raw, "verdict"), self.shape(raw),
                       (int(place.get("row", 0)), int(place.get("col", 0))) if isinstance(place, dict) else None,
                       self.matrix_value(raw, "expected"), self.matrix_value(raw, "got"), int(self.number(raw, "wrong") or 0),
                       int(self.number(raw, "of") or 0), *(self.text(raw, key) for key in ("pattern", "explanation", "hint")))

    def timing(self, raw: dict) -> Timing:
        shape = self.shape(raw)
        if shape is None:
            raise self.fail("performance[].shape", None, '{"M": 3, "N": 5, "K": 7}')
        return Timing(shape, self.text(raw, "implementation"),
                      self.one_of(raw, "role", ("submission", "ladder", "library")), self.number(raw, "median_s"),
                      self.ends(raw, "ci95_s"), int(self.number(raw, "samples") or 0), self.number(raw, "gflop_per_s"),
                      self.number(raw, "of_library"), self.ends(raw, "of_library_ci95"), self.number(raw, "of_ceiling"),
                      self.text(raw, "bound_by"), self.text(raw, "skipped"))


def load(folder: Path) -> Verdict:
    """The verdict in folder/verdict.json. Raises InputError in one line where it is not such a file."""
    file = folder / FILE
    try:
        raw = cleaned(json.loads(file.read_text(encoding="utf-8", errors="replace")))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file}: not JSON ({error}); judge the submission again with --fresh") from error
    read = _Reader(file)
    if not isinstance(raw, dict):
        raise InputError(f"{file}: a list or a value; allowed: the object that `gemmlab submit` writes")
    read.one_of(raw, "schema", (SCHEMA,))
    name = read.text(raw, "submission")
    if not name:
        raise read.fail("submission", name, "the name of a file")
    return Verdict(folder, raw, name, read.one_of(raw, "device", ("cpu", "gpu")), read.one_of(raw, "verdict", VERDICTS),
                   tuple(read.failure(one) for one in read.objects(raw, "failures")),
                   tuple(read.timing(one) for one in read.objects(raw, "performance")))
