"""Sets of records, definitions and traces with a few things wrong in each: the same for the same
seed."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MACHINE = ROOT / "data" / "results" / "intel-xeon-nvidia-h200"
SAMPLES = ROOT / "tests" / "samples" / "data" / "workstation"
Line = dict[str, Any]

STRIDE = 37  # between one field and the next, so that few seeds reach far
DEEP = 12  # places further inside are not looked for
ABSOLUTE = "/tmp/gemmlab-fuzz-escaped"  # nothing may ever be there
WORDS = ("", "x", "../../escaped", ABSOLUTE, "a/b", ".", "..", "-", "\x00", "a\nb", "\x1b[31m",
         "\u202e", "\u009b", "é" * 200, "µ", "=1+1", "[v1]", "$x$", "<b>", "%d{0}", "{block}",
         "CON", "nan", "gemm", "cpu", "gpu", "ok", "2999-12-31T23:59:59Z", "0000-00-00",
         "9999-99-99T99:99:99Z", "1970-01-01T00:00:00+99:99", "x" * 3000)
# what may come to be a file's name
NAMES = ("experiment", "name", "label", "group", "machine", "kind")
PATHS = ("../../escaped", "../escaped", ABSOLUTE, "a/b", "..", "\x00", "x\ny", "x" * 280,
         "\u202e.jsonl", ".hidden", "report", "é" * 150)
NUMBERS = (0, -1, 1, 2, 7, 10**6, 2**31, 2**53, 2**63, 10**30, -(10**30), 0.5, -0.5, 1e-320, 1e308,
           -1e308, float("nan"), float("inf"))


def nested(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


def strange(random: Random) -> Any:
    """A value that stands anywhere in somebody's file."""
    kind = random.randrange(8)
    if kind < 3:
        return random.choice(WORDS)
    if kind < 6:
        return random.choice(NUMBERS)
    return random.choice((None, True, False, [], {}, [None], ["x"], [1, 2], {"x": 1}, [[1]],
                          nested(40), nested(500)))


@cache
def _sets() -> list[list[Line]]:
    """Good lines: a run with some of its points, and what else its file has."""
    found = []
    for file in (*(MACHINE / f"{name}.jsonl" for name in ("quick", "memory", "spmv", "transfers",
                                                          "gpu_counts", "first_call", "gemv")),
                 *sorted(SAMPLES.glob("*.jsonl"))):
        with file.open(encoding="utf-8") as opened:
            lines = []
            for text in islice(opened, 400):
                try:
                    lines.append(json.loads(text))
                except ValueError:  # torn, as a sample is on purpose
                    continue
        runs = [line for line in lines if line["kind"] == "run"][:2]
        others = [line for line in lines if line["kind"] not in ("run", "case")][:3]
        found.append([*runs, *[line for line in lines if line["kind"] == "case"][:14], *others])
    return found


def _places(value: Any, before: tuple = ()) -> list[tuple]:
    if len(before) == DEEP:
        return []
    entries = (value.items() if isinstance(value, dict) else enumerate(value[:3])
               if isinstance(value, list) else ())
    return [place for key, inner in entries
            for place in ((*before, key), *_places(inner, (*before, key)))]


def _as_newer(lines: list[Line]) -> None:
    """Dimensions and rates where newer records have them."""
    for line in lines:
        if line["kind"] == "case" and "m" in line:
            line |= {"operation": "gemm", "dims": {name: line.pop(name) for name in "mnk"},
                     "rates": {"gflop_per_s": line.pop("gflop_per_s", None)}}


def _change_in_turn(number: int, lines: list[Line]) -> None:
    """Of a line of each kind, field after field: without it, then with what no program writes
    there."""
    kinds = sorted({line["kind"] for line in lines})
    line = next(one for one in lines if one["kind"] == kinds[number % len(kinds)])
    places = _places(line)
    turn = number // len(kinds)
    _change(Random(number), line, places[turn // 2 * STRIDE % len(places)], 2 * (turn % 2))


def _change_field(random: Random, lines: list[Line]) -> None:
    line = random.choice(lines)
    if places := _places(line):
        _change(random, line, random.choice(places), random.randrange(4))


def _change(random: Random, line: Line, place: tuple, what: int) -> None:
    """What: 0 without it, 1 under another name where it has one, else with another value."""
    *path, last = place
    inner = line
    for key in path:
        inner = inner[key]
    if what == 0:
        del inner[last]
    elif what == 1 and isinstance(inner, dict):
        inner[random.choice(WORDS)] = inner.pop(last)
    elif last in NAMES and random.random() < 0.5:
        inner[last] = random.choice(PATHS)
    else:
        inner[last] = strange(random)


def _change_order(random: Random, lines: list[Line]) -> None:
    what = random.randrange(4)
    if what == 0:
        random.shuffle(lines)
    elif what == 1:
        lines.append(deepcopy(random.choice(lines)) | {"run_id": random.choice(WORDS)})
    elif what == 2:
        del lines[random.randrange(len(lines))]
    else:
        line = random.choice(lines)
        line["dims"] = dict(sorted((line.get("dims") or {}).items()))


def _broken(random: Random, data: bytes) -> bytes:
    """Bytes lost, changed or added."""
    at = random.randrange(max(len(data), 1))
    return random.choice((
        data[:at], data[:at] + bytes(random.randrange(256) for _ in range(8)) + data[at + 8:],
        data[:at] + b"\n" + data[at:], data[:at] + b"\x00" * 64 + data[at:],
        data[:at] + b"[" * 20_000 + data[at:], b"\xef\xbb\xbf" + data, data.replace(b"\n", b"\r\n"),
        data[:at] + data, data + b"{" + b'"x":' * 9 + b"1"))


def _text(lines: list[Line]) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def _changed(random: Random, lines: list[Line], times: int, of_fields: float,
             broken: float) -> bytes:
    """The lines as text after so many changes, this share of them of a field; that share of texts
    is broken as such, too."""
    for _ in range(times):
        (_change_field if random.random() < of_fields else _change_order)(random, lines)
        if not lines:
            break
    data = _text(lines)
    return _broken(random, data) if random.random() < broken else data


def records(seed: int) -> bytes:
    """A file of records."""
    random = Random(f"records {seed}")
    turn, place = divmod(seed, len(_sets()))
    lines = deepcopy(_sets()[place])
    if turn % 3:
        _as_newer(lines)
    _change_in_turn(turn, lines)
    return _changed(random, lines, random.randint(0, 3), of_fields=0.85, broken=0.15)


TRACED = {"function": "cblas_sgemm", "operands": "host", "m": 8, "n": 6, "k": 4,
          "transpose_a": True, "transpose_b": False, "alpha": 0.7, "beta": 1.0, "lda": 10, "ldb": 6,
          "ldc": 6, "type": "bfloat16", "result": "float32", "bias": False, "batch": 1, "by": "cpu.packed", "reason": "", "calls": 3, "timed_calls": 3,
          "seconds": 0.25}


def trace(seed: int) -> bytes:
    """A file of GEMMLAB_TRACE."""
    random = Random(f"trace {seed}")
    lines: list[Line] = [{**TRACED, "m": side, "n": side, "k": side, "lda": side,
                          "ldb": side, "ldc": side, "seconds": 1 / side}
                         for side in random.sample(range(1, 300), random.randint(1, 8))]
    return _changed(random, lines, random.randint(1, 3), of_fields=0.9, broken=0.2)


VALUES = ("", "0", "-1", "1e400", "nan", "inf", "99999999999999999999", "true",
          "\"\"", "\"x\"", "\"../../escaped\"", f"\"{ABSOLUTE}\"", "[]", "[[]]", "{}",
          "{ from = 1, to = 8, factor = 2 }", "{ from = 1, to = 1e9, step = 0 }",
          "{ from = 1, to = 9000000000, factor = 1 }", "[1, \"a\"]", "2026-01-01",
          "\"\\u0000\"", "'''a\nb'''", "\"{block}\"", "[" * 300 + "]" * 300, "[" * 9000,
          "{a=" * 5000 + "1" + "}" * 5000, "[" + "1, " * 30_000 + "1]", "\"" + "x" * 5000 + "\"",
          "cpu.ikj", "\"cpu.ikj\"", "\"gpu.*\"", "\"*\"", "0x10", "1_000")
KEYS = ("a." * 20_000 + "a = 1", "[" + "b." * 9000 + "b]", "[[group]]", "[[table]]",
        "[[group.run]]", "[settings]", "size = [1, 2]", "size = 100000000", "name = \"x\"",
        "kind = \"x\"", "threads = [1, 0, -1]", "block = 1000000", "\"\" = 1", "a.\"b.c\".d = 1",
        "x", "= 1", "# " + "." * 5000, "title = \"" + "." * 5000 + "\"", "\x00", "\x1b]0;x\x07",
        "size_above = -5", "precision = 0", "max_time_s = 1e300")


@cache
def _definitions() -> list[list[str]]:
    return [path.read_text(encoding="utf-8").splitlines()
            for path in sorted((ROOT / "experiments").glob("*.toml"))]


def definition(seed: int) -> bytes:
    """A TOML file of an experiment."""
    random = Random(f"definition {seed}")
    lines = list(random.choice(_definitions()))
    for _ in range(random.randint(1, 4)):
        at, what = random.randrange(len(lines)), random.randrange(6)
        if what == 0 and len(lines) > 1:
            del lines[at]
        elif what == 1:
            lines.insert(at, random.choice(lines))
        elif what == 2:
            lines.insert(at, random.choice(KEYS))
        elif "=" in lines[at]:
            lines[at] = f"{lines[at].partition('=')[0]}= {random.choice(VALUES)}"
    data = "\n".join(lines).encode("utf-8", "surrogatepass") + b"\n"
    return _broken(random, data) if random.random() < 0.15 else data
