import re
from dataclasses import replace

import pytest
from sample_records import DATA, experiment, read

import plots
from analysis.counters.roofline import bandwidth_roofs, compute_roofs, points
from analysis.ladder.ladder_steps import step_sentences
from analysis.tables.costs import (
    above_ceiling_text,
    ceilings_table,
    clocks_table,
    disturbed_text,
    spent_text,
)
from plots.drawing import style
from records.cases.case import Case
from records.view import View
from report.__main__ import main
from report.asked.wanted import views
from report.kinds.first_call import first_call_sentences
from report.kinds.noise import noise_sentences
from report.machine.machine_facts import title_of, warnings_of
from report.pages.table_text import csv_text
from report.pages.table_text import make as make_table

pytestmark = pytest.mark.usefixtures("quick_forms")


def view_of(name, kind, **more):
    found = experiment("bench", name)
    (one,) = views(found, {"kind": kind}, None)
    return replace(one, **more)


def cells(table):
    return {row.heads: [cell.text for cell in row.cells] for row in table.rows}


def test_equal_code_ties_and_handicapped_code_is_slower():
    table = make_table(view_of("noise_floor", "noise"))
    rows = cells(table)
    assert rows["cpu.blocked", "the same code under another label"] == ["10", "10 of 10",
                                                                        "10", "0", "0"]
    assert rows["all", "3 % of the rows computed twice"] == ["10", "10 of 10", "0", "10", "0"]
    assert noise_sentences(view_of("noise_floor",
                                   "noise"))[0].endswith("tied in 20 of 20 comparisons.")


def test_exceptions_of_the_noise_table_are_counted_and_named(make):
    cases = (make(label="plain", samples=(1.0,) * 9),
             make(label="again", samples=(1.1,) * 9, replica=1),
             make(label="once more", samples=(1.0,) * 9, replica=2),
             make(label="slow", samples=(1.0,) * 9, handicap=0.03),
             make(label="lost", replica=3, status="crashed"))
    table = make_table(View("e", "noise", "T", cases, {}))
    assert cells(table) == {
        ("cpu.ikj", "the same code under another label"): ["2", "1 of 2", "1", "1", "0"],
        ("cpu.ikj", "3 % of the rows computed twice"): ["1", "0 of 1", "1", "0", "0"]}
    assert table.notes == ["Told apart: again at 64: 0.909 [0.909, 0.909] times.",
                           "Not found slower: slow at 64: 1.00 [1.00, 1.00] times."]
    assert [row.cells[1].note for row in table.rows] == [1, 2]


def test_resources_at_the_largest_shape():
    table = make_table(view_of("evidence", "resources"))
    assert cells(table)["register-tiled", "2048"] == ["128", "0", "16", "0", "2", "50 %"]
    assert table.notes == ["Not known of cuBLAS."] and len(table.rows) == 4


def test_resources_name_what_limits_the_occupancy_where_records_do():
    view = view_of("evidence", "resources")
    for case, limit in zip((case for case in view.shown if case.resources),
                           ("registers and shared memory", "none") * 9):
        case.resources["occupancy_limit"] = limit
    table = make_table(view)
    assert table.columns[-1] == "limited by"
    assert {row.cells[-1].text for row in table.rows} <= {"registers, shared memory", "nothing"}


def test_counters_name_the_planted_cause_of_a_step_and_none_where_none_was_planted():
    view = view_of("evidence", "counters")
    assert cells(make_table(view))["tiled", "2048"][:4] == ["57.0", "200", "4.00", "4.00"]
    told = step_sentences(view)
    assert told[0].startswith("The rungs at 2048")
    assert ("What can account for it: L2 traffic fell from 8,900 to 200 MB, which could explain at "
            "most 1.19 ms of it." in told[1])
    assert "no count can be turned into time" in told[2], "its card's clock is not in these records"
    # a library is not a rung
    assert told[-1].startswith("cuBLAS against register-tiled, the fastest rung")


def test_counters_of_a_point_without_a_verdict_are_not_shown():
    view = view_of("evidence", "counters")
    view = replace(view, cases=tuple(replace(case, status="incorrect") if case.label == "tiled"
                                     else case for case in view.cases))
    assert ("tiled", "2048") not in cells(make_table(view)) and ("naive",
                                                                 "2048") in cells(make_table(view))


def test_first_calls_by_phase_against_the_steady_state():
    table = make_table(view_of("first_call", "first_call"))
    assert table.columns[:3] == ("context", "allocation", "transfer in") and table.columns[-3:] == (
        "first call", "steady call", "times longer")
    row = cells(table)["naive, lazy", "1024"]
    assert row[-2] == "904 µs" and row[-1].startswith("292 [")
    assert "the longest phase is module" in first_call_sentences(view_of("first_call",
                                                                         "first_call"))[0]


def test_shares_of_the_ceiling_stand_in_table_and_csv_and_more_is_flagged():
    table = make_table(view_of("evidence", "gflops"))
    rows = cells(table)
    assert rows[("tiled",)][0].endswith(", 14 %") and rows[("way 0",)][0].endswith(", 0.2 % M")
    assert [row.cells[0].note for row in table.rows if row.heads == ("way 10",)] == [3]
    assert ("broken measurement" in table.notes[2]
            and table.notes[2].startswith("way 10 at 1024, 2048"))
    assert table.notes[0] == "tiled at 1024: measured while the card held its clock down."
    assert table.notes[1].startswith("way 3 at 1024: measured while other work ran")
    assert csv_text(table).splitlines()[0].endswith(",note,of_ceiling")
    found = read("bench")
    assert any("2 points above 102 % of the ceiling" in text for text in warnings_of(found))


@pytest.mark.parametrize("share,above",
                         [(None, False), (0.99, False), (1.02, False), (1.0201, True)])
def test_the_ceiling_may_be_beaten_by_two_percent(make, share, above):
    case = make(of_ceiling=share)
    assert case.above_ceiling == above
    found = experiment("bench", "first_call")
    found.cases = [case]
    assert bool(above_ceiling_text(found)) == above


def ceiling(value, trusted=True):
    return {"ceilings": [{"device": "gpu", "what": "fma", "level": "ffma", "threads": 0,
                          "value": value, "unit": "GFLOP/s", "how": "a loop", "trusted": trusted}]}


@pytest.mark.parametrize("runs,text,trusted", [
    ([ceiling(5.0), ceiling(9.0), ceiling(7.0)], "5.00 to 9.00 GFLOP/s", "yes"),
    ([ceiling(5.0), ceiling(90.0, False)], "5.00 GFLOP/s", "1 of 2"),
    ([ceiling(5.0, False), ceiling(9.0, False)], "5.00 to 9.00 GFLOP/s", "no")])
def test_a_ceiling_is_told_with_how_far_its_runs_lie_apart(runs, text, trusted):
    (row,) = ceilings_table(runs).rows
    assert row.cells[0].text == text and row.heads[-1] == trusted


def test_ceilings_and_costs_as_measured():
    runs = read("bench").runs
    table = ceilings_table(runs)
    assert len(table.rows) == 17 and {row.heads[5] for row in table.rows} == {"yes", "no"}
    assert clocks_table(runs).rows[0].cells[0].text == "1.40 µs"
    assert ceilings_table([{}]) is None and clocks_table([{}]) is None


def test_where_the_time_went_is_shares_of_the_wall_time():
    found = experiment("bench", "evidence")
    assert (spent_text(found) == "Where the time went: of 63.0 s, 66.7 % measured, 9.5 % warm-ups, "
            "1.6 % pilots, 4.8 % verification, 1.6 % inputs, 3.2 % references and 6.3 % ceilings; "
            "overhead 6.3 %.")
    found.costs.append(found.costs[0] | {"wall_s": 37.0, "overhead": 0.0})
    assert (spent_text(found).startswith("Where the time went: of 100 s of 2 runs")
            and "overhead 4.0 %" in spent_text(found))
    assert spent_text(experiment("bench", "first_call")) == ""


def test_disturbed_points_are_counted(make):
    assert disturbed_text(experiment("bench", "evidence").cases) == (
        "1 of 32 points was measured while throttled (power cap); 1 of 32 points lost more than 5 "
        "% of the timed seconds to other programs (run-queue delay or steal).")
    quiet = make(samples=(1.0,) * 10, run_queue_delay_s=0.5, steal_s=0.4)
    assert disturbed_text([quiet]) == "" and make(samples=(1.0,) * 10, steal_s=0.51).disturbed
    assert not make(samples=(1.0,) * 10, steal_s=0.51, calls_per_sample=2).disturbed
    assert not make(samples=(1.0,) * 10, steal_s=0.51, phases_s={"timed": 11.0}).disturbed


def test_a_roof_is_the_highest_peak_and_every_level_with_all_threads():
    view = view_of("evidence", "roofline")
    assert [(roof.name, roof.value) for roof in compute_roofs(view, "cpu")] == [
        ("FMA avx2, 16 threads", 900.0), ("FMA avx2, 1 thread", 60.0)]
    assert [(roof.level, roof.value) for roof in bandwidth_roofs(view, "cpu")] == [
        ("l1", 3600.0), ("l2", 1700.0), ("l3", 400.0), ("dram", 180.0)]
    assert [roof.level for roof in bandwidth_roofs(view, "gpu")] == ["l2", "dram"]


def test_points_stand_at_the_bytes_that_they_move():
    found = {point.series.name: point for point in points(view_of("evidence", "roofline"), "gpu")}
    assert found["tiled"].intensity == pytest.approx(8.0) and found["tiled"].known
    assert found["cuBLAS"].intensity == pytest.approx(2 * 2048 / 12) and not found["cuBLAS"].known
    assert ({point.case.m for point in found.values()} == {2048}
            and not any(point.broken for point in found.values()))
    broken = [point.series.name for point in points(view_of("evidence", "roofline"), "cpu")
              if point.broken]
    assert broken == ["way 10"]


def test_a_point_above_the_peak_is_broken_even_without_a_share(make):
    run = {"ceilings": [{"device": "cpu", "what": "fma", "threads": 1, "value": 1.0,
                         "unit": "GFLOP/s"}]}
    for rate, broken in ((1.01, False), (1.03, True)):
        view = View("e", "roofline", "T", (make(gflop_per_s=rate),), run)
        assert [point.broken for point in points(view, "cpu")] == [broken]


def figure_of(view):
    with style.applied():
        return plots.kinds()[view.kind].figure(view)


def test_a_roofline_without_ceilings_says_so():
    assert "no roof" in figure_of(view_of("evidence", "roofline", run={}))


def test_a_machine_with_a_name_of_its_own_bears_it():
    found = read("bench")
    assert title_of(found) == "NVIDIA H200 + Intel Xeon Platinum 8480+"
    found.runs[-1]["arguments"] = ["run", "first_call", "--machine", "bench"]
    assert title_of(found) == "bench (NVIDIA H200 + Intel Xeon Platinum 8480+)"


@pytest.fixture(scope="module", name="built")
def _built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    assert main(["build", str(DATA / "bench"), "--output", str(folder), "--reference",
                 str(DATA / "bench")]) == 0
    return folder


@pytest.mark.parametrize("page", ["report.html", "report.md"])
def test_the_pages_state_noise_costs_ceilings_and_findings(built, page):
    text = (built / page).read_text(encoding="utf-8")
    for what in ("A/A: 10 pairs of the same code under two labels; noise floor",
                 "Where the time went: of 63.0 s", "was measured while throttled",
                 "Measured ceilings", "What clocks and launches cost", "Findings",
                 "A difference is declared where"):
        assert what in text, what
    # the explorer's program asks: if (again)
    assert not re.search(r"(?<!if) \(again\)", text), "a twin is nobody's point"


def test_a_second_build_of_the_evidence_gives_the_same_bytes(built, tmp_path):
    main(["build", str(DATA / "bench"), "--output", str(tmp_path), "--reference",
          str(DATA / "bench")])
    files = [path for path in built.rglob("*") if path.is_file()]
    assert len(files) > 30
    for path in files:
        assert path.read_bytes() == (tmp_path / path.relative_to(built)).read_bytes(), path.name


def test_fields_of_old_records_are_absent_and_not_zero():
    case = experiment("workstation", "quick").cases[0]
    assert (isinstance(case, Case) and case.moved_bytes is None and case.throttled is None
            and case.steal_s is None)
    assert case.replica == 0 and case.twin_of is None and case.resources == {}


def test_a_tensor_pipe_that_is_counted_busy_without_a_tensor_instruction_is_told(make):
    def caption(share, **more):
        case = make("gpu.tiled", case_id="x", **more)
        return make_table(View("e", "counters", "T", (case,), {}, counters={"x": {"metrics": {
            "tensor_pipe": {"value": share, "unit": "share"}}}})).caption
    assert ("The tensor pipe is counted at up to 1.9 % for kernels that have no instruction for it"
            in caption(0.0192))
    for quiet in (caption(0.0001), caption(0.9, precision="fp32-split"),
                  caption(0.9, chosen={"library": "libcublas.so"})):
        assert "tensor pipe is counted" not in quiet
