"""Speedup over one thread: what the figure says of cores, collapse and ties."""

from drawn import cut_off, figure_of, overlapping

from analysis.scaling.scaling import scaled, scaling_finding
from records.view import View


def cases(make, implementation, times, size=64, **more):
    return [make(implementation, label=f"{implementation} {threads}",
                 parameters={"threads": threads}, size=size,
                 samples=tuple(taken * (1 + 1e-4 * place) for place in range(9)), **more)
            for threads, taken in times.items()]


def view(made, cores=8):
    return View("e", "thread_scaling", "T", tuple(made), {"host": {"cpu": "A CPU", "cores": cores}})


GOOD = {1: 8.0, 2: 4.0, 8: 1.0, 16: 1.0}
BAD = {1: 8.0, 2: 5.0, 8: 2.0, 16: 80.0}


def test_the_finding_names_the_best_the_worst_and_who_collapses(make):
    made = [*cases(make, "cpu.ikj", GOOD), *cases(make, "cpu.eigen", BAD)]
    assert (scaling_finding(view(made)) == "At 64 on 8 processors ikj is 8.0 times as fast as on one, "
            "Eigen 4.0 times; beyond the processors Eigen falls to 0.10 times on 16 threads")


def test_a_tie_beyond_the_cores_is_no_gain(make):
    assert scaling_finding(view(cases(make, "cpu.ikj", GOOD))) == (
        "At 64 on 8 processors ikj is 8.0 times as fast as on one; more threads than processors "
        "gain nothing")
    assert scaling_finding(view(cases(make, "cpu.ikj", GOOD | {16: 0.5}))).endswith(
        "; with more threads than processors ikj gets faster still")


def test_a_collapse_is_told_and_does_not_stretch_the_axis(make):
    figure = figure_of(view([*cases(make, "cpu.ikj", GOOD), *cases(make, "cpu.eigen", BAD)]))
    axes = figure.axes[0]
    assert axes.get_ylim()[0] >= 0.75 and "Eigen 0.10" in [text.get_text() for text in axes.texts]
    assert "below 0.8 times, off the axis" in figure.texts[2].get_text()
    marks = [line for line in axes.lines
             if line.get_marker() == "v" and line.get_linestyle() == "None"]
    assert [list(line.get_xdata()) for line in marks] == [[16]]


def test_cores_are_marked_and_the_ideal_line_ends_there(make):
    figure = figure_of(view(cases(make, "cpu.ikj", GOOD)))
    assert any(text.get_text().startswith("8 processors;") for text in figure.axes[0].texts)
    assert {"ikj", "ideal"} <= {text.get_text() for text in figure.texts}
    assert any(list(line.get_ydata()) == [1, 8, 8] for line in figure.axes[0].lines)


def test_what_has_no_number_at_one_thread_is_no_line(make):
    lost = cases(make, "cpu.openmp", {2: 1.0, 4: 0.5})
    assert scaled(view(lost)).shapes == [] and "no scaling" in figure_of(view(lost))


def test_the_text_of_the_figure_is_whole_and_clear(make):
    made = [*cases(make, "cpu.ikj", GOOD), *cases(make, "cpu.eigen", BAD),
            *cases(make, "cpu.openblas", GOOD | {16: 4.0})]
    figure = figure_of(view(made))
    assert cut_off(figure) == [] and overlapping(figure) == []
