"""The dark scheme of figures: which colour stands for which, as rules of style that a browser follows.

The files keep their light colours, so that whatever knows no scheme (paper, an editor) shows these.
"""

from __future__ import annotations

from report.palette import dark_of

# Each colour of style.py and of the figures that is not kept: as legible on the dark page as the first on white.
DARK = {"#ffffff": "#15181c", "#000000": "#f2f3f5", "#222222": "#e6e8eb", "#555555": "#a3abb7", "#dddddd": "#353b44",
        "#cccccc": "#6b7480", "#eeeeee": "#22272e", "#0072b2": "#3f97e0", "#d55e00": "#f2823f", "#009e73": "#2fc096", "#cc79a7": "#e59cc6",
        "#e69f00": "#f2b83c", "#56b4e9": "#93d4ff", "#c00000": "#ff7070"} | dark_of()
ON_COLOUR = ("#fefefe", "#010101")  # text on a colour that both schemes share: white and black, which stay


def _rules(within: str) -> str:
    """`fill` of an <svg> is what text without a colour of its own inherits."""
    lines = [f"{within}svg{{fill:{DARK['#000000']}}}"]
    for light, dark in DARK.items():
        lines.append(f'{within}[style*="fill: {light}"]{{fill:{dark}!important}}')
        lines.append(f'{within}[style*="stroke: {light}"]{{stroke:{dark}!important}}')
        lines.append(f'{within}[fill="{light}"]{{fill:{dark}}}')
    return "@media screen and (prefers-color-scheme: dark){\n" + "\n".join(lines) + "\n}\n"


SCHEME_STYLE = f"<style>\n{_rules('')}</style>\n"


def page_rules() -> str:
    """The same for figures within a page."""
    return _rules("figure ")


def with_scheme(svg: str) -> str:
    """The file with the rules in it."""
    end = svg.index(">", svg.index("<svg")) + 1
    return f"{svg[:end]}\n{SCHEME_STYLE}{svg[end:].lstrip()}"
