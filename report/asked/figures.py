"""What report/ asks of plots/: kinds, formats, and figures drawn."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

import plots
from analysis.compared.compare_many import Strip
from analysis.tables.kind import FigureKind
from commands.children import Task
from plots.drawing.drawn import Drawn
from records.cases.experiment import Results
from records.view import View


def kinds() -> dict[str, FigureKind]:
    """By name."""
    return plots.kinds()


def tasks(jobs: list[tuple[View, str]], folder: Path) -> list[Task[Drawn]]:
    """One for each (view, stem), which draws it. What draws is loaded here, once for all
    processes."""
    from plots.drawing import style  # noqa: F401

    return [partial(plots.draw, view, folder, stem) for view, stem in jobs]


def draw_compared(first: str, strips: list[Strip], folder: Path) -> str:
    """Draws folder/compare.<format> for each format; returns what the figure finds."""
    from plots.drawing.compared import draw

    return draw(first, strips, folder, plots.FORMATS)


def formats() -> tuple[str, ...]:
    """In which each figure is written."""
    return plots.FORMATS


# points of a report that is drawn in every format: with more of them PNG and PDF take a third of
# its time
MOST_IN_ALL = 20_000


def formats_of(results: Results, without: Collection[str],
               asked: Collection[str] = ()) -> tuple[str, ...]:
    """In which the figures of such a report are drawn: of one with many points as SVG, and as PDF
    where report.pdf is made of them, until another format is `asked` for."""
    if asked or sum(len(one.cases) for one in results.experiments) > MOST_IN_ALL:
        wanted = {"svg", *asked, *(() if "pdf" in without else ("pdf",))}
        return tuple(one for one in formats() if one in wanted)
    return formats()


@contextmanager
def _with(setting: str, formats: tuple[str, ...]) -> Iterator[None]:
    """Within, the setting of plots is another; afterwards it is what it was."""
    before = getattr(plots, setting)
    setattr(plots, setting, formats)
    try:
        yield
    finally:
        setattr(plots, setting, before)


def undrawn(unwritten: tuple[str, ...]) -> AbstractContextManager[None]:
    """Within, pages are made as if figures were drawn in these formats, too."""
    return _with("UNWRITTEN", unwritten)


def only(wanted: tuple[str, ...]) -> AbstractContextManager[None]:
    """Figures that are drawn within are written in these formats alone."""
    return _with("FORMATS", wanted)


def has_chinese_font() -> bool:
    from plots.drawing import style

    return style.chinese_font() is not None
