"""From which size the GPU wins, and how often A and B must be used again until their transfer is
paid."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from records.cases.case import Case
from records.cases.ratios import Ratio, speedup
from records.cases.series import Shape
from records.schema.operations import extents, is_square, option_words

from .pairs import BEST, match_of
from .points import CALL, KERNEL, Contest, Match

LAST_BITS = 1e-9


@dataclass(frozen=True)
class BreakEven:
    """Between `lost`, the largest square at which the GPU is not confirmed to be faster, and `won`,
    the next one: from there it wins at every size. None for `lost` where it wins at all, for `won`
    where the largest is not won.

    `size` is where the ratio crosses 1 for the last time, by a straight line between neighbours
    with both axes logarithmic, and so before `lost` where the GPU is ahead there by less than can
    be told; `low` and `high` are where the upper and lower ends of the 95 % intervals do; where a
    tie's 95 % interval lies above 1, its 99 % interval, with the noise floor, stands in for the
    lower end. `between`: the neighbours that the line of `size` joins.
    """

    sizes: tuple[int, ...]
    lost: int | None
    won: int | None
    size: float | None = None
    low: float | None = None
    high: float | None = None
    between: tuple[Match, ...] = ()
    by_medians: float | None = None  # `size` by the times that stand in tables

    @property
    def always(self) -> bool:
        return bool(self.sizes) and self.lost is None

    @property
    def never(self) -> bool:
        return self.won is None


def _crossing(sizes: Sequence[int], values: Sequence[float]) -> float:
    """Where the line through the values last rises above 1; the first size where it always is, the
    last where it never is."""
    below = [place for place, value in enumerate(values) if value <= 1]
    if not below or below[-1] == len(sizes) - 1:
        return float(sizes[-1] if below else sizes[0])
    place = below[-1]
    one, other = math.log(values[place]), math.log(values[place + 1])
    ends = math.log(sizes[place]), math.log(sizes[place + 1])
    return math.exp(ends[0] + (ends[1] - ends[0]) * -one / (other - one))


def _surely(ratio: Ratio) -> float:
    """The lower end of the 95 % interval; of a tie that lies above 1 for all that, the end that
    makes it one."""
    low = ratio.low or ratio.value
    return min(low, ratio.bounds[0]) if ratio.tie and ratio.bounds and low > 1 else low


def squares_of(matches: Sequence[Match]) -> list[Match]:
    """Those of one extent; where all have options, as a type of 16 bits, those of the first's."""
    found = sorted((match for match in matches if len(set(extents(match.shape))) == 1),
                   key=lambda match: match.shape)
    plain = [match for match in found if is_square(match.shape)]
    return plain or [match for match in found
                     if option_words(match.shape) == option_words(found[0].shape)]


def break_even(matches: Sequence[Match]) -> BreakEven | None:
    """Of the squares among the matches; None where there are fewer than two."""
    squares = squares_of(matches)
    sizes = [extents(match.shape)[0] for match in squares]
    if len(sizes) < 2:
        return None
    open_ones = [place for place, match in enumerate(squares) if not match.won]
    if not open_ones:
        return BreakEven(tuple(sizes), None, sizes[0])
    last = open_ones[-1]
    if last == len(sizes) - 1:
        return BreakEven(tuple(sizes), sizes[last], None)
    lost, won = sizes[last], sizes[last + 1]
    ratios = [match.ratio for match in squares]

    def at(end: Callable[[Ratio], float]) -> float:
        return _crossing(sizes, [end(ratio) for ratio in ratios])

    known = all(ratio.low and ratio.high for ratio in ratios[last:last + 2])
    low = at(lambda ratio: ratio.high or ratio.value) if known else float(lost)
    high = at(_surely) if known else float(won)
    size = at(lambda ratio: ratio.value)
    medians = at(lambda ratio: ratio.of[0].median_s / ratio.of[1].median_s)
    above = next((place for place, one in enumerate(sizes) if one >= size), 0)
    return BreakEven(tuple(sizes), lost, won, size, low, high,
                     tuple(squares[max(above - 1, 0):above + 1]), medians)


@dataclass(frozen=True)
class Reuse:
    """How many products the same A and B must take part in on the card until moving them there and
    C back is paid, with the fewest and most that the intervals allow. None for never: the call
    alone is not faster than the CPU. `high` None: maybe never."""

    match: Match  # the CPU's best, and a call of a kernel; its time alone where no call was timed
    moved: Case  # the same kernel end to end
    uses: int | None
    low: int | None
    high: int | None

    @property
    def shape(self) -> Shape:
        return self.match.shape


def _uses(transfer: float, saved: float) -> int | None:
    """The smallest r ≥ 1 with (transfer + r·call) / r < 1, all in times of the CPU's product, where
    each use saves `saved` of one. A whole number is level, whatever the quotient's last bit."""
    return math.floor(max(transfer, 0) / saved + LAST_BITS) + 1 if saved > 0 else None


def _shares(ratio: Ratio) -> tuple[float, float, float]:
    """Of the CPU's time, with the least and the most."""
    return 1 / ratio.value, 1 / (ratio.high or ratio.value), 1 / (ratio.low or ratio.value)


def reuse_of(contest: Contest, shape: Shape, way: str) -> Reuse | None:
    """Of the GPU's FP32 kernel that is paid with the fewest products against the CPU's best, and of
    such the fastest end to end; None where none was timed end to end in this way. Each use is a
    call, launch and wait counted: the kernel's own time, of a replayed graph, has none."""
    best = match_of(BEST, contest, shape, KERNEL)
    if best is None:
        return None
    made = [_reuse(Match(best.cpu, call), moved) for moved in contest.of(shape, "gpu", way)
            for call in _calls(contest, moved)]
    return min(made, key=lambda one: (one.uses or math.inf, one.moved.median_s), default=None)


def _calls(contest: Contest, moved: Case) -> list[Case]:
    """Of the same code without transfers: its calls, or its kernel alone where none was timed."""
    def timed(way: str) -> list[Case]:
        return [case for case in contest.of(moved.shape, "gpu", way)
                if (case.implementation, case.parameters) == (moved.implementation,
                                                              moved.parameters)]
    return timed(CALL) or timed(KERNEL)


def _reuse(match: Match, moved: Case) -> Reuse:
    """By the ratios to the CPU's point, so of shared rounds where there are any: medians over all
    rounds may be of calls that the CPU's rounds held up."""
    (call, least, most), (whole, low, high) = map(_shares, (match.ratio,
                                                            speedup(match.cpu, moved)))
    return Reuse(match, moved, _uses(whole - call, 1 - call), _uses(low - most, 1 - least),
                 _uses(high - least, 1 - most))
