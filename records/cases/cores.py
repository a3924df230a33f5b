"""How many cores a machine's processors are worth, and the words for it: the "16 cores" of a cloud
may be hyperthreads of eight.

What a run measured of its host (`host.cores_worth`, `host.smt_pairs`) comes first; of a run that
has not, its ceilings are a witness: multiply-adds on all processors together over those on one
alone. On a shared machine the worth is that of the moment: there the hypervisor moves processors
from core to core, and a neighbour on the other half of each takes it away.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from language import say
from records.names.numbers import counted, plain

from .trust import trusted

Run = dict[str, Any]

HALVED = 0.75  # of the processors' number: at least some of them share cores
WHOLE = 0.9


@dataclass(frozen=True)
class Processors:
    """Those that a run might use."""

    count: int  # 0 where the run does not say
    worth: float | None = None  # in cores; None where it is not known
    # was one found to share its core with another, or does another run of the host speak for it?
    paired: bool = False
    # what they were worth to the runs of the host to which they were worth least and most
    ends: tuple[float, ...] = ()

    @property
    def alone(self) -> Processors:
        """As their own run saw them, where it did: what a point of it ran on."""
        return self if self.worth is None else replace(self, ends=())

    def among(self, others: Iterable[Processors | None]) -> Processors:
        """With the least and the most that they were worth to these runs, too."""
        worths = [one.worth for one in (self, *others) if one and one.worth is not None]
        return replace(self, ends=(min(worths), max(worths))) if worths else self

    @property
    def share_cores(self) -> bool:
        return any(worth < HALVED * self.count for worth in (self.worth, *self.ends)
                   if worth is not None)

    def text(self, used: int = 0) -> str:
        """"16 cores"; "16 processors" where that is not certain; "16 threads (8 cores' worth)"
        where they are not, or "(8 to 15 cores' worth, by run)". Of some of them, `used`, nobody
        knows what they are worth: "4 threads". Empty where the run does not say."""
        used = used or self.count
        if used < 2 or (self.worth is not None and self.worth >= WHOLE * self.count
                        and not self.paired):
            return counted(used, "core") if used else ""
        if not self.share_cores:
            return counted(used, "processor")
        if used < self.count:
            return counted(used, "thread")
        least, most = (plain(worth or 0, 0) for worth in (self.ends or (self.worth, self.worth)))
        if least == most:
            return say("{threads} ({cores} cores' worth)",
                       threads=counted(used, "thread"), cores=most)
        return say("{threads} ({least} to {most} cores' worth, by run)",
                   threads=counted(used, "thread"), least=least, most=most)


def processors_of(run: Run) -> Processors:
    """What the run saw; no cores for certain where another run of the same host saw less
    (`worth_to_runs`, records/loading.py)."""
    host, ends = run.get("host") or {}, run.get("worth_to_runs") or ()
    count = int(host.get("cores") or 0)
    return Processors(count, cores_worth(run), bool(host.get("smt_pairs"))
                      or any(worth < WHOLE * count for worth in ends), ends)


def processors_text(run: Run) -> str:
    """"16 threads (8 cores' worth)" of the run's host: for a run and for no particular point."""
    return processors_of(run).text()


def cores_worth(run: Run) -> float | None:
    """In cores, at most as many as there are processors; as measured, else by the run's ceilings;
    None where neither says."""
    measured = (run.get("host") or {}).get("cores_worth")
    return float(measured) if isinstance(measured, (int, float)) else ceilings_worth(run)


def ceilings_worth(run: Run) -> float | None:
    """The rate of multiply-adds on all processors over that on one, of the widest instructions
    whose two ceilings are trusted."""
    count = int((run.get("host") or {}).get("cores") or 0)
    rates: dict[str, dict[int, float]] = {}
    for entry in run.get("ceilings") or ():
        if (entry.get("device") == "cpu" and entry.get("what") == "fma" and entry.get("value")
                and trusted(entry)):
            rates.setdefault(str(entry.get("level")),
                             {})[int(entry.get("threads") or 0)] = float(entry["value"])
    both = [(of[1], of[count] / of[1]) for of in rates.values() if of.get(1) and of.get(count)]
    return min(max(both)[1], float(count)) if both else None
