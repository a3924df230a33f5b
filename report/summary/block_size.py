"""Which tile of the tiled GPU kernel is the best at each size: time, GFLOP/s and speedup over the
smallest."""

from __future__ import annotations

from dataclasses import replace

from analysis.answer.points import usable
from analysis.ladder.block_steps import BlockSteps, Reason, block_steps, counted_text, finding
from analysis.ladder.small_tiles import why_small_tiles
from analysis.tables.tables import Table, ended, sentences
from language import say
from records.cases.case import Case
from records.cases.experiment import Experiment, Results
from records.cases.ratios import speedup
from records.cases.series import Series, by_value, shapes_of
from records.names.numbers import capital, ends_of, joined, percent, plain, ratio_text
from records.schema.operations import is_square, shape_text
from records.view import View
from report.asked.wanted import views
from report.machine.conditions import conditions

from . import Exhibit, whose
from .columns import Columns, Marks, Number, fewer, of_rate, of_ratio, side

NAME = "block-size"
BLOCKED = "gpu.tiled"
MILLI = 1e-3
Times = dict[int, Case]  # by block


def block_exhibit(results: Results, reference: bool = False) -> Exhibit | None:
    """None where there are no numbers of two blocks at one size."""
    view = _view(results, reference)
    if view is None:
        return None
    steps = block_steps(view)[0]
    told = sentences(ended(finding(view)), _smaller(view, steps), _why(steps),
                     counted_text(view, [steps]))
    return Exhibit(NAME, say("Block size"), say("Which block size is best, and why?"),
                   (told, why_small_tiles(results)), ((NAME, _table(view, steps.series)),),
                   ((view, f"summary-{NAME}"),), view.experiment, whose(view.run, reference))


def best_block(results: Results) -> tuple[int, str] | None:
    """The fastest tile at the largest size, and the finding: "A 32×32 tile is … at 4096."; None
    where there are no numbers of two."""
    view = _view(results, reference=False)
    if view is None:
        return None
    steps = block_steps(view)[0]
    return int(steps.best.block), ended(finding(view))


def _view(results: Results, reference: bool) -> View | None:
    """The tiled kernel's points on one host that other work did not disturb, of the experiment with
    the most blocks, then with the most sizes."""
    best: tuple[tuple[int, int], View] | None = None
    for experiment in results.experiments:
        for view in _views(experiment):
            rank = len({case.parameters["block"]
                        for case in view.cases}), len(shapes_of(view.cases))
            if block_steps(view) and rank[0] > 1 and (best is None or rank > best[0]):
                best = rank, replace(view, reference=reference)
    return best[1] if best else None


def _views(experiment: Experiment) -> list[View]:
    made = []
    for view in views(experiment, {"kind": "block_size", "title": say("Block size")}, None):
        cases = tuple(case for case in view.cases if case.implementation == BLOCKED and usable(case)
                      and case.scope == "kernel" and is_square(case.shape)
                      and isinstance(case.parameters.get("block"), int))
        if cases:
            made.append(replace(view, cases=cases))
    return made


def _table(view: View, series: Series) -> Table:
    at = {side(shape): cases for shape, cases in by_value(series, "block").items()}
    sizes = fewer(sorted(at), max(at))
    blocks = sorted({block for cases in at.values() for block in cases})
    columns, marks = Columns(tuple(map(str, sizes))), Marks()
    for block in blocks:
        columns.add(f"{block}×{block}", [_time(at[size].get(block), marks) for size in sizes], "ms",
                    say("time, ms"), decimals=3)
    columns.mark_best(range(len(blocks)), least=True)
    for block in blocks:
        cases = [at[size].get(block) for size in sizes]
        columns.add(f"{block}×{block}", [None if case is None else of_rate(case) for case in cases],
                    "GFLOP/s", "GFLOP/s", decimals=0)
    columns.mark_best(range(len(blocks), 2 * len(blocks)))
    first, *others = blocks
    over = say("speedup over {block}", block=f"{first}×{first}")
    for block in others:
        columns.add(f"{block}×{block}", [_over(at[size], first, block) for size in sizes], "times",
                    over, decimals=2)
    columns.mark_best(range(2 * len(blocks), len(columns.names)))
    columns.add_widest("", range(len(blocks)))
    caption = say("The tiled kernel by the side of its square tile in shared memory, squares M = N "
                  "= K. Bold: the best of a row, and what its interval overlaps. ± is the farther "
                  "end of the widest 95 % interval of the row's times.")
    return columns.table(NAME, say("Block size of the tiled kernel"), caption, ("N",), marks,
                         view.reference,
                         where=conditions(view.cases, view.run, view.host, view.reference))


def _time(case: Case | None, marks: Marks) -> Number | None:
    if case is None:
        return None
    low, high = ends_of(case.ci95_s)
    return Number(case.median_s / MILLI, low and low / MILLI, high and high / MILLI,
                  marks.of_cases(str(case.shape[0]), case))


def _over(at: Times, first: int, block: int) -> Number | None:
    return of_ratio(speedup(at[first], at[block])) if first in at and block in at else None


def _smaller(view: View, steps: BlockSteps) -> str:
    """At which sizes another block than the best of the largest size wins: "At 256, 16×16 wins:
    1.10 times 32×32, of which there are 64 tiles for 132 SMs."."""
    multiprocessors = int((view.run.get("gpus") or [{}])[0].get("sm_count") or 0)
    best = steps.best.block
    found = []
    for shape, cases in by_value(steps.series, "block").items():
        there = min(cases, key=lambda block: cases[block].median_s)
        if (there != best and best in cases
                and not (ratio := speedup(cases[best], cases[there])).tie):
            text = say("at {shape}, {block} wins: {times} times {other}", shape=shape_text(*shape),
                       block=steps.name(there), times=ratio_text(ratio.value),
                       other=steps.name(best))
            if (tiles := (-(-side(shape) // best)) ** 2) < multiprocessors:
                text = say("{text}, of which there are {tiles} for {sms} SMs", text=text,
                           tiles=tiles, sms=multiprocessors)
            found.append(text)
    text = say("; ").join(found)
    return capital(text) + say(".") if text else ""


def _why(steps: BlockSteps) -> str:
    """What the counters say of the best block, against the next smaller one."""
    best = steps.best
    if not best.reasons:
        return say("Why, no counter tells: ./gemmlab profile counts.")
    before = steps.rows[steps.rows.index(best) - 1]
    return say("Why: beside {before}, {block} has {reasons}.",
               before=steps.name(before.block), block=steps.name(best.block),
               reasons=joined([_changed(reason) for reason in best.reasons]))


def _changed(reason: Reason) -> str:
    """"27 % fewer instructions (3.11 instead of 4.27)"."""
    share = reason.after / reason.before - 1 if reason.before else 0.0
    if reason.share or not share:
        return reason.text
    before, after = plain(reason.before), plain(reason.after)
    if share < 0:
        return say("{share} fewer {what} ({after} instead of {before})", share=percent(-share),
                   what=reason.what, before=before, after=after)
    return say("{share} more {what} ({after} instead of {before})", share=percent(share),
               what=reason.what, before=before, after=after)
