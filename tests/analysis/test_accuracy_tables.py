from language import using
from records.view import View
from report.findings.section import found_in
from report.kinds.accuracy import accuracy_sentences, accuracy_table, split_speed
from report.pages.table_text import csv_text
from report.pages.table_text import make as make_table

LIBRARY = {"implementation": "gpu.cublas"}


def view_of(*cases):
    return View("accuracy", "accuracy", "Largest error", cases, {}, LIBRARY)


def points(make):
    """Two distributions at one shape: one certified, one not; the split kernel is above the library
    in the second."""
    def point(implementation, label, distribution, eta, verdict):
        return make(implementation, label=label, distribution=distribution, eta_max=eta,
                    verdicts=(verdict,))

    return (point("gpu.tensor", "tensor", "uniform", 0.25, "ok"),
            point("gpu.cublas", "cuBLAS", "uniform", 0.5, "ok"),
            point("gpu.tensor", "tensor", "sparse", 2.5, "uncertified"),
            point("gpu.cublas", "cuBLAS", "sparse", 2.25, "uncertified"))


def test_the_error_is_shown_of_uncertified_points_too_and_marked_where_it_is_larger_than_the_librarys(
        make):
    table = accuracy_table(view_of(*points(make)))
    assert [row.heads for row in table.rows] == [("uniform", "64"), ("sparse", "64")]
    assert [[(cell.value, bool(cell.note)) for cell in row.cells[:2]] for row in table.rows] == \
        [[(0.25, False), (0.5, False)], [(2.5, True), (2.25, False)]]
    assert len(table.notes) == 1 and "More than the error of cuBLAS." in table.notes[0]
    assert "sparse,64,largest error: tensor,2.5" in csv_text(table)


def timed(make, distribution, seconds, **more):
    """tensor at so many seconds, and cuBLAS at one, in the same rounds."""
    return (make("gpu.tensor", samples=(seconds,) * 8, label="tensor", distribution=distribution,
                 group=distribution, eta_max=0.25, precision="fp32-split", **more),
            make("gpu.cublas", samples=(1.0,) * 8, label="cuBLAS", distribution=distribution,
                 group=distribution, eta_max=0.5))


def test_the_speed_stands_beside_the_error_by_the_inputs_and_says_what_made_it(make):
    """Fast on one distribution, slower than the library on another, and by plain FP32 kernels on a
    third."""
    cases = (*timed(make, "uniform", 0.25), *timed(make, "outliers", 1.6),
             *timed(make, "sparse", 0.8, chosen={"kernels": "gpu.pipelined"}),
             *timed(make, "normal", 0.5, throttled=True))
    table = accuracy_table(view_of(*cases))
    assert (table.columns == ("tensor", "cuBLAS", "tensor")
            and table.groups == (("largest error", 2), ("times as fast as cuBLAS", 1)))
    assert [row.cells[2].value for row in table.rows] == [4, 0.625, 1.25, 2]
    notes = {row.heads[0]: table.notes[row.cells[2].note - 1]
             for row in table.rows if row.cells[2].note}
    assert ("plain FP32" in notes["sparse"] and "held its clock down" in notes["normal"]
            and len(notes) == 2)
    (text,) = accuracy_sentences(view_of(*cases))
    assert "at all 4 distributions and shapes (1 of the 4 ran kernels of plain FP32)" in text
    assert ("1.71 times in geometric mean over 3, 0.625 at worst (outliers 64); at 64 uniform "
            "4.00, outliers 0.625" in text), "not of FP32 kernels"
    assert "normal 2.00 (the clock was held down on one side)" in text


def test_a_heading_tells_the_speed_of_each_kernel_over_all_inputs_losses_included(make):
    """It left out what no bound certifies, where the kernel loses, and of the library nothing."""
    cases = [*timed(make, "uniform", 0.25), *timed(make, "normal", 0.5),
             *timed(make, "outliers", 1.6, verdicts=("uncertified",)),
             *(make("gpu.tensor", samples=(seconds,) * 8, label="tensor, mma", eta_max=0.25,
                    parameters={"instruction": "mma"}, distribution=distribution,
                    group=distribution, precision="fp32-split")
               for distribution, seconds in (("uniform", 5.0), ("normal", 10.0)))]
    finding = found_in(view_of(*cases), [{"kind": "accuracy", "baseline": LIBRARY}]).finding
    assert finding.endswith("where operands are split tensor is 0.625 to 4.00 times as fast "
                            "(1.71 in geometric mean over 3 of 3, slower at 1) and “tensor, mma” is "
                            "0.100 to 0.200 times as fast (0.141 in geometric mean over 2 of 2, "
                            "slower at 2) as the fastest in plain "
                            "float32 (cuBLAS), by inputs and shape")


def test_the_range_over_inputs_is_over_the_fastest_in_plain_fp32_ours_too(make):
    """Over cuBLAS alone it was 0.625 to 4 where our own plain kernel took half of cuBLAS's time."""
    cases = [*timed(make, "uniform", 0.25), *timed(make, "outliers", 1.6),
             *timed(make, "normal", 1.0, chosen={"kernels": "plain"}),
             make("gpu.pipelined", samples=(0.5,) * 8, label="pipelined", distribution="outliers",
                  group="outliers", eta_max=0.5)]
    assert split_speed(view_of(*cases)) == (
        "where operands are split tensor is 0.312 to 4.00 times as fast (1.12 in geometric mean over "
        "2 of 3, slower at 1) as the fastest in plain "
        "float32 (cuBLAS or pipelined), by inputs and shape")


def test_one_sentence_counts_where_it_holds_and_names_where_not(make):
    view = view_of(*points(make))
    (text,) = accuracy_sentences(view)
    assert text.startswith("tensor is at or below the error of cuBLAS at 1 of 2 distributions and "
                           "shapes; it is above at sparse 64. Speed")
    assert accuracy_sentences(view_of(*points(make)[:2])) == \
        ["tensor is at or below the error of cuBLAS at all 1 distributions and shapes."]
    with using("zh"):
        (text,) = accuracy_sentences(view)
        assert text.startswith("在 2 个分布与形状中的 1 个上，张量核心的误差不大于 cuBLAS；"
                               "在以下各处更大：稀疏 64。")
    wanted = [{"kind": "accuracy", "baseline": LIBRARY}]
    assert accuracy_sentences(view)[0] in found_in(view, wanted).sentences


def test_points_that_failed_or_were_not_checked_have_no_error(make):
    failed = make("gpu.tensor", label="tensor", status="crashed", eta_max=None)
    wrong = make("gpu.cublas", label="cuBLAS", status="incorrect", eta_max=1e9)
    table = make_table(view_of(failed, wrong))
    assert not table.rows and table.caption == "No point has a measured error."


def test_without_a_baseline_nothing_is_marked(make):
    table = accuracy_table(View("accuracy", "accuracy", "T", points(make), {}))
    assert not table.notes and len(table.rows) == 2


def test_the_speed_is_over_the_fastest_library_not_over_the_one_whose_error_is_beside_it(make):
    slow, base = timed(make, "uniform", 0.5)
    faster = make("gpu.cublaslt", samples=(0.8,) * 8, label="cublasLt", distribution="uniform",
                  group="uniform", eta_max=0.5)
    table = accuracy_table(view_of(slow, base, faster))
    assert (table.columns == ("tensor", "cuBLAS", "cublasLt", "tensor")
            and table.rows[0].cells[3].value == 1.6)
