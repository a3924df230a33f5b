"""Points whose shared rounds are unlike their others are told."""

from array import array

from sample_records import DATA

from records.loading import Experiment
from records.shared_rounds import unlike_text


def experiment_of(*cases):
    return Experiment("e", DATA, [], list(cases))


def test_a_point_that_ran_slower_while_its_group_was_at_work_is_named(make):
    short = make("cpu.serial", (5.0,) * 8, label="serial")
    late = make("cpu.blocked", (7e-3,) * 8 + (4e-3,) * 40, label="blocked")
    text = unlike_text(experiment_of(short, late))
    assert text.startswith("1 of 2 points ran otherwise in the rounds that all of their group "
                           "shared")
    assert ("by more than 5.0 % of the median (most: blocked at 64, 7.00 ms there and 4.00 ms over "
            "all)" in text)


def test_points_that_ran_alike_or_shared_too_few_rounds_are_not(make):
    even = make("cpu.blocked", (4e-3,) * 48, label="blocked")
    assert unlike_text(experiment_of(make("cpu.serial", (5.0,) * 8), even)) == ""
    late = make("cpu.blocked", (7e-3,) * 3 + (4e-3,) * 40)
    assert unlike_text(experiment_of(make("cpu.serial", (5.0,) * 3), late)) == ""
    apart = make("cpu.serial", (5.0,) * 8, rounds=array("q", range(100, 108)))
    assert unlike_text(experiment_of(apart, make("cpu.blocked", (7e-3,) * 8 + (4e-3,) * 40))) == ""


def test_copies_count_as_neighbours_only(make):
    late = make("cpu.blocked", (7e-3,) * 8 + (4e-3,) * 40, replica=1)
    assert unlike_text(experiment_of(make("cpu.serial", (5.0,) * 8), late)) == ""
