"""Points under the roofs: at counted bytes where there are any, else at nominal ones, and what
binds whom."""

import pytest
from drawn import cut_off, figure_of, overlapping
from sample_records import experiment

from analysis.counters.roof_points import placed, roofline_finding, roofs_of
from records.view import View

RUN = {"gpus": [{"name": "A card", "uuid": "GPU-1", "sm_count": 100, "clocks": {"sm_mhz": 1000}}],
       "ceilings": [{"device": "gpu", "what": "fma", "value": 50_000.0, "unit": "GFLOP/s"},
                    {"device": "gpu", "what": "memory_read",
                     "level": "l2", "value": 9000.0, "unit": "GB/s"},
                    {"device": "gpu", "what": "memory_read", "level": "dram", "value": 4000.0,
                     "unit": "GB/s"}]}


def gpu_case(make, label, gflop_per_s, size=1000, **more):
    work = 2.0 * size**3 / 1e9
    return make("gpu.naive", label=label, parameters={"tile": label}, size=size,
                samples=(work / gflop_per_s,) * 7, case_id=f"{label} {size}",
                clock_mhz=1000.0, **more)


def counters(case, l1_loads=0.0, l2=0.0, dram=0.0):
    """Global loads take a cycle each where they ask for 4 sectors."""
    values = {"global_load_requests": l1_loads, "global_load_sectors_per_request": 4.0,
              "l2_bytes": l2, "dram_read_bytes": dram, "dram_write_bytes": 0.0}
    return {case.case_id: {"metrics": {name: {"value": value} for name, value in values.items()}}}


def view(cases, found=None, run=RUN):
    return View("e", "roofline", "T", tuple(cases), run, counters=found or {})


def test_a_counted_point_stands_at_the_counted_bytes_of_each_level(make):
    """2 GFLOP at 10,000 GFLOP/s take 0.2 ms, in which 100 SMs have 2e7 cycles."""
    case = gpu_case(make, "a", 10_000.0, moved_bytes=1.0)
    (point,) = placed(view([case], counters(case, l1_loads=1.6e7, l2=1e9, dram=1e8)), "gpu")
    assert (point.intensity == pytest.approx({"l1": 2e9 / (128 * 1.6e7), "l2": 2.0, "dram": 20.0})
            and point.nominal is None)
    assert point.shares == pytest.approx({"l1": 0.8, "l2": 5000 / 9000, "dram": 500 / 4000,
                                          "compute": 0.2})
    assert point.binding == "l1"


def test_nominal_bytes_stand_only_where_nothing_was_counted(make):
    (point,) = placed(view([gpu_case(make, "a", 10_000.0, moved_bytes=1e9)]), "gpu")
    assert point.intensity == {} and point.nominal == pytest.approx(2.0)
    (point,) = placed(view([gpu_case(make, "a", 10_000.0)]), "gpu")
    assert point.nominal == pytest.approx(2e9 / 12e6)


def test_a_profiled_shape_goes_before_a_larger_one(make):
    small, large = gpu_case(make, "a", 10_000.0), gpu_case(make, "a", 9_000.0, size=2000)
    (point,) = placed(view([small, large], counters(small, l2=1e9)), "gpu")
    assert point.case is small and placed(view([small, large]), "gpu")[0].case is large


def test_the_roof_of_the_first_level_is_computed_and_said_to_be(make):
    case = gpu_case(make, "a", 10_000.0)
    roofs = roofs_of(view([case], counters(case, l2=1e9)), "gpu")
    assert (roofs.first.value == pytest.approx(128 * 100 * 1e9 / 1e9)
            and [roof.level for roof in roofs.slopes] == ["l1", "l2", "dram"])
    assert roofs_of(view([case]),
                    "gpu").first is None, "without a counted point nothing stands under it"
    figure = figure_of(view([case], counters(case, l2=1e9)))
    assert "not measured" in figure.axes[0].get_legend().get_texts()[1].get_text()
    assert "The roof of L1 is not measured" in " ".join(text.get_text() for text in figure.texts)


def test_the_finding_says_what_binds_whom(make):
    cases = [gpu_case(make, "a", 10_000.0), gpu_case(make, "b", 40_000.0),
             gpu_case(make, "c", 1_000.0)]
    found = counters(cases[0], l1_loads=1.6e7, l2=1e8, dram=1e7) | counters(cases[
        1], l1_loads=1e6, l2=1e8, dram=1e7) | counters(cases[2], l1_loads=1e6, l2=1e8, dram=1e7)
    text = roofline_finding(view(cases, found))
    assert (text.startswith("L1 with shared memory binds") and "(80 %)" in text
            and "arithmetic binds" in text)
    assert "nothing binds" in text and text.endswith("DRAM nobody (5.0 % at most)")


def test_many_lines_are_told_by_the_fastest_of_each_implementation(make):
    cases = [gpu_case(make, f"way {way}", 1000.0 + way) for way in range(20)] + [
        make("gpu.cublas", label="cuBLAS", size=1000, samples=(1.0,) * 7)]
    assert {point.case.label for point in placed(view(cases), "gpu")} == {"way 19", "cuBLAS"}


def test_what_is_not_shown_is_not_placed(make):
    cases = [gpu_case(make, "a", 10_000.0), gpu_case(make, "b", 40_000.0, status="incorrect")]
    assert [point.case.label for point in placed(view(cases), "gpu")] == ["a"]


def test_the_text_of_the_figure_is_whole_and_clear():
    found = experiment("bench", "evidence")
    figure = figure_of(View("evidence", "roofline", "T", tuple(found.cases), found.run,
                            counters=found.counters))
    assert cut_off(figure) == [] and overlapping(figure) == []
