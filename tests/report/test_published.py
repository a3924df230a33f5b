"""Published claims: every verdict comes from the records it should, by the rule that data/published/README.md states."""

import re
from pathlib import Path

import pytest
from conftest import make_case

from report.published.claims import Claim
from report.published.facts import value_text
from report.published.judge import (
    DIRECTION,
    NOT_HERE,
    NOT_REPRODUCED,
    REPRODUCED,
    judge,
)
from report.published.points import Points
from report.published.texts import say
from report.published.why import tolerance_text, why
from report.records import Experiment, Results

GPU_RUN = {"run_id": "r", "started_utc": "2026-11-21T00:00:00Z", "gpus": [{"name": "NVIDIA H200"}],
           "host": {"cpu": "Xeon", "cores": 16, "caches": {"l2": 2097152}}}


CPU_RUN = GPU_RUN | {"gpus": []}


def results(*cases, run=GPU_RUN, counters=(), folder=Path("/nowhere"), name="e"):
    return Results(folder, [Experiment(name, folder, [run], list(cases),
                                       counters={str(number): one for number, one in enumerate(counters)})], [])


def case(implementation, seconds, count=9, **more):
    """Samples within 1 % of `seconds`, in rounds that all cases share."""
    spread = [1 + 0.001 * ((7 * turn) % 9 - 4) for turn in range(count)]
    return make_case(implementation, tuple(seconds * one for one in spread), **more)


def point(implementation, **more):
    return {"implementation": implementation, "size": 64, "experiments": "e"} | more


def claim(holds="above", over=None, under=None, published="2", **more):
    reasons = {"why": "{over_time} and {under_time}", "why_zh": "{over_time} 与 {under_time}"}
    return Claim("s", "c", "It pays", "划算", "speedup", published, holds, more.pop("measure", "ratio"),
                 over or (point("cpu.serial"),), under or (point("cpu.ikj"),), reasons=more.pop("reasons", reasons), **more)


def judged(one, *cases, **more):
    return judge(one, Points(results(*cases, **more)))


@pytest.mark.parametrize("holds, published, over_s, verdict", [
    ("above", "2", 2.0, REPRODUCED), ("above", "2", 0.5, NOT_REPRODUCED), ("above", "2", 1.0, NOT_REPRODUCED),
    ("below", "0.5", 0.5, REPRODUCED), ("below", "0.5", 2.0, NOT_REPRODUCED), ("below", "0.5", 1.0, NOT_REPRODUCED),
    ("near", "1", 1.0, REPRODUCED), ("near", "1", 1.09, REPRODUCED), ("near", "1", 1.12, DIRECTION),
    ("near", "1", 0.85, DIRECTION), ("near", "1", 1.25, NOT_REPRODUCED), ("near", "1", 0.5, NOT_REPRODUCED),
    # the gain over 1 is compared, within a factor of two: of 2 that is 1.5 to 3, of 1.05 it is 1.025 to 1.10
    ("above", "2", 1.51, REPRODUCED), ("above", "2", 1.49, DIRECTION), ("above", "2", 2.99, REPRODUCED),
    ("above", "2", 3.01, DIRECTION), ("above", "1.05", 1.09, REPRODUCED), ("above", "1.05", 1.9, DIRECTION),
    ("above", "2541", 901.0, DIRECTION), ("below", "0.5", 0.66, REPRODUCED), ("below", "0.5", 0.67, DIRECTION)])
def test_a_claim_is_judged_by_the_interval_of_its_ratio(holds, published, over_s, verdict):
    found = judged(claim(holds, published=published), case("cpu.serial", over_s), case("cpu.ikj", 1.0))
    assert found.verdict == verdict
    assert found.measured.value == pytest.approx(over_s) and found.measured.low <= found.measured.value <= found.measured.high


def test_an_interval_that_holds_1_decides_for_neither_side():
    over = make_case("cpu.serial", (0.8, 0.9, 1.0, 1.1, 1.2, 0.85, 1.15, 1.05, 0.95))
    found = judged(claim(), over, case("cpu.ikj", 0.99))
    assert found.verdict == NOT_REPRODUCED
    assert say("undecided") in why(found, Points(results(over)), [])


def test_an_interval_that_leaves_the_band_is_no_little_difference():
    found = judged(claim("near"), make_case("cpu.serial", (1.0, 1.02, 1.05, 1.08, 1.19, 1.19, 1.19, 1.01, 1.06)),
                   make_case("cpu.ikj", (1.0,) * 9))
    assert found.verdict == DIRECTION and 0.9 < found.measured.value < 1.1
    assert say("not_so_little") in why(found, Points(results()), [])


def test_a_claim_of_a_direction_says_where_the_size_is_another():
    """"Over 400 times" that came out as 13 times is not "reproduced"."""
    cases = case("cpu.serial", 13.0), case("cpu.ikj", 1.0)
    found = judged(claim(published="542"), *cases)
    assert found.verdict == DIRECTION
    assert "The direction holds, the size does not: 13.0 [" in (text := why(found, Points(results(*cases)), []))
    assert text.count("542 by the claim.") == 1
    for published in ("20", "7.0", "loses", ""):
        found = judged(claim(published=published), *cases)
        assert found.verdict == REPRODUCED and "the size does not" not in why(found, Points(results(*cases)), [])


@pytest.mark.parametrize("more, over_s, verdict, words", [
    ({"least": 400.0}, 12.7, DIRECTION, "over 400 by the claim"), ({"least": 400.0}, 300.0, DIRECTION, "over 400 by the claim"),
    ({"least": 400.0}, 410.0, REPRODUCED, ""), ({"least": 2.0, "published": "2.41"}, 16.9, REPRODUCED, ""),
    ({"least": 400.0}, 0.9, NOT_REPRODUCED, ""),
    ({"range": (5.0, 10.0)}, 6.0, REPRODUCED, ""), ({"range": (5.0, 10.0)}, 2.0, DIRECTION, "5.00 to 10.0 by the claim"),
    ({"names": 1.5, "published": "9"}, 1.6, REPRODUCED, ""), ({"names": 1.5, "published": "3"}, 3.0, DIRECTION, "1.50 by the claim")])
def test_a_number_in_the_statement_judges_it_whatever_the_figure_is(more, over_s, verdict, words):
    cases = case("cpu.serial", over_s), case("cpu.ikj", 1.0)
    found = judged(claim(**{"published": "542", **more}), *cases)
    assert found.verdict == verdict and words in why(found, Points(results(*cases)), [])


def test_added_time_is_compared_as_time():
    cases = case("cpu.serial", 1.040), case("cpu.ikj", 1.0)
    assert judged(claim(shown="added ms", published="50 ms"), *cases).verdict == REPRODUCED
    assert judged(claim(shown="added ms", published="90 ms"), *cases).verdict == DIRECTION


def test_sides_of_different_runs_are_told():
    cases = case("cpu.serial", 2.0), case("cpu.ikj", 1.0, run_id="other")
    assert say("runs") in why(judged(claim(), *cases), Points(results(*cases)), [])
    cases = case("cpu.serial", 2.0), case("cpu.ikj", 1.0)
    assert say("runs") not in why(judged(claim(), *cases), Points(results(*cases)), [])


@pytest.mark.parametrize("shown, text", [("percent", "200.0 % "), ("added ms", "1,000 ms "), ("times", "2.00 ")])
def test_a_measured_figure_has_its_unit(shown, text):
    value = judged(claim(shown=shown), case("cpu.serial", 2.0), case("cpu.ikj", 1.0)).measured
    number, _, unit = re.sub(r" \[.*?\]", "", value_text(value)).partition(" ")
    wanted, _, wanted_unit = text.strip().partition(" ")
    assert float(number.replace(",", "")) == pytest.approx(float(wanted.replace(",", ""))) and unit == wanted_unit


def test_too_few_samples_widen_the_interval_and_are_named():
    cases = case("cpu.serial", 20.0, count=1), case("cpu.ikj", 1.0, count=3)
    found = judged(claim(published="20"), *cases)
    assert found.verdict == REPRODUCED and found.measured.rough and found.measured.low < 20 / 1.25 * 1.01
    assert judged(claim(), case("cpu.serial", 1.1, count=1), cases[1]).verdict == NOT_REPRODUCED
    cases[0].sample_count, cases[1].sample_count = 1, 3
    assert "1 and 3 samples" in why(found, Points(results(*cases)), [])


@pytest.mark.parametrize("cases, run, words", [
    ((), CPU_RUN, "no GPU"), ((), GPU_RUN, "gemmlab run e"),
    ((("gpu.naive", "crashed"),), GPU_RUN, "crashed – signal 11")])
def test_what_cannot_be_measured_says_what_is_missing(cases, run, words):
    made = [make_case(name, status=status, reason="signal 11") for name, status in cases]
    one = claim(over=(point("gpu.naive"),))
    found = judged(one, case("cpu.ikj", 1.0), *made, run=run)
    assert found.verdict == NOT_HERE and found.measured is None
    assert words in why(found, Points(results(run=run)), [])


def test_a_number_whose_result_was_wrong_judges_nothing():
    found = judged(claim(), case("cpu.serial", 2.0, verdicts=("incorrect",)), case("cpu.ikj", 1.0))
    assert found.verdict == NOT_HERE


def test_rounds_that_both_shared_come_before_a_later_run():
    later = case("cpu.serial", 9.0, run_id="later")
    found = judged(claim(), case("cpu.serial", 2.0), case("cpu.ikj", 1.0), later)
    assert found.measured.value == pytest.approx(2.0) and found.measured.over.run_id == "r"


def test_of_several_points_the_fastest_counts_and_one_without_a_number_does_not():
    over = (point("cpu.serial"), point("cpu.blocked"), point("cpu.openmp"))
    found = judged(claim(over=over), case("cpu.serial", 4.0), case("cpu.blocked", 3.0), case("cpu.ikj", 1.0))
    assert found.measured.over.implementation == "cpu.blocked" and found.measured.value == pytest.approx(3.0, rel=0.01)


def test_of_one_point_with_several_tiles_the_fastest_counts():
    tiles = [case("gpu.pipelined", seconds, parameters={"tile": tile}) for tile, seconds in (("128x128", 1.0), ("32x32", 5.0))]
    under = (point("gpu.pipelined"), point("gpu.naive"))
    found = judged(claim(over=(point("gpu.cublas"),), under=under), case("gpu.cublas", 2.0), case("gpu.naive", 9.0), *tiles)
    assert found.measured.under.parameters == {"tile": "128x128"}


def test_parameters_and_scope_tell_points_apart():
    cases = [case("gpu.tiled", seconds, parameters={"block": block}, scope=scope) for block, seconds, scope in
             ((4, 3.0, "kernel"), (32, 1.0, "kernel"), (4, 9.0, "end-to-end"))]
    found = judged(claim(over=(point("gpu.tiled", block=4),), under=(point("gpu.tiled", block=32),)), *cases)
    assert found.measured.value == pytest.approx(3.0)
    all_cores = claim(over=(point("cpu.openmp", threads="cores"),), under=(point("cpu.openmp", threads=1),))
    cases = [case("cpu.openmp", seconds, parameters={"threads": threads}) for threads, seconds in ((1, 8.0), (8, 2.0), (16, 1.0))]
    assert judged(all_cores, *cases).measured.value == pytest.approx(1 / 8)


def test_what_must_hold_besides_can_undo_a_verdict():
    cases = [case("cpu.serial", 1.0), case("cpu.ikj", 1.0), case("cpu.blocked", 3.0)]
    further = ({"over": (point("cpu.blocked"),), "under": (point("cpu.ikj"),)},)
    found = judged(claim("near", also=further), *cases)
    assert found.verdict == NOT_REPRODUCED and "blocked over ikj is 3.00" in why(found, Points(results(*cases)), [])
    assert judged(claim("near", also=further), *cases[:2]).verdict == REPRODUCED, "not measured decides nothing"
    larger = case("cpu.serial", 2.0)
    found = judged(claim(largest_of=further), larger, *cases[1:])
    assert found.verdict == NOT_REPRODUCED and say("not_largest", over="blocked", under="ikj",
                                                   value="3.00 [3.00, 3.00]") in why(found, Points(results(*cases)), [])
    assert judged(claim(largest_of=further), larger, cases[1]).verdict == NOT_HERE, "the largest of what was not measured?"
    assert judged(claim(largest_of=further), larger, cases[1], case("cpu.blocked", 1.5)).verdict == REPRODUCED


def test_figures_come_in_the_unit_of_the_source():
    cases = [case("cpu.serial", 0.03), case("cpu.ikj", 0.02)]
    value, low, high = judged(claim(shown="added ms"), *cases).measured.shown()
    assert value == pytest.approx(10, rel=0.01) and low <= value <= high
    value, *_ = judged(claim("below", shown="percent"), case("cpu.serial", 0.01), cases[1]).measured.shown()
    assert value == pytest.approx(50, rel=0.01)


def counters(implementation, metrics, size=64, **parameters):
    return {"case_id": "x", "implementation": implementation, "parameters": parameters, "m": size, "n": size, "k": size,
            "metrics": {name: {"value": value, "unit": ""} for name, value in metrics.items()}}


def test_a_reason_that_asks_for_what_is_not_recorded_names_the_machine():
    found = judged(claim(reasons={"why": "{over_occupancy}", "why_zh": "{over_occupancy}"}), case("cpu.serial", 2.0),
                   case("cpu.ikj", 1.0))
    text = why(found, Points(results(case("cpu.serial", 2.0), case("cpu.ikj", 1.0))), [])
    assert "Xeon" in text and "{" not in text


@pytest.mark.parametrize("form, text", [
    ("Times {over_time}; {over_occupancy} are active.", "Times 2.00 s."), ("{over_occupancy}. It took {over_time}.", "It took 2.00 s."),
    ("Of 1.5 it took {over_time}; nothing else; {over_l2} moved.", "Of 1.5 it took 2.00 s; nothing else.")])
def test_of_a_reason_only_the_clause_goes_that_asks_for_what_is_not_recorded(form, text):
    cases = case("cpu.serial", 2.0), case("cpu.ikj", 1.0)
    assert why(judged(claim(reasons={"why": form, "why_zh": form}), *cases), Points(results(*cases)), []) == text


def test_an_absolute_tolerance_is_shown_to_fail_right_products():
    large = [case(name, 1.0, size=4096, eta_max=2.0) for name in ("gpu.naive", "gpu.cublas")]
    text = tolerance_text(Points(results(*large)))
    assert "2 of 2" in text and "1.2e-04" in text
    assert tolerance_text(Points(results(case("gpu.naive", 1.0, size=64, eta_max=2.0)))) == ""
