import pytest

from report.ratios import median_interval, paired, rank_of_low_end, speedup


@pytest.mark.parametrize("count,rank", [(5, None), (6, 0), (8, 0), (9, 1), (11, 1), (12, 2), (20, 5), (25, 7),
                                        (100, 39), (1000, 468)])
def test_ranks_of_the_interval_of_a_median(count, rank):
    assert rank_of_low_end(count) == rank


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


@pytest.mark.parametrize("other", [{"run_id": "s"}, {"group": "h"}, {"scope": "call"}, {"cache": "warm"}, {"size": 65}])
def test_nothing_is_paired_across_runs_groups_or_regimes(make, other):
    assert paired(make(), make("cpu.eigen", **other)) == []


def test_without_shared_rounds_the_medians_and_their_intervals_decide(make):
    slow = make(samples=(1.9, 2.0, 2.0, 2.0, 2.0, 2.0, 2.1))
    fast = make("cpu.eigen", samples=(0.9, 1.0, 1.0, 1.0, 1.0, 1.0, 1.1), run_id="s")
    ratio = speedup(slow, fast)
    assert ratio.value == 2 and ratio.pairs == 0
    assert ratio.low == pytest.approx(1.9 / 1.1) and ratio.high == pytest.approx(2.1 / 0.9)


def test_too_few_samples_give_a_ratio_without_an_interval(make):
    ratio = speedup(make(samples=(2.0,) * 3), make("cpu.eigen", samples=(1.0,) * 3))
    assert ratio.value == 2 and ratio.low is None and not ratio.tie


def test_an_interval_that_holds_one_is_a_tie(make):
    ratio = speedup(make(samples=(1.0, 1.1, 0.9, 1.0, 1.1, 0.9, 1.0)), make("cpu.eigen", samples=(1.0,) * 7))
    assert ratio.low < 1 < ratio.high and ratio.tie


def test_long_calls_with_few_samples_tie_only_where_their_samples_come_near(make):
    slow = make(samples=(100.0, 110.0, 90.0))
    assert not speedup(slow, make("cpu.eigen", samples=(1.0,))).tie, "a hundred times is no tie, interval or not"
    assert speedup(slow, make("cpu.eigen", samples=(80.0,))).tie
    assert speedup(slow, make("cpu.eigen", samples=(120.0, 95.0))).tie
    assert not speedup(slow, make("cpu.eigen", samples=(150.0,))).tie
