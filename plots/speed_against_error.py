"""What each method computes with its largest error and its rate, a point each, at one shape: what
fewer digits buy. Errors are those that the checks found, in units of 2^-24 of the sum of absolute
terms, as docs/method.md has them."""

from __future__ import annotations

from dataclasses import replace

from matplotlib.figure import Figure

from analysis.tables.heads import Head, with_remark
from analysis.tables.kind import FigureKind, Section
from analysis.tables.tables import sentences
from language import recorded, say
from records.cases.case import Case
from records.cases.phrases import unsound
from records.cases.series import series_of
from records.names.naming import look_of
from records.names.numbers import counted, plain
from records.schema.operations import GEMM, by_volume, shape_text
from records.view import View, cases_of

from .drawing import layout
from .drawing.looks import apart


def _has_error(case: Case) -> bool:
    return bool(case.eta_max)


def points_of(view: View) -> list[Case]:
    """In the definition's order, those with an error at the shape that most methods have; of such
    the largest."""
    at: dict[tuple, list[Case]] = {}
    for line in series_of(case for case in view.shown if _has_error(case)):
        for shape, case in line.by_shape.items():
            at.setdefault((shape, case.regime[:3]), []).append(case)
    return max(at.values(), key=lambda cases: (len(cases), by_volume(cases[0].shape)), default=[])


def _error(case: Case) -> float:
    return case.eta_max or 0.0


def _ends(points: list[Case]) -> tuple[Case, Case]:
    """The fastest of those with the least error, within a factor of four, and the fastest of all,
    without what was handed converted operands."""
    whole = [case for case in points if case.parameters.get("operands") != "resident"] or points
    least = min(map(_error, whole))
    exact = [case for case in whole if _error(case) <= 4 * least]
    return max(exact, key=lambda case: case.rate), max(whole, key=lambda case: case.rate)


def finding(view: View) -> str:
    points = points_of(view)
    if not points:
        return ""
    exact, fastest = _ends(points)
    if exact is fastest:
        return say("At {shape} nothing is faster than {name}, whose error is among the smallest",
                   shape=shape_text(*exact.shape), name=exact.name)
    return say("At {shape} on {inputs} inputs {name} has {rate} {unit} with errors to {error} "
               "units, {other} {other_rate} with {other_error}", shape=shape_text(*exact.shape),
               inputs=recorded(exact.distribution), name=exact.name, rate=plain(exact.rate),
               unit=exact.rate_unit, error=plain(_error(exact)), other=fastest.name,
               other_rate=plain(fastest.rate), other_error=plain(_error(fastest)))


def head(section: Section) -> Head | None:
    """The finding of the first figure of this kind that the section asks for."""
    spec = next(spec for spec in section.wanted if spec["kind"] == "speed_against_error")
    view = replace(section.view, cases=cases_of(section.view, spec))
    points = points_of(view)
    return Head(with_remark(finding(view), unsound(*_ends(points)))) if points else None


def counts_text(view: View) -> str:
    points = points_of(view)
    left = sum(_has_error(case) for case in view.shown) - len(points)
    drawn = say("{points} drawn", points=counted(len(points), "point"))
    return say("{drawn}; {left} of other shapes: see the table.", drawn=drawn,
               left=counted(left, "point")) if left else say("{drawn}.", drawn=drawn)


def _label(case: Case) -> str:
    if not case.energy_j_per_call:
        return case.name
    return say("{name}, {joules} J", name=case.name, joules=plain(case.energy_j_per_call))


def figure(view: View) -> Figure | str:
    """The error logarithmic, the rate from zero unless rates span more than fits such a scale."""
    points = points_of(view)
    if len(points) < 2:
        return say("No two methods have an error and a rate at one shape.")
    names = [_label(case) for case in points]
    note = sentences(say("A unit of the error is 2⁻²⁴ of the sum of absolute terms, the largest of "
                         "all elements that were checked."),
                     say("J: of one product, without a pause.")
                     if any(case.energy_j_per_call for case in points) else "")
    drawn, (axes,) = layout.figure_with(view, 1, max(2.6, 0.24 * len(points)), note=note,
                                        title=finding(view), counts=counts_text(view),
                                        right_in=layout.room_for(names))
    looks = apart(look_of(case) for case in points)
    for case, look in zip(points, looks):
        axes.plot([_error(case)], [case.rate], linestyle="none", marker=look.marker, markersize=7,
                  color=look.colour)
    axes.set_xscale("log")
    axes.set_xlim(min(map(_error, points)) / 2, max(map(_error, points)) * 2)
    if layout.needs_log([case.rate for case in points]):
        axes.set_yscale("log")
    else:
        axes.set_ylim(0, max(case.rate for case in points) * 1.08)
    for axis in (axes.xaxis, axes.yaxis):
        layout.number_ticks(axis)
    axes.set_xlabel(say("largest error, in units"))
    axes.set_ylabel(points[0].rate_unit)
    axes.set_title(shape_text(*points[0].shape))
    layout.label_ends(axes, [(name, _error(case), case.rate, look)
                             for name, case, look in zip(names, points, looks)])
    return drawn


KIND = FigureKind(
    title="speed against error",
    about="rate over the largest error at one shape, a point per method: what fewer digits buy",
    of=GEMM,
    has=_has_error,
    figure=figure,
    counts_text=counts_text,
    finding=finding,
    heads=(head,),
    before=2)
