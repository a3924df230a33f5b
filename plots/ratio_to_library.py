"""Ours over the library that is the fastest at each shape: every shape on one axis, with a line at
1."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.compared.meetings import peers_finding
from analysis.compared.peers import Peer, finding_of, on_axis, peers_of, said
from analysis.tables.kind import FigureKind
from analysis.tables.tables import sentences
from language import say
from records.cases.series import Shape
from records.names.naming import bare_name, look_of
from records.names.numbers import counted, ratio_text
from records.schema.operations import shape_text
from records.view import View

from .drawing import layout, style
from .drawing.charts import error_ends

MOST_PANELS = 3
MOST_SHAPES = 60
ROW_IN = 0.165
SPAN = 4.0  # between the smallest and the largest ratio: beyond it the axis is logarithmic
RIVAL_IN = 0.62


def finding(view: View) -> str:
    """"pipelined is ahead of the best library at 24 of 28 shapes: 1.16 times in geometric mean,
    0.61 at worst"."""
    return finding_of(peers_of(view))


def described(view: View) -> str:
    """The same of each of our lines, with the shape of its worst."""
    return sentences(*(said(peer) + say(" (at {shape}).", shape=shape_text(*peer.worst.case.shape))
                       for peer in peers_of(view)))


def figure(view: View) -> Figure | str:
    """A panel per line of ours, all on one scale; filled where ours differs from the library,
    hollow where the two are level."""
    every = peers_of(view)
    if not every:
        return say("No point shares its group and shape with a library, so there is no ratio to "
                   "draw.")
    peers = every[:MOST_PANELS]
    all_shapes = sorted({duel.case.shape for peer in peers for duel in peer.duels}, key=on_axis)
    shapes = layout.thinned(all_shapes, MOST_SHAPES)
    notes = [say("Hollow: level or not resolved. Error bars: 95 % interval of the ratio. At the "
                 "right the library that is the fastest there."),
             say("{count} of {all} drawn: see the table.", count=len(shapes),
                 all=counted(len(all_shapes), "shape")) if len(shapes) < len(all_shapes) else "",
             say("{what}: see the table.", what=counted(len(every) - len(peers), "more line"))
             if len(every) > len(peers) else ""]
    left = 0.3 + 0.062 * max(len(shape_text(*shape)) for shape in shapes)
    drawn, (whole,) = layout.figure_with(view, 1, ROW_IN * len(shapes), left_in=left, right_in=0.15,
                                         above_in=0.18, note=sentences(*notes), title=finding(view))
    box, across = whole.get_position(), 1 / layout.WIDTH_IN
    whole.remove()
    width = (box.width - RIVAL_IN * across * len(peers)
             - 0.1 * across * (len(peers) - 1)) / len(peers)
    values = [end for peer in peers for duel in peer.duels
              for end in (duel.ratio.value, duel.ratio.low, duel.ratio.high) if end]
    for place, peer in enumerate(peers):
        axes = drawn.add_axes((box.x0 + place * (width + (RIVAL_IN + 0.1) * across), box.y0,
                               width, box.height))
        _panel(axes, peer, shapes, values, names=not place)
    layout.label_below(drawn, box, say("times as fast as the best library"))
    return drawn


def _scale(axes: Axes, values: list[float]) -> None:
    low, high = min([*values, 1.0]), max([*values, 1.0])
    if high > SPAN * low:
        axes.set_xscale("log", base=2)
        axes.set_xlim(low / 1.15, high * 1.15)
    else:
        room = 0.06 * (high - low)
        axes.set_xlim(low - room, high + room)
    layout.ratio_ticks(axes)


def _panel(axes: Axes, peer: Peer, shapes: list[Shape], values: list[float], names: bool) -> None:
    places = {shape: place for place, shape in enumerate(shapes)}
    look = look_of(peer.series.first)
    _scale(axes, values)
    axes.axvspan(axes.get_xlim()[0], 1, color="#eeeeee", linewidth=0, zorder=0)
    axes.axvline(1, color="#222222", linewidth=1.2, zorder=1.5)
    for duel in (duel for duel in peer.duels if duel.case.shape in places):
        ratio, place = duel.ratio, places[duel.case.shape]
        axes.errorbar([ratio.value], [place],
                      xerr=error_ends([(ratio.value, ratio.low, ratio.high)]), linestyle="none",
                      marker=look.marker, color=look.colour, markerfacecolor="white" if ratio.tie
                      else look.colour, markersize=5, capsize=1.5, elinewidth=0.9, zorder=3)
        axes.annotate(bare_name(duel.rival), (1, place), xycoords=axes.get_yaxis_transform(),
                      xytext=(3, 0), textcoords="offset points", va="center", fontsize=6.5,
                      color=style.GREY)
    squares = sum(len(set(shape)) == 1 for shape in shapes)
    if 0 < squares < len(shapes):
        axes.axhline(squares - 0.5, color=style.GREY, linewidth=0.6)
    axes.set_ylim(len(shapes) - 0.4, -0.6)
    axes.set_yticks(range(len(shapes)), [shape_text(*shape) for shape in shapes] if names
                    else [""] * len(shapes), fontsize=7.5)
    axes.tick_params(length=0, axis="y")
    axes.set_title(peer.name, pad=16)
    axes.annotate(say("geometric mean {mean}", mean=ratio_text(peer.mean)), (0, 1),
                  xycoords="axes fraction", xytext=(0, 4), textcoords="offset points", fontsize=7.5,
                  color=style.GREY)

KIND = FigureKind(
    title="ratio to the library",
    about="ours over the library that is the fastest at each shape, every shape on one axis",
    figure=figure,
    finding=finding,
    described=described,
    heads=(peers_finding,),
    before=12)
