"""The figure on a submission's page: what is drawn where."""

from math import isnan

import make_verdicts as make
import pytest

from plots.drawing import style
from submissions.pages.figure import LOOKS, MOST_PANELS, draw, figure
from submissions.pages.speed import chart
from submissions.verdicts.verdict import load


@pytest.fixture(name="chart_of")
def _chart_of(tmp_path):
    def made(verdict):
        make.write(tmp_path, {"one": verdict})
        return chart(load(tmp_path / "one"))

    return made


def drawn(made):
    """(the figure, for each panel the names from top to bottom)."""
    with style.applied():
        found = figure(made)
    return found, [[label.get_text() for label in axes.get_yticklabels()] for axes in found.axes]


def test_rows_go_from_fastest_to_slowest_and_the_submission_stands_out(chart_of):
    found, names = drawn(chart_of(make.right(rate=64.0)))
    assert names == [["cpu.openblas (library)", "cpu.eigen", "this submission", "cpu.blocked",
                      "cpu.ikj", "cpu.openmp", "cpu.serial"]] * 4
    for axes in found.axes:
        for label in axes.get_yticklabels():
            mine = label.get_text() == "this submission"
            assert ((label.get_fontweight() == "bold") == mine
                    and (label.get_color() == LOOKS["submission"][0]) == mine)


def test_the_axis_is_logarithmic_only_where_small_bars_would_vanish(chart_of):
    wide, _ = drawn(chart_of(make.right(rate=64.0)))
    assert ({axes.get_xscale() for axes in wide.axes} == {"log"}
            and "logarithmic" in wide.axes[-1].get_xlabel())
    near, _ = drawn(chart_of(make.right("k.cu", "gpu", 21000.0)))
    assert ({axes.get_xscale() for axes in near.axes} == {"linear"}
            and near.axes[0].get_xlim()[0] == 0)
    assert near.axes[-1].get_xlabel().startswith("GFLOP/s")


def test_bars_end_at_the_median_with_the_interval_of_the_times(chart_of):
    panel = chart_of(make.right("k.cu", "gpu", 21000.0)).panels[0]
    mine = next(bar for bar in panel.bars if bar.role == "submission")
    assert (mine.value == pytest.approx((21000.0, 21000.0 / 1.02, 21000.0 * 1.02))
            and panel.title == "M = N = K = 512")
    found, _ = drawn(chart_of(make.right("k.cu", "gpu", 21000.0)))
    assert 21000.0 in [bar.get_width() for bar in found.axes[0].patches]


def test_the_ceiling_is_that_of_the_shape(chart_of):
    verdict = make.right(rate=50.0)
    for row in verdict["performance"]:
        if row["shape"]["M"] == 256:
            row.update(of_ceiling=row["gflop_per_s"] / 180.0, bound_by="memory")
    panels = chart_of(verdict).panels
    assert panels[0].ceiling == (pytest.approx(180.0), "memory ceiling")
    assert panels[1].ceiling == (pytest.approx(220.0), "compute ceiling")
    for row in verdict["performance"]:
        row["of_ceiling"] = None
    assert chart_of(verdict).panels[0].ceiling == (220.0, "compute ceiling")


def test_what_was_not_timed_has_a_row_without_a_number_and_is_counted(chart_of):
    verdict = make.right(rate=64.0)
    make.skip(next(row for row in verdict["performance"] if row["role"] == "library"),
              "not installed")
    made = chart_of(verdict)
    found, names = drawn(made)
    assert names[0][-1] == "cpu.openblas (library)" and made.panels[0].bars[-1].value is None
    assert "1 of 28 points not timed" in "".join(text.get_text() for text in found.texts)
    assert any("not timed" in text.get_text() for text in found.axes[0].texts)


def test_without_an_interval_no_line_is_drawn_and_shapes_without_a_time_are_counted(chart_of):
    verdict = make.right(rate=64.0)
    for row in verdict["performance"]:
        if row["shape"]["M"] == 256:
            row.update(samples=1, ci95_s=None)
        if row["shape"]["M"] == 512:
            make.skip(row, "a call is predicted to take 35 s")
    found, _ = drawn(chart_of(verdict))
    said = " ".join(text.get_text().replace("\n", " ") for text in found.texts)
    assert ("7 points without an interval: under 6 samples." in said
            and "Not timed at 1 more shape (see the table)." in said)
    for place, axes in enumerate(found.axes):
        lengths = [abs(path.vertices[1][0] - path.vertices[0][0])
                   for bar in axes.containers for lines in bar.lines[2]
                   for path in lines.get_paths() if len(path.vertices) == 2]
        assert (not any(length > 0 for length in lengths)) == (place == 0)
        caps = [line for bar in axes.containers for line in bar.lines[1]
                if not any(map(isnan, line.get_xdata()))]
        assert bool(caps) == (place != 0)


def test_of_many_shapes_some_are_drawn_and_the_note_says_so(chart_of):
    verdict = make.right(rate=64.0)
    for size in (100, 200, 300):
        verdict["performance"].append(make.row((size, size, size), "submission", "submission", 30.0,
                                               160.0, "cpu"))
    found, _ = drawn(chart_of(verdict))
    assert len(found.axes) == MOST_PANELS
    assert "4 of 7 shapes drawn" in " ".join(text.get_text()
                                             for text in found.texts).replace("\n", " ")


def test_a_shape_at_which_the_submission_was_not_timed_is_not_drawn(chart_of):
    verdict = make.right(rate=64.0)
    own = [row for row in verdict["performance"] if row["role"] == "submission"]
    make.skip(own[3], "too slow")
    assert len(chart_of(verdict).panels) == 3
    for row in own[:3]:
        make.skip(row, "too slow")
    assert chart_of(verdict) is None


def test_both_formats_are_the_same_bytes_twice(tmp_path, chart_of):
    made = chart_of(make.right("k.cu", "gpu", 21000.0))
    for folder in ("first", "second"):
        draw(made, tmp_path / folder, "performance")
    for suffix in ("svg", "png"):
        first, second = ((tmp_path / folder / f"performance.{suffix}").read_bytes()
                         for folder in ("first", "second"))
        assert first == second and b"<dc:date>" not in first
