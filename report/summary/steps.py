"""What each step of a ladder buys: rung by rung at one size, each over the fastest before it, with
the counters' reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analysis.answer.names import name as name_of
from analysis.answer.points import usable
from analysis.compared.elsewhere import lead_elsewhere
from analysis.ladder.ladder import Ladder, Rung, finding_of, fullest
from analysis.tables.heads import with_remark
from analysis.tables.tables import Table, ended, sentences
from language import say
from records.cases.case import Case
from records.cases.experiment import Experiment, Results
from records.names.naming import is_library
from records.schema.operations import shape_text
from records.view import View
from report.asked.wanted import specs, views
from report.machine.conditions import conditions

from . import Exhibit, whose
from .columns import Columns, Marks, Number, of_rate, of_ratio

EXPERIMENTS = {"gpu": ("gpu_ladder", "cpu_vs_gpu", "quick"),
               "cpu": ("cpu_ladder", "cpu_loops", "quick")}  # in that order
LABELS = {"gpu": "Steps on the GPU", "cpu": "Steps on the CPU"}
QUESTIONS = {"gpu": "What does each step buy on the GPU?",
             "cpu": "What does each step buy on the CPU?"}


def steps_exhibit(results: Results, device: str, reference: bool = False) -> Exhibit | None:
    """None where no ladder of the device has two rungs."""
    found = ladder_of(results, device, reference)
    if found is None:
        return None
    view, ladder = found
    name = f"steps-{device}"
    alone = view.one_thread([rung.case for rung in ladder.rungs])
    return Exhibit(name, say(LABELS[device]), say(QUESTIONS[device]),
                   (ended(with_remark(finding_of([ladder]), say("one thread") if alone else "")),),
                   ((name, _table(view, ladder, name, results)),), ((view, f"summary-{name}"),),
                   view.experiment, whose(view.run, reference))


def ladder_of(results: Results, device: str, reference: bool = False) -> tuple[View, Ladder] | None:
    """The ladder that tells most of the device, its kernels' where these were measured alone, with
    the points that it is of."""
    named = {experiment.name: experiment for experiment in results.experiments}
    for wanted in (*EXPERIMENTS[device], *sorted(named.keys() - set(EXPERIMENTS[device]))):
        for view in bars_of(named.get(wanted)):
            cases = tuple(case for case in view.cases if case.device == device
                          and case.scope == "kernel" and (usable(case) or not case.shown))
            view = replace(view, cases=cases, compact=True, reference=reference)
            if ladder := fullest(view):
                return view, ladder
    return None


def bars_of(experiment: Experiment | None) -> list[View]:
    """Those of the figure of bars that it defines, else of all its points."""
    if experiment is None:
        return []
    bars = [spec for spec in specs(experiment, "figures") if spec["kind"] == "ladder_bars"]
    return [view for spec in bars or [{"kind": "ladder_bars"}]
            for view in views(experiment, spec, None)]


def _table(view: View, ladder: Ladder, name: str, results: Results) -> Table:
    rungs = [*ladder.rungs, *ladder.libraries]
    rows = tuple(rung.name for rung in rungs)
    columns, marks = Columns(rows), Marks()
    columns.add("GFLOP/s", [of_rate(rung.case, marks.of_cases(rung.name, rung.case))
                            for rung in rungs], "GFLOP/s", spread=True)
    every = [case for experiment in results.experiments for case in experiment.cases]
    columns.add(say("times the rung before"), [_factor(rung, marks, every) for rung in rungs],
                "times",
                spread=True, decimals=2)
    reasons = [rung.why for rung in rungs]
    heads = (say("Step"), *([say("what the counters say")] if any(reasons) else []))
    return columns.table(
        name, say("Step by step at N = {size}", size=shape_text(*ladder.shape)),
        sentences(say("Rungs that are faster than all before them, each over the one before; a "
                      "library over the fastest rung. ± is the farther end of the 95 % interval."),
                  conditions([rung.case for rung in rungs], view.run, view.host, view.reference)),
        heads, marks, view.reference, reasons if any(reasons) else ())


def _factor(rung: Rung, marks: Marks, every: Sequence[Case]) -> Number | None:
    """With a note where the two tie or something limits their ratio; of a library, too, where
    another experiment of the host timed one that is faster."""
    if rung.ratio is None:
        return None
    fastest = rung.ratio.of[0]
    lead = lead_elsewhere(rung.case, fastest, every) if is_library(rung.case) else ""
    return of_ratio(rung.ratio, marks.of_pair(
        rung.name, rung.ratio, fastest, rung.case,
        more=lead and say("{name} is {lead}", name=name_of(fastest), lead=lead)))
