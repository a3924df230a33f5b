"""Fits the model's free constants: `python -m emulator.model.fit` writes
data/emulated/constants.toml.

Only the points that data/emulated/bars.toml names are looked at: the mean |log(predicted /
measured)| over them becomes least. `low` and `high` are then the tenths of measured over predicted
at either end, over the same points, never nearer to 1 than NEAREST.
"""

from __future__ import annotations

import math
import random
import tomllib

from emulator.counts.constants import CONSTANTS, EMULATED, FITTED

from . import model
from .ladder import Point, points

TRIALS, STEP, SEED = 4000, 0.2, 1
# What the constants can mean at all: how alike two units must be to add up, loads of a warp under
# way, cycles behind others' requests, and a block's own work where nothing else hides it.
BOUNDS = {"softness": (2.0, 8.0), "loads_in_flight": (4.0, 32.0), "queue_cycles": (0.0, 700.0),
          "own_work": (0.8, 1.5)}
NEAREST = 0.15


def bars() -> dict:
    return tomllib.loads((EMULATED / "bars.toml").read_text(encoding="utf-8"))


def rung_of(point: Point) -> str:
    """"gpu.tiled block=16", as bars.toml names rungs."""
    return " ".join([point.implementation,
                     *(f"{name}={value}" for name, value in point.parameters.items())])


def is_fitted(point: Point, of: dict) -> bool:
    product = point.product
    return (product.rows == product.cols == product.depth == of["size"]
            and rung_of(point) in of["rungs"])


def _predicted(point: Point) -> float:
    """Seconds, by the constants of now."""
    found = point.explanation()
    if found is None:
        raise ValueError(f"{rung_of(point)}: its counts cannot be explained")
    return found.seconds


def _error(fitted: list[tuple[Point, float]], constants: dict[str, float]) -> float:
    model.CONSTANTS.update(constants)
    errors = [abs(math.log(_predicted(point) / seconds)) for point, seconds in fitted]
    return sum(errors) / len(errors)


def fit(every: tuple[Point, ...]) -> dict[str, float]:
    """The constants, by random steps from those that are there: the same ones at each run."""
    wanted = bars()["fit"]
    fitted = [(point, point.seconds) for point in every
              if point.seconds and is_fitted(point, wanted)]
    if not fitted:
        raise ValueError("there are no counts of the rungs that bars.toml names")
    draw = random.Random(SEED)
    best = {name: CONSTANTS[name] for name in FITTED}
    least = _error(fitted, best)
    for _ in range(TRIALS):
        tried = dict(best)
        for name in draw.sample(FITTED, 2):
            low, high = BOUNDS[name]
            tried[name] = min(max(tried[name] * math.exp(draw.gauss(0, STEP)), low), high)
        if (error := _error(fitted, tried)) < least:
            best, least = tried, error
    _error(fitted, best)
    ratios = sorted(seconds / _predicted(point) for point, seconds in fitted)
    tenth = len(ratios) // 10
    return best | {"low": min(ratios[tenth], 1 - NEAREST),
                   "high": max(ratios[-1 - tenth], 1 + NEAREST)}


def main() -> None:
    found = fit(points())
    lines = [("# Made by python -m emulator.model.fit on the points that bars.toml names; see "
              "emulator/model/model.py."),
             *(f"{name} = {value:.4g}" for name, value in found.items())]
    (EMULATED / "constants.toml").write_text("\n".join(lines) + "\n",
                                             encoding="utf-8", newline="\n")
    print(*lines[1:], sep="\n")


if __name__ == "__main__":
    main()
