"""Other cards, by the ladders that others published for them (data/published): errors of the model
there, where nothing was fitted. None where the satellite that holds those ladders is away."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from commands.satellites import offered
from emulator.counts.card import card_keys, load_card
from emulator.counts.work import Product

from .ladder import Accuracy, Key, accuracy, key_of, points

GPU = "gpu."
# Rows that are one thing said twice, or no time of one kernel.
_UNITS = {"ms": 1e-3, "us": 1e-6, "s": 1.0}


@dataclass(frozen=True)
class Published:
    """A published time of a kernel for which one of ours stands, on a card that is described."""

    source: str
    name: str
    card: str
    implementation: str
    parameters: dict[str, int | str]
    product: Product
    seconds: float

    @property
    def key(self) -> Key:
        return key_of(self.implementation, self.parameters, self.product)


def _card_of(device: str) -> str:
    """"Tesla T4" and "RTX 3090" are keys of cards; empty where none is."""
    words = re.sub(r"[^a-z0-9]", "", device.lower().replace("tesla", "").replace("nvidia", ""))
    return words if words in card_keys() else ""


def _seconds(figure: Any) -> float | None:
    if figure.metric == "time":
        return figure.value * _UNITS[figure.unit]
    if figure.metric == "throughput" and figure.unit == "GFLOP/s":
        return 2 * figure.m * figure.n * figure.k / figure.value / 1e9
    return None


def _parameters(text: str, figure: Any) -> dict[str, int | str]:
    pairs = (one.split("=")
             for one in text.format(block=figure.block, threads=figure.threads).split())
    return {name: int(value) if value.isdecimal() else value for name, value in pairs}


def published() -> list[Published]:
    """Each kernel, card and shape once, by its first row."""
    made: dict[tuple, Published] = {}
    books = [book() for book in offered("book").values()]
    for read, figure in [(book, figure) for book in books for figure in book.figures]:
        ours, card, seconds = (read.ours(figure.source, figure.table, figure.implementation),
                               _card_of(figure.device), _seconds(figure))
        if (ours is None or not ours.id.startswith(GPU) or not card or seconds is None
                or "cublas" in ours.id):
            continue
        one = Published(figure.source, figure.implementation, card,
                        ours.id, _parameters(ours.parameters, figure),
                        Product(figure.m, figure.n, figure.k), seconds)
        made.setdefault((figure.source, card, one.key), one)
    return list(made.values())


def predicted() -> list[tuple[Published, float]]:
    """With the model's seconds, of those whose counts are committed; registers are the H200's
    compiler's, where it said them."""
    known = {point.key: point for point in points()}
    return [(one, found.seconds) for one in published()
            if one.key in known and (found := known[one.key].explanation(one.card))]


def accuracies() -> dict[tuple[str, str], Accuracy]:
    """By source and card."""
    groups: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for one, seconds in predicted():
        groups.setdefault((one.source, load_card(one.card).name), []).append((seconds, one.seconds))
    return {key: accuracy(pairs) for key, pairs in groups.items() if len(pairs) > 1}
