"""The CPU ladder: the same rungs side by side, a panel an instruction set."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.ladder.ladder import Ladder, factor_text
from analysis.tables.widths import text_width
from language import say
from records.names.naming import isa_text
from records.names.numbers import plain
from records.schema.operations import shape_text
from records.view import View

from .drawing import layout, style
from .drawing.rungs import LETTER_IN, ROW_IN, TEXT, Row, draw_bars, rows_of, value_of

GAP_IN = 0.12
ROOM = 1.75  # of the longest bar, for what is written behind it


def figure_of_sets(view: View, ladders: list[Ladder], note: str, title: str, counts: str) -> Figure:
    """Bars from zero on one scale; the name of a rung stands once, at the left."""
    # in the order of the fullest, as the others may leave rungs out
    every = [row for ladder in sorted(ladders, key=lambda ladder: -len(rows_of(ladder)))
             for row in rows_of(ladder)]
    names = list(dict.fromkeys(row.rung.name for row in every if row.role != "library"))
    names += [name for name in dict.fromkeys(row.rung.name for row in every) if name not in names]
    left = 0.3 + LETTER_IN * max(map(text_width, names))
    drawn, (whole,) = layout.figure_with(view, 1, ROW_IN * len(names), left_in=left, right_in=0.2,
                                         above_in=0.05, note=note, title=title, counts=counts)
    box = whole.get_position()
    whole.remove()
    gap = GAP_IN / layout.WIDTH_IN
    width = (box.width - gap * (len(ladders) - 1)) / len(ladders)
    most = max(row.rung.case.rate for ladder in ladders for row in rows_of(ladder))
    for place, ladder in enumerate(ladders):
        axes = drawn.add_axes((box.x0 + place * (width + gap), box.y0, width, box.height))
        rows = rows_of(ladder)
        draw_bars(axes, rows, [names.index(row.rung.name) + 0.5 for row in rows], len(names))
        axes.set_xlim(0, most * ROOM)
        axes.set_yticks([index + 0.5 for index in range(len(names))],
                        names if not place else [""] * len(names))
        axes.set_title(isa_text(ladder.isa))
        layout.number_ticks(axes.xaxis)
        for row in rows:
            _write(axes, row, names.index(row.rung.name) + 0.5)
    layout.label_below(drawn, box, say("GFLOP/s at {shape}", shape=shape_text(*ladders[0].shape)))
    return drawn


def _write(axes: Axes, row: Row, place: float) -> None:
    """"148 ×1.85" behind a bar."""
    value, ratio = value_of(row.rung), row.rung.ratio if row.role != "library" else None
    small: dict[str, Any] = {"textcoords": "offset points", "va": "center", "fontsize": 7.5}
    text = axes.annotate(plain(value[0]), (max(value[0], value[2] or 0), place), xytext=(4, 0),
                         color=TEXT if row.role == "rung" else style.GREY, **small)
    if ratio is not None:
        axes.annotate(factor_text(ratio), (1, 0.5), xycoords=text, xytext=(4, 0), color=TEXT,
                      fontweight="normal" if ratio.tie else "bold", **small)
