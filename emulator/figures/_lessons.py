"""What the figures of emulated counts share: colours, a panel's title with its line of code, a row
of rungs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.tables.tables import sentences
from emulator.explain.lessons import emulated, source_text
from emulator.explain.patterns import Pattern
from emulator.explain.predicted import has_counts
from language import say
from plots.drawing import style
from records.schema.operations import GEMM
from records.view import View

USED, WASTED, SHARED = "#0072B2", "#eeeeee", "#D55E00"
CODE_SIZE, MONOSPACED = 7, 0.61  # points; a letter's width over its size
INK = "#222222"


def no_patterns() -> str:
    return say("data/emulated/patterns.jsonl is not there: python -m emulator.explain.patterns "
               "writes it.")


def panel_title(axes: Axes, pattern: Pattern, above: float = 0.0) -> None:
    """The kernel, its load, and below it the line of code, as large as it fits; `above` in inches
    over the panel."""
    box, (wide, high) = axes.get_position(), style.figure_of(axes).get_size_inches()
    text = say("{name}, line {line}: load of {array}", name=pattern.name, line=pattern.site.line,
               array=pattern.array)
    axes.text(0, 1 + (above + 0.17) / (box.height * high), text, transform=axes.transAxes,
              fontsize=9, fontweight="bold", va="bottom", color=INK)
    size = min(CODE_SIZE, 72 * box.width * wide / (MONOSPACED * len(pattern.source)))
    axes.text(0, 1 + above / (box.height * high), pattern.source, transform=axes.transAxes,
              fontsize=size, va="bottom", color=style.GREY, family="DejaVu Sans Mono")


def rows(axes: Axes, names: list[str]) -> None:
    """Names of rungs down the side, the first one below."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.tick_params(length=0, axis="y")
    axes.grid(axis="y", visible=False)


def lesson(figure: Callable[[View], Figure | str], finding: Callable[[View], str], title: str, *,
           about: str, picture: str) -> dict[str, Any]:
    """What a FigureKind takes that stands wherever what was predicted stands. `picture`: what is to
    be seen, for whoever cannot see it."""
    return {"title": title, "about": about, "of": GEMM, "has": has_counts, "figure": figure,
            "part": emulated, "finding": finding, "counts_text": source_text, "explains": True,
            "described": lambda view: sentences(say(picture), finding(view) + say("."))}
