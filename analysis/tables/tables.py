"""Tables as data: time, GFLOP/s and speedup over shapes. How they are written out:
table_text.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Protocol

from msgspec import Struct, structs

from language import say
from records.cases.case import Case, disturbed_words
from records.cases.phrases import pairing
from records.cases.ratios import Ratio
from records.cases.series import Series, series_of, shape_names, shapes_of
from records.names.numbers import (
    DASH,
    between,
    counted,
    ends_of,
    plain,
    ratio_text,
    time_unit,
    with_interval,
)
from records.schema.operations import Shape, is_square, shape_text
from records.view import View

MOST_NOTES = 60
MOST_NAMES = 12
# heads a column that says how far the number before it, or those of the row, may be off
SPREAD = "±"


class Cell(Struct, frozen=True, gc=False):
    """One number as shown, and as measured: value, low and high in `unit`. `note` counts from 1; 0
    is none."""

    text: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    unit: str = ""
    note: int = 0
    share: float | None = None  # of the ceiling that binds the point
    best: bool = False  # of its row: set in bold


class Row(Struct, frozen=True):
    heads: tuple[str, ...]
    cells: tuple[Cell, ...]


@dataclass
class Table:
    """Rows by columns; `heads` names the leading columns, which are words. An empty table says why
    in its caption."""

    kind: str
    title: str
    caption: str
    heads: tuple[str, ...]
    columns: tuple[str, ...]
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    reference: bool = False
    beyond: int = 0  # rows that are written to the files only
    # heads over columns, from the first: (text, how many columns)
    groups: tuple[tuple[str, int], ...] = ()
    # of one LaTeX float that holds the whole table; empty: a table that may take several pages
    label: str = ""
    conditions: str = ""  # the caption's end that says how the numbers were measured

    @classmethod
    def of(cls, view: View, caption: str, heads: tuple[str, ...], columns: tuple[str, ...],
           rows: Iterable[Row] = ()) -> Table:
        """The table of a view, under its title."""
        return cls(view.kind, view.full_title, caption, heads, columns, list(rows),
                   reference=view.reference)

    @property
    def full_columns(self) -> tuple[str, ...]:
        """The columns' names, each with the head that stands over it: "best against best:
        kernel"."""
        over = ([text for text, count in self.groups for _ in range(count)]
                or [""] * len(self.columns))
        return tuple(say("{group}: {column}", group=group, column=column) if group
                     and column != SPREAD else column for group, column in zip(over, self.columns))

    @property
    def count(self) -> int:
        """Rows of the whole table."""
        return len(self.rows) + self.beyond

    def shortened(self, most: int) -> Table:
        """The first rows, for a page: of a large table the cells would fill the memory until all
        pages are written."""
        return replace(self, rows=self.rows[:most],
                       beyond=self.beyond + max(len(self.rows) - most, 0))


class Notes:
    """Numbered notes: the same reason gets the same number, and lists the points that it holds
    for."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._points: dict[str, dict[str, list[Case]]] = {}  # reason -> label -> cases
        self._numbers: dict[str, int] = {}
        self._shares: dict[str, list[float]] = {}  # reason -> medians' ratio over the one shown
        self._everywhere = bool(view.shown) and all(case.disturbed for case in view.shown)
        self._about_all: list[str] = []

    def disturbed(self, case: Case) -> int:
        """The number of the note on disturbed points; 0 where every point is one, which is said
        once of all."""
        if not self._everywhere:
            return self.number(case, disturbed_words())
        self._about_all = [self._view.disturbed_text()]
        return 0

    def number(self, case: Case, reason: str = "") -> int:
        """The number of the note with this reason; of that for which the case is left out, where
        none is given."""
        reason = reason or case.why_left_out
        self._points.setdefault(reason, {}).setdefault(case.name, []).append(case)
        return self._numbers.setdefault(reason, len(self._numbers) + 1)

    def apart(self, case: Case, ratio: Ratio) -> int:
        """The number of the note on ratios that are not those of the times beside them."""
        base, best = ratio.of
        self._shares.setdefault(apart_text(), []).append(
            base.median_s / best.median_s / ratio.value)
        return self.number(case, apart_text())

    def dash(self, case: Case | None) -> Cell:
        """The cell of a point without a number; one that was never asked for has no note."""
        return Cell(DASH, note=self.number(case)) if case is not None else Cell("")

    def texts(self) -> list[str]:
        made = []
        for reason, labels in self._points.items():
            where = [say("{label} at {shapes}", label=label, shapes=shape_names(shapes_of(cases)))
                     for label, cases in labels.items()]
            if shares := self._shares.get(reason):
                reason = say("{reason}, whose ratio is {share} times the one here", reason=reason,
                             share=between(ratio_text(min(shares)), ratio_text(max(shares))))
            made.append(ended(say("{points}: {reason}", points=listed(where), reason=reason)))
        if len(made) > MOST_NOTES:
            made[MOST_NOTES:] = [say("{count} more notes; every reason stands in the records.",
                                     count=len(made) - MOST_NOTES)]
        return made + self._about_all + [text for text in (self._view.absent_text(),) if text]


def listed(points: list[str]) -> str:
    """At most MOST_NAMES of them, and how many more there are."""
    more = say("; and {count} more", count=len(points) - MOST_NAMES) if len(
        points) > MOST_NAMES else ""
    return say("; ").join(points[:MOST_NAMES]) + more


def ended(text: str) -> str:
    """With a full stop at its end, if there is none."""
    return text if text.endswith((".", "。")) else text + say(".")


def brackets_note() -> str:
    return say("Brackets hold the 95 % confidence interval of the median.")


def tie_note() -> str:
    return say("“A tie”: the 99 % interval of the ratio does not lie wholly outside 1 ± the noise "
               "floor; “not resolved”: the same, but there are fewer than 6 samples on a side, "
               "the interval reaches 1.25 times or further, or the ratio lies beyond 1 ± 10 % and "
               "its 95 % interval does not hold 1.")


def sentences(*texts: str) -> str:
    """The sentences that are not empty, one after the other."""
    return say(" ").join(filter(None, texts))


class Timed(Protocol):
    """What has a median time, and an interval of it where it was sampled often enough."""

    @property
    def median_s(self) -> float: ...

    @property
    def ci95_s(self) -> tuple[float, float] | None: ...


def time_cell(case: Timed) -> Cell:
    """The median time in the unit that suits it; the values behind it stay in seconds."""
    low, high = ends_of(case.ci95_s)
    scale, unit = time_unit(case.median_s)
    ends = case.ci95_s and (case.ci95_s[0] / scale, case.ci95_s[1] / scale)
    text = with_interval(case.median_s / scale, *ends_of(ends), unit)
    return Cell(text, case.median_s, low, high, "s")


def rate_cell(case: Case, notes: Notes) -> Cell:
    """The operation's rate as stored, with the share of the ceiling that binds the point."""
    low, high = ends_of(case.rate_ci95)
    share = ""
    if case.of_ceiling is not None:
        binding = {"compute": "", "memory": " M"}.get(case.bound_by or "",
                                                      f" {(case.bound_by or '').upper()}".rstrip())
        share = f", {of_count(case.of_ceiling)}{binding}"
    return Cell(with_interval(case.rate, low, high) + share, case.rate, low, high, case.rate_unit,
                notes.number(case, say("; ").join(filter(None, (
                    over_share(case), disturbed_words() if case.disturbed else ""))))
                if over_share(case)
                else 0, case.of_ceiling)


def over_share(case: Case) -> str:
    """What a share of more than can be means: a broken measurement, a ceiling that its own run
    measured too low, or a wide interval; empty where it is no more than can be."""
    if case.above_ceiling:
        return say("above its ceiling, which cannot be: this time or the ceiling is a broken "
                   "measurement")
    if not case.above_own_ceiling:
        return ""
    return (say("above its ceiling by less than its interval") if case.share_trusted else
            say("above the ceiling of its own run; the host was seen to have a higher one"))


def marked(cell: Cell, notes: Notes, *cases: Case | None, ratio: Ratio | None = None) -> Cell:
    """The cell with a note where a case behind its number was disturbed, or beat a ceiling, or was
    measured at a clock that was held down, or on threads not bound to cores, or where its ratio is
    not that of the times beside it, or not paired; one that has a note keeps it."""
    if cell.note:
        return cell
    known = [case for case in cases if case is not None]
    for case in known:
        if case.disturbed and (note := notes.disturbed(case)):
            return structs.replace(cell, note=note)
    for case in known if ratio is not None else ():  # of a rate its share says so
        if over_share(case):
            return structs.replace(cell, note=notes.number(case, over_share(case)))
    if ratio is not None and ratio.apart:
        return structs.replace(cell, note=notes.apart(known[0], ratio))
    loose = pairing(ratio) if ratio is not None else ""
    for why, holds in ((say("measured while the card held its clock down"),
                        lambda case: case.throttled),
                       (say("threads not bound to cores"), lambda case: case.unbound)):
        for case in known:
            if holds(case):
                return structs.replace(cell, note=notes.number(case, say(", ").join(
                    filter(None, (why, loose)))))
    return structs.replace(cell, note=notes.number(known[0], loose)) if loose else cell


def apart_text() -> str:
    """What a ratio is that does not agree with the times beside it."""
    return say("the ratio of the rounds that both shared; times are over all rounds")


def ratio_cell(ratio: Ratio, itself: bool = False) -> Cell:
    """Times faster; "a tie" or "undecided" where the two cannot be told apart, unless a case was
    set against itself: then 1, without an interval that measures nothing."""
    if itself and ratio.value == 1 and ratio.low in (None, 1) and ratio.high in (None, 1):
        return Cell("1", ratio.value, ratio.low, ratio.high, "times")
    word = f", {ratio.word}" if ratio.tie and not itself else ""
    return Cell(ratio_text(ratio.value, ratio.low, ratio.high) + word, ratio.value, ratio.low,
                ratio.high, "times")


def grid(view: View, heading: str, caption: str, make: Callable[[Case, Notes], Cell]) -> Table:
    """Implementations by shapes, the fewer of the two as columns."""
    series = series_of(view.cases)
    shapes = shapes_of(view.cases)
    notes = Notes(view)

    def cell(one: Series, shape: Shape) -> Cell:
        case = lookup[one.name].get(shape)
        if case is None:
            return Cell("")
        return marked(make(case, notes), notes, case) if case.shown else notes.dash(case)

    lookup = {one.name: one.by_shape for one in series}
    size = size_head(view.cases)
    if len(series) < len(shapes):
        table = Table.of(view, caption, (size,), tuple(one.name for one in series),
                         (Row((shape_text(*shape),), tuple(cell(one, shape) for one in series))
                          for shape in shapes))
    else:
        table = Table.of(view, caption, (say("Implementation"),),
                         tuple(shape_text(*shape) for shape in shapes),
                         (Row((one.name,), tuple(cell(one, shape) for shape in shapes))
                          for one in series))
    table.heads = (say("{head} ({what})", head=table.heads[0],
                       what=heading),) if heading else table.heads
    table.notes = notes.texts()
    return table


def size_head(cases: Iterable[Case]) -> str:
    """What heads a column of shapes: "Size", "Shape m×n×k"."""
    names = list(dict.fromkeys(tuple(case.dims) for case in cases))
    if all(is_square(shape) for shape in shapes_of(cases)):
        return say("Size")
    if names == [("m", "n", "k")]:
        return say("Shape m×n×k")
    return say("Shape {names}",
               names=say(", ", context="name").join("×".join(one) for one in names))


def units_text(cases: Iterable[Case]) -> str:
    """"GFLOP/s" of the cases' rates; each where there are several."""
    return " / ".join(dict.fromkeys(case.rate_unit for case in cases if case.rate_unit))


def share_text(shown: list[Case]) -> str:
    """What a caption says of the shares of a ceiling; empty where there is none."""
    having = [case for case in shown if case.of_ceiling is not None]
    doubtful = sum(not case.share_trusted for case in having)
    more = say("The ceiling behind the share is not trusted (its self-check failed, or points "
               "passed it) at {count} of "
               "{points}.", count=f"{doubtful:,}",
               points=counted(len(having), "point")) if doubtful else ""
    return sentences(say("The percentage is the share of the measured ceiling that binds the "
                         "point: compute, or memory (M) or a cache (L1, L2, L3) where marked."),
                     more) if having else ""


def empty(view: View, why: str) -> Table:
    """A table that cannot be formed, and says why."""
    return Table.of(view, why, (), ())


def without_numbers(view: View) -> Table:
    """Not one number may be shown: the reasons, instead of a page of dashes."""
    notes = Notes(view)
    for case in view.left_out:
        notes.number(case)
    table = empty(view, say("No number to show: {why}", why=view.left_out_text()))
    table.notes = notes.texts()
    return table


def of_count(value: float) -> str:
    """A share as percent, with a decimal under 9.5 %."""
    return f"{plain(100 * value, 0 if value >= 0.095 else 1)} %"
