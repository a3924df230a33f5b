"""What the judge's program is asked about each submission, on what its verdict depends, and which
of them are at work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from threading import Lock
from typing import Any

from analysis.counters.metrics import METRICS, TIME
from emulator.counts.card import load_card

from .options import Options
from .program import HandIn, JudgeBroke

COUNTED = ("dram_read_bytes", "dram_write_bytes", "l2_bytes", "global_load_sectors_per_request",
           "global_store_sectors_per_request", "shared_load_bank_conflicts",
           "shared_store_bank_conflicts", "occupancy", "fma_pipe", "instructions")


def metrics() -> dict[str, Any]:
    """What is asked of ncu, as `gemmlab profile` asks it."""
    return {"time": TIME, "rows": [asdict(metric) for metric in METRICS if metric.name in COUNTED]}


class Asking:
    """Of one call of the command. `known`: facts of the program; `seed`: of all inputs; `alone`: a
    single file, not a class."""

    def __init__(self, options: Options, known: dict[str, Any], seed: int, alone: bool) -> None:
        self._options, self._known, self._seed, self._alone = options, known, seed, alone
        self._at_work: set[HandIn] = set()
        self._stopping = False
        self._lock = Lock()

    def circumstances(self, submission: dict[str, Any]) -> dict[str, Any]:
        """The same again need not be judged again."""
        options, rule = self._options, self._known["rule"]
        random = rule["random_shapes"] if options.random_shapes is None else options.random_shapes
        return {"sha256": submission["sha256"], "program": self._known["program"],
                "machine": self._known["machine"],
                "rule": {"file": rule["file"], "sha256": rule["sha256"]}, "seed": self._seed,
                "options": {"random_shapes": random, "timing": not options.no_timing,
                            "alone": self._alone, "sanitize": options.sanitize,
                            "counters": options.counters, "emulate": options.emulate,
                            "like": options.like}}

    def request(self, device: str) -> dict[str, Any]:
        """What every request to judge holds."""
        options = {"random_shapes": 0, "sanitize": False, "counters": False, "emulate": False,
                   "timing": True, "alone": self._alone, "like": self._options.like}
        return {"rule": self._known["rule"]["path"], "seed": self._seed,
                "inputs_key": self._options.inputs_key, "options": options, "device": device,
                "without_isolation": self._options.without_isolation,
                "predicted_on": load_card().compute_capability,
                "worker": self._known["worker"]}

    def hand_in(self, submission: dict[str, Any]) -> HandIn:
        """Begins to compile it. Raises JudgeBroke where all have been ended."""
        request = self.request(submission["device"]) | {"file": submission["path"]}
        if self._options.counters:
            request["metrics"] = metrics()
        with self._lock:
            if self._stopping:
                raise JudgeBroke("stopped")
            made = HandIn(request | {"options": self.circumstances(submission)["options"]})
            self._at_work.add(made)
        return made

    @contextmanager
    def one(self, submission: dict[str, Any]) -> Iterator[HandIn]:
        made = self.hand_in(submission)
        try:
            yield made
        finally:
            self.end(made)

    def end(self, hand_in: HandIn) -> None:
        hand_in.end()
        with self._lock:
            self._at_work.discard(hand_in)

    def end_all(self) -> None:
        """What is at work, and what would begin."""
        with self._lock:
            self._stopping = True
            left = list(self._at_work)
        for hand_in in left:
            hand_in.end()
