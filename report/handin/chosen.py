"""Which figures a hand-in shows: of each subject one, this machine's own, or where it has no GPU the reference machine's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..experiment import Experiment, Results
from ..safe import file_name
from ..view import View
from ..wanted import specs, views

Job = tuple[View, str]  # what is drawn, and the stem of its files


@dataclass(frozen=True)
class Subject:
    """What a part of the hand-in is about. The experiments named are looked into first, in that order."""

    name: str
    device: str
    kinds: tuple[str, ...]  # of figures
    experiments: tuple[str, ...]


BLOCK = Subject("block", "gpu", ("block_size",), ("block_size",))
THREADS = Subject("threads", "cpu", ("thread_scaling",), ("thread_scaling",))
LADDER = Subject("ladder", "gpu", ("ladder_bars", "speedup_bars"), ("gpu_ladder", "quick"))
CPU_LADDER = Subject("cpu-ladder", "cpu", ("ladder_bars", "speedup_bars"), ("cpu_ladder", "cpu_loops", "quick"))
SUBJECTS = (BLOCK, THREADS, LADDER, CPU_LADDER)
BORROWED = ("cpu_vs_gpu", *BLOCK.experiments, LADDER.experiments[0])  # of the reference machine, where there is no GPU


def lacks_gpu(results: Results) -> bool:
    """Has none of its runs seen a GPU?"""
    return not any(run.get("gpus") for run in results.runs)


def wanted_of_reference(results: Results) -> set[str]:
    """The experiments whose reference records are needed."""
    return {one.name for one in results.experiments} | (set(BORROWED) if lacks_gpu(results) else set())


def borrowed(results: Results, reference: Results | None) -> list[Job]:
    """The figures of the reference machine on GPU subjects that this machine, without a GPU, has no experiment of."""
    if reference is None or not lacks_gpu(results):
        return []
    own = {one.name for one in results.experiments}
    made = []
    for subject in SUBJECTS:
        for theirs in reference.experiments:
            if subject.device == "gpu" and theirs.name in subject.experiments and theirs.name not in own:
                made += _figures_of(theirs, subject)
    return made


def _figures_of(theirs: Experiment, subject: Subject) -> list[Job]:
    """The first figure of the subject that the experiment defines."""
    for spec in specs(theirs, "figures"):
        for view in views(theirs, spec, None):
            if is_of(view, subject):
                return [(replace(view, reference=True), f"{file_name(theirs.name)}-{file_name(view.kind)}-reference")]
    return []


def is_of(view: View, subject: Subject) -> bool:
    """Does it show points of the subject's device in one of its kinds?"""
    return view.kind in subject.kinds and any(case.device == subject.device for case in view.shown)


def figure_of(jobs: Iterable[Job], subject: Subject) -> Job | None:
    """The one that stands for the subject: of the experiment named first, this machine's own before the reference's."""
    known = [job for job in jobs if is_of(job[0], subject)]
    places = {name: place for place, name in enumerate(subject.experiments)}
    return min(known, key=lambda job: (job[0].reference, places.get(job[0].experiment, len(places)), job[1]), default=None)
