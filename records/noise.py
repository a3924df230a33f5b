"""The A/A noise floor: how far the same code, measured twice under two labels in the same rounds,
comes apart.

A twin is a second measurement of a point in the same rounds. With r the ratios of original and
twin, round by round, the noise of a point is, over the pairs of its experiment and device that take
about as long (`Noise.of`), the larger of
- the median of |median(r) − 1|, and
- the largest distance by which the 99 % interval of a pair's median(r) lies wholly to one side of
  1.
A difference is declared where the 99 % interval of a ratio lies wholly outside [1 / (1 + noise), 1
+ noise].
"""

from __future__ import annotations

from collections import Counter
from statistics import median

from language import say

from .cases.case import Case
from .cases.experiment import AAPair, Experiment, Noise
from .cases.ratios import DECISION, median_interval, paired
from .cases.where import host_text
from .names.numbers import counted, joined, percents

# why a point that was measured twice is no A/A pair, in English
LEFT_OUT = {"code": "that chose other code the second time",
            "number": "of which a side has no number that may be shown",
            "rounds": "that share no round"}


def pair_noise(original: Case, twin: Case) -> AAPair | None:
    """None without shared rounds. Under 8 rounds there is no 99 % interval, and `beyond` is 0."""
    ratios = paired(original, twin)
    if not ratios:
        return None
    interval = median_interval(ratios, DECISION)
    return AAPair(original.median_s, abs(median(ratios) - 1),
                  max(interval[0] - 1, 1 - interval[1], 0.0) if interval else 0.0)


def _code(case: Case) -> dict[str, object]:
    """What an implementation chose to run; times among it are not a choice."""
    return {name: value for name, value in case.chosen.items() if not isinstance(value, float)}


# a twin, the noise of its pair, and the key of LEFT_OUT where it is none
Pair = tuple[Case, AAPair | None, str]


def paired_twins(cases: list[Case], twins: list[Case]) -> list[Pair]:
    """Each twin with the noise of its pair, or the key of LEFT_OUT that says why it is none."""
    originals = {(case.case_id, case.group, case.run_id): case for case in cases}
    made: list[Pair] = []
    for twin in twins:
        original = originals.get((twin.twin_of or "", twin.group, twin.run_id))
        if original is None or not original.shown or not twin.shown:
            made.append((twin, None, "number"))
        # a library that picks its algorithm by the clock may run another one in the twin: that is
        # no A/A pair
        elif _code(original) != _code(twin):
            made.append((twin, None, "code"))
        else:
            pair = pair_noise(original, twin)
            made.append((twin, pair, "" if pair else "rounds"))
    return made


def left_out(pairs: list[Pair]) -> Counter[str]:
    """How many twins are no A/A pair, by the key of LEFT_OUT."""
    return Counter(why for _, _, why in pairs if why)


def noise_of(pairs: list[Pair]) -> dict[str, Noise]:
    """The noise by device, from the pairs whose two sides come from one run and chose the same
    code; a device without such a pair has none."""
    found: dict[str, list[AAPair]] = {}
    for twin, pair, _ in pairs:
        if pair is not None:
            found.setdefault(twin.device, []).append(pair)
    return {device: Noise(tuple(own)) for device, own in sorted(found.items())}


def attach(experiment: Experiment) -> None:
    """Works out the noise of the experiment on each of its hosts and notes it in its cases, where
    every comparison finds it."""
    experiment.noise, experiment.no_pairs = {}, Counter()
    for host in sorted({case.host for case in experiment.cases}):
        own, twins = ([case for case in cases if case.host == host]
                      for cases in (experiment.cases, experiment.twins))
        pairs = paired_twins(own, twins)
        floors = noise_of(pairs)
        experiment.noise |= {(host, device): floor for device, floor in floors.items()}
        experiment.no_pairs += left_out(pairs)
        for case in own:
            floor = floors.get(case.device)
            case.noise = floor.of(case.median_s) if floor and case.shown else 0.0


def noise_text(experiment: Experiment) -> str:
    """"A/A: 12 pairs of the same code under two labels; noise floor 0.40 % (CPU), 0.02 to 0.10 %
    (GPU).", with the twins that are left out of it, and why; empty where nothing was measured.
    Where several hosts measured, each floor names its own."""
    # first calls have no twins: their samples are processes, compared with the steady state of the
    # same process
    devices = sorted({(case.host, case.device) for case in experiment.cases
                      if case.shown and case.scope != "first-call"})
    if not devices:
        return ""
    out = left_out_text(experiment)
    if not experiment.noise:
        return say(" ").join(filter(None, (
            say("A/A: these records hold no pair of the same code under two labels, so that "
                "the noise floor is unknown and taken as 0."), out)))
    several = len({host for host, _ in (*devices, *experiment.noise)}) > 1

    def named(host: str, device: str) -> str:
        return device.upper() + (say(", ") + host_text(host) if several else "")

    pairs = sum(len(noise.pairs) for noise in experiment.noise.values())
    floors = [say("{value} ({device})", value=percents(noise.ends), device=named(*key))
              for key, noise in experiment.noise.items()]
    without = [named(*key) for key in devices if key not in experiment.noise]
    more = say("; none for the {devices}, taken as 0", devices=joined(without)) if without else ""
    told = say("A/A: {pairs} of the same code under two labels; noise floor {floors}{without}.",
               pairs=counted(pairs, "pair"), floors=say(", ").join(floors), without=more)
    return say(" ").join(filter(None, (told, out)))


def left_out_text(experiment: Experiment) -> str:
    """"Left out of it: 7 points that chose other code the second time."; empty where each
    point that was measured twice is a pair."""
    told = [say("{points} {why}", points=counted(experiment.no_pairs[key], "point"), why=say(why))
            for key, why in LEFT_OUT.items() if experiment.no_pairs[key]]
    return say("Left out of it: {points}.", points=joined(told)) if told else ""
