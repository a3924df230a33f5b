"""Hardware counters of profiled points, and on which card they were taken: profiling is a run of
its own, maybe on another machine than the times that it explains."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from language import say
from records.cases.case import Case
from records.cases.hosts import UUID_SHOWN, cards_of
from records.cases.series import series_of
from records.names.numbers import joined
from records.view import View

Metrics = dict[str, float]


def summed(*names: str) -> Callable[[Metrics], float | None]:
    """The sum of these metrics; None where one was not counted."""
    return lambda metrics: (None if any(name not in metrics for name in names)
                            else sum(metrics[name] for name in names))


def conflicts(metrics: Metrics) -> float | None:
    """Bank conflicts of loads and stores for 1,000 warp instructions."""
    total, instructions = (summed("shared_load_bank_conflicts",
                                  "shared_store_bank_conflicts")(metrics),
                           metrics.get("instructions"))
    return 1000 * total / instructions if total is not None and instructions else None


def metrics_of(record: dict[str, Any]) -> Metrics:
    """name -> value of a `counters` record; what is not a number is left out."""
    return {name: float(entry["value"]) for name, entry in (record.get("metrics") or {}).items()
            if isinstance(entry, dict) and isinstance(entry.get("value"), (int, float))}


def profiled(view: View) -> list[tuple[str, Case, Metrics]]:
    """(name, case, metrics) of each shown case that was profiled, in the order of the ladder, small
    shapes first."""
    known = [case for case in view.shown if case.case_id in view.counters]
    return [(series.name, case, metrics_of(view.counters[case.case_id]))
            for series in series_of(known) for case in series.cases]


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
