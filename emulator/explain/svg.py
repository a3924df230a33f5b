"""Small drawings as <svg>, without a script: inked by the page's stylesheet (`kind`, its class), or
by colours of their own."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

WIDTH = 640


def svg(height: float, parts: Sequence[str], label: str, size: int, family: str = "",
        width: int = WIDTH) -> Markup:
    """`label`: what is read out; `size` and `family`: the font's, where the page's stylesheet sets
    no family."""
    font = f' font-family="{family}"' if family else ""
    return Markup(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:g}" '
                  f'role="img" aria-label="{escape(label)}"{font} font-size="{size}">'
                  f'{"".join(parts)}</svg>')


def text(x: float, y: float, said: str, kind: str = "", anchor: str = "", colour: str = "",
         size: float = 0) -> str:
    """`anchor`: "middle" or "end"; `colour` and `size`: other than the drawing's."""
    given = {"text-anchor": anchor, "fill": colour, "font-size": f"{size:g}" if size else "",
             "class": kind}
    return f'<text x="{x:.1f}" y="{y:.1f}"{_attributes(given)}>{escape(said)}</text>'


def box(x: float, y: float, width: float, height: float, colour: str) -> str:
    """At least as wide as can be seen."""
    return (f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" height="{height:.1f}" '
            f'fill="{colour}"/>')


def line(x: float, y: float, to_x: float, to_y: float, kind: str = "", colour: str = "") -> str:
    given = {"class": kind, "style": f"stroke: {colour}" if colour else ""}
    return f'<path d="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}"{_attributes(given)}/>'


def dot(x: float, y: float, colour: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'


def curve(points: Sequence[tuple[float, float]], colour: str) -> str:
    """A line through the points, with a dot at each; the class "curve" makes it a line."""
    way = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return (f'<path d="M{way}" class="curve" style="stroke: '
            f'{colour}"/>{"".join(dot(x, y, colour) for x, y in points)}')


def _attributes(given: dict[str, str]) -> str:
    return "".join(f' {name}="{value}"' for name, value in given.items() if value)
