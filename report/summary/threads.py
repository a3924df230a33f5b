"""What more threads bring on the CPU: the time on one thread over that on n, beside the ideal."""

from __future__ import annotations

from dataclasses import replace

from analysis.scaling.scaling import Line, scaled, scaling_finding
from analysis.tables.tables import Table, ended, sentences
from language import say
from records.cases.cores import processors_text
from records.cases.experiment import Results
from records.names.numbers import counted
from records.schema.operations import shape_text
from records.view import View
from report.asked.wanted import views
from report.machine.conditions import conditions

from . import Exhibit, whose
from .columns import Columns, Marks, Number, of_ratio, unpaired_text

NAME = "threads"
EXPERIMENTS = ("thread_scaling", "quick")  # are looked into first


def threads_exhibit(results: Results, reference: bool = False) -> Exhibit | None:
    """None where no implementation was measured on one thread and on more."""
    view = _view(results)
    if view is None:
        return None
    found = scaled(view)
    lines = found.lines(found.shapes[-1])
    view = replace(view,
                   cases=tuple(case for line in lines for case in line.cases.values()), absent=())
    return Exhibit(NAME, say("Threads"), say("What do more threads bring?"),
                   (ended(scaling_finding(view)),), ((NAME, _table(view, lines, reference)),),
                   ((view, "summary-threads"),), view.experiment, whose(view.run, reference))


def _view(results: Results) -> View | None:
    """The points of the experiment that is named first, else of that with the most numbers of
    threads."""
    best: tuple[tuple[int, int], View] | None = None
    for experiment in results.experiments:
        place = (-EXPERIMENTS.index(experiment.name) if experiment.name in EXPERIMENTS
                 else -len(EXPERIMENTS))
        for view in views(experiment, {"kind": "thread_scaling", "title": say("Threads")}, None):
            found = scaled(view)
            if not found.shapes:
                continue
            rank = place, max(len(line.gains) for line in found.lines(found.shapes[-1]))
            if best is None or rank > best[0]:
                best = rank, view
    return best[1] if best else None


def _table(view: View, lines: list[Line], reference: bool) -> Table:
    counts = sorted({threads for line in lines for threads in line.gains})
    columns, marks = Columns(tuple(map(str, counts))), Marks()
    top = view.cores or counts[-1]
    columns.add(say("ideal"), [Number(float(min(count, top))) for count in counts],
                "times", decimals=0)
    for line in lines:
        columns.add(line.series.name, [_number(line, count, marks) for count in counts], "times",
                    spread=True, decimals=2)
    columns.mark_best([place for place, name in enumerate(columns.names) if place and name != "±"])
    cases = [case for line in lines for case in line.cases.values()]
    caption = sentences(say("T₁/Tₙ at N = {size}: the time on one thread over that on n threads. "
                            "The ideal stops at the {cores} that this process may use. ± is the "
                            "farther end of the 95 % interval.", size=shape_text(*lines[0].shape),
                            cores=processors_text(view.run) or counted(top, "thread")),
                        conditions(cases, view.run, view.host))
    return columns.table(NAME, say("Speedup by number of threads"), caption, (say("threads"),),
                         marks, reference)


def _number(line: Line, count: int, marks: Marks) -> Number | None:
    gain = line.gains.get(count)
    if gain is None:
        return None
    if count == 1:
        return Number(1.0)
    ran = line.cases[count].threads_actual or count
    fewer = say("ran {threads}", threads=counted(ran, "thread")) if ran != count else ""
    pair = line.cases[1], line.cases[count]
    more = say("; ").join(filter(None, (fewer, unpaired_text(gain, *pair))))
    return of_ratio(gain, marks.of_cases(str(count), *pair, more=more))
