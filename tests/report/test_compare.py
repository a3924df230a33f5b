import re

import pytest
from sample_records import DATA

from analysis.compared.compare import Pair, compare
from records.cases.ratios import unpaired
from records.loading import Experiment, Results
from report.__main__ import main

# SLOW takes 10 % longer on the CPU
FAST, SLOW = str(DATA / "workstation2"), str(DATA / "workstation" / "quick.jsonl")


def results(*cases):
    return Results(DATA, [Experiment("e", DATA, [], list(cases))], [])


def pair(make, before, after, noise=0.0):
    """Two cases of nine equal samples each (s)."""
    first, second = make(samples=(before,) * 9, noise=noise), make(samples=(after,) * 9, run_id="s")
    return Pair(first, second, unpaired(first, second))


@pytest.mark.parametrize("after,noise,percent,confirmed", [
    (1.051, 0.0, 5, True), (1.049, 0.0, 5, False), (1.051, 0.01, 5, False), (1.061, 0.01, 5, True),
    (1.001, 0.0, 0, True), (1.0, 0.0, 0, False), (0.9, 0.0, 0, False)])
def test_a_regression_lies_wholly_beyond_the_percentage_and_the_noise(make, after, noise,
                                                                      percent, confirmed):
    assert pair(make, 1.0, after, noise).slower_than(percent) == confirmed


def test_a_slowdown_whose_interval_reaches_back_is_not_confirmed(make):
    first = make(samples=(1.0,) * 9)
    second = make(samples=(1.02, 1.03, *(1.1,) * 7), run_id="s")
    assert second.median_s == 1.1 and not Pair(first, second,
                                               unpaired(first, second)).slower_than(5)
    assert Pair(first, second, unpaired(first, second)).slower_than(1)


def test_few_samples_confirm_only_what_lies_far_beyond(make):
    def found(after):
        first, second = make(samples=(1.0,) * 3), make(samples=(after,) * 3, run_id="s")
        return Pair(first, second, unpaired(first, second)).slower_than(5)

    assert not found(1.3) and found(1.4)


@pytest.mark.parametrize("order,percent,code",
                         [((FAST, SLOW), "5", 1), ((FAST, SLOW), "0", 1), ((FAST, SLOW), "15", 0),
                          ((SLOW, FAST), "0", 0), ((SLOW, SLOW), "0", 0)])
def test_fail_on_regression_exits_1_only_where_one_is_confirmed(capsys, order, percent, code):
    assert main(["compare", *order, "--fail-on-regression", percent]) == code
    error = capsys.readouterr().err
    count = 15 if code else 0  # its CPU points; the GPU is the same
    assert (f"{count} point{'' if count == 1 else 's'} of 37 confirmed slower by more than "
            f"{percent} %" in error)
    assert len(re.findall(r"^  quick: .* at .*: (9|10|11)\.\d % slower$", error,
                          re.MULTILINE)) == count


def test_without_the_option_a_slower_run_exits_0(capsys):
    assert main(["compare", FAST, SLOW]) == 0
    assert "slower at 15, and 22 tie" in capsys.readouterr().out


@pytest.mark.parametrize("percent", ["-1", "nan", "inf", "much"])
def test_a_bad_percentage_is_one_clear_line(capsys, percent):
    with pytest.raises(SystemExit) as stopped:
        main(["compare", FAST, SLOW, f"--fail-on-regression={percent}"])
    (error,) = capsys.readouterr().err.strip().splitlines()
    assert (stopped.value.code == 2 and f"'{percent}' is not a percentage; allowed: a number from "
            "0 up" in error)


def test_nothing_to_judge_is_an_error_and_no_pass(capsys):
    assert main(["compare", str(DATA / "laptop"), str(DATA / "bench"),
                 "--fail-on-regression", "5"]) == 2
    assert "nothing can be judged" in capsys.readouterr().err


def test_a_point_that_lost_its_number_is_named(make):
    found = compare(results(make(label="a")),
                    results(make(label="a", status="crashed", reason="signal 11")))
    assert any("1 point with a number on" in text and "a at 64 (crashed – signal 11)" in text
               for text in found.remarks)
    assert not found.pairs


def test_replicas_and_regimes_are_points_of_their_own(make):
    cases = [make(label="x", case_id=str(place), **more) for place, more in enumerate((
        {}, {"replica": 1}, {"handicap": 0.03}, {"host_memory": "pinned"},
        {"module_loading": "eager"}))]
    found = compare(results(*cases), results(*cases))
    assert len(found.pairs) == 5 and all(one.first is one.second for one in found.pairs)


def test_compare_marks_ties_in_words_and_names_the_noise(make):
    plain = make(label="a", samples=(1.0,) * 9, noise=0.004)
    found = compare(results(plain), results(make(label="a", samples=(1.003,) * 9, run_id="s")))
    assert found.table.rows[0].cells[-1].text.endswith(", a tie")
    assert "up to 0.40 % here" in found.table.caption and "tie" in found.verdict[0]
