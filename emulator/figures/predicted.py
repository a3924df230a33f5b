"""Times predicted from emulated counts over measured ones, both axes logarithmic, with the band of
the bar."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from analysis.tables.kind import FigureKind
from emulator.explain.predicted import counts_text, has_counts, placed, predicted_finding
from emulator.model.fit import bars
from language import say
from plots.drawing import layout, style
from records.names.naming import look_of
from records.names.numbers import duration, percent
from records.schema.operations import GEMM
from records.view import View

PANEL_IN, LABELLED = 4.6, 5
APART = 1.5  # times between two dots whose names do not run into each other


def figure(view: View) -> Figure | str:
    """A dot per kernel and shape in its colour, hollow where it was used to fit; the farthest off
    are named."""
    found = placed(view)
    if not found:
        return say("No kernel of it was counted by emulation at a shape that was measured, on a "
                   "card that is described.")
    bar = bars()["mean_error"]
    note = say("Grey: within {bar}, the bar for the mean. Hollow: used to fit the model's "
               "constants. Nothing else of the predictions is measured.", bar=percent(bar))
    drawn, (axes,) = layout.figure_with(view, 1, PANEL_IN, note=note, title=predicted_finding(view),
                                        counts=counts_text(view), right_in=1.6)
    times = [seconds for one in found for seconds in (one.case.median_s, one.explanation.seconds)]
    ends = [min(times) / 1.5, max(times) * 1.5]
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.fill_between(ends, [(1 - bar) * end for end in ends], [(1 + bar) * end for end in ends],
                      color="#eeeeee", linewidth=0)
    axes.plot(ends, ends, color="#222222", linewidth=1)
    axes.set_xlim(*ends)
    axes.set_ylim(*ends)
    for one in found:
        look = look_of(one.case)
        axes.plot([one.case.median_s], [one.explanation.seconds], linestyle="none",
                  marker=look.marker, markersize=4.5, color=look.colour,
                  markerfacecolor="white" if one.fitted else look.colour)
    worst: dict[str, tuple[float, float, float]] = {}
    for one in found:
        if abs(one.error) > abs(worst.get(one.name, (0.0, 0.0, 0.0))[2]):
            worst[one.name] = one.case.median_s, one.explanation.seconds, one.error
    labelled: list[float] = []
    for name, (x, y, error) in sorted(worst.items(), key=lambda entry: -abs(entry[1][2])):
        if len(labelled) < LABELLED and all(max(y / other, other / y) > APART
                                            for other in labelled):
            labelled.append(y)
            axes.annotate(f"{name}: {100 * error:+.0f} %".replace("-", "\u2212"), (x, y),
                          xytext=(7, -4), textcoords="offset points", fontsize=7, color="#222222")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: duration(value)))
    axes.minorticks_off()
    axes.set_xlabel(say("measured"))
    axes.set_ylabel(say("predicted"))
    families = {one.name: look_of(one.case) for one in found}
    handles = {look.colour: Line2D([], [], linestyle="none", marker=look.marker, color=look.colour)
               for look in families.values()}
    named = {look.colour: name for name, look in reversed(families.items())}
    if len(handles) <= style.MOST_LINES:
        axes.legend(list(handles.values()), [named[colour] for colour in handles],
                    loc="upper left", fontsize=7)
    return drawn


KIND = FigureKind(always=1,
                  title="predicted against measured",
                  about="times predicted from emulated counts over the measured ones, with the "
                  "band of the model's bar",
                  of=GEMM,
                  has=has_counts,
                  figure=figure,
                  counts_text=counts_text,
                  finding=predicted_finding,
                  explains=True)
