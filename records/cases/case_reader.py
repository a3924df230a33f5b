"""Reads a point from its line. An attribute that is a number, a word or absent needs no line here:
where records/schema/lines.py says what type it has in a record, and case.py has a field of that
name without a value of its own, it is read as it stands.
"""

from __future__ import annotations

from array import array
from dataclasses import fields
from typing import Any

from files.safe import cleaned, shown
from records.schema.lines import CaseLine
from records.schema.older import (
    device_of,
    dims_of,
    is_reference,
    name_parts_of,
    rates_of,
    variant_of,
)
from records.schema.older_names import family_of
from records.schema.operations import GEMM

from .case import Case

_AS_THEY_STAND = {field.name: str(field.type) for field in fields(Case)
                  if field.init and field.default is None
                  and field.name in CaseLine.__struct_fields__}
WORDS = tuple(name for name, kind in _AS_THEY_STAND.items() if kind == "str | None")
NUMBERS = tuple(name for name in _AS_THEY_STAND if name not in WORDS)


def _timed(line: dict[str, Any]) -> tuple[array, array]:
    """(rounds, samples) side by side; a sample without a number is left out with its round."""
    turns, samples = line.get("rounds") or (), line.get("samples_s") or ()
    if None not in samples:
        return array("q", turns), array("d", samples)
    pairs = [(turn, sample) for turn, sample in zip(turns, samples) if sample is not None]
    return array("q", [turn for turn, _ in pairs]), array("d", [sample for _, sample in pairs])


class CaseReader:
    """Reads cases of lines that records/schema/lines.py has checked. A hundred thousand records
    share few texts, rounds, parameters and resources: each is kept once, as it may be shown, and
    nobody may change one."""

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
        # the type too: 1, 1.0 and True are equal
        key = tuple([(name, type(one), one) for name, one in made.items()])
        known = self._tables.get(key)
        if known is None:
            known = self._tables[key] = cleaned(made, shown)
        return known

    def read(self, line: dict[str, Any]) -> Case:
        """The case of a checked line."""
        get, text, word = line.get, self._text, self._word
        interval, checks = get("ci95_s") or (), get("verify") or ()
        rounds, samples = _timed(line)
        # all points of a group share their rounds
        rounds = self._rounds.setdefault(rounds.tobytes(), rounds)
        implementation = text(line["implementation"])
        as_they_stand: dict[str, Any] = {name: get(name) for name in NUMBERS}
        as_they_stand |= {name: word(get(name)) for name in WORDS}
        return Case(
            run_id=text(line["run_id"]), case_id=shown(line["case_id"]),
            experiment=text(line["experiment"]), implementation=implementation,
            device=text(device_of(line)), name_parts=self._texts_of(name_parts_of(line)),
            family=text(get("family") or family_of(implementation)),
            variant_of=text(variant_of(line)), library=is_reference(line),
            parameters=self._table(get("parameters")), label=text(get("label") or implementation),
            operation=text(get("operation") or GEMM), dims=self._table(dims_of(line)),
            options=self._table(get("options")), rates=rates_of(line),
            scope=text(get("scope") or "kernel"), cache=text(get("cache") or "cold"),
            distribution=text(get("distribution") or "uniform"),
            group=text(get("group") or ""), status=text(line["status"]),
            reason=text(get("reason") or ""), precision=text(get("precision") or "fp32"),
            verdicts=self._texts_of([check["verdict"] for check in checks]), samples_s=samples,
            rounds=rounds, measured_s=get("median_s"),
            ci95_s=(float(interval[0]), float(interval[1])) if interval and None not in interval
            else None, of_ceiling=get("of_ceiling"), bound_by=word(get("bound_by")),
            threads_actual=get("threads_actual") or 0, warnings=self._texts_of(get("warnings")),
            timing=text(get("timing") or "launch"), sample_count=get("sample_count")
            or len(samples), calls_per_sample=get("calls_per_sample") or 1,
            stop_reason=text(get("stop_reason") or ""), replica=get("replica") or 0,
            handicap=float(get("handicap") or 0.0), cores=self._numbers(get("cores")),
            fingerprint=get("fingerprint") or "",
            throttle_reasons=self._texts_of(get("throttle_reasons")),
            remeasured=bool(get("remeasured")), chosen=self._table(get("chosen")),
            resources=self._table(get("resources")), phases_s=_seconds(get("phases_s")),
            rates_per_j={shown(name): rate for name, rate in (get("rates_per_j") or {}).items()
                         if rate is not None},
            first_call_s={shown(name): list(map(float, values))
                          for name, values in (get("first_call_s") or {}).items()},
            steady_s=tuple([float(value) for value in get("steady_s") or () if value is not None]),
            eta_max=max([check["eta_max"] for check in checks if check.get("eta_max") is not None],
                        default=None), **as_they_stand)


def _seconds(phases: dict[str, Any] | None) -> dict[str, float]:
    if not phases:
        return {}
    if None not in phases.values() and "".join(phases).isprintable():
        return phases
    return {shown(name): value for name, value in phases.items() if value is not None}
