"""What goes wrong costs itself: a figure, an experiment, a text too long, a file that is none."""

import csv
import json
import os
import re
import time
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hostile import good_lines, write
from make_data import timed
from sample_records import DATA

from files.safe import file_name, for_csv
from plots import first_call
from report.__main__ import main

PRICE = "What $100 buy_s at $\\frac{1$ <script>alert(1)</script>"


@pytest.fixture(autouse=True)
def _few_files(monkeypatch):
    monkeypatch.setattr("plots.FORMATS", ("svg",))
    monkeypatch.setattr("commands.children.MOST_WORKERS", 1)
    monkeypatch.setattr("report.pages.html.FORMS", ("html", "md"))


def entitled(title, label=None):
    """The good records under another title, and the first line under another label."""
    lines = json.loads(json.dumps(good_lines()))
    old = lines[1]["label"]
    for line in lines:
        if label and line.get("label") == old:
            line["label"] = label
    definition = lines[0]["definition"]
    definition["title"] = title
    if label:
        definition["lines"][0] = definition["tables"][0]["labels"][0] = label
    return lines


def built(tmp_path, capsys, lines=None, records=None):
    folder = records or write(tmp_path / "records", lines)
    assert main(["build", str(folder), "--no-pdf", "--output", str(tmp_path / "out")]) == 0
    return tmp_path / "out", capsys.readouterr().err


def test_a_dollar_in_title_and_label_is_a_dollar(tmp_path, capsys):
    out, said = built(tmp_path, capsys, entitled(PRICE, "naive $x^2$ and $"))
    assert said == ""
    drawn = (out / "figures" / "evidence-gflops_vs_size.svg").read_text(encoding="utf-8")
    assert "What $100 buy_s" in drawn and "naive $x^2$ and $" in drawn


def test_pages_figures_and_tables_run_nothing_that_a_record_says(tmp_path, capsys):
    out, _ = built(tmp_path, capsys,
                   entitled(PRICE, "=cmd|'/c x'!A1 [y](javascript:x) \x1b[31m\u202e"))
    for name in ("report.md", "report.html"):
        text = (out / name).read_text(encoding="utf-8")
        assert "<script>alert" not in text and "\x1b" not in text and "\u202e" not in text
    assert "](javascript" not in (out / "report.md").read_text(encoding="utf-8")
    for path in (out / "figures").glob("*.svg"):
        ElementTree.parse(path)
        assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", path.read_text(encoding="utf-8"))
    with (out / "tables" / "evidence-speedup.csv").open(encoding="utf-8", newline="") as file:
        cells = {cell for row in csv.reader(file) for cell in row}
    assert (any(cell.startswith("'=cmd|") for cell in cells)
            and not any(cell.startswith("=") for cell in cells))


def test_a_cell_of_text_is_no_formula_and_a_number_stays_one():
    assert [for_csv(text) for text in ("=1+1", "+x", "-x", "@x", "x=1",
                                       "")] == ["'=1+1", "'+x", "'-x", "'@x", "x=1", ""]
    assert [for_csv(text)
            for text in ("＝1+1", "＋x", "－x", "＠x", "﹦1", " =1", "\t＝1", "\n@x")] == [
                "'＝1+1", "'＋x", "'－x", "'＠x", "'﹦1", "' =1", "'\t＝1",
                "'\n@x"], "what a spreadsheet reads as these"
    assert [for_csv(text) for text in ("−1", "–", "矩", " ", "1 = 1")] == ["−1", "–",
                                                                           "矩", " ", "1 = 1"]


def test_a_title_of_100_000_letters_takes_no_longer_than_another(tmp_path, capsys):
    begin = time.process_time()
    out, said = built(tmp_path, capsys, entitled("A long title " * 8000, "x" * 300))
    assert said == "" and time.process_time() - begin < 20
    assert max(map(len, re.findall("<h[123][^>]*>[^<]*",
                                   (out / "report.html").read_text(encoding="utf-8")))) < 500


def test_a_figure_that_fails_costs_itself(tmp_path, capsys, monkeypatch):
    def broken(view):
        raise ValueError(f"planted in {view.kind}")

    monkeypatch.setattr(first_call, "KIND", replace(first_call.KIND, figure=broken))
    out, said = built(tmp_path, capsys, good_lines())
    assert re.fullmatch(r"gemmlab report: warning: figure evidence-first_call is left out: "
                        r"ValueError: planted in first_call \(test_fault.py:\d+\)\n", said)
    assert (out / "figures" / "evidence-gflops_vs_size.svg").is_file()
    assert "This part could not be made of its records (ValueError: planted in first_call)." in (
        out / "report.html").read_text(encoding="utf-8")


def test_an_experiment_that_fails_costs_itself(tmp_path, capsys, monkeypatch):
    from report import build

    whole = build.section

    def broken(experiment, *rest):
        if experiment.name == "quick":
            raise KeyError("planted")
        return whole(experiment, *rest)

    monkeypatch.setattr("report.build.section", broken)
    out, said = built(tmp_path, capsys, records=DATA / "workstation")
    assert "gemmlab report: warning: quick is left out: KeyError: 'planted' (test_fault.py:" in said
    page = (out / "report.md").read_text(encoding="utf-8")
    assert "This part could not be made of its records (KeyError: 'planted')." in page
    assert "gpu_ladder-gflops.csv" in page and "thread_scaling-thread_scaling.csv" in page


def test_a_full_disk_is_no_fault_of_a_figure(tmp_path, capsys, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", "somewhere")

    monkeypatch.setattr("plots.drawing.style.save", full)
    folder = write(tmp_path / "records", good_lines())
    assert main(["build", str(folder), "--no-pdf", "--output", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err == "gemmlab report: error: somewhere: No space left on device\n"


def pipe(path):
    os.mkfifo(path)


def loop(path):
    path.symlink_to("y.jsonl")
    (path.parent / "y.jsonl").symlink_to(path.name)


@pytest.mark.parametrize("make",
                         [pipe, loop, lambda path: path.symlink_to("/dev/zero"),
                          lambda path: path.mkdir(), lambda path: path.symlink_to("nowhere")],
                         ids=["pipe", "loop", "device", "folder", "dangling"])
@pytest.mark.parametrize("command", ["build", "export", "doctor", "compare"])
def test_what_is_no_file_is_named_in_one_line(tmp_path, capsys, make, command):
    make(tmp_path / "x.jsonl")
    more = {"build": ["--no-pdf", "--output"], "export": ["--output"], "doctor": [],
            "compare": [DATA / "laptop", "--output"]}[command]
    more = [*more, tmp_path / "out"] if more else more
    for asked in (tmp_path, tmp_path / "x.jsonl"):
        assert main([command, str(asked), *map(str, more)]) == 2
        said = capsys.readouterr().err
        assert (said.startswith("gemmlab ") and str(asked) in said
                and len(said.splitlines()) == 1), said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("text",
                         ["../x", "/etc/x", "", "..", "a b", "x" * 300, "\u4e2d" * 100, "C:x"])
def test_a_file_name_stays_in_its_folder_and_is_nobody_elses(text):
    name = file_name(text)
    assert "/" not in name and "\\" not in name and ":" not in name and name not in ("", ".", "..")
    assert (len(name.encode()) < 200 and name != file_name(f"{text}_")
            and name != file_name(text.replace("/", "_") + "x"))


def test_a_million_samples_are_compared_in_seconds(tmp_path, capsys):
    run, case = good_lines()[:2]
    samples = [case["median_s"] * (1 + (place * 7919 % 1000) / 1e5) for place in range(10**6 + 1)]
    # the same median: of each thousand all are there
    many = timed(case | {"label": "many"}, samples[:1001])
    many |= {"samples_s": samples, "rounds": list(range(len(samples))),
             "sample_count": len(samples), "ci95_s": None}
    ordered = sorted(samples)
    median = ordered[len(ordered) // 2]
    many |= {"median_s": median, "min_s": ordered[0],
             "gflop_per_s": case["gflop_per_s"] * case["median_s"] / median}
    folder = write(tmp_path / "many", [run, many])
    begin = time.process_time()
    assert main(["compare", str(folder), str(folder)]) == 0
    assert "Of 1 shared point" in capsys.readouterr().out and time.process_time() - begin < 30
