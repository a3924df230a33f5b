"""A figure that was drawn, as the pages know it."""

from __future__ import annotations

from dataclasses import dataclass


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
