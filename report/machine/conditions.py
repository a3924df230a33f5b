"""Where and how the numbers of a table were measured, in one sentence: host, card, inputs, scope,
cache, load, samples, date."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from language import recorded, say
from records.cases.case import Case
from records.cases.cores import processors_text
from records.cases.where import host_text, load_text
from records.names.numbers import counted, joined
from records.view import machine_name

from .machine_facts import dates


def conditions(cases: Iterable[Case], run: dict[str, Any], host: str,
               reference: bool = False, load: str = "") -> str:
    """"Intel Xeon Processor, 16 cores, host 944e1f55; NVIDIA H200; float32, uniform inputs; scope
    kernel; cold cache; bursts; 6 to 40 samples per point; 2026-11-24."; with `reference` it says
    whose they are. Cores are told where a CPU was timed. `load`: where it is not that of the
    points, and samples are not told."""
    every = list(cases)
    cpu = say(", ").join(filter(None, (machine_name(run, gpu=False), _processors(every, run),
                                       host_text(host) if host else "")))
    card = machine_name(run, cpu=False) if any(case.device == "gpu" for case in every) else ""
    inputs, scopes, caches = (joined([recorded(one) for one in sorted(
        {getattr(case, name) for case in every})]) for name in ("distribution", "scope", "cache"))
    types = joined(sorted({recorded(str(case.options.get("type", "float32"))) for case in every}))
    loose, threaded = (sum(one) for one in ([case.unbound for case in every], [
        case.device == "cpu" and case.threads > 1 for case in every]))
    parts = [cpu, say("threads not bound to cores at {count} of {all}", count=loose,
                      all=counted(threaded, "point")) if loose else "",
             card, say("{types}, {inputs} inputs", types=types, inputs=inputs),
             say("scope {scopes}", scopes=scopes),
             say("{caches} cache", caches=caches), load or load_text(every),
             "" if load else _samples(every), dates([run])[:10]]
    text = say("; ").join(filter(None, parts)) + say(".")
    return say("Reference machine: {conditions}", conditions=text) if reference else text


def _processors(cases: list[Case], run: dict[str, Any]) -> str:
    """"16 threads (8 cores' worth)" where a CPU was timed; "1 of …" where on one thread alone."""
    threads = {case.threads_actual or case.threads for case in cases if case.device == "cpu"}
    whole = processors_text(run) if threads else ""
    return say("1 of {processors}", processors=whole) if whole and threads == {1} else whole


def _samples(cases: list[Case]) -> str:
    counts = sorted({case.sample_count or len(case.samples_s) for case in cases})
    if not counts:
        return ""
    span = str(counts[0]) if len(counts) == 1 else say("{low} to {high}", low=counts[0],
                                                       high=counts[-1])
    return say("{span} samples per point", span=span)
