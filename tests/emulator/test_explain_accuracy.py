"""The model against the H200: the bars of data/emulated/bars.toml hold on every point that was not
used to fit it."""

from __future__ import annotations

import pytest

from emulator.counts.constants import CONSTANTS, FITTED
from emulator.model import model
from emulator.model.fit import bars, fit, is_fitted, rung_of
from emulator.model.ladder import (
    COUNTS,
    MEASURED,
    TENSOR_COUNTS,
    TENSOR_MEASURED,
    accuracy,
    measured,
    points,
)
from records.names.numbers import ranks


def pairs(fitted: bool) -> list[tuple[float, float]]:
    of = bars()["fit"]
    return [(point.explanation().seconds, point.seconds) for point in points()
            if point.seconds and is_fitted(point, of) == fitted]


def test_the_model_keeps_its_bars_on_what_it_was_not_fitted_to():
    found = accuracy(pairs(fitted=False))
    assert found.count >= 150
    assert found.mean_error <= bars()["mean_error"], found
    assert found.rank_correlation >= bars()["rank_correlation"], found


def tensor_pairs(multiple: int = 1) -> list[tuple[float, float]]:
    """Of the points on matrix units whose sides are all multiples of it."""
    return [(point.explanation().seconds, point.seconds) for point in points(TENSOR_COUNTS)
            if all(side % multiple == 0 for side in point.product.sides)]


def test_the_model_keeps_its_bars_on_matrix_units():
    bar, found, aligned = bars()["matrix_units"], accuracy(tensor_pairs()), tensor_pairs(128)
    assert found.count >= 25 and len(aligned) >= 20
    assert found.mean_error <= bar["mean_error"], found
    assert found.worst_error <= bar["worst_error"], found
    assert accuracy(aligned).worst_error <= bar["worst_error_of_aligned"], accuracy(aligned)
    assert found.rank_correlation >= bar["rank_correlation"], found


def test_without_the_passes_over_the_banks_matrix_units_fail(monkeypatch):
    bar = bars()["matrix_units"]
    monkeypatch.setattr(model, "memory_cycles", lambda site, card: 0.0)
    assert accuracy(tensor_pairs()).mean_error > bar["mean_error"]


def test_a_worse_model_fails(monkeypatch):
    """Without waiting, or with every unit adding up, the bars do not hold."""
    for worse in ({"softness": 1.0}, {"softness": 1.0, "own_work": 3.0}):
        for name, value in worse.items():
            monkeypatch.setitem(model.CONSTANTS, name, value)
        assert accuracy(pairs(fitted=False)).mean_error > bars()["mean_error"]


def test_every_rung_that_was_measured_was_counted():
    for counts, records in ((COUNTS, MEASURED), (TENSOR_COUNTS, TENSOR_MEASURED)):
        counted = {point.key for point in points(counts)}
        assert [key for key in measured(records)
                if key[0] not in bars()["not_predicted"] and key not in counted] == []


def test_no_kernel_of_the_fit_is_missing_and_most_of_the_ladder_is_not_in_it():
    rungs = bars()["fit"]["rungs"]
    assert set(rungs) <= {rung_of(point) for point in points()}
    assert len(pairs(fitted=True)) == len(rungs) < len(points()) / 5


def test_the_constants_are_those_that_the_fit_finds(monkeypatch):
    """From the committed ones no step that it tries is much better."""
    monkeypatch.setattr("emulator.model.fit.TRIALS", 60)
    before = {name: CONSTANTS[name] for name in FITTED}
    monkeypatch.setattr(model, "CONSTANTS", dict(CONSTANTS))
    monkeypatch.setattr("emulator.model.fit.CONSTANTS", dict(CONSTANTS))
    again = fit(points())
    assert all(again[name] == pytest.approx(value, rel=0.25)
               for name, value in before.items()), (again, before)


def test_the_rank_correlation_is_spearmans():
    assert ranks([3.0, 1.0, 3.0, 2.0]) == [2.5, 0, 2.5, 1]
    assert accuracy([(1, 10), (2, 20), (3, 30)]).rank_correlation == 1
    assert accuracy([(3, 10), (2, 20), (1, 30)]).rank_correlation == -1
    assert accuracy([(1.1, 1), (0.9, 1)]).mean_error == pytest.approx(0.1)
