"""Rules on the clock: throttling, slow first calls, numbers above a ceiling, and how noisy the machine was."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from statistics import median

from ..case import MOST_OF_CEILING, Case
from ..ceilings import trusted
from ..numbers import counted, joined, percent, plain, time_unit
from .finding import NOTE, PROBLEM, Finding, and_more, note, point_text, problem
from .look import Look

LOW_CLOCK = 0.85  # of the card's highest
SLOW_FIRST = 5.0  # times the median
MOST_NOISE = 0.02
WIDE = 0.05  # half the 95 % interval, over the median
MANY = 0.2  # of an experiment's points


def _time(seconds: float) -> str:
    scale, name = time_unit(seconds)
    return f"{plain(seconds / scale)} {name}"


def throttled(look: Look) -> Iterator[Finding]:
    """The device slowed itself down while a point was timed, or did so the first time."""
    slow = [case for case in look.shown if case.throttled]
    again = [case for case in look.shown if case.remeasured and not case.throttled]
    if slow:
        reasons = sorted({reason for case in slow for reason in case.throttle_reasons})
        why = f" ({joined(reasons)})" if reasons else ""
        yield problem("throttled", f"{counted(len(slow), 'point')} ran while the device was throttled{why}: "
                                   f"{point_text(slow[0])}{and_more(slow)}.",
                      "Cool the card or raise its power limit (`nvidia-smi -q -d PERFORMANCE,POWER`), let it rest, and "
                      "measure again with --fresh.")
    if again:
        yield note("throttled", f"{counted(len(again), 'point')} had to be measured again after throttling "
                                f"({point_text(again[0])}{and_more(again)}).",
                   "The second numbers stand; a cooler or idler device would not need them.")


def low_clock(look: Look) -> Iterator[Finding]:
    """Median SM clock far below the card's highest, whether or not the driver calls it throttling."""
    highest = {}
    for run_id, run in look.run_of.items():
        gpus = run.get("gpus") or [{}]
        highest[run_id] = (gpus[0].get("clocks") or {}).get("sm_mhz") or 0
    low = [case for case in look.shown if case.clock_mhz and case.device == "gpu"
           and case.clock_mhz < LOW_CLOCK * highest.get(case.run_id, 0)]
    if low:
        worst = min(low, key=lambda case: case.clock_mhz)
        yield note("low-clock", f"The SM clock was {plain(worst.clock_mhz, 0)} MHz of at most "
                                f"{plain(highest[worst.run_id], 0)} MHz ({point_text(worst)}{and_more(low)}).",
                   "See `nvidia-smi -q -d CLOCK,POWER` for a power limit or locked clocks; compare with other cards by the "
                   "share of the ceiling, which was measured at the same clock.")


def first_call(look: Look) -> Iterator[Finding]:
    """The first multiplication of a fresh process against the steady state, and where its time goes."""
    slow: dict[str, list[tuple[float, float, Case]]] = defaultdict(list)
    for case in look.shown:
        if case.scope == "first-call" and case.steady_s and case.samples_s:
            first, steady = median(case.samples_s), median(case.steady_s)
            if steady > 0 and first > SLOW_FIRST * steady:
                slow[case.device].append((first, steady, case))
    for device, found in sorted(slow.items()):
        first, steady, case = max(found, key=lambda entry: entry[0] / entry[1])
        phases = {name: median(values) for name, values in case.first_call_s.items() if values}
        most = max(phases, key=phases.get, default="")
        share = f", {_time(phases[most])} of it for {most.replace('_', ' ')}" if most else ""
        yield note("first-call", f"On the {device.upper()} the first multiplication of a process takes {_time(first)}{share}: "
                                 f"{plain(first / steady)} times a later one ({point_text(case)}"
                                 f"{and_more([entry[2] for entry in found])}).",
                   "Warm up before timing, or report the first call by itself; never mean it with the others.")


def cold_start(look: Look) -> Iterator[Finding]:
    """The first timed sample stands alone far above the rest: it holds something that later ones do not."""
    counts: dict[str, int] = defaultdict(int)
    slow: dict[str, list[Case]] = defaultdict(list)
    for case in look.shown:
        if case.scope == "first-call" or len(case.samples_s) < 3:
            continue
        counts[case.implementation] += 1
        if case.samples_s[0] > SLOW_FIRST * case.median_s and case.samples_s[0] > 2 * max(case.samples_s[1:]):
            slow[case.implementation].append(case)
    for implementation, cases in sorted(slow.items()):
        worst = max(cases, key=lambda case: case.samples_s[0] / case.median_s)
        often = len(cases) > MANY * counts[implementation]
        yield Finding(PROBLEM if often else NOTE, "cold-start",
                      f"{implementation}'s first sample took {plain(worst.samples_s[0] / worst.median_s)} times the median "
                      f"({point_text(worst)}{and_more(cases)}, of {counts[implementation]}).",
                      "Do once-only work (handles, allocation, threads, page faults) before timing; the median is not moved "
                      "by it, a mean would be.")


def above_ceiling(look: Look) -> Iterator[Finding]:
    """Faster than the machine can be: one of the two measurements is broken."""
    above = [case for case in look.shown if case.above_ceiling]
    if above:
        worst = max(above, key=lambda case: case.of_ceiling)
        yield problem("above-ceiling",
                      f"{point_text(worst)} reached {plain(100 * worst.of_ceiling, 0)} % of the {worst.bound_by or 'measured'} "
                      f"ceiling; {counted(len(above), 'point')} reached more than {plain(100 * MOST_OF_CEILING, 0)} %.",
                      "Do not use these shares: see that the timed call does all the work and is waited for, and that the "
                      "ceiling was not measured on a busy or throttled machine; then measure again with --fresh.")


def untrusted_ceiling(look: Look) -> Iterator[Finding]:
    """A ceiling whose self-check failed: twice the work did not take twice the time."""
    for run in look.runs:
        bad = [entry for entry in run.get("ceilings") or () if not trusted(entry)]
        if bad:
            names = [" ".join(filter(None, (str(entry.get("device", "")).upper(), str(entry.get("what", "")).replace("_", " "),
                                            str(entry.get("level") or ""),
                                            counted(entry["threads"], "thread") if entry.get("threads") else "")))
                     for entry in bad]
            yield problem("untrusted-ceiling", f"The self-check of {counted(len(bad), 'ceiling')} failed in run "
                                               f"{run.get('run_id')}: {joined(names)}.",
                          "Other programs probably ran: end them and measure again with --fresh; until then leave the "
                          "shares of these ceilings alone.")


def noise(look: Look) -> Iterator[Finding]:
    """The same code under two labels came apart by more than MOST_NOISE."""
    for device, floor in look.experiment.noise.items():
        if floor.value > MOST_NOISE:
            yield problem("noise", f"The {device.upper()}'s noise floor is {percent(floor.value)}: the same code under two "
                                   f"labels differed by as much ({counted(floor.pairs, 'pair')}).",
                          "Smaller differences are ties here. End other programs, or take a machine of your own; more "
                          "samples (max_time_s) help against spread, not against drift.")


def wide_intervals(look: Look) -> Iterator[Finding]:
    """Points that ran out of time with the median still uncertain."""
    timed = [case for case in look.shown if case.ci95_s]
    wide = [case for case in timed if case.stop_reason == "limit"
            and case.ci95_s[1] - case.ci95_s[0] > 2 * WIDE * case.median_s]
    if len(wide) > MANY * len(timed):
        worst = max(wide, key=lambda case: (case.ci95_s[1] - case.ci95_s[0]) / case.median_s)
        half = (worst.ci95_s[1] - worst.ci95_s[0]) / 2 / worst.median_s
        yield problem("wide-intervals", f"{len(wide)} of {counted(len(timed), 'point')} reached the time limit with an "
                                        f"interval of more than ±{percent(WIDE)} (up to ±{percent(half)}: "
                                        f"{point_text(worst)}).",
                      "The machine is too noisy for this precision: quieten it, or raise max_time_s in the experiment.")


def disturbed(look: Look) -> Iterator[Finding]:
    """Threads waited for a core, or the hypervisor took it away, for more than 5 % of the timed seconds."""
    found = [case for case in look.shown if case.disturbed]
    if found:
        worst = max(found, key=lambda case: max(case.run_queue_delay_s or 0.0, case.steal_s or 0.0) / case.timed_s)
        waits = [f"waited {_time(worst.run_queue_delay_s)} a thread for a core" if worst.run_queue_delay_s else "",
                 f"lost {_time(worst.steal_s)} a core to the hypervisor" if worst.steal_s else ""]
        known = sum(case.run_queue_delay_s is not None or case.steal_s is not None for case in look.shown)
        yield Finding(PROBLEM if len(found) > MANY * known else NOTE, "disturbed",
                      f"{len(found)} of {counted(known, 'point')} shared the cores with others; most of all "
                      f"{point_text(worst)}, which {joined(list(filter(None, waits)))} in {_time(worst.timed_s)} of timing.",
                      "End other programs and builds; on a shared virtual machine measure at a quieter time, and read "
                      "these points with their intervals.")


RULES = (throttled, low_clock, first_call, cold_start, above_ceiling, untrusted_ceiling, noise, wide_intervals, disturbed)
