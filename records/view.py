"""What one table or figure looks at: the cases of one machine that its definition picks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from typing import Any

from files.safe import shortened
from language import current, recorded, say

from .cases.case import Case, disturbed_words
from .cases.ceilings import trusted, with_best_ceilings
from .cases.experiment import Experiment
from .cases.hosts import host_of
from .cases.where import conditions_text
from .names.numbers import counted, joined

MOST_TITLE = 300  # letters
ENERGY = "energy"  # the kind whose readings are of calls without a pause, beside the timed ones


@dataclass(frozen=True)
class View:
    """Cases of one host, with what is needed to draw or tabulate them."""

    experiment: str
    kind: str
    title: str
    cases: tuple[Case, ...]
    run: dict[str, Any]
    baseline: dict[str, Any] | None = None
    reference: bool = False  # the committed records of another machine
    absent: tuple[Case, ...] = ()  # GPU points of a machine without a GPU: left out as a whole
    beside: tuple[Case, ...] = ()  # points of other labels: not shown, but one may be the baseline
    # `counters` records by case_id
    counters: dict[str, dict[str, Any]] = field(default_factory=dict)
    # those of all experiments of the records, of points that are shown
    counted: tuple[dict[str, Any], ...] = ()
    # the points that are shown of all experiments of the records and of every host
    everywhere: tuple[Case, ...] = ()
    compact: bool = False  # a figure of the first screen: what answers the question alone
    narrow: bool = False  # a figure for a phone
    host: str = ""  # whose numbers these are: a view never mixes hosts
    unlike_twins: int = 0  # points of the experiment that chose other code the second time

    @cached_property
    def machine(self) -> str:
        return machine_name(self.run,
                            gpu=any(case.device == "gpu" and case.shown for case in self.cases))

    @property
    def full_title(self) -> str:
        """The title with the machine that the numbers come from."""
        return say("{title}, on {machine}", title=self.title,
                   machine=self.machine) + (say(" (reference machine)") if self.reference else "")

    @cached_property
    def conditions(self) -> str:
        """"Host 1a2b3c4d, 1 to 16 of 16 cores; scope kernel; cold cache; bursts."."""
        return conditions_text(self.shown, self.host, self.cores, self.kind != ENERGY)

    @cached_property
    def shown(self) -> list[Case]:
        return [case for case in self.cases if case.shown]

    @cached_property
    def left_out(self) -> list[Case]:
        return [case for case in (*self.cases, *self.absent) if not case.shown]

    def absent_text(self) -> str:
        """"24 GPU points have no number on this machine: unsupported – no CUDA device."; empty
        where none is absent."""
        if not self.absent:
            return ""
        reasons = sorted({case.why_left_out for case in self.absent})
        more = say(" and {count} more reasons", count=len(reasons) - 2) if len(reasons) > 2 else ""
        return say("{points} has no number on this machine: {reasons}." if len(self.absent) == 1
                   else "{points} have no number on this machine: {reasons}.",
                   points=counted(len(self.absent), "GPU point"),
                   reasons=say("; ").join(reasons[:2]) + more)

    def left_out_text(self) -> str:
        """"2 of 24 points left out: 1 incorrect, 1 skipped." or "All 24 points shown."."""
        out = self.left_out
        every = len(self.cases) + len(self.absent)
        if not every:
            return say("No such point was measured.")
        if not out:
            return say("All {points} shown.", points=counted(every, "point")) if every > 1 else say(
                "1 point shown.")
        return say("{count} of {points} left out: {why}.", count=f"{len(out):,}",
                   points=counted(every, "point"), why=joined(statuses_text(out)))

    def disturbed_text(self) -> str:
        """"2 of 24 points were measured while other work ran on the same cores, …"; empty where
        none was."""
        count = sum(case.disturbed for case in self.shown)
        return say("{count} of {points} was {how}." if count == 1
                   else "{count} of {points} were {how}.", count=f"{count:,}",
                   points=counted(len(self.shown), "point"), how=disturbed_words()) if count else ""

    def throttled_text(self) -> str:
        """"2 of 24 points were measured while the card held its clock down."; empty where none
        was."""
        count = sum(bool(case.throttled) for case in self.shown)
        return say("{count} of {points} was {how}." if count == 1
                   else "{count} of {points} were {how}.", count=f"{count:,}",
                   points=counted(len(self.shown), "point"),
                   how=say("measured while the card held its clock down")) if count else ""

    def one_thread(self, cases: Iterable[Case] | None = None) -> bool:
        """Did all CPU points of the view, or of `cases`, that are shown run on one thread?"""
        cpu = [case for case in (self.cases if cases is None else cases)
               if case.device == "cpu" and case.shown]
        return bool(cpu) and all(case.threads == 1 for case in cpu)

    def ceiling(self, device: str, cases: Iterable[Case] | None = None) -> tuple[float, str] | None:
        """The measured FMA ceiling of "cpu" or "gpu" (GFLOP/s, what it is): the highest of all
        instruction sets, and on the CPU that of one thread where all of the view's points, or of
        `cases`, ran on one."""
        return self._ceiling(device, ("fma", "ffma"), "GFLOP/s",
                             "measured {device} FMA ceiling{level}{threads}", cases)

    def memory_roof(self, device: str,
                    cases: Iterable[Case] | None = None) -> tuple[float, str] | None:
        """The same of reading from DRAM, in GB/s."""
        return self._ceiling(device, ("memory_read",), "GB/s",
                             "measured {device} memory roof{level}{threads}", cases)

    def _ceiling(self, device: str, what: tuple[str, ...], unit: str, said: str,
                 cases: Iterable[Case] | None) -> tuple[float, str] | None:
        found = [entry for entry in self.run.get("ceilings") or ()
                 if str(entry.get("device", "")).startswith(device) and entry.get("what") in what
                 and entry.get("unit") == unit and entry.get("value")
                 and (unit == "GFLOP/s" or entry.get("level") in ("dram", None))]
        if device == "cpu" and self.one_thread(cases):
            found = [entry for entry in found if entry.get("threads") == 1] or found
        if not found:
            return None
        best = max(found, key=lambda entry: entry["value"])
        level = (f", {best['level']}" if best.get("level") not in (None, "", "dram")
                 and device == "cpu" else "")
        threads = (f", {counted(best['threads'], 'thread')}" if device == "cpu"
                   and best.get("threads") else "")
        return float(best["value"]), say(said, device=device.upper(),
                                         level=level, threads=threads) + (
                                             "" if trusted(best) else say(" (not trusted)"))

    @property
    def cores(self) -> int:
        """Cores of the machine that measured; 0 where the record does not say."""
        return int((self.run.get("host") or {}).get("cores") or 0)


def cases_of(view: View, spec: dict[str, Any]) -> tuple[Case, ...]:
    """Those of the group and the lines that a table or figure is of, or all."""
    labels = spec.get("labels")
    return tuple(case for case in view.cases if spec.get("group") in (None, case.group)
                 and (not labels or case.label in labels))


def once(told: Callable[[View], str]) -> Callable[[View], str]:
    """Forms the text of a view once: a figure's title, its description and its section ask for the
    same."""
    @wraps(told)
    def remembered(view: View) -> str:
        # as cached_property does: the view is frozen, and what follows from it
        known = vars(view).setdefault("_told", {})
        key = told.__qualname__, current()
        if key not in known:
            known[key] = told(view)
        return known[key]

    return remembered


def statuses_text(cases: Iterable[Case]) -> list[str]:
    """"1 crashed", "2 skipped" of cases that are not shown."""
    why = Counter(case.status if case.status != "ok" else "" for case in cases)
    named = sorted((status or "not certified", status, count) for status, count in why.items())
    return [say("{count} {status}", count=f"{count:,}", status=recorded(status) if status
                else say("not certified"))
            for _, status, count in named]


def machine_name(run: dict[str, Any], gpu: bool = True, cpu: bool = True) -> str:
    """The GPU and the CPU by name, as far as the run knows them and they matter."""
    names = [str(run["gpus"][0].get("name"))] if gpu and run.get("gpus") else []
    if cpu and (run.get("host") or {}).get("cpu"):
        names.append(str(run["host"]["cpu"]))
    return " + ".join(names) or str(run.get("machine") or say("unnamed machine"))


def no_gpu_text(run: dict[str, Any]) -> str:
    """"This machine has no GPU (built without CUDA)"."""
    why = run.get("gpu_unavailable")
    return say("This machine has no GPU ({why})", why=recorded(why)) if why and isinstance(why,
        str) else say("This machine has no GPU")


def by_host(view: View, runs: list[dict[str, Any]]) -> list[View]:
    """A view for each host that has a number in it, of the latest run first; points without a
    number stand in the first. Where an experiment was measured partly on one host and partly on
    another, each has its own tables, figures and sentences."""
    order = list(dict.fromkeys(host_of(run) for run in reversed(runs)))
    there = {case.host for case in view.shown}
    hosts = [host for host in order if host in there] + sorted(there - set(order))
    if len(hosts) < 2:
        host = hosts[0] if hosts else order[0] if order else ""
        beside = tuple(case for case in view.beside if case.host == host or not case.shown)
        return [replace(view, host=host, beside=beside,
                        run=with_best_ceilings(runs, host) or view.run)]

    def of(cases: tuple[Case, ...], host: str) -> tuple[Case, ...]:
        return tuple(case for case in cases if case.host == host
                     or (host == hosts[0] and not case.shown and case.host not in there))

    return [replace(view, cases=of(view.cases, host), beside=of(view.beside, host), host=host,
                    absent=view.absent if host == hosts[0] else (),
                    run=with_best_ceilings(runs, host)) for host in hosts]


def title_of(experiment: Experiment) -> str:
    """What its definition calls it, in the language in use."""
    return shortened(recorded(str(experiment.definition.get("title") or experiment.name)),
                     MOST_TITLE)
