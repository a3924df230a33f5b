"""Figures from records: one module a kind, each of which ends in its KIND (see report/kind.py)."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Iterator

from report.drawn import Drawn
from report.kind import FigureKind, alien, discovered, own_part

from . import children

if TYPE_CHECKING:
    from concurrent.futures import Future

    from report.view import View

FORMATS = ("svg", "png", "pdf")
MOST_WORKERS = 4

_jobs: list[tuple[View, str]] = []  # in a child: what it may be asked to draw
_folder = Path()


def kinds() -> dict[str, FigureKind]:
    """Every kind of figure by name."""
    return discovered(sys.modules[__name__])


@contextmanager
def drawing(jobs: list[tuple[View, str]], folder: Path) -> Iterator[Callable[[], list[Drawn]]]:
    """Draws each (view, stem) while the body goes on, side by side on the cores there are; the body gets a function that
    waits for all and hands them over."""
    workers = min(len(os.sched_getaffinity(0)), len(jobs), MOST_WORKERS)
    if workers < 2:
        yield lambda: [draw(view, folder, stem) for view, stem in jobs]
        return
    from . import style  # noqa: F401 - loaded once, before the children part

    with children.pool(workers, _take_jobs, jobs, folder) as pool:
        futures = [pool.submit(_draw_job, number) for number in range(len(jobs))]
        yield lambda: _all_of(futures)


def _all_of(futures: list[Future[Drawn]]) -> list[Drawn]:
    from report import progress

    progress.now(lambda: f"figures, {sum(future.done() for future in futures)} of {len(futures)}")
    return [future.result() for future in futures]


def _take_jobs(jobs: list[tuple[View, str]], folder: Path) -> None:
    global _jobs, _folder
    _jobs, _folder = jobs, folder


def _draw_job(number: int) -> Drawn:
    view, stem = _jobs[number]
    return draw(view, _folder, stem)


def draw(view: View, folder: Path, stem: str) -> Drawn:
    """Draws the figure of the view's kind in every format. A fault costs this figure alone."""
    from report.fault import spared
    from report.language import say

    faults: list[str] = []
    drawn = spared(f"figure {stem}", lambda: _draw(view, folder, stem),
                   lambda why: Drawn(stem, view.title, "", say("page.fault", why=why), view.reference), faults)
    return replace(drawn, fault=faults[0]) if faults else drawn


def _draw(view: View, folder: Path, stem: str) -> Drawn:
    from report.language import say
    from report.tables import sentences

    known = kinds()
    if view.kind not in known:
        return Drawn(stem, view.full_title, "", say("plot.no_kind", kind=view.kind, known=", ".join(known)), view.reference)
    kind = known[view.kind]
    if why := alien(kind, view):
        return Drawn(stem, view.full_title, "", why, view.reference)
    view = own_part(kind, view)
    if not view.shown:
        return Drawn(stem, view.full_title, "", say("plot.nothing", why=view.left_out_text()), view.reference)
    from . import style

    with style.applied():
        figure = kind.figure(view)
        if isinstance(figure, str):
            return Drawn(stem, view.full_title, "", figure, view.reference)
        style.save(figure, folder, stem, FORMATS)
    looked_at = kind.part(view)
    counts = kind.counts_text(view) if kind.counts_text else looked_at.left_out_text()
    note = sentences(counts, looked_at.disturbed_text(), looked_at.throttled_text(), looked_at.conditions)
    finding = kind.finding(view)
    described = kind.described(view) if kind.described else _described(looked_at, finding)
    return Drawn(stem, view.full_title, note, "", view.reference, finding, described)


def _described(view: View, finding: str) -> str:
    """The finding, or else the title, and what is drawn of how many lines at which sizes."""
    from report.language import say
    from report.numbers import counted
    from report.series import series_of, shape_names, shapes_of
    from report.tables import sentences

    shapes = shapes_of(view.shown)
    return sentences((finding or view.title) + say("number.stop"), say(
        "The figure shows {lines} at {sizes}: {names}.", lines=counted(len(series_of(view.shown)), "line"),
        sizes=counted(len(shapes), "shape"), names=shape_names(shapes)))
