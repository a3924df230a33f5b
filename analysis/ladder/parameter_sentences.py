"""Sentences on the values of one parameter: which block or how many threads are the fastest, and
what they bring."""

from __future__ import annotations

from typing import Any

from language import recorded, say
from records.cases.case import Case
from records.cases.phrases import named, times
from records.cases.ratios import speedup
from records.cases.series import Series, by_value, having, series_of, shapes_of, values_of
from records.names.numbers import counted, joined, plain
from records.schema.operations import shape_text
from records.view import View


def least_of_best(shown: dict[Any, Case], parameter: str) -> Any:
    """The smallest value of those that cannot be told from the fastest."""
    best = min(shown, key=lambda value: shown[value].median_s)
    return next(value for value in values_of(shown.values(), parameter)
                if value == best or _ties(shown[value], shown[best]))


def _ties(case: Case, best: Case) -> bool:
    ratio = speedup(case, best)
    return ratio.tie and not ratio.undecided


def _value_name(parameter: str, value: Any) -> str:
    """"8 threads", "1 thread", "block 8"."""
    return counted(value, "thread") if parameter == "threads" else say("{parameter} {value}",
        parameter=recorded(parameter), value=value)


def _best_value(series: Series, parameter: str) -> str | None:
    """"block 32 is fastest at 1024, 2.4 times [2.3, 2.5] as fast as block 4" at the largest shape
    with two values."""
    lookup = by_value(series, parameter)
    for shape in reversed(shapes_of(series.cases)):
        shown = {value: case for value, case in lookup[shape].items() if case.shown}
        if len(shown) < 2:
            continue
        least = values_of(shown.values(), parameter)[0]
        best = least_of_best(shown, parameter)
        ratio = speedup(shown[least], shown[best])
        at = shape_text(*shape)
        best_name, least_name = (named(shown[value], _value_name(parameter, value))
                                 for value in (best, least))
        if best == least:
            return say("{name}: {best}, the smallest, is the fastest at {shape}, or ties with it",
                       name=series.name, best=least_name, shape=at)
        tied = best != min(shown, key=lambda value: shown[value].median_s)
        threads = parameter == "threads"
        unsure = [_value_name(parameter, value) for value in shown
                  if speedup(shown[value], shown[best]).undecided]
        return say("{name}: {best} are the fastest at {shape}{tied}, {times} as fast as {least}"
                   if threads
                   else "{name}: {best} is the fastest at {shape}{tied}, {times} as fast as "
                        "{least}",
                   name=series.name, best=best_name, shape=at, times=times(ratio),
                   least=least_name, tied=say(" (more threads tie with them)" if threads
                                              else " (larger ones tie with it)") if tied else "") \
                + (say("; not resolved against {names}", names=joined(unsure)) if unsure else "")
    return None


def by_parameter(view: View, parameter: str) -> list[str]:
    """What the best value of the parameter brings over its smallest, a sentence per implementation
    (at most six)."""
    found = []
    for series in series_of((case for case in having(view.cases, parameter) if not case.copy),
                            without=parameter):
        text = _best_value(series, parameter)
        if text and parameter == "threads":
            text += _efficiency(series)
        if text:
            found.append(text + say("."))
    return found[:6]


def _efficiency(series: Series) -> str:
    """", an efficiency of 86 %" of the best number of threads over one, at the largest shape."""
    lookup = by_value(series, "threads")
    shape = shapes_of(series.cases)[-1]
    shown: dict[Any, Case] = {value: case for value, case in lookup[shape].items() if case.shown}
    if 1 not in shown or len(shown) < 2:
        return ""
    best = least_of_best(shown, "threads")
    share = plain(100 * speedup(shown[1], shown[best]).value / best, 0)
    return say(" (efficiency {share} %)", share=share) if best != 1 else ""
