"""What a lead over a library comes to over the fastest that another experiment of its host timed: a
library's time differs by experiment, and the slowest of them flatters ours."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.answer.over_hosts import clearly_faster
from analysis.answer.points import usable
from language import say
from records.cases.case import Case
from records.cases.phrases import unsound
from records.cases.ratios import unpaired
from records.names.naming import bare_name
from records.names.numbers import plain, ratio_text


def _place(case: Case) -> tuple:
    return (case.host, case.device, case.shape, case.precision, case.regime, case.threads,
            case.cards, case.parameters.get("operands"))


def lead_elsewhere(library: Case, own: Case, cases: Iterable[Case]) -> str:
    """"1.07 times cuBLAS in timer_check, 50,723 GFLOP/s": of `own`, where a sound library of
    another experiment, on the same host in the same way, is clearly faster than `library`; else
    empty."""
    like = (case for case in cases if case.library and case.experiment != library.experiment
            and usable(case) and not unsound(case, own) and _place(case) == _place(library))
    best = min(clearly_faster(like, library), key=lambda case: case.median_s, default=None)
    return say("{times} times {name} in {experiment}, {rate} {unit}",
               times=ratio_text(unpaired(best, own).value), name=bare_name(best),
               experiment=best.experiment, rate=plain(best.rate), unit=best.rate_unit) \
        if best else ""
