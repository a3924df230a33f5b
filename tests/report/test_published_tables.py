"""Published tables beside ours, and the chapters made of the committed records."""

import csv
import re
from array import array
from dataclasses import replace

import pytest
from conftest import ROOT
from test_published import GPU_RUN, case, counters, results

from report import latex
from report.published import chapters
from report.published.book import Chain, Figure, Panel, book
from report.published.compared import chain_table, chart_of
from report.published.judge import NOT_HERE, VERDICTS
from report.published.names import Ours
from report.published.notes import access, intensity
from report.published.points import Points
from report.published.tables import Beside, point_of
from report.records import InputError, find_files, load
from report.table_text import csv_text, markdown
from report.tables import Row, Table
from report.widths import shares_of

REFERENCE = ROOT / "data" / "results" / "intel-xeon-nvidia-h200"


def figure(implementation="naive", metric="time", value=2.0, unit="ms", **more):
    return Figure(*("s", "1", "a card", implementation, 64, 64, 64, "", "", metric, value, unit)) if not more else replace(
        figure(implementation, metric, value, unit), **more)


def beside(*cases, names=None, **more):
    """Tables of a book whose names are "naive", "tiled" and "base"."""
    named = {("s", "", "naive"): Ours("gpu.naive", "", ("e",), ""), ("s", "", "tiled"): Ours("gpu.tiled", "block={block}", ("e",), ""),
             ("s", "", "base"): Ours("cpu.serial", "", ("e",), "")} | (names or {})
    return Beside(replace(book(), names=book().names | named), Points(results(*cases, **more)), "en")


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


def test_runs_are_consecutive_processes():
    """Not steady calls within one: the source started its program four times."""
    first = case("gpu.naive", 0.5, count=4, scope="first-call", steady_s=(0.01,) * 4, samples_s=array("d", (0.5, 0.4, 0.39, 0.38)),
                 rounds=array("q", range(4)), first_call_s={"context": [0.2] * 4})
    made = beside(first, names={("s", "", "naive"): Ours("gpu.naive", "scope=first-call", ("e",), "")})
    rows = cells(made, *(figure(metric=f"time, run {number}") for number in (1, 3, 5)))
    assert [row[1].value for row in rows] == [pytest.approx(500), pytest.approx(390), None]


def test_what_has_no_counterpart_or_no_number_says_why():
    made = beside(names={("s", "", "naive"): Ours("", "", (), "we scale by nothing")})
    table = made.table("s", "1", [figure(), figure("tiled", block="4"), figure("unheard of")], "here")
    assert [row.cells[1].note for row in table.rows] == [1, 2, 3] and all(row.cells[1].value is None for row in table.rows)
    assert table.notes[0] == "we scale by nothing" and "gemmlab run e" in table.notes[1] and "map.csv" in table.notes[2]


def test_a_row_s_own_threads_and_block_choose_the_point():
    point = point_of(Ours("gpu.tiled", "block={block} threads={threads}", ("e",), ""), figure(block="16"))
    assert point["block"] == "16" and "threads" not in point


def test_parameters_may_have_blanks_and_an_empty_one_is_left_out():
    ours = Ours("gpu.tiled", "block={block} threads={threads} allocation='host memory too'", ("e",), "")
    point = point_of(ours, figure(block="16"))
    assert (point["block"], point["allocation"]) == ("16", "host memory too") and "threads" not in point


def test_a_chain_shows_what_each_step_adds_to_the_one_before():
    steps = tuple(({"label": name, "label_zh": name}, {"implementation": implementation, "size": 64, "experiments": ("e",)})
                  for name, implementation in (("plain", "gpu.naive"), ("+ one", "gpu.tiled"), ("+ two", "gpu.cublas"),
                                               ("+ three", "gpu.pipelined")))
    cases = case("gpu.naive", 1.0), case("gpu.tiled", 1.2), case("gpu.cublas", 1.1)
    table = chain_table(beside(*cases), Chain("s", "c", {"title": "Steps", "title_zh": "Steps"}, steps), "here")
    assert [row.heads[0] for row in table.rows] == ["plain", "+ one", "+ two", "+ three"]
    added = [row.cells[1] for row in table.rows]
    assert [cell.value for cell in added] == [None, pytest.approx(200), pytest.approx(-100, rel=0.01), None]
    assert added[2].low <= added[2].value <= added[2].high and "gpu.pipelined" in table.notes[table.rows[3].cells[0].note - 1]


def chart(figures, panel, *cases, names=None):
    made = beside(*cases, names=names)
    made.book = replace(made.book, figures=tuple(figures), panels=(panel,))
    return chart_of(made, "s", "here")


def test_a_figure_sets_each_rate_against_its_own_baseline():
    """Theirs over theirs and ours over ours, on every device that they have the baseline on."""
    figures = [figure("base", value=8.0), figure("base", value=6.0, device="another"), figure(value=2.0),
               figure(value=1.0, device="another"), figure("tiled", value=4.0, block="4"), figure("unheard of", value=1.0)]
    cases = case("cpu.serial", 9e-3), case("gpu.naive", 3e-3)
    found = chart(figures, Panel("s", "1", 64, "time", "base"), *cases)
    (panel,) = found.panels
    assert [(row.name, row.published) for row in panel.rows] == [("naive", (4.0, 6.0)), ("tiled, block 4", (2.0, None)),
                                                                 ("unheard of", (8.0, None))]
    naive, tiled, unheard = (row.here for row in panel.rows)
    assert naive[0] == pytest.approx(3.0) and naive[1] <= naive[0] <= naive[2] and tiled is None and unheard is None
    assert "All 1 steps" in found.title and found.left_out_text().startswith("2 of 3")
    far = chart(figures, Panel("s", "1", 64, "time", "base"), *cases[:1], case("gpu.naive", 1e-3))
    assert far.panels[0].rows[0].here[0] == pytest.approx(9.0) and "All 1" in far.title, "1.5 times 6, the nearer of 4 and 6"
    far = chart(figures, Panel("s", "1", 64, "time", "base"), *cases[:1], case("gpu.naive", 9e-3))
    assert far.title.startswith("0 of 1 steps") and "“naive”, 1.00 times the baseline here and 5.00 there" in far.title


def test_a_baseline_of_another_device_serves_all():
    figures = [figure("base", value=8.0, device="CPU"), figure(value=2.0, device="GPU")]
    (panel,) = chart(figures, Panel("s", "1", 64, "time", "base"), case("cpu.serial", 9e-3), case("gpu.naive", 3e-3)).panels
    assert panel.rows[0].published == (4.0,) and panel.devices == ("published: CPU, GPU",)


def test_without_a_number_of_ours_there_is_no_figure():
    assert chart([figure("base", value=8.0), figure()], Panel("s", "1", 64, "time", "base"), case("cpu.serial", 9e-3)) is None


def test_a_table_of_words_alone_is_written_in_every_form():
    words = Table("claims", "Claims", "A caption.", ("Claim", "Why"), (), [Row(("It pays, mostly", "A long reason. " * 20), ())])
    assert csv_text(words).splitlines()[0] == "Claim,Why" and csv_text(words).splitlines()[1].startswith('"It pays, mostly",A long')
    assert "| It pays, mostly | A long reason." in markdown(words)
    shares = shares_of(words, 100)
    assert sum(shares) == pytest.approx(100) and shares[1] > 1.5 * shares[0], "the longer text has more room"
    widths = [float(one) for one in re.findall(r"p\{([0-9.]+)em\}", latex.table_text(words))]
    assert len(widths) == 2 and sum(widths) == pytest.approx(0.42 * latex.WIDTH, rel=0.01)


def test_the_inner_dimension_of_the_rectangle_is_k_here():
    wide = next(one for one in book().figures if one.source == "cuda-optimisation-report" and one.m == 8192)
    assert (wide.m, wide.n, wide.k) == (8192, 4096, 6144)


def test_intensity_and_access_stand_beside_what_was_counted():
    counted = {"global_load_requests": 2 * 64**3 / 32, "l2_bytes": 64.0**3, "dram_read_bytes": 1e4, "dram_write_bytes": 1e4,
               "global_load_sectors_per_request": 4.0}
    strided = counted | {"global_load_sectors_per_request": 32.0}
    made = beside(case("gpu.naive", 1e-3, experiment="gpu_ladder"), case("gpu.naive_uncoalesced", 3e-3, experiment="gpu_ladder"),
                  counters=[counters("gpu.naive", counted), counters("gpu.naive_uncoalesced", strided)], name="gpu_ladder")
    assert [cell.value for cell in intensity(made, "here").rows[0].cells] == [0.25, 0.25, 2.0, pytest.approx(26.2, rel=0.01)]
    assert [cell.value for cell in access(made, "here").rows[0].cells] == [4.0, 32.0, pytest.approx(3.0)]


def test_a_name_of_the_notes_that_the_map_lacks_is_named():
    lacking = Beside(replace(book(), names={}), Points(results(run=GPU_RUN)), "en")
    with pytest.raises(InputError, match=r"^map\.csv: there is no row for 'naive' of course-notes; "):
        intensity(lacking, "here")


def test_every_claim_and_every_table_is_in_the_chapters_of_the_reference_machine(tmp_path):
    made = chapters(load(REFERENCE, find_files(REFERENCE)), tmp_path, [])
    assert {chapter.name for chapter in made} == {"published", *(f"published-{source}" for source in book().titles)}
    claims = [row for chapter in made[1:] for stem, table in chapter.tables if stem.endswith("-claims") for row in table.rows]
    assert len(claims) == len(book().claims) == sum(cell.value for row in made[0].tables[0][1].rows for cell in row.cells)
    assert all(len(row.heads) == 5 and row.heads[3] in VERDICTS and row.heads[4] for row in claims)
    for chapter in made[1:]:
        (drawn,) = chapter.figures
        assert not drawn.problem and all((tmp_path / "figures" / f"{chapter.name}.{suffix}").is_file() for suffix in ("svg", "png", "pdf"))
    tables = {(one.source, one.table) for one in book().figures}
    assert len(list((tmp_path / "tables").glob("published-*.csv"))) >= len(tables) + 1
    rows = sum(len(table.rows) for chapter in made[1:] for stem, table in chapter.tables if table.kind == "published")
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
        texts = [row.heads[4] for _, table in chapter.tables if table.kind == "claims" for row in table.rows]
        for sentence in [*chapter.sentences, *texts]:
            assert any("\u4e00" <= letter <= "\u9fff" for letter in sentence) and "{" not in sentence
    assert (tmp_path / "en" / "verdicts.csv").read_bytes() == (tmp_path / "zh" / "verdicts.csv").read_bytes()


def test_what_is_still_to_be_measured_is_a_sentence_with_its_commands_and_no_table_of_dashes(tmp_path):
    """Of records that judge a claim or two of one source."""
    ceilings = [{"device": "gpu", "what": what, "level": level, "value": value, "unit": "GB/s", "how": "loop", "threads": 0, "trusted": True}
                for what, level, value in (("memory_read", "l2", 7000.0), ("memory_read", "dram", 3500.0), ("transfer_to_device", "pageable", 8.0),
                                           ("transfer_from_device", "pageable", 13.0))]
    made = chapters(results(case("gpu.naive", 1e-3), run=GPU_RUN | {"ceilings": ceilings}), tmp_path, [])
    assert [chapter.name for chapter in made] == ["published", "published-cuda-optimisation-report"]
    ((stem, table),) = made[1].tables
    assert stem.endswith("-claims") and {row.heads[3] for row in table.rows} >= {"direction only"}
    assert not any("gemmlab run" in row.heads[4] for row in table.rows)
    assert re.match(r"\d+ of its \d+ claims are still to be measured here: `\./gemmlab run [\w ]+`", table.caption)
    assert sorted(path.name for path in (tmp_path / "tables").glob("*.csv")) == [
        "published-cuda-optimisation-report-claims.csv", "published-verdicts.csv"]


def test_claims_that_need_a_gpu_are_counted_on_a_machine_without_one(tmp_path):
    serial, openmp = (case(f"cpu.{name}", seconds, parameters={"threads": threads}, size=2048, experiment="cpu_loops", cores=tuple(range(threads)))
                      for name, seconds, threads in (("serial", 1.0, 1), ("openmp", 0.2, 8)))
    made = chapters(results(serial, openmp, run={"host": {"cores": 8}}, name="cpu_loops"), tmp_path, [])
    tables = [table for chapter in made[1:] for stem, table in chapter.tables if stem.endswith("-claims")]
    assert tables and any(re.search(r"\d+ of its \d+ claims need a GPU\.", table.caption) for table in tables)
    assert not any("on a machine with one" in row.heads[4] for table in tables for row in table.rows)
