"""The table of bursts and sustained loads, and that nothing ranks one against the other."""

from __future__ import annotations

from array import array
from dataclasses import replace

import pytest
from sample_records import make_case

from analysis.answer.energy import spent_of
from analysis.answer.points import usable, way_of
from records.baselines import Baselines
from records.cases.case_reader import CaseReader
from records.cases.series import series_of
from records.schema.lines import checked
from records.view import View
from report.findings.standing import ranked_parts
from report.kinds.sustained import kept_of, sustained_head, sustained_table

SUSTAINED = {"load": "sustained", "sustained_s": 5.01, "energy_j_per_call": 2.0,
             "energy_calls": 100, "energy_s": 0.4, "energy_source": "nvml counter",
             "rates_per_j": {"gflop_per_j": 68.5}, "clock_mhz": 1365.0}


def pair(name: str = "gpu.tensor", size: int = 4096, burst_s: float = 1e-3,
         sustained_s: float = 1.25e-3, **more) -> list:
    return [make_case(name, (burst_s,) * 9, size=size, device="gpu", label=name),
            make_case(name, (sustained_s,) * 9, size=size, device="gpu", label=f"{name}, sustained",
                      place=1, rounds=array("q", range(100, 109)), **SUSTAINED | more)]


def view_of(cases: list, **more) -> View:
    return View(experiment="e", kind="sustained", title="t", cases=tuple(cases), run={}, **more)


def test_a_row_tells_both_rates_what_is_kept_clock_power_and_joules() -> None:
    table = sustained_table(view_of(pair()))
    [row] = table.rows
    assert row.heads == ("4096", "tensor")
    burst, sustained, kept, clock, watts, joules, per_watt = row.cells
    assert burst.value == pytest.approx(2e-9 * 4096**3 / 1e-3)
    assert sustained.value == pytest.approx(2e-9 * 4096**3 / 1.25e-3)
    assert kept.value == pytest.approx(0.8) and "tie" not in kept.text
    assert (clock.value, watts.value, joules.value) == (1365.0, pytest.approx(500.0), 2.0)
    assert per_watt.value == 68.5
    assert "5 s" in table.caption and "NVML" in table.caption and "missing" not in table.caption


def test_without_a_burst_or_an_energy_there_are_dashes_and_the_reason() -> None:
    [_, alone] = pair(energy_j_per_call=None, energy_source=None, energy_calls=None, energy_s=None,
                      rates_per_j={}, no_energy="energy_uj is readable by root only")
    table = sustained_table(view_of([alone]))
    [row] = table.rows
    assert [cell.text for cell in row.cells if cell.value is None] == ["–"] * 5
    assert "readable by root only" in table.caption


def test_a_burst_alone_has_no_table() -> None:
    table = sustained_table(view_of(pair()[:1]))
    assert not table.rows and "sustained" in table.caption


def test_pairs_are_of_one_shape_and_implementation() -> None:
    cases = [*pair(), *pair(size=8192), *pair("gpu.pipelined")]
    for kept in kept_of(view_of(cases)):
        assert kept.burst is not None and not kept.burst.load
        assert (kept.burst.shape, kept.burst.implementation) == (kept.sustained.shape,
                                                                 kept.sustained.implementation)
    assert len(kept_of(view_of(cases))) == 3


def test_what_is_sustained_is_ranked_apart_and_decides_no_comparison_of_devices() -> None:
    burst, sustained = pair()
    assert usable(burst) and not usable(sustained) and way_of(sustained) == ""
    assert spent_of([burst,
                     sustained]) == [], "the energy of a burst's table is none of a sustained load"
    parts = ranked_parts(view_of([burst, sustained]), [])
    assert sorted((text, [case.load for case in cases]) for text, cases in parts) == [
        ("", [None]), ("sustained", ["sustained"])]
    same_label = make_case("gpu.tensor", (1.25e-3,) * 9, size=4096, device="gpu",
                           label="gpu.tensor", **SUSTAINED)
    assert len(series_of([burst, same_label])) == 2


def test_a_baseline_is_of_the_same_load() -> None:
    cases = [*pair("gpu.cublas"), *pair()]
    baselines = Baselines(view_of(cases, baseline={"implementation": "gpu.cublas"}))
    for case in cases:
        assert baselines.of(case) is None or baselines.of(case).load == case.load


def test_a_record_is_read_with_its_load_and_an_older_one_is_a_burst() -> None:
    line = {"kind": "case", "run_id": "r", "case_id": "c", "experiment": "e",
            "implementation": "gpu.tensor", "status": "ok", "dims": {"m": 8, "n": 8, "k": 8}}
    assert CaseReader().read(checked(line)).load is None
    read = CaseReader().read(checked(line | {"load": "sustained",
                                             "sustained_s": 5.2, "no_energy": "why",
                                             "rates_per_j": {"gflop_per_j": 70.5}}))
    assert (read.load, read.sustained_s, read.no_energy,
            read.rates_per_j) == ("sustained", 5.2, "why", {"gflop_per_j": 70.5})
    for key, value in (("load", 5), ("sustained_s", -1), ("no_energy", 3), ("rates_per_j", [1])):
        with pytest.raises(ValueError, match=key):
            checked(line | {key: value})


def test_conditions_say_which_load_it_is_but_of_energy_which_is_of_other_calls() -> None:
    burst, sustained = pair()
    assert ("sustained load" in view_of([sustained]).conditions
            and "burst" not in view_of([sustained]).conditions)
    assert "bursts, and sustained load where a label says so" in view_of([burst,
                                                                          sustained]).conditions
    assert ("sustained" not in view_of([burst]).conditions
            and "; bursts." in view_of([burst]).conditions)
    assert "burst" not in replace(view_of([burst]), kind="energy").conditions


def test_the_head_is_of_the_sustained_load_over_the_fastest_library_not_of_the_burst() -> None:
    """In a burst 2 times, kept up 1.25 and 1.0 times; a slower library decides nothing."""
    cases = [case for size, kept in ((4096, 0.8e-3), (8192, 1e-3)) for case in (
        *pair("gpu.pipelined", size, 0.5e-3, kept, precision="fp32"),
        *pair("gpu.cublas", size, 1e-3, 1e-3, library=True),
        *pair("gpu.cublaslt", size, 2e-3, 2e-3, library=True))]
    head = sustained_head(view_of(cases))
    assert head.finding == ("Sustained, pipelined is 1.12 times as fast as cuBLAS in geometric "
                            "mean over 2 sizes, 1.000 at worst (8192); in a burst 2.00")
    assert sustained_head(view_of(pair())) is None
