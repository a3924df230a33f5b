"""How far results are from the exact ones, and what that costs: of every distribution and shape the
largest error and the speed, beside a library's. What splits its operands is fast on data that its
digits hold, and may be slower than the library on others."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from analysis.tables.heads import Head
from analysis.tables.kind import Section, TableKind
from analysis.tables.tables import Cell, Notes, Row, Table, empty, listed, sentences
from language import recorded, say
from records.baselines import matches
from records.cases.case import SPLIT, Case
from records.cases.phrases import quoted, remark
from records.cases.ratios import Ratio, geometric_mean, speedup
from records.names.naming import bare_name
from records.names.numbers import joined, plain, ratio_text
from records.schema.operations import Shape, by_volume, shape_text
from records.view import View, cases_of

MOST_SHAPES = 2  # whose speeds a sentence lists, the largest first
Place = tuple[str, Shape]  # distribution and shape


class Error(NamedTuple):
    """A case and the largest error that a check of it found."""

    case: Case
    eta: float


Errors = dict[Place, dict[str, Error]]  # that of each name


def _errors(view: View) -> Errors:
    """The cases whose error was measured and is not a fault; what no bound certifies counts here:
    the error stands beside the time."""
    found: Errors = {}
    for case in view.cases:
        if case.status == "ok" and case.eta_max is not None and not case.copy:
            at = found.setdefault((case.distribution, case.shape), {})
            at.setdefault(case.name, Error(case, case.eta_max))
    return found


def _library(view: View, errors: Errors) -> str:
    """The name of the baseline; "" where there is none."""
    wanted = view.baseline or {}
    known = (error.case for at in errors.values() for error in at.values())
    return next((case.name for case in known if wanted and matches(case, wanted)), "")


def _larger(error: Error, at: dict[str, Error], library: str) -> bool:
    return library in at and error.eta > at[library].eta


def _rival(at: dict[str, Error], ours: bool = False) -> Error | None:
    """The fastest library of plain FP32 at a place; with `ours` of all that computes so."""
    plain_ones = [error for error in at.values() if (ours or error.case.library)
                  and error.case.precision == "fp32" and error.case.samples_s]
    return min(plain_ones, key=lambda error: error.case.median_s, default=None)


def _speed(at: dict[str, Error], label: str, ours: bool = False) -> Ratio | None:
    """Over that rival; None of a library, and where a time is missing."""
    error, rival = at.get(label), _rival(at, ours)
    if error is None or rival is None or error.case.library or not error.case.samples_s:
        return None
    return speedup(rival.case, error.case)


def _rival_name(errors: Errors) -> str:
    names = {bare_name(rival.case) for at in errors.values() if (rival := _rival(at))}
    return names.pop() if len(names) == 1 else say("the fastest library")


def accuracy_table(view: View) -> Table:
    """A row a distribution and shape; a column a name for the errors, with a note where one is
    larger than the baseline's, and one of each of ours for its speed over the fastest library's."""
    errors = _errors(view)
    if not errors:
        return empty(view, say("No point has a measured error."))
    library, notes = _library(view, errors), Notes(view)
    labels = list(dict.fromkeys(label for at in errors.values() for label in at))
    timed = [label for label in labels if any(_speed(at, label) for at in errors.values())]
    table = Table(view.kind, view.full_title, sentences(say(
        "Largest error of an element of C: |C − R| in units of 2⁻²⁴·(|A||B|), R the product in "
        "double precision. Of shapes with more than 2³³ products, over 4,096 elements and "
        "projections."), *accuracy_sentences(view)),
                  (say("inputs"), say("Shape m×n×k")), (*labels, *timed))
    if timed:
        table.groups = (say("largest error"), len(labels)), (
            say("times as fast as {name}", name=_rival_name(errors)), len(timed))

    def error_cell(at: dict[str, Error], label: str) -> Cell:
        error = at.get(label)
        if error is None:
            return Cell("")
        note = 0
        if _larger(error, at, library):
            note = notes.number(error.case,
                                say("More than the error of {library}.", library=library))
        return Cell(plain(error.eta), error.eta, unit="2^-24 |A||B|", note=note)

    def speed_cell(at: dict[str, Error], label: str) -> Cell:
        ratio = _speed(at, label)
        if ratio is None:
            return Cell("")
        case = at[label].case
        note = notes.number(case, say(
            "measured while the card held its clock down")) if ratio.throttled else \
            notes.number(case, say("Ran kernels of plain FP32: it is estimated to be slower by "
                                   "splitting its operands.")) if case.by_fp32 else \
            notes.number(case, say("not resolved (too few samples)")) if ratio.low is None else 0
        return Cell(ratio_text(ratio.value), ratio.value, ratio.low, ratio.high, "times", note)

    table.rows = [Row((recorded(distribution), shape_text(*shape)), (
        *(error_cell(at, label) for label in labels), *(speed_cell(at, label) for label in timed)))
        for (distribution, shape), at in errors.items()]
    table.notes, table.reference = notes.texts(), view.reference
    return table


def _beside(errors: Errors, label: str, library: str) -> Errors:
    """Where both the label and the library have an error."""
    return {place: at for place, at in errors.items() if label in at and library in at}


def accuracy_counts(view: View) -> tuple[str, dict[str, tuple[int, int]]]:
    """The library's label; label -> (at how many places it is at or below the library's error, of
    how many)."""
    errors = _errors(view)
    library = _library(view, errors)
    counts: dict[str, tuple[int, int]] = {}
    for label in dict.fromkeys(label for at in errors.values() for label in at):
        both = _beside(errors, label, library)
        if label != library and both:
            counts[label] = sum(not _larger(at[label], at, library)
                                for at in both.values()), len(both)
    return library, counts


def accuracy_sentences(view: View) -> list[str]:
    """"tensor is at or below cuBLAS' error at 41 of 42 distributions and shapes, 28 of them by
    kernels of plain FP32; above it at …", and what it gains in time: two sentences a name."""
    errors = _errors(view)
    library = _library(view, errors)
    told = []
    for label in dict.fromkeys(label for at in errors.values() for label in at):
        both = _beside(errors, label, library)
        if label == library or not both:
            continue
        above = [place_text(place) for place, at in both.items() if _larger(at[label], at, library)]
        by_fp32 = sum(at[label].case.by_fp32 for at in both.values())
        text = say("{label} is at or below the error of {library} at {held} of {count} "
                   "distributions and shapes{fp32}; it is above at {places}." if above else
                       "{label} is at or below the error of {library} at all {count} "
                       "distributions and shapes{fp32}.", label=label, library=library,
                   count=len(both),
                   held=len(both) - len(above), places=listed(above),
                   fp32=say(" ({count} of the {all} ran kernels of plain FP32)", count=by_fp32,
                            all=len(both)) if by_fp32 else "")
        told.append(say(" ").join(filter(None, (text, _speed_sentence(errors, label)))))
    return told


def place_text(place: Place) -> str:
    """"lognormal 4096"."""
    return f"{recorded(place[0])} {shape_text(*place[1])}"


def split_speed(view: View, names: Collection[str] = ()) -> str:
    """"where operands are split tensor is 0.536 to 4.13 times as fast (1.46 in geometric mean over
    14 of 42, slower at 4) as the fastest in plain float32 (cuBLAS or pipelined), by inputs and
    shape":
    of each that splits them, or of those `names`; empty where none does. A time needs no bound on
    the error: cuBLAS has none."""
    errors = _errors(view)
    labels = dict.fromkeys(error.case.name for at in errors.values() for error in at.values()
                           if error.case.precision == SPLIT
                           and error.case.name in (names or (error.case.name,)))
    each = {label: list(_sound_speeds(errors, label, ours=True).values()) for label in labels}
    told = {label: [ratio.value for ratio in ratios] for label, ratios in each.items()
            if len(ratios) > 1}
    spans = [say("{name} is {low} to {high} times as fast ({mean} in geometric mean over {count} "
                 "of {all}, slower at {slower})", name=quoted(label),
                 low=ratio_text(min(values)), high=ratio_text(max(values)),
                 mean=ratio_text(geometric_mean(values)), count=len(values),
                 all=sum(label in at for at in errors.values()),
                 slower=sum(value < 1 for value in values))
             for label, values in told.items()]
    bases = sorted({bare_name(ratio.of[0]) for label in told for ratio in each[label]})
    return (say("where operands are split {parts} as the fastest in plain float32 ({bases}), by "
                "inputs and shape", parts=joined(spans), bases=say(" or ").join(bases))
            if spans else "")


def _sound_speeds(errors: Errors, label: str, ours: bool = False) -> dict[Place, Ratio]:
    """Where it ran as it is meant to, and both sides have six samples: what a mean may be formed
    of."""
    found = {place: ratio for place, at in errors.items() if (ratio := _speed(at, label, ours))
             and not at[label].case.by_fp32}
    return {place: ratio for place, ratio in found.items() if ratio.low is not None}


def _speed_sentence(errors: Errors, label: str) -> str:
    """"Its speed over cuBLAS': 1.73 times in geometric mean over 14, 0.70 at worst (outliers 1024);
    at 4096 uniform 4.29, …; at 1024 …"."""
    ratios = _sound_speeds(errors, label)
    if len(ratios) < 2:
        return ""
    worst = min(ratios, key=lambda place: ratios[place].value)
    shapes = sorted({shape for _, shape in ratios}, key=by_volume, reverse=True)[:MOST_SHAPES]
    each = say("; ").join(say("at {shape} {parts}", shape=shape_text(*shape),
                              parts=_by_inputs(ratios, shape)) for shape in shapes)
    return say("Speed of {label} over {library}, where it ran as it is meant to and both sides "
               "have six samples: {mean} times in geometric mean over {count}, {worst} at worst "
               "({place}); {each}.", label=quoted(label), library=_rival_name(errors),
               mean=ratio_text(geometric_mean([one.value for one in ratios.values()])),
               count=len(ratios), worst=ratio_text(ratios[worst].value),
               place=place_text(worst), each=each)


def _by_inputs(ratios: dict[Place, Ratio], shape: Shape) -> str:
    """"uniform 4.29, normal 3.44, …"."""
    return say(", ").join(
        f"{recorded(distribution)} {ratio_text(ratio.value)}{remark(*ratio.of)}"
        for (distribution, at), ratio in ratios.items() if at == shape)


def errors_of(section: Section) -> list[View]:
    """The points of each table of errors."""
    return [replace(section.view, cases=cases_of(section.view, spec), baseline=spec.get("baseline"))
            for spec in section.wanted if spec["kind"] == "accuracy"]


def told(section: Section) -> list[str]:
    return [text for view in errors_of(section) for text in accuracy_sentences(view)]


def accuracy_finding(section: Section) -> Head | None:
    """"tensor is at or below cuBLAS's error at all 42 distributions and shapes; pipelined at
    39"."""
    if section.kinds != {"accuracy"}:
        return None
    errors = errors_of(section)[0]
    library, counts = accuracy_counts(errors)
    if not counts:
        return None
    most = max(every for _, every in counts.values())
    whole = [label for label, (held, every) in counts.items() if held == every]
    part = [say("{label} at {held} of {every}", label=quoted(label), held=held, every=every)
            for label, (held, every) in counts.items() if held < every]
    texts = [
        say("{labels}: error at or below that of {library} at all {count} distributions and shapes",
            labels=joined(list(map(quoted, whole))), library=library, count=most)] if whole else []
    told = [text for _, text in sorted(zip(counts, accuracy_sentences(errors)),
                                       key=lambda pair: pair[0] in whole)]
    return Head(say("; ").join(filter(None, [*texts, *part, split_speed(errors)])), tuple(told[:2]))


KIND = TableKind(title="error",
                 about="largest error of each distribution and shape, beside the `baseline`'s "
                 "where one is given",
                 table=accuracy_table,
                 of_hidden=True,
                 heads=(accuracy_finding,),
                 before=1,
                 says=told)
