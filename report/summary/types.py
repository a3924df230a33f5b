"""What a type buys: at one size of each type the fastest method, how many times as fast it is as
float32, how many times fewer joules it takes, and the digits that it leaves."""

from __future__ import annotations

from dataclasses import replace

from analysis.compared.by_type import (
    Bought,
    at_least_text,
    at_smallest,
    bought,
    finding_of,
    fullest,
    type_text,
)
from analysis.tables.tables import Table, ended, sentences, units_text
from language import say
from records.cases.case import SPLIT
from records.cases.experiment import Results
from records.schema.operations import shape_text
from records.view import View
from report.asked.wanted import specs, views
from report.kinds.accuracy import split_speed
from report.machine.conditions import conditions

from . import Exhibit, whose
from .columns import Columns, Marks, Number, of_rate, of_ratio

NAME = "types"


def types_exhibit(results: Results, device: str, reference: bool = False) -> Exhibit | None:
    """Of the experiment of that device whose table of types has most of them; None where none
    stands beside float32."""
    found = [(ones, view) for experiment in results.experiments
             if any(spec["kind"] == NAME for spec in specs(experiment, "tables"))
             for view in views(experiment, {"kind": NAME}, None)
             if (ones := fullest(bought(view))) and ones[0].case.device == device]
    if not found:
        return None
    ones, view = max(found, key=lambda one: len(one[0]))
    less = at_smallest(bought(view), ones)
    view = replace(view, reference=reference)
    drawn = [(one, f"summary-{NAME}") for experiment in results.experiments
             if experiment.name == view.experiment for spec in specs(experiment, "figures")
             if spec["kind"] == "speed_against_error" for one in views(experiment, spec, None)]
    return Exhibit(NAME, say("Types"), say("What do fewer digits buy, and what do they cost?"),
                   (ended(finding_of(ones)), *([less] if less else []),
                    *_by_inputs(results, ones)),
                   ((NAME, _table(ones, view)),),
                   tuple((replace(one, reference=reference), stem) for one, stem in drawn[:1]),
                   view.experiment, whose(view.run, reference))


def _by_inputs(results: Results, ones: list[Bought]) -> tuple[str, ...]:
    """How fast the table's splits of float32 are on other inputs, of each experiment that measured
    their errors."""
    names = {one.case.name for one in ones if one.case.precision == SPLIT}
    found = [(experiment, split_speed(replace(view, baseline=spec.get("baseline")), names))
             for experiment in results.experiments for spec in specs(experiment, "tables")
             if names and spec["kind"] == "accuracy" for view in views(experiment, spec, None)]
    return tuple(say("In the experiment {experiment}, {speeds}.",
                     experiment=experiment.name, speeds=speeds)
                 for experiment, speeds in found if speeds)


def _table(ones: list[Bought], view: View) -> Table:
    cases = [one.case for one in ones]
    rows = tuple(map(type_text, cases))
    columns, marks = Columns(rows), Marks()
    columns.add(units_text(cases), [of_rate(case, marks.of_cases(row, case))
                                    for row, case in zip(rows, cases)], "GFLOP/s", spread=True)
    columns.add(say("times as fast"), [None if one.is_base else of_ratio(
        one.ratio, marks.of_pair(row, one.ratio, one.base, one.case))
        for row, one in zip(rows, ones)], "times", spread=True, decimals=1)
    columns.add(say("correct digits"), [
        Number(one.digits, note=marks.of(row, at_least_text(one))) if one.digits else None
        for row, one in zip(rows, ones)], "digits", decimals=1)
    if any(one.unpaused for one in ones):
        columns.add(say("times, without a pause"), [
            None if one.is_base or not one.unpaused else Number(one.unpaused) for one in ones],
            "times", decimals=1)
    if any(one.fewer for one in ones):
        columns.add(say("times less energy"), [Number(one.fewer) if one.fewer and not one.is_base
                                           else None for one in ones], "times", decimals=1)
    return columns.table(
        NAME, say("Types beside float32 at N = {size}", size=shape_text(*cases[0].dims.values())),
        sentences(say("Of each type of A and B, and of each way to compute float32 in fewer "
                      "digits, the numbers of the fastest method. Correct digits: of the sum of "
                      "absolute terms, those that the largest error leaves, C's own rounding "
                      "included; what the rounding of A and B to a type costs is told by “float32 "
                      "in …”; sums of whole numbers are exact.")),
        (say("A and B"), say("Method")), marks, view.reference, [one.method for one in ones],
        conditions(cases, view.run, view.host, view.reference))
