"""The two steps of a verdict, put together; the ladder that a folder keeps; what the terminal says
of the time left."""

from submissions.driver import ladder
from submissions.driver.merge import merged
from submissions.driver.terminal import left_text


def verdict(word="correct", failures=(), **more):
    return {"verdict": word, "summary": f"It is {word}.", "failures": list(failures), "notes": [],
            "advice": [], "resources": [], "checks": {"right": 0}} | more


def failure(word, pattern):
    return {"verdict": word, "pattern": pattern}


def test_times_come_to_what_was_checked():
    whole = merged(verdict(checks={"right": 58}, notes=["a"]),
                   verdict(performance=[1], load={"busy": True}, notes=["b", "a"]))
    assert (whole["checks"]["right"] == 58 and whole["performance"] == [1] and whole["load"]["busy"]
            and whole["notes"] == ["a", "b"])
    assert whole["verdict"] == "correct" and whole["summary"] == "It is correct."


def test_a_timed_call_that_is_wrong_counts():
    whole = merged(verdict(), verdict("incorrect", [failure("incorrect", "wrong-when-timed")]))
    assert whole["verdict"] == "incorrect" and whole["failures"][0]["pattern"] == "wrong-when-timed"


def test_less_precision_is_said_once_and_is_not_forgotten():
    coarse = verdict("reduced-precision", [failure("reduced-precision", "reduced-precision")])
    assert merged(coarse, verdict())["verdict"] == "reduced-precision"
    whole = merged(coarse, verdict("dishonest", [failure("reduced-precision", "other"),
                                                 failure("dishonest", "remembered")]))
    assert [one["pattern"] for one in whole["failures"]] == ["remembered", "reduced-precision"]


def test_a_ladder_is_kept_for_the_same_circumstances_alone(tmp_path):
    timed = {"rows": [{"role": "ladder"}], "notes": [], "load": None, "limits": []}
    ladder.record(tmp_path, "cpu", {"rule": "a"}, timed)
    ladder.record(tmp_path, "gpu", {"rule": "b"}, timed)
    assert ladder.recorded(tmp_path, "cpu", {"rule": "a"})["rows"] == timed["rows"]
    assert (ladder.recorded(tmp_path, "cpu", {"rule": "b"}) is None
            and ladder.recorded(tmp_path / "none", "cpu", {}) is None)
    (tmp_path / ladder.FILE).write_text("{", encoding="utf-8")
    assert ladder.recorded(tmp_path, "cpu", {"rule": "a"}) is None


def test_the_time_left_is_said_in_words():
    assert (left_text(0.2) == "about 1 s left" and left_text(40) == "about 40 s left"
            and left_text(200) == "about 3 min left")
