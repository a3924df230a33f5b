"""The numbers of a chapter: each a measure of points of the records, as text; what was timed with
its 95 % interval.

`Missing` says that these records do not hold what a chapter needs; then the reference machine's
stand in for the whole chapter, so that no two numbers of it come from two folders of records. Where
these lack it, too, a dash stands for each number that is missing. Those of one number are of one
run, but for errors; the hosts of all stand below the chapter's title.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from analysis.compared.elsewhere import lead_elsewhere
from analysis.counters.counted import metrics_of
from analysis.counters.counter_worth import INSTRUCTIONS, busy_share, card_of
from analysis.ladder.small_tiles import of_counters
from analysis.memory.hierarchy import latency_levels, told_cycles
from language import recorded, say
from records.cases.case import Case
from records.cases.experiment import Experiment, Results
from records.cases.phrases import by_medians, caveats
from records.cases.ratios import Interval, Ratio, speedup, unpaired
from records.names.naming import display_name
from records.names.numbers import (
    DASH,
    counted,
    percent,
    plain,
    ratio_text,
    time_unit,
    with_interval,
)
from records.view import View
from report.kinds.counters import SEEN

from .chapter import Chapter, Wanted
from .tensor_cores.banks import TILES, passes
from .tensor_cores.fragments import MATRICES

LIBRARY = "library"  # in place of an implementation: the fastest library of the group
MEMORY = "memory"  # the experiment that tells latencies
MILLION = 1e6
BYTE_UNITS = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
COMPUTED = ("time", "rate", "moved", "error", "issued")  # rows of a table that are no counters


class Missing(Exception):
    """What the records lack, in a line."""


def whole(value: float) -> str:
    """Three significant digits without zeros behind the point: 2.5, 16.5, 4, 32."""
    text = plain(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def amount(value: float, unit: str) -> str:
    """A counter's value: bytes in their unit, shares in percent, counts beyond a million in
    millions."""
    if unit == "byte":
        scale, name = next(((scale, name) for scale, name in BYTE_UNITS if value >= scale),
                           (1.0, "B"))
        return f"{plain(value / scale)} {name}"
    if unit == "share":
        return percent(value)
    return (say("{count} million", count=plain(value / MILLION)) if value >= MILLION
            else whole(value))


def _counted(value: Any, run: dict[str, Any]) -> Any:
    """A parameter's value: "cores" and "cores*4" are the machine's, as in experiments; any other is
    itself."""
    name, _, times = str(value).partition("*")
    return (run.get("host") or {}).get("cores", 0) * int(times or 1) if name == "cores" else value


def _ends(ratio: Ratio) -> Interval | None:
    return None if ratio.low is None or ratio.high is None else (ratio.low, ratio.high)


def _scaled(value: float, interval: Interval | None, unit: str, scale: float = 1.0,
            decimals: int | None = None) -> str:
    """"12.4 [12.3, 12.5] ms"; "806 [no interval] ms"."""
    if interval is None:
        return f"{plain(value / scale, decimals)} [{say('no interval')}] {unit}".rstrip()
    low, high = interval
    return with_interval(value / scale, low / scale, high / scale, unit, decimals)


def compared(ratio: Ratio, over: bool = False, more: str = "") -> str:
    """"1.44 [1.43, 1.45]"; "1.002 [0.998, 1.004, a tie]"; "7.29 [no interval]". `over`: of the
    reciprocal; `more`: what else is known of it."""
    value, low, high = ratio.value, ratio.low, ratio.high
    if over:
        value, low, high = 1 / value, high and 1 / high, low and 1 / low
    text, *ends = ratio_text(value, low, high).removesuffix("]").split(" [")
    inside = ", ".join(filter(None, [*(ends or [say("no interval")]), remarked(ratio), more]))
    return f"{text} [{inside}]"


def remarked(ratio: Ratio) -> str:
    """"a tie, 3 samples": what a reader has to know of a ratio beside its interval."""
    return ", ".join(filter(None, [ratio.word, caveats(ratio), by_medians(ratio)]))


class _Points(dict[str, Case]):
    """By their names in the chapter."""

    def __missing__(self, name: str) -> Case:
        raise Missing(f"{name} was not measured")


class Measures:
    """What a chapter's numbers are formed with: the public methods that take names of points."""

    def __init__(self, results: Results, chapter: Chapter, partly: bool = False) -> None:
        """`partly`: with as many points as there are. Raises Missing where one is not there."""
        self._experiments = {one.name: one for one in results.experiments}
        self._chapter = chapter
        self.cases = _Points()
        for name, wanted in chapter.points.items():
            try:
                self.cases[name] = self._found(wanted)
            except Missing:
                if not partly:
                    raise

    @property
    def absent(self) -> list[str]:
        """The experiments of points that are not there; of all points where only a counter of one
        is not."""
        wanted = self._chapter.points
        lacking = [one.experiment for name, one in wanted.items() if name not in self.cases]
        every = [one.experiment for one in wanted.values()] or [MEMORY]
        return list(dict.fromkeys(lacking or every))

    def _experiment(self, name: str) -> Experiment:
        if name not in self._experiments:
            raise Missing(f"{name} was not measured")
        return self._experiments[name]

    def _found(self, wanted: Wanted) -> Case:
        experiment = self._experiment(wanted.experiment)
        parameters = {name: _counted(value, experiment.run)
                      for name, value in wanted.parameters.items()}
        found = [case for case in experiment.cases
                 if wanted.implementation in (case.implementation, LIBRARY if case.library else "")
                 and case.shown and not case.copy
                 and tuple(case.dims.values()) == (wanted.size,) * 3
                 and wanted.group in ("", case.group)
                 and parameters.items() <= case.parameters.items()]
        if not found:
            raise Missing(f"{wanted.experiment} has no {wanted.implementation} at {wanted.size}")
        latest = max(case.run_id for case in found)
        return min((case for case in found if case.run_id == latest),
                   key=lambda case: case.median_s)

    @property
    def run(self) -> dict:
        """The run that the chapter's first point, or its latencies, come from."""
        first = next(iter(self._chapter.points.values()), None)
        return self._experiment(first.experiment if first else MEMORY).run

    def run_of(self, case: Case) -> dict[str, Any]:
        """The run that a point comes from."""
        return next(run for run in self._experiment(case.experiment).runs
                    if run.get("run_id") == case.run_id)

    def like(self, point: str) -> list[Case]:
        """The points that differ from that one in nothing but the number of threads."""
        one = self.cases[point]
        same = {name: value for name, value in one.parameters.items() if name != "threads"}
        return [case for case in self._experiment(one.experiment).cases
                if case.shown and not case.copy
                and (case.implementation, case.shape, case.group, case.run_id) == (
                    one.implementation, one.shape, one.group, one.run_id)
                and same.items() <= case.parameters.items()]

    # ---- points ----------------------------------------------------------------------------------

    def ratio(self, slow: str, fast: str) -> Ratio:
        """How many times as fast, round by round."""
        return speedup(self.cases[slow], self.cases[fast])

    def faster(self, slow: str, fast: str) -> str:
        ratio = self.ratio(slow, fast)
        base, case = ratio.of
        every = (one for experiment in self._experiments.values() for one in experiment.cases)
        return compared(ratio, more=lead_elsewhere(base, case, every) if base.library else "")

    def time(self, point: str) -> str:
        case = self.cases[point]
        scale, unit = time_unit(case.median_s)
        return _scaled(case.median_s, case.ci95_s, unit, scale)

    def rate(self, point: str) -> str:
        return _scaled(self.cases[point].rate, self.cases[point].rate_ci95, "GFLOP/s")

    def share(self, whole_point: str, point: str) -> str:
        """Of the first one's rate, what the second has."""
        ratio = self.ratio(whole_point, point)
        why = caveats(ratio)
        return _scaled(ratio.value, _ends(ratio), "%", 0.01,
                       0) + (say(" ({remark})", remark=why) if why else "")

    def name(self, point: str) -> str:
        return display_name(self.cases[point])

    def processors(self, point: str) -> str:
        """"11 threads (10 cores' worth)": as many threads as there are processors, and what these
        are worth."""
        case = self.cases[point]
        return (case.processors.text(case.threads) if case.processors
                else counted(case.threads, "thread"))

    def all_processors(self, point: str) -> str:
        """The same of all that its run might use, however many threads the point has. Raises
        Missing where the run does not say."""
        found = self.cases[point].processors
        if not found or not found.count:
            raise Missing(f"{point}: its run names no processors")
        return found.text()

    def inputs(self, point: str) -> str:
        return recorded(self.cases[point].distribution)

    def chosen(self, what: str, point: str) -> str:
        """"3 products of scaled FP16 pairs": what it chose by itself, its "arithmetic" say."""
        made = self.cases[point].chosen.get(what)
        if not made:
            raise Missing(f"{point}: its {what} was not recorded")
        return recorded(str(made))

    def size(self, point: str) -> str:
        return str(self._chapter.points[point].size)

    def threads(self, point: str) -> str:
        return str(self.cases[point].threads)

    def passes(self, tile: str, order: str) -> str:
        """Over the banks of shared memory, for one instruction that reads four matrices of eight
        rows; `order`: "swizzled" or "plain"."""
        return str(MATRICES * passes(TILES[tile].matrix(order == "swizzled")))

    def parameter(self, name: str, point: str) -> str:
        return str(self.cases[point].parameters[name])

    def moved(self, point: str) -> str:
        """Bytes that its own blocking must move, computed."""
        return amount(self._moved(point), "byte")

    def moved_less(self, before: str, after: str) -> str:
        return plain(self._moved(before) / self._moved(after))

    def error(self, point: str) -> str:
        """Its largest error, in units of what rounding alone may cause."""
        return whole(self._error(point))

    def _error(self, point: str) -> float:
        error = self.cases[point].eta_max
        if error is None:
            raise Missing(f"{point}: no error was recorded")
        return error

    def _moved(self, point: str) -> float:
        moved = self.cases[point].moved_bytes
        if not moved:
            raise Missing(f"{point}: no bytes were recorded")
        return moved

    @property
    def multiprocessors(self) -> int:
        """Of the card that the points were measured on, or else of another of the records."""
        runs = [self.run_of(case) for case in self.cases.values()] + [
            one.run for one in self._experiments.values()]
        found = next((gpu["sm_count"] for run in runs for gpu in run.get("gpus") or []), None)
        if found is None:
            raise Missing("no run names a GPU")
        return int(found)

    # ---- counters --------------------------------------------------------------------------------

    def value(self, name: str, point: str) -> float:
        """Raises Missing where it was not counted."""
        case = self.cases[point]
        record = self._experiment(case.experiment).counters.get(case.case_id) or {}
        if name not in metrics_of(record):
            raise Missing(f"{case.experiment} has no counter {name} of {case.implementation}")
        return metrics_of(record)[name]

    def _unit(self, name: str, point: str) -> str:
        case = self.cases[point]
        return self._experiment(case.experiment).counters[case.case_id]["metrics"][name].get("unit",
                                                                                             "")

    def counter(self, name: str, point: str) -> str:
        return amount(self.value(name, point), self._unit(name, point))

    def less(self, name: str, before: str, after: str) -> str:
        """How many times less was counted after."""
        return whole(self.value(name, before) / self.value(name, after))

    def more(self, name: str, before: str, after: str) -> str:
        return whole(self.value(name, after) / self.value(name, before))

    def why_small(self, naive: str, tiled: str) -> str:
        """Why a small tile is slower than none, as the report answers it."""
        experiment = self._experiment(self.cases[naive].experiment)
        found = of_counters(self.cases[naive], self.cases[tiled], experiment)
        if not all(found.counted):
            raise Missing(f"{naive} and {tiled} were not both counted")
        return found.answer

    def _issued(self, point: str) -> float:
        case = self.cases[point]
        experiment = self._experiment(case.experiment)
        view = View(case.experiment, "", "", tuple(experiment.cases), experiment.run)
        metrics = metrics_of(experiment.counters.get(case.case_id) or {})
        share = busy_share(INSTRUCTIONS, case, metrics, card_of(view, case))
        if share is None:
            raise Missing(f"{case.experiment} does not tell the issue slots of "
                          f"{case.implementation}")
        return share

    def issued(self, point: str) -> str:
        """The share of the issue slots that its instructions took."""
        return percent(self._issued(point))

    def cell(self, row: str, point: str) -> tuple[str, float]:
        """A cell of the table: as text, and what factors are formed of."""
        if row not in COMPUTED:
            value = self.value(row, point)
            # of nearly nothing no factor tells anything
            seen = value if self._unit(row, point) != "share" or value >= SEEN else 0.0
            return self.counter(row, point), seen
        case = self.cases[point]
        numbers = {"time": lambda: case.median_s, "rate": lambda: case.rate,
                   "moved": lambda: self._moved(point), "error": lambda: self._error(point),
                   "issued": lambda: self._issued(point)}
        return getattr(self, row)(point), float(numbers[row]())

    # ---- the machine's memory --------------------------------------------------------------------

    @cached_property
    def memory(self) -> View:
        experiment = self._experiment(MEMORY)
        return View(MEMORY, "", "", tuple(experiment.cases), experiment.run)

    def _latency(self, level: str) -> Case:
        found = latency_levels(self.memory, "gpu").get(level.replace("_", " "))
        if found is None:
            raise Missing(f"{MEMORY} has no latency of {level}")
        return found.case

    def latency(self, level: str) -> str:
        """Of a dependent load on the GPU; blanks in the level's name are written _."""
        case = self._latency(level)
        return _scaled(case.rate, case.rate_ci95, "ns")

    def cycles(self, level: str) -> str:
        """As the memory hierarchy's table has them. Raises Missing where that drops the kernel's
        own count."""
        counted_ones = told_cycles(self._latency(level))
        if counted_ones is None:
            raise Missing(f"{MEMORY} has no cycles of {level}")
        return plain(counted_ones, 0)

    def farther(self, near: str, far: str) -> str:
        """How many times as long a load from the far level takes."""
        near_one, far_one = self._latency(near), self._latency(far)
        slower = unpaired(far_one, near_one)  # of the whole walks, which may differ in length
        scale = slower.value * near_one.rate / far_one.rate
        return _scaled(slower.value, _ends(slower), "", scale)


_FORMED = ("ratio", "value", "cell", "like")  # what the pages ask, which is no text


def numbers_of(measures: Measures, chapter: Chapter, partly: bool = False) -> dict[str, str]:
    """Name -> text; `partly`: a dash for what is missing. Raises Missing, or ValueError where the
    chapter names no measure."""
    made = {}
    for name, text in chapter.numbers.items():
        measure, *arguments = text.split()
        if (measure.startswith("_") or measure in _FORMED
                or not callable(getattr(measures, measure, None))):
            raise ValueError(f"{chapter.name}: there is no measure {measure!r}")
        try:
            made[name] = getattr(measures, measure)(*arguments)
        except Missing:
            if not partly:
                raise
            made[name] = DASH
    return made
