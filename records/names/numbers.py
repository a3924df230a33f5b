"""Numbers as text, the same everywhere: three significant digits, units that keep them readable."""

from __future__ import annotations

from language import say, say_count

TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
DASH = "–"
Ends = tuple[float | None, float | None]


def decimals_for(value: float) -> int:
    """Decimals that show three significant digits, and none from 100 on."""
    size = abs(value)
    if size >= 99.95:
        return 0
    if size >= 9.995:
        return 1
    if size >= 0.9995 or size == 0:
        return 2
    return 3 if size >= 0.1 else 4


def plain(value: float, decimals: int | None = None) -> str:
    """1234.5 -> "1,234"; 12.345 -> "12.3"."""
    return f"{value:,.{decimals_for(value) if decimals is None else decimals}f}"


def with_interval(value: float, low: float | None, high: float | None, unit: str = "",
                  decimals: int | None = None) -> str:
    """"12.3 [12.1, 12.6] ms"; without an interval "12.3 ms"."""
    decimals = decimals_for(value) if decimals is None else decimals
    ends = ("" if low is None
            or high is None else f" [{plain(low, decimals)}, {plain(high, decimals)}]")
    return f"{plain(value, decimals)}{ends}{' ' + unit if unit else ''}"


def ends_of(interval: tuple[float, float] | None) -> Ends:
    """The low and the high end of an interval; None and None without one."""
    return interval or (None, None)


def ratio_text(value: float, low: float | None = None, high: float | None = None) -> str:
    """A ratio with its interval. A little over 1 it has three decimals, as below 1: how far from 1
    it lies is what counts."""
    if not 0.9995 <= value < 1.0995 or value == low == high == 1:
        return with_interval(value, low, high)
    return with_interval(value, low, high, decimals=3)


def time_unit(seconds: float) -> tuple[float, str]:
    """The unit that shows `seconds` best: (seconds a unit, name)."""
    for scale, name in TIME_UNITS:
        if seconds >= scale * 0.9995:
            return scale, name
    return TIME_UNITS[-1]


def duration(seconds: float) -> str:
    """"12.3 ms"."""
    scale, unit = time_unit(seconds)
    return f"{plain(seconds / scale)} {unit}"


def joined(parts: list[str]) -> str:
    """"a", "a and b", "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return say("{before} and {last}", before=say(", ").join(parts[:-1]), last=parts[-1])


def counted(count: int, thing: str) -> str:
    """"1 point", "3 points"."""
    return say_count(count, f"{{count}} {thing}", f"{{count}} {thing}s")


def percent(share: float) -> str:
    """A share with two significant digits: 0.0041 -> "0.41 %", 0.127 -> "13 %", 0.00001 -> "< 0.01
    %"."""
    value = 100 * share
    if 0 < value < 0.005:
        return "< 0.01 %"
    return f"{value:.{0 if value >= 9.95 else 1 if value >= 0.995 else 2}f} %"


def percents(shares: tuple[float, float]) -> str:
    """From the least to the most: "0.02 to 2.6 %"; one number where both read alike."""
    low, high = map(percent, shares)
    return high if low == high else between(low.removesuffix(" %"), high)


def between(low: str, high: str) -> str:
    """"0.96 to 0.99"; one number where both read alike."""
    return low if low == high else say("{low} to {high}", low=low, high=high)


def ranks(values: list[float]) -> list[float]:
    """The place of each value from 0; equal values share the middle of theirs."""
    order = sorted(range(len(values)), key=lambda index: values[index])
    made = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for place in range(start, end + 1):
            made[order[place]] = (start + end) / 2
        start = end + 1
    return made


def capital(text: str) -> str:
    """With a capital at its beginning; what stands there as a name, too."""
    return text[:1].upper() + text[1:]
