"""Marks: what a rule's grading makes of a verdict. How the rule is read:
tests/submissions/rule_test.cpp."""

import make_verdicts as make
import msgspec
import pytest

from submissions.pages.command import write_all
from submissions.verdicts.grading import grading_from, group_of
from submissions.verdicts.marks import mark_of
from submissions.verdicts.verdict import Shape, load

SHARES = [{"shape": make.sides((1024, 1024, 1024)), "device": "cpu", "reference": "cpu.blocked",
           "full": 2.0, "points": 4.0}, {"shape": make.sides((8192, 6144, 4096)), "device": "cpu",
                                         "reference": "library", "full": 0.8, "points": 6.0}]
GROUPS = [{"name": "squares", "where": "square", "points": 3.0, "why": "the product is right"},
          {"name": "edges", "where": "odd", "points": 2.0, "why": "remainders are guarded"}]
RULE = {"most": 20, "correct": 10, "reduced_precision": 4, "bands": 0, "groups": [],
        "shares": SHARES, "warning": 0.5, "warnings_at_most": 2, "spills": 1.5, "first_call": 3}


def mark(folder, verdict, **changes):
    make.write(folder, {"one": verdict})
    return mark_of(load(folder / "one"), grading_from(RULE | changes))


def test_speed_earns_points_in_proportion(tmp_path):
    # 64 of cpu.blocked's 48 is 1.333 of 2: 2.7 of 4; 64 of the library's 160 is 0.4 of 0.8: 3 of 6.
    made = mark(tmp_path, make.right(rate=64.0))
    assert [step.points for step in made.steps] == [10, 2.7, 3.0]
    assert made.value == 15.7 and made.text == "15.7 of 20"


def test_speed_earns_the_band_that_it_reaches(tmp_path):
    # 1.333 of 2 is two thirds, which lie between 2 and 3 of 4 bands; 0.4 of 0.8 reaches 2 of 4, and
    # the page says what is next
    made = mark(tmp_path, make.right(rate=64.0), bands=4)
    assert [step.points for step in made.steps] == [10, 2.0, 3.0]
    assert "band 2 of 4 (the next from 150 % on)" in made.steps[1].what
    assert made.steps[1].band.band == 2 and "4 equal steps" in made.rules[0]
    write_all(tmp_path / "one", grading_from(RULE | {"bands": 4}))
    assert "4 equal steps" in (tmp_path / "one" / "page.html").read_text(encoding="utf-8")


def test_a_repeat_within_a_band_gets_the_same_mark(tmp_path):
    marks = {mark(tmp_path, make.right(rate=rate), bands=4).value
             for rate in (66.0, 67.0, 68.5, 70.0)}
    assert len(marks) == 1


def own_of(verdict, size):
    return next(row for row in verdict["performance"]
                if row["role"] == "submission" and row["shape"]["M"] == size)


def test_what_is_not_settled_counts_with_its_lower_end(tmp_path):
    verdict = make.right(rate=64.0)
    own_of(verdict, 8192).update(of_library=0.62, of_library_ci95=[0.39, 0.7], of_library_low=0.39,
                                 of_library_high=0.7, settled=True)
    assert mark(tmp_path, verdict, bands=4).steps[2].points == 4.5
    own_of(verdict, 8192).update(settled=False)
    made = mark(tmp_path, verdict, bands=4)
    assert made.steps[2].points == 1.5 and not made.settled
    assert ("not settled after" in made.steps[2].what
            and "at least 39 % counts" in made.steps[2].what)


def test_a_wide_interval_within_one_band_is_no_doubt_about_the_mark(tmp_path):
    verdict = make.right(rate=64.0)
    own_of(verdict, 8192).update(of_library=0.12, of_library_low=0.05, of_library_high=0.19,
                                 settled=False)
    made = mark(tmp_path, verdict, bands=4)
    assert made.settled and made.steps[2].points == 0
    own_of(verdict, 8192).update(of_library_high=0.21)
    assert not mark(tmp_path, verdict, bands=4).settled


def test_a_rung_is_compared_through_the_library_that_both_met(tmp_path):
    # the ladder was measured once, on a machine twice as fast as in this run: medians would halve
    # the share
    verdict = make.right(rate=64.0)
    own_of(verdict, 1024).update(of_library=0.6)
    rung = next(row for row in verdict["performance"]
                if row["implementation"] == "cpu.blocked" and row["shape"]["M"] == 1024)
    rung.update(of_library=0.3, median_s=rung["median_s"] / 2)
    assert mark(tmp_path, verdict).steps[1].points == 4.0


def test_points_are_quiet_where_neither_they_nor_the_rung_hang_on_calls_that_waited(tmp_path):
    verdict = make.right(rate=64.0)
    assert not mark(tmp_path, verdict).quiet, "not known"
    for row in verdict["performance"]:
        row["quiet"] = True
    assert mark(tmp_path, verdict).quiet
    rung = next(row for row in verdict["performance"]
                if row["implementation"] == "cpu.blocked" and row["shape"]["M"] == 1024)
    rung["quiet"] = False
    assert not mark(tmp_path, verdict).quiet


@pytest.mark.parametrize(("busy", "ends"), [(False, (15, 15)), (True, (15, 17.5))],
                         ids=["alone", "beside others"])
def test_a_mark_says_between_which_marks_a_repeat_is_likely_to_lie(tmp_path, busy, ends):
    # 0.74 of the full share, and 1.33 of 2: beside others, whose caches cannot be seen, a fifth
    # more reaches band 3 of both
    verdict = make.right(rate=64.0, load={"others": 1.0, "cores": 2, "busy": busy})
    for row in verdict["performance"]:
        row["quiet"] = True
    own_of(verdict, 8192).update(of_library=0.59, of_library_low=0.585, of_library_high=0.595)
    made = mark(tmp_path, verdict, bands=4)
    assert (made.value, made.ends, made.withheld) == (15, ends, False)
    assert any("likely to lie between 15 and 17.5" in rule for rule in made.rules) == busy


def test_a_ladder_that_waited_withholds_only_what_hangs_on_it(tmp_path):
    verdict = make.right(rate=64.0, load={"others": 0.0, "cores": 2, "busy": False},
                         ladder_busy=True)
    for row in verdict["performance"]:
        row["quiet"] = row["role"] != "ladder"
        if row["role"] == "ladder":
            row.update(of_library_low=0.5 * row["of_library"],
                       of_library_high=2 * row["of_library"])
    made = mark(tmp_path, verdict, bands=4)
    assert made.withheld and made.text == "withheld (at least 13 of 20)"
    assert [step.band.withheld for step in made.steps[1:]] == [True, False]
    assert "while the ladder was timed" in made.steps[1].what
    assert (made.as_json()["value"], made.as_json()["at_most"]) == (None, 17)


def test_too_few_calls_on_a_busy_machine_are_no_slow_ones(tmp_path):
    verdict = make.right(rate=64.0, load={"others": 1.7, "cores": 2, "busy": True})
    own_of(verdict, 8192).update(samples=2, quiet=True, speed_counts=False,
                                 speed_why="only 2 of at least 3 calls could be timed")
    assert mark(tmp_path, verdict, bands=4).steps[2].band.withheld
    verdict["load"]["busy"] = False
    assert mark(tmp_path, verdict, bands=4).steps[2].band is None


def test_times_that_do_not_count_earn_nothing_and_say_why(tmp_path):
    made = mark(tmp_path,
                make.right(rate=159.0, speed_counts=False, speed_why="faster than the ceiling"))
    assert made.value == 10 and "faster than the ceiling" in made.steps[1].what
    verdict = make.right(rate=159.0)
    own_of(verdict, 1024).update(speed_counts=False, speed_why="timed in only 2 calls")
    made = mark(tmp_path, verdict)
    assert ([step.points for step in made.steps] == [10, 0, 6.0]
            and "timed in only 2 calls" in made.steps[1].what)


@pytest.mark.parametrize(("sides", "where"), [
    ((16, 16, 16), "square"), ((4, 4, 4), "square"), ((17, 17, 17), "odd"), ((1, 1, 1), "odd"),
    ((32, 64, 96), "whole"), ((128, 24, 64), "whole"), ((33, 32, 32), "odd"), ((7, 11, 13), "odd"),
    ((1, 64, 64), "thin"), ((70000, 3, 5), "thin"), ((256, 256, 256), "large"),
    ((257, 129, 193), "large")])
def test_each_shape_has_one_group(sides, where):
    assert group_of(Shape(*sides)) == where


def checked(right, wrong=(), not_reached=()):
    tried = [{"shape": make.sides(one), "right": one in right} for one in (*right, *wrong)]
    return {"shapes": len(tried), "right": len(right), "calls": 3, "list": tried,
            "not_reached": [make.sides(one) for one in not_reached]}


SQUARE, OTHER, ODD, PRIME = (16, 16, 16), (32, 32, 32), (17, 17, 17), (7, 11, 13)


def test_what_is_wrong_somewhere_keeps_the_groups_that_are_right(tmp_path):
    made = mark(tmp_path, make.wrong("w.cpp", checks=checked([SQUARE, OTHER, PRIME], [ODD])),
                groups=GROUPS)
    assert made.value == 3 and [step.points for step in made.steps] == [3, 0]
    assert ("right at all 2 shapes" in made.steps[0].what
            and "the product is right" in made.steps[0].what)
    assert "wrong at 1 of 2 shapes, first at M = N = K = 17" in made.steps[1].what
    assert made.as_json()["parts"][0]["kind"] == "shapes" and made.as_json()["value"] == 3


def test_a_group_that_was_not_reached_to_its_end_earns_nothing(tmp_path):
    crashed = make.wrong("w.cpp", "crashed", checks=checked([SQUARE, PRIME], [], [OTHER, ODD]))
    made = mark(tmp_path, crashed, groups=GROUPS)
    assert made.value == 0 and "1 of 2 shapes not reached" in made.steps[0].what


@pytest.mark.parametrize("verdict", ["dishonest", "build-failed"])
def test_no_group_is_for_the_dishonest(tmp_path, verdict):
    made = mark(tmp_path, make.wrong("w.cpp", verdict, checks=checked([SQUARE])), groups=GROUPS)
    assert made.value == 0 and verdict in made.reason


def test_full_speed_earns_all_points_and_no_more(tmp_path):
    assert mark(tmp_path, make.right(rate=159.0)).value == 20
    assert mark(tmp_path, make.right(rate=0.001)).value == 10


def test_the_library_is_judged_round_by_round_where_that_is_known(tmp_path):
    verdict = make.right(rate=64.0)
    own = next(row for row in verdict["performance"]
               if row["role"] == "submission" and row["shape"]["M"] == 8192)
    own["of_library"] = 0.2
    assert mark(tmp_path, verdict).steps[2].points == 1.5
    own["of_library"] = None
    assert mark(tmp_path, verdict).steps[2].points == 3.0


def test_a_mark_stays_between_nothing_and_the_most(tmp_path):
    assert mark(tmp_path, make.right(rate=159.0), most=18).value == 18
    verdict = make.right(rate=0.001)
    verdict["build"]["kernels"] = [{"name": "k", "spill_bytes": 8}]
    made = mark(tmp_path, verdict, spills=50)
    assert made.value == 0 and sum(step.points for step in made.steps) == 0


@pytest.mark.parametrize("verdict", ["incorrect", "out-of-bounds", "out-of-memory", "crashed",
                                     "timeout", "build-failed", "dishonest"])
def test_what_is_not_right_gets_nothing_and_the_reason(tmp_path, verdict):
    made = mark(tmp_path, make.wrong("w.cpp", verdict, performance=make.performance("cpu", 150.0)))
    assert made.value == 0 and verdict in made.reason and not made.steps


def test_less_precision_gets_its_own_points_and_none_for_speed(tmp_path):
    made = mark(tmp_path, make.right(rate=159.0, verdict="reduced-precision"))
    assert made.value == 4 and len(made.steps) == 1


def test_warnings_spills_and_a_slow_first_call_cost(tmp_path):
    verdict = make.right(rate=64.0)
    verdict["build"]["messages"] = [{"kind": "warning", "line": 1, "column": 1, "text": "w"}] * 3
    assert mark(tmp_path, verdict).value == 15.7 - 1.5
    verdict["build"]["messages"] *= 3
    assert mark(tmp_path, verdict).value == 15.7 - 2
    verdict["resources"] = [{"kernel": "k", "spill_bytes": 16}]
    assert mark(tmp_path, verdict).value == 15.7 - 3.5
    verdict["first_call"]["first_s"] = verdict["first_call"]["steady_s"] * 10.5
    assert mark(tmp_path, verdict).value == 15.7 - 6.5
    verdict["first_call"]["first_s"] = verdict["first_call"]["steady_s"] * 9.5
    assert mark(tmp_path, verdict).value == 15.7 - 3.5


def test_a_shape_without_a_time_earns_nothing_and_the_page_says_so(tmp_path):
    verdict = make.right(rate=64.0)
    own = [row for row in verdict["performance"] if row["role"] == "submission"]
    make.skip(own[3], "predicted to take 120 s a call")
    made = mark(tmp_path, verdict)
    assert [step.points for step in made.steps] == [10, 2.7, 0]
    assert "not timed (predicted to take 120 s a call)" in made.steps[2].what
    write_all(tmp_path / "one", grading_from(RULE))
    assert ("not timed (predicted to take 120 s a call)"
            in (tmp_path / "one" / "page.html").read_text(encoding="utf-8"))
    verdict["performance"].remove(own[2])
    assert "not timed at this shape" in mark(tmp_path, verdict).steps[1].what
    verdict = make.right(rate=64.0)
    verdict["performance"] = [row for row in verdict["performance"]
                              if row["implementation"] != "cpu.blocked"]
    assert "cpu.blocked was not timed at this shape" in mark(tmp_path, verdict).steps[1].what


def test_entries_of_the_other_device_do_not_count(tmp_path):
    gpu = make.right("k.cu", "gpu", 21000.0)
    # one names the CPU, the other an entry of the CPU's ladder
    assert len(mark(tmp_path, gpu).steps) == 1
    assert len(mark(tmp_path, gpu, shares=[SHARES[0], SHARES[1] | {"device": ""}]).steps) == 2


def test_parameters_of_a_rung_may_be_spaced_as_one_likes(tmp_path):
    gpu = make.right("k.cu", "gpu", 4500.0)
    for name in ("gpu.tiled block=32", "gpu.tiled, block = 32"):
        made = mark(tmp_path, gpu, shares=[SHARES[0] | {"device": "gpu", "reference": name}])
        assert made.steps[1].points == 1.0, name  # half of 9000, of 2 times that


def test_without_a_grading_there_are_no_marks(tmp_path):
    assert grading_from(None) is None
    make.write(tmp_path, {"one": make.wrong()})
    write_all(tmp_path)
    assert "Mark:" not in (tmp_path / "one" / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("change", [
    {"most": "20"}, {"shares": [SHARES[0] | {"shape": "1024x1024x1024"}]}, {"spills": None}])
def test_an_answer_of_another_form_is_no_grading(change):
    with pytest.raises(msgspec.ValidationError):
        grading_from(RULE | change)
