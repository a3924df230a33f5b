"""One look for all figures: readable in grey, by the colour-blind, and the same bytes every
time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib
from fontTools import subset
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.typing import RcKeyType
from PIL import Image

from language import current

from .svg import compact, with_scheme

# Okabe-Ito; neighbours differ in lightness too, and each comes with its own marker.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DEVICE_COLOURS = {"cpu": "#E69F00", "gpu": "#0072B2"}
GREY = "#555555"
MOST_LINES = len(COLOURS)

_STYLE: dict[RcKeyType, Any] = {
    "font.family": "DejaVu Sans", "font.size": 9, "axes.titlesize": 9.5, "axes.titleweight": "bold",
    "axes.titlelocation": "left", "axes.labelsize": 9, "xtick.labelsize": 8, "ytick.labelsize": 8,
    "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.6,
    "axes.axisbelow": True, "lines.linewidth": 1.6, "lines.markersize": 5,
    "axes.edgecolor": GREY, "xtick.color": "#222222", "ytick.color": "#222222",
    "hatch.linewidth": 0.6, "svg.fonttype": "none", "svg.hashsalt": "gemmlab",
    "pdf.compression": 6, "pdf.fonttype": 42, "figure.dpi": 100, "legend.frameon": False,
    "legend.fontsize": 8, "axes.unicode_minus": True, "path.simplify": False,
    # where it stands anyway: looking for ticks in its way took a tenth of the time of a figure
    "axes.titley": 1.0, "text.parse_math": False,  # a "$" in a record's title is a "$"
}
_METADATA = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
PNG_DPI = 160
COLOURS_OF_PNG = 64
CHINESE = "Noto Sans CJK SC"
CHINESE_FOLDERS = ("/usr/share/fonts/opentype/noto", "/usr/share/fonts/noto-cjk",
                   "/usr/local/share/fonts")


@lru_cache(maxsize=1)
def chinese_font() -> str | None:
    """The family that has the Chinese letters; None where it is not installed."""
    for folder in CHINESE_FOLDERS:
        for path in sorted(Path(folder).glob("NotoSansCJK-*.ttc")):
            font_manager.fontManager.addfont(path)
    known = {font.name for font in font_manager.fontManager.ttflist}
    return CHINESE if CHINESE in known else None


def _fonts() -> dict[RcKeyType, list[str]]:
    """What a Chinese figure needs beside the style's own family."""
    return ({"font.family": [_STYLE["font.family"], CHINESE]} if current() == "zh"
            and chinese_font() else {})


@contextmanager
def applied() -> Iterator[None]:
    """Matplotlib's own defaults with this style, whatever the user's matplotlibrc says."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE | _fonts())
        yield


def new_figure(width_in: float, height_in: float) -> Figure:
    """An empty figure with a canvas, so that text can be measured."""
    figure = Figure(figsize=(width_in, height_in))
    FigureCanvasAgg(figure)
    return figure


def figure_of(axes: Axes) -> Figure:
    """The figure that the axes belong to."""
    found = axes.get_figure(root=True)
    if found is None:
        raise ValueError("these axes are part of no figure")
    return found


def _save_png(figure: Figure, path: Path) -> None:
    """With a palette, which a figure of few lines does not run out of: a third of the bytes."""
    pixels = BytesIO()
    figure.savefig(pixels, format="rgba", dpi=PNG_DPI)
    width, height = (int(side * PNG_DPI) for side in figure.get_size_inches())
    image = Image.frombuffer("RGBA", (width, height), pixels.getvalue(), "raw", "RGBA", 0, 1)
    image.convert("RGB").quantize(COLOURS_OF_PNG, Image.Quantize.MEDIANCUT,
                                  dither=Image.Dither.NONE).save(path, "PNG")


class _LaidOut(subset.Options):
    """How fonts are cut down for a PDF, whose glyphs stand where they stay: reading and cutting
    the tables of their layout took two fifths of the time of all figures."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.drop_tables += ["GDEF", "GPOS", "GSUB", "MATH", "kern"]


@contextmanager
def _small_fonts() -> Iterator[None]:
    before, subset.Options = subset.Options, _LaidOut
    try:
        yield
    finally:
        subset.Options = before


@_small_fonts()
def save(figure: Figure, folder: Path, stem: str, formats: tuple[str, ...]) -> None:
    """folder/stem.<format> for each; no date and no user name goes into any."""
    folder.mkdir(parents=True, exist_ok=True)
    for suffix in formats:
        path = folder / f"{stem}.{suffix}"
        if suffix == "png":
            _save_png(figure, path)
            continue
        figure.savefig(path, format=suffix, metadata=_METADATA[suffix], dpi=PNG_DPI)
        if suffix == "svg":
            path.write_text(with_scheme(compact(path.read_text(encoding="utf-8"))),
                            encoding="utf-8", newline="\n")
