"""Three machines and more beside the first: ratios to it, a table and a figure that stay readable,
one page with the explorer."""

from __future__ import annotations

import base64
import gzip
import json
import re

import pytest
from sample_records import DATA

from analysis.compared.compare import names_of
from analysis.compared.compare_many import Strip, compare_all, points_table, strips, summary, told
from plots.drawing.compared import figure, finding
from plots.drawing.style import applied
from records.cases.ratios import unpaired
from records.loading import Experiment, Results, find_files, load
from report.__main__ import main

FOLDERS = [DATA / name for name in ("workstation", "workstation2", "laptop")]


def results(*cases):
    return Results(DATA, [Experiment("e", DATA, [], list(cases))], [])


def many_of(make, *seconds):
    """Machines whose one point takes so long, of nine equal samples each (s)."""
    first, *others = [results(make(label="a", samples=(each,) * 9, run_id=str(place)))
                      for place, each in enumerate(seconds)]
    return compare_all(first, others)


def test_each_ratio_is_to_the_first(make):
    many = many_of(make, 1.0, 0.5, 2.0, 1.0)
    (row,) = points_table(many).rows
    assert ([cell.value for cell in row.cells] == [1.0, 2.0, 0.5, 1.0]
            and row.cells[3].text.endswith("a tie"))
    table = summary(many)
    counts = [dict(zip(table.columns, (cell.value for cell in row.cells))) for row in table.rows]
    assert [(one["faster"], one["slower"], one["tie"]) for one in counts] == [(1, 0, 0),
                                                                              (0, 1, 0), (0, 0, 1)]


def test_a_point_that_one_machine_lacks_leaves_its_cell_empty_and_is_told(make):
    first, other = (results(make(label="a"), make(label="b", implementation="cpu.other",
                                                  case_id="b", run_id=run)) for run in "rs")
    many = compare_all(first, [other, results(make(label="a", run_id="t"))])
    rows = {row.heads[0]: [cell.text for cell in row.cells] for row in points_table(many).rows}
    assert rows["b"][1] and rows["b"][2] == "" and all(rows["a"])
    assert any(text.startswith("1 point only on") and text.endswith(": b.") for text in told(many))


def test_a_number_that_was_lost_is_a_dash_with_its_reason(make):
    many = compare_all(results(make(label="a")), [
        results(make(label="a")), results(make(label="a", status="crashed", reason="signal 11"))])
    table = points_table(many)
    assert table.rows[0].cells[2].text == "–" and "signal 11" in table.notes[0]
    assert any("a at 64 (crashed – signal 11)" in text for text in told(many))


def test_the_records_own_intervals_stand_in_the_table():
    sides = [load(folder, find_files(folder)) for folder in FOLDERS]
    many = compare_all(sides[0], sides[1:])
    cells = [row.cells[1] for row in points_table(many).rows]
    for pair, cell in zip(many.others[0].comparison.pairs, [cell for cell in cells if cell.value]):
        ratio = unpaired(pair.first, pair.second)
        assert (cell.value, cell.low, cell.high) == (ratio.value, ratio.low, ratio.high)


def test_names_that_repeat_get_their_place_and_others_do_not():
    one, other = results(), Results(DATA / "b", [], [])
    assert names_of(one, other, one) == ("data (first)", "b", "data (third)")


@pytest.mark.parametrize("count", range(1, 6))
def test_the_figure_has_a_row_per_machine_and_device_and_names_do_not_run_into_it(count):
    name = "NVIDIA H200 + Intel Xeon Platinum"
    found = [Strip(f"Xeon {place}", f"{name} {place}", device, (0.5 + place, 1.1, 1.2))
             for place in range(count) for device in ("cpu", "gpu")]
    with applied():
        drawn = figure("first", found)
        (axes,) = drawn.axes
        drawn.canvas.draw()
        names = [label.get_window_extent() for label in axes.get_yticklabels()]
    assert len(names) == 2 * count and all(name.x0 > 0 and name.x1 < axes.get_window_extent().x0
                                           for name in names)
    assert not any(one.overlaps(other) for place, one in enumerate(names)
                   for other in names[place + 1:])
    assert len(axes.get_xticks()) >= 3


def test_the_figures_title_is_its_finding():
    found = [Strip("B", "B", "cpu", (0.5, 0.6)), Strip("C", "C", "gpu", (2.0, 2.0)),
             Strip("C", "C", "cpu", (0.5,))]
    assert finding("A", found) == "C is ahead of A at 2 of 3 points"


def test_one_page_holds_tables_figure_and_the_explorer_of_all(tmp_path, capsys):
    assert main(["compare", *map(str, FOLDERS), "--output", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert ((tmp_path / "compare.md").read_text(encoding="utf-8") == printed
            and printed.count("\n| ") > 40)
    assert {path.name for path in tmp_path.iterdir()} >= {"compare.csv", "compare_summary.csv",
                                                          "compare.png", "compare.svg"}
    page = (tmp_path / "compare.html").read_text(encoding="utf-8")
    assert "<svg" in page and not re.search(r'(src|href)="https?:', page)
    packed = re.search(r'id="explorer-records">(.*?)</script>', page, re.DOTALL)[1]
    payload = json.loads(gzip.decompress(base64.b64decode(packed)))
    assert {host["set"] for host in payload["hosts"]} == set(names_of(*(load(one, find_files(one))
                                                                        for one in FOLDERS)))
    sides = [load(one, find_files(one)) for one in FOLDERS]
    shown = [case for side in sides for experiment in side.experiments for case in experiment.cases
             if case.shown]
    assert len(payload["columns"]["median"]) == len(shown)


def test_a_regression_of_any_is_found_and_named(capsys):
    fast, slow = str(DATA / "workstation2"), str(DATA / "workstation" / "quick.jsonl")
    assert main(["compare", fast, fast, slow, "--fail-on-regression", "5"]) == 1
    error = capsys.readouterr().err
    assert ("0 points of 37 confirmed slower" in error
            and "15 points of 37 confirmed slower by more than 5 %" in error)
    assert main(["compare", fast, fast, fast, "--fail-on-regression", "5"]) == 0


def test_one_side_alone_is_a_clear_error(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["compare", str(DATA / "laptop")])
    assert stopped.value.code == 2 and "SECOND" in capsys.readouterr().err
    assert strips(compare_all(results(), [results(), results()])) == []
