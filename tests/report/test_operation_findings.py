"""What heads the chapters of operations other than the plain gemm, and titles their figures."""

from __future__ import annotations

from dataclasses import replace

import pytest
from make_operations import EXPERIMENTS, point, run_of
from test_operations import loaded, results_of, view_of

from analysis.memory import hierarchy
from analysis.memory.hierarchy_tables import hierarchy_table
from analysis.tables.kind import Section
from analysis.tables.leaders import fastest_under_roof
from analysis.tables.swept import sweep_finding
from records.names.naming import colour_of, display_name
from report.asked.wanted import views
from report.kinds.density import density_head
from report.kinds.memory_hierarchy import hierarchy_head
from report.kinds.rates import forms_head, rates_head

KIB = 1024


def test_each_operation_is_named_with_its_share_and_from_where_it_holds(tmp_path):
    head = rates_head(Section(view=view_of(tmp_path, "blas1"), wanted=[]))
    assert (head.finding == "Our best reaches 93 % of the roof on the GPU and 95 % on the CPU at "
            "the largest size")
    gpu = head.sentences[0]
    assert gpu.startswith("GPU: dot, “dot, tuned” ") and "; axpy, “axpy, tuned” " in gpu
    assert "93 % of the roof, half of the roof from 2²⁰ on, 1.024 times the rate of cuBLAS" in gpu


def test_no_share_is_told_of_a_roof_that_the_points_pass(tmp_path):
    view = view_of(tmp_path, "blas1")
    for case in view.shown:
        if case.device == "cpu":
            case.of_ceiling *= 1.3
    assert rates_head(Section(view=view, wanted=[])).finding == (
        "Our best reaches 93 % of the roof on the GPU at the largest size; the points on the CPU "
        "pass its roof, which was measured too low")


def test_a_figure_over_size_tells_the_share_and_stands_under_its_groups_name(tmp_path):
    (experiment,) = results_of(tmp_path, "blas1").experiments
    view = views(experiment, {"kind": "rate_vs_size", "group": "dot"}, None)[0]
    assert view.title.endswith(" – dot") and views(experiment, {"kind": "rates", "group": "dot"},
                                                   None)[0].title.endswith("what each reaches")
    gpu = replace(view, cases=tuple(case for case in view.cases if case.device == "gpu"))
    assert (fastest_under_roof(gpu).startswith("dot, tuned is the fastest at all 3 sizes: ")
            and fastest_under_roof(gpu).endswith(", 93 % of the roof"))


def form(run, seconds, label, **options):
    return point(run, "gemm", "gpu.pipelined", {"m": 512, "n": 512, "k": 512}, seconds,
                 {"gflop_per_s": 2e-9 * 512**3}, options=options, group=f"GPU, {label}")


def test_what_a_form_costs_stands_beside_the_plain_product_of_its_size(tmp_path):
    run = run_of("gemm_forms", {"name": "gemm_forms", "tables": [{"kind": "rates"}]}, "gemm")
    lines = [form(run, 1e-3, "A·B"), form(run, 1.25e-3, "transposed", transpose_a=1),
             form(run, 1.1e-3, "beta", beta=1.0)]
    view = views(loaded(tmp_path, run, *lines).experiments[0], {"kind": "summary"}, None)[0]
    head = forms_head(Section(view=view, wanted=[]))
    assert (head.finding == "What a form of gemm costs in time beside C = A·B, not paired: "
            "pipelined at most 25 % on the GPU (A transposed at 512)")
    assert head.sentences[0].startswith("Times as long as C = A·B at 512, pipelined: A transposed "
                                        "1.25 [") and "; beta 1 1.097 [" in head.sentences[0]
    assert head.sentences[0].count("Not paired: each form is a group of its own") == 1
    odd = views(loaded(tmp_path / "odd", run, *lines[:2], form(run, 0.9e-3, "beta", beta=1.0))
                .experiments[0], {"kind": "summary"}, None)[0]
    assert forms_head(Section(view=odd, wanted=[])).finding.endswith(
        "pipelined 25 % to 39 % on the GPU (A transposed at 512; beta 1 took 10 % less than "
        "C = A·B, so that scatters)"), "what does more was faster"
    level = views(loaded(tmp_path / "d", run, lines[0], form(run, 1.0005e-3, "beta", beta=1.0))
                  .experiments[0], {"kind": "summary"}, None)[0]
    assert "], a tie." in forms_head(Section(view=level, wanted=[])).sentences[0]
    small = [point(run, "gemm", "gpu.pipelined", {"m": 64, "n": 64, "k": 64}, seconds,
                   {"gflop_per_s": 2e-9 * 64**3}, options=options, group="GPU, small")
             for seconds, options in ((1e-5, {}), (1.5e-5, {"transpose_a": 1}))]
    dearer = views(loaded(tmp_path / "c", run, *lines, *small).experiments[0],
                   {"kind": "summary"}, None)[0]
    assert forms_head(Section(view=dearer, wanted=[])).finding.endswith(
        "pipelined at most 50 % on the GPU (A transposed at 64; at 512 25 "
        "%)"), "a loss at a small size counts"
    assert forms_head(Section(view=view_of(tmp_path / "b", "blas1"), wanted=[])) is None
    assert forms_head(Section(view=replace(view, cases=tuple(
        case for case in view.cases if not case.options)), wanted=[])) is None


def test_the_fastest_of_each_pattern_is_named_and_ours_against_the_library(tmp_path):
    gpu = next(text for text in density_head(Section(view=view_of(tmp_path, "spmv"), wanted=[]))
               .sentences if text.startswith("Fastest on the GPU"))
    for pattern in ("uniform", "banded", "power-law"):
        assert f"{pattern}: spmv merge" in gpu
    assert "Our best of each matrix is 1.0" in gpu and "over the 8 matrices" in gpu


@pytest.mark.parametrize("seconds,says", [
    ((1.0, 2.0, 8.0), "falls to 12.5 at 4, 8.00 times less"),
    ((1.0, 0.5, 0.25), "rises to 400 at 4, 4.00 times as much"),
    ((1.0, 0.25, 0.5), "rises to 400 at 2, 4.00 times as much, and is 200 at 4"),
    ((1.0, 0.25, 0.252), "rises to 397 at 4, 3.97 times as much")])
def test_a_sweep_tells_its_first_value_the_farthest_and_the_last(tmp_path, seconds, says):
    run = run_of("memory", {"name": "memory"}, "access")
    lines = [point(run, "access", "gpu.access", {"n": 2**20}, taken, {"gbyte_per_s": 100.0},
                   options={"stride": stride} if stride > 1 else {}, group="stride")
             for stride, taken in zip((1, 2, 4), seconds)]
    for line, taken in zip(lines, seconds):  # to the digit, without noise
        line["rates"]["gbyte_per_s"] = 100.0 / taken
    view = views(loaded(tmp_path, run, *lines).experiments[0], {"kind": "sweep"}, None)[0]
    assert sweep_finding(view) == f"access: 100 GB/s at stride 1 {says}"


def chased(tmp_path, values, **more):
    """The view of a CPU whose latency is `values` from 16 KiB on, with an L1 of 32 KiB and an L2 of
    512 KiB."""
    run = run_of("memory", {"name": "memory"}, "chase")
    run |= {"host": run["host"] | {"caches": {"l1d": 32 * KIB, "l2": 512 * KIB}}}
    lines = [point(run, "chase", "cpu.chase", {"bytes": 16 * KIB << at}, 1e-6 * value,
                   {"ns_per_load": 1e-6}, parameters={"pages": "huge"}, **more)
             for at, value in enumerate(values)]
    return views(loaded(tmp_path, run, *lines).experiments[0],
                 {"kind": "memory_hierarchy"}, None)[0]


def test_a_plateau_far_beyond_its_level_is_the_next_levels_too(tmp_path):
    view = chased(tmp_path, [1.0, 1.5, 9.0, 9.1, 9.0, 9.1, 9.0, 9.1, 9.0])
    levels = hierarchy.latency_levels(view, "cpu")
    # of the nearest cache the best
    assert levels["L1"].case.dims["bytes"] == 16 * KIB and not levels["L1"].plateau
    assert (levels["L2"].case is levels["DRAM"].case and levels["DRAM"].shared
            and levels["L2"].reach == 512 * KIB)
    assert any("the two cannot be told apart" in note for note in hierarchy_table(view).notes)


def test_a_point_of_another_levels_plateau_stands_for_none_without(tmp_path):
    levels = hierarchy.latency_levels(chased(tmp_path, [5.0, 5.1, 5.0, 5.1, 90.0]), "cpu")
    assert set(levels) == {"L2"}


def test_cycles_that_another_launch_counted_are_left_out(tmp_path):
    run = EXPERIMENTS["memory"]()[0]
    for cycles, shown in ((200.0, "–"), (480.0, "480")):
        lines = [point(run, "chase", "gpu.chase", {"bytes": 256 * KIB * KIB << at},
                       480e-6, {"ns_per_load": 1e-6}, parameters={"path": "l2"},
                       chosen={"cycles_per_load": cycles}, clock_mhz=1000.0) for at in range(3)]
        table = hierarchy_table(views(loaded(tmp_path / shown, run, *lines).experiments[0],
                                      {"kind": "memory_hierarchy"}, None)[0])
        column = table.columns.index("GPU: cycles")
        assert [row.cells[column].text for row in table.rows] == [shown]


def test_a_librarys_part_has_the_librarys_name_and_colour(make):
    for part, library in (("cpu.eigen_spmv", "cpu.eigen"), ("gpu.cublas_gemv", "gpu.cublas"),
                          ("cpu.openblas_dot", "cpu.openblas")):
        one, other = make(part, library=True), make(library, library=True)
        assert display_name(one) == display_name(other) and colour_of(one) == colour_of(other)
    assert display_name(make("gpu.cusparse_spmv")) == "cuSPARSE"
    assert display_name(make("cpu.gemv_simd")) == "gemv SIMD"
    assert colour_of(make("cpu.dot")) == colour_of(make("gpu.dot"))


def test_the_memory_chapter_tells_what_a_step_and_a_barrier_cost(tmp_path):
    run, *lines = EXPERIMENTS["memory"]()
    barriers = [point(run, "barrier", name, {"threads": threads},
                      taken, {"ns_per_barrier": 1e-6}, group="barrier")
                for name, threads, taken in (("cpu.barrier", 2, 4e-4), ("cpu.barrier", 16, 1.5e-3),
                                             ("gpu.barrier", 1024, 4e-5))]
    view = views(loaded(tmp_path, run, *lines, *barriers).experiments[0],
                 {"kind": "summary"}, None)[0]
    (sentence,) = hierarchy_head(Section(view=view, wanted=[])).sentences
    assert (sentence.startswith("A dependent multiply-add takes 1.31 ns on the CPU and 2.5")
            and sentence.endswith(" ns on the GPU with 1024 threads."))
    assert "; a barrier 1,5" in sentence and "on the CPU with 16 threads and 4" in sentence
