from pathlib import Path

import pytest
from sample_records import experiment

from records.cases.series import series_of
from records.loading import Experiment
from records.view import View
from report.asked.registry import tables
from report.asked.wanted import specs, views
from report.pages.latex import table_text as latex
from report.pages.table_text import csv_text, markdown
from report.pages.table_text import make as make_table

RUN = {"host": {"cpu": "A CPU", "cores": 4}, "gpus": []}


def view(kind, cases, baseline=None):
    return View("e", kind, "Title", tuple(cases), RUN, baseline)


def body(table):
    """The rows of the Markdown table, without the ruler."""
    return [line for line in markdown(table).splitlines() if line.startswith("| ")]


@pytest.fixture(name="cases")
def _cases(make):
    return [make("cpu.serial", label="serial"),
            make("cpu.serial", label="serial", size=128, samples=(16.0,) * 7),
            make("cpu.ikj", label="ikj", samples=(0.5,) * 7),
            make("cpu.eigen", label="Eigen", samples=(0.25,) * 3),
            make("cpu.ikj", label="ikj", size=128, status="crashed", reason="signal 11",
                 measured_s=None)]


def test_time(cases):
    table = make_table(view("time", cases))
    assert body(table) == ["| Implementation | 64 | 128 |", "| Eigen | 250 ms |  |",
                           "| ikj | 500 [500, 500] ms | – (1) |",
                           "| serial | 2.00 [2.00, 2.00] s | 16.0 [16.0, 16.0] s |"]
    assert table.notes == ["ikj at 128: crashed – signal 11."]
    assert "1. ikj at 128: crashed – signal 11." in markdown(table)
    assert csv_text(table).splitlines() == [
        "Implementation,column,value,low,high,unit,note", "Eigen,64,0.25,,,s,",
        "ikj,64,0.5,0.5,0.5,s,", "ikj,128,,,,,ikj at 128: crashed – signal 11.",
        "serial,64,2,2,2,s,", "serial,128,16,16,16,s,"]


def test_gflops(cases):
    table = make_table(view("gflops", cases[:3]))
    assert body(table)[0] == "| Implementation (GFLOP/s) | 64 | 128 |"
    assert csv_text(table).splitlines()[1] == "ikj,64,0.001048576,0.001048576,0.001048576,GFLOP/s,"


def test_speedup(cases):
    table = make_table(view("speedup", cases, {"implementation": "cpu.serial"}))
    assert body(table) == ["| Implementation (times faster) | 64 | 128 |", "| Eigen | 8.00 |  |",
                           "| ikj | 4.00 [4.00, 4.00] | – (1) |", "| serial | 1 | 1 |"]


def test_speedup_at_a_shape_without_baseline_says_so(cases):
    table = make_table(view("speedup", cases, {"implementation": "cpu.ikj"}))
    assert body(table)[-1] == "| serial | 0.250 [0.250, 0.250] | – |"
    assert "the baseline has no number at 128" in table.caption


@pytest.mark.parametrize("baseline,sentence", [
    ({"implementation": "cpu.mkl"}, "was not measured here"),
    (None, "No baseline is named"),
    ({"n": 3}, "was not measured here")])
def test_speedup_without_a_baseline_is_one_sentence(cases, baseline, sentence):
    table = make_table(view("speedup", cases, baseline))
    assert sentence in table.caption and not table.rows
    assert "longtable" not in latex(table)


def test_speedup_over_a_baseline_that_fits_several_is_refused(make):
    cases = [make("cpu.openmp", label=f"{count}", parameters={"threads": count})
             for count in (1, 8)]
    assert "fits more than one" in make_table(view("speedup", cases,
                                                   {"implementation": "cpu.openmp"})).caption
    assert make_table(view("speedup", cases, {"implementation": "cpu.openmp", "threads": 8})).rows


def test_block_size(make):
    cases = [make("gpu.tiled", label=f"tiled {block}", parameters={"block": block},
                  samples=(1.0 / block,) * 7) for block in (16, 4)]
    cases.append(make("gpu.tiled", label="tiled 8", parameters={"block": 8}, status="incorrect",
                      reason="eta 812"))
    assert body(make_table(view("block_size", cases))) == [
        "| Implementation | Size | Quantity | block 4 | block 8 | block 16 |",
        "| tiled | 64 | time | 250 [250, 250] ms | – (1) | 62.5 [62.5, 62.5] ms |",
        "| tiled | 64 | GFLOP/s | 0.0021 [0.0021, 0.0021] | – (1) | 0.0084 [0.0084, 0.0084] |",
        "| tiled | 64 | times faster | 1 | – (1) | 4.00 [4.00, 4.00] |"]


def test_thread_scaling(make):
    cases = [make("cpu.openmp", label=f"OpenMP, {count} threads",
                  parameters={"threads": count}, samples=(time,) * 7, threads_actual=count)
             for count, time in ((1, 8.0), (8, 2.0), (2, 4.0))]
    table = make_table(view("thread_scaling", cases))
    assert "beyond the 4 cores" in table.caption
    assert body(table) == [
        "| Implementation | Size | Threads | threads that ran | time | times faster | efficiency |",
        "| OpenMP | 64 | 1 | 1 | 8.00 [8.00, 8.00] s | 1 | 100 % |",
        "| OpenMP | 64 | 2 | 2 | 4.00 [4.00, 4.00] s | 2.00 [2.00, 2.00] | 100 % |",
        "| OpenMP | 64 | 8 | 8 | 2.00 [2.00, 2.00] s | 4.00 [4.00, 4.00] | 50 % |"]


def test_latex_is_booktabs_and_escaped(make):
    text = latex(make_table(view("time", [make("cpu.ikj", label="a_b & 5 %")])))
    assert r"\toprule" in text and r"\bottomrule" in text and r"a\_b \& 5 \%" in text


def test_every_kind_says_so_when_it_has_nothing(make):
    for kind in tables():
        table = make_table(view(kind, [make(status="skipped", reason="too long")],
                                {"implementation": "cpu.ikj"}))
        assert not table.rows and table.caption, kind
    assert "no table of the kind" in make_table(view("pie", [make()])).caption


def test_less_than_fp32_bears_its_precision(make):
    table = make_table(view("time", [make("gpu.cublas", label="cuBLAS", precision="tf32")]))
    assert table.rows[0].heads == ("cuBLAS (tf32)",) or table.columns == ("cuBLAS (tf32)",)


def test_gpu_points_without_a_gpu_come_wholly_from_the_reference():
    laptop, reference = experiment("laptop", "quick"), experiment("workstation", "quick")
    for spec in specs(laptop, "tables"):
        made = views(laptop, spec, reference)
        assert [one.reference for one in made] == ([True] if spec["kind"] == "block_size"
                                                   else [False, True])
        assert "NVIDIA H200" in made[-1].full_title and "reference machine" in made[-1].full_title
        assert {case.run_id for case in made[-1].cases} == {"w1"}
        if len(made) > 1:
            assert ({case.run_id for case in made[0].cases} == {"l1"}
                    and "Ryzen" in made[0].full_title)
            assert ("24 GPU points have no number on this machine: unsupported – no CUDA device."
                    in make_table(made[0]).notes)


def test_rows_follow_the_lines_of_the_definition_and_others_come_last(make):
    cases = [make("cpu.a", label="other"), make("cpu.b", label="second", place=1),
             make("cpu.z", label="first", place=0)]
    assert [row.heads[0] for row in make_table(view("time", cases)).rows] == ["first",
                                                                              "second", "other"]


@pytest.mark.parametrize("label,parameter,values,name", [
    ("OpenMP, {} threads", "threads", (1, 8, 64), "OpenMP"),
    ("2 x {} threads", "threads", (1, 4), "2 x"),
    ("openmp, isa avx2, threads {}", "threads", (4, 8), "openmp, isa avx2"),
    ("{} threads", "threads", (1, 2), "x"), ("tiled {}", "block", (8, 32), "tiled"),
    ("tiled, block {}", "block", (4, 16), "tiled"), ("block {}", "block", (4, 32), "x")])
def test_a_family_is_named_by_what_its_labels_share(make, label, parameter, values, name):
    cases = [make("cpu.x", label=label.format(value).replace(" 1 threads", " 1 thread"),
                  parameters={parameter: value}) for value in values]
    assert [one.name for one in series_of(cases, without=parameter)] == [name]


@pytest.mark.parametrize(("precisions", "name"), [
    (("fp8", "fp8"), "x (fp8)"), (("fp8", "fp32"), "x"), (("fp32", "fp8"), "x")])
def test_a_line_over_several_types_names_a_precision_only_where_all_have_it(make, precisions, name):
    cases = [make("cpu.x", label="cpu.x", precision=precision, size=size,
                  verdicts=("reduced-precision" if precision == "fp8" else "ok",))
             for size, precision in zip((64, 128), precisions)]
    assert [one.name for one in series_of(cases)] == [name]


def measured(cases, gpus=(), **definition):
    """An experiment with these cases."""
    run = RUN | {"gpus": list(gpus), "definition": {"name": "e", "title": "E"} | definition}
    return Experiment("e", Path(), [run], cases)


def test_labels_restrict_a_view_and_its_count_but_not_its_baseline(make):
    cases = [make("cpu.a", label="a"), make("cpu.b", label="b", samples=(1.0,) * 7),
             make("cpu.c", label="c", status="crashed"),
             make("cpu.a", label="a", group="other", status="skipped")]
    spec = {"kind": "speedup", "group": "g", "labels": ["b"],
            "baseline": {"implementation": "cpu.a"}}
    (one,) = views(measured(cases), spec, None)
    assert one.left_out_text() == "1 point shown."
    table = make_table(one)
    assert (body(table)[1:] == ["| b | 2.00 [2.00, 2.00] |"]
            and "Times faster than a at" in table.caption)
    (one,) = views(measured(cases), {"kind": "time", "group": "g"}, None)
    assert one.left_out_text() == "1 of 3 points left out: 1 crashed."


def test_without_a_gpu_and_a_reference_there_is_no_gpu_view(make):
    left_out = [{"implementation": "gpu.naive", "reason": "built without CUDA"}]
    cpu = [make("cpu.a", label="a")]
    assert not views(measured(cpu, left_out=left_out), {"kind": "time", "group": "gpu"}, None)
    assert not views(measured([make("gpu.naive", status="unsupported")]), {"kind": "time"}, None)
    assert views(measured(cpu, left_out=[]), {"kind": "time", "group": "gpu"}, None)
    assert views(measured([make("gpu.naive", status="crashed")], gpus=[{"name": "G"}]),
                 {"kind": "time"}, None)
