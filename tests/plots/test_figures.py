import hashlib
import itertools
from array import array
from dataclasses import replace

import pytest
from figure_samples import RUNS, SAMPLES, WITHOUT_TIMES
from sample_records import experiment

import plots
from plots.drawing import style
from records.view import View
from report.asked.wanted import specs, views

BASELINE = {"implementation": "cpu.openmp", "threads": 8}


def view_of(kind, cases=None, run=None):
    if kind in SAMPLES:
        return View("e", kind, "Title", tuple(cases or SAMPLES[kind]()),
                    run or RUNS.get(kind, {"host": {"cpu": "A CPU", "cores": 3}}), BASELINE)
    machine, name = {"thread_scaling": ("workstation", "thread_scaling"),
                     "ladder_bars": ("workstation", "gpu_ladder"),
                     "roofline": ("bench", "evidence"),
                     "first_call": ("bench", "first_call")}.get(kind, ("workstation", "quick"))
    found = experiment(machine, name)
    if kind == "energy":  # these records are from before it was read
        for case in found.cases:
            case.energy_j_per_call, case.energy_source = (case.measured_s
                                                          or 0.0) * 300, "nvml counter"
    return View(name, kind, "Title", tuple(cases or found.cases), run or found.run, BASELINE)


def digests(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.mark.parametrize("kind", plots.kinds())
def test_each_kind_makes_three_formats_the_same_bytes_twice(tmp_path, kind):
    for folder in ("first", "second"):
        drawn = plots.draw(view_of(kind), tmp_path / folder, "figure")
        assert not drawn.problem
    assert set(digests(tmp_path / "first")) == {"figure.svg", "figure.png", "figure.pdf"}
    assert digests(tmp_path / "first") == digests(tmp_path / "second")
    svg = (tmp_path / "first" / "figure.svg").read_text()
    assert "<metadata>" not in svg and "<!--" not in svg
    # text, which can be searched and read aloud, not outlines of letters
    assert "<text" in svg and "DejaVuSans-" not in svg


def spoilt_by(case, factor, change):
    return replace(case, measured_s=case.median_s * factor, rates={
        name: rate and rate / factor for name, rate in case.rates.items()},
        samples_s=array("d", [sample * factor for sample in case.samples_s]),
        energy_j_per_call=case.energy_j_per_call and case.energy_j_per_call * factor, **change)


def spoil(view, factor, change):
    """The view in which one shown point in seven (from the second on, which spares the baselines)
    has other numbers and another end; and these points."""
    spoilt = {case: spoilt_by(case, factor, change)
              for case in [case for case in view.cases if case.shown][1::7]}
    return replace(view, cases=tuple(spoilt.get(case, case)
                                     for case in view.cases)), list(spoilt.values())


def svg_of(view, folder, monkeypatch):
    monkeypatch.setattr(plots, "FORMATS", ("svg",))
    assert not plots.draw(view, folder, "figure").problem
    return (folder / "figure.svg").read_bytes()


@pytest.mark.parametrize("kind", plots.kinds())
@pytest.mark.parametrize("change", [{"status": "incorrect"}, {"status": "crashed"},
                                    {"verdicts": ()}, {"verdicts": ("ok", "incorrect")}])
def test_no_point_without_ok_is_ever_drawn(tmp_path, monkeypatch, kind, change):
    """Whatever numbers the spoilt points hold, the figure is the same; were they drawn, it would
    not be."""
    pictures = []
    for factor in (1.0, 1.7):
        view, spoilt = spoil(view_of(kind), factor, change)
        pictures.append(svg_of(view, tmp_path, monkeypatch))
        assert spoilt and all(case in view.left_out for case in spoilt)
        assert view.left_out_text().startswith(f"{len(view.left_out)} of {len(view.cases)} points "
                                               "left out")
    assert pictures[0] == pictures[1]


@pytest.mark.parametrize("kind", [kind for kind in plots.kinds() if kind not in WITHOUT_TIMES])
def test_a_changed_number_of_an_ok_point_changes_the_figure(tmp_path, monkeypatch, kind):
    first, (second, _) = view_of(kind), spoil(view_of(kind), 1.7, {})
    assert svg_of(first, tmp_path, monkeypatch) != svg_of(second, tmp_path, monkeypatch)


def test_every_figure_of_a_machine_without_gpu_bears_a_name(tmp_path):
    laptop, reference = experiment("laptop", "quick"), experiment("workstation", "quick")
    for spec in specs(laptop, "figures"):
        for view in views(laptop, spec, reference):
            drawn = plots.draw(view, tmp_path, f"{view.kind}-{view.reference}")
            assert ("NVIDIA H200" if view.reference else "AMD Ryzen") in drawn.title
            assert drawn.reference == view.reference


def test_what_cannot_be_drawn_says_why(tmp_path, make):
    run = {"host": {"cpu": "A CPU"}}
    sentences = {"gflops_vs_size": "Nothing to draw", "pie": "no figure of the kind"}
    for kind, sentence in sentences.items():
        assert sentence in plots.draw(View("e", kind, "T", (make(status="skipped"),), run),
                                      tmp_path, "x").problem
    for kind in ("block_size", "block_heatmap", "thread_scaling", "speedup_bars"):
        assert plots.draw(View("e", kind, "T", (make(),), run, BASELINE), tmp_path, "x").problem
    assert not list(tmp_path.iterdir())


def test_at_most_seven_lines_a_panel(make):
    from plots.drawing.layout import panels_of
    from records.cases.series import series_of

    cases = [make("cpu.ikj" if number < 10 else "gpu.naive", label=f"line {number}")
             for number in range(25)]
    cases += [make("gpu.cublas", label="half", precision="fp16")]
    panels = panels_of(series_of(cases))
    assert max(len(panel.series) for panel in panels) <= 7
    assert sum(len(panel.series) for panel in panels) == 26
    assert [panel.title for panel in panels][-1] == "less than fp32"


def test_sizes_side_by_side_are_whole_numbers(tmp_path, make, monkeypatch):
    told = []
    monkeypatch.setattr("matplotlib.axes.Axes.set_xticks",
                        lambda _, ticks, labels=None, **__: told.append(labels))
    cases = tuple(make(size=size) for size in (64, 1000, 1023, 1024))
    assert not plots.draw(View("e", "gflops_vs_size", "T", cases, {"host": {"cpu": "A CPU"}}),
                          tmp_path, "x").problem
    assert ["64", "1000", "1023", "1024"] in told


def test_labels_keep_clear_of_each_other_and_within_the_panel():
    from plots.drawing.layout import spread

    for wanted in ([5, 5, 5, 5], [0, 0.1, 99, 100], [3, 50, 2, 51, 49], [7], [100] * 7, [0] * 7):
        placed = spread([float(value) for value in wanted], 10, 0, 100)
        ordered = sorted(placed)
        assert all(high - low >= 10 - 1e-9 for low, high in itertools.pairwise(ordered)), placed
        assert ordered[0] + 1e-9 >= 0 and ordered[-1] <= 100 + 1e-9, placed
    assert spread([20.0, 80.0], 10, 0, 100) == [20, 80]


def test_the_ceiling_is_that_of_all_threads():
    view = view_of("gflops_vs_size")
    assert view.ceiling("cpu") == (960.0, "measured CPU FMA ceiling, avx2, 16 threads")
    assert view.ceiling("gpu")[0] == 60100.0
    assert View("e", "k", "T", (), {}).ceiling("gpu") is None


def figure_of(view):
    with style.applied():
        return plots.kinds()[view.kind].figure(view)


def test_all_panels_of_a_figure_have_one_scale(make):
    cases = tuple(make("cpu.ikj", label=f"line {number}", size=size, samples=(1e-3 * 2**number,)
                       * 7) for number in range(10) for size in (64, 128))
    for kind in ("gflops_vs_size", "time_vs_size", "speedup_bars"):
        panels = [axes for axes in figure_of(View("e", kind, "T", cases, {}, {"label": "line 9"}))
                  .axes if axes.get_title("left")]
        assert len(panels) == 2, kind
        assert len({(axes.get_yscale(), axes.get_ylim()) for axes in panels}) == 1, kind


def test_no_line_runs_through_the_name_of_a_ceiling(make):
    from matplotlib.path import Path

    sizes = (64, 128, 256, 512, 1024)
    for level in (0.8, 0.99, 1.01, 1.4):
        cases = tuple(make("gpu.a", label="a", size=size,
                           samples=(2e-3 * size**3 / 1e9 / (place + 1) ** 2,) * 7)
                      for place, size in enumerate(sizes))
        rate = cases[2].rate * level
        run = {"ceilings": [{"device": "gpu", "what": "fma", "value": rate, "unit": "GFLOP/s"}]}
        axes = figure_of(View("e", "gflops_vs_size", "T", cases, run)).axes[0]
        name = next(text for text in axes.texts if "measured GPU FMA ceiling" in text.get_text())
        path = Path(axes.transData.transform(list(zip(*axes.containers[0].lines[0].get_data()))))
        assert not path.intersects_bbox(name.get_window_extent(), filled=False), level
        assert axes.bbox.x0 - 1 <= name.get_window_extent().x0


def test_a_finding_is_the_title_and_the_definitions_title_stands_below(make):
    from plots.drawing.layout import figure_with

    with style.applied():
        view = View("e", "k", "The title", (make(),), {"host": {"cpu": "A CPU"}})
        found, _ = figure_with(view, 1, 2.0, title="Ours is 2 times as fast")
        plain, _ = figure_with(view, 1, 2.0)
    assert (found.texts[0].get_text() == "Ours is 2 times as fast"
            and found.texts[1].get_text().startswith("The title. A CPU"))
    assert (plain.texts[0].get_text() == "The title"
            and plain.texts[1].get_text().startswith("A CPU"))


def test_a_figure_is_told_in_words(tmp_path, monkeypatch, make):
    monkeypatch.setattr(plots, "FORMATS", ("svg",))
    view = View("e", "gflops_vs_size", "T",
                tuple(make("cpu.serial", size=size) for size in (64, 128)), {})
    drawn = plots.draw(view, tmp_path, "x")
    assert drawn.description.endswith("The figure shows 1 line at 2 shapes: 64, 128.")
