"""Points that other work disturbed are marked wherever they are ranked, and confirm nothing."""

import json

import pytest
from sample_records import DATA

from analysis.compared.compare import compare, regression_lines
from analysis.tables.kind import Section
from records.cases.case import disturbed_words
from records.cases.series import series_of
from records.loading import Experiment, Results, load
from records.view import View
from report.findings.section import every_sentence, found_in
from report.findings.standing import fastest
from report.pages.table_text import make as make_table


def results(*cases):
    return Results(DATA, [Experiment("e", DATA, [], list(cases))], [])


def slow(make, **more):
    """Nine samples of 2 s; of fast, of 1 s. With `waited`, 6 % of them went to other work."""
    return make("cpu.slow", samples=(2.0,) * 9, **more)


def fast(make, waited=True, **more):
    return make("cpu.fast", samples=(1.0,) * 9, run_queue_delay_s=0.54 if waited else 0.0, **more)


@pytest.mark.parametrize("delay,steal,disturbed", [(0.46, None, True), (None, 0.46, True),
                                                   (0.44, 0.44, False), (None, None, False)])
def test_a_twentieth_of_the_timed_seconds_disturbs(make, delay, steal, disturbed):
    case = make(samples=(3.0,) * 9, phases_s={"timed": 9.0}, run_queue_delay_s=delay, steal_s=steal)
    assert case.disturbed == disturbed


def test_a_winner_that_was_disturbed_says_so(make):
    (text,) = fastest(series_of([slow(make), fast(make)]))
    assert text.startswith("fast (disturbed) is fastest at 64") and "the next, slow." in text
    (text,) = fastest(series_of([slow(make, steal_s=1.0), fast(make, waited=False)]))
    assert text.startswith("fast is fastest at 64") and text.endswith("the next, slow (disturbed).")


def test_over_several_shapes_the_disturbed_ones_are_counted(make):
    cases = [one(make, size=size) for size in (64, 128) for one in (slow, fast)]
    cases += [slow(make, size=256), fast(make, waited=False, size=256)]
    (text,) = fastest(series_of(cases))
    assert text.startswith("fast (disturbed at 2 of 3 shapes) is fastest")


def test_what_disturbed_means_is_said_once_and_only_where_it_occurs(make):
    view = View("e", "summary", "T", (slow(make), fast(make)), {})
    assert sum(disturbed_words() in text
               for text in every_sentence(Section(view=view, wanted=[]))) == 1
    quiet = View("e", "summary", "T", (slow(make), fast(make, waited=False)), {})
    assert not any("disturbed" in text for text in every_sentence(Section(view=quiet, wanted=[])))


@pytest.mark.parametrize("kind", ["time", "gflops", "speedup"])
def test_tables_mark_the_cells_of_disturbed_points(make, kind):
    view = View("e", kind, "T", (slow(make), fast(make)), {}, {"implementation": "cpu.slow"})
    table = make_table(view)
    assert [row.cells[0].note for row in sorted(table.rows, key=lambda row: row.heads)] == [1, 0]
    assert table.notes == [f"fast at 64: {disturbed_words()}."]


def test_a_speedup_over_a_disturbed_baseline_is_marked(make):
    view = View("e", "speedup", "T", (slow(make, steal_s=2.0), fast(make, waited=False)), {},
                {"implementation": "cpu.slow"})
    assert all(row.cells[0].note == 1 for row in make_table(view).rows)


@pytest.mark.parametrize("side", ["first", "second"])
def test_no_difference_is_confirmed_where_either_side_was_disturbed(make, side):
    def one(name, seconds):
        return make(label="a", samples=(seconds,) * 9, run_id=name,
                    steal_s=1.0 if name == side else 0.0)

    found = compare(results(one("first", 1.0)), results(one("second", 1.5)))
    assert not found.regressions(5) and len(found.doubtful(5)) == 1
    lines = regression_lines(found, 5)
    assert lines[0] == "0 points of 1 confirmed slower by more than 5 %."
    assert "not confirmed: measured while other work ran" in lines[1]
    assert lines[2] == "  e: a at 64: 50.0 % slower"
    assert "not confirmed at 1" in found.verdict[0] and "and 0 tie." in found.verdict[0]
    assert (found.table.rows[0].cells[-1].text.endswith(", not confirmed")
            and found.table.rows[0].cells[-1].note)
    (warning,) = found.warnings
    counts = ("1 of 1 point on", "0 of 1 point on") if side == "first" else ("0 of 1 point on",
                                                                             "1 of 1 point on")
    assert (all(count in warning for count in counts)
            and warning.index(counts[0]) < warning.index(counts[1]))


def test_quiet_sides_confirm_and_do_not_warn(make):
    found = compare(results(make(label="a", samples=(1.0,) * 9)),
                    results(make(label="a", samples=(1.5,) * 9, run_id="s")))
    assert len(found.regressions(5)) == 1 and not found.warnings and not found.doubtful(5)


def test_copies_are_not_ranked_and_that_is_said(make):
    cases = (slow(make), make("cpu.slow", samples=(1.5,) * 9, replica=1, label="again"),
             make("cpu.slow", samples=(1.2,) * 9, handicap=0.03, label="late"))
    said = every_sentence(Section(view=View("e", "summary", "T", cases, {},
                                            {"implementation": "cpu.slow"}), wanted=[]))
    assert (said[0].startswith("slow is the only one ranked")
            and said.count("Replicas and handicapped points are not ranked.") == 1)
    assert not any("Replicas" in text for text in every_sentence(
        Section(view=View("e", "summary", "T", cases[:1], {}), wanted=[])))


def test_where_every_point_was_disturbed_that_is_said_once_and_not_of_each(make):
    cases = tuple(case for size in (64, 128)
                  for case in (slow(make, size=size, steal_s=2.0), fast(make, size=size)))
    found = found_in(View("e", "summary", "T", cases, {}), [])
    assert found.sentences[0].startswith("4 of 4 points were measured while other work")
    assert sum("disturbed" in text or disturbed_words() in text
               for text in (found.finding, *found.sentences, *found.more)) == 1
    assert found.sentences[1].startswith("fast is fastest at 64, 128")
    table = make_table(View("e", "gflops", "T", cases, {}))
    assert {cell.note for row in table.rows for cell in row.cells} == {0}
    assert table.notes == [f"4 of 4 points were {disturbed_words()}."]


@pytest.mark.parametrize("threads,disturbed", [(16, True), (64, False)])
def test_threads_beyond_the_cores_wait_for_one_another_and_not_for_other_work(tmp_path,
                                                                              threads, disturbed):
    lines = [json.loads(line)
             for line in (DATA / "laptop" / "quick.jsonl").read_text(encoding="utf-8").splitlines()]
    run, case = (next(line for line in lines if line["kind"] == kind) for kind in ("run", "case"))
    run["host"]["cores"] = 16
    case |= {"run_id": run["run_id"], "implementation": "cpu.openmp",
             "parameters": {"threads": threads}, "threads_actual": 16, "run_queue_delay_s": 1e3,
             "steal_s": 0.0}
    (tmp_path / "e.jsonl").write_text("\n".join(map(json.dumps, (run, case))), encoding="utf-8")
    (read_back,) = load(tmp_path, [tmp_path / "e.jsonl"]).experiments[0].cases
    assert read_back.disturbed == disturbed
    case["steal_s"] = 1e3
    (tmp_path / "e.jsonl").write_text("\n".join(map(json.dumps, (run, case))), encoding="utf-8")
    (read_back,) = load(tmp_path, [tmp_path / "e.jsonl"]).experiments[0].cases
    assert read_back.disturbed, "what the hypervisor took is nobody's own doing"


def test_tables_mark_the_cells_of_throttled_points(make):
    cases = (make("gpu.a", throttled=True), make("gpu.b", throttled=False),
             make("gpu.c", throttled=True, steal_s=9.0))
    table = make_table(View("e", "gflops", "T", cases, {}))
    assert table.notes == ["a at 64: measured while the card held its clock down.",
                           f"c at 64: {disturbed_words()}."]
    assert [row.cells[0].note for row in table.rows] == [1, 0, 2]
