"""Cases for the kinds of figure that no sample record has what for."""

from __future__ import annotations

from make_operations import EXPERIMENTS
from sample_records import make_case

from records.cases.case_reader import CaseReader

KERNEL = {"implementation": "gpu.tiled", "parameters": {"block": 32}, "group": "scopes"}


def scoped(size: int, seconds: dict[tuple, float], **more) -> list:
    """A case for each (scope, host memory, allocation) with its seconds."""
    return [make_case(**KERNEL | more, label="/".join(map(str, key)), size=size, scope=key[0],
                      host_memory=key[1], allocation=key[2], samples=(taken,) * 7)
            for key, taken in seconds.items()]


def transfer_cases(size: int = 1024, scale: float = 1.0) -> list:
    """Kernel 2, launch 1, copies 1 (pinned) or 4 (pageable), allocation 4 (pinned) or 3 ms, times
    `scale`."""
    milliseconds = {
        ("kernel", None, None): 2, ("call", None, None): 3,
        ("end-to-end", "pinned", "not counted"): 4, ("end-to-end", "pageable", "not counted"): 7,
        ("end-to-end", "pinned", "counted"): 8, ("end-to-end", "pageable", "counted"): 10}
    return scoped(size, {key: 1e-3 * scale * value for key, value in milliseconds.items()})


def placed_cases() -> list:
    """1 thread bound, 2 bound, 2 free on two cores, 4 that share 2 cores."""
    return [make_case("cpu.openmp", label=f"{threads} {bound} {cores}",
                      parameters={"threads": threads},
                      threads_actual=threads, cores=cores, pinned=bound)
            for threads, cores, bound in ((1, (4,), True), (2, (4, 5), True), (2, (4, 5), False),
                                          (4, (4, 6), False))]


def clocked_cases() -> list:
    """Held at 64 and 128, held down at 256 (1,400 MHz at the least)."""
    rows = ((64, 1980.0, False), (128, 1980.0, False), (256, 1400.0, True))
    return [make_case("gpu.pipelined", label=f"way {way}", size=size, clock_mhz=1980.0,
                      clock_low_mhz=low, power_w=300.0 + size + way, temperature_c=50.0,
                      throttled=down, throttle_reasons=("sw power cap",) if down else ())
            for size, low, down in rows for way in range(3)]


def metered_cases() -> list:
    """Four kernels and a CPU library, of which each product takes some joules."""
    rows = (("gpu.naive", 4.0), ("gpu.tiled", 3.0), ("gpu.pipelined", 1.0), ("gpu.cublas", 1.1),
            ("cpu.openblas", 20.0))
    return [make_case(name, energy_j_per_call=joules, energy_calls=100, energy_s=1.0,
                      energy_source="rapl package" if name.startswith("cpu") else "nvml counter")
            for name, joules in rows]


def digit_cases() -> list:
    """Five methods at 64 with fewer and fewer digits, and one of them at 32."""
    rows = (("gpu.pipelined", "fp32", 2.0, 5e-4), ("gpu.tensor", "fp32-split", 1.0, 2e-4),
            ("gpu.cublas_tf32", "tf32", 900.0, 1e-4), ("gpu.cublas_fp16", "fp16", 1000.0, 6e-5),
            ("gpu.cublas_bf16", "bf16", 8000.0, 7e-5))
    return [make_case(name, precision=precision, eta_max=error, samples=(seconds,) * 7, size=size,
                      verdicts=("ok" if precision.startswith("fp32") else "reduced-precision",))
            for size, of in ((64, rows), (32, rows[:1])) for name, precision, error, seconds in of]


def carded_cases() -> list:
    """Two shapes, operands sharded or on the first card, on 1, 2 and 4 cards."""
    return [make_case("gpu.multi", label=f"{operands} {cards}",
                      parameters={"gpus": cards, "operands": operands, "chunks": 4}, size=size,
                      device="gpu", samples=tuple(size / 1024 * 8e-3 / cards ** speed
                                                  * (1 + 1e-4 * place) for place in range(9)),
                      chosen={"share_not_multiplying": 0.02 * cards, "share_arriving": 0.1}
                      if cards > 1 else {}) for size in (1024, 2048)
            for operands, speed in (("sharded", 0.95), ("first", 0.7)) for cards in (1, 2, 4)]


def operation_cases(experiment: str, *groups: str) -> list:
    """The synthetic points of an experiment's groups, or of all."""
    reader, lines = CaseReader(), EXPERIMENTS[experiment]()
    return [reader.read(line) for line in lines
            if line["kind"] == "case" and (not groups or line["group"] in groups)]


def predicted_cases() -> list:
    """Rungs whose counts are committed, in made-up times near the H200's."""
    rungs = (("gpu.naive", {}, 340), ("gpu.tiled", {"block": 16}, 280),
             ("gpu.tiled", {"block": 32}, 260), ("gpu.tiled", {"block": 8}, 440),
             ("gpu.tiled_conflicting", {"block": 32}, 4500), ("gpu.register_tiled_1d", {}, 150),
             ("gpu.transposed_a", {}, 180), ("gpu.cp_async", {}, 120),
             ("gpu.pipelined", {"tile": "64x64"}, 48))
    return [make_case(name, label=f"{name}{parameters}", parameters=parameters,
                      experiment="gpu_ladder", size=1024, samples=(1e-6 * microseconds,) * 7)
            for name, parameters, microseconds in rungs]


H200 = {"host": {"cpu": "A CPU", "cores": 3}, "gpus": [{"name": "NVIDIA H200"}]}
LESSONS = ("coalescing", "bank_conflicts", "tile_reuse", "occupancy")
RUNS = dict.fromkeys(("predicted", *LESSONS), H200)
SAMPLES = {"predicted": predicted_cases, **dict.fromkeys(LESSONS, predicted_cases),
           "transfer_shares": lambda: [*transfer_cases(512, 0.3), *transfer_cases()],
           "thread_placement": placed_cases, "clocks": clocked_cases,
           "energy": metered_cases, "speed_against_error": digit_cases, "card_scaling": carded_cases,
           "card_shares": carded_cases, "density": lambda: operation_cases("spmv"),
           "memory_hierarchy": lambda: operation_cases("memory"),
           "sweep": lambda: operation_cases("memory", "strides"),
           "rate_vs_size": lambda: operation_cases("blas1", "dot")}
# what they show is not a number of GFLOP/s or seconds
WITHOUT_TIMES = ("thread_placement", "clocks", "energy", *LESSONS)
