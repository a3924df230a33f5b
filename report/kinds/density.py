"""Sparse beside dense: at which density the dense product becomes the faster one."""

from __future__ import annotations

from collections import Counter

from analysis.tables.densities import SPARSE, density_finding, density_table
from analysis.tables.heads import Head
from analysis.tables.kind import Section, TableKind
from analysis.tables.rates import Rivals
from language import recorded, say
from records.cases.case import Case
from records.cases.phrases import quoted
from records.cases.ratios import geometric_mean, speedup
from records.cases.series import Shape
from records.names.numbers import ratio_text
from records.view import View
from report.kinds.rates import DEVICES, rates_head

PATTERN, USUAL = "pattern", "uniform"


def _places(view: View, device: str) -> dict[str, dict[Shape, list[Case]]]:
    """pattern -> shape -> its points, where there are two or more."""
    found: dict[str, dict[Shape, list[Case]]] = {}
    for case in view.shown:
        if (case.operation == SPARSE and case.device == device and not case.copy
                and case.precision == "fp32"):
            pattern = str(case.options.get(PATTERN, USUAL))
            found.setdefault(pattern, {}).setdefault(case.shape, []).append(case)
    return {pattern: there for pattern, shapes in found.items()
            if (there := {shape: cases for shape, cases in shapes.items() if len(cases) > 1})}


def _fastest(shapes: dict[Shape, list[Case]]) -> str:
    """"merge path", or "merge path at 2 of 3 shapes"."""
    (name, count), *_ = Counter(min(cases, key=lambda case: case.median_s).name
                                for cases in shapes.values()).most_common()
    return quoted(name) if count == len(shapes) else say(
        "{name} at {count} of {all} shapes", name=quoted(name), count=count, all=len(shapes))


def _libraries(cases: list[Case]) -> int:
    """How many libraries, or ways of one, were measured."""
    return len({case.name for case in cases if case.library})


def pattern_sentence(view: View, device: str) -> str:
    """"Fastest on the GPU by pattern: uniform merge path; banded adaptive. Our best is 1.12 times
    the library ..."."""
    places = _places(view, device)
    if not places:
        return ""
    text = say("Fastest on the {device} by pattern: {parts}.", device=device.upper(),
               parts=say("; ").join(
                   say("{pattern}: {name}", pattern=recorded(pattern), name=_fastest(shapes))
                   for pattern, shapes in places.items()))
    rivals = Rivals(view.shown)
    ratios = []
    every = [cases for shapes in places.values() for cases in shapes.values()]
    most = max(_libraries(cases) for cases in every)
    # elsewhere the fastest library was not asked
    for cases in (cases for cases in every if _libraries(cases) == most):
        own = [case for case in cases if not case.library]
        rival = rivals.of(cases[0])
        if own and rival is not None:
            ratios.append(speedup(rival, min(own, key=lambda case: case.median_s)).value)
    if ratios:
        text += say(" ") + say(
            "Our best of each matrix is {mean} times as fast as the fastest library in geometric "
            "mean over the {count} matrices that most libraries were measured on, {worst} times at "
            "worst; what a library prepares for a matrix is not timed.",
            mean=ratio_text(geometric_mean(ratios)), count=len(ratios),
            worst=ratio_text(min(ratios)))
    return text


def density_head(section: Section) -> Head | None:
    """Up to which density sparse is faster; and which kernel is the fastest for which pattern."""
    finding = density_finding(section.view)
    patterns = tuple(text for device in DEVICES if (text := pattern_sentence(section.view, device)))
    return Head(finding, patterns) if finding else rates_head(section)


KIND = TableKind(title="sparse against dense",
                 about="spmv beside gemv of the same size, a row per line and density: up to which "
                 "density sparse is faster",
                 table=density_table,
                 heads=(density_head,),
                 before=3)
