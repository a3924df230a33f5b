"""Does a case say of itself what follows from its samples and its shape? What does not is nobody's
measurement."""

from __future__ import annotations

import math
from typing import Any

from .cases.ratios import rank_of_low_end
from .schema.older import dims_of, rates_of
from .schema.operations import GEMM

TOLERANCE = 1e-6  # of a number that another program rounded
# rounds of a group whose samples are kept; of later ones the statistics are known, the samples are
# not
KEPT = 1000
LATER = 1000  # such rounds at most
_FROM_SAMPLES = ("median_s", "min_s", "ci95_s")


def agree(line: dict[str, Any]) -> None:
    """Raises ValueError, with the key and why, where median, least, interval or rate of a checked
    case do not follow from its samples and its shape, as far as all samples were kept."""
    get = line.get
    samples, median = get("samples_s") or (), get("median_s")
    rounds = get("rounds") or ()
    if len(rounds) != len(samples):
        raise ValueError(f"rounds: {len(rounds)} of them for {len(samples)} samples")
    if not samples or median is None:
        _without_median(line, samples)
        return
    count = get("sample_count") or len(samples)
    if count == len(samples) and None not in samples:
        _agree_wholly(line, sorted(samples), median)
    else:
        most = len(samples) + LATER if len(samples) < KEPT else count
        if not len(samples) <= count <= most:
            raise ValueError(f"sample_count: {count}, but there are {len(samples)} samples; those "
                             f"of the first {KEPT:,} rounds are kept")
        _agree_in_part(line, sorted([sample for sample in samples if sample is not None]), count)
    rate = rates_of(line).get("gflop_per_s")
    if rate is not None and (get("operation") or GEMM) == GEMM:
        work = 2e-9 * math.prod(dims_of(line)[name] for name in "mnk")
        if abs(rate * median - work) > TOLERANCE * work:
            raise ValueError(f"gflop_per_s: {rate:g}, but 2·m·n·k over median_s is "
                             f"{work / median:g}")


def _without_median(line: dict[str, Any], samples: Any) -> None:
    for name in _FROM_SAMPLES:
        if line.get(name) is not None:
            raise ValueError(f"{name}: there is {'no median_s' if samples else 'no sample'} that "
                             "it could follow from")
    for name in rates_of(line):
        raise ValueError(f"{name}: there is {'no median_s' if samples else 'no sample'} that it "
                         "could follow from")


def _agree_wholly(line: dict[str, Any], ordered: list[float], median: float) -> None:
    """All samples are there."""
    count = len(ordered)
    half = count // 2
    middle = ordered[half] if count % 2 else (ordered[half - 1] + ordered[half]) / 2
    slack = TOLERANCE * middle
    if abs(median - middle) > slack:
        raise ValueError(f"median_s: {median:g}, but the median of samples_s is {middle:g}")
    least = line.get("min_s")
    if least is not None and abs(least - ordered[0]) > slack:
        raise ValueError(f"min_s: {least:g}, but the least of samples_s is {ordered[0]:g}")
    interval = line.get("ci95_s")
    if interval:
        rank = rank_of_low_end(count)
        if rank is None:
            raise ValueError(f"ci95_s: {count} samples have no such interval")
        if (len(interval) != 2 or None in interval or abs(interval[0] - ordered[rank]) > slack
                or abs(interval[1] - ordered[-1 - rank]) > slack):
            raise ValueError(f"ci95_s: {interval[:4]}, but that of samples_s is "
                             f"[{ordered[rank]:g}, {ordered[-1 - rank]:g}]")


def _agree_in_part(line: dict[str, Any], ordered: list[float], count: int) -> None:
    """Samples were taken that are not there: those of rounds beyond KEPT, or that were no
    number."""
    median, least = line["median_s"], line.get("min_s")
    low, high = _reach(ordered, count)
    if least is not None and least > min(ordered, default=median) * (1 + TOLERANCE):
        raise ValueError(f"min_s: {least:g}, but a sample is {ordered[0]:g}")
    if (not low * (1 - TOLERANCE) <= median <= high * (1 + TOLERANCE)
            or (least is not None and least > median * (1 + TOLERANCE))):
        raise ValueError(f"median_s: {median:g} cannot be that of these samples")
    interval = [end for end in line.get("ci95_s") or () if end is not None]
    if (interval
            and not (len(interval) == 2 and (least or 0) * (1 - TOLERANCE) <= interval[0]
                     and interval[0] * (1 - TOLERANCE) <= median <= interval[1] * (1 + TOLERANCE))):
        raise ValueError(f"ci95_s: {interval[:4]} does not hold the median {median:g}")


def _reach(ordered: list[float], count: int) -> tuple[float, float]:
    """What the median of `count` samples lies between, whatever those are that are missing among
    `ordered`."""
    missing = count - len(ordered)
    low, high = (count - 1) // 2 - missing, count // 2
    return (ordered[low] if 0 <= low < len(ordered) else 0.0,
            ordered[high] if high < len(ordered) else float("inf"))
