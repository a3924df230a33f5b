"""Drawings of the chapters on tensor cores, each computed by a rule of the code: fragments, banks,
the ring of stages, the order of tiles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from emulator.explain.drawing import BLUE, FAINT, ORANGE
from language import say
from records.names.numbers import percent
from report.pages.svg import WIDTH, line, svg, text

from . import fragments, ring
from .measures import Measures
from .order import Wave, waves

TINTS = (BLUE, "#009e73", "#cc79a7", "#e69f00")  # of a lane's registers
ON_ORANGE = "#010101"
SIZE, FONT = 16, 13  # of a cell, of text
TILE_WIDE, TILE_HIGH, ROWS_SHOWN = 8.2, 7, 20  # of a tile of C
Box = tuple[float, float, float, float]  # x, y, width, height
Label = tuple[float, float, object]  # x, y, what it says


def _boxes(boxes: Iterable[Box], colour: str, opacity: float = 1, kind: str = "") -> str:
    """Many of a colour as one path; nothing where there are none."""
    way = "".join(f"M{x:g} {y:g}h{width:g}v{height:g}h{-width:g}z" for x, y, width, height in boxes)
    given = {"fill": colour, "fill-opacity": f"{opacity:g}" if opacity < 1 else "", "class": kind}
    told = "".join(f' {name}="{value}"' for name, value in given.items() if value)
    return f'<path d="{way}"{told}/>' if way else ""


def _labels(labels: Iterable[Label], size: float, anchor: str = "middle", kind: str = "",
            colour: str = "") -> str:
    given = "".join(f' {name}="{value}"' for name, value in (("class", kind), ("fill", colour))
                    if value)
    said = "".join(f'<text x="{x:g}" y="{y:g}">{what}</text>' for x, y, what in labels)
    return f'<g font-size="{size:g}" text-anchor="{anchor}"{given}>{said}</g>'


def _note(said: str) -> Markup:
    return Markup('<p class="soft">{}</p>').format(said)


# ---- fragments ----------------------------------------------------------------------------------


def _fragment(registers: list[list[tuple[fragments.Place, ...]]], x: float, y: float,
              chosen: int) -> list[str]:
    """An operand's elements, in the tint of the register that holds them, with the lane's number;
    `registers`: of each lane. Elements that share a register are one box."""
    tinted: list[list[Box]] = [[] for _ in TINTS]
    size = 10 if registers[0][0][0][0] == registers[0][0][-1][0] else 9  # of upright boxes
    marked, numbers, marked_numbers = [], [], []
    for lane, held in enumerate(registers):
        for register, places in enumerate(held):
            (top, left), (bottom, right) = places[0], places[-1]
            area = (x + left * SIZE, y + top * SIZE, (right - left + 1) * SIZE,
                    (bottom - top + 1) * SIZE)
            tinted[register].append(area)
            label = (area[0] + area[2] / 2, area[1] + area[3] / 2 + 3.5, lane)
            (marked_numbers if lane == chosen else numbers).append(label)
            if lane == chosen:
                marked.append(area)
    return [*(_boxes(boxes, colour, 0.22, "rule") for boxes, colour in zip(tinted, TINTS)),
            _boxes(marked, ORANGE),
            _labels(numbers, size), _labels(marked_numbers, size, kind="strong", colour=ON_ORANGE)]


def fragment_layout(_: Measures, of: Sequence[str]) -> Markup:
    """A·B = C of one mma.sync, with the lane named in orange."""
    chosen, top, rows = int(of[0]), 24, 16 * SIZE
    lefts = (24.0, 324.0, 490.0)
    operands = [[held(lane) for lane in range(fragments.LANES)]
                for held in (fragments.of_a, fragments.of_b, fragments.of_c)]
    parts: list[str] = []
    for x, registers, name, letter in zip(lefts, operands, (
            say("A, 16 rows × 16 terms"), say("B, 16 × 8"), say("C, 16 × 8")), "abc"):
        parts += [text(x, top - 9, name, "strong"), *_fragment(registers, x, top, chosen)]
        for n in range(len(registers[0])):
            at = x + n * 62
            parts += [_boxes([(at, top + rows + 12, 12, 12)], TINTS[n], 0.4),
                      text(at + 17, top + rows + 22, f"{letter}{2 * n}, {letter}{2 * n + 1}",
                           "soft")]
    for half, anchor, at in ((0, "end", lefts[0] - 4), (1, "start", lefts[0] + 16 * SIZE + 4)):
        rows_of = {lane: row for lane in range(fragments.LANES)
                   for row, chunk in [fragments.address_of(lane)] if chunk == half}
        parts.append(_labels([(at, top + row * SIZE + 11.5, lane)
                              for lane, row in rows_of.items()], 9, anchor, "pale"))
    parts += [text((lefts[0] + 16 * SIZE + lefts[1]) / 2 + 6, top + rows / 2 + 5, "·",
                   anchor="middle", size=20),
              text((lefts[1] + 8 * SIZE + lefts[2]) / 2, top + rows / 2 + 5, "→", anchor="middle",
                   size=16)]
    told = say("which of the 32 lanes holds which element of A, B and C")
    return svg(top + rows + 34, parts, told, FONT) + _note(say(
        "In each box: the lane that holds these two elements, in the register of the tint; "
        "lane {lane} in orange. Beside A: the lane that gives ldmatrix the address of these 16 "
        "bytes.", lane=chosen))


# ---- banks --------------------------------------------------------------------------------------


def bank_passes(_: Measures, of: Sequence[str]) -> Markup:
    """How the eight rows of a matrix meet in the banks, of each tile named, in the order of the
    matrix and swizzled."""
    drawn = Markup("")
    for name in of:
        tile = fragments.TILES[name]
        drawn += _note(_TILE_NAMES[name]()) + _banks(name, tile)
    return drawn


_TILE_NAMES = {
    "A": lambda: say("A's tile, of which a row is 64 bytes: the eight rows that ldmatrix reads at "
                     "a time"),
    "B": lambda: say("B's tile, of which a row is 256 bytes; its first 128 are drawn"),
    "TMA": lambda: say("a tile of TMA and wgmma, of which a row is 128 bytes"),
}


def _banks(name: str, tile: fragments.Tile) -> Markup:
    top, high, wide, left, gap = 40, 19, 34, 54, 18
    in_line = fragments.LINE // fragments.CHUNK_BYTES
    parts: list[str] = []
    height = 0.0
    for panel, swizzle in enumerate((False, True)):
        x0 = left + panel * (in_line * wide + gap)
        addresses = fragments.matrix_rows(name, swizzle)
        lines = sorted({address // fragments.LINE for address in addresses})
        y_of = {at: top + n * high for n, at in enumerate(lines)}
        found = fragments.passes(addresses)
        per_slot = [sum(address % fragments.LINE // fragments.CHUNK_BYTES == slot
                        for address in addresses) for slot in range(in_line)]
        chunks = {tile.address(row, chunk, swizzle): (row, chunk)
                  for row in range(fragments.MATRIX_ROWS)
                  for chunk in range(tile.row_bytes // fragments.CHUNK_BYTES)}
        shown = {at: chunk for at, (_, chunk) in chunks.items() if at // fragments.LINE in y_of}
        boxes = {at: (x0 + at % fragments.LINE // fragments.CHUNK_BYTES * wide,
                      float(y_of[at // fragments.LINE]), float(wide), float(high)) for at in shown}
        met = [at for at in addresses
               if per_slot[at % fragments.LINE // fragments.CHUNK_BYTES] > 1]
        alone = [at for at in addresses if at not in met]
        bottom = top + len(lines) * high
        parts += [text(x0, 14, say("swizzled") if swizzle else say("in order"), "strong"),
                  _labels([(x0 + slot * wide + wide / 2, top - 6,
                            f"{slot * 4}–{slot * 4 + 3}") for slot in range(in_line)], 9,
                          kind="pale"),
                  _boxes([boxes[at] for at in met], ORANGE),
                  _boxes([boxes[at] for at in alone], BLUE),
                  _boxes(boxes.values(), "none", kind="rule"),
                  _labels([(boxes[at][0] + wide / 2, boxes[at][1] + 13.5, chunk)
                           for at, chunk in shown.items() if at not in addresses], 10,
                          kind="pale"),
                  _labels([(boxes[at][0] + wide / 2, boxes[at][1] + 13.5, shown[at])
                           for at in met], 10, kind="strong", colour=ON_ORANGE),
                  _labels([(boxes[at][0] + wide / 2, boxes[at][1] + 13.5, shown[at])
                           for at in alone], 10, kind="on"),
                  _labels([(x0 + slot * wide + wide / 2, bottom + 15, count)
                           for slot, count in enumerate(per_slot)], 11),
                  text(x0, bottom + 34, say("passes over the banks: {passes}", passes=found),
                       "strong")]
        if not panel:
            parts.append(_labels([(left - 6, y_of[at] + 13.5, _rows_text(tile, at))
                                  for at in lines], 10, "end", "pale"))
        height = bottom + 42
    parts.append(_labels([(left - 6, top - 6, say("banks"))], 9, "end", "pale"))
    return svg(height, parts, say("where eight chunks lie in the 32 banks, in order and swizzled"),
               FONT)


def _rows_text(tile: fragments.Tile, at: int) -> str:
    """The rows of a line of 128 bytes."""
    first = at * fragments.LINE // tile.row_bytes
    rows = max(1, fragments.LINE // tile.row_bytes)
    return (say("row {row}", row=first) if rows == 1
            else say("rows {first}, {last}", first=first, last=first + rows - 1))


# ---- the ring -----------------------------------------------------------------------------------


def ring_timeline(_: Measures, of: Sequence[str]) -> Markup:
    """The stages of a ring over time, for each count of stages named; as many steps as the longest
    room shows."""
    steps = 11
    runs = [ring.rounds(int(count), steps) for count in of]
    end = max(one[-1].empty for one in runs)
    parts: list[str] = []
    y = 8.0
    for count, made in zip(map(int, of), runs):
        y = _ring(parts, made, count, end, y)
    parts += [_boxes([(84, y + 2, 14, 11)], BLUE, 0.35), text(103, y + 12, say("on its way"), "soft"),
              _boxes([(224, y + 2, 14, 11)], BLUE), text(243, y + 12, say("multiplied"), "soft"),
              _dot(364, y + 7.5, full=True), text(373, y + 12, say("full: a phase ends"), "soft"),
              _dot(508, y + 7.5, full=False), text(517, y + 12, say("empty, likewise"), "soft")]
    return svg(y + 22, parts, say("stages of a ring over time"), FONT) + _note(say(
        "A model: a copy is under way for {copy} units of time, the products of a stage take "
        "{products}; waits and phases are those of the code. In the bars: the step; at the dots: "
        "the parity that is waited for.", copy=f"{ring.COPY:g}", products=f"{ring.PRODUCTS:g}"))


def _dot(x: float, y: float, full: bool) -> str:
    """Where a barrier's phase ends."""
    fill = "" if full else ' class="hollow"'
    return f'<circle cx="{x:g}" cy="{y:g}" r="3"{fill}/>'


def _ring(parts: list[str], made: list[ring.Step], count: int, end: float, y: float) -> float:
    left, high = 84.0, 28.0
    scale = (WIDTH - left - 8) / end
    parts.append(text(0, y + 10, say("{count} stages", count=count), "strong"))
    y += 18

    def x(time: float) -> float:
        return round(left + time * scale, 1)

    rows = {"asks": y, **{stage: y + high * (stage + 1) for stage in range(count)},
            "multiplies": y + high * (count + 1)}
    names = [(say("producer"), y), *((say("stage {stage}", stage=stage), rows[stage])
                                     for stage in range(count)), (say("consumers"), rows["multiplies"])]
    parts += [text(left - 8, top + 20, name, "soft", "end") for name, top in names]
    parts += [line(left, top + high - 1, WIDTH - 8, top + high - 1, "rule") for _, top in names]
    coming: list[Box] = []
    used: list[Box] = []
    numbers: list[Label] = []
    asked: list[Label] = []
    parities: list[Label] = []
    dots: list[str] = []
    for step, one in enumerate(made):
        top = rows[one.stage]
        coming += [(x(one.asked), rows["asks"] + 11, round(ring.ISSUE * scale - 1, 1), 12),
                   (x(one.asked), top + 11, round((one.full - one.asked) * scale, 1), 12)]
        for at in (top, rows["multiplies"]):
            used.append((x(one.begun), at + 11, round((one.empty - one.begun) * scale - 1, 1), 12))
            numbers.append((x((one.begun + one.empty) / 2), at + 20.5, step))
        asked.append((x((one.asked + one.full) / 2), top + 20.5, step))
        for at, is_full in ((x(one.full), True), (x(one.empty), False)):
            dots.append(_dot(at, top + 17, is_full))
            parities.append((at, top + 8, one.phase))
    parts += [_boxes(coming, BLUE, 0.35), _boxes(used, BLUE),
              _labels(asked, 9), _labels(numbers, 9, kind="on"), *dots,
              _labels(parities, 8.5, kind="pale")]
    idle = ring.waited(made)
    said = (say("the tensor cores wait for {share} of the time", share=percent(
        idle / (made[-1].empty - made[0].begun)))
            if idle else say("the tensor cores do not wait"))
    parts.append(text(WIDTH - 8, y - 8, said, "soft", "end"))
    return rows["multiplies"] + high + 18


# ---- the order of tiles -------------------------------------------------------------------------


def tile_order(measures: Measures, of: Sequence[str]) -> Markup:
    """C of the size named and its tiles of rows×cols that run at a time, row by row and in
    groups."""
    size, rows, cols, group = map(int, of)
    at_once = measures.multiprocessors
    left, top, gap = 36.0, 52.0, 50.0
    parts: list[str] = []
    height = 0.0
    for panel, (grouped, name) in enumerate((
            (1, say("row by row")), (group, say("{group} rows together", group=group)))):
        first, second = waves(grouped, size, rows, cols, at_once)
        x = left + panel * (size / cols * TILE_WIDE + gap)
        parts.append(text(x, 14, name, "strong"))
        height = _waves(parts, first, second, size, x, top)
    return svg(height, parts, say("tiles that run at a time, in two orders"), FONT) + _note(say(
        "The first {shown} rows of tiles of C, {size}×{size} in tiles of {rows}×{cols}. Full "
        "colour: the {count} that run first, one for each SM of the card; pale: the next ones. Blue: what the "
        "first read of A (left) and of B (above).", shown=ROWS_SHOWN, size=size, rows=rows,
        cols=cols, count=at_once))


def _waves(parts: list[str], first: Wave, second: Wave, size: int, x: float, y: float) -> float:
    """Where it ends."""
    across = size // first.cols
    strip = 9

    def boxes(places: Iterable[tuple[int, int]]) -> list[Box]:
        return [(round(x + col * TILE_WIDE, 1), y + row * TILE_HIGH, TILE_WIDE - 1, TILE_HIGH - 1)
                for row, col in places]

    bottom = y + ROWS_SHOWN * TILE_HIGH
    others = {(row, col) for row in range(ROWS_SHOWN) for col in range(across)}
    parts += [_boxes([(x, y, across * TILE_WIDE - 1, ROWS_SHOWN * TILE_HIGH - 1)], FAINT, 0.4),
              _boxes(boxes(first.places), ORANGE),
              _boxes(boxes(others & set(second.places)), ORANGE, 0.45),
              _boxes([(x - strip - 4, y + row * TILE_HIGH, strip, TILE_HIGH - 1)
                      for row in sorted(first.down)]
                     + [(round(x + col * TILE_WIDE, 1), y - strip - 4, TILE_WIDE - 1, strip)
                        for col in sorted(first.across)], BLUE),
              text(x - strip - 8, y + 12, "A", "soft", "end"),
              text(x, y - strip - 9, "B", "soft"),
              text(x, bottom + 18, say("{rows} rows of A, {cols} columns of B:",
                                       rows=len(first.down) * first.rows,
                                       cols=len(first.across) * first.cols)),
              text(x, bottom + 36, say("{count} × K elements", count=f"{first.read:,}"), "strong")]
    return bottom + 44
