"""One point as measured, and how it is read from its line. Field names and meaning: data/README.md."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from .language import recorded, say
from .naming import LIBRARY, family_of, name_of
from .safe import cleaned, shown

NO_PLACE = 1_000_000  # after every label that the definition names
MOST_OF_CEILING = 1.02  # of a ceiling that itself is measured to about 1 %: more cannot be
MOST_DISTURBED = 0.05  # of the timed seconds


def disturbed_words() -> str:
    """What a disturbed case was: "measured while other work ran …"."""
    return say("case.disturbed")


@lru_cache(maxsize=None)
def _certifies(verdicts: tuple[str, ...], precision: str) -> bool:
    """Do the checks certify a result of the precision that the implementation declares?"""
    allowed = {"ok"} if precision in ("fp32", "fp32-split") else {"ok", "reduced-precision"}
    return bool(verdicts) and set(verdicts) <= allowed


@lru_cache(maxsize=4096)
def _regime(*parts: str | None) -> tuple[str, ...]:
    """One tuple for all cases that share it."""
    return tuple(part or "" for part in parts)


@dataclass(slots=True, eq=False)
class Case:
    """One point as measured: an implementation with its parameters at one shape under one regime. Absent: None.

    What shape, regime and `shown` are formed of stays as it was given: they are asked for millions of times, and formed once.
    """

    run_id: str
    case_id: str
    experiment: str
    implementation: str
    parameters: dict[str, Any]
    label: str
    m: int
    n: int
    k: int
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
    median_s: float | None
    ci95_s: tuple[float, float] | None
    gflop_per_s: float | None
    of_ceiling: float | None
    bound_by: str | None
    threads_actual: int
    warnings: tuple[str, ...]
    timing: str = "launch"
    seed: int | None = None
    min_s: float | None = None
    sample_count: int = 0
    calls_per_sample: int = 1
    stop_reason: str = ""
    host_memory: str | None = None
    allocation: str | None = None
    module_loading: str | None = None
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
    energy_calls: int | None = None  # of the stretch without a pause that tells it; None where its samples did
    energy_s: float | None = None
    throttled: bool | None = None
    throttled_share: float | None = None  # of the readings of its clock; older records have none
    throttle_reasons: tuple[str, ...] = ()
    remeasured: bool = False
    chosen: dict[str, Any] = field(default_factory=dict)
    resources: dict[str, Any] = field(default_factory=dict)
    phases_s: dict[str, float] = field(default_factory=dict)
    first_call_s: dict[str, list[float]] = field(default_factory=dict)
    steady_s: tuple[float, ...] = ()
    fingerprint: str = ""  # of what it depends on: what measures, its implementation's sources, the build; none in older records
    host: str = ""  # the id of the host that measured it (hosts.py); empty where no run line says
    place: int = NO_PLACE  # of the label among the definition's lines
    eta_max: float | None = None  # largest |C - R| / (2^-24 |A||B|) that a check of it found
    share_trusted: bool = True  # did the ceiling behind of_ceiling hold its self-check?
    crowded: bool = False  # was it given more threads than its machine has cores? They then wait for one another
    noise: float = 0.0  # A/A noise floor of its experiment and device; 0 where no twin was measured
    device: str = field(init=False)  # "cpu" or "gpu"
    shape: tuple[int, int, int] = field(init=False)  # (m, n, k)
    # what only like is ranked with: scope, cache, inputs, and what qualifies the scope ("" where nothing does)
    regime: tuple[str, ...] = field(init=False)
    shown: bool = field(init=False)  # may its number appear? Only with status ok, a time, and a verdict that certifies it

    @property
    def name(self) -> str:
        """What every text calls it: its implementation's name, or its label where that says more, in the language in use."""
        return name_of(self.implementation, self.parameters, self.label)

    def __post_init__(self) -> None:
        self.device = self.implementation.split(".", 1)[0]
        self.shape = (self.m, self.n, self.k)
        self.regime = _regime(self.scope, self.cache, self.distribution, self.host_memory, self.allocation, self.module_loading)
        self.shown = bool(self.status == "ok" and self.median_s and self.gflop_per_s) and _certifies(self.verdicts, self.precision)

    @property
    def why_left_out(self) -> str:
        """The reason why its number is not shown; empty when it is."""
        if self.shown:
            return ""
        if self.status != "ok":
            return say("case.why", status=recorded(self.status), reason=recorded(self.reason)) if self.reason \
                else recorded(self.status)
        if not self.verdicts:
            return say("case.unchecked")
        if not self.median_s or not self.gflop_per_s:
            return say("case.no_time")
        return say("case.uncertified", verdicts=say("number.comma").join(recorded(one) for one in sorted(set(self.verdicts))))

    @property
    def gflop_ci95(self) -> tuple[float, float] | None:
        """The interval of GFLOP/s that belongs to ci95_s, low before high."""
        if self.ci95_s is None or not self.median_s or not self.gflop_per_s or min(self.ci95_s) <= 0:
            return None
        work = self.gflop_per_s * self.median_s
        return work / self.ci95_s[1], work / self.ci95_s[0]

    @property
    def above_ceiling(self) -> bool:
        """Is it faster than the ceiling that binds it? Then one of the two measurements is broken."""
        return self.of_ceiling is not None and self.of_ceiling > MOST_OF_CEILING

    @property
    def threads(self) -> int:
        """CPU threads that it was given: what its share of a ceiling is formed with. 1 for what takes no such number."""
        asked = self.parameters.get("threads")
        return asked if isinstance(asked, int) and asked > 0 else 1

    @property
    def library(self) -> bool:
        """Is it a library's product, not ours and no student's?"""
        return family_of(self.implementation) == LIBRARY or "library" in self.chosen

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
        """Did a thread of it on average wait for a core that others held, or the hypervisor on average take a core, for more
        than 5 % of the timed seconds? Of more threads than cores nobody can tell what they waited for."""
        waited = max(0.0 if self.crowded else self.run_queue_delay_s or 0.0, self.steal_s or 0.0)
        return waited > 0 and waited > MOST_DISTURBED * self.timed_s


def _timed(line: dict[str, Any]) -> tuple[array, array]:
    """(rounds, samples) side by side; a sample without a number is left out with its round."""
    turns, samples = line.get("rounds") or (), line.get("samples_s") or ()
    if None not in samples:
        return array("q", turns), array("d", samples)
    pairs = [(turn, sample) for turn, sample in zip(turns, samples) if sample is not None]
    return array("q", [turn for turn, _ in pairs]), array("d", [sample for _, sample in pairs])


class CaseReader:
    """Reads cases of lines that schema.py has checked. A hundred thousand records share few texts, rounds, parameters and
    resources: each is kept once, as it may be shown, and nobody may change one."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._tuples: dict[tuple, tuple] = {}
        self._tables: dict[tuple, dict[str, Any]] = {}
        self._rounds: dict[bytes, array] = {}

    def _text(self, value: str) -> str:
        known = self._texts.get(value)
        if known is None:
            known = self._texts[value] = shown(value)
        return known

    def _word(self, value: str | None) -> str | None:
        return None if value is None else self._text(value)

    def _texts_of(self, values: Any) -> tuple:
        made = tuple(values or ())
        known = self._tuples.get(made)
        if known is None:
            known = self._tuples[made] = tuple(shown(str(value)) for value in made)
        return known

    def _numbers(self, values: Any) -> tuple:
        made = tuple(values or ())
        return self._tuples.setdefault(made, made)

    def _table(self, value: Any) -> dict[str, Any]:
        """The same object for equal tables, so nobody may change one."""
        made = value or {}
        key = tuple([(name, type(one), one) for name, one in made.items()])  # the type too: 1, 1.0 and True are equal
        known = self._tables.get(key)
        if known is None:
            known = self._tables[key] = cleaned(made, shown)
        return known

    def read(self, line: dict[str, Any]) -> Case:
        """The case of a checked line."""
        get, text, word = line.get, self._text, self._word
        interval, checks = get("ci95_s") or (), get("verify") or ()
        rounds, samples = _timed(line)
        rounds = self._rounds.setdefault(rounds.tobytes(), rounds)  # all points of a group share their rounds
        implementation = text(line["implementation"])
        return Case(
            run_id=text(line["run_id"]), case_id=shown(line["case_id"]), experiment=text(line["experiment"]),
            implementation=implementation, parameters=self._table(get("parameters")),
            label=text(get("label") or implementation), m=line["m"], n=line["n"], k=line["k"],
            scope=text(get("scope") or "kernel"), cache=text(get("cache") or "cold"),
            distribution=text(get("distribution") or "uniform"), group=text(get("group") or ""),
            status=text(line["status"]), reason=text(get("reason") or ""), precision=text(get("precision") or "fp32"),
            verdicts=self._texts_of([check["verdict"] for check in checks]), samples_s=samples,
            rounds=rounds, median_s=get("median_s"),
            ci95_s=(float(interval[0]), float(interval[1])) if interval and None not in interval else None,
            gflop_per_s=get("gflop_per_s"), of_ceiling=get("of_ceiling"), bound_by=word(get("bound_by")),
            threads_actual=get("threads_actual") or 0, warnings=self._texts_of(get("warnings")),
            timing=text(get("timing") or "launch"), seed=get("seed"), min_s=get("min_s"),
            sample_count=get("sample_count") or len(samples), calls_per_sample=get("calls_per_sample") or 1,
            stop_reason=text(get("stop_reason") or ""), host_memory=word(get("host_memory")),
            allocation=word(get("allocation")), module_loading=word(get("module_loading")), replica=get("replica") or 0,
            handicap=float(get("handicap") or 0.0), twin_of=word(get("twin_of")), least_bytes=get("least_bytes"),
            moved_bytes=get("moved_bytes"), cores=self._numbers(get("cores")), pinned=get("pinned"),
            run_queue_delay_s=get("run_queue_delay_s"), steal_s=get("steal_s"),
            denormals=word(get("denormals")), clock_mhz=get("clock_mhz"), clock_low_mhz=get("clock_low_mhz"),
            temperature_c=get("temperature_c"), power_w=get("power_w"),
            energy_j_per_call=get("energy_j_per_call"), energy_source=word(get("energy_source")),
            energy_calls=get("energy_calls"), energy_s=get("energy_s"), throttled=get("throttled"),
            throttled_share=get("throttled_share"), fingerprint=get("fingerprint") or "",
            throttle_reasons=self._texts_of(get("throttle_reasons")), remeasured=bool(get("remeasured")),
            chosen=self._table(get("chosen")), resources=self._table(get("resources")), phases_s=_seconds(get("phases_s")),
            first_call_s={shown(name): list(map(float, values)) for name, values in (get("first_call_s") or {}).items()},
            steady_s=tuple([float(value) for value in get("steady_s") or () if value is not None]),
            eta_max=max([check["eta_max"] for check in checks if check.get("eta_max") is not None], default=None))


def _seconds(phases: dict[str, float | None] | None) -> dict[str, float]:
    if not phases:
        return {}
    if None not in phases.values() and "".join(phases).isprintable():
        return phases
    return {shown(name): value for name, value in phases.items() if value is not None}
