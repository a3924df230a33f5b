"""How implementations scale over threads: speedup over one thread, at the cores that there are and
beyond."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from analysis.tables.heads import rounded
from language import say
from records.cases.case import Case
from records.cases.cores import processors_text
from records.cases.phrases import remark_on
from records.cases.ratios import Ratio, speedup
from records.cases.series import Series, Shape, by_value, having, series_of, shapes_of
from records.names.numbers import counted, joined, plain
from records.schema.operations import shape_text
from records.view import View

COLLAPSED = 0.8  # times one thread: below it more threads are a loss that nobody would want


@dataclass(frozen=True)
class Line:
    """One implementation at one shape: threads -> times as fast as with one."""

    shape: Shape
    series: Series
    cases: dict[int, Case]
    gains: dict[int, Ratio]

    def gains_beyond(self, cores: int) -> bool:
        """Is some number of threads beyond the cores faster than the best up to them, by more than
        a tie?"""
        best = min((case for threads, case in self.cases.items() if threads <= cores),
                   key=lambda case: case.median_s)
        ratios = [speedup(best, case) for threads, case in self.cases.items() if threads > cores]
        return any(ratio.value > 1 and not ratio.tie for ratio in ratios)

    @property
    def collapsed(self) -> dict[int, Ratio]:
        """Where more threads are slower than one."""
        return {threads: gain for threads, gain in self.gains.items() if threads > 1
                and gain.value < COLLAPSED}


@dataclass(frozen=True)
class Scaled:
    """What of a view can be scaled: `shapes`, smallest work first, and each implementation's cases
    by shape and threads."""

    shapes: list[Shape]
    series: list[tuple[Series, dict[Shape, dict[int, Case]]]]

    def lines(self, shape: Shape) -> list[Line]:
        """Every implementation with numbers at one thread and at more there; in the order of the
        definition."""
        return [Line(shape, series, row,
                     {threads: speedup(row[1], row[threads]) for threads in sorted(row)})
                for series, rows in self.series if (row := rows.get(shape))]


def scaled(view: View, parameter: str = "threads") -> Scaled:
    """Shapes and implementations with numbers at one thread and at more, or of another parameter
    that counts."""
    cases = [case for case in having(view.cases, parameter) if case.shown and not case.copy]
    found = [(series, {shape: row for shape, row in by_value(series, parameter).items() if 1 in row
                       and len(row) > 1}) for series in series_of(cases, without=parameter)]
    return Scaled(shapes_of(row[1] for _, rows in found for row in rows.values()),
                  [one for one in found if one[1]])


def scaling_finding(view: View) -> str:
    """"At 1000 on 11 cores ikj is 9.2 times as fast as on one, Eigen 5.6 times; beyond the
    processors Eigen falls to 0.18 times on 44": at the largest shape; empty where
    nothing can be scaled."""
    found = scaled(view)
    if not found.shapes:
        return ""
    lines, cores = found.lines(found.shapes[-1]), view.cores
    there = max((threads for line in lines for threads in line.gains
                 if threads <= (cores or threads)), default=1)
    ranked = sorted((line for line in lines if there in line.gains),
                    key=lambda line: -line.gains[there].value)
    if there < 2 or not ranked:
        return ""
    text = say("At {shape} on {cores} {name} is {times} times as fast as on one",
               shape=shape_text(*found.shapes[-1]),
               cores=processors_text(view.run) if there == cores else counted(there, "thread"),
               name=ranked[0].series.name,
               times=rounded(ranked[0].gains[there].value)) + remark_on(ranked[0].gains[there])
    if len(ranked) > 1:
        text += say(", {name} {times} times", name=ranked[-1].series.name,
                    times=rounded(ranked[-1].gains[there].value))
        text += remark_on(ranked[-1].gains[there])
    return text + _beyond(lines, there)


def _beyond(lines: list[Line], cores: int) -> str:
    """What more threads than processors do: who falls below one thread, else whether any gains."""
    fallen = [(line, min(over, key=lambda t: line.gains[t].value)) for line in lines
              if (over := [t for t in line.collapsed if t > cores])]
    if fallen:
        return say("; beyond the processors {names}", names=joined([
            say("{name} falls to {times} times on {threads}", name=line.series.name,
                times=rounded(line.gains[threads].value), threads=counted(threads, "thread"))
            + remark_on(line.gains[threads]) for line, threads in fallen]))
    beyond = [line for line in lines if max(line.gains) > cores]
    if not beyond:
        return ""
    gaining = [line.series.name for line in beyond if line.gains_beyond(cores)]
    if not gaining:
        return say("; more threads than processors gain nothing")
    return (say("; with more threads than processors {names} gets faster still",
                names=joined(gaining))
            if len(gaining) == 1 else say("; with more threads than processors {names} get faster "
                                          "still",
                                          names=joined(gaining)))


def scaling_described(view: View) -> str:
    """Each line's speedups in words, at the largest shape."""
    found = scaled(view)
    return say(" ").join(say("{name} at {shape}: {values}.", name=line.series.name,
                             shape=shape_text(*line.shape),
                                        values=_values(line.gains.items()))
                                    for shape in found.shapes[-1:] for line in found.lines(shape))


def _values(gains: Iterable[tuple[int, Ratio]]) -> str:
    return say(", ").join(say("{times} at {threads}", times=plain(gain.value, 2),
                              threads=counted(threads, "thread"))
                                    for threads, gain in gains)
