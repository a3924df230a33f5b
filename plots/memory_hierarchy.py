"""Latency and bandwidth over the working set, CPU and GPU in one figure, with the capacities of the
caches."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator

from analysis.memory.hierarchy import Curve, bandwidths, capacities, latencies
from analysis.memory.hierarchy_tables import bytes_text, hierarchy_described, hierarchy_finding
from analysis.tables.kind import FigureKind
from language import recorded, say
from records.names.naming import Look
from records.names.numbers import ends_of
from records.names.palette import SHADES
from records.view import View

from .drawing import layout, style
from .drawing.charts import line
from .drawing.looks import apart

NARROW = 100.0  # times from the least to the most
COLOURS = {"cpu": SHADES["tiles"][0], "gpu": SHADES["best"][0]}
WAYS = {"l1": "cached in L1", "l2": "past L1", "shared": "shared memory",
        "constant": "constant memory", "huge": "huge pages", "small": "small pages"}


def finding(view: View) -> str:
    return hierarchy_finding(view)


def described(view: View) -> str:
    return hierarchy_described(view)


def _name(curve: Curve) -> str:
    device = curve.device.upper()
    way = WAYS.get(curve.way)
    return (say("{device}, {way}", device=device, way=say(way) if way else recorded(curve.way))
            if curve.way else device)


def _panel(axes: Axes, curves: list[Curve], y_label: str) -> list:
    shades = {device: iter(colours) for device, colours in COLOURS.items()}
    looks = apart(Look(next(shades[curve.device], COLOURS[curve.device][0]),
                       "o" if curve.device == "cpu" else "s", "-", "") for curve in curves)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    ends = [line(axes, look, [size for size, _ in curve.points],
                 [(case.rate, *ends_of(case.rate_ci95)) for _, case in curve.points], _name(curve))
            for look, curve in zip(looks, curves)]
    axes.set_ylabel(y_label)
    rates = [case.rate for curve in curves for _, case in curve.points]
    if max(rates) < NARROW * min(rates):  # where whole powers of ten would leave but a tick or two
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: bytes_text(value)))
    axes.minorticks_off()
    return ends


def _capacities(axes: Axes, view: View, devices: list[str]) -> None:
    """Thin upright lines where a level is full, named at the top."""
    for device in devices:
        for level, size in capacities(view, device):
            if axes.get_xlim()[0] < size < axes.get_xlim()[1]:
                axes.axvline(size, color=style.GREY, linewidth=0.8,
                             linestyle=(0, (2, 2)), zorder=0.9)
                axes.annotate(f"{device.upper()} {level}", (size, 0.02),
                              xycoords=axes.get_xaxis_transform(), rotation=90, fontsize=6.5,
                              color=style.GREY, ha="right", va="bottom", xytext=(-1, 0),
                              textcoords="offset points")


def figure(view: View) -> Figure | str:
    """Two panels over the working set, latency above bandwidth; all axes logarithmic."""
    panels = [(curves, label) for curves, label in ((latencies(view), say("latency in ns")), (
        bandwidths(view), say("bandwidth in GB/s"))) if curves]
    if not panels:
        return say("Neither latency nor bandwidth over the working set was measured.")
    note = say("Error bars: 95 % interval of the median.") + say(" ") + say(
        "Upright lines: where a cache is full, as system and driver tell it.")
    drawn, all_axes = layout.figure_with(
        view, len(panels), 2.8, note=note, title=finding(view), tight=True,
        right_in=layout.room_for(_name(curve) for curves, _ in panels for curve in curves))
    ends = [_panel(axes, curves, label) for axes, (curves, label) in zip(all_axes, panels)]
    limits = [axes.get_xlim() for axes in all_axes]
    for axes, (curves, _), names in zip(all_axes, panels, ends):
        axes.set_xlim(min(low for low, _ in limits), max(high for _, high in limits))
        _capacities(axes, view, sorted({curve.device for curve in curves}))
        layout.label_ends(axes, names)
    all_axes[-1].set_xlabel(say("working set"))
    return drawn


KIND = FigureKind(
    title="The memory hierarchy of this machine",
    about="latency and bandwidth over the working set, CPU and GPU in one figure",
    figure=figure,
    finding=finding,
    described=described)
