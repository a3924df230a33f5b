"""The tables and figures that a definition asks for, each with the cases that it is of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from files.safe import shortened
from language import recorded, say
from records.cases.case import Case
from records.cases.ceilings import with_best_ceilings
from records.cases.experiment import Experiment
from records.schema.older import device_of
from records.view import MOST_TITLE, View, by_host, title_of

from . import registry
from .renewed import asked_for

# tables, and shapes with ours and a library, from which on the two are compared
LEAST_SPEEDUPS, LEAST_SHAPES = 3, 8


def specs(experiment: Experiment, what: str) -> list[dict[str, Any]]:
    """The definition's "tables" or "figures"; before a table of counters, the one of what they
    explain; last those that nobody needs to ask for."""
    found: list[dict[str, Any]] = []
    tables = registry.tables() if what == "tables" else {}
    for spec in asked_for(experiment.definition, what):
        if isinstance(spec, dict) and spec.get("kind"):
            leader = tables[spec["kind"]].led_by if spec["kind"] in tables else ""
            if leader:
                found.append({name: spec[name] for name in ("group", "labels") if name in spec}
                             | {"kind": leader})
            found.append(spec)
    for kind in registry.unasked(what):
        if registry.has(kind, experiment.cases) and all(spec["kind"] != kind for spec in found):
            found.append({"kind": kind})
    if what == "figures" and _compares_libraries(experiment):
        return [{"kind": "ratio_to_library"}, *(spec for spec in found if spec["kind"]
                                                not in ("ladder_bars", "ratio_to_library"))]
    return found


def _compares_libraries(experiment: Experiment) -> bool:
    """Does the definition ask for ours beside libraries at many shapes? Records of before there was
    a figure of this ask by speedup tables, and for bars of the libraries, which climb no ladder."""
    tables, figures = ([spec.get("kind") for spec in experiment.definition.get(what) or ()
                        if isinstance(spec, dict)] for what in ("tables", "figures"))
    if (tables.count("speedup") < LEAST_SPEEDUPS or "accuracy" in tables
            or "gpu_over_cpu" in figures):
        return False  # inputs of many distributions are there for their errors
    both: dict[tuple, set[bool]] = {}
    for case in experiment.cases:
        if case.shown:
            both.setdefault((case.group, case.shape), set()).add(case.library)
    return sum(len(sides) == 2 for sides in both.values()) >= LEAST_SHAPES


def selected(experiment: Experiment, spec: dict[str, Any]) -> tuple[list[Case], tuple[Case, ...]]:
    """The cases of a table's or figure's group: those of its labels, and the others beside them."""
    group, labels = spec.get("group"), spec.get("labels")
    cases = ([case for case in experiment.cases if case.group == group] if group
             else experiment.cases)
    if not labels:
        return list(cases), ()
    return [case for case in cases if case.label in labels], tuple(case for case in cases
                                                                   if case.label not in labels)


def _lacks_gpu(experiment: Experiment, cases: list[Case]) -> bool:
    """Is this a view of GPU points only, on a machine without a GPU?"""
    if (experiment.run.get("gpus") or not experiment.run
            or any(case.device != "gpu" for case in cases)):
        return False
    left_out = experiment.definition.get("left_out")
    return bool(cases) or left_out is None or any(
        device_of(entry) == "gpu" for entry in left_out)


def views(experiment: Experiment, spec: dict[str, Any], reference: Experiment | None) -> list[View]:
    """The views of one table or figure: this machine's, and the reference machine's where GPU
    points have no number here (or were not even tried, in a build without CUDA). Machines are never
    mixed in one view, nor are hosts of one folder, so that a CPU-GPU speedup comes wholly from one
    of them: the latest host comes first. None where there is no GPU and nothing stands in."""
    kind = spec["kind"]
    title = _title(experiment, spec)
    cases, beside = selected(experiment, spec)
    baseline = spec.get("baseline")
    gpu = [case for case in cases if case.device == "gpu"]
    theirs, theirs_beside = selected(reference, spec) if reference is not None else ([], ())
    borrows = not any(case.shown for case in gpu) and any(case.shown and case.device == "gpu"
                                                          for case in theirs)
    whole = View(experiment.name, kind, title, tuple(cases), with_best_ceilings(experiment.runs),
                 baseline, beside=beside, counters=experiment.counters, counted=experiment.counted,
                 everywhere=experiment.everywhere, unlike_twins=experiment.no_pairs["code"])
    if not borrows and _lacks_gpu(experiment, cases):
        return []
    if any(case.shown for case in gpu) or not (gpu or borrows):
        return by_host(whole, experiment.runs)
    own = [case for case in cases if case.device != "gpu"]
    made = []
    if registry.has(kind, own):
        made += by_host(replace(whole, cases=tuple(own), absent=tuple(gpu)), experiment.runs)
    if reference is not None and borrows:
        made += by_host(View(experiment.name, kind, title, tuple(theirs), {}, baseline,
                             reference=True, beside=theirs_beside, counters=reference.counters,
                             counted=reference.counted, everywhere=reference.everywhere),
                        reference.runs)
    return made or by_host(whole, experiment.runs)


def every_view(experiment: Experiment, what: str, reference: Experiment | None) -> list[View]:
    """The views of all its "tables" or "figures"."""
    return [view for spec in specs(experiment, what) for view in views(experiment, spec, reference)]


def _title(experiment: Experiment, spec: dict[str, Any]) -> str:
    """"A first look – time against size", or with the definition's own title of the table or
    figure."""
    name = title_of(experiment)
    group = spec.get("group") if registry.titled_by_group(spec["kind"]) else None
    own = shortened(recorded(str(spec.get("title") or group or registry.title_of(spec["kind"]))),
                    MOST_TITLE)
    if own.startswith(name):
        return own
    return say("{name} – {own}", name=name,
               own=own) if own and own.casefold() != name.casefold() else name
