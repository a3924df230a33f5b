import csv
import re
from array import array
from itertools import combinations
from statistics import median

import pytest
from sample_records import DATA, ROOT

from analysis.compared.compare import compare
from analysis.tables.tables import Notes, marked, ratio_cell
from records.cases.phrases import place_of, sound_mean
from records.cases.phrases import times as said_times
from records.cases.ratios import Ratio, median_interval, paired, rank_of_low_end, speedup
from records.cases.series import series_of
from records.loading import Experiment, Results, load
from records.names.numbers import ratio_text
from records.view import View
from report.findings.standing import fastest

PEERS = ROOT / "data" / "results" / "intel-xeon-nvidia-h200" / "cpu_peers.jsonl"


def test_ranks_of_the_interval_of_a_median():
    """Against exact rational arithmetic; tests/core/statistics_test.cpp holds the program's own
    against the same table."""
    with (ROOT / "tests" / "interval_ranks.csv").open(encoding="utf-8", newline="") as file:
        rows = [(int(row["count"]), float(row["confidence"]), int(row["rank"]))
                for row in csv.DictReader(file)]
    assert len(rows) > 100
    for count, confidence, rank in rows:
        assert rank_of_low_end(count, confidence) == (rank - 1 if rank else None), (count,
                                                                                    confidence)


def test_interval_of_known_numbers():
    assert median_interval([5, 3, 1, 2, 4]) is None
    assert median_interval([6, 5, 3, 1, 2, 4]) == (1, 6)
    assert median_interval(list(range(20))) == (5, 14)


def test_ratios_pair_equal_rounds(make):
    slow = make(samples=(2.0, 4.0, 8.0, 2.0, 4.0, 8.0, 2.0))
    fast = make("cpu.eigen", samples=(1.0, 2.0, 4.0, 1.0, 2.0, 4.0, 1.0))
    ratio = speedup(slow, fast)
    assert (ratio.value, ratio.low, ratio.high, ratio.pairs) == (2, 2, 2, 7)
    assert not ratio.tie


def test_rounds_that_only_one_took_part_in_do_not_count(make):
    slow, fast = make(), make("cpu.eigen", samples=(1.0,) * 7)
    fast.rounds[0] = 99
    assert paired(slow, fast) == [2.0] * 6


@pytest.mark.parametrize("other", [{"run_id": "s"}, {"group": "h"}, {"scope": "first-call"},
                                   {"cache": "warm"}, {"size": 65}])
def test_nothing_is_paired_across_runs_groups_or_regimes(make, other):
    assert paired(make(), make("cpu.eigen", **other)) == []


def test_without_shared_rounds_the_medians_and_their_intervals_decide(make):
    slow = make(samples=(1.9, 2.0, 2.0, 2.0, 2.0, 2.0, 2.1))
    fast = make("cpu.eigen", samples=(0.9, 1.0, 1.0, 1.0, 1.0, 1.0, 1.1), run_id="s")
    ratio = speedup(slow, fast)
    assert ratio.value == 2 and ratio.pairs == 0
    assert 1.9 / 1.1 < ratio.low < 2 < ratio.high < 2.1 / 0.9, ("both ends at once are unlikelier "
                                                                "than 5 %")


def test_too_few_samples_give_a_ratio_without_an_interval(make):
    ratio = speedup(make(samples=(2.0,) * 3), make("cpu.eigen", samples=(1.0,) * 3))
    assert ratio.value == 2 and ratio.low is None and not ratio.tie


def test_an_interval_that_holds_one_is_a_tie(make):
    ratio = speedup(make(samples=(1.0, 1.1, 0.9, 1.0, 1.1, 0.9, 1.0)),
                    make("cpu.eigen", samples=(1.0,) * 7))
    assert ratio.low < 1 < ratio.high and ratio.tie


def test_long_calls_with_few_samples_tie_only_where_their_samples_come_near(make):
    slow = make(samples=(100.0, 110.0, 90.0))
    assert not speedup(slow, make("cpu.eigen",
                                  samples=(1.0,))).tie, "a hundred times is no tie, interval or not"
    assert speedup(slow, make("cpu.eigen", samples=(80.0,))).tie
    assert speedup(slow, make("cpu.eigen", samples=(120.0, 95.0))).tie
    assert not speedup(slow, make("cpu.eigen", samples=(150.0,))).tie


@pytest.mark.parametrize("value,low,high,decision,noise,verdict", [
    (1.3, 1.1, 1.5, (0.98, 1.52), 0.0, "not resolved (99 % interval [0.98, 1.52])"),
    (0.7, 0.6, 0.8, (0.5, 1.1), 0.0, "not resolved (99 % interval [0.500, 1.100])"),
    (1.05, 1.01, 1.09, (0.98, 1.12), 0.0, "a tie"),  # within 10 %
    (1.15, 0.98, 1.18, (0.97, 1.19), 0.0, "a tie"),  # the 95 % interval holds 1
    # so wide that nothing is known
    (1.3, 0.9, 1.5, (0.8, 1.6), 0.0, "not resolved (99 % interval [0.80, 1.60])"),
    (1.0, 0.99, 1.01, (0.7, 1.4), 0.0, "not resolved (99 % interval [0.70, 1.40])"),
    (1.0, None, None, None, 0.0, "not resolved (too few samples)"),
    (1.3, 1.2, 1.4, (1.1, 1.5), 0.2, "not resolved (99 % interval [1.10, 1.50], noise floor 20 %)"),
    (1.3, 1.2, 1.4, (1.1, 1.5), 0.0, ""),
    (1.2, None, None, None, 0.0, "not resolved (too few samples)")])
def test_a_large_ratio_that_99_percent_does_not_decide_is_no_tie(value, low, high, decision,
                                                                 noise, verdict):
    ratio = Ratio(value, low, high, 9, decision=decision, noise=noise)
    assert ratio.verdict == verdict and ratio.undecided == verdict.startswith("not resolved")


def test_a_ratio_is_that_of_the_rounds_that_both_shared_whatever_one_did_alone(make):
    """One serial point and one that ran otherwise once the other had stopped: 8 of 424 rounds are
    shared."""
    serial = make("cpu.serial", (8.0,) * 8)
    late = make("cpu.blocked", (2.0,) * 8 + (1.0,) * 416)
    ratio = speedup(serial, late)
    assert ratio.value == ratio.low == ratio.high == 4, ("the medians give 8: no round that both "
                                                         "ran in says so")
    assert ratio.apart and not ratio.tie
    assert marked(ratio_cell(ratio), notes := Notes(View("x", "speedup", "x", (serial, late), {})),
                  serial, late, ratio=ratio).note == 1
    assert "the rounds that both shared" in notes.texts()[0]


def test_a_wide_interval_excuses_no_contradiction(make):
    """Of 8 shared rounds some were slow: their interval holds the medians' ratio, and their median
    is far from it."""
    one = make("cpu.blocked", (54.0,) * 8)
    late = make("cpu.blocked", (7.4, 7.2, 7.4, 4.1, 7.4, 7.2, 7.4, 4.1) + (4.1,) * 416,
                label="32 threads")
    ratio = speedup(one, late)
    assert ratio.value == pytest.approx(54 / 7.3, rel=0.02) and ratio.apart, "not 54 / 4.1"
    assert re.search(r" times .*\(\d+\.?\d* by the medians\)$",
                     said_times(ratio)), "what all rounds say stands beside it"
    slower = speedup(late, one)
    assert said_times(slower).endswith(f"({4.1 / 54:.4f} by the medians)"), "the same way round"


def test_every_committed_ratio_of_shared_rounds_is_their_median():
    """Formed anew from the samples; what lies off the ratio of the times beside it says so."""
    (found,) = load(PEERS.parent, [PEERS]).experiments
    places = {}
    for one in found.cases:
        if one.shown:
            places.setdefault((one.run_id, one.group, one.shape, one.scope, one.cache),
                              []).append(one)
    checked = 0
    for one, other in (pair for cases in places.values() for pair in combinations(cases, 2)):
        theirs, own = (dict(zip(case.rounds, case.samples_s)) for case in (one, other))
        shared = [theirs[turn] / own[turn] for turn in theirs.keys() & own.keys()]
        ratio, of_medians = speedup(one, other), one.median_s / other.median_s
        assert (len(shared) < 6 or ratio.value
                == pytest.approx(median(shared))), (one.label, other.label, one.shape)
        assert ratio.apart or abs(ratio.value / of_medians - 1) <= 0.05 + 1e-9
        checked += len(shared) >= 6
    assert checked > 100


def test_shared_rounds_decide_where_they_agree_with_the_times(make):
    drift = [1 + 0.1 * turn for turn in range(9)]
    slow, fast = (make(name, tuple(each * one for one in drift))
                  for name, each in (("cpu.ikj", 2.0), ("cpu.eigen", 1.0)))
    ratio = speedup(slow, fast)
    assert (not ratio.apart and ratio.value == pytest.approx(2)
            and ratio.high - ratio.low < 1e-9), "the drift cancels out"


def test_every_fourth_round_to_the_end_is_side_by_side(make):
    """The runner thins out what is precise, so that all of a group end in one round: drift still
    cancels out."""
    drift = [1 + 0.1 * (turn > 60) for turn in range(100)]
    each = make("cpu.ikj", tuple(2.0 * one for one in drift))
    fourth = make("cpu.eigen", tuple(drift[::4]), rounds=array("q", range(0, 100, 4)))
    early = make("cpu.blocked", tuple(drift[60:84]), rounds=array("q", range(60, 84)))
    assert not speedup(each, fourth).apart and speedup(each, fourth).value == pytest.approx(2)
    assert speedup(each, early).apart and speedup(each, early).value == pytest.approx(2)


def test_sides_that_change_places_once_alone_are_not_resolved(make):
    first = make("cpu.eigen", (0.9,) * 30)
    second = make("cpu.blocked", (1.05,) * 30 + (0.6,) * 300)
    ratio = speedup(first, second)
    assert (ratio.value == pytest.approx(0.9 / 1.05)
            and ratio.high < 1), "the shared rounds alone would call the second slower"
    assert ratio.decision[0] < 1 < ratio.decision[1] and ratio.word == "not resolved"


def test_a_single_sample_a_side_is_not_resolved(make):
    few = speedup(make(samples=(2.0,)), make("cpu.eigen", samples=(1.98,)))
    assert few.word == "not resolved" and few.verdict == "not resolved (too few samples)"
    assert ratio_cell(few).text == "1.010, not resolved"
    (text,) = fastest(series_of([make(samples=(2.0,), label="a"),
                                 make("cpu.eigen", samples=(1.98,), label="b")]))
    assert "not resolved (too few samples)" in text and "tie" not in text


def test_an_undecided_ratio_is_named_in_tables():
    doubt = Ratio(1.4, 1.2, 1.5, 12, decision=(0.9, 1.5))
    assert ratio_cell(doubt).text == "1.40 [1.20, 1.50], not resolved"
    assert ratio_cell(doubt, itself=True).text == "1.40 [1.20, 1.50]"


def test_sentences_do_not_call_an_undecided_pair_a_tie(make):
    # 95 %: from 1.1; 99 %: from 0.95
    slow = make("cpu.slow", samples=(0.95, 1.1, *(1.4,) * 7), label="s")
    fast = make("cpu.fast", samples=(1.0,) * 9, label="f")
    assert speedup(slow, fast).undecided
    (text,) = fastest(series_of([slow, fast]))
    assert text.startswith("f has the highest rate at 64")
    assert "against s 1.40 times, not resolved (99 % interval [0.95, 1.40])" in text
    assert "tie" not in text


def test_compare_counts_undecided_pairs_apart(make):
    first = make(label="a", samples=(0.95, 1.1, *(1.4,) * 7), ci95_s=(1.1, 1.4))
    second = make(label="a", samples=(1.0,) * 9, ci95_s=(1.0, 1.0), run_id="s")
    found = compare(*(Results(DATA, [Experiment("e", DATA, [], [case])], [])
                      for case in (first, second)))
    assert "not resolved at 1" in found.verdict[0] and "and 0 tie." in found.verdict[0]
    assert found.table.rows[0].cells[-1].text.endswith(", not resolved")


@pytest.mark.parametrize("value,low,high,text", [
    (1.0043, 1.0035, 1.0047, "1.004 [1.004, 1.005]"), (1.0, 1.0, 1.0, "1.00 [1.00, 1.00]"),
    (0.9941, 0.9881, 0.9963, "0.994 [0.988, 0.996]"),
    (1.0259, 0.9459, 1.0343, "1.026 [0.946, 1.034]"), (1.1113, 1.1103, 1.1124, "1.11 [1.11, 1.11]"),
    (1.05, None, None, "1.050")])
def test_a_ratio_near_1_is_told_by_how_far_from_1_it_lies(value, low, high, text):
    assert ratio_text(value, low, high) == text


def test_a_point_above_the_ceiling_of_its_run_is_in_no_sound_mean_and_is_named(make):
    """"0.922 over the 5 with nothing unsound" counted a baseline that the headline calls "117 % of
    its run's ceiling"."""
    def ratio(size: int, **more) -> Ratio:
        return speedup(make("cpu.mkl", (2.0,) * 8, size=size, **more),
                       make("cpu.packed", (1.0,) * 8, size=size))

    sound = [ratio(size) for size in (64, 128, 256)]
    over = ratio(512, of_ceiling=1.168, of_highest=0.9)
    assert sound_mean(sound) == ""
    assert sound_mean([*sound, over]) == " (2.00 over the 3 with nothing unsound)"
    assert place_of(over) == "512, 117 % of its run's ceiling" and place_of(sound[0]) == "64"
