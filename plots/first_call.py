"""The first multiplication of a fresh process, split into its phases, with a steady call beside: one row a label."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import median

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from report.case import Case
from report.evidence_tables import first_calls, phase_name, phases_of, steady_ratio
from report.kind import FigureKind
from report.language import say
from report.numbers import counted, plain, shape_text, time_unit
from report.series import Series, series_of, shapes_of
from report.tables import sentences
from report.view import View

from . import layout, style
from .charts import error_ends

MOST_ROWS = 24
NAME_WIDTH = 34
LEGEND_COLUMNS = 4


def part(view: View) -> View:
    """The shape at which most is known, the largest such."""
    cases = first_calls(list(view.cases))
    best = max(shapes_of(cases), key=lambda shape: (sum(case.shape == shape for case in cases), math.prod(shape)), default=None)
    return replace(view, cases=tuple(case for case in view.cases if case.shape == best),
                   absent=tuple(case for case in view.absent if case.shape == best))


def figure(view: View) -> Figure | str:
    """Bars of the phases' medians from zero; the thin bar below is the steady call, with how often it fits."""
    every = first_calls(list(view.cases))
    if not every:
        return say("plot.no_first_call")
    view = part(view)
    series = series_of(first_calls(list(view.cases)))
    rows = series[:MOST_ROWS]
    shapes = shapes_of(every)
    note = sentences(
        say("plot.fresh"), say("plot.one_shape", shapes=counted(len(shapes), "shape")) if len(shapes) > 1 else "",
        say("plot.see_table", what=counted(len(series) - len(rows), "more row")) if len(series) > len(rows) else "")
    parts = _parts(rows)
    above = -(-(len(parts) + 1) // LEGEND_COLUMNS)
    words = max(len(line) for one in rows for line in layout.wrapped(one.name, NAME_WIDTH).split("\n"))
    drawn, (axes,) = layout.figure_with(view, 1, 0.5 + 0.42 * len(rows), left_in=0.35 + 0.075 * words, right_in=2.0,
                                        note=note, above_in=0.17 * above)
    _bars(axes, rows, parts)
    axes.set_title(say("plot.first_call", shape=shape_text(*series[0].first.shape)), pad=8 + 12.5 * above)
    return drawn


Part = tuple[str, str, str, list[float]]  # name, colour, hatch, seconds a row


def _parts(rows: list[Series]) -> list[Part]:
    """The phases, and what is in none of them where that is more than 2 % of some row."""
    phases = phases_of([one.first for one in rows])
    parts = [(phase_name(name), style.COLOURS[place % style.MOST_LINES], style.HATCHES[place % style.MOST_LINES],
              [_phase(one.first, name) for one in rows]) for place, name in enumerate(phases)]
    rest = [max(one.first.median_s - sum(_phase(one.first, name) for name in phases), 0.0) for one in rows]
    if any(left > 0.02 * one.first.median_s for left, one in zip(rest, rows)):
        parts.append((say("plot.rest"), "#cccccc", "", rest))
    return parts


def _bars(axes: Axes, rows: list[Series], parts: list[Part]) -> None:
    axes.set_ylim(len(rows) - 0.4, -0.6)
    starts = [0.0] * len(rows)
    for name, colour, hatch, widths in parts:
        axes.barh(range(len(rows)), widths, 0.5, left=starts, color=colour, hatch=hatch, edgecolor="white", linewidth=0.4,
                  label=name)
        starts = [start + width for start, width in zip(starts, widths)]
    axes.set_xlim(0, 1.04 * max(*starts, *((one.first.ci95_s or (0, one.first.median_s))[1] for one in rows)))
    totals = [(one.first.median_s, *(one.first.ci95_s or (None, None))) for one in rows]
    axes.errorbar([total for total, *_ in totals], range(len(rows)), xerr=error_ends(totals), linestyle="none",
                  color="#222222", capsize=2, elinewidth=0.9)
    steady = [median(one.first.steady_s) if one.first.steady_s else 0.0 for one in rows]
    axes.barh([place + 0.33 for place in range(len(rows))], steady, 0.12, color="#222222", label=say("plot.steady"))
    for place, (one, start, later) in enumerate(zip(rows, starts, steady)):
        end = max(start, later, (one.first.ci95_s or (0, 0))[1])
        axes.annotate(_words(one.first, later), (end, place), xytext=(5, 0), textcoords="offset points",
                      va="center", fontsize=7.5, annotation_clip=False)
    axes.set_yticks(range(len(rows)), [layout.wrapped(one.name, NAME_WIDTH) for one in rows])
    axes.grid(axis="y", visible=False)
    axes.tick_params(length=0, axis="y")
    scale, unit = time_unit(axes.get_xlim()[1])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / scale:g}"))
    axes.set_xlabel(say("plot.seconds", unit=unit))
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.005), ncols=LEGEND_COLUMNS, borderaxespad=0, handlelength=1.2, columnspacing=1.2)


def _phase(case: Case, name: str) -> float:
    values = case.first_call_s.get(name)
    return median(values) if values else 0.0


def _words(case: Case, steady: float) -> str:
    """"412 ms: 342 times\\nthe steady 1.20 ms"."""
    scale, unit = time_unit(case.median_s)
    ratio = steady_ratio(case)
    text = f"{plain(case.median_s / scale)} {unit}"
    if ratio is None:
        return text
    scale, unit = time_unit(steady)
    return say("plot.steady_times", time=text, value=plain(ratio.value), steady=f"{plain(steady / scale)} {unit}")


KIND = FigureKind(
    title="phase by phase",
    about="phases of the first call in a process, stacked",
    has=lambda case: bool(case.first_call_s),
    figure=figure,
    part=part)
