"""Small drawings as <svg> that take their ink from the page's stylesheet, so that one file suits light, dark and paper."""

from __future__ import annotations

from typing import Sequence

from markupsafe import Markup, escape

WIDTH, TEXT = 640, 13


def svg(height: float, parts: Sequence[str], label: str) -> Markup:
    return Markup(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" role="img" '
                  f'aria-label="{escape(label)}" font-size="{TEXT}">{"".join(parts)}</svg>')


def text(x: float, y: float, said: str, kind: str = "", anchor: str = "", colour: str = "") -> str:
    """`kind`: "soft" or "strong"; `anchor`: "middle" or "end"; `colour`: other than the page's ink."""
    where = f' text-anchor="{anchor}"' if anchor else ""
    filled = f' fill="{colour}"' if colour else ""
    return f'<text x="{x:.0f}" y="{y:.0f}"{where}{filled}{_of(kind)}>{escape(said)}</text>'


def box(x: float, y: float, width: float, height: float, colour: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" height="{height:.1f}" fill="{colour}"/>'


def rule(x: float, y: float, to_x: float, to_y: float, kind: str = "rule") -> str:
    return f'<path d="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}"{_of(kind)}/>'


def curve(points: Sequence[tuple[float, float]], colour: str) -> str:
    """A line through the points, with a dot at each."""
    way = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points)
    return f'<path d="M{way}" class="curve" style="stroke: {colour}"/>{dots}'


def _of(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
