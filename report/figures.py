"""The one place of report/ that knows plots/: what draws takes its data from report/, which must not ask back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import plots

from .charts import PublishedChart
from .children import Task
from .compare_many import Strip
from .drawn import Drawn
from .kind import FigureKind
from .view import View


def kinds() -> dict[str, FigureKind]:
    """By name."""
    return plots.kinds()


def tasks(jobs: list[tuple[View, str]], folder: Path) -> list[Task[Drawn]]:
    """One for each (view, stem), which draws it. What draws is loaded here, once for all processes."""
    from plots import style  # noqa: F401

    return [partial(plots.draw, view, folder, stem) for view, stem in jobs]


def draw_published(chart: PublishedChart, folder: Path, stem: str) -> Drawn:
    from plots.published import draw

    return draw(chart, folder, stem)


def draw_compared(first: str, strips: list[Strip], folder: Path) -> str:
    """Draws folder/compare.<format> for each format; returns what the figure finds."""
    from plots.compared import draw

    return draw(first, strips, folder, plots.FORMATS)


def formats() -> tuple[str, ...]:
    """In which each figure is written."""
    return plots.FORMATS


@contextmanager
def only(wanted: tuple[str, ...]) -> Iterator[None]:
    """Figures that are drawn within are written in these formats alone."""
    before, plots.FORMATS = plots.FORMATS, wanted
    try:
        yield
    finally:
        plots.FORMATS = before


def has_chinese_font() -> bool:
    from plots import style

    return style.chinese_font() is not None
