"""Figures from records: one module a kind, each with `figure(view)`, which gives a Figure or says why there is none."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Iterator

from . import children

if TYPE_CHECKING:
    from concurrent.futures import Future

    from report.view import View

KINDS = ("gflops_vs_size", "time_vs_size", "speedup_bars", "block_size", "block_heatmap", "thread_scaling",
         "ladder_bars", "roofline", "first_call", "transfer_shares", "thread_placement", "clocks")
FORMATS = ("svg", "png", "pdf")
MOST_WORKERS = 4

_jobs: list[tuple[View, str]] = []  # in a child: what it may be asked to draw
_folder = Path()


@dataclass(frozen=True)
class Drawn:
    """A figure's files are folder/stem.{svg,png,pdf}; none where `problem` says why."""

    stem: str
    title: str
    note: str
    problem: str = ""
    reference: bool = False
    finding: str = ""  # what it shows, in one sentence; empty where the kind of figure finds none
    description: str = ""  # the same picture in words, for whoever cannot see it
    fault: str = ""  # where it could not be drawn for a fault: a line for whoever mends it


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

    if view.kind not in KINDS:
        return Drawn(stem, view.full_title, "", say("plot.no_kind", kind=view.kind, known=", ".join(KINDS)),
                     view.reference)
    if not view.shown:
        return Drawn(stem, view.full_title, "", say("plot.nothing", why=view.left_out_text()), view.reference)
    from . import style

    with style.applied():
        module = import_module(f".{view.kind}", __name__)
        figure = module.figure(view)
        if isinstance(figure, str):
            return Drawn(stem, view.full_title, "", figure, view.reference)
        style.save(figure, folder, stem, FORMATS)
    looked_at = module.part(view) if hasattr(module, "part") else view
    counts = module.counts_text(view) if hasattr(module, "counts_text") else looked_at.left_out_text()
    note = sentences(counts, looked_at.disturbed_text(), looked_at.throttled_text(), looked_at.conditions)
    finding = module.finding(view) if hasattr(module, "finding") else ""
    described = module.described(view) if hasattr(module, "described") else _described(looked_at, finding)
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
