"""Shares of a library that took far from its usual time: what the mark and the page make of
them."""

import make_verdicts as make
import pytest

from submissions.pages.command import write_all
from submissions.verdicts.grading import grading_from
from submissions.verdicts.library_times import is_far
from submissions.verdicts.marks import mark_of
from submissions.verdicts.verdict import load

AT = (1024, 1024, 1024)
RULE = {"most": 100, "correct": 60, "reduced_precision": 40, "bands": 4, "groups": [], "warning": 0,
        "warnings_at_most": 0, "spills": 0, "first_call": 0}


def mark(folder, reference, full, beside, ladder, rate=64.0, usual=0.01):
    """Of a hand-in that reaches 0.4 of the library (64 of 160 GFLOP/s) and 1.333 of cpu.blocked (64
    of 48)."""
    share = {"shape": make.sides(AT), "device": "cpu", "reference": reference, "full": full,
             "points": 40.0}
    times = [{"shape": make.sides(AT), "usual_s": usual, "of": 9, "beside_s": beside * usual,
              "beside_ladder_s": None if ladder is None else ladder * usual}]
    make.write(folder, {"one": make.right(rate=rate, library_times=times)})
    return mark_of(load(folder / "one"), grading_from(RULE | {"shares": [share]}))


@pytest.mark.parametrize(("times", "far"), [(1.0, False), (1.25, False), (1.26, True), (0.8, False),
                                            (0.79, True), (1.8, True)])
def test_far_is_over_a_quarter_either_way(times, far):
    assert is_far(times) == far


@pytest.mark.parametrize(("reference", "full", "beside", "ladder", "withheld"), [
    ("library", 0.8, 1.0, None, False),
    ("library", 0.8, 1.2, None, False),
    ("library", 0.8, 1.8, None, True),  # 0.4 of 0.8 may be 0.22 of it: band 2, or 1
    ("library", 0.8, 1.8, 1.8, True),  # whatever it took while the ladder was timed
    ("library", 0.1, 1.8, None, False),  # all points either way
    # the hand-in may have had as little of the machine as nobody knows
    ("library", 0.8, 0.5, None, True),
    ("library", 0.8, 1.0, 1.8, False),  # no rung is asked for
    ("cpu.blocked", 2.0, 1.8, None, False),  # in the same rounds: compared without the library
    ("cpu.blocked", 2.0, 1.8, 1.0, True),  # 1.333 of 2 may be 0.74 of it
    ("cpu.blocked", 2.0, 1.0, 1.8, True),  # or 2.4 of it
    ("cpu.blocked", 2.0, 1.0, 1.0, False),
], ids=str)
def test_a_mark_is_withheld_where_the_usual_time_would_have_given_another(tmp_path, reference, full,
                                                                          beside, ladder, withheld):
    made = mark(tmp_path, reference, full, beside, ladder)
    assert made.withheld == withheld
    step = made.steps[1]
    assert ("but usually takes 10.0 ms here (median of 9 timings)" in step.what) == withheld
    assert (made.ends == (60, 100)) if withheld else step.points > 0


def test_what_is_no_quarter_off_widens_what_a_repeat_is_likely_to_give(tmp_path):
    """0.4 of 0.79 is band 2; by a library that had taken its usual time it would be 0.33, which is
    band 1."""
    assert mark(tmp_path, "library", 0.79, 1.0,
                None).ends == (70, 80), "the interval alone reaches below a half"
    assert mark(tmp_path, "library", 0.75, 1.0, None).ends == (80, 80)
    assert mark(tmp_path, "library", 0.75, 1.2, None).ends == (70, 80)
    assert mark(tmp_path, "library", 0.75, 0.85, None).ends == (80, 80)


def test_the_page_says_how_long_the_library_took(tmp_path):
    mark(tmp_path, "library", 0.8, 2.1, None)
    write_all(tmp_path / "one")
    for suffix in ("html", "md"):
        text = (tmp_path / "one" / f"page.{suffix}").read_text(encoding="utf-8")
        assert ("At M = N = K = 1024 the library took 21.0 ms beside it, but usually takes 10.0 ms "
                "here" in text)
