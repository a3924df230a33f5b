"""What the course notes predict, beside what was counted: bytes asked for, and strided beside contiguous access."""

from __future__ import annotations

from ..numbers import DASH, plain, with_interval
from ..operations import shape_text, volume
from ..records import InputError
from ..tables import Cell, Row, Table, sentences
from .facts import LADDER
from .measures import bytes_asked_for, lanes_of, ratio_value
from .names import parameters_of
from .points import Absent, Point
from .tables import Beside
from .texts import names, say

NOTES = "course-notes"  # a source without a table of its own
_TILES = (4, 8, 16, 32)
_NAMES = ("naive", "naive, strided", "tiled", "contiguous access", "strided access")


def _point(beside: Beside, name: str, tile: int) -> tuple[str, Point]:
    """What map.csv has for a name of the notes, at a tile width where that is not 0: how it is called, and the point."""
    ours = beside.book.ours(NOTES, "", name)
    if ours is None:
        raise InputError(f"map.csv: there is no row for '{name}' of {NOTES}; allowed: a row for each "
                         f"of {', '.join(_NAMES)}")
    parameters = parameters_of(ours, {"threads": "", "block": str(tile or "")})
    text = ", ".join([ours.id, *(f"{key} {value}" for key, value in parameters.items())])
    return text, {"implementation": ours.id, **parameters, "experiments": ours.experiments}


def intensity(beside: Beside, machine: str) -> Table:
    """FLOP per byte by tile width: predicted, and counted on three levels."""
    language = beside.language
    table = Table("intensity", say("intensity title", language, machine=machine),
                  sentences(say("intensity caption", language), beside.points.counted_elsewhere([LADDER])),
                  names("intensity heads", language), names("intensity columns", language))
    for tile in (0, *_TILES):
        text, point = _point(beside, "tiled" if tile else "naive", tile)
        try:
            metrics, shape = beside.points.counters(point)
        except Absent:
            continue
        dram = sum(metrics.get(name, 0.0) for name in ("dram_read_bytes", "dram_write_bytes"))
        counted = [bytes_asked_for(metrics, lanes_of(tile)), metrics.get("l2_bytes"), dram]
        values = [tile / 4 if tile else 0.25,
                  *(2.0 * volume(shape) / one if one else None for one in counted)]
        table.rows.append(Row((text, shape_text(*shape)), tuple(
            Cell(DASH) if value is None else Cell(plain(value), value, unit="FLOP/byte") for value in values)))
    return table


def access(beside: Beside, machine: str) -> Table:
    """Strided beside contiguous access: sectors per request, and what it costs in time."""
    language = beside.language
    table = Table("access", say("access title", language, machine=machine),
                  sentences(say("access caption", language), beside.points.counted_elsewhere([LADDER])),
                  names("access heads", language), names("access columns", language))
    pairs = [("naive", "naive, strided", 0), *(("contiguous access", "strided access", tile) for tile in _TILES)]
    for contiguous, strided, tile in pairs:
        texts, both = zip(*(_point(beside, name, tile) for name in (contiguous, strided)))
        try:
            (one, shape), (other, _) = (beside.points.counters(point) for point in both)
            at = dict(zip("mnk", shape))
            ratio = ratio_value(*beside.points.pair((both[1] | at,), (both[0] | at,)))
        except Absent:
            continue
        sectors = [metrics.get("global_load_sectors_per_request") for metrics in (one, other)]
        table.rows.append(Row((*texts, shape_text(*shape)), (
            *(Cell(DASH) if value is None else Cell(plain(value), value, unit="sector") for value in sectors),
            Cell(with_interval(ratio.value, ratio.low, ratio.high), ratio.value, ratio.low, ratio.high, "times"))))
    return table
