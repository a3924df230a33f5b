import hashlib
from array import array

import pytest

import plots
from conftest import experiment
from report.view import View, specs, views

BASELINE = {"implementation": "cpu.openmp", "threads": 8}


def view_of(kind, cases=None, run=None):
    name = {"thread_scaling": "thread_scaling", "ladder_bars": "gpu_ladder"}.get(kind, "quick")
    found = experiment("workstation", name)
    return View(name, kind, "Title", tuple(cases or found.cases), run or found.run, BASELINE)


def digests(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.mark.parametrize("kind", plots.KINDS)
def test_each_kind_makes_three_formats_the_same_bytes_twice(tmp_path, kind):
    for folder in ("first", "second"):
        drawn = plots.draw(view_of(kind), tmp_path / folder, "figure")
        assert not drawn.problem
    assert set(digests(tmp_path / "first")) == {"figure.svg", "figure.png", "figure.pdf"}
    assert digests(tmp_path / "first") == digests(tmp_path / "second")
    svg = (tmp_path / "first" / "figure.svg").read_text()
    assert "<dc:date>" not in svg and "<text" not in svg


def spoil(view, factor, change):
    """One shown point in seven (from the second on, which spares the baselines) gets other numbers and another end."""
    spoilt = [case for case in view.cases if case.shown][1::7]
    for case in spoilt:
        case.median_s, case.gflop_per_s = case.median_s * factor, case.gflop_per_s / factor
        case.samples_s = array("d", [sample * factor for sample in case.samples_s])
        for name, value in change.items():
            setattr(case, name, value)
    return spoilt


def svg_of(view, folder, monkeypatch):
    monkeypatch.setattr(plots, "FORMATS", ("svg",))
    assert not plots.draw(view, folder, "figure").problem
    return (folder / "figure.svg").read_bytes()


@pytest.mark.parametrize("kind", plots.KINDS)
@pytest.mark.parametrize("change", [{"status": "incorrect"}, {"status": "crashed"}, {"verdicts": ()},
                                    {"verdicts": ("ok", "incorrect")}])
def test_no_point_without_ok_is_ever_drawn(tmp_path, monkeypatch, kind, change):
    """Whatever numbers the spoilt points hold, the figure is the same; were they drawn, it would not be."""
    pictures = []
    for factor in (1.0, 1.7):
        view = view_of(kind)
        spoilt = spoil(view, factor, change)
        pictures.append(svg_of(view, tmp_path, monkeypatch))
        assert spoilt and all(case in view.left_out for case in spoilt)
        assert view.left_out_text().startswith(f"{len(view.left_out)} of {len(view.cases)} points left out")
    assert pictures[0] == pictures[1]


@pytest.mark.parametrize("kind", plots.KINDS)
def test_a_changed_number_of_an_ok_point_changes_the_figure(tmp_path, monkeypatch, kind):
    first, second = view_of(kind), view_of(kind)
    spoil(second, 1.7, {})
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
        assert sentence in plots.draw(View("e", kind, "T", (make(status="skipped"),), run), tmp_path, "x").problem
    for kind in ("block_size", "block_heatmap", "thread_scaling", "speedup_bars"):
        assert plots.draw(View("e", kind, "T", (make(),), run, BASELINE), tmp_path, "x").problem
    assert not list(tmp_path.iterdir())


def test_at_most_seven_lines_a_panel(make):
    from plots.layout import panels_of
    from report.series import series_of

    cases = [make("cpu.ikj" if number < 10 else "gpu.naive", label=f"line {number}") for number in range(25)]
    cases += [make("gpu.cublas", label="half", precision="fp16")]
    panels = panels_of(series_of(cases))
    assert max(len(panel.series) for panel in panels) <= 7
    assert sum(len(panel.series) for panel in panels) == 26
    assert [panel.title for panel in panels][-1] == "less than fp32"


def test_labels_keep_clear_of_each_other_and_within_the_panel():
    from plots.layout import spread

    for wanted in ([5, 5, 5, 5], [0, 0.1, 99, 100], [3, 50, 2, 51, 49], [7], [100] * 7, [0] * 7):
        placed = spread([float(value) for value in wanted], 10, 0, 100)
        ordered = sorted(placed)
        assert all(high - low >= 10 - 1e-9 for low, high in zip(ordered, ordered[1:])), placed
        assert 0 <= ordered[0] + 1e-9 and ordered[-1] <= 100 + 1e-9, placed
    assert spread([20.0, 80.0], 10, 0, 100) == [20, 80]


def test_the_ceiling_is_that_of_all_threads():
    view = view_of("gflops_vs_size")
    assert view.ceiling("cpu") == (960.0, "measured CPU FMA ceiling, avx2, 16 threads")
    assert view.ceiling("gpu")[0] == 60100.0
    assert View("e", "k", "T", (), {}).ceiling("gpu") is None
