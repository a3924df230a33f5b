"""On which card counters were taken: profiling is a run of its own, maybe on another machine than
the times it explains."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from language import say

from .cases.hosts import UUID_SHOWN, cards_of
from .names.numbers import joined


def counted_elsewhere(records: Iterable[dict[str, Any]], run: dict[str, Any]) -> str:
    """A sentence where the `counters` records come from another card than that of the run, which
    holds the times, or do not say from which; empty where they come from the same one, or there are
    none."""
    cards = {str(record.get("gpu_uuid") or "") for record in records}
    others = sorted(cards - {*cards_of(run)[:1], ""})
    told = [say("Counted on another card ({cards}) than the times.",
                cards=joined([uuid[:UUID_SHOWN] for uuid in others]))] if others else []
    told += [say("Counted on a card that the records do not name, maybe another than that of the "
                 "times.")] if "" in cards else []
    return say(" ").join(told)
