"""How far results are from the exact ones: the largest error of every distribution and shape, beside a library's."""

from __future__ import annotations

from typing import NamedTuple

from .baselines import matches
from .case import Case
from .language import recorded, say
from .numbers import plain
from .operations import Shape, shape_text
from .tables import Cell, Notes, Row, Table, empty, listed, sentences
from .view import View

Place = tuple[str, Shape]  # distribution and shape


class Error(NamedTuple):
    """A case and the largest error that a check of it found."""

    case: Case
    eta: float


Errors = dict[Place, dict[str, Error]]  # that of each name


def errors_of(view: View) -> Errors:
    """The cases whose error was measured and is not a fault; what no bound certifies counts here, since no time is shown."""
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


def accuracy_table(view: View) -> Table:
    """A row a distribution and shape, a column a name; a note where the error is larger than the baseline's."""
    errors = errors_of(view)
    if not errors:
        return empty(view, say("accuracy.none"))
    library, notes = _library(view, errors), Notes(view)
    labels = list(dict.fromkeys(label for at in errors.values() for label in at))
    table = Table(view.kind, view.full_title, sentences(say("accuracy.caption"), *accuracy_sentences(view)),
                  (say("accuracy.distribution"), say("table.shape")), tuple(labels))

    def cell(at: dict[str, Error], label: str) -> Cell:
        error = at.get(label)
        if error is None:
            return Cell("")
        note = 0
        if _larger(error, at, library):
            note = notes.number(error.case, say("accuracy.larger", library=library))
        return Cell(plain(error.eta), error.eta, unit="2^-24 |A||B|", note=note)

    table.rows = [Row((recorded(distribution), shape_text(*shape)), tuple(cell(at, label) for label in labels))
                  for (distribution, shape), at in errors.items()]
    table.notes, table.reference = notes.texts(), view.reference
    return table


def _beside(errors: Errors, label: str, library: str) -> Errors:
    """Where both the label and the library have an error."""
    return {place: at for place, at in errors.items() if label in at and library in at}


def accuracy_counts(view: View) -> tuple[str, dict[str, tuple[int, int]]]:
    """The library's label; label -> (at how many places it is at or below the library's error, of how many)."""
    errors = errors_of(view)
    library = _library(view, errors)
    counts: dict[str, tuple[int, int]] = {}
    for label in dict.fromkeys(label for at in errors.values() for label in at):
        both = _beside(errors, label, library)
        if label != library and both:
            counts[label] = sum(not _larger(at[label], at, library) for at in both.values()), len(both)
    return library, counts


def accuracy_sentences(view: View) -> list[str]:
    """"tensor is at or below cuBLAS' error at 41 of 42 distributions and shapes; above it at …", a sentence a name."""
    errors = errors_of(view)
    library = _library(view, errors)
    told = []
    for label in dict.fromkeys(label for at in errors.values() for label in at):
        both = _beside(errors, label, library)
        if label == library or not both:
            continue
        above = [f"{recorded(distribution)} {shape_text(*shape)}" for (distribution, shape), at in both.items()
                 if _larger(at[label], at, library)]
        told.append(say("accuracy.above" if above else "accuracy.all", label=label, library=library, count=len(both),
                        held=len(both) - len(above), places=listed(above)))
    return told
