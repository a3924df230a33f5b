"""Published claims: the book is whole, and every verdict comes from the records it should."""

import csv
import re
import shutil
from array import array
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import ROOT, make_case
from report.published import chapters
from report.published.book import FOLDER, book, read
from report.published.claims import Claim
from report.published.facts import value_text
from report.published.judge import DIRECTION, NOT_HERE, NOT_REPRODUCED, REPRODUCED, judge
from report.published.points import OWN, Points
from report.published.tables import point_of
from report.published.texts import LANGUAGES, say
from report.published.why import tolerance_text, why
from report.records import Experiment, InputError, Results

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
    assert found.verdict == NOT_REPRODUCED and "blocked over cpu.ikj is 3.00" in why(found, Points(results(*cases)), [])
    assert judged(claim("near", also=further), *cases[:2]).verdict == REPRODUCED, "not measured decides nothing"
    larger = case("cpu.serial", 2.0)
    found = judged(claim(largest_of=further), larger, *cases[1:])
    assert found.verdict == NOT_REPRODUCED and say("not_largest", over="cpu.blocked", under="cpu.ikj",
                                                   value="3.00 [3.00, 3.00]") in why(found, Points(results(*cases)), [])
    assert judged(claim(largest_of=further), larger, cases[1]).verdict == NOT_HERE, "the largest of what was not measured?"
    assert judged(claim(largest_of=further), larger, cases[1], case("cpu.blocked", 1.5)).verdict == REPRODUCED


def test_figures_come_in_the_unit_of_the_source():
    cases = [case("cpu.serial", 0.03), case("cpu.ikj", 0.02)]
    value, low, high = judged(claim(shown="added ms"), *cases).measured.shown()
    assert value == pytest.approx(10, rel=0.01) and low <= value <= high
    value, *_ = judged(claim("below", shown="percent"), case("cpu.serial", 0.01), cases[1]).measured.shown()
    assert value == pytest.approx(50, rel=0.01)


def first_call(*samples, **more):
    return case("gpu.cublas", 1.0, count=len(samples), scope="first-call", samples_s=array("d", samples),
                rounds=array("q", range(len(samples))), steady_s=(0.01,) * len(samples), sample_count=len(samples),
                first_call_s={"context": [0.2] * len(samples), "allocation": [0.0002] * len(samples)}, **more)


def test_the_first_of_consecutive_processes_is_held_against_the_others():
    """Its runs 1 to 4 are four processes: not steady calls within one."""
    one = claim(over=(point("gpu.cublas", scope="first-call"),), measure="processes", least=2.0)
    slow = first_call(3.0, 1.0, 1.1, 1.0)
    found = judged(one, slow)
    assert found.verdict == REPRODUCED
    assert (found.measured.value, found.measured.low, found.measured.high) == pytest.approx((3.0, 3 / 1.1 / 1.25, 3 * 1.25))
    assert say("rough_first") in why(found, Points(results(slow)), [])
    assert judged(one, first_call(1.5, 1.0, 1.1, 1.0)).verdict == DIRECTION
    found = judged(one, alike := first_call(1.08, 1.0, 0.97, 0.96))
    assert found.verdict == NOT_REPRODUCED and say("undecided") in why(found, Points(results(alike)), [])
    assert judged(one, first_call(1.0)).verdict == NOT_HERE


@pytest.mark.parametrize("mode, words", [(True, "mode on"), (False, "mode off"), ("on", "mode on"), (None, "mode not recorded")])
def test_processes_name_the_driver_s_persistence_mode(mode, words):
    reasons = {"why": "{processes}; mode {persistence}", "why_zh": "{processes}"}
    one = claim(over=(point("gpu.cublas", scope="first-call"),), measure="processes", reasons=reasons)
    run = GPU_RUN | {"gpus": [{"name": "NVIDIA H200"} | ({} if mode is None else {"persistence_mode": mode})]}
    four = first_call(3.0, 1.0, 1.1, 1.0, 7.0)
    text = why(judged(one, four, run=run), Points(results(four, run=run)), [])
    assert text.startswith(f"3.00 s, 1.00 s, 1.10 s, 1.00 s; {words}")


def test_a_level_is_judged_by_the_range_that_the_claim_names():
    phases = claim("within", (point("gpu.cublas", scope="first-call"),), measure="phases", phases=("context",), range=(30.0, 80.0))
    found = judged(phases, first_call(*(0.3,) * 9))
    assert found.verdict == NOT_REPRODUCED and found.measured.shown()[0] == pytest.approx(200)
    assert judged(replace(phases, range=(150.0, 250.0)), first_call(*(0.3,) * 9)).verdict == REPRODUCED
    assert judged(phases, case("gpu.cublas", 0.5, scope="first-call")).verdict == NOT_HERE


def ceilings(*values, trusted=True):
    return [GPU_RUN | {"run_id": str(number), "ceilings": [
        {"device": "gpu", "what": what, "level": level, "value": value * scale, "unit": "GB/s", "trusted": trusted}
        for what, level, scale in (("memory_read", "l2", 2.0), ("memory_read", "dram", 1.0))]} for number, value in enumerate(values)]


def test_a_ceiling_is_the_latest_with_the_range_of_all_runs():
    one = claim("within", (), measure="ceiling", range=(1.0, 2.0), ceilings=({"device": "gpu", "what": "memory_read", "level": "dram"},))
    made = Results(Path("/nowhere"), [Experiment("e", Path("/nowhere"), ceilings(4.0, 2.0, 3.0))], [])
    found = judge(one, Points(made))
    assert found.verdict == NOT_REPRODUCED and found.measured.shown() == (3.0, 2.0, 4.0) and found.measured.unit == "GB/s"
    of_l2 = {"device": "gpu", "what": "memory_read", "level": "l2"}
    both = judge(replace(one, holds="above", range=(5.0, 10.0), ceilings=(of_l2, *one.ceilings)), Points(made))
    assert both.verdict == NOT_REPRODUCED and both.measured.value == pytest.approx(2.0), "runs lie too far apart"
    untrusted = Results(Path("/nowhere"), [Experiment("e", Path("/nowhere"), ceilings(3.0, trusted=False))], [])
    assert judge(one, Points(untrusted)).verdict == NOT_HERE


def test_a_rate_and_the_spread_of_rates_over_sizes():
    flat = claim("near", (point("gpu.naive"), point("gpu.naive", size=128)), measure="spread", published="1.06")
    small, large = case("gpu.naive", 1.0), case("gpu.naive", 8.4, size=128)
    found = judged(flat, small, large)
    assert found.verdict == REPRODUCED and found.measured.value == pytest.approx(1.05)
    assert judged(flat, small, case("gpu.naive", 2.0, size=128)).verdict == NOT_REPRODUCED
    assert judged(flat, small).verdict == NOT_HERE, "a size that was not measured may have been another"
    rate = claim("within", (point("gpu.naive"),), measure="rate", range=(1e-4, 1e-3))
    assert judged(rate, small).verdict == REPRODUCED and judged(rate, small).measured.unit == "GFLOP/s"


def counters(implementation, metrics, size=64, **parameters):
    return {"case_id": "x", "implementation": implementation, "parameters": parameters, "m": size, "n": size, "k": size,
            "metrics": {name: {"value": value, "unit": ""} for name, value in metrics.items()}}


def test_intensity_counts_the_bytes_that_lanes_asked_for():
    requests = 2 * 64**3 / 32  # a float of A and one of B for each term, 32 lanes a request
    naive = claim("equal", (point("gpu.naive"),), measure="intensity", published="0.25")
    found = judged(naive, counters=[counters("gpu.naive", {"global_load_requests": requests})])
    assert found.verdict == REPRODUCED and found.measured.value == pytest.approx(0.25)
    found = judged(naive, counters=[counters("gpu.naive", {"global_load_requests": requests / 2})])
    assert found.verdict == NOT_REPRODUCED and found.measured.value == pytest.approx(0.5)
    small = claim("equal", (point("gpu.tiled", block=4),), measure="intensity", published="1", tile=4)
    half_warps = 2 * 64**3 / 4 / 16
    found = judged(small, counters=[counters("gpu.tiled", {"global_load_requests": half_warps}, block=4)])
    assert found.measured.value == pytest.approx(1.0), "a block of 16 threads has 16 lanes that load"


def test_conflicts_are_passes_over_those_without():
    """A 16-wide tile's "32-fold" conflict: what was counted decides."""
    fold = claim("equal", (point("gpu.tiled", block=16),), measure="conflict fold", published="32")
    for conflicts, verdict, value in ((0, NOT_REPRODUCED, 1.0), (3100, REPRODUCED, 32.0)):
        found = judged(fold, counters=[counters("gpu.tiled", {"shared_wavefronts": 3200, "shared_load_bank_conflicts": conflicts},
                                                block=16)])
        assert found.verdict == verdict and found.measured.value == pytest.approx(value)
    assert judged(fold, counters=[counters("gpu.tiled", {"shared_wavefronts": 3200}, block=16)]).verdict == NOT_HERE


def test_a_share_of_a_counter_holds_at_its_own_size_only():
    share = claim("within", (point("gpu.tiled", block=4),), measure="counter", counter="stalled_barrier", share_of="warps_per_issue",
                  range=(25.0, 100.0), shown="percent", published="")
    metrics = {"stalled_barrier": 3.0, "warps_per_issue": 10.0}
    found = judged(share, counters=[counters("gpu.tiled", metrics, block=4)])
    assert found.verdict == REPRODUCED and value_text(found.measured) == "30.0 [30.0, 30.0] %"
    found = judged(share, counters=[counters("gpu.tiled", metrics, 4096, block=4)])
    assert found.verdict == NOT_HERE and "gemmlab profile e --size 64" in why(found, Points(results()), [])


def test_shared_memory_s_rate_is_that_of_the_kernel_that_uses_it_most():
    """1e9 passes of 128 bytes in 0.1 s are 1,280 GB/s."""
    one = claim("above", (point("gpu.tiled"), point("gpu.naive"), point("gpu.cublas")), measure="shared rate", published="10",
                ceilings=({"device": "gpu", "what": "memory_read", "level": "dram"},))
    counted = [counters(name, {"shared_wavefronts": passes, "time_s": 0.1}) for name, passes in (("gpu.tiled", 5e8), ("gpu.naive", 1e9))]
    run = ceilings(128.0)[0]
    found = judged(one, counters=counted, run=run)
    assert found.verdict == REPRODUCED and found.measured.value == pytest.approx(10)
    assert judged(one, run=run).verdict == NOT_HERE and judged(one, counters=counted).verdict == NOT_HERE


def test_a_counter_of_another_parameter_or_none_is_not_measurable():
    one = claim("equal", (point("gpu.tiled", block=32),), measure="counter", published="32",
                counter="global_load_sectors_per_request")
    found = judged(one, counters=[counters("gpu.tiled", {"global_load_sectors_per_request": 32.0}, block=32)])
    assert found.verdict == REPRODUCED and found.measured.shown() == (32.0, 32.0, 32.0)
    for other in (counters("gpu.tiled", {"global_load_sectors_per_request": 32.0}, block=16),
                  counters("gpu.tiled", {"occupancy": 1.0}, block=32)):
        found = judged(one, counters=[other])
        assert found.verdict == NOT_HERE and "gemmlab profile e" in why(found, Points(results()), [])


def test_pytorch_is_read_from_the_timer_s_table(tmp_path):
    (tmp_path / "independent_timer.csv").write_text(
        "M,K,N,ours_s,torch_s,torch_low_s,torch_high_s\n64,64,64,1,2.0,1.99,2.01\n16,32,8,1,7,,\nbad,1,2,3,4,5,6\n")
    cases = case("gpu.naive", 1.0)
    one = claim(over=(point("torch.matmul", experiments="timer_check"),), under=(point("gpu.naive"),))
    found = judge(one, Points(results(cases, folder=tmp_path)))
    assert found.verdict == REPRODUCED and found.measured.value == pytest.approx(2.0) and found.measured.low > 1.9
    found = judge(one, Points(results(cases)))
    assert found.verdict == NOT_HERE and "PyTorch was not measured" in why(found, Points(results(cases)), [])


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


def test_the_book_judges_every_claim_of_the_sources_and_no_other():
    said = set()
    for name in ("claims.csv", "claims-2.csv"):
        with (FOLDER / name).open(encoding="utf-8", newline="") as file:
            said |= {tuple(row.values()) for row in csv.DictReader(file)}
    assert len(said) == len(book().claims) and {(one.source, one.claim, one.statement, one.figure, one.published) for one in book().claims} == said
    assert {one.source for one in book().claims} == set(book().titles)


@pytest.mark.parametrize("name, old, new, words", [
    ("claims.csv", "tile4-loses-to-naive", "tile4-wins", "claim 'tile4-wins' of cuda-experiment-report is not as in"),
    ("claims.toml", 'published = "2541"', 'published = "2542"', "claim 'gpu-beats-openmp'"),
    ("claims-2.csv", "tile-4-to-8", "tile-4-to-9", "claim 'tile-4-to-9' of cuda-experiment-report is not as in"),
    ("claims.toml", 'holds = "above"', 'holds = "beyond"', "'holds' is 'beyond'; allowed: above, below, near, equal, within"),
    ("claims.toml", 'name = "naive", size = 1024', 'implementation = "gpu.naive", size = 1024', "allowed: a table with name"),
    ("claims.toml", 'name = "naive", size = 1024', 'name = "naive", implementation = "gpu.tiled", size = 1024',
     "'implementation' stands in map.csv"),
    ("claims.toml", 'name = "naive", size = 1024', 'name = "naive", experiments = "x", size = 1024', "'experiments' stands in map.csv"),
    ("claims.toml", 'name = "naive", size = 1024', 'name = "plain", size = 1024', "a name that map.csv has a row for"),
    ("claims.toml", "least = 400", 'least = "400"', "'least' is '400'; allowed: a number"),
    ("claims.toml", "range = [1, 2]", "range = [1]", "allowed: two numbers, from and to"),
    ("claims.toml", 'table = "ladder A"', 'table = "ladder C"', "panel 6: nothing of it is published"),
    ("claims.toml", 'title_zh = "同样各步，只计核函数"', "", "chain 2 (transposition-kernel): a key is missing"),
    ("map.csv", "course-notes,,naive,", "course-notes,,tiled,", "'tiled' a second time"),
    ("claims.toml", "over = {", "ovr = {", "unknown key 'ovr'"),
    ("map.csv", "parallel-matmul-paper,,serial,cpu.serial,", "parallel-matmul-paper,,serial,,", "neither an id nor a note"),
    ("map.csv", "block={block}", "block={width}", "allowed in braces: threads, block"),
    ("map.csv", "source,table", "src,table", "its columns are src,table"),
    ("t4-notebook.csv", "0.591", "fast", "line 2: could not convert")])
def test_a_mistake_in_the_book_is_named(tmp_path, name, old, new, words):
    shutil.copytree(FOLDER, tmp_path / "published")
    path = tmp_path / "published" / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError) as error:
        read(path.parent)
    assert words in str(error.value) and "\n" not in str(error.value)


def _complete(folder):
    """Records in which every point of every claim has a number, counters and all else that a reason may quote."""
    (folder / "independent_timer.csv").write_text("M,K,N,torch_s,torch_low_s,torch_high_s\n" + "".join(
        f"{size},{size},{size},1.0,0.99,1.01\n" for size in (1024, 4096)))
    run = GPU_RUN | {"gpus": [{"name": "NVIDIA H200", "sm_count": 132, "l2": 6e7}], "ceilings": [
        {"device": "gpu", "what": what, "level": level, "value": 5.0, "unit": "GB/s", "trusted": True} for what, level in
        (("memory_read", "l2"), ("memory_read", "dram"), ("transfer_to_device", "pageable"))]}
    names = {name for one in book().claims for found in _points(one) for name in found["experiments"]} | {"gpu_ladder"}
    made = {name: Experiment(name, folder, [run | {"experiment": name}]) for name in sorted(names - {"timer_check"})}
    metrics = {name: 1e9 for name in ("global_load_requests", "l2_bytes", "instructions", "shared_load_bank_conflicts",
                                      "shared_store_bank_conflicts", "dram_read_bytes", "dram_write_bytes")}
    metrics |= {"occupancy": 0.5, "fma_pipe": 0.5, "global_load_sectors_per_request": 32.0, "shared_wavefronts": 1e10,
                "time_s": 1.0, "stalled_barrier": 1.0, "warps_per_issue": 10.0}
    for one in book().claims:
        for number, found in enumerate(_points(one)):
            if found["implementation"] in ("", "torch.matmul"):
                continue
            home = made[found["experiments"][0]]
            parameters = {name: value for name, value in found.items() if name not in OWN}
            size = found.get("size", 4096)
            home.counters[f"{one.claim}{number}"] = counters(found["implementation"], metrics, size, **parameters)
            if "counted" in found:
                continue
            if found["implementation"].startswith("cpu."):
                parameters |= {"isa": "avx2"}
            home.cases.append(case(
                found["implementation"], 1.0 + 0.1 * number, size=size, parameters=parameters, experiment=home.name,
                m=found.get("m", size), n=found.get("n", size), k=found.get("k", size), scope=found.get("scope", "kernel"),
                host_memory=found.get("host_memory"), allocation=found.get("allocation"), threads_actual=16, cores=(0, 1),
                module_loading=found.get("module_loading"), chosen={"transpose_s": 0.1}, steady_s=(0.1,) * 9,
                resources={"registers": 64, "blocks_per_sm": 2},
                first_call_s={name: [0.1] * 9 for name in ("context", "prepare", "module", "kernel", "allocation")}))
    return Results(folder, list(made.values()), [])


@pytest.mark.parametrize("language", LANGUAGES)
def test_with_all_records_every_claim_is_judged_and_explained(tmp_path, language):
    points = Points(_complete(tmp_path))
    fallback = say("machine", language, machine="").split("{")[0][:12]
    for one in book().claims:
        found = judge(one, points)
        if found.verdict == NOT_HERE:  # for want of a measurement that the suite does not have, or of a counterpart
            assert one.measure == "none" or not all(side["implementation"] for side in (*one.over, *one.under)), one.claim
            text = why(found, points, [], language)
            assert len(text) > 20 and any("\u4e00" <= letter <= "\u9fff" for letter in text) == (language == "zh"), one.claim
            continue
        for verdict in (REPRODUCED, NOT_REPRODUCED):  # either form of the reason, with every clause of it
            form = one.reasons[_reason_key(one, verdict, language)]
            text = why(replace(found, verdict=verdict, failed=None), points, [], language)
            fixed = [part for part in re.split(r"\{\w+\}", form) if part.strip()]
            assert fallback not in text and "{" not in text and all(part in text for part in fixed), (one.claim, text)


def _reason_key(one, verdict, language):
    suffix = "" if language == "en" else f"_{language}"
    return f"why_not{suffix}" if verdict == NOT_REPRODUCED and f"why_not{suffix}" in one.reasons else f"why{suffix}"


def _ids():
    """Every implementation that the suite's lists name."""
    found = {"torch.matmul"}
    for device in ("cpu", "gpu"):
        rows = (ROOT / device / "rows.h").read_text(encoding="utf-8")
        found |= {f"{device}.{name}" for name in re.findall(r"ROW\((\w+)\)", rows)}
    return found


def _points(one):
    ratios = [*one.also, *one.largest_of, *one.beside.values()]
    return [*one.over, *one.under, *(found for ratio in ratios for side in ("over", "under") for found in ratio[side])]


def test_every_published_row_meets_an_implementation_of_ours_or_a_reason():
    ids, experiments = _ids(), {path.stem for path in (ROOT / "experiments").glob("*.toml")}
    for figure in book().figures:
        ours = book().ours(figure.source, figure.table, figure.implementation)
        assert ours is not None, figure
        assert ours.id in ids and set(ours.experiments) <= experiments if ours.id else ours.note, figure
    for (source, _, name), ours in book().names.items():
        assert ours.note if not ours.id else ours.id in ids and ours.experiments and set(ours.experiments) <= experiments, (source, name)
        assert bool(ours.note) == bool(ours.note_zh), (source, name)


def test_no_claim_goes_past_the_map():
    """The tables and the verdicts once disagreed on which kernel is "coalesced": a claim's points are those that map.csv has
    for the names, and ids stand in no other file."""
    text = (FOLDER / "claims.toml").read_text(encoding="utf-8")
    expressions = [line for line in text.splitlines() if re.search(r"\bname = |^\s*(over|under|steps)\b", line)]
    assert expressions and not [line for line in expressions if re.search(r"\b(cpu|gpu)\.\w", line)]
    mapped = {(ours.id, ours.experiments) for ours in book().names.values()}
    for one in book().claims:
        for found in _points(one):
            assert (found["implementation"], found["experiments"]) in mapped or "no_counterpart" in found, one.claim
    for table, claim_name in (("coalesced", "coalescing-pays"), ("bank-conflict free", "bank-conflicts-cost")):
        row = next(one for one in book().figures if one.source == "parallel-matmul-paper" and one.implementation == table)
        judged_one = next(one for one in book().claims if one.claim == claim_name)
        of_table = point_of(book().ours(row.source, row.table, row.implementation), row)
        assert {name: judged_one.under[0][name] for name in ("implementation", "step", "block")} == {
            name: of_table[name] for name in ("implementation", "step", "block")}


def test_what_has_no_counterpart_is_not_measurable_and_says_why():
    one = next(one for one in book().claims if one.claim == "v8-second-run")
    found = judge(one, Points(results()))
    assert found.verdict == NOT_HERE
    assert "alpha and beta" in why(found, Points(results()), []) and "alpha" in why(found, Points(results()), [], "zh")


def test_every_reason_is_there_in_every_language():
    for one in book().claims:
        key = "missing" if one.measure == "none" else "why"
        assert {key, f"{key}_zh"} <= one.reasons.keys() and ("why_not" in one.reasons) == ("why_not_zh" in one.reasons)
        assert set(re.findall(r"\{(\w+)\}", one.reasons[key])) == set(re.findall(r"\{(\w+)\}", one.reasons[f"{key}_zh"])), one.claim


def test_without_a_number_of_use_there_is_no_chapter_but_a_verdict_a_claim(tmp_path):
    assert chapters(results(case("cpu.ikj", 1.0), run=CPU_RUN), tmp_path, []) == []
    with (tmp_path / "verdicts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["claim"] for row in rows] == [one.claim for one in book().claims]
    assert {row["verdict"] for row in rows} == {NOT_HERE} and all(row["why"] and not row["measured"] for row in rows)
