"""Times faster than the baseline at the same shape, round by round."""

from __future__ import annotations

from dataclasses import replace

from analysis.compared.meetings import peers_finding
from analysis.compared.peers import Peer, peers_of, said
from analysis.tables.heads import Head, with_remark
from analysis.tables.kind import Section, TableKind
from analysis.tables.tables import (
    Cell,
    Notes,
    Table,
    empty,
    grid,
    marked,
    ratio_cell,
    sentences,
    tie_note,
)
from language import say
from records.baselines import Baselines
from records.cases.case import SPLIT, Case
from records.cases.phrases import place_of, sound_mean, unsound
from records.cases.ratios import speedup
from records.cases.series import shape_names, shapes_of
from records.names.naming import bare_name
from records.names.numbers import DASH, counted, ratio_text
from records.view import View


def speedup_table(view: View) -> Table:
    """Times faster than the baseline at the same shape, or one sentence where there is no
    baseline."""
    baselines = Baselines(view)
    if baselines.problem:
        return empty(view, baselines.problem)
    lost: list[Case] = []

    def make(case: Case, notes: Notes) -> Cell:
        baseline = baselines.of(case)
        if baseline is None:
            lost.append(case)
            return Cell(DASH)
        ratio = speedup(baseline, case)
        return marked(ratio_cell(ratio, baseline is case), notes, case, baseline, ratio=ratio)

    table = grid(view, say("times faster"),
                  sentences(say("Times faster than {name} at the same shape: round by round, with "
                                "its 95 % confidence interval.", name=baselines.name), tie_note()),
                  make)
    if lost:
        table.caption = sentences(table.caption, say(
            "A {dash} without a note: the baseline has no number at {shapes}.", dash=DASH,
                                                     shapes=shape_names(shapes_of(lost))))
    return table


def split_finding(section: Section) -> Head | None:
    """"matrix unit over the fastest library: 0.80 times in geometric mean over 11 shapes, 0.31 at
    worst (64), 1.97 at best (4096)", and a sentence per line. Only where the baseline of the tables
    is a strict FP32 implementation of ours and split operands stand beside it; else None."""
    view = section.view
    timed = [spec for spec in section.wanted if spec["kind"] == "speedup"]
    groups = {spec.get("group") for spec in timed}
    cases = tuple(case for case in view.cases if case.group in groups)
    strict = {case.implementation for case in cases
              if not case.library and case.precision == "fp32"}
    bases = {(spec.get("baseline") or {}).get("implementation") for spec in timed}
    if len(strict) != 1 or bases != strict:
        return None
    lines = [peer for peer in peers_of(replace(view, cases=cases))
             if peer.series.first.precision == SPLIT]
    if not lines:
        return None
    widest = max(lines, key=lambda peer: (peer.series.first.threads, len(peer.duels)))
    best, worst = max(widest.duels, key=lambda duel: duel.ratio.value), widest.worst
    text = say(
        "{name} over the fastest library: {mean} times in geometric mean over {shapes}{sound}, "
        "{low} at worst ({small}), {high} at best ({large})", name=bare_name(widest.series.first),
        mean=ratio_text(widest.mean), shapes=counted(len(widest.duels), "shape"),
        sound=sound_mean(duel.ratio for duel in widest.duels), low=ratio_text(worst.ratio.value),
        small=place_of(worst.ratio), high=ratio_text(best.ratio.value),
        large=place_of(best.ratio)) if len(widest.duels) > 1 else said(widest)
    return Head(with_remark(text, _elsewhere(view, widest)),
                tuple(f"{said(peer)}." for peer in lines))


def _elsewhere(view: View, told: Peer) -> str:
    """"6 more of other groups: 0.19 to 0.43 times": what the line came to in groups that no table
    shows, and the mean leaves out."""
    known = {duel.case.case_id for duel in told.duels}
    first = told.series.first
    left = [duel.ratio for peer in peers_of(view)
            for duel in peer.duels if (duel.case.implementation, duel.case.threads)
            == (first.implementation, first.threads) and duel.case.case_id not in known]
    if not left:
        return ""
    values = [ratio.value for ratio in left]
    ends = list(dict.fromkeys((ratio_text(min(values)), ratio_text(max(values)))))
    text = say("{count} more of other groups: {times} times", count=len(left),
               times=ends[0] if len(ends) == 1
               else say("{low} to {high}", low=ends[0], high=ends[1]))
    return say(", ").join(filter(None, (text, unsound(*(case for ratio in left
                                                        for case in ratio.of)))))


KIND = TableKind(
    title="speedup",
    about="times faster than the `baseline` at the same shape, round by round",
    table=speedup_table,
    heads=(split_finding, peers_finding),
    before=11)
