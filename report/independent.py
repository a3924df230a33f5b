"""What an independent timer found beside an experiment of ours: the same library's products, timed by PyTorch."""

from __future__ import annotations

from pathlib import Path

from .language import say
from .numbers import ratio_text
from .operations import shape_text
from .published.points import torch_cases
from .ratios import Ratio, unpaired
from .series import Shape
from .view import View


def _beside(view: View, folder: Path) -> list[tuple[Shape, Ratio]]:
    """Our time over the other's at each shape that both timed."""
    found = []
    for other in torch_cases(folder):
        own = next((case for case in view.shown if (case.experiment, case.shape) == (other.experiment, other.shape)
                    and case.library and case.precision == "fp32" and not case.copy), None)
        if own is not None:
            found.append((own.shape, unpaired(own, other)))
    return found


def _most(found: list[tuple[Shape, Ratio]]) -> str:
    return f"{100 * max(abs(ratio.value - 1) for _, ratio in found):.1f}"


def independent_finding(view: View, folder: Path) -> str:
    """How far the two timers are apart; empty where there is no table of the other's beside the records, or the view is of
    another experiment."""
    found = _beside(view, folder)
    return say("The same library timed by PyTorch differs by {most} % at most", most=_most(found)) if found else ""


def independent_sentences(view: View, folder: Path) -> list[str]:
    """The same with every shape; none where there is none."""
    found = _beside(view, folder)
    told = [say("independent.at", shape=shape_text(*shape), value=ratio_text(ratio.value, ratio.low, ratio.high))
            for shape, ratio in found]
    return [say("independent.text", most=_most(found), parts=say("number.semicolon").join(told))] if told else []
