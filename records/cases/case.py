"""One point as measured. Field names and meaning: docs/record_format.md; how it is read from its
line: case_reader.py."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from language import recorded, say
from records.names.naming import name_of
from records.schema.operations import GEMM, Shape, rate_at, shape_of, unit_of

from .cores import Processors

NO_PLACE = 1_000_000  # after every label that the definition names
MOST_OF_CEILING = 1.02  # of a ceiling that itself is measured to about 1 %: more cannot be
MOST_DISTURBED = 0.05  # of the timed seconds


def disturbed_words() -> str:
    """What a disturbed case was: "measured while other work ran …"."""
    return say("measured while other work ran on the same cores, for more than 5 % of the timed "
               "seconds")


SPLIT = "fp32-split"  # FP32's accuracy from split operands, on matrix units


class Unmeasured(Exception):
    """A number was asked of a point that has none."""


@cache
def _certifies(verdicts: tuple[str, ...], precision: str) -> bool:
    """Do the checks certify a result of the precision that the implementation declares?"""
    allowed = {"ok"} if precision in ("fp32", SPLIT) else {"ok", "reduced-precision"}
    return bool(verdicts) and set(verdicts) <= allowed


@lru_cache(maxsize=4096)
def _regime(*parts: str | None) -> tuple[str, ...]:
    """The conditions that a case was measured under; cases with equal ones share the tuple."""
    return tuple(part or "" for part in parts)


@dataclass(slots=True, eq=False)
class Case:
    """One point as measured: an implementation with its parameters, of one operation at one shape
    under one regime. Absent: None.

    What shape, regime and `shown` are formed of stays as it was given: they are asked for millions
    of times, and formed once.
    """

    run_id: str
    case_id: str
    experiment: str
    implementation: str
    device: str  # "cpu" or "gpu"
    name_parts: tuple[str, ...]  # what texts call it: ("multi", ", {gpus} cards")
    family: str  # whose colour it has: "tiles"; empty for a colour of none
    variant_of: str  # the implementation of which it changes one thing; empty where there is none
    library: bool  # is it a library's product, not ours and no student's?
    parameters: dict[str, Any]
    label: str
    dims: dict[str, int]  # of the operation, in its order
    scope: str
    cache: str
    distribution: str
    group: str
    status: str
    reason: str
    precision: str
    verdicts: tuple[str, ...]
    samples_s: array
    rounds: array
    measured_s: float | None  # the median of its samples; median_s where it goes without saying
    ci95_s: tuple[float, float] | None
    # by their key in the record, in the operation's order; empty where there is no time
    rates: dict[str, float]
    of_ceiling: float | None
    bound_by: str | None
    threads_actual: int
    warnings: tuple[str, ...]
    operation: str = GEMM
    # those that are not the operation's default
    options: dict[str, Any] = field(default_factory=dict)
    timing: str = "launch"
    seed: int | None = None
    min_s: float | None = None
    sample_count: int = 0
    calls_per_sample: int = 1
    stop_reason: str = ""
    host_memory: str | None = None
    allocation: str | None = None
    module_loading: str | None = None
    load: str | None = None  # "sustained"; None for a burst
    sustained_s: float | None = None
    replica: int = 0
    handicap: float = 0.0
    twin_of: str | None = None
    least_bytes: float | None = None
    moved_bytes: float | None = None
    cores: tuple[int, ...] = ()
    pinned: bool | None = None
    run_queue_delay_s: float | None = None
    steal_s: float | None = None
    denormals: str | None = None
    clock_mhz: float | None = None
    clock_low_mhz: float | None = None
    temperature_c: float | None = None
    power_w: float | None = None
    energy_j_per_call: float | None = None
    energy_source: str | None = None  # "nvml counter", "integrated power", "rapl package"
    # of the stretch without a pause that tells it; None where its samples did
    energy_calls: int | None = None
    energy_s: float | None = None
    no_energy: str | None = None  # why there is none, where it was asked for
    rates_per_j: dict[str, float] = field(default_factory=dict)  # what a joule buys: "gflop_per_j"
    throttled: bool | None = None
    throttled_share: float | None = None  # of the readings of its clock; older records have none
    throttle_reasons: tuple[str, ...] = ()
    remeasured: bool = False
    chosen: dict[str, Any] = field(default_factory=dict)
    resources: dict[str, Any] = field(default_factory=dict)
    phases_s: dict[str, float] = field(default_factory=dict)
    first_call_s: dict[str, list[float]] = field(default_factory=dict)
    steady_s: tuple[float, ...] = ()
    # of what it depends on: what measures, its implementation's sources, the build; none in older
    # records
    fingerprint: str = ""
    host: str = ""  # the id of the host that measured it (hosts.py); empty where no run line says
    place: int = NO_PLACE  # of the label among the definition's lines
    eta_max: float | None = None  # largest |C - R| / (2^-24 |A||B|) that a check of it found
    # the same share, of the highest trusted ceiling that runs of its host measured
    of_highest: float | None = None
    # did the ceiling behind of_ceiling hold its self-check, and was none passed where another run
    # of the host measured a higher one?
    share_trusted: bool = True
    processors: Processors | None = None  # as its run saw them; None where no run line says
    # was it given more threads than its machine has cores? They then wait for one another
    crowded: bool = False
    # were most points of its experiment, host and device disturbed? Then all of them count, with
    # their marks
    restless: bool = False
    noise: float = 0.0  # A/A noise floor of its experiment and device; 0 where no twin was measured
    # (m, n, k); of another operation its dimensions, and its options in words
    shape: Shape = field(init=False)
    measured_rate: float | None = field(init=False)  # the operation's first; `rate` likewise
    rate_unit: str = field(init=False)  # "GFLOP/s"
    # what only like is ranked with: scope, cache, inputs, what qualifies the scope ("" where
    # nothing does), and the operation ("" of a gemm)
    regime: tuple[str, ...] = field(init=False)
    # may its number appear? Only with status ok, a time, and a verdict that certifies it
    shown: bool = field(init=False)

    @property
    def name(self) -> str:
        """What every text calls it: its implementation's name, or its label where that says more,
        in the language in use."""
        return name_of(self)

    def __post_init__(self) -> None:
        self.shape = shape_of(self.dims, self.options)
        first = next(iter(self.rates), None)
        self.measured_rate = None if first is None else self.rates[first]
        self.rate_unit = unit_of(first)
        self.regime = _regime(self.scope, self.cache, self.distribution, self.host_memory,
                              self.allocation, self.module_loading, self.load,
                              None if self.operation == GEMM else self.operation)
        timed = self.status == "ok" and bool(self.measured_s and self.measured_rate)
        self.shown = timed and _certifies(self.verdicts, self.precision)

    @property
    def median_s(self) -> float:
        """The median of its samples. Raises Unmeasured where there is none; what is shown has
        one."""
        if self.measured_s is None:
            raise Unmeasured(f"{self.case_id} ({self.label}): no time, {self.why_left_out}")
        return self.measured_s

    @property
    def rate(self) -> float:
        """The operation's first, in `rate_unit`: what tables and axes take. Raises Unmeasured,
        too."""
        if self.measured_rate is None:
            raise Unmeasured(f"{self.case_id} ({self.label}): no rate, {self.why_left_out}")
        return self.measured_rate

    @property
    def m(self) -> int:
        """A gemm's rows of A and C."""
        return self.dims["m"]

    @property
    def n(self) -> int:
        """A gemm's columns of B and C."""
        return self.dims["n"]

    @property
    def k(self) -> int:
        """A gemm's columns of A and rows of B."""
        return self.dims["k"]

    @property
    def why_left_out(self) -> str:
        """The reason why its number is not shown; empty when it is."""
        if self.shown:
            return ""
        if self.status != "ok":
            return say("{status} – {reason}", status=recorded(self.status),
                       reason=recorded(self.reason)) if self.reason \
                else recorded(self.status)
        if not self.verdicts:
            return say("no verdict: its result was never checked")
        if not self.measured_s or not self.measured_rate:
            return say("no time in the record")
        return say("not certified: verdict {verdicts}",
                   verdicts=say(", ").join(recorded(one) for one in sorted(set(self.verdicts))))

    @property
    def rate_ci95(self) -> tuple[float, float] | None:
        """The interval of the rate that belongs to ci95_s, low before high."""
        rate, median_s = self.measured_rate, self.measured_s
        if self.ci95_s is None or not median_s or not rate or min(self.ci95_s) <= 0:
            return None
        low, high = (rate_at(rate, self.rate_unit, median_s, end) for end in self.ci95_s)
        return min(low, high), max(low, high)

    @property
    def above_ceiling(self) -> bool:
        """Is it, by all of its interval, faster than the highest ceiling that binds it on its host?
        Then one of the two measurements is broken. A ceiling is no more than what the machine
        reached while it was measured: another run may have found it higher."""
        share = self.of_ceiling if self.of_highest is None else self.of_highest
        slowest = max(self.ci95_s) / self.median_s if self.ci95_s and self.measured_s else 1.0
        return share is not None and share > MOST_OF_CEILING * max(slowest, 1.0)

    @property
    def above_own_ceiling(self) -> bool:
        """Is its share of its own run's ceiling more than can be?"""
        return self.of_ceiling is not None and self.of_ceiling > MOST_OF_CEILING

    @property
    def threads(self) -> int:
        """CPU threads that it was given: what its share of a ceiling is formed with. 1 for what
        takes no such number."""
        asked = self.parameters.get("threads")
        return asked if isinstance(asked, int) and asked > 0 else 1

    @property
    def ranked(self) -> bool:
        """Is it ranked with the others at its shape? So is what computes in plain fp32, and what
        multiplies matrices of another type, which all at that shape have."""
        return self.precision == "fp32" or "type" in self.options

    @property
    def by_fp32(self) -> bool:
        """Did it refuse the split that it is for, and run kernels of plain FP32?"""
        return self.precision == SPLIT and bool(self.chosen.get("kernels"))

    @property
    def unbound(self) -> bool:
        """Did the system move its threads between cores as it liked, so far as that is known?"""
        return (self.device == "cpu" and max(self.threads, self.threads_actual) > 1
                and self.pinned is False)

    @property
    def cards(self) -> int:
        """GPUs that shared it. What only like is ranked with, as the regime is; but a speedup may
        be taken over fewer."""
        asked = self.parameters.get("gpus")
        return asked if isinstance(asked, int) and asked > 0 else 1

    @property
    def cards_words(self) -> str:
        """"2 cards"; empty for one."""
        return say("{gpus} cards", gpus=self.cards) if self.cards > 1 else ""

    @property
    def copy(self) -> bool:
        """Was it measured to test the statistics: once more, or slower on purpose?"""
        return bool(self.replica or self.handicap)

    @property
    def timed_s(self) -> float:
        """Seconds of its timed calls together."""
        timed = self.phases_s.get("timed")
        return float(timed) if timed else sum(self.samples_s) * self.calls_per_sample

    @property
    def disturbed(self) -> bool:
        """Did a thread of it on average wait for a core that others held, or the hypervisor on
        average take a core, for more than 5 % of the timed seconds? Of more threads than cores
        nobody can tell what they waited for."""
        waited = max(0.0 if self.crowded else self.run_queue_delay_s or 0.0, self.steal_s or 0.0)
        return waited > 0 and waited > MOST_DISTURBED * self.timed_s
