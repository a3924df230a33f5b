"""The ranking: order, ties, and the shape at which speeds are compared."""

import csv

import make_verdicts as make
import pytest

from files.reading import InputError
from submissions.pages.command import write_all

FLAT = make.grading(most=100, correct=10)


def ranked(folder, verdicts, grading=None):
    """(rows of the CSV, Markdown)."""
    make.write(folder, verdicts)
    write_all(folder, grading, ranking=True)
    with (folder / "ranking.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file)), (folder / "ranking.md").read_text(encoding="utf-8")


def order(rows):
    return [(row["folder"], row["place"]) for row in rows]


@pytest.fixture(autouse=True)
def _no_figures(monkeypatch):
    """Drawing takes most of the time, and no ranking looks at a figure."""
    monkeypatch.setattr("submissions.pages.speed.chart", lambda verdict: None)


def test_places_go_by_speed_whatever_a_warning_costs(tmp_path):
    fast = make.right("fast.cpp", rate=100.0)
    fast["build"]["messages"] = [{"kind": "warning", "line": 1, "column": 1, "text": "w"}]
    rows, _ = ranked(tmp_path, {"fast": fast, "slow": make.right("slow.cpp", rate=20.0)}, FLAT)
    assert (order(rows) == [("fast", "1"), ("slow", "2")]
            and [row["mark"] for row in rows] == ["9", "10"])


def test_the_same_file_shares_a_place_on_a_machine_that_slows_down(tmp_path):
    """GFLOP/s fall by a third from the first to the last, and so do those of the library beside
    each."""
    verdicts = {}
    for number, slower in enumerate((1.0, 0.95, 0.9, 0.8, 0.75, 0.66)):
        verdicts[f"s{number}"] = one = make.right(f"s{number}.cpp", rate=60.0 * slower)
        for row in one["performance"]:
            (row.update(of_library=0.375, of_library_ci95=[0.37, 0.38])
             if row["role"] == "submission" else None)
    rows, text = ranked(tmp_path, verdicts, make.grading(bands=4))
    assert ({row["place"] for row in rows} == {"1="}
            and "share of the library's speed in the same rounds" in text)


def test_what_is_not_settled_and_a_busy_machine_are_said(tmp_path):
    loud = make.right("loud.cpp", rate=50.0, load={"others": 0.83, "cores": 2, "busy": True})
    for row in loud["performance"]:
        row["settled"] = False if row["role"] == "submission" else None
    rows, text = ranked(tmp_path, {"loud": loud, "quiet": make.right("quiet.cpp", rate=20.0)}, FLAT)
    assert (rows[0]["settled"] == "no" and rows[0]["others_used"] == "0.83"
            and rows[1]["notes"] == "")
    assert (rows[0]["notes"] == "not settled; others used 0.8 of 2 cores"
            and rows[0]["notes"] in text)


def test_what_was_left_out_or_could_not_be_built_is_named_with_the_reason(tmp_path):
    why = "It could not be built: line 1: left out: the folder is a link, which is not followed"
    left_out = make.unbuilt("Link_16.cpp") | {"summary": why + "\x1b[2J" + "!" * 300}
    rows, text = ranked(tmp_path,
                        {"Link_16": left_out, "right": make.right("right.cpp", rate=20.0)}, FLAT)
    assert order(rows) == [("right", "1"), ("Link_16", "")]
    assert (rows[1]["notes"].startswith(why) and len(rows[1]["notes"]) <= 120
            and rows[1]["notes"].isprintable() and why in text)


def test_a_speed_that_does_not_count_has_no_place_and_says_why(tmp_path):
    cheat = make.right("cheat.cpp", rate=150.0, speed_counts=False,
                       speed_why="faster than the ceiling")
    rows, text = ranked(tmp_path, {"cheat": cheat, "slow": make.right("slow.cpp", rate=20.0)}, FLAT)
    assert order(rows) == [("slow", "1"), ("cheat", "")]
    assert rows[1]["notes"] == "faster than the ceiling" and "faster than the ceiling" in text


def test_equal_verdicts_go_by_speed_and_share_a_place_where_intervals_overlap(tmp_path):
    rows, text = ranked(tmp_path,
                        {"a": make.right("a.cpp", rate=50.0), "b": make.right("b.cpp", rate=51.0),
                         "c": make.right("c.cpp", rate=30.0)}, FLAT)
    assert order(rows) == [("b", "1="), ("a", "1="), ("c", "3")]
    assert "“2=”" in text and "| 1= | [b.cpp](b/page.html) |" in text


def test_a_difference_within_the_noise_floor_is_a_tie(tmp_path):
    rows, _ = ranked(
        tmp_path, {"a": make.right("a.cpp", rate=50.0), "b": make.right("b.cpp", rate=54.0)}, FLAT)
    assert order(rows) == [("b", "1"), ("a", "2")]
    rows, text = ranked(tmp_path, {"a": make.right("a.cpp", rate=50.0, noise_floor=0.05),
                                   "b": make.right("b.cpp", rate=54.0)}, FLAT)
    assert order(rows) == [("b", "1="), ("a", "1=")] and "noise floor" in text


def test_a_chain_of_overlaps_is_not_one_place(tmp_path):
    rows, _ = ranked(tmp_path,
                     {"a": make.right("a.cpp", rate=50.0), "b": make.right("b.cpp", rate=52.0),
                      "c": make.right("c.cpp", rate=54.0)}, FLAT)
    assert order(rows) == [("c", "1="), ("b", "1="), ("a", "3")]


def test_less_precision_never_shares_a_place_with_what_is_correct(tmp_path):
    coarse = make.right("b.cpp", rate=50.5, verdict="reduced-precision")
    rows, _ = ranked(tmp_path, {"a": make.right("a.cpp", rate=50.0), "b": coarse}, FLAT)
    assert order(rows) == [("a", "1"), ("b", "2")]


def test_without_marks_the_verdict_decides(tmp_path):
    rows, text = ranked(tmp_path, {"a": make.right("a.cpp", rate=90.0, verdict="reduced-precision"),
                                   "b": make.right("b.cpp", rate=3.0), "c": make.unbuilt(),
                                   "d": make.wrong()})
    assert order(rows) == [("b", "1"), ("a", "2"), ("d", ""), ("c", "")]
    assert "mark" not in text and all(row["mark"] == "" for row in rows)


def test_speed_is_compared_at_the_largest_shape_that_all_right_ones_share(tmp_path):
    slow = make.right("slow.cpp", rate=2.0)
    own = [row for row in slow["performance"] if row["role"] == "submission"]
    make.skip(own[3], "too slow")
    untimed = make.right("untimed.cpp", performance=[], place=[], first_call=None)
    reduced = make.right("half.cpp", rate=70.0, verdict="reduced-precision",
                         performance=make.performance("cpu", 70.0)[:7])
    rows, text = ranked(tmp_path, {"fast": make.right("fast.cpp", rate=90.0), "slow": slow,
                                   "untimed": untimed, "half": reduced})
    assert "Speed and share at M = N = K = 1024, " in text
    assert order(rows) == [("fast", "1"), ("slow", "2"), ("untimed", "3"), ("half", "4")]
    by_name = {row["folder"]: row for row in rows}
    assert (by_name["slow"]["gflop_per_s_8192x6144x4096"] == ""
            and by_name["fast"]["gflop_per_s_8192x6144x4096"] == "90.0")
    assert by_name["fast"]["of_library_1024x1024x1024"] == repr(90.0 / 160.0)


def test_wrong_ones_have_a_pattern_and_no_speed(tmp_path):
    rows, _ = ranked(tmp_path, {"a": make.wrong(performance=make.performance("cpu", 150.0)),
                                "b": make.right()}, make.grading())
    last = rows[-1]
    assert (last["folder"], last["verdict"], last["pattern"], last["mark"], last["place"]) == (
        "a", "incorrect", "only-squares", "0", "")
    assert not any(last[name] for name in last if name.startswith(("gflop_per_s", "of_library")))


def test_devices_are_ranked_apart(tmp_path):
    rows, text = ranked(tmp_path, {"a": make.right("a.cpp", rate=50.0),
                                   "b": make.right("b.cu", "gpu", 9000.0)})
    assert [(row["device"], row["place"]) for row in rows] == [("cpu", "1"), ("gpu", "1")]
    assert text.index("## CPU submissions") < text.index("## GPU submissions")


def test_the_same_file_twice_and_other_machines_are_told(tmp_path):
    other = make.right("c.cpp", machine={"cpu": "AMD EPYC", "cores": 8, "gpu": None})
    _, text = ranked(tmp_path,
                     {"a": make.right("same.cpp"), "b": make.right("same.cpp"), "c": other})
    assert "The same file, byte for byte: same.cpp (in a) and same.cpp (in b)." in text
    assert "judged with 2 machines: speeds and shares do not compare" in text
    assert "[same.cpp (in a)](a/page.html)" in text
    _, alone = ranked(tmp_path / "alone", {"a": make.right("x.cpp"), "b": make.right("y.cpp")})
    assert "byte for byte" not in alone and "judged with" not in alone


def test_one_submission_is_no_ranking(tmp_path):
    make.write(tmp_path, {"one": make.right()})
    with pytest.raises(InputError, match="--ranking wants"):
        write_all(tmp_path / "one", ranking=True)
