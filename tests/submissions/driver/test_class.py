"""A class that was stopped goes on where it was, and marks that hang on uncertain times have an
exit code of their own: told by a program that answers as the judge does, at once, and notes what it
was asked."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pytest

from submissions.driver import command, run
from submissions.driver.asking import COUNTED, metrics
from submissions.driver.command import UNCERTAIN, WRONG

sys.path.insert(0, str(Path(__file__).parents[1] / "pages"))
from make_verdicts import performance, right, unbuilt, wrong

JUDGE = """#!{python} -IS
import json, os, sys
folder = os.path.dirname(os.path.abspath(__file__))
told = json.load(open(folder + "/told.json"))
def next_request():
    line = sys.stdin.readline()
    return json.loads(line) if line else sys.exit(0)
def say(answer):
    sys.stdout.write(json.dumps(answer) + "\\n")
    sys.stdout.flush()
def note(what, name):
    with open(folder + "/asked", "a") as log:
        log.write(what + " " + name + "\\n")
request = next_request()
if sys.argv[1] == "facts":
    names = [os.path.basename(file) for file in request["files"]]
    say(dict(told["facts"], submissions=[{{"path": file, "name": name, "device": "cpu", "sha256": name, "refused": ""}}
                                         for file, name in zip(request["files"], names)]))
elif sys.argv[1] == "ladder":
    note("ladder", "cpu")
    say(told["ladder"])
else:
    name = os.path.basename(request["file"])
    checked, *timed = told["verdicts"][name]
    say({{"built": True}})
    while True:
        what = next_request()["do"]
        note(what, name)
        turn = open(folder + "/asked").read().splitlines().count("time " + name)
        say({{"verdict": timed[min(turn, len(timed)) - 1] if what == "time" else checked, "may_be_timed": timed[0] is not None,
             "limits": []}})
"""

GRADING = {"most": 100, "correct": 60, "reduced_precision": 40, "bands": 4, "groups": [],
           "warning": 1, "warnings_at_most": 5, "spills": 2, "first_call": 0,
           "shares": [{"shape": {"M": 1024, "N": 1024, "K": 1024}, "device": "cpu",
                       "reference": "library", "full": 0.5, "points": 40}]}
FIELDS = {"emulated": False, "counts": None, "findings": [], "counters_missing": "",
          "timed_inputs_key": ""}
# three right ones, a wrong one, one that is not built
NAMES = ("anna.cpp", "ben.cpp", "cleo.cpp", "dora.cpp", "emil.cpp")


def answers(name: str, share: float = 0.6, half_width: float = 0.01, busy: bool = False,
            quiet: bool | None = None) -> list[dict | None]:
    """What checking and timing find of a right one: that share of the library's speed, as an
    interval."""
    timed = right(name, load={"others": 1.5 if busy else 0.01, "cores": 2, "busy": busy}, **FIELDS)
    for row in timed["performance"]:
        if row["role"] == "submission":
            row.update(of_library=share, of_library_low=share - half_width,
                       of_library_high=share + half_width, settled=half_width < 0.05 * share,
                       quiet=quiet, quiet_rounds=7 if quiet else 2)
    return [right(name, performance=[], place=[], **FIELDS), timed]


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Makes the program, and the homework that it is asked about."""
    def made(verdicts: dict[str, list]) -> Path:
        told = {"facts": {"rule": {"path": "", "file": "default.toml", "sha256": "ab",
                                   "random_shapes": 12, "grading": GRADING},
                          "program": {"version": "1"}, "like": "",
                          "machine": {"cpu": "x", "cores": 2, "gpu": None},
                          "worker": {}, "not_isolated": ""},
                "ladder": {"rows": [row for row in performance("cpu", 64.0) if row["role"]
                                    != "submission"], "notes": [], "load": None, "limits": []},
                "verdicts": verdicts}
        (tmp_path / "told.json").write_text(json.dumps(told), encoding="utf-8")
        program = tmp_path / "judge"
        program.write_text(JUDGE.format(python=sys.executable), encoding="utf-8")
        program.chmod(0o755)
        monkeypatch.setenv("GEMMLAB_JUDGE", str(program))
        homework = tmp_path / "homework"
        homework.mkdir(exist_ok=True)
        for name in verdicts:
            (homework / name).write_text(f"// {name}\n", encoding="utf-8")
        return homework

    # figures are drawn elsewhere
    monkeypatch.setattr("submissions.pages.command.write_pages", lambda _: None)
    return made


def asked(tmp_path: Path) -> list[str]:
    return (tmp_path / "asked").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("stopped_at", [2, 7], ids=["among the checks", "among the times"])
def test_a_stopped_class_goes_on_where_it_was_and_judges_none_twice(tmp_path, judge, monkeypatch,
                                                                    stopped_at) -> None:
    homework = judge({name: answers(name) for name in NAMES[:3]}
                     | {"dora.cpp": [wrong("dora.cpp", **FIELDS), None],
                        "emil.cpp": [unbuilt("emil.cpp") | FIELDS, None]})
    arguments = [str(homework), "--ranking", "--output", str(tmp_path / "out")]
    keep, kept = run.Run._keep, []

    def stop(self, submission, verdict, timing):
        if len(kept) + 1 == stopped_at:
            raise KeyboardInterrupt
        keep(self, submission, verdict, timing)
        kept.append(("time " if timing == run.DONE else "check ") + submission["name"])

    monkeypatch.setattr(run.Run, "_keep", stop)
    with pytest.raises(KeyboardInterrupt):
        command.main(arguments)
    assert len(kept) == stopped_at - 1
    (tmp_path / "asked").unlink()

    monkeypatch.setattr(run.Run, "_keep", keep)
    assert command.main(arguments) == WRONG
    wanted = {f"check {name}" for name in NAMES} | {f"time {name}" for name in NAMES[:3]}
    again = [one for one in asked(tmp_path) if not one.startswith("ladder")]
    assert sorted(again) == sorted(wanted - set(kept)), ("what was kept is not done twice, and "
                                                         "nothing is left out")
    assert ("ladder cpu" in asked(tmp_path)) == (stopped_at <= 5), ("it is timed once, by the "
                                                                    "first that is timed")
    with open(tmp_path / "out" / "ranking.csv", encoding="utf-8", newline="") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    assert sorted(rows) == sorted(NAMES)
    assert ([rows[name]["mark"] for name in NAMES[:3]] == ["100"] * 3
            and all(rows[name]["place"] for name in NAMES[:3]))
    assert (rows["dora.cpp"]["verdict"] == "incorrect"
            and rows["emil.cpp"]["verdict"] == "build-failed")

    (tmp_path / "asked").unlink()
    assert command.main(arguments) == WRONG
    assert not (tmp_path / "asked").exists(), "all is known by now"


@pytest.mark.parametrize(("found", "code"), [
    ({}, 0),
    ({"busy": True}, UNCERTAIN),
    ({"busy": True, "quiet": False, "half_width": 0.2}, UNCERTAIN),
    ({"busy": True, "quiet": True}, 0),  # what counts had the processors for itself
    ({"share": 0.4, "half_width": 0.1}, UNCERTAIN),  # from band 2 to band 4
    ({"share": 0.3, "half_width": 0.04}, 0),  # wide, but within band 2
], ids=["quiet and settled", "busy machine", "too few quiet rounds", "quiet rounds", "not settled",
        "within a band"])
def test_marks_that_hang_on_uncertain_times_end_with_4(tmp_path, judge, capsys, found,
                                                       code) -> None:
    homework = judge({"anna.cpp": answers("anna.cpp", **found), "ben.cpp": answers("ben.cpp")})
    assert command.main([str(homework), "--output", str(tmp_path / "out")]) == code
    said = capsys.readouterr().err
    how = "run the same command again" if found.get("busy") else "judge again with --fresh"
    assert ("anna.cpp" in said and how in said) == (code == UNCERTAIN) and "ben.cpp)" not in said


def times_of(tmp_path: Path, name: str) -> tuple[int, dict]:
    """How often it was timed, and what stands in its verdict."""
    verdict = json.loads((tmp_path / "out" / name / "verdict.json").read_text(encoding="utf-8"))
    return asked(tmp_path).count(f"time {name}"), verdict


def test_what_is_uncertain_is_timed_once_more_when_all_others_are_done(tmp_path, judge) -> None:
    quiet, slower = answers("anna.cpp", share=0.2), answers("anna.cpp", share=0.3, busy=True)
    homework = judge({"anna.cpp": [*slower, quiet[1]], "ben.cpp": answers("ben.cpp")})
    assert command.main([str(homework), "--output", str(tmp_path / "out")]) == 0
    assert [one for one in asked(tmp_path)
            if one.startswith("time")] == ["time anna.cpp", "time ben.cpp", "time anna.cpp"]
    times, verdict = times_of(tmp_path, "anna.cpp")
    assert (times == 2 and verdict["timed_again"]
            and verdict["mark"]["value"] == 70), "the certain times count, though they are slower"


@pytest.mark.parametrize("others", [1.0, 1.9], ids=["quieter", "busier"])
def test_of_two_uncertain_times_those_of_the_quieter_turn_are_shown(tmp_path, judge,
                                                                    others) -> None:
    first, second = answers("anna.cpp", half_width=0.2,
                            busy=True), answers("anna.cpp", share=0.4, half_width=0.2, busy=True)
    second[1]["load"]["others"] = others
    homework = judge({"anna.cpp": [*first, second[1]], "ben.cpp": answers("ben.cpp")})
    assert command.main([str(homework), "--output", str(tmp_path / "out")]) == UNCERTAIN
    shown = next(row["of_library"] for row in times_of(tmp_path, "anna.cpp")[1]["performance"]
                 if row["role"] == "submission")
    assert shown == (0.4 if others < 1.5 else 0.6)


def test_a_withheld_mark_is_no_mark_and_the_same_command_finds_it(tmp_path, judge) -> None:
    """At 22 % of 50 % to 78 %, every band may be its own."""
    busy, quiet = answers("anna.cpp", share=0.5, half_width=0.28, busy=True,
                          quiet=False), answers("anna.cpp", share=0.3)
    homework = judge({"anna.cpp": [*busy, busy[1], busy[1], quiet[1]],
                      "ben.cpp": answers("ben.cpp")})
    arguments = [str(homework), "--ranking", "--format", "moodle", "--output",
                 str(tmp_path / "out")]
    assert command.main(arguments) == UNCERTAIN
    times, verdict = times_of(tmp_path, "anna.cpp")
    assert times == 3 and verdict["timing"] == "waiting"
    mark = verdict["mark"]
    assert (mark["value"], mark["withheld"], mark["at_least"], mark["at_most"]) == (None,
                                                                                    True, 60, 100)
    with open(tmp_path / "out" / "ranking.csv", encoding="utf-8", newline="") as file:
        row = {row["name"]: row for row in csv.DictReader(file)}["anna.cpp"]
    assert ((row["mark"], row["mark_low"], row["mark_high"], row["place"]) == ("", "60", "100", "")
            and "withheld" in row["notes"])
    assert ",,100.00" in (tmp_path / "out" / "moodle.csv").read_text(encoding="utf-8")
    (tmp_path / "asked").write_text("time anna.cpp\n" * 3, encoding="utf-8")
    assert command.main(arguments) == 0
    assert asked(tmp_path)[3:] == ["time anna.cpp"], "nothing else is done again"
    assert times_of(tmp_path, "anna.cpp")[1]["mark"]["value"] == 80


def test_waiting_that_cannot_move_a_mark_withholds_nothing(tmp_path, judge) -> None:
    homework = judge({"anna.cpp": answers("anna.cpp", share=0.05, half_width=0.04, busy=True,
                                          quiet=False), "ben.cpp": answers("ben.cpp")})
    assert command.main([str(homework), "--output", str(tmp_path / "out")]) == 0
    times, verdict = times_of(tmp_path, "anna.cpp")
    assert times == 1 and verdict["mark"]["value"] == 60


def test_a_machine_that_stays_busy_is_given_up_after_a_few(tmp_path, judge) -> None:
    names = [f"{number}.cpp" for number in range(8)]
    homework = judge({name: answers(name, half_width=0.3, busy=True, quiet=False)
                      for name in names})
    assert command.main([str(homework), "--output", str(tmp_path / "out")]) == UNCERTAIN
    assert [asked(tmp_path).count(f"time {name}") for name in names] == [3] * 5 + [1] * 3


def rung_waited(told: Path, waited: bool) -> None:
    """The ladder of the judge that answers: was the machine busy, and did its rungs wait?"""
    made = json.loads(told.read_text(encoding="utf-8"))
    made["ladder"]["load"] = {"others": 1.0, "cores": 2, "busy": waited}
    for row in made["ladder"]["rows"]:
        row["quiet"] = not waited
    told.write_text(json.dumps(made), encoding="utf-8")


def test_a_ladder_that_waited_is_timed_once_more(tmp_path, judge) -> None:
    homework = judge({name: answers(name, quiet=True) for name in NAMES[:2]})
    rung_waited(tmp_path / "told.json", True)
    arguments = [str(homework), "--output", str(tmp_path / "out"), "--fresh"]
    assert (command.main(arguments) == 0
            and asked(tmp_path).count("ladder cpu") == 1), "no mark here hangs on it"
    rung_waited(tmp_path / "told.json", False)
    (tmp_path / "out" / "anna.cpp" / "verdict.json").unlink()
    assert command.main(arguments[:-1]) == 0 and asked(tmp_path).count("ladder cpu") == 2
    (tmp_path / "out" / "anna.cpp" / "verdict.json").unlink()
    assert (command.main(arguments[:-1]) == 0
            and asked(tmp_path).count("ladder cpu") == 2), "it is certain now"


def test_what_a_second_turn_finds_wrong_counts(tmp_path, judge) -> None:
    homework = judge({"anna.cpp": [*answers("anna.cpp", busy=True),
                                   wrong("anna.cpp", **FIELDS, load=None)],
                      "ben.cpp": answers("ben.cpp")})
    assert command.main([str(homework), "--output", str(tmp_path / "out")]) == WRONG
    assert times_of(tmp_path, "anna.cpp")[1]["verdict"] == "incorrect"


def test_a_busy_machine_is_of_no_matter_where_no_mark_hangs_on_time(tmp_path, judge) -> None:
    busy = {"load": {"others": 1.5, "cores": 2, "busy": True}}
    homework = judge({"dora.cpp": [wrong("dora.cpp", **FIELDS, **busy), None],
                      "anna.cpp": answers("anna.cpp")})
    assert command.main([str(homework), "--output", str(tmp_path / "out")]) == WRONG


def test_each_counter_that_is_asked_for_is_one_that_profile_knows() -> None:
    asked = metrics()
    assert [row["name"] for row in asked["rows"]] == list(COUNTED)
