"""Why the smallest tile in shared memory is slower than no tile: a short answer from counters."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.answer.points import KERNEL, usable, way_of
from analysis.counters.counted import Metrics, metrics_of
from analysis.counters.counter_worth import waits_of
from language import say
from records.cases.case import Case
from records.cases.experiment import Experiment, Results
from records.cases.ratios import speedup
from records.names.numbers import duration, percent, plain, ratio_text
from records.schema.operations import is_square, shape_text, volume

ASKED_OF = ("gpu_ladder", "quick", "cpu_vs_gpu")
NAIVE, TILED = "gpu.naive", "gpu.tiled"
LANES = 32
WAITS = "stalled_long_scoreboard"  # for data from global memory
MORE = 1.1  # a counter that rose by less than a tenth is no reason


@dataclass(frozen=True)
class SmallTile:
    """The two points, timed together at one shape, and what was counted of each: empty where
    nothing was."""

    naive: Case
    tiled: Case
    counted: tuple[Metrics, Metrics]

    @property
    def tile(self) -> str:
        """"4×4"."""
        return "{0}×{0}".format(self.tiled.parameters["block"])

    @property
    def slower(self) -> bool:
        ratio = speedup(self.tiled, self.naive)
        return ratio.value > 1 and not ratio.tie

    @property
    def answer(self) -> str:
        """How much slower at which size, and what the counters say of it."""
        ratio, shape = speedup(self.tiled, self.naive), shape_text(*self.naive.shape)
        head = say("At {shape} it takes {times} times as long.", shape=shape,
                   times=ratio_text(ratio.value, ratio.low, ratio.high))
        reasons = say("; ").join(filter(None, (
            self._empty_lanes(), self._traffic(), self._waiting())))
        why = say("By the counters: {reasons}.", reasons=reasons) if reasons else \
            say("Why, no counter tells: ./gemmlab profile counts.")
        return say(" ").join((head, why))

    def _rose(self, name: str, unit: float) -> dict[str, str]:
        """{"before", "after"} of a counter that rose; else nothing."""
        before, after = (metrics.get(name) for metrics in self.counted)
        if before is None or after is None or after <= MORE * before:
            return {}
        return {"before": plain(before / unit), "after": plain(after / unit)}

    def _empty_lanes(self) -> str:
        threads, rose = self.tiled.parameters["block"] ** 2, self._rose("instructions", 1e6)
        return say("a block of {threads} threads fills {threads} of a warp's {lanes} lanes: "
                   "{after} million instructions instead of {before}", threads=threads,
                   lanes=LANES, **rose) if rose and threads < LANES else ""

    def _traffic(self) -> str:
        rose = self._rose("l2_bytes", 1e9)
        return say("a loaded value serves only {block} threads, and the L1 catches less of what is "
                   "asked for: {after} GB through L2 instead of {before}",
                   block=self.tiled.parameters["block"], **rose) if rose else ""

    def _waiting(self) -> str:
        was, now = (metrics.get("occupancy") for metrics in self.counted)
        less, wait = (waits_of(case, metrics).get(WAITS) for case, metrics in
                      zip((self.naive, self.tiled), self.counted))
        if was is None or now is None or less is None or wait is None:
            return ""
        if wait <= less or now >= was:
            return ""
        return say("an SM holds only so many blocks: occupancy {after} instead of {before}, so "
                   "that a warp waits {wait} of {time} for global memory, in {naive} {less} of "
                   "{whole}", before=percent(was), after=percent(now), wait=duration(wait),
                   time=duration(self.tiled.median_s), naive=self.naive.name, less=duration(less),
                   whole=duration(self.naive.median_s))


def of_counters(naive: Case, tiled: Case, experiment: Experiment) -> SmallTile:
    """The two with what the experiment's `counters` records hold of them."""
    before, after = (metrics_of(experiment.counters.get(case.case_id) or {})
                     for case in (naive, tiled))
    return SmallTile(naive, tiled, (before, after))


def _together(case: Case) -> tuple:
    return case.run_id, case.group, case.shape, case.regime


def small_tile_of(experiment: Experiment) -> SmallTile | None:
    """The naive kernel and the smallest tile timed beside it; where there is a choice, two that
    were counted, then the largest square."""
    kernels = [case for case in experiment.cases if usable(case) and way_of(case) == KERNEL]
    pairs = []
    for naive in (case for case in kernels if case.implementation == NAIVE):
        beside = [case for case in kernels
                  if case.implementation == TILED and _together(case) == _together(naive)]
        if beside:
            smallest = min(beside, key=lambda case: case.parameters["block"])
            pairs.append(of_counters(naive, smallest, experiment))

    def preferred(one: SmallTile) -> tuple:
        shape = one.naive.shape
        return all(one.counted), is_square(shape), volume(shape), one.naive.run_id

    return max(pairs, key=preferred, default=None)


def why_small_tiles(results: Results) -> str:
    """"Why is a 4×4 tile slower than naive? At 4096 it takes 4.42 times as long. By the counters:
    …"; empty where no tile was timed beside it, or the smallest is not slower."""
    experiments = {one.name: one for one in results.experiments}
    for wanted in ASKED_OF:
        found = small_tile_of(experiments[wanted]) if wanted in experiments else None
        if found and found.slower:
            question = say("Why is a {tile} tile slower than {naive}?",
                           tile=found.tile, naive=found.naive.name)
            return say(" ").join((question, found.answer))
    return ""
