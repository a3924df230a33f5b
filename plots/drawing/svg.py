"""A figure's SVG: without what no reader sees, and with the colours of a dark page.

Text stays text, a hundredth of a point is enough, unused names go. The dark scheme says which
colour stands for which, as rules of style that a browser follows; the files keep their light
colours, so that whatever knows no scheme (paper, an editor) shows these.
"""

from __future__ import annotations

import re

from records.names.palette import dark_of

# As wide as the font that the layout was made with, or narrower: no label outgrows its place.
FAMILIES = "DejaVu Sans, Verdana, Noto Sans CJK SC, sans-serif"
_NUMBERS = re.compile(r"-?\d+\.\d+")
_PLACES = re.compile(r' (d|x|y|width|height|transform|viewBox)="([^"]*)"')
_UNTURNED = re.compile(r' transform="rotate\(-?0(?: [^)]*)?\)"')
_BARE = re.compile(r"<g>\s*((?:<(?:text|path|use)\b[^>]*/>\s*|<text\b[^>]*>[^<]*</text>\s*)*)</g>")
# Each colour of plots/drawing/style.py and of the figures that is not kept: as legible on the dark
# page as the first on white.
DARK = {"#ffffff": "#15181c", "#000000": "#f2f3f5", "#222222": "#e6e8eb", "#555555": "#a3abb7",
        "#dddddd": "#353b44", "#cccccc": "#6b7480", "#eeeeee": "#22272e", "#0072b2": "#3f97e0",
        "#d55e00": "#f2823f", "#009e73": "#2fc096", "#cc79a7": "#e59cc6", "#e69f00": "#f2b83c",
        "#56b4e9": "#93d4ff", "#c00000": "#ff7070"} | dark_of()
MEDIA = "@media screen and (prefers-color-scheme: dark){\n"
# text on a colour that both schemes share: white and black, which stay
ON_COLOUR = ("#fefefe", "#010101")


def _rounded(match: re.Match[str]) -> str:
    """As 12.5 or 0: hundredths, without zeros that say nothing."""
    return f"{round(float(match[0]), 2) or 0:.2f}".rstrip("0").rstrip(".")


def _place(match: re.Match[str]) -> str:
    return f' {match[1]}="{_NUMBERS.sub(_rounded, " ".join(match[2].split()))}"'


def _style(match: re.Match[str]) -> str:
    """Without the family, which stands at the root, and without what is so by itself."""
    kept = [part for part in match[1].split("; ")
            if not part.startswith("font-family") and part != "text-anchor: start"]
    return f' style="{"; ".join(kept)}"' if kept else ""


def _tag(tag: str, used: set[str]) -> str:
    """One tag; what stands between tags is a reader's, and stays."""
    tag = _UNTURNED.sub("", re.sub(r' style="([^"]*)"', _style, tag))
    return re.sub(r' id="([^"]*)"', lambda match: match[0] if match[1] in used else "",
                  _PLACES.sub(_place, tag))


def compact(svg: str) -> str:
    """The same picture in a fraction of the bytes; `svg` is what matplotlib writes with
    svg.fonttype "none"."""
    svg = re.sub(r"<metadata>.*?</metadata>\s*|<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', svg))
    svg = re.sub(r"<[^<>]+>", lambda match: _tag(match[0], used), svg)
    svg = re.sub(r">\s+<", "><", svg)
    before = ""
    while before != svg:
        before, svg = svg, _BARE.sub(r"\1", svg)
    svg = re.sub(r"><(g|text|path)\b", r">\n<\1", svg.replace("<defs></defs>", ""))
    return svg.replace("<svg ", f'<svg font-family="{FAMILIES}" ', 1)


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
