"""How often each loaded value is used, by rung: values from global memory, and values from shared
memory."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from analysis.tables.kind import FigureKind
from emulator.explain.lessons import emulated, reuse_finding, reusing, source_text
from language import say
from plots.drawing import layout, style
from records.names.numbers import plain
from records.view import View

from ._lessons import INK, SHARED, USED, lesson, rows

ROW_IN = 0.24
TICKS = (1, 2, 4, 8, 16, 32, 64, 128)


def figure(view: View) -> Figure | str:
    found = reusing(view)
    if not found:
        return say("There are no emulated counts of the ladder.")
    note = say("A use is a multiply-add that a loaded element of A or B goes into, per lane and "
               "load; right: predicted GFLOP/s at 1024.")
    names = [rung.name for rung in found]
    drawn, (axes,) = layout.figure_with(emulated(view), 1, ROW_IN * len(found) + 0.1, note=note,
                                        title=reuse_finding(view), counts=source_text(view),
                                        left_in=layout.room_for(names) - 0.4, right_in=0.75,
                                        legend_in=0.2, tight=True)
    for y, rung in enumerate(found):
        uses = [value for value in (rung.shared_uses, rung.global_uses) if value]
        if len(uses) > 1:
            axes.plot(uses, [y, y], color="#bbbbbb", linewidth=1.2, zorder=1)
        for value, colour, marker in ((rung.global_uses, USED, "o"),
                                      (rung.shared_uses, SHARED, "s")):
            if value:
                axes.plot([value], [y], marker, color=colour, markersize=6, zorder=2)
        axes.text(1.02, y, plain(rung.gflop_per_s), transform=axes.get_yaxis_transform(),
                  va="center", fontsize=7.5, color=style.GREY)
    rows(axes, names)
    axes.set_xscale("log", base=2)
    axes.set_xlim(0.8, 180)
    axes.xaxis.set_major_locator(FixedLocator(TICKS))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels([str(tick) for tick in TICKS])
    axes.set_xlabel(say("uses of each loaded value"))
    handles = [axes.plot([], [], marker, color=colour, label=label)[0]
               for marker, colour, label in (("o", USED, say("loaded from global memory")),
                                             ("s", SHARED, say("loaded from shared memory")))]
    axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(-0.01, 1.0), ncols=2,
                borderaxespad=0.2, labelcolor=INK)
    return drawn


KIND = FigureKind(always=4, **lesson(
    figure, reuse_finding, "reuse: how often each loaded value is used",
    about="how often each kernel uses a value that it loaded from global and from shared memory, "
    "from emulated counts",
    picture="A row per kernel with two dots: how often a value from global memory is used, and one "
    "from shared memory."))
