"""Published tables beside ours, and the chapters made of the committed records."""

import csv
from dataclasses import replace

import pytest

from conftest import ROOT
from report.published import chapters
from report.published.book import Figure, Ours, book
from report.published.judge import NOT_HERE
from report.published.points import Points
from report.published.tables import Beside, point_of
from report.records import find_files, load
from test_published import case, counters, results

REFERENCE = ROOT / "data" / "results" / "intel-xeon-nvidia-h200"


def figure(implementation="naive", metric="time", value=2.0, unit="ms", **more):
    return Figure(*("s", "1", "a card", implementation, 64, 64, 64, "", "", metric, value, unit)) if not more else replace(
        figure(implementation, metric, value, unit), **more)


def beside(*cases, names=None, **more):
    """Tables of a book whose names are "naive", "tiled" and "base"."""
    named = {("s", "", "naive"): Ours("gpu.naive", "", ("e",), ""), ("s", "", "tiled"): Ours("gpu.tiled", "block={block}", ("e",), ""),
             ("s", "", "base"): Ours("cpu.serial", "", ("e",), "")} | (names or {})
    return Beside(replace(book(), names=named), Points(results(*cases, **more)), "en")


def cells(made, *figures):
    return [row.cells for row in made.table("s", "1", list(figures), "here").rows]


def test_a_published_time_stands_beside_ours_with_their_ratio():
    published, ours, ratio = cells(beside(case("gpu.naive", 1e-3)), figure())[0]
    assert (published.value, published.unit, ours.unit) == (2.0, "ms", "ms")
    assert ours.value == pytest.approx(1.0) and ours.low < ours.value < ours.high
    assert ratio.value == pytest.approx(0.5) and ratio.low < 0.5 < ratio.high


def test_throughputs_speedups_shares_and_added_times_come_in_their_own_units():
    cases = case("gpu.naive", 1e-3), case("cpu.serial", 4e-3), case("gpu.tiled", 5e-3, parameters={"block": 4})
    rows = cells(beside(*cases), figure(metric="throughput", unit="GFLOP/s"), figure(metric="speedup over base", unit="x"),
                 figure(metric="share of base throughput", unit="%"),
                 figure("tiled", metric="added time over base", block="4"))
    rate, speedup, share, added = (row[1].value for row in rows)
    assert rate == pytest.approx(2 * 64**3 / 1e-3 / 1e9) and speedup == pytest.approx(4) and share == pytest.approx(400)
    assert added == pytest.approx(1.0, rel=0.01)
    for _, ours, _ in rows:
        assert ours.low <= ours.value <= ours.high


def test_run_1_is_the_first_call_and_later_runs_the_steady_one():
    first = case("gpu.naive", 0.5, scope="first-call", steady_s=(0.01,) * 9,
                 first_call_s={"context": [0.4] * 9, "prepare": [0.04] * 9, "kernel": [0.06] * 9})
    made = beside(first, names={("s", "", "naive"): Ours("gpu.naive", "scope=first-call", ("e",), "")})
    rows = cells(made, figure(metric="time, run 1"), figure(metric="time, run 3"))
    assert [row[1].value for row in rows] == [pytest.approx(100), pytest.approx(10)]


def test_what_has_no_counterpart_or_no_number_says_why():
    made = beside(names={("s", "", "naive"): Ours("", "", (), "we scale by nothing")})
    table = made.table("s", "1", [figure(), figure("tiled", block="4"), figure("unheard of")], "here")
    assert [row.cells[1].note for row in table.rows] == [1, 2, 3] and all(row.cells[1].value is None for row in table.rows)
    assert table.notes[0] == "we scale by nothing" and "gemmlab run e" in table.notes[1] and "map.csv" in table.notes[2]


def test_a_row_s_own_threads_and_block_choose_the_point():
    point = point_of(Ours("gpu.tiled", "block={block} threads={threads}", ("e",), ""), figure(block="16"))
    assert point["block"] == "16" and "threads" not in point


def test_the_inner_dimension_of_the_rectangle_is_k_here():
    wide = next(one for one in book().figures if one.source == "cuda-optimisation-report" and one.m == 8192)
    assert (wide.m, wide.n, wide.k) == (8192, 4096, 6144)


def test_intensity_and_access_stand_beside_what_was_counted():
    counted = {"global_load_requests": 2 * 64**3 / 32, "l2_bytes": 64.0**3, "dram_read_bytes": 1e4, "dram_write_bytes": 1e4,
               "global_load_sectors_per_request": 4.0}
    strided = counted | {"global_load_sectors_per_request": 32.0}
    made = beside(case("gpu.naive", 1e-3, experiment="gpu_ladder"), case("gpu.naive_uncoalesced", 3e-3, experiment="gpu_ladder"),
                  counters=[counters("gpu.naive", counted), counters("gpu.naive_uncoalesced", strided)], name="gpu_ladder")
    assert [cell.value for cell in made.intensity("here").rows[0].cells] == [0.25, 0.25, 2.0, pytest.approx(26.2, rel=0.01)]
    assert [cell.value for cell in made.access("here").rows[0].cells] == [4.0, 32.0, pytest.approx(3.0)]


def test_every_claim_and_every_table_is_in_the_chapters_of_the_reference_machine(tmp_path):
    made = chapters(load(REFERENCE, find_files(REFERENCE)), tmp_path, [])
    assert {chapter.name for chapter in made} == {"published", *(f"published-{source}" for source in book().titles)}
    assert sum(len(chapter.sentences) for chapter in made[1:]) == len(book().claims)
    tables = {(one.source, one.table) for one in book().figures}
    assert len(list((tmp_path / "tables").glob("published-*.csv"))) >= len(tables) + 1
    rows = sum(len(table.rows) for chapter in made[1:] for stem, table in chapter.tables if chapter.name != "published-course-notes")
    assert rows == len(book().figures)
    with (tmp_path / "verdicts.csv").open(encoding="utf-8", newline="") as file:
        verdicts = list(csv.DictReader(file))
    assert len(verdicts) == len(book().claims)
    for row in verdicts:
        assert row["why"] and "{" not in row["why"] and "No counter" not in row["why"], row
        assert (row["verdict"] == NOT_HERE) == (not row["measured"]), row
        if row["measured"]:
            assert float(row["low"]) <= float(row["measured"]) <= float(row["high"]), row


def test_the_chapters_can_be_had_in_chinese(tmp_path):
    english = chapters(load(REFERENCE, find_files(REFERENCE)), tmp_path / "en", [])
    chinese = chapters(load(REFERENCE, find_files(REFERENCE)), tmp_path / "zh", [], language="zh")
    assert [chapter.name for chapter in english] == [chapter.name for chapter in chinese]
    for chapter in chinese:
        for sentence in chapter.sentences:
            assert any("\u4e00" <= letter <= "\u9fff" for letter in sentence) and "{" not in sentence
    assert (tmp_path / "en" / "verdicts.csv").read_bytes() == (tmp_path / "zh" / "verdicts.csv").read_bytes()
