"""Marks beside which the library took far from its usual time: timed again, and withheld where that
may have moved them. Told by the program of test_class.py, with times that were made up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_class import answers, asked, judge, times_of  # noqa: F401

from submissions.driver import command
from submissions.driver.command import UNCERTAIN

NAMES = [f"{number}.cpp" for number in range(6)]


def slowed(answer: list[dict | None], times: float) -> list[dict | None]:
    """The library takes so many times as long in the rounds with a hand-in, which itself takes as
    long as ever."""
    for row in answer[1]["performance"]:
        if row["role"] == "library":
            row["median_s"] *= times
        if row["role"] == "submission":
            for key in ("of_library", "of_library_low", "of_library_high"):
                row[key] *= times
    return answer


def judged(judge, tmp_path: Path, verdicts: dict[str, list], *more: str) -> int:  # noqa: F811
    return command.main([str(judge(verdicts)), "--ranking", "--output",
                         str(tmp_path / "out"), *more])


def others() -> dict[str, list]:
    return {name: answers(name, share=0.3) for name in NAMES}


def test_a_library_that_was_held_up_beside_one_is_timed_again_and_the_mark_is_as_the_others(
        tmp_path, judge) -> None:  # noqa: F811
    held_up = slowed(answers("zoe.cpp", share=0.3), 1.8)
    assert judged(judge, tmp_path,
                  others() | {"zoe.cpp": [*held_up, answers("zoe.cpp", share=0.3)[1]]}) == 0
    times, verdict = times_of(tmp_path, "zoe.cpp")
    assert (times == 2 and verdict["timed_again"] and verdict["timing"] == "done"
            and verdict["mark"]["value"] == 80)
    assert [asked(tmp_path).count(f"time {name}")
            for name in NAMES] == [1] * 6, "the others are not timed again"


def test_what_still_lies_off_is_withheld_and_found_by_the_same_command(tmp_path, judge,  # noqa: F811
                                                                       capsys) -> None:
    held_up = slowed(answers("zoe.cpp", share=0.3), 1.8)
    found = [*held_up, held_up[1], held_up[1], answers("zoe.cpp", share=0.3)[1]]
    assert judged(judge, tmp_path, others() | {"zoe.cpp": found}) == UNCERTAIN
    said = capsys.readouterr()
    assert ("marks of 1 submission (zoe.cpp) are withheld" in said.err
            and "held up the library" in said.err)
    times, verdict = times_of(tmp_path, "zoe.cpp")
    mark, (one,) = verdict["mark"], [one for one in verdict["library_times"]
                                     if one["shape"]["M"] == 1024]
    assert (times == 3 and verdict["timing"] == "waiting" and mark["withheld"]
            and mark["value"] is None)
    assert (one["beside_s"] == pytest.approx(1.8 * one["usual_s"])
            and one["of"] == 8), "6 others, itself and the ladder's"
    assert ("13.4 ms" in (why := mark["parts"][1]["what"]) and "24.2 ms" in why
            and "median of 8 timings" in why)
    (tmp_path / "asked").write_text("time zoe.cpp\n" * 3, encoding="utf-8")
    assert judged(judge, tmp_path, others() | {"zoe.cpp": found}) == 0
    assert asked(tmp_path)[3:] == ["time zoe.cpp"], "nothing else is done again"
    assert times_of(tmp_path, "zoe.cpp")[1]["mark"]["value"] == 80


@pytest.mark.parametrize(("times", "again"), [(1.2, 1), (0.85, 1), (1.3, 3), (0.75, 3)], ids=str)
def test_it_is_far_from_usual_beyond_a_quarter_either_way(tmp_path, judge, times, again) -> None:  # noqa: F811
    judged(judge, tmp_path, others() | {"zoe.cpp": slowed(answers("zoe.cpp", share=0.3), times)})
    assert times_of(tmp_path, "zoe.cpp")[0] == again


def test_a_library_held_up_that_cannot_move_a_mark_withholds_nothing(tmp_path, judge) -> None:  # noqa: F811
    """From 0.9 to 1.6 of the library, all points are earned."""
    assert judged(judge, tmp_path,
                  others() | {"zoe.cpp": slowed(answers("zoe.cpp", share=0.9), 1.8)}) == 0
    times, verdict = times_of(tmp_path, "zoe.cpp")
    assert times == 3 and verdict["mark"]["value"] == 100 and not verdict["mark"]["withheld"]


def test_one_that_was_timed_first_is_judged_by_those_that_came_later(tmp_path, judge) -> None:  # noqa: F811
    held_up = slowed(answers("0.cpp", share=0.3), 1.8)
    assert judged(judge, tmp_path, others() | {"0.cpp": held_up}) == UNCERTAIN
    assert times_of(tmp_path, "0.cpp")[1]["mark"]["withheld"]
    assert all(times_of(tmp_path, name)[1]["mark"]["value"] == 80 for name in NAMES[1:])


def test_beside_hand_ins_whose_speed_does_not_count_no_usual_time_is_found(tmp_path, judge) -> None:  # noqa: F811
    slow = {name: slowed(answers(name, share=0.3), 1.8) for name in NAMES}
    for name in NAMES:
        slow[name][1] |= {"speed_counts": False,
                          "speed_why": "something kept the processors from the library"}
    judged(judge, tmp_path,
           slow | {name: answers(name, share=0.3) for name in ("yan.cpp", "zoe.cpp")})
    assert [times_of(tmp_path, name)[1]["mark"]["value"]
            for name in ("yan.cpp", "zoe.cpp", "0.cpp")] == [80, 80, 60]


def ladder_slowed(told: Path, times: float) -> None:
    """While the ladder is timed, the library takes so many times as long."""
    made = json.loads(told.read_text(encoding="utf-8"))
    for row in made["ladder"]["rows"]:
        if row["role"] == "library":
            row["median_s"] *= times
        else:
            row["of_library"] *= times
    shares = made["facts"]["rule"]["grading"]["shares"]
    shares[0] |= {"reference": "cpu.blocked", "full": 1.0}
    told.write_text(json.dumps(made), encoding="utf-8")


def test_a_ladder_beside_which_the_library_was_held_up_is_timed_again(tmp_path, judge) -> None:  # noqa: F811
    """cpu.blocked has 0.3 of the library's speed: a hand-in of 0.2 reaches two thirds of it, and a
    third by a ladder that looks 1.8 times as fast."""
    homework = judge({name: answers(name, share=0.2) for name in NAMES})
    ladder_slowed(tmp_path / "told.json", 1.8)
    arguments = [str(homework), "--output", str(tmp_path / "out")]
    assert command.main(arguments) == UNCERTAIN
    mark = times_of(tmp_path, NAMES[0])[1]["mark"]
    assert mark["withheld"] and "while the ladder was timed" in mark["parts"][1]["what"]
    assert asked(tmp_path).count("ladder cpu") == 3, "once more in each turn"
    ladder_slowed(tmp_path / "told.json", 1 / 1.8)
    assert command.main(arguments) == 0
    assert [times_of(tmp_path, name)[1]["mark"]["value"] for name in NAMES] == [80] * 6


def test_a_single_file_is_compared_with_what_was_judged_into_the_same_folder(tmp_path,
                                                                             judge) -> None:  # noqa: F811
    out = ["--json", "--output", str(tmp_path / "out")]
    for name in ("anna.cpp", "ben.cpp"):
        homework = judge({name: answers(name, share=0.3)})
        assert command.main([str(homework / name), *out]) == 0
    held_up = slowed(answers("zoe.cpp", share=0.3), 1.8)
    homework = judge({"zoe.cpp": held_up})
    assert command.main([str(homework / "zoe.cpp"), *out]) == UNCERTAIN
    times, verdict = times_of(tmp_path, "zoe.cpp")
    assert times == 2 and verdict["mark"]["withheld"], "once more at once"
    assert command.main([str(homework / "zoe.cpp"), *out,
                         "--fresh"]) == 0, "what was timed before is of no matter then"
    assert times_of(tmp_path, "zoe.cpp")[1]["mark"]["value"] == 100
    homework = judge({"zoe.cpp": [*held_up, answers("zoe.cpp", share=0.3)[1]]})
    (tmp_path / "out" / "zoe.cpp" / "verdict.json").unlink()
    (tmp_path / "asked").unlink()
    assert command.main([str(homework / "zoe.cpp"), *out]) == 0
    assert times_of(tmp_path, "zoe.cpp")[1]["mark"]["value"] == 80
