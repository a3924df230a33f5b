"""Every number in the README's first part follows from the committed records."""

from __future__ import annotations

import readme_numbers
import recompute


def test_every_number_of_the_readme_follows_from_the_records():
    text = readme_numbers.README.read_text(encoding="utf-8")
    wrong = [f"{now} should be {should}" for _, _, now, should in readme_numbers.compared(text) if now != should]
    assert not wrong


def test_a_changed_number_and_an_added_one_are_found():
    text = readme_numbers.README.read_text(encoding="utf-8")
    place = next((begin, end) for begin, end, now, _ in readme_numbers.compared(text) if "." in now)
    changed = text[:place[0]] + "9.876" + text[place[1]:]
    assert [now for _, _, now, should in readme_numbers.compared(changed) if now != should] == ["9.876"]
    try:
        readme_numbers.compared("The answer is 42. " + text)
    except ValueError as error:
        assert "part near" in str(error)
    else:
        raise AssertionError("a number without a source passed")


def test_numbers_in_code_links_and_comments_are_not_results():
    text = "a `7` [b](c/8.md) <!-- 9 --> FP32 10 and 11,012 [13, 14.5].\n## Start\n15"
    assert [text[begin:end] for begin, end in readme_numbers.places(text)] == ["10", "11,012", "13", "14.5"]


def test_the_interval_of_a_median_is_that_of_order_statistics():
    # of 6 samples only the extremes hold the median with 95 %: P(all on one side) = 2/64
    assert recompute.interval([3, 1, 2, 6, 5, 4]) == (1, 6)
    # 20 samples: ranks 6 and 15 of 1 to 20 (Conover, Practical Nonparametric Statistics, table A3)
    assert recompute.interval(range(1, 21)) == (6, 15)
