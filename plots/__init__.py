"""Figures from records: one module a kind, each of which ends in its KIND (see
analysis/tables/kind.py)."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.kind_files import kinds_in
from analysis.tables.kind import FigureKind, alien, own_part
from commands.children import Task

from .drawing.drawn import Drawn

if TYPE_CHECKING:
    from analysis.compared.compare_many import Strip
    from records.cases.experiment import Results
    from records.view import View

FORMATS: tuple[str, ...] = ("svg", "png", "pdf")
UNWRITTEN: tuple[str, ...] = ()  # formats that pages tell of, and nobody needs drawn
# points of a report that is drawn in every format: with more of them PNG and PDF take a third of
# its time
MOST_IN_ALL = 20_000


def formats_of(results: Results, without: Collection[str],
               asked: Collection[str] = ()) -> tuple[str, ...]:
    """In which the figures of such a report are drawn: of one with many points as SVG, and as PDF
    where report.pdf is made of them, until another format is `asked` for."""
    if asked or sum(len(one.cases) for one in results.experiments) > MOST_IN_ALL:
        wanted = {"svg", *asked, *(() if "pdf" in without else ("pdf",))}
        return tuple(one for one in FORMATS if one in wanted)
    return FORMATS


@contextmanager
def _with(setting: str, formats: tuple[str, ...]) -> Iterator[None]:
    """Within, the setting is another; afterwards it is what it was."""
    before = globals()[setting]
    globals()[setting] = formats
    try:
        yield
    finally:
        globals()[setting] = before


def undrawn(unwritten: tuple[str, ...]) -> AbstractContextManager[None]:
    """Within, pages are made as if figures were drawn in these formats, too."""
    return _with("UNWRITTEN", unwritten)


def only(wanted: tuple[str, ...]) -> AbstractContextManager[None]:
    """Figures that are drawn within are written in these formats alone."""
    return _with("FORMATS", wanted)


def has_chinese_font() -> bool:
    from .drawing import style

    return style.chinese_font() is not None


def kinds() -> dict[str, FigureKind]:
    """Every kind of figure by name."""
    return kinds_in(sys.modules[__name__], "figures")


def tasks(jobs: list[tuple[View, str]], folder: Path) -> list[Task[Drawn]]:
    """One for each (view, stem), which draws it. What draws is loaded here, once for all
    processes."""
    from .drawing import style  # noqa: F401

    return [partial(draw, view, folder, stem) for view, stem in jobs]


def draw_compared(first: str, strips: list[Strip], folder: Path) -> str:
    """Draws folder/compare.<format> for each format; returns what the figure finds."""
    from .drawing import compared

    return compared.draw(first, strips, folder, FORMATS)


def draw(view: View, folder: Path, stem: str) -> Drawn:
    """Draws the figure of the view's kind in every format. A fault costs this figure alone."""
    from commands.fault import spared
    from language import say

    faults: list[str] = []
    drawn = spared(f"figure {stem}", lambda: _draw(view, folder, stem),
                   lambda why: Drawn(stem, view.title, "",
                                     say("This part could not be made of its records ({why}).",
                                         why=why), view.reference), faults)
    return replace(drawn, fault=faults[0]) if faults else drawn


def _draw(view: View, folder: Path, stem: str) -> Drawn:
    from analysis.tables.tables import sentences
    from language import say

    known = kinds()
    if view.kind not in known:
        return Drawn(stem, view.full_title, "", say("There is no figure of the kind “{kind}”; "
                                                    "known are {known}.", kind=view.kind,
                                                    known=", ".join(known)), view.reference)
    kind = known[view.kind]
    if why := alien(kind, view):
        return Drawn(stem, view.full_title, "", why, view.reference)
    view = own_part(kind, view)
    if not view.shown:
        return Drawn(stem, view.full_title, "",
                     say("Nothing to draw: {why}", why=view.left_out_text()), view.reference)
    from .drawing import style

    with style.applied():
        figure = kind.figure(view)
        if isinstance(figure, str):
            return Drawn(stem, view.full_title, "", figure, view.reference)
        style.save(figure, folder, stem,
                   tuple(one for one in FORMATS if one not in UNWRITTEN))
    looked_at = kind.part(view)
    counts = kind.counts_text(view) if kind.counts_text else looked_at.left_out_text()
    note = sentences(counts, looked_at.disturbed_text(), looked_at.throttled_text(),
                     looked_at.conditions)
    finding = kind.finding(view)
    described = kind.described(view) if kind.described else _described(looked_at, finding)
    return Drawn(stem, view.full_title, note, "", view.reference, finding, described)


def _described(view: View, finding: str) -> str:
    """The finding, or else the title, and what is drawn of how many lines at which sizes."""
    from analysis.tables.tables import sentences
    from language import say
    from records.cases.series import series_of, shape_names, shapes_of
    from records.names.numbers import counted

    shapes = shapes_of(view.shown)
    return sentences((finding or view.title) + say("."), say(
        "The figure shows {lines} at {sizes}: {names}.",
        lines=counted(len(series_of(view.shown)), "line"), sizes=counted(len(shapes), "shape"),
        names=shape_names(shapes)))
