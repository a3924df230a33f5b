"""The dark scheme of figures: which colour stands for which, as rules of style that a browser
follows.

The files keep their light colours, so that whatever knows no scheme (paper, an editor) shows these.
"""

from __future__ import annotations

from .palette import dark_of

# Each colour of plots/drawing/style.py and of the figures that is not kept: as legible on the dark
# page as the first on white.
DARK = {"#ffffff": "#15181c", "#000000": "#f2f3f5", "#222222": "#e6e8eb", "#555555": "#a3abb7",
        "#dddddd": "#353b44", "#cccccc": "#6b7480", "#eeeeee": "#22272e", "#0072b2": "#3f97e0",
        "#d55e00": "#f2823f", "#009e73": "#2fc096", "#cc79a7": "#e59cc6", "#e69f00": "#f2b83c",
        "#56b4e9": "#93d4ff", "#c00000": "#ff7070"} | dark_of()
MEDIA = "@media screen and (prefers-color-scheme: dark){\n"
# text on a colour that both schemes share: white and black, which stay
ON_COLOUR = ("#fefefe", "#010101")


def _rules(within: str = "", svg: str | None = None) -> str:
    """Of every colour, or of those that the file `svg` has. `fill` of an <svg> is what text without
    a colour of its own inherits."""
    lines = [f"{within}svg{{fill:{DARK['#000000']}}}"]
    for light, dark in DARK.items():
        for what, rule in ((f"fill: {light}", '[style*="{}"]{{fill:{}!important}}'),
                           (f"stroke: {light}", '[style*="{}"]{{stroke:{}!important}}'),
                           (f'fill="{light}"', "[{}]{{fill:{}}}")):
            if svg is None or what in svg:
                lines.append(within + rule.format(what, dark))
    return MEDIA + "\n".join(lines) + "\n}\n"


def page_rules() -> str:
    """The same for figures within a page."""
    return _rules("figure ")


def with_scheme(svg: str) -> str:
    """The file with the rules of its colours in it."""
    end = svg.index(">", svg.index("<svg")) + 1
    return f"{svg[:end]}\n<style>\n{_rules(svg=svg)}</style>\n{svg[end:].lstrip()}"


def without_scheme(svg: str) -> str:
    """The file without them: a page has these rules once."""
    before, mark, rest = svg.partition(f"<style>\n{MEDIA}")
    return before + rest.partition("</style>\n")[2] if mark else svg
