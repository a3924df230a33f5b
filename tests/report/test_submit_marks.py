"""Marks: the rule's table [grading], and what it makes of a verdict."""

import tomllib

import pytest

import make_verdicts as make
from report.__main__ import main
from report.records import InputError
from report.submit.grading import DEFAULT, grading_of
from report.submit.marks import mark_of
from report.submit.verdict import load

RULE = """
[grading]
most = 20
correct = 10
reduced-precision = 4
[[grading.share]]
shape = "1024x1024x1024"
reference = "cpu.blocked"
full = 2.0
points = 4
[[grading.share]]
shape = "8192x6144x4096"
reference = "library"
device = "cpu"
full = 0.8
points = 6
[grading.deductions]
warnings = 0.5
warnings_at_most = 2
spills = 1.5
first-call = 3
"""


def rule_at(folder, text):
    path = folder / "rule.toml"
    path.write_text(text, encoding="utf-8")
    return path


def mark(folder, verdict, rule=RULE):
    make.write(folder, {"one": verdict})
    return mark_of(load(folder / "one"), grading_of(rule_at(folder, rule)))


def test_speed_earns_points_in_proportion(tmp_path):
    # 64 of cpu.blocked's 48 is 1.333 of 2: 2.7 of 4; 64 of the library's 160 is 0.4 of 0.8: 3 of 6.
    made = mark(tmp_path, make.right(rate=64.0))
    assert [step.points for step in made.steps] == [10, 2.7, 3.0]
    assert made.value == 15.7 and made.text == "15.7 of 20"


def test_full_speed_earns_all_points_and_no_more(tmp_path):
    assert mark(tmp_path, make.right(rate=159.0)).value == 20
    assert mark(tmp_path, make.right(rate=0.001)).value == 10


def test_the_library_is_judged_round_by_round_where_that_is_known(tmp_path):
    verdict = make.right(rate=64.0)
    own = next(row for row in verdict["performance"] if row["role"] == "submission" and row["shape"]["M"] == 8192)
    own["of_library"] = 0.2
    assert mark(tmp_path, verdict).steps[2].points == 1.5
    own["of_library"] = None
    assert mark(tmp_path, verdict).steps[2].points == 3.0


def test_a_mark_stays_between_nothing_and_the_most(tmp_path):
    assert mark(tmp_path, make.right(rate=159.0), RULE.replace("most = 20", "most = 18")).value == 18
    verdict = make.right(rate=0.001)
    verdict["build"]["kernels"] = [{"name": "k", "spill_bytes": 8}]
    made = mark(tmp_path, verdict, RULE.replace("spills = 1.5", "spills = 50"))
    assert made.value == 0 and sum(step.points for step in made.steps) == 0


@pytest.mark.parametrize("verdict", ["incorrect", "out-of-bounds", "out-of-memory", "crashed", "timeout", "build-failed",
                                     "dishonest"])
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
    assert main(["submission", str(tmp_path / "one"), "--rule", str(tmp_path / "rule.toml")]) == 0
    assert "not timed (predicted to take 120 s a call)" in (tmp_path / "one" / "page.html").read_text(encoding="utf-8")
    verdict["performance"].remove(own[2])
    assert "not timed at this shape" in mark(tmp_path, verdict).steps[1].what
    verdict = make.right(rate=64.0)
    verdict["performance"] = [row for row in verdict["performance"] if row["implementation"] != "cpu.blocked"]
    assert "cpu.blocked was not timed at this shape" in mark(tmp_path, verdict).steps[1].what


def test_entries_of_the_other_device_do_not_count(tmp_path):
    gpu = make.right("k.cu", "gpu", 21000.0)
    assert len(mark(tmp_path, gpu).steps) == 1  # one names the CPU, the other an entry of the CPU's ladder
    assert len(mark(tmp_path, gpu, RULE.replace('device = "cpu"\n', "")).steps) == 2


def test_parameters_of_a_rung_may_be_spaced_as_one_likes(tmp_path):
    gpu = make.right("k.cu", "gpu", 4500.0)
    for name in ("gpu.tiled block=32", "gpu.tiled, block = 32"):
        made = mark(tmp_path, gpu, RULE.replace("cpu.blocked", name))
        assert made.steps[1].points == 1.0, name  # half of 9000, of 2 times that


MISTAKES = [
    ('correct = 10', 'correct = "ten"', "grading.correct", '"ten"', "a number from 0 up"),
    ('correct = 10', 'correct = -1', "grading.correct", "-1", "a number from 0 up"),
    ('correct = 10', 'correct = true', "grading.correct", "true", "a number from 0 up"),
    ('correct = 10', 'correct = nan', "grading.correct", "NaN", "a number from 0 up"),
    ('most = 20', 'most = 0', "grading.most", "0", "over 0"),
    ('correct = 10', 'corect = 10', "grading.corect", "10", "correct, reduced-precision"),
    ('1024x1024x1024', '1024', "grading.share[1].shape", '"1024"', "MxNxK"),
    ('1024x1024x1024', '0x1x1', "grading.share[1].shape", '"0x1x1"', "from 1 up"),
    ('device = "cpu"', 'device = "tpu"', "grading.share[2].device", '"tpu"', "cpu, gpu"),
    ('device = "cpu"', 'devise = "cpu"', "grading.share[2].devise", '"cpu"', "device"),
    ('"library"', '"gpu.cublas"', "grading.share[2].reference", '"gpu.cublas"', 'device = "cpu"'),
    ('"cpu.blocked"', '"blocked"', "grading.share[1].reference", '"blocked"', "library"),
    ('full = 0.8', 'full = 0', "grading.share[2].full", "0", "over 0"),
    ('full = 0.8', '', "grading.share[2].full", "missing", "over 0"),
    ('points = 6', 'points = "6"', "grading.share[2].points", '"6"', "over 0"),
    ('shape = "1024x1024x1024"', '', "grading.share[1].shape", "missing", "MxNxK"),
    ('spills = 1.5', 'spils = 1.5', "grading.deductions.spils", "1.5", "spills"),
    ('warnings = 0.5', 'warnings = [1]', "grading.deductions.warnings", "[1]", "from 0 up"),
]


@pytest.mark.parametrize("right, mistake, key, value, allowed", MISTAKES, ids=[one[1] + one[2] for one in MISTAKES])
def test_a_mistake_in_the_rule_is_one_line_with_key_value_and_what_is_allowed(tmp_path, capsys, right, mistake, key, value,
                                                                            allowed):
    make.write(tmp_path, {"one": make.wrong()})
    assert right in RULE
    path = rule_at(tmp_path, RULE.replace(right, mistake))
    assert main(["submission", str(tmp_path), "--rule", str(path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("gemmlab submit: error: ") and said.count("\n") == 1
    for part in (str(path), key, value, allowed):
        assert part in said, part
    assert not (tmp_path / "one" / "page.html").exists()


@pytest.mark.parametrize("text, said", [("grading = 3", "grading = 3"), ("[grading]\nshare = 1", "[[grading.share]]"),
                                        ("[grading]\ndeductions = 2", "grading.deductions = 2"), ("[grading", "not TOML"),
                                        ("[grading]\nshare = [1]", "grading.share[1] = 1")])
def test_a_rule_of_another_form_is_refused(tmp_path, text, said):
    with pytest.raises(InputError) as error:
        grading_of(rule_at(tmp_path, text))
    assert said in str(error.value) and "\n" not in str(error.value)


def test_a_rule_that_is_not_there_is_named(tmp_path, capsys):
    make.write(tmp_path, {"one": make.right()})
    assert main(["submission", str(tmp_path), "--rule", str(tmp_path / "none.toml")]) == 2
    assert "none.toml: No such file" in capsys.readouterr().err


def test_without_a_table_for_marks_there_are_none(tmp_path):
    assert grading_of(rule_at(tmp_path, "rounds = 7\n")) is None
    make.write(tmp_path, {"one": make.wrong()})
    assert main(["submission", str(tmp_path), "--rule", str(tmp_path / "rule.toml")]) == 0
    assert "Mark:" not in (tmp_path / "one" / "page.html").read_text(encoding="utf-8")


def test_the_default_rule_can_be_read_and_its_speeds_are_timed():
    rule, grading = tomllib.loads(DEFAULT.read_text(encoding="utf-8")), grading_of(DEFAULT)
    assert grading.shares and grading.correct > grading.reduced_precision
    for share in grading.shares:
        for device in [share.device] if share.device else ["cpu", "gpu"]:
            assert share.shape.key in rule[device]["timed"]
            assert share.reference == "library" or share.reference in rule[device]["ladder"]


def test_numbers_left_out_are_those_of_the_default_rule(tmp_path):
    default, mine = grading_of(DEFAULT), grading_of(rule_at(tmp_path, "[grading]\ncorrect = 7\n"))
    assert mine.correct == 7 and not mine.shares
    assert (mine.most, mine.reduced_precision, mine.spills) == (default.most, default.reduced_precision, default.spills)
