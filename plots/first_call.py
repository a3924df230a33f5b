"""What the first multiplication of a fresh process costs, as one bar in its phases, a bar per mode;
a panel per device and shape."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import median

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from analysis.tables.first_calls import first_calls, phase_name, phases_of, steady_ratio
from analysis.tables.kind import FigureKind
from analysis.tables.tables import sentences
from language import say
from records.cases.case import Case
from records.cases.series import Series, Shape, series_of
from records.names.numbers import counted, duration, ends_of, percent, plain, time_unit
from records.schema.operations import shape_text, volume
from records.view import View

from .drawing import layout, style
from .drawing.beside import bare
from .drawing.charts import error_ends

COPIES = ("transfer_in", "transfer_out")
REST = "rest"
LEAST_REST = 0.02  # of a call: less in no phase is not told


@dataclass(frozen=True)
class FirstCall:
    """One line at one shape: median seconds of each phase, the copies together, in the order in
    which they happen."""

    name: str
    case: Case
    phases: dict[str, float]

    @property
    def longest(self) -> str:
        return max(self.phases, key=lambda phase: self.phases[phase])

    @property
    def steady_s(self) -> float | None:
        """Of a later call in the same process."""
        return median(self.case.steady_s) if self.case.steady_s else None


@dataclass(frozen=True)
class Panel:
    """What is set side by side: the calls of one device at one shape."""

    device: str
    shape: Shape
    calls: tuple[FirstCall, ...]


def phase_text(phase: str) -> str:
    """What a phase of FirstCall.phases is called."""
    return say("copies of A, B and C") if phase == "copies" else say(
        "not in a phase") if phase == REST else phase_name(phase)


def _call(series: Series, case: Case) -> FirstCall:
    medians = {phase: median(case.first_call_s[phase]) for phase in phases_of([case])}
    phases: dict[str, float] = {}
    for phase, seconds in medians.items():
        key = "copies" if phase in COPIES else phase
        phases[key] = phases.get(key, 0.0) + seconds
    rest = case.median_s - sum(phases.values())
    if rest > LEAST_REST * case.median_s:
        phases[REST] = rest
    return FirstCall(series.name, case, phases)


def panels(view: View) -> list[Panel]:
    """GPU before CPU, then the shape at which most is known first; lines in the order of the
    definition."""
    found: dict[tuple[str, Shape], list[FirstCall]] = {}
    for series in series_of(first_calls(list(view.cases))):
        for case in series.cases:
            found.setdefault((case.device, case.shape), []).append(_call(series, case))
    order = sorted(found, key=lambda key: (key[0] != "gpu", -len(found[key]), volume(key[1])))
    return [Panel(device, shape, tuple(found[device, shape])) for device, shape in order]


def finding(view: View) -> str:
    """"The first multiplication of a process takes 282 ms, 280 ms of it context; the same call
    later takes 254 µs": of the quickest GPU line, else of the quickest of all; empty where none was
    timed."""
    every = panels(view)
    if not every:
        return ""
    call = min(every[0].calls, key=lambda one: one.case.median_s)
    text = say("The first multiplication of a process takes {time}, {part} of it {phase}",
               time=duration(call.case.median_s), part=duration(call.phases[call.longest]),
               phase=phase_text(call.longest))
    if call.steady_s:
        text += say("; the same call later takes {time}", time=duration(call.steady_s))
    return text


def described(view: View) -> str:
    """Each call's time and phases in words."""
    return say(" ").join(
        say("{name} at {shape}: {time}, {phases}.", name=call.name, shape=shape_text(*panel.shape),
            time=duration(call.case.median_s), phases=say(", ").join(
                f"{phase_text(phase)} {duration(seconds)}" for phase,
                seconds in call.phases.items())) for panel in panels(view) for call in panel.calls)


def beside_text(call: FirstCall) -> str:
    """"282 ms, 99 % of it context\\nlater 254 µs: 1,108 times faster"."""
    text = say("{time}, {share} of it {phase}",
               time=duration(call.case.median_s), phase=phase_text(call.longest),
               share=percent(call.phases[call.longest] / call.case.median_s))
    ratio = steady_ratio(call.case)
    if ratio is None or not call.steady_s:
        return text
    return text + "\n" + say("later {time}: {value} times faster", time=duration(call.steady_s),
                             value=plain(ratio.value))


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
