"""A figure's SVG without what no reader sees: its text stays text, a hundredth of a point is
enough, unused names go."""

from __future__ import annotations

import re

# As wide as the font that the layout was made with, or narrower: no label outgrows its place.
FAMILIES = "DejaVu Sans, Verdana, Noto Sans CJK SC, sans-serif"
_NUMBERS = re.compile(r"-?\d+\.\d+")
_PLACES = re.compile(r' (d|x|y|width|height|transform|viewBox)="([^"]*)"')
_UNTURNED = re.compile(r' transform="rotate\(-?0(?: [^)]*)?\)"')
_BARE = re.compile(r"<g>\s*((?:<(?:text|path|use)\b[^>]*/>\s*|<text\b[^>]*>[^<]*</text>\s*)*)</g>")


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
