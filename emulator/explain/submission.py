"""What the judge asks for: advice, facts and a page of a submission's counts."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from emulator.counts.card import DEFAULT_CARD
from emulator.counts.work import Product
from emulator.model.explanation import explained as explanation_of
from records.names.numbers import duration, percent, plain

from .advice import advice_of
from .compiled import of_listing
from .findings import finding, summary, unit_name
from .neighbours import Neighbours, neighbours
from .page import write_page

PAGE = "explain.html"
NOTHING: dict[str, Any] = {"advice": [], "facts": [], "page": "", "ladder": {}}


def _registers(kernels: list[dict[str, Any]]) -> dict[str, int]:
    return {str(one.get("name")): int(one["registers"]) for one in kernels
            if isinstance(one, dict) and one.get("registers")}


def _table(beside: Neighbours) -> dict[str, Any]:
    """The rungs for verdict.json, whose shapes all have the names of `solve`."""
    shape = {"shape": dict(zip("MNK", beside.product.sides))} if beside.product else {}
    return beside.as_table | shape


def _explained(counts: dict[str, Any], kernels: list[dict[str, Any]], source: Path, folder: Path,
               card: str) -> dict[str, Any]:
    code = counts.pop("card_code", None) or {}  # what the judge's nvcc made of it for the card
    shape = counts.get("shape") or {}
    # as solve names them: rows, inner, columns
    product = Product(int(shape["M"]), int(shape["K"]), int(shape["N"]), as_in_solve=True)
    explanation = explanation_of(counts, product, _registers(code.get("kernels") or kernels), card,
                                 of_listing(code.get("sass") or ""))
    if explanation is None:
        return NOTHING
    beside = neighbours(explanation, source.name, card)
    write_page(explanation, source.name, source, folder / PAGE, beside)
    prediction = explanation.prediction
    facts = [("Time", summary(explanation)),
             ("What binds", finding(explanation, source.name)),
             ("Times by unit", ", ".join(f"{unit_name(unit)} {duration(seconds)}"
                                         for unit, seconds in prediction.parts.items())),
             ("Blocks per SM",
              (f"{prediction.held.blocks} ({percent(prediction.held.occupancy)} occupancy, limited "
               f"by {prediction.held.limit}), {plain(prediction.waves, 2)} waves"))]
    return {"advice": [{"title": one.title, "text": one.text} for one in advice_of(explanation)],
            "facts": facts, "page": PAGE, "ladder": _table(beside)}


def explained(counts: dict[str, Any] | None, kernels: list[dict[str, Any]], source: Path,
              folder: Path, card: str = DEFAULT_CARD) -> dict[str, Any]:
    """{"advice": [{"title", "text"}], "facts": [(what, value)], "page": a file's name in `folder`,
    or empty, "ladder": the rungs beside it as neighbours.py has them}. Raises nothing: a judgement
    must not fail because its explanation does."""
    if not counts:
        return NOTHING
    try:
        return _explained(counts, kernels, source, folder, card)
    except Exception:  # counts come from a process that ran a student's code
        logging.getLogger(__name__).warning("no explanation of %s", source.name, exc_info=True)
        return NOTHING
