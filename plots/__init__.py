"""Figures from records: one module a kind, each with `figure(view)`, which gives a Figure or says why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from report.view import View

KINDS = ("gflops_vs_size", "time_vs_size", "speedup_bars", "block_size", "block_heatmap", "thread_scaling",
         "ladder_bars")
FORMATS = ("svg", "png", "pdf")


@dataclass(frozen=True)
class Drawn:
    """A figure's files are folder/stem.{svg,png,pdf}; none where `problem` says why."""

    stem: str
    title: str
    note: str
    problem: str = ""
    reference: bool = False


def draw(view: View, folder: Path, stem: str) -> Drawn:
    """Draws the figure of the view's kind in every format."""
    if view.kind not in KINDS:
        return Drawn(stem, view.full_title, "", f"There is no figure of the kind “{view.kind}”; known are "
                     f"{', '.join(KINDS)}.", view.reference)
    if not view.shown:
        return Drawn(stem, view.full_title, "", f"Nothing to draw: {view.left_out_text()}", view.reference)
    from . import style

    with style.applied():
        module = import_module(f".{view.kind}", __name__)
        figure = module.figure(view)
        if isinstance(figure, str):
            return Drawn(stem, view.full_title, "", figure, view.reference)
        style.save(figure, folder, stem, FORMATS)
    looked_at = module.part(view) if hasattr(module, "part") else view
    return Drawn(stem, view.full_title, looked_at.left_out_text(), "", view.reference)
