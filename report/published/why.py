"""Why a claim came out as it did, in a sentence or two of evidence."""

from __future__ import annotations

import re

from ..case import Case
from ..doctor.finding import Finding
from ..language import using
from ..numbers import percent, plain, with_interval
from ..operations import GEMM, shape_text
from ..view import machine_name
from .facts import LADDER, facts_of, value_text
from .judge import (
    DIRECTION,
    NEAR,
    NOT_REPRODUCED,
    REPRODUCED,
    VERDICTS,
    Judged,
)
from .measures import COUNTED
from .points import Points, experiments_of
from .tables import reason
from .texts import LANGUAGES, say

_COUNTED = re.compile(r"\{\w+_(?:counted_at|occupancy|fma|sectors|conflicts|l2|instructions|requests|asked)\}")
_DOCTOR_RULES = ("threads-bring-nothing", "threads-did-not-run", "threads-share-cores")


def statement(judged: Judged, language: str) -> str:
    """What the source says."""
    return judged.claim.statement_zh if language == "zh" else judged.claim.statement


def _form(judged: Judged, language: str) -> str:
    suffix = "" if language == LANGUAGES[0] else f"_{language}"
    reasons = judged.claim.reasons
    if judged.verdict == NOT_REPRODUCED and f"why_not{suffix}" in reasons:
        return reasons[f"why_not{suffix}"]
    return reasons[f"why{suffix}"]


def _filled(form: str, facts: dict[str, str]) -> str:
    """The form without those of its clauses that ask for what no record holds; empty where none can be filled."""
    kept = []
    for clause in filter(None, re.split(r"(?<=[;；。])\s*|(?<=\.)\s+", form)):
        try:
            kept.append(clause.format_map(facts))
        except KeyError:
            if kept and clause.endswith((".", "。")):
                kept[-1] = kept[-1].rstrip(";；") + clause[-1] if kept[-1].endswith((";", "；")) else kept[-1]
    return "".join(kept) if "。" in form else " ".join(kept)


def _evidence(judged: Judged, points: Points, language: str) -> str:
    filled = _filled(_form(judged, language), facts_of(judged, points, language))
    if filled:
        return filled
    cases = _cases(judged)
    run = points.run_of(cases[0]) if cases else {}
    return say("machine", language, machine=machine_name(run, gpu=any(case.device == "gpu" for case in cases)))


def _cases(judged: Judged) -> list[Case]:
    value = judged.measured
    return [case for case in (value.over, value.under) if case is not None] if value else []


def _size_differs(judged: Judged, language: str) -> str:
    """Of a claim whose direction alone holds: the size here, and the size that it says."""
    claim = judged.claim
    if claim.holds == "near":
        return say("not_so_little", language)
    if claim.least is not None:
        there = say("over_number", language, number=plain(claim.least))
    elif claim.range:
        there = say("from_to", language, low=plain(claim.range[0]), high=plain(claim.range[1]))
    else:
        there = claim.published if claim.names is None else plain(claim.names)
    return say("size_differs", language, value=value_text(judged.value), published=there)


def _qualified(judged: Judged, points: Points, language: str) -> list[str]:
    """What limits the verdict: a condition beside the figure, its size, few samples, different runs, noise, disturbances."""
    value, cases, failed = judged.value, _cases(judged), judged.failed
    low, high = value.ends
    said: list[str] = []
    if failed:
        other = failed.value
        said.append(say(failed.key, language, over=failed.over.name, under=failed.under.name,
                        shape=shape_text(*failed.under.shape),
                        value=with_interval(other.value, other.low, other.high)))
    elif judged.verdict == NOT_REPRODUCED and judged.claim.holds in ("above", "below") \
            and low <= 1 <= high:
        said.append(say("undecided", language))
    if judged.verdict == DIRECTION:
        said.append(_size_differs(judged, language))
    if judged.claim.measure == "processes":
        said.append(say("rough_first", language))
    elif value.rough and len(cases) == 1:
        said.append(say("rough_one", language, count=cases[0].sample_count))
    elif value.rough:
        said.append(say("rough", language, over=cases[0].sample_count, under=cases[1].sample_count))
    if len({case.run_id for case in cases}) > 1:
        said.append(say("runs", language))
    ratio = value.ratio
    if judged.verdict == REPRODUCED and judged.claim.holds in ("above", "below") and ratio is not None and ratio.tie \
            and NEAR[0] <= ratio.value <= NEAR[1]:
        said.append(say("within_noise", language, noise=percent(ratio.noise)))
    if any(case.disturbed for case in cases):
        said.append(say("disturbed", language))
    if any(case.throttled for case in cases):
        said.append(say("throttled", language))
    return said


def _doctor(judged: Judged, found: list[Finding]) -> list[str]:
    """What the doctor says of the threads of a CPU point, where the claim is about them. In the doctor's own language."""
    cases = _cases(judged)
    if len(cases) < 2 or {case.device for case in cases} != {"cpu"}:
        return []
    return [finding.text for finding in found if finding.rule in _DOCTOR_RULES
            and any(case.experiment in finding.experiment.split(", ") and (case.implementation in finding.text or
                                                                           case.name in finding.text) for case in cases)][:1]


def _experiments(judged: Judged) -> tuple[str, ...]:
    return experiments_of(judged.claim.over[0]) if judged.claim.over else ()


def _where(judged: Judged, points: Points, language: str) -> list[str]:
    """On which host the claim was measured, where the records come from several; and that what was counted is another card's."""
    with using(language):
        hosts = [points.host_of(case) for case in _cases(judged)[:1]] or [points.host_text(judged.value.host)]
        found = [say("on_host", language, host=host) for host in hosts if host]
        if judged.claim.measure in COUNTED or _COUNTED.search(_form(judged, language)):
            found.append(points.counted_elsewhere((*_experiments(judged), LADDER)))
    return list(filter(None, found))


def why(judged: Judged, points: Points, found: list[Finding], language: str = "en") -> str:
    """The reason; for a claim that cannot be measured here, what is missing."""
    if judged.absent is not None:
        return reason(judged.absent, _experiments(judged), language)
    sentences = [_evidence(judged, points, language), *_qualified(judged, points, language), *_doctor(judged, found),
                 *_where(judged, points, language)]
    return ("" if language == "zh" else " ").join(sentences)


def tolerance_text(points: Points, language: str = "en") -> str:
    """What a check by an absolute tolerance of 1e-5, as reports like these use, would have made of the right products here;
    empty where it would have passed them all. |A||B| is K/4 on average, for elements uniform in [-1, 1)."""
    cases = [case for experiment in points.results.experiments for case in experiment.cases
             if case.operation == GEMM and case.device == "gpu" and case.shown and case.precision == "fp32"
             and case.distribution == "uniform" and case.m == case.n == case.k and case.eta_max]
    if not cases:
        return ""
    largest = max(case.k for case in cases)
    by_method = {(case.implementation, str(case.parameters)): case for case in cases if case.k == largest}
    errors = [(eta * 2.0**-24 * largest / 4, case.label, eta, case.name)
              for case in by_method.values() if (eta := case.eta_max)]
    failing = [one for one in errors if one[0] > 1e-5]
    if not failing:
        return ""
    error, _, eta, name = max(failing)
    return say("tolerance", language, failing=len(failing), count=len(errors), k=largest,
               label=name, eta=plain(eta), error=f"{error:.1e}")


def statuses(judged: list[Judged]) -> dict[str, int]:
    """How many of each verdict, under the names that the text of the counts has."""
    return {verdict.replace(" ", "_"): sum(one.verdict == verdict for one in judged) for verdict in VERDICTS} | {
        "count": len(judged)}
