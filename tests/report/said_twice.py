"""Numbers that stand more than once: what sentences, titles and large numbers say, held against the
tables of the summary.

A rule is a pattern of text and what each number in it must be, by the cells of the tables.
`differing` returns what a text says otherwise; `met` which rules it says anything of, so that a
test can see that it looked at something.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from analysis.answer.headline import headline_of
from analysis.answer.names import name
from analysis.answer.points import contest_of
from records.cases.experiment import Results
from report.pages.table_text import csv_text
from report.summary.cpu_only import CpuAnswer, Gain
from report.summary.exhibits import summary_of

Value = Callable[["Truth", re.Match], float | None]


@dataclass(frozen=True)
class Truth:
    """The cells of the summary's tables by (table, what heads the row, column), from which size the
    GPU wins, and the one size of each table that has one."""

    cells: dict[tuple[str, str, str], float]
    crossings: dict[str, float]
    sizes: dict[str, str]
    gain: Gain | None

    def cell(self, table: str, row: str, column: str) -> float | None:
        return self.cells.get((table, row, column))

    def block(self, size: str, above: str, below: str) -> float | None:
        """How many times as fast one tile is as another, by the times of the row."""
        times = [self.cell("block-size", size, f"time, ms: {block}×{block}")
                 for block in (below, above)]
        return None if None in times else times[0] / times[1]


def truth_of(results: Results) -> Truth:
    cells, sizes = {}, {}
    for exhibit in summary_of(results, None):
        for stem, table in exhibit.tables:
            if only := re.search(r"\bat N = (\d+)", f"{table.title} {table.caption}"):
                sizes[stem] = only[1]
            for row in csv.DictReader(io.StringIO(csv_text(table))):
                if row.get("value"):
                    cells[stem, row[table.heads[0]], row["column"]] = float(row["value"])
    contest = contest_of(results)
    one = headline_of(contest) if contest else None
    return Truth(cells, {way: found.own.size for way, found in one.crossings.items()
                         if found.own.size}
                 if one else {}, sizes, CpuAnswer(results).over_plain)


def _speedup(way: str) -> Value:
    column = {"kernel": "kernel", "with transfers": "transfers, pinned"}[way]
    return lambda truth, found: truth.cell("speedup", found["n"], f"best against best: {column}")


def _plain(end: Callable[[list[float]], float]) -> Value:
    """The least or the most that the plain kernel gains at the sizes that the text spans."""
    def value(truth: Truth, found: re.Match) -> float | None:
        gains = [gain for (table, size, column), gain in truth.cells.items()
                 if table == "speedup" and column == "plain against plain: kernel"
                 and int(found["least"]) <= int(size) <= int(found["n"])]
        return end(gains) if gains else None
    return value


def _crossing(way: str) -> Value:
    return lambda truth, _: truth.crossings.get(way)


def _gain() -> Value:
    """T₁/Tₙ of an implementation, if the text's size is the table's."""
    def value(truth: Truth, found: re.Match) -> float | None:
        known = found.groupdict()
        same = known.get("n") in (None, truth.sizes.get("threads"))
        return truth.cell("threads", known["cores"], known["who"]) if same else None
    return value


def _rate(truth: Truth, found: re.Match) -> float | None:
    """By the column of the name, which a library's version may follow."""
    return next((value for (table, size, column), value in truth.cells.items()
                 if table == "gflops-cpu" and size == found["n"]
                 and re.match(rf"{re.escape(found['who'])}( [\d.]+)?$", column)), None)


def _over_plain(truth: Truth, found: re.Match) -> float | None:
    """The CPU's best over plain loops, if the text is of the same two points."""
    gain = truth.gain
    return (gain.ratio.value if gain
            and (name(gain.best), str(gain.best.shape[0])) == found.group("who", "n") else None)


# records/cases/cores.py
CORES = r"(?:cores|processors|threads)(?: \(\d+(?: to \d+)? cores' worth(?:, by run)?\))?"
# name -> (pattern, number in it -> what it must be)
RULES: dict[str, tuple[str, dict[str, Value]]] = {
    "sentence": ((r"[Oo]n (?P<n>\d+)×(?P=n) matrices in plain float32 the [\w ]+'s best kernel is (?:[\d.,]+ to "
                  r")?(?P<times>[\d.,]*\d) times as fast as the best on"),
                 {"times": _speedup("kernel")}),
    "together": (r"GPU over CPU at (?P<n>\d+), kernel[^\d]*timed together (?P<times>[\d.,]*\d)",
                 {"times": _speedup("kernel")}),
    "plain": ((r"A plain kernel is (?P<low>[\d.,]+) to (?P<high>[\d.,]+) times as fast as plain loops "
               r"on .*? \(N = (?P<least>\d+) to (?P<n>\d+)[;)]"),
              {"low": _plain(min), "high": _plain(max)}),
    "figure": ((r"At (?P<n>\d+) the GPU is (?:[\d.,]+ to )?(?P<times>[\d.,]+) times as fast as the "
                r"CPU's best"), {"times": _speedup("kernel")}),
    "number, kernel": ((r"(?<!to )\b(?P<times>[\d.,]+)×[^\w×]+(?:b> <span>)?GPU over CPU at "
                        r"(?P<n>\d+), kernel"), {"times": _speedup("kernel")}),
    "number, transfers": ((r"(?<!to )\b(?P<times>[\d.,]+)×[^\w×]+(?:b> <span>)?GPU over CPU at "
                           r"(?P<n>\d+), with transfers"), {"times": _speedup("with transfers")}),
    "from": ((r"with transfers(?:, allocation not counted,)? it pays from N = (?P<size>\d+)"
              r"(?: \[[\d, ]+\]| to \d+)? on from pinned memory"),
             {"size": _crossing("pinned")}),
    "from, number": (r"\bpinned (?P<size>\d+) \[", {"size": _crossing("pinned")}),
    "from, sentence": ((r"Best against best, the GPU wins [^.]*? pinned memory from N = "
                        r"(?P<size>\d+)"), {"size": _crossing("pinned")}),
    "from, pageable": ((r"Best against best, the GPU wins [^.]*? pageable memory from N = "
                        r"(?P<size>\d+)"), {"size": _crossing("pageable")}),
    "block": ((r"A (?P<best>\d+)×\d+ tile is (?P<next>[\d.]+) times as fast as (?P<below>\d+)×\d+, "
               r"and (?P<least>[\d.]+) times as fast as (?P<first>\d+)×\d+ at (?P<n>\d+)"),
              {"next": lambda truth, found: truth.block(found["n"], found["best"], found["below"]),
               "least": lambda truth, found: truth.block(found["n"], found["best"],
                                                         found["first"])}),
    "block, smaller": (
        r"[Aa]t (?P<n>\d+), (?P<best>\d+)×\d+ wins: (?P<times>[\d.]+) times (?P<other>\d+)×",
        {"times": lambda truth, found: truth.block(found["n"], found["best"], found["other"])}),
    "threads": ((rf"[Aa]t (?P<n>\d+) [^;]* three plain loops(?: \([^)]*\))?; (?P<cores>\d+) {CORES} make "
                 r"(?P<who>[\w\- ]+?) (?P<times>[\d.]+) times as fast as one\b(?! at)"),
                {"times": _gain()}),
    "threads, number": ((r"(?P<times>[\d.]+)×</b> <span>all cores over one at (?P<n>\d+), this "
                         rf"CPU</span> <small>[^;]*; (?P<who>[^;]+?) on (?P<cores>\d+) {CORES}"),
                        {"times": _gain()}),
    "threads, title": ((rf"At (?P<n>\d+) on (?P<cores>\d+) {CORES} (?P<who>[\w\- ]+?) is "
                        r"(?P<times>[\d.]+) times as fast as on one"), {"times": _gain()}),
    "rate": ((rf"[Aa]t (?P<n>\d+) (?P<who>[\w\- ]+?) on \d+ {CORES} reaches (?P<rate>[\d.,]+) "
              r"GFLOP/s"), {"rate": _rate}),
    "over plain loops": ((r"at (?P<n>\d+) (?P<who>[\w\- ]+?) is (?P<times>[\d.,]+) times as fast "
                          r"as three plain loops"), {"times": _over_plain}),
    "over plain loops, number": ((r"(?P<times>[\d.,]+)×</b> <span>this CPU's best over plain loops "
                                  r"at (?P<n>\d+)</span> <small>[^;]*; (?P<who>[^;]+?) on \d+ "
                                  rf"{CORES}"), {"times": _over_plain}),
    "step": (r"the largest step is (?P<rung>[\w\- ]+?) \(×(?P<times>[\d.]+)\)",
             {"times": lambda truth, found: truth.cell("steps-gpu", found["rung"],
                                                       "times the rung before")}),
}


def _texts(text: str) -> str:
    """Without what HTML and Markdown put between letters."""
    return re.sub(r"\s+", " ", text.replace("&#39;", "'").replace("**", ""))


def said(text: str, truth: Truth) -> Iterator[tuple[str, str, float, str]]:
    """(rule, number as it stands, what it must be, where) of every number that a rule knows and the
    tables hold."""
    plain = _texts(text)
    for rule, (pattern, numbers) in RULES.items():
        for found in re.finditer(pattern, plain):
            for group, value in numbers.items():
                if (known := value(truth, found)) is not None:
                    yield rule, found[group], known, found[0]


def met(text: str, truth: Truth) -> set[str]:
    return {rule for rule, *_ in said(text, truth)}


def differing(text: str, truth: Truth) -> list[str]:
    """"sentence: 47 should be 41.3, in “…”" of each number that is not the table's, rounded as it
    stands."""
    wrong = []
    for rule, stands, known, where in said(text, truth):
        digits = stands.replace(",", "").rstrip(".")
        unit = 10.0 ** -len(digits.partition(".")[2])
        # ratios by shared rounds and of medians differ by so much
        if abs(float(digits) - known) > 0.51 * unit + 0.005 * known:
            wrong.append(f"{rule}: {stands} should be {known:.4g}, in “{where}”")
    return wrong
