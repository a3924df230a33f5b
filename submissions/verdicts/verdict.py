"""verdict.json, one per submission, as data; what it means: submissions/verdict.md."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from files.reading import InputError, opened
from files.safe import cleaned
from records.cases.case import Unmeasured
from records.schema.operations import shape_text

SCHEMAS = (1, 2)  # that are read; the judge writes the last
FILE = "verdict.json"
MOST_BYTES = 2**26  # of it that are read
MOST_KERNELS, LONGEST_NAME = 50, 200
CORRECT, REDUCED, DISHONEST, UNBUILT = "correct", "reduced-precision", "dishonest", "build-failed"


class Word(Struct, frozen=True):
    """A verdict."""

    word: str
    failure: str  # heads a failure of that kind
    meaning: str  # for somebody who sees it for the first time


# From the best to the worst. The program's list is made of the same file.
VERDICTS = {one.word: one for one in msgspec.json.decode(
    (Path(__file__).parents[1] / "verdicts.json").read_bytes(), type=list[Word])}
VerdictWord = Annotated[str, Meta(pattern=rf"^({'|'.join(map(re.escape, VERDICTS))})\Z")]
Side = Annotated[int, Meta(ge=1)]
Seconds = Annotated[float, Meta(gt=0)]
Value = float | Literal["NaN", "Infinity", "-Infinity"] | None  # JSON has no number for these


class Shape(Struct, frozen=True, order=True):
    """Rows, inner, columns, in the words of solve(A, B, C, M, N, K): A is M×N, B is N×K. Where the
    rule says so, A is M×K and B K×N, and `inner` is "K"; the fields stay rows, inner, columns."""

    M: Side
    N: Side
    K: Side
    inner: Literal["N", "K"] = "N"

    @property
    def work(self) -> int:
        return self.M * self.N * self.K

    @property
    def key(self) -> str:
        """As rules and CSV columns name it: "8192x6144x4096"."""
        return f"{self.M}x{self.N}x{self.K}"

    @property
    def short(self) -> str:
        """"1024" for a square, else "8192×6144×4096": rows × inner × columns."""
        return shape_text(self.M, self.N, self.K)

    @property
    def words(self) -> str:
        """"M = N = K = 1024", "M = 3, N = 5, K = 7"."""
        if self.M == self.N == self.K:
            return f"M = N = K = {self.M}"
        N, K = (self.K, self.N) if self.inner == "K" else (self.N, self.K)
        return f"M = {self.M}, N = {N}, K = {K}"


ORDER = "rows × inner × columns"  # heads columns of shapes


def order_text(shapes: Iterable[Shape]) -> str:
    """Once on each page: what a shape's numbers are, and what all but the judge call them, by the
    first that differs. Empty where the page names no shape."""
    named = list(shapes)
    if not named:
        return ""
    if named[0].inner == "K":
        return f"Shapes are {ORDER}, which solve calls M×K×N: A is M×K, B is K×N, C is M×N, as " \
               "in BLAS and the rest of gemmlab."
    example = next((one for one in named if one.N != one.K), None)
    there = "A is M×K, B is K×N, C is M×N"
    if example:
        there = f"{example.short} is M = {example.M}, N = {example.K}, K = {example.N}"
    return f"Shapes are {ORDER}, which solve calls M×N×K: A is M×N, B is N×K, C is M×K. BLAS and " \
           f"the rest of gemmlab call the columns N and the inner dimension K: {there} there."


def shape_of(sides: Any) -> Shape | None:
    """From {"M": 3, "N": 5, "K": 7}; None where it is something else."""
    try:
        return msgspec.convert(sides, Shape)
    except msgspec.ValidationError:
        return None


class Element(Struct, frozen=True):
    """Row and column of C, from 0."""

    row: int
    col: int


class Failure(Struct, frozen=True):
    verdict: VerdictWord
    shape: Shape | None = None
    element: Element | None = None
    expected: Value = None
    got: Value = None
    wrong: int | None = None  # elements of C; None: not counted
    of: int | None = None
    pattern: str = ""
    explanation: str = ""
    hint: str = ""


class Timing(Struct, frozen=True):
    """One implementation at one shape."""

    shape: Shape
    implementation: str
    role: Literal["submission", "ladder", "library"]
    measured_s: float | None = msgspec.field(default=None, name="median_s")
    ci95_s: tuple[Seconds, Seconds] | None = None
    samples: int = 0
    measured_rate: float | None = msgspec.field(default=None, name="gflop_per_s")
    of_library: float | None = None
    of_library_ci95: tuple[Seconds, Seconds] | None = None
    of_library_low: float | None = None  # the least and the most share that its rounds support
    of_library_high: float | None = None
    settled: bool | None = None  # None: not asked, or there is nothing to compare with
    # only rounds count in which neither it nor the library waited for a processor; None: not known
    quiet: bool | None = None
    quiet_rounds: int | None = None
    waits_alone: bool = False  # in rounds in which the library does not
    of_ceiling: float | None = None
    bound_by: str = ""
    skipped: str = ""
    speed_counts: bool = True
    speed_why: str = ""  # why it does not

    def __post_init__(self) -> None:
        for low, high in filter(None, (self.ci95_s, self.of_library_ci95)):
            if low > high:
                raise ValueError("an interval is [low, high] with low <= high")

    @property
    def measured(self) -> bool:
        return not self.skipped and bool(self.measured_s) and self.measured_rate is not None

    @property
    def median_s(self) -> float:
        """Raises Unmeasured where there is none; what is `measured` has one."""
        if self.measured_s is None:
            raise Unmeasured(f"{self.implementation} at {self.shape.words}: no time")
        return self.measured_s

    @property
    def gflop_per_s(self) -> float:
        """Raises Unmeasured where there is none; what is `measured` has one."""
        if self.measured_rate is None:
            raise Unmeasured(f"{self.implementation} at {self.shape.words}: no rate")
        return self.measured_rate

    @property
    def library_share(self) -> tuple[float, float, float] | None:
        """The share of the library's speed, and the least and the most that its rounds support;
        None without a library."""
        if self.of_library is None or not self.measured:
            return None
        low, high = self.of_library_ci95 or (self.of_library, self.of_library)
        return self.of_library, self.of_library_low or low, self.of_library_high or high

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


class Finding(Struct, frozen=True):
    """What the emulator saw in a kernel, in one sentence with its line."""

    kind: str
    explanation: str
    kernel: str = ""
    line: int = 0
    times: int = 1
    shape: Shape | None = None


class _File(Struct, frozen=True):
    """The parts of the file whose form pages rely on; what else there is stays as it is."""

    schema: Annotated[int, Meta(ge=SCHEMAS[0], le=SCHEMAS[-1])]
    submission: Annotated[str, Meta(min_length=1)]
    device: Literal["cpu", "gpu"]
    verdict: VerdictWord
    failures: tuple[Failure, ...] = ()
    performance: tuple[Timing, ...] = ()
    noise_floor: Annotated[float, Meta(ge=0)] | None = None
    emulated: bool = False
    findings: tuple[Finding, ...] = ()


class Verdict(Struct, frozen=True):
    folder: Path
    raw: dict[str, Any]  # the whole of it, texts made visible
    submission: str
    device: str
    verdict: str
    failures: tuple[Failure, ...]
    timings: tuple[Timing, ...]
    noise: float | None = None  # how far the same code comes apart: 0.01 for 1 %
    emulated: bool = False  # GPU code that was run on a CPU: there are no times
    findings: tuple[Finding, ...] = ()

    @property
    def usable(self) -> bool:
        """Is its C right, be it with less precision? Only then is its speed worth a number."""
        return self.verdict in (CORRECT, REDUCED)

    @property
    def own(self) -> list[Timing]:
        """The submission's own times, in the rule's order; none where C was wrong."""
        return ([timing for timing in self.timings if timing.role == "submission"]
                if self.usable else [])

    @property
    def largest(self) -> Timing | None:
        """Its time at the largest shape that was measured."""
        return max((timing for timing in self.own if timing.measured),
                   key=lambda timing: timing.shape.work, default=None)

    def at(self, shape: Shape, name: str) -> Timing | None:
        """The time of an implementation, or of the "library", at a shape, where it was measured."""
        return next((timing for timing in self.timings if timing.shape == shape
                     and timing.measured and (timing.role == "library" if name == "library"
                                              else _same(timing.implementation, name))), None)

    @property
    def resources(self) -> list[dict[str, Any]]:
        """What the process that ran the submission says of its kernels. Whoever wrote the
        submission can have written this, too: only names and numbers are taken from it."""
        made = []
        for one in self.items("resources")[:MOST_KERNELS] if isinstance(self.items("resources"),
                                                                        list) else []:
            if isinstance(one, dict):
                numbers = {key: value for key, value in one.items() if type(value) in (int, float)
                           and abs(value) < 1e18}
                made.append(numbers
                            | {"kernel": str(one.get("kernel") or "unnamed")[:LONGEST_NAME]})
        return made

    @property
    def shapes(self) -> list[Shape]:
        """All that its page names, first those at which it was wrong or timed."""
        tried = [shape_of(one.get("shape")) for one in self.part("checks").get("list") or []]
        told = [*(one.shape for one in self.failures), *(one.shape for one in self.timings)]
        return [one for one in (*told, *tried) if one]

    def part(self, key: str) -> dict[str, Any]:
        """An object of the file; empty where it is null or missing."""
        return self.raw.get(key) or {}

    def items(self, key: str) -> list[Any]:
        return self.raw.get(key) or []


def ladder_of(raw: dict[str, Any]) -> dict[str, Any]:
    """The rungs of the ladder beside it, counted and predicted: "shape" as a text, "heads", "rows";
    empty where none are known. In schema 1 the shape was a text in the suite's order: rows,
    columns, inner."""
    found = (raw.get("explanation") or {}).get("ladder")
    if not isinstance(found, dict) or not found.get("rows"):
        return {}
    shape = found.get("shape")
    if isinstance(shape, str) and (sides := re.fullmatch(r"(\d+)×(\d+)×(\d+)", shape)):
        shape = {"M": int(sides[1]), "N": int(sides[3]), "K": int(sides[2])}
    named = shape_of(shape)
    return found | {"shape": named.words if named else ""}


# What msgspec expects, in words; of the fields with a list of allowed words, that list.
_EXPECTED = {"`str`": "a text", "`array`": "a list", "`object`": "an object",
             "`int`": "a whole number", "`float`": "a number"}
_ALLOWED = {"schema": ", ".join(map(str, SCHEMAS)), "device": "cpu, gpu",
            "verdict": ", ".join(VERDICTS), "role": "submission, ladder, library"}


def _refusal(file: Path, raw: dict[str, Any], error: msgspec.ValidationError) -> InputError:
    """File, key, value and what is allowed, in one line."""
    message, _, path = str(error).partition(" - at `$")
    path = path.removesuffix("`").removeprefix(".")
    value: Any = raw
    for name, place in re.findall(r"(\w+)|\[(\d+)\]", path):
        value = (value.get(name) if name and isinstance(value, dict) else value[int(place)]
                 if place else None)
    allowed = (_ALLOWED.get(path.rpartition(".")[2])
               or message.partition(", got")[0].removeprefix("Expected "))
    for written, said in _EXPECTED.items():
        allowed = allowed.replace(written, said)
    return InputError(f"{file}: {path or 'the whole of it'} = {json.dumps(value)[:80]}; allowed: "
                      f"{allowed}")


def load(folder: Path) -> Verdict:
    """The verdict in folder/verdict.json. Raises InputError in one line where it is not such a
    file."""
    file = folder / FILE
    try:
        with opened(file) as read:
            raw = json.loads(read.read(MOST_BYTES).decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{file}: not JSON ({error}); judge the submission again with --fresh") from error
    if not isinstance(raw, dict):
        raise InputError(f"{file}: a list or a value; allowed: the object that `gemmlab submit` "
                         "writes")
    return verdict_from(raw, folder)


def _in_order(value: Any) -> None:
    """Tells each shape in it that K is the inner dimension."""
    for one in value.values() if isinstance(value, dict) else value:
        if isinstance(one, (dict, list)):
            _in_order(one)
    if isinstance(value, dict) and value.keys() == {"M", "N", "K"}:
        value["inner"] = "K"


def verdict_from(raw: dict[str, Any], folder: Path) -> Verdict:
    """A verdict as it stands in folder/verdict.json, or will. Raises InputError in one line where
    it is none."""
    file, raw = folder / FILE, cleaned(raw)
    solve = raw.get("solve")
    if isinstance(solve, dict) and solve.get("inner") == "K":
        _in_order(raw)
    try:
        read = msgspec.convert(raw, _File)
    except msgspec.ValidationError as error:
        raise _refusal(file, raw, error) from error
    return Verdict(folder, raw, read.submission, read.device, read.verdict, read.failures,
                   read.performance, read.noise_floor, read.emulated, read.findings)
