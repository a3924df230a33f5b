"""Rules on a sweep: powers of two that fall behind, and numbers that were not made alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from language import say
from records.cases.case import Case
from records.names.numbers import counted, joined, plain
from records.schema.operations import GEMM, is_square

from .finding import Finding, note
from .look import Look

NEAR = 0.02  # of the size
BEHIND = 0.8  # of the neighbours' GFLOP/s
LEAST_SIZE = 64


def _is_power(size: int) -> bool:
    return size & (size - 1) == 0


def powers_of_two(look: Look) -> Iterator[Finding]:
    """Squares of 2^n that reach less than BEHIND of the mean of what lies within NEAR of them."""
    lines: dict[tuple, dict[int, Case]] = defaultdict(dict)
    for case in look.plain:
        if case.operation == GEMM and is_square(case.shape) and case.m >= LEAST_SIZE:
            lines[case.implementation, case.label, case.group, case.regime,
                  case.host][case.m] = case
    behind: dict[str, list[tuple[float, Case, list[int]]]] = defaultdict(list)
    for (implementation, *_), cases in lines.items():
        sizes = sorted(cases)
        for place, size in enumerate(sizes):
            if not _is_power(size):
                continue
            near = [other for other in sizes[max(place - 4, 0):place + 5]
                    if not _is_power(other) and abs(other - size) <= NEAR * size]
            if near:
                share = cases[size].rate / (sum(cases[other].rate for other in near) / len(near))
                if share < BEHIND:
                    behind[implementation].append((share, cases[size], near))
    for implementation, found in sorted(behind.items()):
        share, case, near = min(found, key=lambda entry: entry[0])
        more = say(", and falls behind at {points}",
                   points=counted(len(found) - 1, "more point")) if len(found) > 1 else ""
        yield note("power-of-two",
                   say("{implementation} ({label}) reaches {rate} GFLOP/s at {size}, {share} % of "
                       "its neighbours {near}{more}.", implementation=implementation,
                       label=case.name, rate=plain(case.rate),
                       size=case.m, share=plain(100 * share, 0),
                       near=joined([str(size) for size in near]), more=more),
                   say("Rows a power of two apart fall into the same cache sets or memory banks: "
                       "pad the rows, copy blocks into a buffer, or walk along rows."))


def _makers(look: Look) -> int:
    """How many programs or builds the points come from: fingerprints of one implementation, where
    all points have one (other sources that a point does not depend on make no difference), else
    sources and flags of the runs."""
    shown = [case for case in look.cases if case.shown]
    if shown and all(case.fingerprint for case in shown):
        made: dict[str, set[str]] = defaultdict(set)
        for case in shown:
            made[case.implementation].add(case.fingerprint)
        return max(map(len, made.values()))
    return len({(str((run.get("program") or {}).get("source_sha256") or ""),
                 str((run.get("build") or {}).get("flags") or "")) for run in look.runs})


def mixed_sources(look: Look) -> Iterator[Finding]:
    """The points that stand side by side were made by different programs or builds."""
    made = _makers(look)
    if made > 1:
        yield note("mixed-sources", say("The points come from {runs} runs with {made} different "
                                        "sources or builds.", runs=len(look.runs), made=made),
                   say("Measure the whole experiment again with --fresh before you compare its "
                       "points."))


RULES = (powers_of_two, mixed_sources)
