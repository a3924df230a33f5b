"""Results for other systems, from a verdict alone."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from submissions.formats import classroom50, gradescope, junit, rows
from submissions.verdicts.grading import Grading

GRADING = Grading(most=100, correct=60, reduced_precision=20, bands=0, groups=(), shares=(),
                  warning=1, warnings_at_most=5, spills=2, first_call=0)


def verdict(folder: Path, **more: object) -> Path:
    own = folder / str(more.get("submission", "a.cu"))
    own.mkdir()
    raw = {"schema": 2, "submission": own.name, "device": "gpu", "verdict": "correct",
           "summary": "Right at all shapes."} | more
    (own / "verdict.json").write_text(json.dumps(raw), encoding="utf-8")
    (own / "page.md").write_text("# page\n![figure](performance.svg)\n[by line](explain.html)\n"
                                 "text\n", encoding="utf-8")
    return own


def test_parts_of_the_mark_are_gradescopes_tests_and_deductions_have_no_score(
        tmp_path: Path) -> None:
    own = verdict(tmp_path, build={"messages": [{"kind": "warning", "line": 1, "text": "x"}]},
                  assignment={"name": "a", "parts": [{"what": "loads", "points": 12.5, "of": 40}]})
    gradescope.write(tmp_path, [own], GRADING)
    made = json.loads((own / "results.json").read_text(encoding="utf-8"))
    assert made["score"] == 71.5 and made["output"] == "# page\ntext"
    assert ([(test.get("score"), test.get("max_score"), test["status"]) for test in made["tests"]]
            == [(60, 60, "passed"), (12.5, 40, "failed"), (None, None, "failed")])
    assert made["tests"][2]["output"] == "−1 points"


def test_a_wrong_submission_is_told_why(tmp_path: Path) -> None:
    own = verdict(tmp_path, verdict="incorrect", summary="Wrong at 3x4x5.",
                  failures=[{"verdict": "incorrect", "hint": "look at row 2"}])
    gradescope.write(tmp_path, [own], GRADING)
    (test,) = json.loads((own / "results.json").read_text(encoding="utf-8"))["tests"]
    assert (test["score"], test["max_score"]) == (0, 100)
    assert "Wrong at 3x4x5." in test["output"] and "look at row 2" in test["output"]


@pytest.mark.parametrize("points", [[(0.5, 1)] * 4, [(12.4, 40), (60, 60)],
                                    [(60, 60), (33.3, 40), (-1, None)]])
def test_whole_points_add_up_to_the_rounded_mark(points: list[tuple[float, float | None]]) -> None:
    made = rows.whole_points([rows.Row("", got, of) for got, of in points])
    assert sum(one for one, _ in made) == round(sum(one for one, _ in points))
    assert sum(of for _, of in made) == round(sum(of or 0 for _, of in points))


def test_classroom_50_gets_every_field_of_its_contract(tmp_path: Path) -> None:
    (outcome,) = rows.outcomes([verdict(tmp_path)], GRADING)
    made = classroom50.result(outcome, {"CLASSROOM": "c", "ASSIGNMENT": "a",
                                        "SUBMISSION_TAG": "submit/1", "COMMIT_URL": "https://x/c",
                                        "RELEASE_URL": "https://x/r", "REVIEW_URL": ""})
    assert {key: made[key] for key in (
        "schema", "classroom", "assignment", "submission", "commit", "release", "review")} == {
            "schema": "classroom50/result/v1", "classroom": "c", "assignment": "a",
            "submission": "submit/1", "commit": "https://x/c", "release": "https://x/r",
            "review": "https://x/c"}
    assert made["tests"] == [{"test-name": "verdict correct", "passed": True, "score": 60,
                              "max-score": 60}]
    assert made["datetime"].endswith("Z") and (made["score"], made["max-score"]) == (60, 60)


def test_without_a_rule_for_marks_correct_is_one_point(tmp_path: Path) -> None:
    folders = [verdict(tmp_path), verdict(tmp_path, submission="b.cu", verdict="timeout")]
    assert [outcome.mark.value for outcome in rows.outcomes(folders, None)] == [1, 0]


def test_junit_is_xml_whatever_a_student_wrote(tmp_path: Path) -> None:
    own = verdict(tmp_path, submission="<&\u202e]]>.cu", verdict="build-failed",
                  summary="\x00\x1b[2J<b>")
    junit.write(tmp_path, [own], GRADING)
    ((suite,),) = [list(Xml.parse(tmp_path / "junit.xml").getroot())]
    assert ("<&" in suite.get("name") and suite.get("failures") == "1"
            and "<b>" in suite.find("testcase/failure").text)


def test_what_was_not_judged_has_no_result(tmp_path: Path) -> None:
    (tmp_path / "a.cu").mkdir()
    gradescope.write(tmp_path, [tmp_path / "a.cu"], GRADING)
    assert not list((tmp_path / "a.cu").iterdir())
