"""Rules on the clock: throttling, slow first calls, numbers above a ceiling, and how noisy the
machine was."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from statistics import median

from analysis.tables.first_calls import phase_name
from language import recorded, say
from records.cases.case import MOST_OF_CEILING, Case
from records.cases.ceilings import too_low, trusted
from records.cases.hosts import first_card
from records.cases.where import host_text
from records.names.numbers import counted, joined, percent, percents, plain, time_unit

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
        why = say(" ({reasons})",
                  reasons=joined([recorded(one) for one in reasons])) if reasons else ""
        yield problem("throttled", say("{points} ran while the device was throttled{why}: "
                                       "{point}{more}.", points=counted(len(slow), "point"),
                                       why=why,
                                       point=point_text(slow[0]), more=and_more(slow)), say(
                                           "Cool the card or raise its power limit (`nvidia-smi "
                                           "-q -d PERFORMANCE,POWER`), let it rest, and measure "
                                           "again with --fresh."))
    if again:
        yield note("throttled", say("{points} had to be measured again after throttling "
                                    "({point}{more}).", points=counted(len(again), "point"),
                                    point=point_text(again[0]), more=and_more(again)), say(
                                        "The second numbers stand; a cooler or idler device would "
                                        "not need them."))


def low_clock(look: Look) -> Iterator[Finding]:
    """Median SM clock far below the card's highest, whether or not the driver calls it
    throttling."""
    highest = {run_id: (first_card(run).get("clocks") or {}).get("sm_mhz") or 0
               for run_id, run in look.run_of.items()}
    low = [(case.clock_mhz, case) for case in look.shown
           if case.clock_mhz and case.device == "gpu" and not case.load
           and case.clock_mhz < LOW_CLOCK * highest.get(case.run_id, 0)]
    if low:
        clock, worst = min(low, key=lambda one: one[0])
        yield note("low-clock", say("The SM clock was {clock} MHz of at most {most} MHz "
                                    "({point}{more}).", clock=plain(clock, 0),
                                    most=plain(highest[worst.run_id], 0), point=point_text(worst),
                                    more=and_more([case for _, case in low])),
                   say("See `nvidia-smi -q -d CLOCK,POWER` for a power limit or locked clocks; "
                       "compare with other cards by the share of the ceiling, which was measured "
                       "at the same clock."))


def first_call(look: Look) -> Iterator[Finding]:
    """The first multiplication of a fresh process against the steady state, and where its time
    goes."""
    slow: dict[str, list[tuple[float, float, Case]]] = defaultdict(list)
    for case in look.shown:
        if case.scope == "first-call" and case.steady_s and case.samples_s:
            first, steady = median(case.samples_s), median(case.steady_s)
            if steady > 0 and first > SLOW_FIRST * steady:
                slow[case.device].append((first, steady, case))
    for device, found in sorted(slow.items()):
        first, steady, case = max(found, key=lambda entry: entry[0] / entry[1])
        phases = {name: median(values) for name, values in case.first_call_s.items() if values}
        most = max(phases, key=lambda name: phases[name], default="")
        share = say(", {time} of it for {phase}", time=_time(phases[most]),
                    phase=phase_name(most)) if most else ""
        yield note("first-call", say("On the {device} the first multiplication of a process takes "
                                     "{first}{share}: {times} times a later one ({point}{more}).",
                                     device=device.upper(), first=_time(first), share=share,
                                     times=plain(first / steady), point=point_text(case),
                                     more=and_more([entry[2] for entry in found])), say(
                                         "Warm up before timing, or report the first call by "
                                         "itself; never mean it with the others."))


def cold_start(look: Look) -> Iterator[Finding]:
    """The first timed sample stands alone far above the rest: it holds something that later ones do
    not."""
    counts: dict[str, int] = defaultdict(int)
    slow: dict[str, list[Case]] = defaultdict(list)
    for case in look.shown:
        if case.scope == "first-call" or len(case.samples_s) < 3:
            continue
        counts[case.implementation] += 1
        if (case.samples_s[0] > SLOW_FIRST * case.median_s
                and case.samples_s[0] > 2 * max(case.samples_s[1:])):
            slow[case.implementation].append(case)
    for implementation, cases in sorted(slow.items()):
        worst = max(cases, key=lambda case: case.samples_s[0] / case.median_s)
        often = len(cases) > MANY * counts[implementation]
        yield Finding(PROBLEM if often else NOTE,
                      "cold-start", say("{implementation}'s first sample took {times} times the "
                                        "median ({point}{more}, of {count}).",
                                        implementation=implementation, count=counts[implementation],
                                        times=plain(worst.samples_s[0] / worst.median_s),
                                        point=point_text(worst), more=and_more(cases)),
                      say("Do once-only work (handles, allocation, threads, page faults) before "
                          "timing; the median is not moved by it, a mean would be."))


def _worst_above(above: list[Case]) -> dict[str, str]:
    """What is told of the point that is most above its ceiling, and of how many are."""
    share, worst = max(((case.of_highest or case.of_ceiling or 0.0, case) for case in above),
                       key=lambda one: one[0])
    return {"point": point_text(worst), "share": plain(100 * share, 0),
            "bound": recorded(worst.bound_by or "") or say("measured"),
            "points": counted(len(above), "point"), "most": plain(100 * MOST_OF_CEILING, 0)}


def above_ceiling(look: Look) -> Iterator[Finding]:
    """Faster than the machine can be: one of the two measurements is broken. Where a library and
    others alike pass a ceiling of bandwidth, it is the ceiling's."""
    passed: dict[tuple, list[Case]] = defaultdict(list)
    for case in look.shown:
        if case.above_ceiling:
            passed[case.device, case.bound_by].append(case)
    left: list[Case] = []
    for (device, bound), above in sorted(passed.items(), key=str):
        names = {case.implementation for case in above}
        if bound == "compute" or len(names) < 2 or not any(case.library for case in above):
            left += above
            continue
        yield problem("above-ceiling",
                      say("{point} reached {share} % of the {bound} ceiling of the {device}; "
                          "{points} of {count} implementations, a library among them, reached more "
                          "than {most} %: the ceiling was measured too low.",
                          **_worst_above(above), device=device.upper(), count=len(names)),
                      say("Leave the shares of this ceiling alone; times, rates and ratios hold. "
                          "On a shared machine others slowed its memory while the ceiling was "
                          "measured: measure again with --fresh at a quieter time."))
    if left:
        yield problem("above-ceiling", say("{point} reached {share} % of the {bound} ceiling; "
                                           "{points} reached more than {most} %.",
                                           **_worst_above(left)),
                      say("Do not use these shares: see that the timed call does all the work and "
                          "is waited for, and that the ceiling was not measured on a busy or "
                          "throttled machine; then measure again with --fresh."))


def untrusted_ceiling(look: Look) -> Iterator[Finding]:
    """A ceiling whose self-check failed: twice the work did not take twice the time."""
    for run in look.runs:
        bad = [entry for entry in run.get("ceilings") or () if not trusted(entry)]
        if bad:
            names = [" ".join(filter(None, (str(entry.get("device", "")).upper(),
                                            recorded(str(entry.get("what", "")).replace("_", " ")),
                                            recorded(str(entry.get("level") or "")),
                                            counted(entry["threads"], "thread")
                                            if entry.get("threads") else ""))) for entry in bad]
            yield problem("untrusted-ceiling", say(
                "The self-check of {ceilings} failed in run {run}: {names}.",
                ceilings=counted(len(bad), "ceiling"), run=run.get("run_id"), names=joined(names)),
                          say("Other programs probably ran: end them and measure again with "
                              "--fresh; until then leave the shares of these ceilings alone."))


def low_ceiling(look: Look) -> Iterator[Finding]:
    """A ceiling of all processors under what the same run measured them to be worth."""
    for run in look.runs:
        if (low := too_low(run)) is not None:
            entry, value = low
            yield problem("low-ceiling", say(
                "The ceiling of multiply-adds on {threads} in run {run} is {value} {unit}; by the "
                "{cores} cores that they were worth in the same run it would be {other}.",
                threads=counted(entry["threads"], "thread"), run=run.get("run_id"),
                value=plain(entry["value"], 0), unit=entry.get("unit") or "", other=plain(value, 0),
                cores=plain(run["host"]["cores_worth"], 1)),
                          say("Other programs ran while it was measured. Shares are held against "
                              "the higher one; measure again with --fresh at a quieter time."))


def noise(look: Look) -> Iterator[Finding]:
    """The same code under two labels came apart by more than MOST_NOISE."""
    several = len({host for host, _ in look.experiment.noise}) > 1
    for (host, device), floor in look.experiment.noise.items():
        if floor.ends[1] > MOST_NOISE:
            where = say(" on {host}", host=host_text(host)) if several else ""
            yield problem("noise", say("The {device}'s noise floor is {value}: the same code "
                                       "under two labels differed by as much ({pairs}).",
                                       device=device.upper() + where, value=percents(floor.ends),
                                       pairs=counted(len(floor.pairs), "pair")), say(
                                           "Smaller differences are ties here. End other "
                                           "programs, or take a machine of your own; more samples "
                                           "(max_time_s) help against spread, not against drift."))


def wide_intervals(look: Look) -> Iterator[Finding]:
    """Points that ran out of time with the median still uncertain."""
    timed = [((case.ci95_s[1] - case.ci95_s[0]) / case.median_s, case) for case in look.shown
             if case.ci95_s]
    wide = [(width, case) for width, case in timed
            if case.stop_reason == "limit" and width > 2 * WIDE]
    if len(wide) > MANY * len(timed):
        width, worst = max(wide, key=lambda one: one[0])
        yield problem("wide-intervals",
                      say("{count} of {points} reached the time limit with an interval of more "
                          "than ±{wide} (up to ±{half}: {point}).", count=len(wide),
                          points=counted(len(timed), "point"),
                          wide=percent(WIDE), half=percent(width / 2), point=point_text(worst)),
                      say("The machine is too noisy for this precision: quieten it, or raise "
                          "max_time_s in the experiment."))


def disturbed(look: Look) -> Iterator[Finding]:
    """Threads waited for a core, or the hypervisor took it away, for more than 5 % of the timed
    seconds."""
    found = [case for case in look.shown if case.disturbed]
    if found:
        worst = max(found, key=lambda case: max(case.run_queue_delay_s or 0.0,
                                                case.steal_s or 0.0) / case.timed_s)
        waits = [say("waited {time} per thread for a core", time=_time(worst.run_queue_delay_s))
                 if worst.run_queue_delay_s else "",
                 say("lost {time} per core to the hypervisor", time=_time(worst.steal_s))
                 if worst.steal_s else ""]
        known = sum(case.run_queue_delay_s is not None or case.steal_s is not None
                    for case in look.shown)
        yield Finding(PROBLEM if len(found) > MANY * known else NOTE, "disturbed",
                      say("{count} of {points} shared the cores with others; most of all {point}, "
                          "which {waits} in {timed} of timing.", count=len(found),
                          points=counted(known, "point"), point=point_text(worst),
                          waits=joined(list(filter(None, waits))), timed=_time(worst.timed_s)),
                      say("End other programs and builds; on a shared virtual machine measure at "
                          "a quieter time, and read these points with their intervals."))


RULES = (throttled, low_clock, first_call, cold_start, above_ceiling, untrusted_ceiling,
         low_ceiling, noise, wide_intervals, disturbed)
