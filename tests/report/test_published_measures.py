"""What a claim's figure is here: processes, levels, ceilings, rates and counters."""

from array import array
from dataclasses import replace
from pathlib import Path

import pytest
from test_published import GPU_RUN, case, claim, counters, judged, point, results

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
from report.published.why import why
from report.records import Experiment, Results


def first_call(*samples, **more):
    return case("gpu.cublas", 1.0, count=len(samples), scope="first-call", samples_s=array("d", samples),
                rounds=array("q", range(len(samples))), steady_s=(0.01,) * len(samples), sample_count=len(samples),
                first_call_s={"context": [0.2] * len(samples), "allocation": [0.0002] * len(samples)}, **more)


def test_the_first_of_consecutive_processes_is_held_against_the_others():
    """Its runs 1 to 4 are four processes: not steady calls within one."""
    one = claim(over=(point("gpu.cublas", scope="first-call"),), measure="processes", least=2.0)
    slow = first_call(3.0, 1.0, 1.1, 1.0, 9.0)
    found = judged(one, slow)
    assert found.verdict == REPRODUCED
    assert (found.measured.value, found.measured.low, found.measured.high) == pytest.approx((3.0, 3 / 1.1 / 1.25, 3 * 1.25))
    assert say("rough_first") in why(found, Points(results(slow)), [])
    assert judged(one, first_call(1.5, 1.0, 1.1, 1.0)).verdict == DIRECTION
    found = judged(one, alike := first_call(1.08, 1.0, 0.97, 0.96))
    assert found.verdict == NOT_REPRODUCED and say("undecided") in why(found, Points(results(alike)), [])
    assert judged(one, first_call(1.0)).verdict == NOT_HERE


@pytest.mark.parametrize("mode, words", [(True, "mode on"), (False, "mode off"), (None, "mode not recorded")])
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
    assert found.verdict == REPRODUCED and value_text(found.measured) == "30.0 %"
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


def of_a_chase(seconds, path, cycles, **more):
    return case("gpu.chase", seconds, operation="chase", dims={"bytes": 4096}, rates={"ns_per_load": 20.0}, cache="warm",
                parameters={"path": path}, chosen={"cycles_per_load": cycles}, **more)


def chase(path):
    return {"implementation": "gpu.chase", "dims": [4096], "cache": "warm", "path": path, "experiments": "e"}


def test_a_latency_in_cycles_is_the_kernel_s_own_count():
    one = claim("within", (chase("shared"),), measure="cycles", fact="cycles_per_load", range=(20.0, 30.0), published="25")
    found = judged(one, of_a_chase(1.0, "shared", 29.0))
    assert found.verdict == REPRODUCED and found.measured.value == 29.0
    assert found.measured.low < 29.0 < found.measured.high < 29.5
    assert judged(one, of_a_chase(1.0, "shared", 31.0)).verdict == NOT_REPRODUCED
    assert judged(one, of_a_chase(1.0, "l1", 29.0)).verdict == NOT_HERE
    assert judged(one, of_a_chase(1.0, "shared", None)).verdict == NOT_HERE
    about = replace(one, holds="equal", published="500", range=())
    assert judged(about, of_a_chase(1.0, "shared", 549.0)).verdict == REPRODUCED
    assert judged(about, of_a_chase(1.0, "shared", 551.0)).verdict == NOT_REPRODUCED


def test_a_factor_counts_how_much_more_the_other_side_does():
    one = claim("within", (chase("l2"),), (chase("shared"),), factor=128.0, range=(64.0, 256.0), published="128")
    found = judged(one, of_a_chase(0.5, "l2", 1.0), of_a_chase(1.0, "shared", 1.0))
    assert found.verdict == REPRODUCED and found.measured.shown()[0] == pytest.approx(64.0, rel=0.01)
    assert judged(one, of_a_chase(0.4, "l2", 1.0), of_a_chase(1.0, "shared", 1.0)).verdict == NOT_REPRODUCED


def test_options_tell_points_of_one_dimension_apart():
    offset = {"implementation": "gpu.access", "dims": [1000], "options": {"passes": "many", "offset": 1}, "cache": "warm", "experiments": "e"}
    one = claim(over=(offset,), under=(offset | {"options": {"passes": "many"}},), published="")
    made = [case("gpu.access", seconds, operation="access", dims={"n": 1000}, rates={"gbyte_per_s": 1.0}, cache="warm", options=options)
            for seconds, options in ((2.0, {"offset": 1, "passes": "many"}), (1.0, {"passes": "many"}), (9.0, {}))]
    assert judged(one, *made).measured.value == pytest.approx(2.0, rel=0.01)


def test_pytorch_is_read_from_the_timer_s_table(tmp_path):
    (tmp_path / "independent_timer.csv").write_text(
        "M,K,N,ours_s,torch_s,torch_low_s,torch_high_s\n64,64,64,1,2.0,1.99,2.01\n16,32,8,1,7,,\nbad,1,2,3,4,5,6\n")
    cases = case("gpu.naive", 1.0)
    one = claim(over=(point("torch.matmul", experiments="timer_check"),), under=(point("gpu.naive"),))
    found = judge(one, Points(results(cases, folder=tmp_path)))
    assert found.verdict == REPRODUCED and found.measured.value == pytest.approx(2.0) and found.measured.low > 1.9
    found = judge(one, Points(results(cases)))
    assert found.verdict == NOT_HERE and "PyTorch was not measured" in why(found, Points(results(cases)), [])
