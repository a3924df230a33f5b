import json
import re
from dataclasses import replace

import pytest
from sample_records import DATA, experiment, read

from files.reading import InputError
from files.tree import ROOT
from records.cases.case_reader import CaseReader
from records.cases.experiment import AAPair, Experiment, Noise
from records.cases.ratios import (
    DECISION,
    Ratio,
    median_interval,
    rank_of_low_end,
    speedup,
    unpaired,
)
from records.loading import find_files, load
from records.noise import attach, left_out, noise_of, noise_text, pair_noise, paired_twins

PEERS = ROOT / "data" / "results" / "intel-xeon-nvidia-h200" / "matrix_peers.jsonl"
# median 1.02; its 99 % interval holds 1
SPREAD = (0.98, 0.99, 1.0, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06)


def pair(make, ratios, implementation="cpu.a", **more):
    """An original of 1 s a call, and a twin such that original / twin are these ratios."""
    original = make(implementation, case_id=f"{implementation}{ratios}{more}",
                    samples=(1.0,) * len(ratios), **more)
    twin = make(implementation, samples=tuple(1 / ratio for ratio in ratios),
                twin_of=original.case_id, **more)
    return original, twin


@pytest.mark.parametrize("count,rank", [(7, None), (8, 0), (10, 0), (11, 0), (12, 1), (20, 3)])
def test_the_99_percent_interval_of_a_median_needs_eight_samples(count, rank):
    assert rank_of_low_end(count, DECISION) == rank
    found = median_interval([float(value) for value in range(count)], DECISION)
    assert found == (None if rank is None else (rank, count - 1 - rank))


@pytest.mark.parametrize("ratios,apart,beyond", [
    (SPREAD, 0.02, 0.0),  # the interval holds 1
    ((1.003,) * 9, 0.003, 0.003), ((0.99,) * 9, 0.01, 0.01),  # wholly to one side
    ((1.05,) * 7, 0.05, 0.0)])  # no 99 % interval
def test_the_noise_of_one_pair(make, ratios, apart, beyond):
    assert pair_noise(*pair(make, ratios)) == (1.0, pytest.approx(apart), pytest.approx(beyond))


@pytest.mark.parametrize("pairs,noise,most", [
    ([SPREAD], 0.02, 0.02), ([SPREAD, (1.003,) * 9], 0.0115, 0.02),  # the median over the pairs
    ([SPREAD, (1.0,) * 9, (1.0,) * 9], 0.0, 0.02),  # a single pair may come apart by more
    ([(1.0,) * 9, (1.0,) * 9, (0.93,) * 9], 0.07, 0.07)])  # one that never meets counts in full
def test_the_noise_of_an_experiment(make, pairs, noise, most):
    cases, twins = zip(*(pair(make, ratios, size=64 + place) for place, ratios in enumerate(pairs)))
    found = noise_of(paired_twins(list(cases), list(twins)))["cpu"]
    assert (len(found.pairs), found.ends, found.most) == (
        len(pairs), (pytest.approx(noise),) * 2, pytest.approx(most))


def test_what_disturbs_short_calls_says_nothing_of_long_ones():
    short, long = [AAPair(6e-6, 0.026, 0.024)], [AAPair(1e-3, 0.002, 0.0)] * 3
    assert Noise((*short, *long)).of(1e-3) == 0.002 and Noise((*short, *long)).of(3.9e-3) == 0.002
    assert Noise((*short, *long)).of(6e-6) == 0.024, "by all where fewer than three are alike"
    assert Noise((*short, *long)).ends == (0.002, 0.024)
    assert Noise((*short, *long[:2])).of(1e-3) == 0.024


def test_a_tiny_pair_does_not_make_large_products_ties(make):
    """A planted fault: 3 pairs of a second come apart by 0.1 %, one of 10 µs by 3 %."""
    found = [pair(make, (1.001,) * 9, size=64 + place) for place in range(3)]
    tiny, twin = make("cpu.tiny", case_id="tiny", samples=(1e-5,) * 9, size=8), make(
        "cpu.tiny", samples=(1e-5 / 1.03,) * 9, size=8, twin_of="tiny")
    rival = make("cpu.b", samples=(1 / 1.01,) * 9)
    made = Experiment("e", DATA, [], [*(one for one, _ in found), tiny, rival],
                      [*(twin for _, twin in found), twin])
    attach(made)
    assert rival.noise == pytest.approx(0.001) and tiny.noise == pytest.approx(0.03)
    assert not speedup(found[0][0], rival).tie
    assert "noise floor 0.10 to 3.0 % (CPU)." in noise_text(made)


def test_devices_have_noise_of_their_own(make):
    found = [pair(make, (1.02,) * 9), pair(make, (1.001,) * 9, "gpu.a")]
    noise = noise_of(paired_twins([one for one, _ in found], [twin for _, twin in found]))
    assert {device: round(one.of(1.0), 6) for device, one in noise.items()} == {"cpu": 0.02,
                                                                              "gpu": 0.001}


@pytest.mark.parametrize("other",
                         [{"run_id": "later"}, {"status": "incorrect"}, {"verdicts": ()},
                          {"group": "h"}, {"chosen": {"tile": "32x32", "transpose_s": 0.25}}])
def test_a_twin_of_another_run_or_algorithm_or_without_a_verdict_says_nothing(make, other):
    original, twin = pair(make, (1.5,) * 9)
    original.chosen, twin.chosen = {"tile": "64x64", "transpose_s": 0.25}, {"tile": "64x64",
                                                                            "transpose_s": 0.5}
    assert noise_of(paired_twins([original], [twin])) and not left_out(paired_twins([original], [twin]))
    assert noise_of(paired_twins([original], [replace(twin, **other)])) == {}
    assert left_out(paired_twins([original], [replace(twin, **other)])) == {
        "code" if "chosen" in other else "number": 1}


def test_a_floor_says_how_many_twins_are_left_out_of_it_and_why():
    """matrix_peers' own records; then with the fault planted in one twin more."""
    found = load(PEERS.parent, [PEERS]).experiments[0]
    pairs, out = (int(re.search(pattern, noise_text(found))[1]) for pattern in (
        r"A/A: (\d+) pairs", r"Left out of it: (\d+) points that chose other code"))
    assert pairs + out == len(found.twins) and out > 0
    whole = next(twin for twin in found.twins if twin.implementation == "gpu.matrix_tuned")
    whole.chosen = {**whole.chosen, "tile": "another"}
    attach(found)
    assert f"A/A: {pairs - 1} pairs" in noise_text(found)
    assert f"Left out of it: {out + 1} points that" in noise_text(found)


@pytest.mark.parametrize("ratio,tie", [(1.0, True), (1.0199, True), (1.0201, False),
                                       (1 / 1.0199, True), (1 / 1.0201, False)])
def test_a_tie_flips_where_the_interval_leaves_the_noise_floor(make, ratio, tie):
    slow = make(samples=(1.0,) * 9, noise=0.02)
    assert speedup(slow, make("cpu.b", samples=(1 / ratio,) * 9)).tie == tie, ("the larger noise "
                                                                               "of the two holds")
    assert speedup(make(samples=(1.0,) * 9),
                   make("cpu.b", samples=(1 / ratio,) * 9)).tie == (ratio == 1.0)


def test_ties_are_decided_at_99_percent_and_shown_at_95(make):
    ratio = speedup(make(samples=(1.0,) * 9), make("cpu.b", samples=(1 / 0.99, *(1 / 1.01,) * 8)))
    assert (ratio.low, ratio.high) == (pytest.approx(1.01), pytest.approx(1.01))
    assert ratio.decision == (pytest.approx(0.99), pytest.approx(1.01)) and ratio.tie


@pytest.mark.parametrize("least,most,tie", [(1.2, 1.2, False), (1.05, 1.1, False),
                                            (1.04, 1.09, True), (0.99, 1.3, True)])
def test_six_rounds_decide_by_their_range_widened_by_its_width(make, least, most, tie):
    """1.05² / 1.1 is above 1, 1.04² / 1.09 below."""
    found = speedup(make(samples=(least, *(most,) * 5)), make("cpu.b", samples=(1.0,) * 6))
    assert found.tie == tie and found.decision[0] == pytest.approx(least**2 / most)


def test_five_rounds_decide_only_what_lies_far_apart(make):
    for ratio, tie in ((1.2, True), (1.3, False)):
        assert speedup(make(samples=(ratio,) * 5), make("cpu.b", samples=(1.0,) * 5)).tie == tie


def test_unpaired_intervals_add_in_quadrature_on_the_log_scale(make):
    slow = make(samples=(1.8, *(2.0,) * 7, 2.2), ci95_s=(1.8, 2.2))
    fast = make("cpu.b", samples=(0.9, *(1.0,) * 7, 1.1), ci95_s=(0.9, 1.1), run_id="s")
    ratio = unpaired(slow, fast)
    # ln 2.0/1.8 and ln 1.1/1.0 for the low end, ln 2.2/2.0 and ln 1.0/0.9 for the high end
    assert ratio.low == pytest.approx(
        2 * 2.718281828459045 ** -((0.1053605156578263**2 + 0.0953101798043249**2) ** 0.5))
    assert (ratio.low * ratio.high == pytest.approx(4.0)
            and ratio.decision == (ratio.low, ratio.high))


def test_cases_know_the_noise_of_their_device(make):
    original, twin = pair(make, (1.02,) * 9)
    other = make("gpu.a")
    found = Experiment("e", DATA, [], [original, other], [twin])
    attach(found)
    assert original.noise == pytest.approx(0.02) and other.noise == 0.0
    assert (noise_text(found) == "A/A: 1 pair of the same code under two labels; noise floor 2.0 % "
            "(CPU); none for the GPU, taken as 0.")
    assert "unknown and taken as 0" in noise_text(experiment("workstation", "quick"))
    assert noise_text(Experiment("e", DATA)) == ""


def test_twins_costs_and_counters_are_kept_apart_from_the_cases():
    found = experiment("bench", "evidence")
    assert (len(found.cases) == 32 and len(found.twins) == 2
            and not any(case.twin_of for case in found.cases))
    assert ({device for _, device in found.noise} == {"cpu", "gpu"}
            and all(len(noise.pairs) == 1 for noise in found.noise.values()))
    assert found.costs[0]["wall_s"] == 63.0 and len(found.counters) == 5
    assert all(case.label != "naive, uncoalesced (again)" for case in found.cases)


def test_the_latest_counters_and_costs_count(tmp_path):
    lines = (DATA / "bench" / "evidence.jsonl").read_text(encoding="utf-8").splitlines()
    last = json.loads(lines[-1])
    last["metrics"]["l2_bytes"]["value"] = 7.0
    cost = next(json.loads(line) for line in lines if '"kind": "cost"' in line) | {"wall_s": 99.0}
    (tmp_path / "evidence.jsonl").write_text(
        "\n".join([*lines, json.dumps(last), json.dumps(cost)]), encoding="utf-8")
    found = load(tmp_path, find_files(tmp_path)).experiments[0]
    assert (found.counters[last["case_id"]]["metrics"]["l2_bytes"]["value"] == 7.0
            and len(found.counters) == 5)
    assert [one["wall_s"] for one in found.costs] == [99.0]


def test_an_unknown_kind_warns_and_the_rest_is_read():
    results = read("bench")
    assert results.warnings == [
        "first_call.jsonl, line 5: skipped, unknown kind 'what_comes_later'"]
    assert len(results.experiments) == 3


def test_only_unknown_kinds_are_no_results(tmp_path):
    (tmp_path / "x.jsonl").write_text('{"kind":"later"}\n')
    with pytest.raises(InputError, match="unknown kind 'later'"):
        load(tmp_path, find_files(tmp_path))


def test_what_orjson_refuses_is_still_read(tmp_path):
    lines = (DATA / "laptop" / "quick.jsonl").read_text(encoding="utf-8").splitlines()
    case = json.loads(lines[1]) | {"what_comes_later": float("nan"), "seed": 2**70}
    (tmp_path / "quick.jsonl").write_text("\n".join([lines[0], json.dumps(case)]), encoding="utf-8")
    found = load(tmp_path, find_files(tmp_path))
    assert found.experiments[0].cases[0].seed == 2**70 and not found.warnings


def test_equal_parameters_are_kept_once_and_true_is_not_one():
    reader = CaseReader()
    base = {"run_id": "r", "case_id": "c", "experiment": "e", "implementation": "cpu.a", "m": 1,
            "n": 1, "k": 1, "status": "ok"}
    first, second, third = (reader.read(base | {"parameters": {"x": value}})
                            for value in (1, 1, True))
    assert first.parameters is second.parameters and first.parameters is not third.parameters
    assert third.parameters["x"] is True


def test_a_ratio_without_any_interval_is_a_tie():
    assert Ratio(3.0).tie
