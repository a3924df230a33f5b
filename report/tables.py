"""Tables as data: time, GFLOP/s and speedup over shapes. How they are written out: table_text.py."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable

from .numbers import DASH, plain, shape_text, time_unit, with_interval
from .records import Case
from .series import Series, series_of, shape_names, shapes_of
from .view import Baselines, View

INTERVAL = "Brackets hold the 95 % confidence interval of the median."
MOST_NOTES = 60
MOST_NAMES = 12


@dataclass(frozen=True)
class Cell:
    """One number as shown, and as measured: value, low and high in `unit`. `note` counts from 1; 0 is none."""

    text: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    unit: str = ""
    note: int = 0


@dataclass(frozen=True)
class Row:
    heads: tuple[str, ...]
    cells: tuple[Cell, ...]


@dataclass
class Table:
    """Rows by columns; `heads` names the leading columns, which are words. An empty table says why in its caption."""

    kind: str
    title: str
    caption: str
    heads: tuple[str, ...]
    columns: tuple[str, ...]
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    reference: bool = False


class Notes:
    """Numbered notes: the same reason gets the same number, and lists the points that it holds for."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._points: dict[str, dict[str, list[Case]]] = {}  # reason -> label -> cases
        self._numbers: dict[str, int] = {}

    def number(self, case: Case) -> int:
        reason = case.why_left_out
        self._points.setdefault(reason, {}).setdefault(case.label, []).append(case)
        return self._numbers.setdefault(reason, len(self._numbers) + 1)

    def dash(self, case: Case | None) -> Cell:
        """The cell of a point without a number; one that was never asked for has no note."""
        return Cell(DASH, note=self.number(case)) if case is not None else Cell("")

    def texts(self) -> list[str]:
        made = []
        for reason, labels in self._points.items():
            where = [f"{label} at {shape_names(shapes_of(cases))}" for label, cases in labels.items()]
            more = f"; and {len(where) - MOST_NAMES} more" if len(where) > MOST_NAMES else ""
            made.append(f"{'; '.join(where[:MOST_NAMES])}{more}: {reason}" + ("" if reason.endswith(".") else "."))
        if len(made) > MOST_NOTES:
            made[MOST_NOTES:] = [f"{len(made) - MOST_NOTES} more notes; every reason stands in the records."]
        return made + [text for text in (self._view.absent_text(),) if text]


def time_cell(case: Case) -> Cell:
    """The median time in the unit that suits it; the values behind it stay in seconds."""
    low, high = case.ci95_s or (None, None)
    scale, unit = time_unit(case.median_s)
    ends = (None, None) if low is None else (low / scale, high / scale)
    return Cell(with_interval(case.median_s / scale, *ends, unit), case.median_s, low, high, "s")


def gflops_cell(case: Case) -> Cell:
    """2·m·n·k / median time / 1e9, as stored."""
    low, high = case.gflop_ci95 or (None, None)
    return Cell(with_interval(case.gflop_per_s, low, high), case.gflop_per_s, low, high, "GFLOP/s")


def speedup_cell(baselines: Baselines, case: Case) -> Cell | None:
    """Times faster than the baseline; None where the baseline has no number at that shape."""
    ratio = baselines.speedup(case)
    if ratio is None:
        return None
    return Cell(with_interval(ratio.value, ratio.low, ratio.high), ratio.value, ratio.low, ratio.high, "times")


def _grid(view: View, heading: str, caption: str, make: Callable[[Case, Notes], Cell]) -> Table:
    """Implementations by shapes, the fewer of the two as columns."""
    series = series_of(view.cases)
    shapes = shapes_of(view.cases)
    notes = Notes(view)

    def cell(one: Series, shape: tuple[int, int, int]) -> Cell:
        case = lookup[one.name].get(shape)
        if case is None:
            return Cell("")
        return make(case, notes) if case.shown else notes.dash(case)

    lookup = {one.name: one.by_shape for one in series}
    square = all(m == n == k for m, n, k in shapes)
    size = "Size" if square else "Shape m×n×k"
    if len(series) < len(shapes):
        table = Table(view.kind, view.full_title, caption, (size,), tuple(one.name for one in series))
        table.rows = [Row((shape_text(*shape),), tuple(cell(one, shape) for one in series)) for shape in shapes]
    else:
        table = Table(view.kind, view.full_title, caption, ("Implementation",),
                      tuple(shape_text(*shape) for shape in shapes))
        table.rows = [Row((one.name,), tuple(cell(one, shape) for shape in shapes)) for one in series]
    table.heads = (f"{table.heads[0]} ({heading})",) if heading else table.heads
    table.notes, table.reference = notes.texts(), view.reference
    return table


def time_table(view: View) -> Table:
    """Median time a multiplication."""
    return _grid(view, "", f"Median time of one multiplication C = A·B. {INTERVAL}",
                 lambda case, notes: time_cell(case))


def gflops_table(view: View) -> Table:
    """GFLOP/s of the median."""
    return _grid(view, "GFLOP/s", f"GFLOP/s: 2·m·n·k over the median time. {INTERVAL}",
                 lambda case, notes: gflops_cell(case))


def empty(view: View, why: str) -> Table:
    """A table that cannot be formed, and says why."""
    return Table(view.kind, view.full_title, why, (), (), reference=view.reference)


def without_numbers(view: View) -> Table:
    """Not one number may be shown: the reasons, instead of a page of dashes."""
    notes = Notes(view)
    for case in view.left_out:
        notes.number(case)
    table = empty(view, f"No number to show: {view.left_out_text()}")
    table.notes = notes.texts()
    return table


def speedup_table(view: View) -> Table:
    """Times faster than the baseline at the same shape, or one sentence where there is no baseline."""
    baselines = Baselines(view)
    if baselines.problem:
        return empty(view, baselines.problem)
    lost: list[Case] = []

    def make(case: Case, notes: Notes) -> Cell:
        cell = speedup_cell(baselines, case)
        if cell is None:
            lost.append(case)
        return cell or Cell(DASH)

    table = _grid(view, "times faster", f"Times faster than {baselines.name} at the same shape: the "
                  "median of the ratios of rounds that both shared, with its 95 % confidence interval; an interval "
                  "that holds 1 is a tie.", make)
    if lost:
        table.caption += f" A {DASH} without a note: the baseline has no number at {shape_names(shapes_of(lost))}."
    return table


def of_count(value: float) -> str:
    """A share as percent."""
    return f"{plain(100 * value, 0)} %"
