"""Joules of one product, a bar per implementation, with GFLOP/s per watt beside it."""

from __future__ import annotations

from matplotlib.figure import Figure

from analysis.answer.curves import energy_described, energy_finding, energy_note, energy_rows
from analysis.answer.energy import Spent
from analysis.answer.names import side, way_text
from analysis.answer.points import KERNEL, way_of
from analysis.tables.kind import FigureKind
from language import say
from records.names.naming import look_of
from records.names.numbers import counted, plain
from records.schema.operations import GEMM, shape_text
from records.view import View

from .drawing import layout

ROW_IN = 0.27
NAME_WIDTH = 34


def finding(view: View) -> str:
    return energy_finding(view)


def described(view: View) -> str:
    return energy_described(view)


def counts_text(view: View) -> str:
    """All of one size, which the axis names."""
    return say("All {points} shown.", points=counted(len(energy_rows(view)), "point"))


def _name(one: Spent) -> str:
    way = way_of(one.case)
    return (side(one.case) if one.case.device == "cpu"
            or way == KERNEL else say("{name}, {way}", name=side(one.case), way=way_text(way)))


def figure(view: View) -> Figure | str:
    """At the largest size of which most devices have an energy; logarithmic where the bars span
    more than fits a scale from zero."""
    rows = energy_rows(view)
    if not rows:
        return say("No point has an energy, so that there is nothing to draw.")
    names = [layout.wrapped(_name(one), NAME_WIDTH) for one in rows]
    drawn, (axes,) = layout.figure_with(
        view, 1, 0.35 + ROW_IN * len(rows), right_in=1.5,
        note=energy_note(view), title=finding(view), counts=counts_text(view),
        left_in=0.4 + 0.072 * max(len(line) for text in names for line in text.split("\n")))
    looks = [look_of(one.case) for one in rows]
    bars = axes.barh(range(len(rows)), [one.joules for one in rows], 0.7,
                     color=[look.colour for look in looks])
    for bar, one in zip(bars, rows):
        if one.case.scope != KERNEL:
            bar.set_alpha(0.55)
        axes.annotate(say("{joules} J · {rate} GFLOP/s/W", joules=plain(one.joules),
                          rate=plain(one.gflop_per_joule)),
                      (one.joules, bar.get_y() + bar.get_height() / 2), xytext=(4, 0),
                      textcoords="offset points", va="center", fontsize=8)
    axes.set_yticks(range(len(rows)), names, parse_math=False)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.tick_params(length=0, axis="y")
    axes.grid(axis="y", visible=False)
    if layout.needs_log([one.joules for one in rows]):
        axes.set_xscale("log")
        axes.set_xlim(min(one.joules for one in rows) / 2, max(one.joules for one in rows) * 1.3)
    else:
        axes.set_xlim(0, max(one.joules for one in rows) * 1.05)
    layout.number_ticks(axes.xaxis)
    axes.set_xlabel(say("joules of one product at {shape}", shape=shape_text(*rows[0].case.shape)))
    return drawn


KIND = FigureKind(
    title="energy",
    about="joules of one product, a bar per implementation, with GFLOP/s per watt",
    of=GEMM,
    has=lambda case: bool(case.energy_j_per_call),
    figure=figure,
    counts_text=counts_text,
    finding=finding,
    described=described)
