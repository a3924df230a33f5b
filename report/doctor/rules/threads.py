"""Rules on threads: did they run, on cores of their own, and did they bring anything?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import ceil

from language import say
from records.cases.case import Case
from records.cases.ratios import Ratio, speedup
from records.names.numbers import counted, with_interval
from records.schema.operations import shape_text, volume

from .finding import NOTE, PROBLEM, Finding, and_more, note, point_text, problem
from .look import Look

LEAST_GAIN = 1.1  # times faster on two threads or more
CLEAR_GAIN = 1.5
ENOUGH_WORK_S = 1e-3  # starting a team of threads costs some 10 µs
ENOUGH_FLOP = 1e8  # what chooses its threads rightly keeps to fewer below that


def _rest(case: Case) -> tuple:
    """All that threads are compared within: the other parameters, and the host."""
    return case.host, *sorted((name, str(value)) for name, value in case.parameters.items()
                              if name != "threads")


def _baselines(look: Look) -> dict[tuple, dict[str, Case]]:
    """What threads are held against, by what it computes and by group: an implementation on one
    thread, and one that knows no threads but takes the same other parameters."""
    found: dict[tuple, dict[str, Case]] = defaultdict(dict)
    for case in look.plain:
        if case.device != "cpu" or case.median_s < ENOUGH_WORK_S:
            continue
        threads = case.parameters.get("threads")
        if threads is None and not case.library:
            found["", _rest(case), case.shape, case.regime][case.group] = case
        elif threads == 1:
            found[case.implementation, _rest(case), case.shape, case.regime][case.group] = case
    return found


def _of_group(by_group: dict[str, Case], group: str) -> Case:
    """Of one's own group, where rounds were shared, else of the last."""
    return by_group.get(group) or next(reversed(by_group.values()))


def threads_bring_nothing(look: Look) -> Iterator[Finding]:
    """On 2 threads or more, at most as many as there are cores, no more than LEAST_GAIN times as
    fast as on one."""
    baselines = _baselines(look)
    compared: dict[str, int] = defaultdict(int)
    idle: dict[str, list[tuple[Ratio, Case, Case]]] = defaultdict(list)
    for case in look.plain:
        threads = look.threads_of(case)
        if not 2 <= threads <= look.cores.get(case.run_id, 0):
            continue
        where = (_rest(case), case.shape, case.regime)
        for by_group in filter(None, (baselines.get((name, *where))
                                      for name in (case.implementation, ""))):
            baseline = _of_group(by_group, case.group)
            compared[case.implementation] += 1
            # spares the interval, which takes far longer
            if baseline.median_s > CLEAR_GAIN * case.median_s:
                continue
            ratio = speedup(baseline, case)
            if ratio.value <= LEAST_GAIN and (ratio.low is None or ratio.low <= LEAST_GAIN):
                idle[case.implementation].append((ratio, case, baseline))
    for implementation, found in sorted(idle.items()):
        ratio, case, baseline = min(found, key=lambda entry: entry[0].value)
        against = say("one thread") if baseline.implementation == implementation else baseline.name
        yield Finding(
            PROBLEM if 2 * len(found) >= compared[implementation] else NOTE,
            "threads-bring-nothing",
            say("{implementation} on {threads} threads is {value} times as fast as {against} at "
                "{shape}; so it is in {count} of {all} comparisons.",
                implementation=implementation, threads=look.threads_of(case),
                against=against, value=with_interval(ratio.value, ratio.low, ratio.high),
                shape=shape_text(*case.shape), count=len(found), all=compared[implementation]),
            say("See that the code is compiled and linked with OpenMP (-fopenmp), that the "
                "parallel region holds the outer loop, and that other programs do not take the "
                "cores (`nproc`, `top`)."))


def threads_did_not_run(look: Look) -> Iterator[Finding]:
    """Fewer threads took part than were asked for, though there are cores for all. Where as many
    ran at other shapes, fewer for little work is a choice; where an implementation says what it
    chose (blocks fitted to the shape), so is fewer at any shape or for little work alone. Where
    rows of blocks are shared out and there are fewer than threads, so many suffice. A library that
    takes fewer where others of the run took all does so by itself: a note."""
    able = {(case.implementation, look.threads_of(case)) for case in look.shown
            if case.threads_actual >= look.threads_of(case)}
    others = {(case.run_id, look.threads_of(case)) for case in look.shown
              if case.threads_actual >= look.threads_of(case)}
    missing: dict[str, list[Case]] = defaultdict(list)
    for case in look.shown:
        asked = look.threads_of(case)
        if not 0 < case.threads_actual < asked <= look.cores.get(case.run_id, 0):
            continue
        if (case.parameters.get("block")
                and case.threads_actual >= ceil(case.shape[0] / case.parameters["block"])):
            continue
        little, as_many = 2.0 * volume(case.shape) < ENOUGH_FLOP, (case.implementation,
                                                                   asked) in able
        if sum((little, as_many, bool(case.chosen))) < 2:
            missing[case.implementation].append(case)
    for implementation, cases in sorted(missing.items()):
        worst = min(cases, key=lambda case: case.threads_actual / look.threads_of(case))
        told = {"implementation": implementation, "threads": look.threads_of(worst),
                "actual": worst.threads_actual, "point": point_text(worst), "more": and_more(cases)}
        if worst.library and all((case.run_id, look.threads_of(case)) in others for case in cases):
            yield note("threads-did-not-run",
                       say("{implementation} was offered {threads} threads and took {actual} "
                           "({point}{more}); others of the same run took all, so it is the "
                           "library's own choice.", **told),
                       say("Say so where you compare with it; a newer version, or one built for "
                           "OpenMP, may use threads here."))
        else:
            yield problem("threads-did-not-run", say(
                "{implementation} was asked for {threads} threads and ran on {actual} "
                "({point}{more}).", **told), say("Look for OMP_THREAD_LIMIT, OMP_DYNAMIC or a "
                                                 "library's own limit in the environment, and for "
                                                 "a build without OpenMP."))


def threads_share_cores(look: Look) -> Iterator[Finding]:
    """Two threads took turns on one core while others stood idle. Of more threads than cores that
    says nothing: they move."""
    shared: list[Case] = []
    for case in look.shown:
        if case.crowded:
            continue
        threads = min(case.threads_actual or look.threads_of(case), look.cores.get(case.run_id, 0))
        if case.cores and len(set(case.cores)) < threads:
            shared.append(case)
    if shared:
        worst = min(shared, key=lambda case: len(set(case.cores)) / (case.threads_actual
                                                                     or look.threads_of(case)))
        threads = worst.threads_actual or look.threads_of(worst)
        yield problem("threads-share-cores",
                      say("{threads} shared {cores} of {all} ({point}{more}).",
                          threads=counted(threads, "thread"),
                          cores=counted(len(set(worst.cores)), "core"),
                          all=look.cores[worst.run_id],
                          point=point_text(worst), more=and_more(shared)), say(
                              "Remove GOMP_CPU_AFFINITY, OMP_PLACES and `taskset`; where threads "
                              "are not pinned, set OMP_PROC_BIND=spread."))


def more_threads_than_cores(look: Look) -> Iterator[Finding]:
    """They take turns, and each waits at the end for the last."""
    many = [case for case in look.shown
            if look.threads_of(case) > look.cores.get(case.run_id, 1 << 30)]
    if many:
        worst = max(many, key=look.threads_of)
        yield note("more-threads-than-cores",
                   say("{points} used more threads than the {cores} (up to {most}).",
                       points=counted(len(many), "point"), most=look.threads_of(worst),
                       cores=counted(look.cores[worst.run_id], "core")), say(
                           "Read those points as a test of too many threads; for speed ask for at "
                           "most as many as there are cores."))


def threads_not_pinned(look: Look) -> Iterator[Finding]:
    """The system may move threads while they are timed."""
    loose = [case for case in look.shown if case.pinned is False and case.threads_actual >= 2]
    if loose:
        yield note("threads-not-pinned",
                   say("{points} ran on threads that were not pinned to cores ({point}{more}).",
                       points=counted(len(loose), "point"), point=point_text(loose[0]),
                       more=and_more(loose)), say("Expect more spread; set OMP_PROC_BIND=true "
                                                  "where the library heeds it, and allow the "
                                                  "process to set its affinity."))


RULES = (threads_bring_nothing, threads_did_not_run, threads_share_cores, more_threads_than_cores,
         threads_not_pinned)
