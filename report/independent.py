"""What an independent timer found beside an experiment of ours: the same library's products, timed by PyTorch."""

from __future__ import annotations

from pathlib import Path

from .language import say
from .numbers import ratio_text, shape_text
from .published.points import torch_cases
from .ratios import unpaired
from .view import View


def independent_sentences(view: View, folder: Path) -> list[str]:
    """Our time over the other's at each shape that both timed, from the table beside the records; none where there is no such
    table, or the view is of another experiment."""
    told, largest = [], 0.0
    for other in torch_cases(folder):
        own = next((case for case in view.shown if (case.experiment, case.shape) == (other.experiment, other.shape)
                    and "library" in case.chosen and case.precision == "fp32" and not case.copy), None)
        if own is None:
            continue
        ratio = unpaired(own, other)
        largest = max(largest, abs(ratio.value - 1))
        told.append(say("independent.at", shape=shape_text(*own.shape), value=ratio_text(ratio.value, ratio.low, ratio.high)))
    return [say("independent.text", most=f"{100 * largest:.1f}", parts=say("number.semicolon").join(told))] if told else []
