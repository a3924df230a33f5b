"""Sets of records with one thing wrong in each: every field of a good line, given values that no
program writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

from make_data import DATA

Line = dict[str, Any]
Place = tuple[str | int, ...]
KINDS = ("run", "case", "cost", "counters")


def nested(depth: int) -> Any:
    """[[[…]]]"""
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


BAD = {"null": None, "text": "x", "empty": "", "number": 7, "negative": -4.61, "zero": 0,
       "huge": 1e308, "nan": float("nan"), "infinite": float("inf"), "big": 10**30, "true": True,
       "list": [], "nulls": [None, None], "texts": ["x", "y"], "object": {}, "objects": [{"x": 1}],
       "surrogate": "\ud800", "control": "\x00\x1b[31m\u202e", "long": "x" * 100_000,
       "formula": "=HYPERLINK(\"http://x\")", "markup": "<script>alert(1)</script>",
       "mathematics": "$\\frac{1$ ^_", "path": "../../../x", "nested": nested(40),
       "nested-further": nested(300)}


def good_lines() -> list[Line]:
    """A run with two tables and two figures, CPU and GPU points with a twin, a first call, a cost
    and counters."""
    def of(experiment: str) -> list[Line]:
        return [json.loads(line) for line in (DATA / "bench" / f"{experiment}.jsonl")
                .read_text(encoding="utf-8").splitlines()]

    evidence = of("evidence")
    run = deepcopy(evidence[0])
    size = evidence[1]["m"]
    cases = [line for line in evidence if line["kind"] == "case" and line["m"] == size][:4]
    counters = next(line for line in evidence if line["kind"] == "counters")
    counted = next(line for line in evidence
                   if line["kind"] == "case" and line["case_id"] == counters["case_id"])
    twin = cases[0] | {"case_id": "twin", "twin_of": cases[0]["case_id"], "label": "again"}
    first = next(line for line in of("first_call") if line["kind"] == "case") | {
        "experiment": run["experiment"], "run_id": run["run_id"], "host_memory": "pinned",
        "allocation": "counted", "throttle_reasons": ["power"], "throttled": True,
        "clock_mhz": 1500.0, "warnings": ["a warning"]}
    baseline = {"implementation": cases[0]["implementation"]}
    run["definition"] |= {"tables": [{"kind": "speedup", "baseline": baseline,
                                      "group": cases[0]["group"], "title": "Faster",
                                      "labels": [case["label"] for case in cases]},
                                     {"kind": "counters"}],
                          "figures": [{"kind": "gflops_vs_size"}, {"kind": "first_call"}],
                          "lines": [case["label"] for case in cases],
                          "left_out": [{"implementation": "gpu.x", "reason": "no CUDA"}]}
    cost = next(line for line in evidence if line["kind"] == "cost")
    return [run, *cases, counted, first, twin, cost, counters]


def places(value: Any, before: Place = ()) -> Iterator[Place]:
    """Where anything stands in a line: of a list, its first entry."""
    entries = (value.items() if isinstance(value, dict) else enumerate(value[:1])
               if isinstance(value, list) else ())
    for key, inner in entries:
        yield (*before, key)
        yield from places(inner, (*before, key))


def changed(line: Line, place: Place, value: Any) -> Line:
    """The line with another value there."""
    line = deepcopy(line)
    inner: Any = line
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return line


def mutations(lines: list[Line]) -> Iterator[tuple[str, int, Place]]:
    """(kind of line, its number from 0, place) of every field of the first line of each kind, and
    of the first call."""
    first = {kind: next(number for number, line in enumerate(lines) if line["kind"] == kind)
             for kind in KINDS}
    calls = next(number for number, line in enumerate(lines) if line.get("first_call_s"))
    for kind, number in (*first.items(), ("case", calls)):
        for place in places(lines[number]):
            yield kind, number, place


def write(folder: Path, lines: list[Line], name: str = "evidence") -> Path:
    """The lines as a results file; NaN and lone surrogates as a careless program writes them."""
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return folder
