"""The first multiplication of a fresh process as one bar in its phases, a bar per mode; a panel per
device and shape."""

from __future__ import annotations

from dataclasses import replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from analysis.memory.first_calls import REST, Panel, beside_text, panels, phase_text
from analysis.memory.first_calls import first_call_described as described
from analysis.memory.first_calls import first_call_finding as finding
from analysis.tables.kind import FigureKind
from analysis.tables.tables import sentences
from language import say
from records.names.numbers import counted, ends_of, time_unit
from records.schema.operations import shape_text
from records.view import View

from .drawing import layout, style
from .drawing.beside import bare
from .drawing.charts import error_ends

MOST_ROWS, MOST_PANELS = 12, 4
NAME_WIDTH = 26
LEGEND_COLUMNS = 4
ROW_IN, RIGHT_IN, LEGEND_IN = 0.38, 2.15, 0.18
# Colour and hatch by phase; one that is not known takes the last.
LOOKS = {"context": ("#0072B2", ""), "allocation": ("#cccccc", "///"), "copies": ("#E69F00", ""),
         "prepare": ("#CC79A7", "\\\\\\"), "module": ("#009E73", "..."),
         "kernel": ("#D55E00", "xxx"), REST: ("#dddddd", "")}


def figure(view: View) -> Figure | str:
    """Bars of the phases' medians from zero, each panel on a scale of its own."""
    every = panels(view)
    if not every:
        return say("No point has the scope first-call, so there is no first call to draw.")
    found = [replace(panel, calls=panel.calls[:MOST_ROWS]) for panel in every[:MOST_PANELS]]
    beyond = sum(len(panel.calls) for panel in every) - sum(len(panel.calls) for panel in found)
    note = sentences(say("Medians over fresh processes; error bars: 95 % interval of the whole "
                         "call. Each panel has its own scale."),
                     say("{what}: see the table.", what=counted(beyond, "more row")) if beyond
                     else "")
    phases = [phase for phase in LOOKS
              if any(phase in call.phases for panel in found for call in panel.calls)]
    phases += dict.fromkeys(phase for panel in found for call in panel.calls
                            for phase in call.phases if phase not in LOOKS)
    words = max(len(line) for panel in found for call in panel.calls
                for line in layout.wrapped(call.name, NAME_WIDTH).split("\n"))
    drawn, all_axes = layout.figure_with(
        view, len(found), [ROW_IN * len(panel.calls) for panel in found],
        title=finding(view), left_in=0.3 + 0.075 * words, right_in=RIGHT_IN, note=note,
        legend_in=LEGEND_IN * -(-len(phases) // LEGEND_COLUMNS))
    for axes, panel in zip(all_axes, found):
        _panel(axes, panel)
    _legend(all_axes[0], phases)
    return drawn


def _panel(axes: Axes, panel: Panel) -> None:
    calls = panel.calls
    axes.set_ylim(len(calls) - 0.5, -0.5)
    totals = [(call.case.median_s, *ends_of(call.case.ci95_s)) for call in calls]
    axes.set_xlim(0, 1.02 * max(end for call, total in zip(calls, totals)
                                for end in (sum(call.phases.values()), *total) if end is not None))
    scale, unit = time_unit(axes.get_xlim()[1])
    for place, (call, total) in enumerate(zip(calls, totals)):
        start = 0.0
        for phase, seconds in call.phases.items():
            colour, hatch = LOOKS.get(phase, LOOKS[REST])
            axes.barh(place, seconds, 0.62, left=start, color=colour, hatch=hatch,
                      edgecolor="white", linewidth=0.4)
            start += seconds
        axes.errorbar([total[0]], [place], xerr=error_ends([total]), linestyle="none",
                      color="#222222", capsize=2, elinewidth=0.9)
        axes.annotate(beside_text(call), (1, place), xycoords=axes.get_yaxis_transform(),
                      xytext=(6, 0), va="center", textcoords="offset points", fontsize=7.5,
                      linespacing=1.15, annotation_clip=False)
    axes.set_yticks(range(len(calls)), [layout.wrapped(call.name, NAME_WIDTH) for call in calls])
    bare(axes)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / scale:g}"))
    axes.set_title(say("{device} at {shape}, time in {unit}", device=panel.device.upper(),
                       shape=shape_text(*panel.shape), unit=unit))


def _legend(axes: Axes, phases: list[str]) -> None:
    """One for all panels, above the first one's title."""
    looks = [LOOKS.get(phase, LOOKS[REST]) for phase in phases]
    handles = [axes.barh(0, 0, color=colour, hatch=hatch, edgecolor="white").patches[0]
               for colour, hatch in looks]
    figure = style.figure_of(axes)
    above = axes.get_position().y1 + 0.27 / figure.get_figheight()
    figure.legend(handles, [phase_text(phase) for phase in phases], loc="lower left",
                  ncols=LEGEND_COLUMNS, bbox_to_anchor=(0.1 / layout.WIDTH_IN, above),
                  borderaxespad=0, handlelength=1.2, columnspacing=1.2)


KIND = FigureKind(
    title="phase by phase",
    about="the first call in a process as one bar in its phases, a bar per mode",
    has=lambda case: bool(case.first_call_s),
    figure=figure,
    finding=finding,
    described=described)
