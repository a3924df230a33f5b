"""Drawings of a page as <svg>, without a script: times by unit, a warp's addresses, its banks, a
block's barriers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from markupsafe import Markup, escape

from emulator.counts.card import WARP
from emulator.counts.work import SECTOR, Site
from language import say
from records.names.numbers import duration

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


MARGIN, ROW, TEXT, FONT = 12, 20, 12, "DejaVu Sans, sans-serif"
BLUE, ORANGE, GREY, FAINT, INK = "#0072b2", "#d55e00", "#555555", "#cccccc", "#222222"
LABEL, VALUE = 150, 80  # widths beside bars
LANES_Y, TARGET_Y, BOX = 28, 150, 22
BANKS, WORD = 32, 4
MOST_SECTORS, MOST_WARPS = 32, 8


def bars(times: list[tuple[str, float]], total: float, binding: str, label: str,
         measured: float | None = None) -> Markup:
    """A bar per unit, as long as the unit would take alone; the whole prediction, and what was
    measured, as lines across."""
    marks = [(total, say("predicted: {time}", time=duration(total)), INK)]
    if measured:
        said = say("measured: {time}", time=duration(measured))
        marks = sorted([*marks, (measured, said, ORANGE)])
    span = max([*(seconds for _, seconds in times), *(seconds for seconds, *_ in marks)])
    room = WIDTH - LABEL - VALUE
    parts = []
    crossed = [LABEL + room * seconds / span for seconds, *_ in marks]
    for n, (name, seconds) in enumerate(times):
        y, length = MARGIN + n * ROW, room * seconds / span
        value = LABEL + length + 5
        for x in crossed:
            value = x + 5 if value - 5 < x < value + VALUE - 20 else value
        parts += [text(LABEL - 6, y + 13, name, anchor="end", colour=INK),
                  box(LABEL, y + 2, length, ROW - 6, ORANGE if name == binding else BLUE),
                  text(value, y + 13, duration(seconds), colour=GREY)]
    bottom = MARGIN + len(times) * ROW
    for n, ((_, said, colour), x) in enumerate(zip(marks, crossed)):
        last = n + 1 == len(marks)  # the other's words end at its line, so that they keep apart
        end = bottom + TEXT * (len(marks) > 1)
        parts += [line(x, MARGIN - 6, x, end, colour=colour),
                  text(x if last else x - 4, bottom + (n + 1) * (TEXT + 2), said,
                       anchor="middle" if last else "end", colour=INK)]
    return svg(bottom + len(marks) * (TEXT + 2) + 6, parts, label, TEXT, FONT)


def _lanes(parts: list[str]) -> list[float]:
    """Draws the 32 lanes at the top; their places."""
    step = (WIDTH - 2 * MARGIN) / WARP
    places = [MARGIN + step * (lane + 0.5) for lane in range(WARP)]
    parts.append(text(MARGIN, 12, say("lanes of one warp"), colour=GREY))
    for lane, x in enumerate(places):
        parts.append(dot(x, LANES_Y, INK))
        if lane % 8 == 0 or lane == WARP - 1:
            parts.append(text(x, LANES_Y - 6, str(lane), anchor="middle", colour=GREY, size=9))
    return places


def addresses_drawn(site: Site) -> Markup:
    """Lanes above, the sectors of 32 bytes that they touch below; sectors that are not neighbours
    stand apart."""
    found = [int(address) for address in (site.example or {}).get("addresses") or []][:WARP]
    sectors = sorted({byte // SECTOR for address in found if address >= 0
                      for byte in range(address, address + max(site.bytes, 1))})
    shown = sectors[:MOST_SECTORS]
    gaps = sum(after - before > 1 for before, after in itertools.pairwise(shown))
    parts: list[str] = []
    places = _lanes(parts)
    gap = 4.0
    width = (WIDTH - 2 * MARGIN - gaps * gap) / max(len(shown), 8)
    left: dict[int, float] = {}
    x = float(MARGIN)
    for n, sector in enumerate(shown):
        x += gap if n and sector - shown[n - 1] > 1 else 0
        left[sector] = x
        parts.append(box(x, TARGET_Y, width - 1, BOX, FAINT))
        x += width
    for lane, address in enumerate(found):
        if address < 0 or address // SECTOR not in left:
            continue
        at = left[address // SECTOR] + (address % SECTOR) / SECTOR * (width - 1)
        used = min(site.bytes, SECTOR) / SECTOR * (width - 1)
        parts += [line(places[lane], LANES_Y + 3, at + used / 2, TARGET_Y, colour=BLUE),
                  box(at, TARGET_Y, used, BOX, ORANGE)]
    used = len({byte for address in found if address >= 0
                for byte in range(address, address + site.bytes)})
    told = say("{sectors} sectors of 32 bytes: {used} of {bytes} bytes that are moved are used",
               sectors=len(sectors), used=used, bytes=len(sectors) * SECTOR)
    parts.append(text(MARGIN, TARGET_Y + BOX + 16, told, colour=INK))
    return svg(TARGET_Y + BOX + 24, parts, told, TEXT, FONT)


def banks_drawn(site: Site) -> Markup:
    """Lanes above, the 32 banks below, each with the number of different words that are wanted from
    it."""
    found = [int(address) for address in (site.example or {}).get("addresses") or []][:WARP]
    wanted: list[set[int]] = [set() for _ in range(BANKS)]
    for address in found:
        if address >= 0:
            for word in range(address // WORD, (address + max(site.bytes, 1) - 1) // WORD + 1):
                wanted[word % BANKS].add(word)
    parts: list[str] = []
    places = _lanes(parts)
    step = (WIDTH - 2 * MARGIN) / BANKS
    for bank, words in enumerate(wanted):
        x = MARGIN + step * bank
        parts += [box(x, TARGET_Y, step - 1, BOX,
                      ORANGE if len(words) > 1 else BLUE if words else FAINT),
                  text(x + step / 2 - 0.5, TARGET_Y + BOX + TEXT, str(len(words)), anchor="middle",
                       colour=INK if words else GREY, size=10)]
    for lane, address in enumerate(found):
        if address >= 0:
            bank = address // WORD % BANKS
            parts.append(line(places[lane], LANES_Y + 3, MARGIN + step * (bank + 0.5), TARGET_Y,
                              colour=ORANGE if len(wanted[bank]) > 1 else BLUE))
    told = say("words wanted from each bank, 0 to 31: at most {most}", most=max(map(len, wanted)))
    if site.bytes > WORD:
        told = say("{told}; {bytes} bytes per lane are served in parts", told=told,
                   bytes=site.bytes)
    parts.append(text(MARGIN, TARGET_Y + BOX + 32, told, colour=INK))
    return svg(TARGET_Y + BOX + 40, parts, told, TEXT, FONT)


def timeline_drawn(timeline: tuple[tuple[int, tuple[float, ...]], ...]) -> Markup:
    """A row per warp of the first block: its accesses from barrier to barrier, as wide as the warp
    that has most of them."""
    rows = timeline[:MOST_WARPS]
    count = max(len(stretches) for _, stretches in rows)
    widest = [max((stretches[n] for _, stretches in rows if n < len(stretches)), default=0)
              for n in range(count)]
    room, total = WIDTH - 70 - MARGIN, sum(widest) or 1
    parts, x = [], 70.0
    for n, most in enumerate(widest):
        width = room * most / total
        for row, (_, stretches) in enumerate(rows):
            if n < len(stretches) and most:
                parts.append(box(x, MARGIN + row * ROW + 3, width * stretches[n] / most - 0.5,
                                 ROW - 6, BLUE if n % 2 else "#56b4e9"))
        x += width
        if n + 1 < count:
            parts.append(line(x, MARGIN, x, MARGIN + len(rows) * ROW, colour=ORANGE))
    for row, (warp, _) in enumerate(rows):
        parts.append(text(64, MARGIN + row * ROW + 14, say("warp {warp}", warp=warp),
                          anchor="end", colour=GREY))
    bottom = MARGIN + len(rows) * ROW
    told = say("accesses to memory from barrier to barrier (orange), the first {count} stretches "
               "of the first block", count=count)
    parts.append(text(70, bottom + TEXT + 2, told, colour=GREY))
    return svg(bottom + TEXT + 8, parts, told, TEXT, FONT)
