"""Records that are no records: each bad line is skipped with its place and its reason, and no
command ends in a traceback."""

import csv
import json
import re

import pytest
from hostile import BAD, changed, good_lines, mutations, write
from sample_records import DATA

from commands.exits import CRASHED
from records.agreement import agree
from records.cases.case_reader import CaseReader
from records.schema.lines import CaseLine
from report.__main__ import main

GOOD = good_lines()
PLACES = list(mutations(GOOD))
VALUES = list(BAD)
PAGES = 7  # of so many fields one goes through the report, too, which takes longest


@pytest.fixture(autouse=True)
def _no_files_of_figures(monkeypatch):
    """Every figure is drawn, none is written: that takes ten times as long as all else."""
    monkeypatch.setattr("plots.FORMATS", ())
    monkeypatch.setattr("commands.children.MOST_WORKERS", 1)
    monkeypatch.setattr("report.pages.html.FORMS", ("md",))


@pytest.fixture(name="good")
def _good(tmp_path):
    return write(tmp_path / "good", GOOD)


def ended_well(capsys, *arguments):
    """The exit code and what stood on standard error; asserts that the command knew what it did."""
    code = main([str(argument) for argument in arguments])
    said = capsys.readouterr().err
    assert code != CRASHED and "Traceback" not in said and "left out:" not in said, said
    assert all(line.startswith(("gemmlab ", "  ")) or "confirmed slower" in line
               for line in said.splitlines()), said
    return code, said


def harmless(folder):
    """Nothing in the files that a page or a spreadsheet would run, or that hides what stands beside
    it."""
    for path in folder.rglob("*.*"):
        # code is shown as it stands
        text = re.sub("```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not any(letter in text for letter in "\x00\x1b\u202e"), path
        assert "<script" not in text or path.suffix not in (".md", ".html"), path
    for path in folder.rglob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            texts = {cell for row in csv.reader(file)
                     for cell in row if cell[:1] in ("=", "+", "-", "@") and cell != "-"}
        assert all(is_number(cell) for cell in texts), (path, texts)


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("place", range(len(PLACES)), ids=lambda place:
                         f"{PLACES[place][0]}-{'.'.join(map(str, PLACES[place][2]))}")
def test_no_bad_field_ends_in_a_traceback_or_reaches_beyond_the_folder(tmp_path,
                                                                       capsys, good, place):
    _, number, where = PLACES[place]
    lines = list(GOOD)
    lines[number] = changed(lines[number], where, BAD[VALUES[place % len(VALUES)]])
    bad, out = write(tmp_path / "bad", lines), tmp_path / "out"
    commands = [["export", bad], ["export", bad, "--format", "google-benchmark"],
                ["build", bad, "--no-pdf"]]
    for command in commands if place % PAGES == 0 else commands[:2]:
        assert ended_well(capsys, *command, "--output", out)[0] in (0, 2)
    code, said = ended_well(capsys, "compare", good, bad, "--fail-on-regression", 5,
                            "--output", out)
    assert code in (0, 2) or "confirmed slower" in said
    assert ended_well(capsys, "doctor", bad)[0] in (0, 1, 2)
    harmless(out)
    assert {path.name for path in tmp_path.iterdir()} == {"good", "bad", "out"}


def refused(capsys, tmp_path, line):
    """What is said of a file of the good run and this line, of which nothing may be exported."""
    folder = write(tmp_path / "bad", [GOOD[0], line])
    code, said = ended_well(capsys, "export", folder, "--output", tmp_path / "out")
    rows = list(csv.DictReader((tmp_path / "out" / "cases.csv").open(encoding="utf-8")))
    assert code == 0 and not rows, rows
    return said


TIMES = GOOD[1]["median_s"]


@pytest.mark.parametrize("change,key", [
    ({"gflop_per_s": 1e6}, "gflop_per_s"), ({"gflop_per_s": -4.61}, "gflop_per_s"),
    ({"m": 2 * GOOD[1]["m"]}, "gflop_per_s"),
    ({"median_s": TIMES / 2, "gflop_per_s": 2 * GOOD[1]["gflop_per_s"]}, "median_s"),
    ({"median_s": None}, "min_s"), ({"samples_s": [], "rounds": [], "sample_count": 0}, "median_s"),
    ({"min_s": TIMES}, "min_s"), ({"ci95_s": [2 * TIMES, 3 * TIMES]}, "ci95_s"),
    ({"ci95_s": [TIMES, TIMES]}, "ci95_s"), ({"ci95_s": [TIMES]}, "ci95_s"),
    ({"sample_count": 3}, "sample_count"), ({"sample_count": 10**6}, "sample_count"),
    ({"rounds": [1, 2]}, "rounds"), ({"dims": {"n": 64, "k": 64}}, "dims"),
    ({"dims": {"m": 64, "n": 64, "k": 64, "x": 2}}, "dims"),
    ({"dims": {"extent": 64}}, "dims"), ({"operation": "chase", "dims": {"n": 64}}, "dims"),
    ({"operation": "spmv", "dims": {"m": 64, "n": 64}}, "dims"),
    ({"operation": "dot", "dims": None}, "dims"), ({"m": 0}, "m"), ({"k": -64}, "k"),
    ({"n": 64.5}, "n"), ({"samples_s": ["x"], "rounds": [0]}, "samples_s[0]"),
    ({"samples_s": [float("nan")], "rounds": [0]}, "samples_s[0]"), ({"label": "\ud800"}, "label"),
    ({"verify": [{"method": "bound"}]}, "verify[0]"), ({"case_id": None}, "case_id"),
    ({"handicap": -1}, "handicap")], ids=lambda value: value if isinstance(value, str) else "")
def test_what_does_not_follow_from_its_samples_is_skipped_with_its_key(tmp_path,
                                                                       capsys, change, key):
    said = refused(capsys, tmp_path, GOOD[1] | change)
    assert said.startswith(
        f"gemmlab export: warning: evidence.jsonl, line 2: skipped, {key}: "), said
    assert len(said.splitlines()) == 1


def long_case():
    """1,000 samples kept of 1,500, with what may be true of all."""
    samples = [TIMES * (1 + place / 1e4) for place in range(1000)]
    median = samples[740]
    return GOOD[1] | {"samples_s": samples, "rounds": list(range(1000)),
                      "sample_count": 1500, "median_s": median,
                      "min_s": TIMES / 2, "ci95_s": [samples[700], samples[780]],
                      "gflop_per_s": GOOD[1]["gflop_per_s"] * TIMES / median}


def test_of_samples_that_were_not_kept_only_what_is_possible_is_believed(tmp_path, capsys):
    folder = write(tmp_path / "good", [GOOD[0], long_case()])
    code, said = ended_well(capsys, "export", folder, "--output", tmp_path)
    assert (code, said) == (0, "")
    for change, key in (({"median_s": TIMES / 2}, "median_s"),
                        ({"median_s": 2 * TIMES}, "median_s"), ({"min_s": 1.5 * TIMES}, "min_s"),
                        ({"ci95_s": [TIMES / 2, TIMES]}, "ci95_s")):
        assert f"skipped, {key}: " in refused(capsys, tmp_path, long_case() | change)


def test_a_point_that_skips_rounds_may_have_more_samples_than_the_first_thousand_rounds_hold(
        tmp_path, capsys):
    samples = long_case()["samples_s"][:780]
    seldom = long_case() | {"samples_s": samples, "rounds": list(range(780)), "sample_count": 800,
                            "median_s": samples[390], "ci95_s": [samples[370], samples[410]],
                            "gflop_per_s": GOOD[1]["gflop_per_s"] * TIMES / samples[390]}
    folder = write(tmp_path / "seldom", [GOOD[0], seldom])
    assert ended_well(capsys, "export", folder, "--output", tmp_path) == (0, "")
    assert "skipped, sample_count: " in refused(capsys, tmp_path, seldom | {"sample_count": 1800})


@pytest.mark.parametrize("text,why", [(b"[" * 100_000, "not a whole record"), (
    b'{"kind":"case","x":' + b"[" * 900 + b"]" * 900 + b"}", "there is no"),
    (b'{"kind":"run","run_id":"r","x":' + b"[" * 900 + b"]" * 900 + b"}", "deep"),
    (b"\x00\xff\xfe", "not a whole record"),
    (b'{"kind":"case","seed":' + b"9" * 5000 + b"}", "not a whole record"),
    (b"null", "not an object"), (b'"case"', "not an object"),
    (b'{"kind":["case"]}', "unknown kind"), (b'{"kind":"case","run_id"', "not a whole record"),
    (b'{"kind":"run","schema":2,"run_id":"r"}', "schema: 2 is newer")], ids=range(10))
def test_a_line_that_is_no_record_is_named_with_the_reason(tmp_path, capsys, text, why):
    folder = write(tmp_path / "bad", GOOD)
    with (folder / "evidence.jsonl").open("ab") as file:
        file.write(text + b"\n")
    code, said = ended_well(capsys, "export", folder, "--output", tmp_path)
    assert code == 0 and said.startswith("gemmlab export: warning: evidence.jsonl, line "
                                         f"{len(GOOD) + 1}: skipped, ") and why in said


def test_a_crash_is_no_regression(good, capsys, monkeypatch):
    def broken(*_):
        raise TypeError("planted")

    monkeypatch.setattr("analysis.compared.compare_many.compare", broken)
    assert main(["compare", str(good), str(good), "--fail-on-regression", "5"]) == CRASHED
    assert "TypeError: planted" in capsys.readouterr().err.splitlines()[-1]


def test_committed_sample_records_raise_no_warning_of_a_fault(tmp_path, capsys):
    ended_well(capsys, "build", DATA / "workstation", "--no-pdf", "--output", tmp_path)


def test_names_from_records_stay_in_the_output(tmp_path, capsys):
    names = ("../../escaped", "/tmp/absolute", "a/b", "a_b", "..", "x" * 250, "C:\\x")
    folder = tmp_path / "records"
    for number, name in enumerate(names):
        write(folder, [line | {"experiment": name} for line in GOOD], f"file{number}")
    out = tmp_path / "deep" / "out"
    code, _ = ended_well(capsys, "export", folder, "--format", "google-benchmark", "--output", out)
    files = list(out.iterdir())
    assert code == 0 and len(files) == len(names)
    assert {json.loads(path.read_text(encoding="utf-8"))["context"]["experiment"]
            for path in files} == set(names)
    assert {path.name for path in tmp_path.iterdir()} == {"records", "deep"}
    assert ended_well(capsys, "build", folder, "--no-pdf", "--output", out)[0] == 0
    assert ({path.name for path in tmp_path.iterdir()} == {"records", "deep"}
            and [path.name for path in (tmp_path / "deep").iterdir()] == ["out"])


class Asked(dict):
    """A line that remembers which of its fields were asked for."""

    def __init__(self, line):
        super().__init__(line)
        self.names = set()

    def get(self, name, otherwise=None):
        self.names.add(name)
        return super().get(name, otherwise)

    def __getitem__(self, name):
        self.names.add(name)
        return super().__getitem__(name)


def test_every_field_of_a_case_that_is_read_is_checked_first():
    line = Asked(GOOD[1])
    CaseReader().read(line)
    agree(line)
    assert len(line.names) > 50 and line.names <= {*CaseLine.__struct_fields__,
                                                   "operation"}, line.names


def test_a_line_longer_than_any_record_is_passed_over_at_once(tmp_path, capsys):
    folder = write(tmp_path / "bad", GOOD)
    with (folder / "evidence.jsonl").open("ab") as file:
        file.write(b'{"kind":"case","reason":"' + b"x" * (2 * 2**26) + b'"}\n'
                   + json.dumps(GOOD[1]).encode() + b"\n")
    code, said = ended_well(capsys, "export", folder, "--output", tmp_path / "out")
    assert (code == 0 and said == f"gemmlab export: warning: evidence.jsonl, line {len(GOOD) + 1}: "
            "skipped, not a record: longer than 64 MiB\n")


def test_counters_of_a_shape_that_lacks_a_dimension_are_skipped(tmp_path, capsys):
    counters = next(line for line in GOOD if line["kind"] == "counters")
    folder = write(tmp_path / "bad",
                   [*GOOD, counters | {"dims": {"m": 64, "k": 64}, "operation": "gemm"}])
    code, said = ended_well(capsys, "doctor", folder)
    assert code in (0, 1) and "skipped, dims: there is no n, which gemm has" in said


def test_dimensions_in_another_order_are_the_same_point(tmp_path, capsys):
    case = {key: value for key, value in GOOD[1].items() if key not in "mnk"}
    dims = {name: GOOD[1][name] for name in "mnk"}
    texts = []
    for number, order in enumerate(("mnk", "knm")):
        folder = write(tmp_path / str(number),
                       [GOOD[0], case | {"dims": {name: dims[name] for name in order}}])
        assert ended_well(capsys, "export", folder, "--output", folder / "out") == (0, "")
        texts.append((folder / "out" / "cases.csv").read_text(encoding="utf-8"))
    assert texts[0] == texts[1]


def test_a_file_that_links_to_itself_costs_only_itself(tmp_path, capsys):
    folder = write(tmp_path / "bad", GOOD)
    (folder / "itself.jsonl").symlink_to("itself.jsonl")
    for command in (["export", folder, "--output", tmp_path / "out"],
                    ["merge", folder, "--output", tmp_path / "merged"]):
        code, said = ended_well(capsys, *command)
        assert code == 0 and "itself.jsonl: Too many levels of symbolic links" in said
    assert (tmp_path / "merged" / "evidence.jsonl").stat().st_size > 0
    code, said = ended_well(capsys, "doctor", folder / "itself.jsonl")
    assert code == 2 and "Too many levels" in said
