"""The tables that a reader comes for: one quantity each, squares alone, the same numbers as the
records, in every form."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from recompute import Records
from sample_records import DATA, ROOT, read

from analysis.answer.curves import curves_of
from analysis.answer.points import contest_in, contest_of
from analysis.tables.tables import SPREAD, Notes, marked, ratio_cell
from commands.satellites import satellites
from records.cases.ratios import speedup
from records.loading import Experiment, Results, find_files, load
from records.view import View
from report import readme
from report.pages.html import latex
from report.pages.table_text import csv_text, markdown
from report.summary.answer import stand_in
from report.summary.columns import Columns, Marks, Number, decimals_of, fewer
from report.summary.exhibits import beside_libraries, summary_of
from report.summary.rates import of_contest, rates_table
from report.summary.steps import steps_exhibit
from report.summary.threads import threads_exhibit

H200 = "intel-xeon-nvidia-h200"
needs_latex = pytest.mark.skipif(shutil.which("pdflatex") is None,
                                 reason="no pdflatex: apt install texlive-latex-recommended")


@pytest.fixture(scope="module", name="reference")
def _reference():
    folder = ROOT / "data" / "results" / H200
    return load(folder, find_files(folder))


@pytest.fixture(scope="module", name="exhibits")
def _exhibits(reference):
    return {one.name: one for one in summary_of(reference, None)}


@pytest.fixture(scope="module", name="tables")
def _tables(exhibits):
    return {stem: table for one in exhibits.values() for stem, table in one.tables}


def column(table, name, group=""):
    """The cells of a column by what heads the row."""
    place = table.full_columns.index(f"{group}: {name}" if group else name)
    return {row.heads[0]: row.cells[place] for row in table.rows}


def test_every_question_has_its_exhibit_in_the_order_of_asking(exhibits):
    assert list(exhibits) == ["speedup", "gflops", "threads", "block-size",
                              "steps-gpu", "steps-cpu", "types", "transfers", "energy", "cards",
                              *(["claims"] if "published" in satellites() else [])]
    assert all(one.tables or one.figures for one in exhibits.values()), "a table or a plot for each"
    for name in ("speedup", "gflops", "threads", "block-size"):
        assert len(exhibits[name].tables) == len(exhibits[name].figures) > 0, ("a plot beside each "
                                                                               "table")


def test_speedups_are_those_of_the_records(tables):
    records = Records(H200)
    cells = column(tables["speedup"], "kernel", "best against best")
    # At 4096 MKL was not bound in "pairs"; in "energy" packed was, and is faster, so that the
    # sound pair is told.
    for size, group, best in ((2048, "pairs", "cpu.mkl"), (4096, "energy", "cpu.packed")):
        cpu = min(records.all("cpu_vs_gpu", group=group, m=size, n=size, k=size, precision="fp32",
                              scope="kernel"), key=lambda case: case["median_s"]
                  if case["implementation"].startswith("cpu.") else 1e9)
        assert cpu["implementation"] == best
        ours = {"implementation": "gpu.pipelined", "shape": size, "group": group, "scope": "kernel"}
        theirs = {"implementation": cpu["implementation"], "shape": size, "group": group,
                  "label": cpu["label"]}
        low, high = records.speedup_interval("cpu_vs_gpu", theirs, ours)
        cell = cells[str(size)]
        assert cell.value == pytest.approx(records.speedup("cpu_vs_gpu", theirs, ours), rel=0.01)
        assert (cell.low, cell.high) == (pytest.approx(low, rel=0.02),
                                         pytest.approx(high, rel=0.02))


def test_every_drawn_point_of_gpu_over_cpu_is_the_number_of_the_table(exhibits, tables):
    """The figure drew 41 over an unbound library where title, foot and table had 36."""
    (view, _), *_ = exhibits["speedup"].figures
    drawn = {curve.way: dict(curve.points) for curve in curves_of(contest_in(view))
             if not curve.plain}
    for way, name in (("kernel", "kernel"), ("pinned", "transfers, pinned"),
                      ("pageable", "transfers, pageable")):
        told = column(tables["speedup"], name, "best against best")
        assert {size: ratio.value for size, ratio in drawn[way].items() if str(size) in told} == \
            pytest.approx({int(size): cell.value for size, cell in told.items()})


def test_block_sizes_give_time_rate_and_speedup_of_the_records_and_the_best_of_each_row_is_bold(
        tables):
    records, table = Records(H200), tables["block-size"]
    for size in (256, 2048):
        seconds = {block: records.seconds("block_size", "gpu.tiled", size, block=block)
                   for block in (4, 8, 16, 32)}
        best = min(seconds, key=seconds.get)
        for block, time_s in seconds.items():
            name = f"{block}×{block}"
            time, rate = (column(table, name, group)[str(size)]
                          for group in ("time, ms", "GFLOP/s"))
            assert time.text == f"{1e3 * time_s:.3f}" and time.best == rate.best == (block == best)
            assert rate.value == pytest.approx(2e-9 * size**3 / time_s)
            if block > 4:
                assert (column(table, name, "speedup over 4×4")[str(size)].value
                        == pytest.approx(seconds[4] / time_s, rel=0.01))
    assert column(table, "16×16", "time, ms")["256"].best and column(table, "32×32",
                                                                     "time, ms")["2048"].best


def test_rates_give_each_rung_and_ours_as_a_share_of_the_best_library(tables):
    records, table = Records(H200), tables["gflops-gpu"]
    library = next(name for name in table.columns if name.startswith("cuBLAS"))
    assert re.fullmatch(r"cuBLAS \d+(\.\d+)+", library), "its version stands in the head"
    for name, implementation in (("naive", "gpu.naive"), ("pipelined", "gpu.pipelined"),
                                 (library, "gpu.cublas")):
        cell = column(table, name)["4096"]
        assert cell.value == pytest.approx(records.rate("cpu_vs_gpu", implementation, 4096,
                                                        group="pairs", scope="kernel"))
    share = column(table, "ours, % of cuBLAS")["4096"].value
    assert share == pytest.approx(100 * column(table, "pipelined")["4096"].value
                                  / column(table, library)["4096"].value, rel=0.01)


def test_a_point_above_its_ceiling_is_noted_never_bold_and_no_share_rests_on_it(reference):
    measured = of_contest(contest_of(reference), False)
    broken = tuple(replace(case, of_ceiling=1.17, of_highest=1.17) if case.implementation == "cpu.packed"
                   and case.shape == (256,) * 3 else case for case in measured.cases)
    for cases, sound in ((measured.cases, True), (broken, False)):
        (_, table), _ = rates_table(replace(measured, cases=cases), "cpu", 4096)
        cell = column(table, "packed")["256"]
        assert cell.best == sound and bool(cell.note) != sound
        assert (column(table, "ours, % of the best library")["256"].value is not None) == sound
    assert "above its ceiling" in table.notes[cell.note - 1]


def test_speedups_of_threads_that_were_not_bound_or_fewer_than_asked_are_marked(tables):
    def note(name, threads):
        return table.notes[number - 1] if (number := column(table, name)[threads].note) else ""

    table = tables["threads"]
    assert note("blocked", "22").startswith("ran 16 threads")
    assert "threads not bound to cores" in note("Eigen", "44").casefold() and not note("ikj", "11")
    assert "samples" in note("OpenMP", "44")


def test_a_share_of_the_library_says_which_other_was_faster_elsewhere_and_units_that_were_not_used_have_no_number(
        tables):
    table = tables["gflops-gpu"]
    cell = column(table, "ours, % of cuBLAS")["1024"]
    assert ("cublasLt is 1.14 times" in table.notes[cell.note - 1]
            and "in gpu_ladder" in table.notes[cell.note - 1])
    assert not column(table, "ours, % of cuBLAS")["2048"].note
    units = column(table, "tensor", "on matrix units")
    assert not units["512"].text and units["4096"].text, "at 512 it ran kernels of plain FP32"


def rates_of(measured, device, **fault):
    """The table of that device, where each point at 4096 that `of` picks has the fault."""
    of = fault.pop("of", lambda case: False)
    cases = tuple(replace(case, **fault) if case.shape == (4096,) * 3 and of(case) else case
                  for case in measured.cases)
    return rates_table(replace(measured, cases=cases), device, 4096)[0][1]


def note_of(table, name, row):
    return (["", *table.notes])[column(table, name)[row].note]


def test_a_best_library_that_was_chosen_among_fewer_says_among_which(reference, tables):
    """At 8192 only two have a number; planted at 4096: MKL's has none."""
    few = "of the libraries only OpenBLAS and oneDNN have a number here"
    assert few in note_of(tables["gflops-cpu"], "best library", "8192")
    assert few in note_of(tables["speedup"], "best against best: kernel", "8192")
    assert not any("of the libraries" in note for note in tables["gflops-gpu"].notes)
    measured = of_contest(contest_of(reference), False)
    made = rates_of(measured, "cpu", of=lambda case: case.implementation == "cpu.mkl",
                    status="crashed")
    assert "of the libraries only OpenBLAS" in note_of(made, "best library", "4096")
    assert "of the libraries" not in note_of(rates_of(measured, "cpu"), "best library", "4096")


def test_a_lead_says_what_it_is_on_the_host_where_it_is_least(reference):
    """108 % of cuBLAS at 4096, 106 % on another host; planted: no other host."""
    measured = of_contest(contest_of(reference), False)
    name = "ours, % of cuBLAS"
    assert note_of(rates_of(measured, "gpu"), name, "4096") == (
        "106 % of cublasLt on host 766d76a7, in gpu_peers (8192; 4096: the clock was held down on "
        "one side).")
    alone = replace(measured, beside=tuple(case for case in measured.beside
                                           if case.host == measured.host))
    assert note_of(rates_of(alone, "gpu"), name, "4096") == ""


def test_a_point_above_the_ceiling_of_its_run_is_marked_where_an_interval_excuses_it(reference,
                                                                                   tables):
    assert note_of(tables["speedup"], "best against best: transfers, pageable", "512") == (
        "103 % of its run's ceiling (512).")
    assert "(103 % of its run's ceiling)" in note_of(tables["gflops-cpu"], "packed", "4096")
    measured = of_contest(contest_of(reference), False)
    made = rates_of(measured, "gpu", of=lambda case: case.implementation == "gpu.naive",
                    of_ceiling=1.04, of_highest=0.9)
    assert note_of(made, "naive", "4096") == "104 % of its run's ceiling (4096)."
    assert note_of(rates_of(measured, "gpu"), "naive", "4096") == ""


def ladder_of(*cases):
    """Records of these points alone, on a host of two cores."""
    run = {"run_id": "r", "host": {"id": "h", "cores": 2}}
    return Results(Path("/nowhere"), [Experiment("cpu_ladder", Path("/nowhere"), [run],
                                                 list(cases))], [])


def test_a_step_that_is_a_tie_is_marked(make):
    steps = [make(name, (seconds,) * 9, label=name, place=place, host="h") for place, (name, seconds)
             in enumerate((("cpu.serial", 9.0), ("cpu.packed", 2.0), ("cpu.onednn", 1.99)))]
    ((_, level),) = steps_exhibit(ladder_of(*steps), "cpu").tables
    assert level.notes == []
    steps[-1] = make("cpu.onednn", (1.9, 2.1) * 4 + (1.99,), label="cpu.onednn", place=2, host="h")
    ((_, level),) = steps_exhibit(ladder_of(*steps), "cpu").tables
    assert level.notes == ["not told apart from 1: a tie (oneDNN)."]


def test_a_speedup_by_threads_that_share_no_rounds_is_marked(make):
    one, two = (make("cpu.packed", (2.0 / count,) * 9, label=f"packed {count}", host="h",
                     threads_actual=count, parameters={"threads": count}) for count in (1, 2))
    ((_, table),) = threads_exhibit(ladder_of(one, two)).tables
    assert table.notes == []
    apart = threads_exhibit(ladder_of(one, replace(two, group="all cores")))
    assert apart.tables[0][1].notes == ["not paired (2)."]
    assert "2.0 times as fast as on one (not paired)" in apart.sentences[0]


def test_tables_are_of_squares_of_one_quantity_and_short(tables):
    for stem in ("speedup", "gflops-cpu", "gflops-gpu", "block-size", "threads"):
        table = tables[stem]
        assert 3 <= len(table.rows) <= 15 and all(re.fullmatch(r"\d+", row.heads[0])
                                                  for row in table.rows), stem
        assert not any("[" in cell.text for row in table.rows
                       for cell in row.cells), "± columns instead of brackets"
        for place in range(len(table.columns)):
            texts = [row.cells[place].text for row in table.rows if row.cells[place].text
                     and " to " not in row.cells[place].text]
            assert len({len(text.partition(".")[2])
                        for text in texts}) <= 1, (stem, table.columns[place], "decimals differ")


def test_a_caption_says_host_card_scope_cache_and_samples(tables):
    for stem in ("speedup", "gflops-gpu", "block-size"):
        assert re.search(r"host \w{8}; (threads not bound to cores at \d+ of \d+ points; )?NVIDIA "
                         r"H200; float32, uniform inputs; scope [a-z, -]+; cold cache; bursts; \d+ "
                         r"to \d+ samples per point; \d{4}-\d\d-\d\d\.$",
                         tables[stem].caption), tables[stem].caption
    assert ("threads not bound to cores at" in tables["speedup"].caption
            and "bound" not in tables["gflops-gpu"].caption)


def test_the_farther_end_of_the_interval_is_what_stands_behind_plus_minus():
    columns = Columns(("256", "512"))
    columns.add("kernel", [Number(10.0, 9.7, 10.1), None], "times", "best", spread=True)
    table = columns.table("t", "T", "", ("N",), Marks(), False)
    assert ([cell.text for cell in table.rows[0].cells] == ["10", "<1"]
            and table.columns == ("kernel", SPREAD))
    assert [cell.text for cell in table.rows[1].cells] == ["", ""]
    columns = Columns(("256",))
    columns.add("a", [Number(2.0, 1.5, 2.1)], "times", spread=True)
    assert [cell.text for cell in columns.table("t", "T", "", ("N",), Marks(),
                                                False).rows[0].cells] == ["2.0", "0.5"]


@pytest.mark.parametrize("values,decimals",
                         [((0.2, 41.3), 2), ((1.9, 895.4), 1), ((12.0, 895.4), 0), ((), 2)])
def test_decimals_show_two_digits_of_the_smallest(values, decimals):
    assert decimals_of(values) == decimals


def test_the_best_of_a_row_is_bold_unless_its_number_has_a_note():
    columns = Columns(("1", "2"))
    columns.add("a", [Number(1.0), Number(9.0, note=1)], "x")
    columns.add("b", [Number(2.0), Number(3.0)], "x")
    columns.add("c", [Number(0.5), Number(2.0)], "x")
    columns.mark_best([0, 1, 2])
    rows = columns.table("t", "T", "", ("N",), Marks(), False).rows
    assert [[cell.best for cell in row.cells]
            for row in rows] == [[False, True, False], [False] * 3], "no smaller number is the best"


def test_of_many_sizes_fifteen_stay_with_both_ends_and_the_headline():
    kept = fewer(list(range(100, 4000, 50)), 1000)
    assert (len(kept) <= 15 and kept[0] == 100 and kept[-1] == 3950 and 1000 in kept
            and all(low < high for low, high in pairwise(kept)))


def test_a_machine_without_a_gpu_comes_first_and_the_reference_after_it(reference):
    own = read("laptop")
    made = summary_of(own, stand_in(own, reference))
    first = [one for one in made if not one.reference]
    assert first and made[:len(first)] == first and "gflops" in {one.name for one in first}
    assert {case.device for one in first for view, _ in one.figures
            for case in view.cases} == {"cpu"}
    borrowed = {one.name for one in made[len(first):]}
    assert ({"speedup", "block-size", "steps-gpu"} <= borrowed
            and len({one.name for one in made}) == len(made))


def test_plus_minus_is_no_column_of_the_csv_and_groups_name_each_column(tables):
    lines = csv_text(tables["speedup"]).splitlines()
    assert lines[0] == "N,column,value,low,high,unit,note" and "±" not in "".join(lines)
    assert any(line.startswith("4096,best against best: kernel,36.4") for line in lines)
    assert "best against best: transfers, pinned | ± |" in markdown(tables["speedup"])


@needs_latex
def test_each_table_is_one_float_that_fits_the_text(tables, tmp_path):
    stems = [stem for stem, table in tables.items() if table.label and table.rows]
    assert {"speedup", "gflops-cpu", "gflops-gpu", "block-size", "threads"} <= set(stems)
    for stem in stems:
        text = latex.table_text(tables[stem])
        assert (text.count(r"\begin{table}") == 1 and rf"\label{{tab:{stem}}}" in text
                and r"\caption{" in text)
    body = "\n".join(latex.table_text(tables[stem]) for stem in stems)
    for width in ("170mm", "120mm"):  # a page of A4, and a narrow one
        (tmp_path / "t.tex").write_text(
            r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\usepackage{textcomp}"
            rf"\usepackage[textwidth={width}]{{geometry}}\usepackage{{booktabs,graphicx}}"
            rf"\begin{{document}}{body}\end{{document}}", encoding="utf-8")
        done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
                              cwd=tmp_path, capture_output=True, text=True,
                              errors="replace", check=False)
        assert done.returncode == 0, done.stdout[-2000:]
        wide = [line for line in done.stdout.splitlines() if line.startswith("Overfull \\hbox")
                and float(re.search(r"\(([\d.]+)pt", line)[1]) > 1]
        assert not wide, wide


def test_the_readme_begins_with_what_the_records_yield(reference):
    part = readme.answer_part(reference, f"data/results/{H200}/report")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.written(text, part) == text, "python -m report.readme --write"
    for title in ("Speedup of the GPU over the CPU", "GFLOP/s on the CPU", "GFLOP/s on the GPU",
                  "Block size of the tiled kernel"):
        assert title in part
    assert readme.written(text, part + "x") != text
    with pytest.raises(ValueError, match="lacks the marks"):
        readme.written("no marks", part)


def test_what_transposed_operands_cost_is_told_beside_the_rates_of_plain_products(exhibits,
                                                                                  reference):
    """Planted: that no other form was measured."""
    begin = "What a form of gemm costs in time beside C = A·B, not paired: pipelined at most 42 %"
    assert sum(text.startswith(begin) and "host cb88f107" in text
               for text in exhibits["gflops"].sentences) == 1
    without = replace(reference, experiments=[one for one in reference.experiments
                                              if one.name != "gemm_forms"])
    assert not any(begin[:20] in text for text in beside_libraries(without))


def test_the_sample_machines_have_tables_of_their_own():
    for machine in ("workstation", "laptop"):
        exhibits = summary_of(read(machine), None)
        assert any(table.rows for one in exhibits for _, table in one.tables), (machine, DATA)


def test_fewer_threads_than_asked_for_are_told_and_conditions_are_of_the_points_shown(tables):
    """16 threads stood over a row that ran one; 2,000 samples were those of a scope not shown."""
    cells, notes = column(tables["gflops-cpu"], "packed"), tables["gflops-cpu"].notes
    assert notes[cells["64"].note - 1].startswith("ran 1 thread")
    assert "ran 10 threads" in notes[cells["128"].note - 1]
    ratio = column(tables["speedup"], "kernel", "best against best")["64"]
    assert "ran 1 thread" in tables["speedup"].notes[ratio.note - 1]
    assert "6 of 60 points" in tables["speedup"].conditions and "call" not in tables[
        "speedup"].conditions
    assert tables["speedup"].caption.endswith(tables["speedup"].conditions)


def test_what_is_faster_in_another_group_is_told_with_what_is_unsound_of_it(reference):
    measured = of_contest(contest_of(reference), False)

    def notes(change):
        cases = tuple(replace(case, **change) if case.group == "energy" and case.device == "cpu"
                      else case for case in measured.cases)
        (_, table), _ = rates_table(replace(measured, cases=cases), "cpu", 4096)
        return " ".join(table.notes)

    assert "OpenBLAS has 1,325 in the group energy (4096)" in notes({})
    assert "% of OpenBLAS in the group energy" in notes({})
    loose = notes({"pinned": False})
    assert "OpenBLAS has 1,325 in the group energy (threads not bound to cores) (4096)" in loose
    assert "% of OpenBLAS in the group energy" not in loose, "no sound ratio is left"


def test_where_the_same_code_is_faster_and_sound_is_told_of_a_point_that_is_not(reference):
    """The matrix unit's 2,611 GFLOP/s at 4096 are of unbound threads. Planted: that they were bound,
    and that those of the fastest host were not."""
    measured = of_contest(contest_of(reference), False)

    def noted(host, **change):
        def changed(cases):
            return tuple(replace(case, **change) if case.implementation == "cpu.matrix" and
                         case.host.startswith(host) else case for case in cases)
        planted = replace(measured, cases=changed(measured.cases), beside=changed(measured.beside))
        (_, table), _ = rates_table(planted, "cpu", 4096)
        return " ".join(table.notes)

    told = re.search(r"threads not bound to cores \([^()]*4096: 3,609 by matrix unit on host "
                     "766d76a7, warm cache", noted("none"))
    assert told and "by matrix unit" not in noted(measured.host[:8], pinned=True)
    assert "4096: 3,182 by matrix unit on host 646eed99" in noted("766d76a7", pinned=False,
                                                                  threads_actual=16)


def test_a_faster_cpu_in_another_group_is_noted_beside_the_speedup(tables):
    """42.5 at 1024 by packed of one group, where that of the other yields 40.8."""
    table = tables["speedup"]
    cell = column(table, "kernel", "best against best")["1024"]
    assert "in the group energy 41 by packed" in table.notes[cell.note - 1]
    assert not column(table, "kernel", "best against best")["2048"].note
    # that group did not time transfers from pageable memory: a time, and no ratio of two groups
    pageable = column(table, "transfers, pageable", "best against best")["1024"]
    assert "in the group energy packed takes 1.93 ms" in table.notes[pageable.note - 1]


def test_a_share_that_is_a_tie_or_not_that_of_the_rates_beside_it_says_so(tables):
    shares, notes = column(tables["gflops-cpu"], "ours, % of the best library"), tables[
        "gflops-cpu"].notes
    for size in ("64", "256", "512", "1024", "2897"):
        assert "not told apart from 1: a tie" in notes[shares[size].note - 1], size
    for size in ("128", "4096", "8192"):
        assert "the ratio of the rounds that both shared" in notes[shares[size].note - 1], size


def test_what_is_told_of_transfers_names_the_memory_host_cache_and_load(exhibits):
    share, where = exhibits["transfers"].sentences[0], exhibits["transfers"].conditions
    assert re.search(r"transfers take \d+ % of [\d.]+ ms \(pinned\) and \d+ % of [\d.]+ ms "
                     r"\(pageable\)", share) and "at N = 512 (pageable, pipelined)" in share
    assert "host 944e1f55" in where and "cold cache; bursts" in where
    assert "with transfers (pinned)" in exhibits["energy"].sentences[0]


def test_a_row_is_of_one_group_and_what_is_against_another_says_so(tables, exhibits):
    """1,325 of one run stood beside points of another; 4.26 was against MKL, whose threads were
    loose, in a row against packed."""
    cell = column(tables["speedup"], "transfers, pageable", "best against best")["4096"]
    assert cell.text == "4.07" and tables["speedup"].notes[cell.note - 1].startswith(
        "103 % of its run's ceiling; not paired; of the group energy; 4.3 by MKL, threads not bound to cores, in the group")
    best = column(tables["gflops-cpu"], "best library")
    assert best["4096"].text == "1,282" and best["4096"].note, "of the rounds that packed shared"
    assert "OpenBLAS has 1,325 in the group energy" in tables["gflops-cpu"].notes[
        best["4096"].note - 1]
    share = column(tables["gflops-cpu"], "ours, % of the best library")["8192"]
    assert "91 % of OpenBLAS in the group energy" in tables["gflops-cpu"].notes[share.note - 1]
    assert exhibits["gflops"].sentences[0].startswith("CPU library: MKL, 16 threads")
    assert "threads not bound to cores" in exhibits["gflops"].sentences[0]
    steps = exhibits["steps-cpu"]
    assert "one thread)" in steps.sentences[0] and "1 of 16 threads" in steps.tables[0][1].caption
    assert ("host 4c6423e4; NVIDIA H200; float32, uniform inputs; scope kernel; warm cache; "
            "bursts; " in exhibits["cards"].conditions)


def test_types_are_those_of_the_records_with_the_digits_that_they_leave(tables):
    """What bfloat16 buys and costs: computed anew from the records."""
    records, table = Records(H200), tables["types"]
    fastest = min(case["median_s"] for case in records.all("types_gpu", m=8192, precision="fp32")
                  if not case["options"])
    assert column(table, "correct digits")["float32"].value > 6
    for head, precision in (("float32 in bf16", "bf16"), ("float32 in tf32", "tf32")):
        case = min((case for case in records.all("types_gpu", m=8192, precision=precision)
                    if not case["options"]), key=lambda case: case["median_s"])
        assert column(table, "times as fast")[head].value == pytest.approx(
            fastest / case["median_s"], rel=0.02)
        assert column(table, "correct digits")[head].value == pytest.approx(
            -math.log10(max(check["eta_max"] for check in case["verify"]) * 2**-24), abs=0.01)
    assert column(table, "correct digits")["bfloat16"].text == "2.4", "C has 8 bits"


def test_a_note_on_ratios_of_shared_rounds_says_how_far_those_of_the_medians_lie(make):
    """Planted: over all rounds one takes twice as long, in the rounds that both share as long."""
    slow = make("cpu.ikj", (2.0,) * 7 + (4.0,) * 8, label="ikj")
    quick = make("gpu.naive", (1.0,) * 7, label="naive")
    notes = Notes(View("e", "versus", "T", (slow, quick), {}))
    ratio = speedup(slow, quick)
    cell = marked(ratio_cell(ratio), notes, slow, quick, ratio=ratio)
    assert ratio.value == 2 and ratio.apart and cell.note == 1
    assert notes.texts()[0].endswith("over all rounds, whose ratio is 2.00 times the one here.")
