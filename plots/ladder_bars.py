"""The ladder at one shape, step by step: a bar per rung, its factor over the one before and the
counters' reason beside it. On the CPU side by side for each instruction set."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.ladder.climb import ladder_finding
from analysis.ladder.ladder import Ladder, Rung, factor_text, finding_of, fullest, ladders_of
from analysis.tables.kind import FigureKind
from analysis.tables.tables import sentences
from analysis.tables.widths import text_width
from files.safe import shortened
from language import say
from records.cases.series import shapes_of
from records.names.naming import isa_text, look_of
from records.names.numbers import counted, ends_of, plain
from records.schema.operations import GEMM, shape_text
from records.view import View

from .drawing import layout, style
from .drawing.charts import Value, error_ends, without_interval

MOST_ROWS = 40
ROW_IN = 0.26
LETTER_IN = 0.066  # of a name, at 8 pt
HEIGHTS = {"rung": 1.0, "aside": 0.72, "library": 0.86}  # of a row
BARS = {"rung": 0.74, "aside": 0.42, "library": 0.6}
TEXT = "#222222"


@dataclass(frozen=True)
class Row:
    rung: Rung
    role: str  # a key of HEIGHTS

    @property
    def colour(self) -> str:
        return look_of(self.rung.case).colour


def rows_of(ladder: Ladder) -> list[Row]:
    """The rungs, each with its variants below it, then the libraries."""
    rows = [row for rung in ladder.rungs
            for row in (Row(rung, "rung"), *(Row(aside, "aside") for aside in rung.asides))]
    return (rows + [Row(rung, "library") for rung in ladder.libraries])[:MOST_ROWS]


def value_of(rung: Rung) -> Value:
    """GFLOP/s with the ends of its interval."""
    return (rung.case.rate, *ends_of(rung.case.rate_ci95))


def places_of(rows: list[Row]) -> list[float]:
    """The middle of each row, from the top, in heights of a rung."""
    ends, at = [], 0.0
    for row in rows:
        ends.append(at + HEIGHTS[row.role] / 2)
        at += HEIGHTS[row.role]
    return ends


def draw_bars(axes: Axes, rows: list[Row], places: list[float], bottom: float) -> None:
    """The bars at `places` with their intervals, from zero; the first row on top, `bottom` below
    the last."""
    for place, row in zip(places, rows):
        value = value_of(row.rung)
        axes.barh(place, value[0], BARS[row.role], color=row.colour, linewidth=0)
        axes.errorbar([value[0]], [place], xerr=error_ends([value]), color=TEXT, capsize=1.5,
                      elinewidth=0.8, zorder=3)
    axes.set_ylim(bottom, 0)
    axes.grid(axis="y", visible=False)
    axes.tick_params(length=0, axis="y")


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
    layout.label_below(drawn, box, _axis(ladders[0]))
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


COMPACT_ROW_IN = 0.22
VALUE_IN, FACTOR_IN = 0.62, 0.72
MOST_NAME = 40  # letters


def _ladders(view: View) -> list[Ladder]:
    if not view.compact:
        return ladders_of(view)
    found = fullest(view)
    return [found] if found else []


def part(view: View) -> View:
    """What is drawn, at the one shape."""
    found = _ladders(view)
    shape = found[0].shape if found else None
    return replace(view, cases=tuple(case for case in view.cases if case.shape == shape),
                   absent=tuple(case for case in view.absent if case.shape == shape))


def finding(view: View) -> str:
    """"From naive to pipelined: 9.36 times at 4096; the largest step is register-tiled 2-D
    (×2.06)"."""
    return finding_of(_ladders(view))


def described(view: View) -> str:
    """The finding, and each rung with its rate."""
    rungs = [say("{name}: {rate} {unit}", name=rung.name, rate=plain(rung.case.rate),
                 unit=rung.case.rate_unit)
             for ladder in _ladders(view) for rung in ladder.rungs]
    head = finding(view)
    return sentences(head + say(".") if head else "", say("; ").join(rungs) + say("."))


def counts_text(view: View) -> str:
    """What is drawn, where that is not all; which points have no number."""
    looked_at, found = part(view), _ladders(view)
    lines = {(case.implementation, case.label) for case in looked_at.shown}
    drawn = sum(len(rows_of(ladder)) for ladder in found)
    apart = [rung for ladder in found for rung in ladder.apart] if not view.compact else []
    more = say(", ").join(f"{rung.name} {plain(rung.case.rate)}" for rung in apart)
    return sentences(
        say("{drawn} of {lines} drawn, each implementation with its fastest parameters: see the "
            "table.", drawn=drawn, lines=counted(len(lines), "line"))
        if drawn < len(lines) else looked_at.left_out_text(),
        looked_at.left_out_text() if looked_at.left_out and drawn < len(lines) else "",
        say("Not in plain fp32 and not drawn, GFLOP/s: {names}.", names=more) if more else "")


def figure(view: View) -> Figure | str:
    """Bars from zero, in the order of the definition, the libraries in grey below."""
    ladders = _ladders(view)
    if not ladders or not any(rows_of(ladder) for ladder in ladders):
        return say("No point of the ladder has a number that may be shown.")
    if len(ladders) > 1:
        return figure_of_sets(part(view), ladders, note=_note(view, ladders), title=finding(view),
                              counts=counts_text(view))
    (ladder,) = ladders
    rows = rows_of(ladder)
    row_in = COMPACT_ROW_IN if view.compact else ROW_IN
    height = sum(HEIGHTS[row.role] for row in rows)
    names = max(text_width(_name(row.rung)) for row in rows)
    why = max(text_width(row.rung.why) for row in rows)
    ceilings = layout.ceilings_for(view, [row.rung.case for row in rows])
    drawn, (axes,) = layout.figure_with(
        part(view), 1, row_in * height, left_in=0.3 + LETTER_IN * names,
        right_in=VALUE_IN + FACTOR_IN + (0.35 + 0.058 * why if why else 0.25),
        note=_note(view, ladders), title=finding(view), counts="" if view.compact
        else counts_text(view), above_in=layout.CEILING_IN * max(len(ceilings), 1), tight=True)
    _panel(axes, rows, height, ceilings)
    _columns(axes, rows, bool(why))
    if not view.compact:
        axes.set_xlabel(_axis(ladder))
    return drawn


def _axis(ladder: Ladder) -> str:
    """"GFLOP/s at 1000", or GOP/s of whole numbers."""
    return say("{unit} at {shape}", unit=ladder.best.case.rate_unit,
               shape=shape_text(*ladder.shape))


def _name(rung: Rung) -> str:
    return shortened(rung.name, MOST_NAME)


def _note(view: View, ladders: list[Ladder]) -> str:
    every = shapes_of(view.shown)
    values = (value_of(row.rung) for ladder in ladders for row in rows_of(ladder))
    if view.compact:
        return say("Rungs that are faster than all before them. Factor: over the rung before; of "
                   "the library over the fastest.")
    return sentences(say("Factor: over the fastest rung before; of a thin bar over its rung, of a "
                         "library over the fastest rung."),
                     say("Error bars: 95 % interval of the median."), without_interval(values),
                     say("{count} of {all} drawn: see the table.", count=1,
                         all=counted(len(every), "shape")) if len(every) > 1 else "")


def _panel(axes: Axes, rows: list[Row], height: float, ceilings: list[tuple[float, str]]) -> None:
    draw_bars(axes, rows, places_of(rows), height)
    axes.set_xlim(
        0, max([row.rung.case.rate for row in rows] + [value for value, _ in ceilings]) * 1.03)
    layout.number_ticks(axes.xaxis)
    axes.set_yticks(places_of(rows), [_name(row.rung) for row in rows])
    for label, row in zip(axes.get_yticklabels(), rows):
        label.set_fontsize(7 if row.role == "aside" else 8)
        label.set_color(style.GREY if row.role == "aside" else TEXT)
    layout.draw_ceilings_upright(axes, ceilings)
    best = max((row.rung.case.rate for row in rows if row.role == "library"), default=None)
    if best:
        axes.axvline(best, color=style.GREY, linewidth=0.8, linestyle=(0, (1, 2)), zorder=0.9)


def _columns(axes: Axes, rows: list[Row], reasons: bool) -> None:
    """GFLOP/s, factor and reason right of the bars, in columns."""
    inches = axes.get_window_extent().width / axes.figure.dpi
    across = [1 + at / inches
              for at in (VALUE_IN, VALUE_IN + FACTOR_IN, VALUE_IN + FACTOR_IN + 0.15)]
    head: dict[str, Any] = {"transform": axes.transAxes, "fontsize": 7, "color": style.GREY,
                            "va": "bottom"}
    axes.text(across[0], 1.01, rows[0].rung.case.rate_unit, ha="right", **head)
    axes.text(across[1], 1.01, say("factor"), ha="right", **head)
    if reasons:
        axes.text(across[2], 1.01, say("what the counters say"), ha="left", **head)
    for place, row in zip(places_of(rows), rows):
        main = row.role == "rung"
        kind: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "va": "center",
                                "fontsize": 8 if main else 7,
                                "color": TEXT if main else style.GREY}
        axes.text(across[0], place, plain(row.rung.case.rate), ha="right", **kind)
        if row.rung.ratio is not None:
            axes.text(across[1], place, factor_text(row.rung.ratio), ha="right",
                      fontweight="bold" if main and not row.rung.ratio.tie else "normal", **kind)
        if row.role != "library":
            axes.text(across[2], place, row.rung.why, ha="left", **kind)

KIND = FigureKind(title="step by step",
                  about="each rung of a ladder at one shape: its factor over the one before, its "
                  "variants, the libraries and the counters' reason",
                  of=GEMM,
                  figure=figure,
                  part=part,
                  counts_text=counts_text,
                  finding=finding,
                  described=described,
                  heads=(ladder_finding,),
                  before=13)
