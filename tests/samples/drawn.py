"""A figure as drawn, and what of its text is cut off or overlaps."""

from __future__ import annotations

from matplotlib.text import Text

import plots
from plots.drawing import style


def figure_of(view):
    """The figure of the view's kind, or why there is none."""
    with style.applied():
        return plots.kinds()[view.kind].figure(view)


def texts_of(figure) -> list[Text]:
    """Every text of the figure that is shown and not empty, with those of its axes."""
    figure.canvas.draw()
    every = [tick for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)
             for tick in (*axis.majorTicks, *axis.minorTicks)]
    drawn = [tick for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)
             for tick in axis._update_ticks()]
    beyond = {id(label) for tick in every if tick not in drawn
              for label in (tick.label1, tick.label2)}  # of the axis' ends
    return [text for text in figure.findobj(Text)
            if text.get_text().strip() and text.get_visible() and id(text) not in beyond]


def cut_off(figure) -> list[str]:
    """The texts that reach over the figure's edge."""
    width, height = figure.bbox.width, figure.bbox.height
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts_of(figure)]
    return [name for name, box in boxes if box.x0 < -1 or box.y0 < -1 or box.x1 > width + 1
            or box.y1 > height + 1]


def overlapping(figure) -> list[tuple[str, str]]:
    """Pairs of texts that lie over one another by more than a pixel."""
    boxes = [(text.get_text(), text.get_window_extent().padded(-1)) for text in texts_of(figure)]
    return [(one, other) for place, (one, box) in enumerate(boxes)
            for other, beside in boxes[:place] if box.overlaps(beside)]
