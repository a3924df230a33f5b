"""What the drawings here are made of: many boxes or labels as one element, and a note below."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

FONT = 13
ON_ORANGE = "#010101"  # text on a box
Box = tuple[float, float, float, float]  # x, y, width, height
Label = tuple[float, float, object]  # x, y, what it says


def boxes(wanted: Iterable[Box], colour: str, opacity: float = 1, kind: str = "") -> str:
    """Of one colour; nothing where there are none."""
    way = "".join(f"M{x:g} {y:g}h{width:g}v{height:g}h{-width:g}z"
                  for x, y, width, height in wanted)
    given = {"fill": colour, "fill-opacity": f"{opacity:g}" if opacity < 1 else "", "class": kind}
    return f'<path d="{way}"{_attributes(given)}/>' if way else ""


def labels(wanted: Iterable[Label], size: float, anchor: str = "middle", kind: str = "",
           colour: str = "") -> str:
    """Numbers and words of ours, which need no escaping."""
    said = "".join(f'<text x="{x:g}" y="{y:g}">{what}</text>' for x, y, what in wanted)
    given = {"font-size": f"{size:g}", "text-anchor": anchor, "class": kind, "fill": colour}
    return f"<g{_attributes(given)}>{said}</g>" if said else ""


def note(said: str) -> Markup:
    return Markup('<p class="soft">{}</p>').format(said)


def _attributes(given: dict[str, str]) -> str:
    return "".join(f' {name}="{value}"' for name, value in given.items() if value)
