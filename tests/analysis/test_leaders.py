"""Titles that say who is the fastest: of plain fp32 under one regime, ties called level."""

from analysis.tables import leaders
from analysis.tables.leaders import fastest_text, speedup_text, times_text
from language import using
from records.view import View


def view_of(*cases, baseline=None):
    return View("e", "gflops_vs_size", "T", tuple(cases), {}, baseline)


def line(make, implementation, times, **more):
    return [make(implementation, label=implementation, size=size, samples=(seconds,) * 8, **more)
            for size, seconds in times.items()]


def test_the_fastest_at_most_sizes_is_named_with_its_rate_at_the_largest(make):
    ours, library = (line(make, "gpu.pipelined", {64: 1.0, 128: 1.0, 256: 2.0}),
                     line(make, "gpu.cublas", {64: 2.0, 128: 2.0, 256: 1.0}))
    text = fastest_text(view_of(*ours, *library))
    assert (text.startswith("pipelined is the fastest at 2 of 3 sizes: ")
            and text.endswith(" at 128"))
    assert fastest_text(view_of(*ours[:2],
                                *library[:2])).startswith("pipelined is the fastest at all 2 sizes")


def test_a_tie_names_no_winner(make):
    cases = [*line(make, "gpu.pipelined", {64: 1.0}), *line(make, "gpu.cublas", {64: 1.0})]
    assert " are level at 64: " in fastest_text(view_of(*cases))
    assert " take equally long: " in times_text(view_of(*cases))
    assert " are level at 64: " in speedup_text(view_of(*cases,
                                                        baseline={"implementation": "gpu.cublas"}))


def test_what_is_not_resolved_is_not_called_level(make):
    """Two unbound points at 8192 were "level" though a bound pair was a loss."""
    cases = [make("cpu.packed", (0.7, 0.8, 0.9, 0.9, 1.2, 1.3, 1.4), label="packed", pinned=False,
                  threads_actual=2),
             *line(make, "cpu.mkl", {64: 1.0})]
    for told in (fastest_text(view_of(*cases)), times_text(view_of(*cases)),
                 speedup_text(view_of(*cases, baseline={"implementation": "cpu.mkl"}))):
        assert "are not told apart at 64 (threads not bound to cores)" in told


def test_other_precisions_and_other_regimes_are_not_ranked(make):
    ours, library = line(make, "gpu.pipelined", {64: 1.0}), line(make, "gpu.cublas", {64: 2.0})
    reduced = line(make, "gpu.cublas_fp16", {64: 0.1}, precision="fp16")
    assert fastest_text(view_of(*ours, *library, *reduced)).startswith("pipelined is the fastest")
    assert fastest_text(view_of(*ours, *library, *reduced)).endswith("(plain fp32)")
    assert fastest_text(view_of(*ours, *line(make, "gpu.cublas", {64: 2.0}, scope="call"))) == ""
    assert fastest_text(view_of(*ours)) == "" and times_text(view_of(*ours)) == ""


def test_a_speedup_is_told_at_the_largest_shape(make):
    cases = [*line(make, "cpu.serial", {64: 1.0, 128: 8.0}),
             *line(make, "cpu.openblas", {64: 0.5, 128: 0.5})]
    assert (speedup_text(view_of(*cases, baseline={"implementation": "cpu.serial"})) == "OpenBLAS "
            "is 16.0 times as fast as serial at 128")
    assert speedup_text(view_of(*cases, baseline={"implementation": "cpu.mkl"})) == ""
    assert times_text(view_of(*cases)) == "At 128, OpenBLAS takes 500 ms, serial 16.0 times as long"


def test_a_view_forms_its_title_once_in_each_language(make, monkeypatch):
    formed = []
    monkeypatch.setattr(leaders, "_comparable",
                        lambda view, of=leaders._comparable: formed.append(view) or of(view))
    cases = [*line(make, "gpu.pipelined", {64: 1.0}), *line(make, "gpu.cublas", {64: 2.0})]
    first, other = view_of(*cases), view_of(*cases)
    assert fastest_text(first) == fastest_text(first) == fastest_text(other)
    assert formed == [first, other]
    with using("zh"):
        chinese = fastest_text(first)
    assert chinese != fastest_text(first)
    assert len(formed) == 3


def test_a_title_says_what_is_unsound_of_its_two_points(make):
    """Of three samples and eleven threads against one nothing stood in the figure."""
    cases = [make("cpu.openblas", (0.1,) * 8, label="OpenBLAS", threads_actual=11, pinned=False),
             make("cpu.serial", (6.0,) * 3, label="serial", threads_actual=1)]
    told = "(11 threads against 1, threads not bound to cores, 3 samples)"
    assert speedup_text(view_of(*cases, baseline={"implementation": "cpu.serial"})) == \
        f"OpenBLAS is 60.0 times as fast as serial at 64 {told}"
    assert times_text(view_of(*cases)).endswith(f"serial 60.0 times as long {told}")
    held = [make(name, (seconds,) * 8, label=name, throttled=True)
            for name, seconds in (("gpu.naive", 2.0), ("gpu.tiled", 1.0))]
    assert times_text(view_of(*held)).endswith("times as long (the clock was held down)")
