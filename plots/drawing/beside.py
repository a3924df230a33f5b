"""Two panels side by side, and text that is put where it fits."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb

from . import layout

LIGHTEST = 0.62  # of the way to white


def beside(axes: Axes, left_in: float, right_in: float = 0.15) -> Axes:
    """New axes as high as `axes`, from `left_in` to `right_in` inches before the figure's edge."""
    box = axes.get_position()
    return axes.figure.add_axes((left_in / layout.WIDTH_IN, box.y0,
                                 (layout.WIDTH_IN - left_in - right_in) / layout.WIDTH_IN,
                                 box.height))


def shades(colour: str, count: int) -> list[str]:
    """`count` shades from light to the colour itself, for values of one parameter: they differ in
    grey, too."""
    red, green, blue = to_rgb(colour)
    made = []
    for place in range(count):
        white = LIGHTEST * (1 - place / (count - 1)) if count > 1 else 0.0
        made.append(to_hex((red + (1 - red) * white, green + (1 - green) * white,
                            blue + (1 - blue) * white)))
    return made


def bare(axes: Axes) -> None:
    """No frame, ticks or grid across: for horizontal bars with their numbers beside them."""
    axes.spines["left"].set_visible(False)
    axes.grid(axis="y", visible=False)
    axes.tick_params(length=0, axis="y")
