"""The finding of FP32's accuracy from split operands beside the libraries' plain FP32: what a matrix unit buys."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..heads import Head, faster
from ..language import say
from ..naming import bare_name
from ..operations import by_volume, is_square, shape_text
from ..peers import Peer, peers_of, said
from ..view import View


def split_finding(view: View, wanted: list[dict[str, Any]]) -> Head | None:
    """"matrix unit is 1.55 times as fast as the fastest library at 4096", and each of its lines. None but where split
    operands are set beside one strict implementation of ours, the baseline of the tables of times."""
    timed = [spec for spec in wanted if spec["kind"] == "speedup"]
    groups = {spec.get("group") for spec in timed}
    cases = tuple(case for case in view.cases if case.group in groups)
    strict = {case.implementation for case in cases if not case.library and case.precision == "fp32"}
    bases = {(spec.get("baseline") or {}).get("implementation") for spec in timed}
    if len(strict) != 1 or bases != strict:
        return None
    lines = [peer for peer in peers_of(replace(view, cases=cases)) if peer.series.first.precision == "fp32-split"]
    if not lines:
        return None
    widest = max(lines, key=lambda peer: (peer.series.first.threads, len(peer.duels)))
    text = say("{name} is {compared} at {shape}", name=bare_name(widest.series.first),
               compared=faster(_largest(widest).ratio, say("the fastest library")), shape=shape_text(*_largest(widest).case.shape))
    return Head(text, tuple(f"{said(peer)}." for peer in lines))


def _largest(peer: Peer):
    """Of the squares, where there are any."""
    squares = [duel for duel in peer.duels if is_square(duel.case.shape)]
    return max(squares or peer.duels, key=lambda duel: by_volume(duel.case.shape))
