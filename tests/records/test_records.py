import json
from dataclasses import fields

import pytest
from sample_records import DATA, experiment, read

from files.reading import InputError
from records.cases.case import Case, Unmeasured
from records.cases.case_reader import NUMBERS, WORDS
from records.loading import find_files, load
from records.schema.lines import CaseLine


def test_the_last_record_of_a_case_counts():
    quick = experiment("workstation", "quick")
    first = [case for case in quick.cases if case.implementation == "cpu.openmp"
             and case.m == case.k == 256 and case.parameters["threads"] == 1]
    assert len(first) == 1 and first[0].median_s < 1
    assert len(quick.cases) == 40


def test_a_torn_line_is_skipped_and_named():
    warnings = read("workstation").warnings
    assert len(warnings) == 1 and warnings[0].startswith("quick.jsonl, line 43: skipped")


@pytest.mark.parametrize("line", ["[]", "5", '{"kind":"case"}', '{"kind":"what"}',
                                  "\udcff".encode("utf-8", "surrogateescape").decode("latin-1"),
                                  '{"kind":"run","schema":99,"run_id":"x"}', '{"no":"kind"}'])
def test_a_line_that_is_no_record_is_skipped_and_named(tmp_path, line):
    path = tmp_path / "quick.jsonl"
    good = (DATA / "laptop" / "quick.jsonl").read_text(encoding="utf-8")
    path.write_text(line + "\n" + good, encoding="utf-8")
    results = load(tmp_path, [path])
    assert len(results.experiments[0].cases) == 40
    assert [warning.split(":")[0] for warning in results.warnings] == ["quick.jsonl, line 1"]


def test_samples_without_a_number_are_left_out_with_their_rounds(tmp_path):
    lines = (DATA / "laptop" / "quick.jsonl").read_text(encoding="utf-8").splitlines()
    case = json.loads(lines[1])
    case["samples_s"][1], case["ci95_s"] = None, [None, None]
    (tmp_path / "quick.jsonl").write_text(json.dumps(case))
    read_back = load(tmp_path, find_files(tmp_path)).experiments[0].cases[0]
    assert list(read_back.rounds)[:3] == [0, 2, 3] and read_back.ci95_s is None


def test_energy_is_read_and_a_negative_one_is_no_record(tmp_path):
    lines = (DATA / "laptop" / "quick.jsonl").read_text(encoding="utf-8").splitlines()
    case = json.loads(lines[1]) | {"energy_j_per_call": 2.5, "energy_source": "rapl package",
                                   "energy_calls": 40, "energy_s": 1.2}
    text = "\n".join(map(json.dumps, (case, case | {"energy_j_per_call": -1.0, "case_id": "x"})))
    (tmp_path / "quick.jsonl").write_text("\n".join((lines[0], text, lines[2])))
    results = load(tmp_path, find_files(tmp_path))
    told, silent = results.experiments[0].cases
    assert (told.energy_j_per_call, told.energy_source, told.energy_calls,
            told.energy_s) == (2.5, "rapl package", 40, 1.2)
    assert silent.energy_j_per_call is silent.energy_calls is None
    assert len(results.warnings) == 1 and "energy_j_per_call" in results.warnings[0]


def test_files_that_cannot_be_read_are_named(tmp_path):
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "empty.jsonl").write_text("")
    for path, what in ((tmp_path / "none", "no such file"),
                       (tmp_path / "notes.txt", "not a .jsonl file")):
        with pytest.raises(InputError, match=what):
            find_files(path)
    with pytest.raises(InputError, match="empty.jsonl: no record"):
        load(tmp_path, find_files(tmp_path))


def test_only_certified_numbers_are_shown(make):
    assert make().shown
    assert not make(verdicts=()).shown and "never checked" in make(verdicts=()).why_left_out
    assert not make(verdicts=("ok", "incorrect")).shown
    assert not make(verdicts=("uncertified",)).shown
    assert not make(verdicts=("reduced-precision",)).shown
    assert make(verdicts=("ok", "reduced-precision"), precision="tf32").shown
    assert not make(verdicts=("ok", "reduced-precision"), precision="fp32-split").shown
    assert not make(verdicts=("incorrect",), precision="tf32").shown
    assert make(status="crashed", reason="signal 11").why_left_out == "crashed – signal 11"


@pytest.mark.parametrize(("number", "without"), [
    ("median_s", {"measured_s": None}), ("rate", {"rates": {}})])
def test_a_number_that_was_not_measured_is_never_handed_on(make, number, without):
    with pytest.raises(Unmeasured, match="no .*crashed – signal 11"):
        getattr(make(status="crashed", reason="signal 11", **without), number)


def test_an_empty_file_beside_good_ones_is_a_warning(tmp_path):
    good = DATA / "workstation" / "quick.jsonl"
    (tmp_path / good.name).write_bytes(good.read_bytes())
    (tmp_path / "stopped.jsonl").write_text("")
    results = load(tmp_path, find_files(tmp_path))
    assert any("stopped.jsonl: no record in it" in warning for warning in results.warnings)
    assert [one.name for one in results.experiments] == ["quick"]


def test_an_attribute_is_a_type_and_a_field(tmp_path):
    """A number or a word of a record is read by its two lines alone: its type in
    records/schema/lines.py, its field in case.py."""
    assert ({"clock_mhz", "throttled", "energy_s"} <= set(NUMBERS)
            and {"host_memory", "denormals", "energy_source"} <= set(WORDS))
    assert not set(NUMBERS) & set(WORDS)
    line = json.loads((DATA / "laptop" / "quick.jsonl").read_text(encoding="utf-8").splitlines()[1])
    told = {name: 0.5 for name in NUMBERS
            if name not in ("pinned", "throttled", "seed", "energy_calls", "min_s")}
    told |= {name: "a word" for name in WORDS if name != "twin_of"} | {
        "pinned": True, "throttled": False, "seed": 7, "energy_calls": 3}
    (tmp_path / "quick.jsonl").write_text(json.dumps(line | told), encoding="utf-8")
    results = load(tmp_path, find_files(tmp_path))
    (case,) = results.experiments[0].cases
    assert not results.warnings and {name: getattr(case, name) for name in told} == told


def test_every_field_of_a_case_line_is_read():
    """What a record may say reaches the case, under its own name or as part of another
    attribute."""
    # dims, rates, verdicts and eta_max, library, measured_s, name_parts
    otherwise = {"m", "n", "k", "gflop_per_s", "verify", "reference", "median_s", "name"}
    assert set(CaseLine.__struct_fields__) - otherwise <= {field.name for field in fields(Case)}
