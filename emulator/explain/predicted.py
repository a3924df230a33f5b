"""The report's table of predicted against measured times, from the committed counts of the
ladder."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from analysis.tables.tables import Cell, Row, Table, empty, sentences
from emulator.counts import sass
from emulator.counts.card import DEFAULT_CARD, card_keys, load_card
from emulator.counts.work import Product
from emulator.model.explanation import Explanation, explained
from emulator.model.fit import bars, is_fitted
from emulator.model.ladder import COUNTS, Accuracy, Key, Point, accuracy, key_of, points
from language import say
from records.cases.case import Case
from records.cases.series import series_of
from records.names.numbers import DASH, duration, percent, plain
from records.schema.operations import shape_text
from records.view import View

from .findings import unit_name

LADDER = "gpu_ladder"


@dataclass(frozen=True)
class Placed:
    """A measured case with its prediction."""

    name: str
    case: Case
    explanation: Explanation
    fitted: bool  # was it used to fit the model's constants?

    @property
    def error(self) -> float:
        return self.explanation.seconds / self.case.median_s - 1


def has_counts(case: Case) -> bool:
    """Is it a GPU kernel of the ladder's own experiment that was counted by emulation at its
    shape?"""
    return (case.device == "gpu" and case.experiment == LADDER and case.scope == "kernel"
            and _key(case) in _known())


def _key(case: Case) -> Key:
    product = Product(case.dims.get("m", 0), case.dims.get("n", 0), case.dims.get("k", 0))
    return key_of(case.implementation, case.parameters, product, case.options)


@lru_cache(maxsize=1)
def _known() -> dict[Key, Point]:
    return {point.key: point for point in points()} if COUNTS.is_file() else {}


def card_of(view: View) -> str:
    """The key of the card that the run's GPU is; empty where none is described."""
    gpus = [str(gpu.get("name")) for gpu in view.run.get("gpus") or []]
    return next((key for key in card_keys() if load_card(key).name in gpus), "")


def placed(view: View) -> list[Placed]:
    """The view's GPU kernels that were counted at the shape that was measured, in the table's
    order."""
    card = card_of(view)
    if not card:
        return []
    fit = bars()["fit"]
    made = []
    for series in series_of(view.shown):
        for case in series.cases:
            point = _known().get(_key(case))
            if point is None or case.twin_of or not has_counts(case) or not case.measured_s:
                continue
            registers = case.resources.get("registers")
            found = explained(point.counts, point.product, {"": registers} if registers else {},
                              card, sass.table())
            if found is not None:
                made.append(Placed(series.name, case, found,
                                   card == DEFAULT_CARD and is_fitted(point, fit)))
    return made


def tested(found: list[Placed]) -> Accuracy | None:
    """Over what was not used to fit; None of fewer than two."""
    pairs = [(one.explanation.seconds, one.case.median_s) for one in found if not one.fitted]
    return accuracy(pairs) if len(pairs) > 1 else None


def predicted_finding(view: View) -> str:
    of = tested(placed(view))
    if of is None:
        return ""
    return say("Times predicted without the card lie within {mean} of the measured ones on "
               "average; their order agrees to {rank}",
               mean=percent(of.mean_error), rank=plain(of.rank_correlation, 3))


def counts_text(view: View) -> str:
    found = placed(view)
    of = tested(found)
    if of is None:
        return ""
    return say("{count} points that were not used to fit the model, {fitted} that were; largest "
               "error {worst}.", count=of.count, fitted=sum(one.fitted for one in found),
               worst=percent(of.worst_error))


def predicted_table(view: View) -> Table:
    """A row per kernel and shape."""
    found = placed(view)
    if not found:
        return empty(view, say("No kernel of it was counted by emulation at a shape that was "
                               "measured, on a card that is described."))
    caption = sentences(predicted_finding(view) + say("."), counts_text(view),
                        say("Predicted from accesses that an emulator counted on a CPU "
                            "(data/emulated), for this card; the star: used to fit the model."))
    table = Table.of(view, caption, (say("Implementation"), say("Shape")),
                     (say("measured"), say("predicted"), say("error"), say("what binds")))
    for one in found:
        time, case = one.explanation.seconds, one.case
        table.rows.append(Row((one.name + (" *" if one.fitted else ""), shape_text(*case.shape)), (
            Cell(duration(case.median_s), case.median_s, unit="s"),
            Cell(duration(time), time, unit="s"),
            Cell(f"{100 * one.error:+.0f} %".replace("-", "−"), one.error),
            Cell(unit_name(one.explanation.prediction.binding)
                 if one.explanation.works else DASH))))
    return table
