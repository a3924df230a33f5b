"""What the page of a submission says of how certain its times are."""

import make_verdicts as make
import pytest

from submissions.pages.command import write_all
from submissions.pages.speed import certainty
from submissions.verdicts.verdict import load


def test_the_page_says_what_a_time_is_worth(tmp_path):
    verdict = make.right(load={"others": 0.83, "cores": 2, "busy": True}, ladder_once=True)
    own = [row for row in verdict["performance"] if row["role"] == "submission"]
    own[2]["settled"] = False
    make.write(tmp_path, {"one": verdict})
    write_all(tmp_path / "one")
    for suffix in ("html", "md"):
        text = (tmp_path / "one" / f"page.{suffix}").read_text(encoding="utf-8")
        assert ("Not settled at M = N = K = 1024: " in text
                and "other programs kept 0.8 of 2 cores at work" in text)
        assert "The ladder was timed once for the whole class" in text


@pytest.mark.parametrize(("found", "said"), [
    ({"quiet": True, "quiet_rounds": 7}, ""),
    ({"quiet": True, "quiet_rounds": 6},
     "6 of 7 rounds had the processors for themselves; the others do not count"),
    ({"quiet": False, "quiet_rounds": 2},
     "2 of 7 rounds had the processors for themselves, too few: all are shown"),
    ({"quiet": False, "quiet_rounds": 6, "waits_alone": True},
     "it waited for a processor where the library did not"),
], ids=["all", "most", "too few", "by itself"])
def test_the_page_says_which_rounds_count(tmp_path, found, said):
    verdict = make.right()
    next(row for row in verdict["performance"] if row["role"] == "submission").update(found)
    make.write(tmp_path, {"one": verdict})
    text = "\n".join(certainty(load(tmp_path / "one")))
    assert ("had the processors for themselves" in text) == bool(said) and said in text
