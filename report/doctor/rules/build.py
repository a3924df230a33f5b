"""Rules on one run: how the program was built and what its surroundings told it. `info` has the
same fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from language import say

from .finding import Finding, note, problem

Run = dict[str, Any]

# What a library may be held to without losing the vector unit: parts of names, by the widest that
# the machine has. OPENBLAS_CORETYPE and BLIS_ARCH_TYPE are not among them: the suite itself sets or
# removes both before these open.
_LIBRARY_LIMITS = ("MKL_ENABLE_INSTRUCTIONS", "DNNL_MAX_CPU_ISA", "ONEDNN_MAX_CPU_ISA")
_AVX512_NAMES = ("skylakex", "cooperlake", "sapphirerapids", "zen4", "zen5", "skx", "knl", "avx512",
                 "avx10", "all", "default")
_WIDE_ENOUGH = {"avx512": _AVX512_NAMES, "avx2": (*_AVX512_NAMES, "haswell", "zen", "avx2")}
_THREAD_LIMITS = ("OMP_THREAD_LIMIT", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS",
                  "MKL_NUM_THREADS")
_SLOW_GOVERNORS = ("powersave", "conservative")


def not_optimised(run: Run) -> Iterator[Finding]:
    """A debug build, or one without -O2 or -O3."""
    flags = str((run.get("build") or {}).get("flags") or "")
    levels = re.findall(r"(?<!\S)-O(\w*)", flags)
    if not flags or (levels and levels[-1] in ("2", "3", "fast")):
        return
    what = say("a debug build") if flags.startswith("Debug") else say("built with -O{level}",
        level=levels[-1]) if levels else \
        say("built without -O3")
    yield problem("not-optimised", say("The program is {what} (flags: {flags}): plain loops run "
                                       "several times too slowly.", what=what, flags=flags),
                  say("Configure anew with `cmake --preset cpu` or `--preset cuda`, which are "
                      "Release with -O3, or let ./gemmlab build it."))


def sanitizers(run: Run) -> Iterator[Finding]:
    """Checks at run time slow every access to memory."""
    sanitize = (run.get("build") or {}).get("sanitize")
    if sanitize:
        yield problem("sanitizers", say("The program is built with sanitizers ({what}): its times "
                                        "are theirs.", what=sanitize),
                      say("Measure with a build that leaves GEMMLAB_SANITIZE empty."))


def library_restricted(run: Run) -> Iterator[Finding]:
    """A variable keeps a library from the vector unit that the machine has."""
    isa = (run.get("host") or {}).get("isa") or []
    enough = _WIDE_ENOUGH.get(isa[-1] if isa else "", ())
    for name in _LIBRARY_LIMITS:
        value = str((run.get("environment") or {}).get(name) or "")
        if value and enough and not any(part in value.lower() for part in enough):
            yield problem("library-restricted", say("{name}={value} keeps a library from {isa}, "
                                                    "which this machine has.", name=name,
                                                    value=value, isa=isa[-1]),
                          say("`unset {name}`, or say beside the library's numbers that it was "
                              "restricted.", name=name))


def threads_restricted(run: Run) -> Iterator[Finding]:
    """A variable allows fewer threads than there are cores."""
    cores = (run.get("host") or {}).get("cores") or 0
    for name in _THREAD_LIMITS:
        value = str((run.get("environment") or {}).get(name) or "").split(",")[0].strip()
        if value.isdigit() and 0 < int(value) < cores:
            make = problem if name == "OMP_THREAD_LIMIT" else note
            yield make("threads-restricted", say("{name}={value}, but {cores} cores may be used.",
                                                 name=name, value=value, cores=cores),
                       say("`unset {name}`; gemmlab sets the number of threads itself.", name=name))


def cuda_environment(run: Run) -> Iterator[Finding]:
    """Variables that change what the GPU's times mean."""
    environment = run.get("environment") or {}
    if str(environment.get("CUDA_LAUNCH_BLOCKING") or "0") != "0":
        yield problem("cuda-environment", say("CUDA_LAUNCH_BLOCKING is set: each launch waits for "
                                              "its kernel."), say("`unset CUDA_LAUNCH_BLOCKING`."))
    if environment.get("CUDA_VISIBLE_DEVICES") in ("", "-1", "NoDevFiles"):
        yield problem("cuda-environment", say("CUDA_VISIBLE_DEVICES hides every GPU."),
                      say("`unset CUDA_VISIBLE_DEVICES`."))


def slow_governor(run: Run) -> Iterator[Finding]:
    """A governor that keeps the clock low, or raises it late."""
    governor = (run.get("host") or {}).get("governor")
    if governor in _SLOW_GOVERNORS:
        yield problem("governor", say("The CPU's frequency governor is {governor}: the clock lags "
                                      "behind the work.", governor=governor), say(
                                          "`sudo cpupower frequency-set -g performance` while "
                                          "measuring."))


def no_vector_unit(run: Run) -> Iterator[Finding]:
    """An x86-64 CPU that shows nothing beyond SSE2: more often hidden than absent."""
    host = run.get("host") or {}
    if host.get("architecture") == "x86_64" and host.get("isa") == ["baseline"]:
        yield note("no-vector-unit", say("This machine offers neither AVX2 nor AVX-512, so that "
                                         "all loops use 128-bit vectors."),
                   say("On a virtual machine ask for a CPU model that passes AVX2 on "
                       "(`-cpu host`)."))


def dirty_sources(run: Run) -> Iterator[Finding]:
    """Nobody can build again what was measured."""
    program = run.get("program") or {}
    if program.get("dirty"):
        yield note("dirty-sources", say("The sources had changes beside commit {commit}.",
                                         commit=str(program.get("commit") or say("unknown"))[:12]),
                   say("Commit them and measure again before the numbers are cited."))


RULES = (not_optimised, sanitizers, library_restricted, threads_restricted, cuda_environment,
         slow_governor, no_vector_unit, dirty_sources)
