"""The rungs of the ladder that a kernel stands between, all of them predicted."""

from __future__ import annotations

from ..numbers import plain
from .explanation import Explanation
from .ladder import COUNTS, points

AROUND = 3  # rungs shown to either side


def neighbours(explanation: Explanation, card: str) -> list[tuple[str, str]]:
    """The rungs next to it by predicted GFLOP/s at the shape that the ladder's counts have and that is nearest to its own."""
    if not COUNTS.is_file():
        return []
    volume = explanation.product.rows * explanation.product.cols * explanation.product.depth
    shapes = {point.product for point in points()}
    nearest = min(shapes, key=lambda one: abs(one.rows * one.cols * one.depth - volume))
    rungs = [(found.gflop_per_s, point.name) for point in points() if point.product == nearest and (found := point.explanation(card))]
    rungs.sort()
    place = sum(rate < explanation.gflop_per_s for rate, _ in rungs)
    shape = f"{nearest.rows}×{nearest.cols}×{nearest.depth}"
    return [(f"{name}, {shape}", f"{plain(rate)} GFLOP/s") for rate, name in rungs[max(0, place - AROUND):place + AROUND]]
