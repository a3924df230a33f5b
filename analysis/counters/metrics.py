"""Which of ncu's metrics make up a `counters` record, in its units: bytes, seconds, counts, shares
of 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

TIME = "gpu__time_duration.sum"
_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum"
_REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_{}.sum"
_CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"
_ACTIVE = "avg.pct_of_peak_sustained_active"

# What keeps a resident warp from being issued, in ncu's words; it knows more (branches, sleeping,
# …).
STALLS = ("barrier", "long_scoreboard", "short_scoreboard", "mio_throttle", "lg_throttle",
          "math_pipe_throttle", "dispatch_stall", "wait", "not_selected", "no_instruction")

# ncu scales by 1000 unless it is asked for base units, and versions differ in how they write them.
_SCALES = {"": 1.0, "byte": 1.0, "b": 1.0, "kbyte": 1e3, "kb": 1e3, "mbyte": 1e6, "mb": 1e6,
           "gbyte": 1e9, "gb": 1e9, "tbyte": 1e12, "tb": 1e12, "second": 1.0, "s": 1.0,
           "msecond": 1e-3, "ms": 1e-3, "usecond": 1e-6, "us": 1e-6, "nsecond": 1e-9, "ns": 1e-9,
           "%": 0.01, "inst": 1.0, "sector": 1.0, "request": 1.0, "warp": 1.0, "cycle": 1.0,
           "wavefront": 1.0}
# ncu's metric -> value in base units; what it could not tell is not in it
Kernel = Mapping[str, float]


@dataclass(frozen=True)
class Metric:
    """A metric of ours. `names`: ncu's, the first that a card knows counts. `how` it is formed over
    the kernels of a call: "sum", "share" (mean, weighted by time: for what is not a count) or
    "ratio" (sum of `names` over sum of `over`)."""

    name: str
    unit: str
    how: str
    names: tuple[str, ...]
    over: str = ""


METRICS = (Metric("dram_read_bytes", "byte", "sum", ("dram__bytes_read.sum",)),
           Metric("dram_write_bytes", "byte", "sum", ("dram__bytes_write.sum",)),
           Metric("l2_bytes", "byte", "sum", ("lts__t_bytes.sum",)),
           Metric("global_load_requests", "request", "sum", (_REQUESTS.format("ld"),)),
           Metric("global_load_sectors_per_request", "sector", "ratio",
                  (_SECTORS.format("ld"),), _REQUESTS.format("ld")),
           Metric("global_store_sectors_per_request", "sector", "ratio",
                  (_SECTORS.format("st"),), _REQUESTS.format("st")),
           Metric("shared_load_bank_conflicts", "count", "sum", (_CONFLICTS.format("ld"),)),
           Metric("shared_store_bank_conflicts", "count", "sum", (_CONFLICTS.format("st"),)),
           Metric("shared_wavefronts", "count", "sum",
                  ("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",)),
           Metric("occupancy", "share", "share", (f"sm__warps_active.{_ACTIVE}",)),
           # Hopper splits the FMA pipe into a heavy and a light half; some versions of ncu know the
           # whole only by instructions.
           Metric("fma_pipe", "share", "share", (f"sm__pipe_fma_cycles_active.{_ACTIVE}",
                                                 f"sm__inst_executed_pipe_fma.{_ACTIVE}")),
           Metric("tensor_pipe", "share", "share", (f"sm__pipe_tensor_cycles_active.{_ACTIVE}",
                                                    f"sm__inst_executed_pipe_tensor.{_ACTIVE}")),
           Metric("instructions", "count", "sum", ("smsp__inst_executed.sum",)),
           # Warps that are resident, and that wait for each reason, for every instruction that is
           # issued.
           Metric("warps_per_issue", "warp", "share",
                  ("smsp__average_warp_latency_per_inst_issued.ratio",)),
           *(Metric(f"stalled_{reason}", "warp", "share",
                    (f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio",))
             for reason in STALLS),
           Metric("time_s", "s", "sum", (TIME,)),
)


def wanted() -> list[str]:
    """Every metric of ncu's to ask for, alternatives too."""
    return list(dict.fromkeys(name for metric in METRICS
                              for name in (*metric.names, metric.over) if name))


def in_base_units(value: float, unit: str) -> float | None:
    """`value` in bytes, seconds, counts or shares of 1; None for a unit that is not known."""
    scale = _SCALES.get(unit.strip().lower().split("/", 1)[0])
    return None if scale is None else value * scale


def _total(kernels: Sequence[Kernel], name: str) -> float | None:
    values = [kernel[name] for kernel in kernels if name in kernel]
    return sum(values) if values else None


def _value(metric: Metric, name: str, kernels: Sequence[Kernel]) -> float | None:
    if metric.how == "sum":
        return _total(kernels, name)
    if metric.how == "ratio":
        above, below = _total(kernels, name), _total(kernels, metric.over)
        return above / below if above is not None and below else None
    known = [kernel for kernel in kernels if name in kernel]
    weights = [kernel.get(TIME, 0.0) for kernel in known]
    if not sum(weights):
        weights = [1.0] * len(known)
    return (sum(kernel[name] * weight for kernel, weight in zip(known, weights)) / sum(weights)
            if known else None)


def combined(kernels: Sequence[Kernel]) -> dict[str, dict[str, float | str]]:
    """The `metrics` of a record from the kernels of one call. A metric without a value (not known
    on this card, or no such request was made) is left out."""
    found: dict[str, dict[str, float | str]] = {}
    for metric in METRICS:
        values = (_value(metric, name, kernels) for name in metric.names)
        value = next((value for value in values if value is not None), None)
        if value is not None:
            found[metric.name] = {"value": value, "unit": metric.unit}
    return found
