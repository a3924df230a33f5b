"""Warps that an SM holds at once, by what limits them, beside the predicted rate: a row per kernel
of the ladder."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from analysis.tables.kind import FigureKind
from emulator.counts.card import WARP, load_card
from emulator.explain.advice import limit_name
from emulator.explain.lessons import (
    best_of_each,
    card,
    emulated,
    occupancy_finding,
    rungs,
    source_text,
)
from language import say
from plots.drawing import layout
from records.names.numbers import plain
from records.view import View

from ._lessons import INK, lesson, rows

ROW_IN, APART = 0.24, 0.03
LIMITS = {"threads": ("#0072B2", ""), "registers": ("#E69F00", "///"),
          "shared memory": ("#009E73", "..."), "blocks": ("#CC79A7", "\\\\\\")}


def figure(view: View) -> Figure | str:
    found = best_of_each(rungs(view))
    if not found:
        return say("There are no emulated counts of the ladder.")
    names, most = [rung.name for rung in found], load_card(card(view)).threads_per_sm / WARP
    note = say("Each kernel with the parameters that are predicted fastest at 1024. Registers: as "
               "the compiler says for an H200.")
    drawn, (whole,) = layout.figure_with(emulated(view), 1, ROW_IN * len(found) + 0.1, note=note,
                                         title=occupancy_finding(view), counts=source_text(view),
                                         left_in=layout.room_for(names) - 0.4, right_in=0.55,
                                         legend_in=0.2, tight=True)
    box = whole.get_position()
    whole.remove()
    width = (box.width - APART) / 2
    warps = drawn.add_axes((box.x0, box.y0, width, box.height))
    rates = drawn.add_axes((box.x0 + width + APART, box.y0, width, box.height), sharey=warps)
    for y, rung in enumerate(found):
        colour, hatch = LIMITS[rung.limit]
        warps.barh(y, rung.warps, 0.72, color=colour, hatch=hatch, edgecolor="white", linewidth=0)
        warps.text(rung.warps + 0.01 * most, y, str(rung.warps), va="center",
                   fontsize=7.5, color=INK)
        rates.barh(y, rung.gflop_per_s, 0.72, color="#999999", linewidth=0)
        rates.text(rung.gflop_per_s, y, f" {plain(rung.gflop_per_s)}", va="center",
                   fontsize=7.5, color=INK)
    rows(warps, names)
    warps.set_xlim(0, 1.12 * most)
    warps.set_xticks([most * part / 4 for part in range(5)])
    warps.set_xlabel(say("warps per SM at once"))
    rates.set_xlabel(say("GFLOP/s, predicted"))
    rates.tick_params(labelleft=False, length=0, axis="y")
    rates.grid(axis="y", visible=False)
    layout.number_ticks(rates.xaxis)
    shown = [limit for limit in LIMITS if any(rung.limit == limit for rung in found)]
    handles = [Patch(facecolor=LIMITS[limit][0], hatch=LIMITS[limit][1], edgecolor="white",
                     linewidth=0, label=say("limited by {limit}", limit=limit_name(limit)))
               for limit in shown]
    warps.legend(handles=handles, loc="lower left", bbox_to_anchor=(-0.01, 1.0), ncols=len(handles),
                 borderaxespad=0.2, labelcolor=INK)
    return drawn


KIND = FigureKind(always=5, **lesson(
    figure, occupancy_finding, "occupancy: warps per SM, and the rate",
    about="the warps that an SM holds at once for each kernel, what limits them, and the predicted "
    "rate, from emulated counts",
    picture="A row per kernel: the warps that an SM holds at once, coloured by what limits them, "
    "and its predicted rate."))
