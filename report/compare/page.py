"""What `gemmlab compare` prints and writes: Markdown, and with a folder tables, a figure and a page
with the explorer."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from analysis.answer.headline import FAVOURITE
from analysis.answer.names import side
from analysis.compared.compare import Labels, Pair
from analysis.compared.compare_many import (
    Beside,
    Many,
    points_table,
    strips,
    summary,
    title_of,
    told,
)
from analysis.tables.heads import faster
from analysis.tables.rates import rate_cell
from analysis.tables.tables import Row, Table, ratio_cell, time_cell
from files.safe import without_markup
from language import say
from plots import draw_compared
from records.cases.case import Case
from records.cases.experiment import Results
from records.cases.ratios import unpaired
from records.schema.operations import GEMM, is_square, shape_text, volume
from report.explorer import explorer_html
from report.pages.html import environment
from report.pages.markup import inline_svg
from report.pages.table_text import markdown, write

MOST_EACH_WAY = 5
SIDES: tuple[tuple[str, Callable[[Case], bool]], ...] = (
    ("GPU", lambda case: case.device == "gpu"), ("CPU", lambda case: case.device == "cpu"),
    ("CPU, one core", lambda case: case.device == "cpu" and case.threads == 1))


@dataclass(frozen=True)
class Best:
    """The fastest of both machines at one size; above 1 the second, `name`, is faster."""

    name: str
    what: str
    pair: Pair

    @property
    def size(self) -> str:
        return shape_text(*self.pair.first.shape)

    def sentence(self, first: str) -> str:
        """"CPU at 64: B's best (oneDNN, 2 cores) is 3.4 times slower than A's (MKL, 16 cores)."."""
        compared = faster(self.pair.ratio, f"{first}'s ({side(self.pair.first)})")
        mine = f"{self.name}'s best ({side(self.pair.second)})"
        return f"{self.what} at {self.size}: {mine} is {compared}."


def _fastest(results: Results, of: Callable[[Case], bool]) -> dict[tuple, Case]:
    """The fastest undisturbed FP32 product on one card, of each shape, cache and inputs."""
    found: dict[tuple, Case] = {}
    for case in (case for experiment in results.experiments for case in experiment.cases):
        alike = case.operation == GEMM and case.scope == "kernel" and case.precision == "fp32"
        sound = case.shown and not (case.copy or case.disturbed or case.load) and case.cards == 1
        if alike and sound and of(case):
            key = case.shape, case.cache, case.distribution
            if key not in found or case.median_s < found[key].median_s:
                found[key] = case
    return found


def _rank(key: tuple) -> tuple:
    shape, cache, _ = key
    return shape == FAVOURITE, is_square(shape), volume(shape), cache == "cold", key


def bests(first: Results, second: Results, name: str) -> list[Best]:
    """Of each side that both have: at 4096, else at the largest square that both measured, else at
    the largest shape."""
    made = []
    for what, of in SIDES:
        mine, theirs = _fastest(first, of), _fastest(second, of)
        shared = max(mine.keys() & theirs.keys(), key=_rank, default=None)
        if shared and (ratio := unpaired(mine[shared], theirs[shared])):
            made.append(Best(name, what, Pair(mine[shared], theirs[shared], ratio)))
    return made


def missing(first: Results, second: Results, names: tuple[str, str]) -> list[str]:
    """"GPU: no plain FP32 product on B.", of the sides that one machine has alone."""
    made = []
    for what, of in SIDES[:2]:
        has = [bool(_fastest(side, of)) for side in (first, second)]
        if any(has) and not all(has):
            made.append(f"{what}: no plain FP32 product on {names[has.index(False)]}.")
    return made


def _table(many: Many, kind: str, title: str, caption: str,
           heads: Callable[[str, str], tuple[str, ...]]) -> Table:
    """An empty table whose rows hold the first's number, that of another machine, and the ratio;
    which machine is said where there are several. `heads` gets the names of both."""
    several = len(many.others) > 1
    both = many.first, "the other" if several else many.others[0].name
    machine = ("Machine",) if several else ()
    return Table(kind, title, caption, (*machine, *heads(*both)), (*both, "ratio"))


def best_table(many: Many, found: list[Best]) -> Table:
    """A row for each side of each machine beside the first."""
    caption = ("The rate of whatever is fastest on each machine in plain FP32, at one size that "
               f"both measured; ratio: how many times as fast as {many.first}. Brackets hold 95 % "
               "confidence intervals.")
    table = _table(many, "compare_best", "Best against best", caption, lambda first, other: (
        "Side", "Size", f"Best of {first}", f"Best of {other}"))
    for one in found:
        pair = one.pair
        both = pair.first, pair.second
        machine = (one.name,) if len(many.others) > 1 else ()
        heads = one.what, f"{one.size}, {pair.first.cache} cache", *map(side, both)
        rates = (rate_cell(case, with_unit=True) for case in both)
        table.rows.append(Row((*machine, *heads), (*rates, ratio_cell(pair.ratio))))
    return table


def _most(other: Beside) -> list[Pair]:
    """The largest confirmed differences either way, of each implementation one, the second's
    largest lead first."""
    found: dict[tuple, Pair] = {}
    for pair in other.comparison.pairs:
        key = pair.first.experiment, pair.first.label, pair.ratio.value > 1
        largest = key not in found or _distance(pair) > _distance(found[key])
        if largest and not pair.ratio.tie and not pair.disturbed:
            found[key] = pair
    ordered = sorted(found.values(), key=lambda pair: -pair.ratio.value)
    ahead = sum(pair.ratio.value > 1 for pair in ordered)
    return [*ordered[:ahead][:MOST_EACH_WAY], *ordered[ahead:][-MOST_EACH_WAY:]]


def _distance(pair: Pair) -> float:
    return abs(math.log(pair.ratio.value))


def most_table(many: Many) -> Table:
    """Where each machine differs most from the first."""
    caption = (f"Of the shared points up to {MOST_EACH_WAY} at which the other is ahead of "
               f"{many.first} most, and as many at which it is behind most: median times; above 1 "
               "the other is faster. Of each implementation of an experiment its largest "
               "difference, and only what is confirmed.")
    table = _table(many, "compare_most", "What differs most", caption,
                   lambda *_: ("Implementation", "Shape", "Experiment"))
    for other in many.others:
        labels = Labels([pair.first for pair in other.comparison.pairs])
        machine = (other.name,) if len(many.others) > 1 else ()
        for pair in _most(other):
            case = pair.first
            heads = labels.of(case), shape_text(*case.shape), case.experiment
            times = time_cell(case), time_cell(pair.second)
            table.rows.append(Row((*machine, *heads), (*times, ratio_cell(pair.ratio))))
    if not table.rows:
        table.caption = "No difference is confirmed."
    return table


NO_BEST = "No product in plain FP32 was measured at one size on {first} and {other}."


@dataclass(frozen=True)
class Part:
    """A part of the page: what it says, and its table."""

    sentences: list[str]
    table: Table | None = None


def parts_of(many: Many, sides: list[Results]) -> list[Part]:
    """The best of each at one size, what differs most, each experiment, every point, and what is
    not compared."""
    opening, found = [], []
    for other, theirs in zip(many.others, sides[1:]):
        own = bests(sides[0], theirs, other.name)
        found += own
        said = [*(one.sentence(many.first) for one in own),
                *missing(sides[0], theirs, (many.first, other.name))]
        opening += said or [NO_BEST.format(first=many.first, other=other.name)]
    counts = [text for other in many.others for text in other.comparison.verdict]
    points = many.others[0].comparison.table if len(many.others) == 1 else points_table(many)
    return [Part(opening, best_table(many, found) if found else None), Part([], most_table(many)),
            Part(counts, summary(many)), Part([], points), Part(told(many))]


def _markdown(title: str, parts: list[Part]) -> str:
    made = [f"# {without_markup(title)}\n"]
    for part in parts:
        if part.sentences:
            made.append("".join(f"- {without_markup(text)}\n" for text in part.sentences))
        if part.table:
            made.append(markdown(part.table))
    return "\n".join(made)


def page_of(many: Many, sides: list[Results], folder: Path | None, short: bool = False) -> str:
    """The Markdown; with a folder also compare.md, .csv, .tex, .svg, .png and .html in it. `sides`:
    the first's records and the others', in the order of `many`. `short`: for a terminal, on which
    the table of every point would push all else away."""
    title, parts = title_of(many), parts_of(many, sides)
    page = _markdown(title, parts)
    if folder is not None:
        for table in (part.table for part in parts if part.table):
            write(table, folder, table.kind)
        for name, text in (("compare.md", page),
                           ("compare.html", _html(many, sides, folder, title, parts))):
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
    if not short:
        return page
    rows = sum(part.table.count for part in parts if part.table and part.table.kind == "compare")
    rest = f"{rows:,} rows of every shared point: add `--output DIR`, or `| less`.\n"
    without = [part for part in parts if not part.table or part.table.kind != "compare"]
    return _markdown(title, without) + "\n" + rest


def _html(many: Many, sides: list[Results], folder: Path, title: str, parts: list[Part]) -> str:
    found = strips(many)
    finding = draw_compared(many.first, found, folder) if found else ""
    names = [many.first, *(other.name for other in many.others)]
    content = {"title": title, "parts_of_page": parts, "say": say,
               "figure": inline_svg(folder / "compare.svg", finding) if found else "",
               "explorer": explorer_html(sides[0], sets=list(zip(names, sides)))}
    template = environment(False, folder).get_template("compare.html.j2", globals=content)
    return template.render().lstrip()
