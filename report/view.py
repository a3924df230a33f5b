"""What one table or figure looks at: the cases of one machine that its definition picks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Iterable

from .case import Case, disturbed_words
from .ceilings import trusted, with_best_ceilings
from .language import recorded, say, say_or
from .numbers import counted, joined
from .ratios import Ratio, speedup
from .records import Experiment
from .safe import shortened

MOST_TITLE = 300  # letters


@dataclass(frozen=True)
class View:
    """Cases of one machine, with what is needed to draw or tabulate them."""

    experiment: str
    kind: str
    title: str
    cases: tuple[Case, ...]
    run: dict[str, Any]
    baseline: dict[str, Any] | None = None
    reference: bool = False  # the committed records of another machine
    absent: tuple[Case, ...] = ()  # GPU points of a machine without a GPU: left out as a whole
    beside: tuple[Case, ...] = ()  # points of other labels: not shown, but one may be the baseline
    counters: dict[str, dict[str, Any]] = field(default_factory=dict)  # `counters` records by case_id
    looks: dict[str, int] = field(default_factory=dict)  # by name: which of the colours it has throughout the report

    @cached_property
    def machine(self) -> str:
        return machine_name(self.run, gpu=any(case.device == "gpu" and case.shown for case in self.cases))

    @property
    def full_title(self) -> str:
        """The title with the machine that the numbers come from."""
        return say("view.on", title=self.title, machine=self.machine) + (say("view.reference") if self.reference else "")

    @cached_property
    def shown(self) -> list[Case]:
        return [case for case in self.cases if case.shown]

    @cached_property
    def left_out(self) -> list[Case]:
        return [case for case in (*self.cases, *self.absent) if not case.shown]

    def absent_text(self) -> str:
        """"24 GPU points have no number on this machine: unsupported – no CUDA device."; empty where none is absent."""
        if not self.absent:
            return ""
        reasons = sorted({case.why_left_out for case in self.absent})
        more = say("view.more_reasons", count=len(reasons) - 2) if len(reasons) > 2 else ""
        return say("view.absent_one" if len(self.absent) == 1 else "view.absent",
                   points=counted(len(self.absent), "GPU point"),
                   reasons=say("number.semicolon").join(reasons[:2]) + more)

    def left_out_text(self) -> str:
        """"2 of 24 points left out: 1 incorrect, 1 skipped." or "All 24 points shown."."""
        out = self.left_out
        every = len(self.cases) + len(self.absent)
        if not every:
            return say("view.nothing")
        if not out:
            return say("view.all", points=counted(every, "point")) if every > 1 else say("view.one")
        return say("view.left_out", count=f"{len(out):,}", points=counted(every, "point"), why=joined(statuses_text(out)))

    def disturbed_text(self) -> str:
        """"2 of 24 points were measured while other work ran on the same cores, …"; empty where none was."""
        count = sum(case.disturbed for case in self.shown)
        return say("view.disturbed_one" if count == 1 else "view.disturbed", count=f"{count:,}",
                   points=counted(len(self.shown), "point"), how=disturbed_words()) if count else ""

    def one_thread(self, cases: Iterable[Case] | None = None) -> bool:
        """Did all CPU points of the view, or of `cases`, that are shown run on one thread?"""
        cpu = [case for case in (self.cases if cases is None else cases) if case.device == "cpu" and case.shown]
        return bool(cpu) and all(case.threads == 1 for case in cpu)

    def ceiling(self, device: str, cases: Iterable[Case] | None = None) -> tuple[float, str] | None:
        """The measured FMA ceiling of "cpu" or "gpu" (GFLOP/s, what it is): the highest of all instruction sets, and on the
        CPU that of one thread where all of the view's points, or of `cases`, ran on one."""
        found = [entry for entry in self.run.get("ceilings") or () if str(entry.get("device", "")).startswith(device)
                 and entry.get("what") in ("fma", "ffma") and entry.get("unit") == "GFLOP/s" and entry.get("value")]
        if device == "cpu" and self.one_thread(cases):
            found = [entry for entry in found if entry.get("threads") == 1] or found
        if not found:
            return None
        best = max(found, key=lambda entry: entry["value"])
        level = f", {best['level']}" if best.get("level") and device == "cpu" else ""
        threads = f", {counted(best['threads'], 'thread')}" if device == "cpu" and best.get("threads") else ""
        return float(best["value"]), say("view.ceiling", device=device.upper(), level=level, threads=threads) + (
            "" if trusted(best) else say("view.untrusted"))

    @property
    def cores(self) -> int:
        """Cores of the machine that measured; 0 where the record does not say."""
        return int((self.run.get("host") or {}).get("cores") or 0)


def statuses_text(cases: Iterable[Case]) -> list[str]:
    """"1 crashed", "2 skipped" of cases that are not shown."""
    why = Counter(case.status if case.status != "ok" else "" for case in cases)
    named = sorted((status or "not certified", status, count) for status, count in why.items())
    return [say("view.status", count=f"{count:,}", status=recorded(status) if status else say("view.uncertified"))
            for _, status, count in named]


def machine_name(run: dict[str, Any], gpu: bool = True, cpu: bool = True) -> str:
    """The GPU and the CPU by name, as far as the run knows them and they matter."""
    names = [str(run["gpus"][0].get("name"))] if gpu and run.get("gpus") else []
    if cpu and (run.get("host") or {}).get("cpu"):
        names.append(str(run["host"]["cpu"]))
    return " + ".join(names) or str(run.get("machine") or say("view.unnamed"))


def matches(case: Case, wanted: dict[str, Any]) -> bool:
    """Is the case what a baseline such as {"implementation": "cpu.openmp", "threads": 8} asks for?"""
    for key, value in wanted.items():
        own = getattr(case, key) if key in ("implementation", "label", "scope", "cache") else case.parameters.get(key)
        if str(own) != str(value):
            return False
    return True


def _wanted_text(wanted: dict[str, Any]) -> str:
    """"cpu.openmp, threads 8"."""
    return ", ".join(str(value) if key in ("implementation", "label") else f"{key} {value}"
                     for key, value in wanted.items())


class Baselines:
    """Finds the baseline of each case: the one case that matches at the same shape, scope and cache."""

    def __init__(self, view: View) -> None:
        self.problem = ""  # one sentence, where no speedup at all can be formed
        self.wanted = view.baseline or {}
        self.name = _wanted_text(self.wanted)  # its label, where it was measured under one
        self._at: dict[tuple, list[Case]] = {}
        if not self.wanted:
            self.problem = say("view.no_baseline")
            return
        found = [case for case in (*view.cases, *view.beside) if matches(case, self.wanted)]
        for case in found:
            if case.shown:
                self._at.setdefault((case.shape, case.scope, case.cache), []).append(case)
        if len({case.label for case in found}) == 1:
            self.name = found[0].label
        if not found:
            self.problem = say("view.baseline_absent", name=self.name)
        elif not self._at:
            self.problem = say("view.baseline_hidden", name=self.name, why=found[0].why_left_out)
        elif len({(case.implementation, str(sorted(case.parameters.items())), case.label) for case in found}) > 1:
            self.problem = say("view.baseline_many", name=self.name, labels=joined_labels(found))
            self._at = {}

    def of(self, case: Case) -> Case | None:
        """The baseline at the case's shape, of its own run and group if there is one."""
        found = self._at.get((case.shape, case.scope, case.cache))
        if not found:
            return None
        return min(found, key=lambda other: (other.run_id != case.run_id, other.group != case.group, other.regime != case.regime,
                                                other.replica, other.handicap, other.case_id))

    def speedup(self, case: Case) -> Ratio | None:
        """Over the baseline; None where either has no number that may be shown."""
        baseline = self.of(case) if case.shown else None
        return speedup(baseline, case) if baseline else None


def joined_labels(cases: list[Case]) -> str:
    labels = sorted({case.label for case in cases})
    return joined(labels if len(labels) <= 4 else [*labels[:3], say("view.more", count=len(labels) - 3)])


def selected(experiment: Experiment, spec: dict[str, Any]) -> tuple[list[Case], tuple[Case, ...]]:
    """The cases of a table's or figure's group: those of its labels, and the others beside them."""
    group, labels = spec.get("group"), spec.get("labels")
    cases = [case for case in experiment.cases if not group or case.group == group]
    return ([case for case in cases if not labels or case.label in labels],
            tuple(case for case in cases if labels and case.label not in labels))


def no_gpu_text(run: dict[str, Any]) -> str:
    """"This machine has no GPU (built without CUDA)"."""
    why = run.get("gpu_unavailable")
    return say("view.no_gpu_why", why=recorded(why)) if why and isinstance(why, str) else say("view.no_gpu")


def _lacks_gpu(experiment: Experiment, cases: list[Case]) -> bool:
    """Is this a view of GPU points only, on a machine without a GPU?"""
    if experiment.run.get("gpus") or not experiment.run or any(case.device != "gpu" for case in cases):
        return False
    left_out = experiment.definition.get("left_out")
    return bool(cases) or left_out is None or any(
        str(entry.get("implementation", "")).startswith("gpu.") for entry in left_out)


def views(experiment: Experiment, spec: dict[str, Any], reference: Experiment | None) -> list[View]:
    """The views of one table or figure: this machine's, and the reference machine's where GPU points have no number
    here (or were not even tried, in a build without CUDA). Machines are never mixed in one view, so that a CPU-GPU
    speedup comes wholly from one of them. None where there is no GPU and nothing stands in."""
    kind = spec["kind"]
    title = _title(experiment, spec)
    cases, beside = selected(experiment, spec)
    baseline = spec.get("baseline")
    gpu = [case for case in cases if case.device == "gpu"]
    theirs, theirs_beside = selected(reference, spec) if reference is not None else ([], ())
    borrows = not any(case.shown for case in gpu) and any(case.shown and case.device == "gpu" for case in theirs)
    whole = View(experiment.name, kind, title, tuple(cases), with_best_ceilings(experiment.runs), baseline, beside=beside,
                 counters=experiment.counters)
    if not borrows and _lacks_gpu(experiment, cases):
        return []
    if any(case.shown for case in gpu) or not (gpu or borrows):
        return [whole]
    own = [case for case in cases if case.device != "gpu"]
    made = []
    if any(_has_what(kind, case) for case in own):
        made.append(replace(whole, cases=tuple(own), absent=tuple(gpu)))
    if borrows:
        made.append(View(experiment.name, kind, title, tuple(theirs), with_best_ceilings(reference.runs), baseline,
                         reference=True,
                         beside=theirs_beside, counters=reference.counters))
    return made or [whole]


def title_of(experiment: Experiment) -> str:
    """What its definition calls it, in the language in use."""
    return shortened(recorded(str(experiment.definition.get("title") or experiment.name)), MOST_TITLE)


def _title(experiment: Experiment, spec: dict[str, Any]) -> str:
    """"A first look – time against size", or with the definition's own title of the table or figure."""
    name = title_of(experiment)
    own = shortened(recorded(str(spec.get("title") or say_or("kind", spec["kind"]))), MOST_TITLE)
    if own.startswith(name):
        return own
    return say("view.headed", name=name, own=own) if own and own.casefold() != name.casefold() else name


def _has_what(kind: str, case: Case) -> bool:
    """Does a case have what the kind of table or figure is about?"""
    if kind in ("resources", "counters", "ladder_steps"):
        return case.device == "gpu"
    if kind == "first_call":
        return bool(case.first_call_s)
    parameter = {"block_size": "block", "block_heatmap": "block", "thread_scaling": "threads"}.get(kind)
    return parameter is None or parameter in case.parameters


def specs(experiment: Experiment, what: str) -> list[dict[str, Any]]:
    """The definition's "tables" or "figures"; before a table of counters, the one of what they explain."""
    found: list[dict[str, Any]] = []
    for spec in experiment.definition.get(what) or ():
        if isinstance(spec, dict) and spec.get("kind"):
            steps = {name: spec[name] for name in ("group", "labels") if name in spec} | {"kind": "ladder_steps"}
            found += [steps, spec] if spec["kind"] == "counters" else [spec]
    return found
