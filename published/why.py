"""Why a claim came out as it did, in a sentence or two of evidence, and under which conditions it
was measured."""

from __future__ import annotations

import re
from collections.abc import Iterable
from statistics import median
from types import SimpleNamespace
from typing import Any

from analysis.counters.counted import conflicts
from analysis.tables.tables import sentences
from language import recorded, say
from records.cases.case import Case
from records.cases.hosts import UUID_SHOWN, first_card
from records.cases.phrases import remark
from records.cases.ratios import LEAST_PAIRS
from records.cases.where import host_text, short_host
from records.names.naming import bare_name, parameter_text
from records.names.numbers import counted, duration, joined, percent, plain, with_interval
from records.schema.operations import GEMM, option_words, shape_text

from .book import Book, Claim, Point, book, in_language
from .judge import DIRECTION, NEAR, NOT_REPRODUCED, REPRODUCED, Judged, Part
from .points import REASONS, Absent, Points, shape_of
from .quantities import Value, by_counted_cycles, bytes_asked_for, ratio_of

_LOADS = {"bursts": "bursts", "sustained": "sustained load", "mixed": "bursts and sustained load"}
_PAIRED = {
    "paired": "; ratio of paired rounds",
    "unpaired": "; not paired: ratio of the medians",
    "unpaired, other runs": "; not paired: ratio of the medians of two runs, whose differences no "
                            "interval holds"}
WAYS = "scope", "host_memory", "allocation"  # how data travels, by which points may differ
LADDER = "gpu_ladder"  # where kernels are profiled that their own experiment does not profile


def value_text(value: Value, unit: str) -> str:
    """"1.34 [1.30, 1.39] times", "88.1 [87.8, 88.3] %"; a count has no interval. In the language in
    use."""
    ends = (None, None) if value.low == value.high else (value.low, value.high)
    return with_interval(value.value, *ends, recorded(unit))


def _medians_text(value: Value) -> str:
    """" (0.880 by the medians)": where they say otherwise than the shared rounds; else empty."""
    return "" if value.medians is None else say(
        " ({remark})", remark=say("{times} by the medians", times=plain(value.medians)))


def _counted(points: Points, point: Point, host: str) -> dict[str, str]:
    """What ncu counted of a point, at its own shape or at the largest, on that host where it did
    there; empty where nothing."""
    point = point | {"experiments": (*point.get("experiments", ()), LADDER)}
    whole = {key: value for key, value in point.items()
             if key not in ("size", "m", "n", "k", "dims")}
    for one in (point, whole) if shape_of(point) else (whole,):
        try:
            there = points.counted(one)
        except Absent:
            continue
        found = next((one for one in there if one.host == host), there[-1])
        metrics = found.metrics
        known: dict[str, float | None] = {"sectors": metrics.get("global_load_sectors_per_request"),
                                          "l2": metrics.get("l2_bytes", 0) / 1e9,
                                          "conflicts": conflicts(metrics),
                                          "instructions": metrics.get("instructions", 0) / 1e6,
                                          "requests": metrics.get("global_load_requests", 0) / 1e6,
                                          "asked": bytes_asked_for(metrics, point.get("block"))
                                          / 1e9 if "global_load_requests" in metrics else None}
        shares = {"occupancy": metrics.get("occupancy"), "fma": metrics.get("fma_pipe")}
        return {name: plain(value) for name, value in known.items() if value is not None} | {
            name: f"{plain(100 * value, 0 if value >= 0.1 else 1)} %"
            for name, value in shares.items() if value is not None} | {
                "counted_at": f"{shape_text(*found.shape)}, "
                f"{host_text(found.host) if found.host else found.card[:UUID_SHOWN]}"}
    return {}


def _of_case(case: Case) -> dict[str, str]:
    found: dict[str, Any] = {
        "label": bare_name(case), "time": duration(case.median_s),
        "gflops": plain(case.rate), "shape": shape_text(*case.shape),
        "latency": f"{plain(case.rate)} ns", "threads": case.threads_actual or None,
        "cores": len(set(case.cores)) or None, "isa": case.parameters.get("isa"),
        "registers": case.resources.get("registers"), "blocks": case.resources.get("blocks_per_sm"),
        "steady": duration(median(case.steady_s)) if case.steady_s else None}
    for name, values in case.first_call_s.items():
        found |= ({name: duration(median(values)), f"{name}s": ", ".join(map(duration, values))}
                  if values else {})
    if case.steady_s:
        found["first_over_steady"] = plain(case.median_s / median(case.steady_s))
    if case.first_call_s:
        found["processes"] = ", ".join(
            duration(sample) for _, sample in sorted(zip(case.rounds, case.samples_s)))
    return {name: str(value) for name, value in found.items() if value is not None}


def _of_pair(pair: tuple[Case, Case]) -> dict[str, Any]:
    """Of a pair beside a claim: each number with what is unsound of it, which no verdict bears."""
    over, under = (SimpleNamespace(**(known := _of_case(case)) | {
        name: known[name] + remark(case) for name in ("time", "gflops", "latency")})
        for case in pair)
    ratio = ratio_of(*pair)
    return {"over": over, "under": under,
            "ratio": f"{plain(ratio.value)}{remark(*pair)}{_medians_text(ratio)}"}


def _facts(judged: Judged, points: Points) -> dict[str, Any]:
    """Everything that is known of the claim's points, and of the pairs beside them, by name."""
    claim, cases = judged.claim, judged.measured.cases if judged.measured else ()
    run = points.run_of(cases[-1]) if cases else next(iter(reversed(points.results.runs)), {})
    host, gpu = run.get("host") or {}, first_card(run)
    mode = gpu.get("persistence_mode")
    on = "not recorded" if mode is None else "on" if mode else "off"
    caches = host.get("caches") or {}
    found: dict[str, Any] = {
        "sms": gpu.get("sm_count"), "all_cores": host.get("cores"), "persistence": say(on),
        "gpu_l2": f"{plain(gpu['l2'] / 1e6)} MB" if gpu.get("l2") else None,
        **{name: f"{plain(caches[name] / 2**20)} MiB" for name in ("l2", "l3") if caches.get(name)}}
    last = zip(("over", "under"), claim.parts[-1] if claim.parts else ())
    sides = [(name, side[0]) for name, side in last
             if side and not side[0].keys() & {"ceiling", "card"}]
    own = cases[-len(sides):] if cases else [None] * len(sides)
    for (name, point), case in zip(sides, own):
        at = {"implementation": case.implementation, **case.parameters,
              "dims": list(case.dims.values()), "options": case.options,
              "experiments": (case.experiment,)} if case else point
        found[name] = SimpleNamespace(**(_of_case(case) if case else {}),
                                      **_counted(points, at, judged.host))
    for name, (over, under) in claim.beside:
        try:
            above, below = points.find(over[0]), points.find(under[0])
            shared = {one.host for one in above} & {one.host for one in below}
            pair = points.pair(above, below, judged.host if judged.host in shared
                               else points.latest_of(shared) or "")
        except (Absent, IndexError):
            continue
        found[name] = SimpleNamespace(**_of_pair(pair), host=short_host(pair[0].host))
    return {name: value for name, value in found.items() if value is not None}


def _filled(english: str, chinese: str, facts: dict[str, Any]) -> str:
    """The form without those of its clauses that ask for what no record holds; empty where none can
    be filled."""
    kept: list[str] = []
    for clause in filter(None,
                         re.split(r"(?<=[;；。])\s*|(?<=\.)\s+", in_language(english, chinese))):
        try:
            kept.append(clause.format_map(facts))
        except (KeyError, AttributeError):
            if kept and clause.endswith((".", "。")):
                kept[-1] = (kept[-1].rstrip(";；") + clause[-1] if kept[-1].endswith((";", "；"))
                            else kept[-1])
    return sentences(*kept)


def _theirs(claim: Claim, part: Part, of: Book) -> str:
    """The same ratio by the source's own times, of one table; by its rates where it prints no
    times, which it has rounded; empty where no table has both rows."""
    points = [side[0] for side in part.sides if part.sides[1]]
    for metric, inverse in (("time", False), ("throughput", True)):
        rows = [_rows_of(claim, point, metric, of) for point in points]
        for table in (rows[0] if len(rows) == 2 else {}):
            if table in rows[1]:
                over, under = rows[0][table], rows[1][table]
                return plain(under / over if inverse else over / under)
    return ""


def _rows_of(claim: Claim, point: Point, metric: str, of: Book) -> dict[str, float]:
    """table -> what it prints of the point."""
    return {one.table: one.value for one in of.figures
            if one.metric == metric and (one.source, one.m, one.block, one.threads) == (
                claim.source, point.get("size"),
                str(point.get("block", "")), str(point.get("threads", "")))
            and of.ours(one.source, one.table, one.implementation) == point.get("ours")}


def _sizes(judged: Judged) -> list[str]:
    """A claim at several sizes: what it is at each, which of them judge nothing, and what the
    source has there."""
    if len(judged.parts) < 2:
        return []
    unit = judged.value.cases[0].rate_unit if judged.claim.of == "spread" else ""
    parts, points = [], [(part.sides[1] or part.sides[0])[0] for part in judged.parts]
    varied = [name for name in ("block", "threads", *WAYS)
              if len({one.get(name) for one in points}) > 1]
    for part, point in zip(judged.parts, points):
        theirs = _theirs(judged.claim, part, book())
        shape = part.value.cases[0].shape if part.value.cases else part.value.counted[0].shape
        label = [shape_text(*shape), *(
            recorded(point[name]) if name in WAYS else parameter_text(name, point[name])
            for name in varied if name in point)]
        parts.append(say("{value} at {label}", label=say(", ").join(label),
                         value=value_text(part.value, unit) + _medians_text(part.value))
                     + (say(" (in the source {value})", value=theirs) if theirs else "")
                     + (say(" (SMs idle: judges nothing)") if part.idle else ""))
    return [say("By size: {parts}.", parts=say("; ").join(parts))]


def _size_differs(judged: Judged) -> str:
    """Of a claim whose direction alone holds: the size here, and the size that it says."""
    claim = judged.claim
    if claim.rule == "near":
        return say("The difference is small, but not within 0.90 to 1.10.")
    if claim.least is not None:
        there = say("over {number}", number=plain(claim.least))
    elif claim.range:
        there = say("{low} to {high}", low=plain(claim.range[0]), high=plain(claim.range[1]))
    else:
        there = plain(claim.number or 0.0) if claim.names is None else plain(claim.names)
    return say("The direction holds, the size does not: {value} here, {published} by the claim.",
               value=value_text(judged.value, claim.unit), published=there)


def _fewest(judged: Judged) -> tuple[int, ...]:
    """Of the size with the fewest samples those of each side; of consecutive processes one."""
    if "process" in judged.claim.of:
        return (1,)
    counts = [tuple(case.sample_count for case in part.value.cases)
              for part in judged.parts if part.value.cases]
    return min(counts, key=min, default=(0,))


def _teams(judged: Judged) -> list[int]:
    """The threads of both sides, where they differ and the claim names none; else none."""
    if any("threads" in one for sides in judged.claim.parts for side in sides for one in side):
        return []
    pairs = [part.value.cases for part in judged.parts if len(part.value.cases) == 2]
    return next(([one.threads_actual, other.threads_actual] for one, other in pairs
                 if one.device == other.device == "cpu"
                 and one.threads_actual != other.threads_actual), [])


def _unsound(judged: Judged) -> list[tuple[str, str]]:
    """What makes the number less than it seems: as it stands beside the verdict, and as a sentence
    of the reason."""
    def listed(counts: Iterable[int]) -> str:
        return joined([str(one) for one in counts])

    cases, few, teams = judged.value.cases, _fewest(judged), _teams(judged)
    counted = by_counted_cycles(judged.claim, cases)
    two_runs = conditions(judged).get("paired") == "unpaired, other runs"
    every = ((judged.value.rough, say("samples: {counts}", counts=listed(few)),
              say("With as few as {least} samples there is no interval: its ends are those of the "
                  "nearest and the farthest samples, a quarter wider.", least=min(few))),
             (bool(teams), say("threads: {counts}", counts=listed(teams)), ""),
             (two_runs, say("two runs"), ""),
             (bool(counted), say("by the counted cycles {value}", value=counted),
              say("The cycles that were counted are those of another launch, and would make it "
                  "{value}.", value=counted)),
             (any(case.unbound for case in cases), say("threads not bound"),
              say("The threads of a CPU point were not bound to cores.")),
             (any(case.disturbed for case in cases), say("disturbed"),
              say("Other work took its cores while it was measured.")),
             (any(case.throttled for case in cases), say("clock held down"),
              say("The card held its clock down meanwhile.")))
    return [(short, long) for holds, short, long in every if holds]


def unsound_text(judged: Judged) -> str:
    """"samples: 1 and 49; threads: 1 and 11": what has to stand beside the verdict."""
    shorts = [short for short, _ in _unsound(judged)] if judged.measured else []
    return say("; ").join(shorts)


def verdict_text(judged: Judged) -> str:
    """The verdict with what is unsound of it: "reproduced (samples: 1 and 49)"."""
    marks = unsound_text(judged)
    return say(judged.verdict) + (f" ({marks})" if marks else "")


def _lacked(point: Point) -> str:
    """"256, block 4": what of several points of a claim was not measured."""
    varied = (parameter_text(name, point[name]) for name in ("block", "threads") if point.get(name))
    return say(", ").join([str(point.get("size", "")), *varied])


def _qualified(judged: Judged) -> list[str]:
    """What limits the verdict: its size, noise, what is unsound, what was measured elsewhere."""
    value, rule = judged.value, judged.claim.rule
    worst = next((part.value for part in judged.parts
                  if part.verdict == judged.verdict and not part.idle), value)
    (low, high), ratio = worst.ends, worst.ratio
    undecided = (judged.verdict == NOT_REPRODUCED and rule in ("above", "below")
                 and low < high and low <= judged.claim.neutral <= high)
    within_noise = (judged.verdict == REPRODUCED and rule in ("above", "below")
                    and ratio is not None and ratio.tie and NEAR[0] <= ratio.value <= NEAR[1])
    return [say("The interval holds 1, so that these records decide for neither side.")
            if undecided else "",
            say("By the medians over all rounds the value here is {value}.",
                value=with_interval(value.medians, None, None, recorded(judged.claim.unit)))
            if value.medians is not None and len(judged.parts) == 1 else "",
            say("The statement names no number: {low} to {high} {unit} are our own.",
                low=f"{judged.claim.range[0]:g}", high=f"{judged.claim.range[1]:g}",
                unit=recorded(judged.claim.unit))
            if rule == "within" and not judged.claim.names_its_range else "",
            _size_differs(judged) if judged.verdict == DIRECTION else "",
            say("It stays within the experiment's noise floor ({noise}).",
                noise=percent(ratio.noise)) if ratio and within_noise else "",
            *(long for _, long in _unsound(judged)),
            *(say("{name} was measured on host {host} only, and left out.", name=name,
                  host=short_host(host)) for name, host in judged.elsewhere),
            *(reason(absent, judged.claim.experiment) for absent in judged.unmeasured),
            say("Not measured on this host at {sizes}.",
                sizes=say("; ").join(map(_lacked, judged.lacking))) if judged.lacking else ""]


def _shape_words(case: Case) -> str:
    """"N = 4096", "8192×4096×6144", "bytes = 32768", "n = 4194304, offset 1": what it was measured
    at, with its name."""
    if case.operation == GEMM:
        text = shape_text(*case.shape)
        return text if "×" in text else f"N = {text}"
    return ", ".join([*(f"{name} = {extent}" for name, extent in case.dims.items()),
                      *option_words(case.shape)])


def _threads(judged: Judged) -> str:
    """"8 of 16 threads, as in the source"; "1 and 11 threads, the source names none": of the CPU's
    sides in their order; empty where there is none."""
    cases = [case for case in judged.value.cases if case.device == "cpu"]
    if not cases:
        return ""
    used = dict.fromkeys(case.threads_actual or case.threads for case in cases)
    there = {case.processors.count for case in cases if case.processors}
    every = there.pop() if len(there) == 1 else 0
    numbers = joined([str(one) for one in used])
    text = (say("{used} of {count}", used=numbers, count=counted(every, "thread"))
            if max(used) < every else counted(max(used), "thread") if len(used) == 1
            else say("{numbers} threads", numbers=numbers))
    theirs = {int(one["threads"]) for sides in judged.claim.parts for side in sides for one in side
              if str(one.get("threads", "")).isdigit()}
    return say(", ").join((text, say("the source names none") if not theirs else
                           say("as in the source") if theirs == set(used) else
                           say("{numbers} in the source", numbers=joined(list(map(str, theirs))))))


def conditions(judged: Judged) -> dict[str, str]:
    """Under which conditions a verdict stands, by column of verdicts.csv, from the records' own
    fields."""
    value = judged.measured
    if value is None:
        return {}
    shapes = [*map(_shape_words, value.cases),
              *(f"N = {shape_text(*one.shape)}" for one in value.counted)]
    found = {"at": "; ".join(dict.fromkeys(shapes)).replace("; N = ", ", "),
             "host": short_host(judged.host)}
    for name in ("scope", "cache", "distribution"):
        found[name] = " ".join(dict.fromkeys(getattr(case, name) for case in value.cases))
    if value.counted:
        return found | {"scope": "ncu"}
    if value.cases:
        loads = {case.load or "bursts" for case in value.cases}
        found["load"] = "mixed" if len(loads) > 1 else loads.pop()
        found["threads"] = _threads(judged)
    pairs = [part.value.ratio.pairs for part in judged.parts if part.value.ratio]
    if pairs:  # of two times or rates; a count has no rounds
        runs = {case.run_id for case in value.cases}
        found["paired"] = "paired" if min(pairs) >= LEAST_PAIRS \
            else "unpaired" if len(runs) == 1 else "unpaired, other runs"
    return found


def conditions_words(judged: Judged) -> str:
    """"1a2b3c4d, 8 of 16 threads, as in the source, kernel, cold": host, threads of the CPU's
    sides, scope and cache, and load and inputs where they are not the usual ones."""
    known = conditions(judged)
    usual = {"load": "bursts", "distribution": "uniform"}
    words = [known.get("host", ""), known.get("threads", ""), *(
        joined([recorded(one) for one in known.get(name, "").split()])
        for name in ("scope", "cache", *usual) if known.get(name) != usual.get(name, ""))]
    return say(", ").join(filter(None, words))


def _conditions_text(judged: Judged) -> str:
    known = conditions(judged)
    if not judged.value.cases:
        return say("Counted by ncu, one call at {at}; host {host}." if judged.value.counted
                   else "Host {host}.", **{"at": known["at"], "host": known["host"]})
    words = {name: joined([recorded(one) for one in known[name].split()])
             for name in ("scope", "cache", "distribution")}
    threads = say("; {threads}", threads=known["threads"]) if known.get("threads") else ""
    return say("Host {host}{threads}; {at}; scope {scope}; {cache} cache; {load}; {distribution} "
               "inputs{paired}.", threads=threads,
               at=known["at"], host=known["host"], **words, load=say(_LOADS[known["load"]]),
               paired=say(_PAIRED[known["paired"]]) if "paired" in known else "")


def why(judged: Judged, points: Points) -> str:
    """The reason with its conditions, in the language in use; for a claim that is not judged, what
    is missing."""
    claim, absent = judged.claim, judged.absent
    if absent is None:
        return sentences(_filled(claim.why, claim.why_zh, _facts(judged, points)), *_sizes(judged),
                         *_qualified(judged), _conditions_text(judged))
    if absent.key == "missing":
        return _filled(claim.missing, claim.missing_zh, _facts(judged, points))
    return reason(absent, claim.experiment)


def reason(absent: Absent, experiment: str) -> str:
    """Why there is no number, as a sentence."""
    if absent.key == "no_counterpart":
        return in_language(absent.values["ours"].note, absent.values["ours"].note_zh)
    return say(REASONS[absent.key], **({"experiments": experiment} | absent.values))
