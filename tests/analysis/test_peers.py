"""Ours over the library that is the fastest at each shape, of the same group, threads and
precision."""

from dataclasses import replace
from importlib import import_module

import pytest
from sample_records import ROOT, make_case

from analysis.compared.meetings import in_sustained_load, worse_elsewhere
from analysis.compared.peers import finding_of, kind_of, on_axis, peers_of, said
from analysis.tables.kind import Section
from plots.drawing import style
from records.loading import load
from records.names.naming import colour_of
from records.view import View
from report.asked.wanted import specs, views
from report.findings.section import found_in
from report.kinds.with_baseline.speedup import split_finding


def point(make, implementation, seconds, size=64, **more):
    samples = more.pop("samples", (seconds,) * 8)
    return make(implementation, label=more.pop("label", implementation), size=size,
                samples=samples, **more)


def view_of(*cases):
    return View("e", "ratio_to_library", "T", tuple(cases), {})


def figure_of(view):
    with style.applied():
        return import_module("plots.ratio_to_library").figure(view)


def test_the_rival_is_the_fastest_library_at_each_shape(make):
    cases = [point(make, "gpu.pipelined", 1.0, size) for size in (64, 128)]
    cases += [point(make, "gpu.cublas", 2.0, 64), point(make, "gpu.cublas", 0.5, 128),
              point(make, "gpu.cublaslt", 4.0, 64), point(make, "gpu.cublaslt", 0.25, 128)]
    (peer,) = peers_of(view_of(*cases))
    assert [(duel.rival.implementation, duel.ratio.value)
            for duel in peer.duels] == [("gpu.cublas", 2.0), ("gpu.cublaslt", 0.25)]
    assert finding_of([peer]) == ("pipelined is ahead of the best library at 1 of 2 shapes: 0.707 "
                                  "times in geometric mean, 0.250 at worst")


def test_a_library_that_few_shapes_had_is_named_with_their_number(make):
    """cuSPARSE with its preprocessing was there at 12 of 27 shapes, and the title did not say it."""
    cases = [point(make, "gpu.pipelined", 1.0, size) for size in (64, 128, 256)]
    cases += [*(point(make, "gpu.cublas", 2.0, size) for size in (64, 128, 256)),
              point(make, "gpu.cublaslt", 0.5, 64)]
    assert finding_of(peers_of(view_of(*cases))).startswith(
        "pipelined is ahead of the best library (cublasLt measured at 1 shape) at 2 of 3 shapes: ")


def test_of_lines_with_as_many_shapes_the_best_is_told(make):
    """The first line was: 0.25 in the mean where another rung has 0.87."""
    cases = [point(make, name, seconds, size) for size in (64, 128)
             for name, seconds in (("cpu.dot_pairs", 4.0), ("cpu.tiles_blocked", 1.25),
                                   ("cpu.mkl", 1.0))]
    assert finding_of(peers_of(view_of(*cases))).startswith("tiles blocked is ")


def test_less_precise_libraries_other_groups_and_other_threads_are_no_rivals(make):
    ours = point(make, "cpu.packed", 1.0, parameters={"threads": 1})
    others = [point(make, "cpu.openblas", 0.5, parameters={"threads": 8}),
              point(make, "cpu.mkl", 0.5, parameters={"threads": 1}, group="other"),
              point(make, "gpu.cublas_fp16", 0.1, parameters={"threads": 1}, precision="fp16")]
    assert peers_of(view_of(ours, *others)) == []
    assert "no ratio to draw" in figure_of(view_of(ours, *others))


def test_a_tie_is_level_and_hollow_and_a_loss_stands_left_of_one(make):
    wide = tuple(1 + 0.2 * (-1) ** place for place in range(8))
    cases = [point(make, "gpu.pipelined", 1.0, 64),
             point(make, "gpu.cublas", 1.0, 64, samples=wide),
             point(make, "gpu.pipelined", 1.0, 128), point(make, "gpu.cublas", 0.5, 128)]
    (peer,) = peers_of(view_of(*cases))
    assert peer.level == 1 and peer.ahead == 0 and " level at 1" in said(peer)
    (axes,) = figure_of(view_of(*cases)).axes
    faces = {bar.lines[0].get_markerfacecolor() for bar in axes.containers}
    assert faces == {"white", peer_colour()} and axes.get_xlim()[0] < 0.5 < 1 < axes.get_xlim()[1]


def peer_colour():
    return colour_of(make_case("gpu.pipelined"))


def test_squares_come_first_by_size_then_thin_shapes_by_kind():
    shapes = [(128, 128, 65536), (4096, 64, 4096), (512, 512, 512), (16, 4096, 4096),
              (4096, 4096, 16), (300, 400, 500), (64, 64, 64)]
    assert [kind_of(shape) for shape in sorted(shapes, key=on_axis)] == [0, 0, 1, 2, 3, 4, 5]
    assert sorted(shapes, key=on_axis)[:2] == [(64, 64, 64), (512, 512, 512)]


@pytest.mark.parametrize("machine,experiment,panels", [("intel-xeon-nvidia-h200", "gpu_peers", 2),
                                                       ("intel-xeon-nvidia-h200", "cpu_peers", 3),
                                                       ("amd-epyc-avx512", "cpu_peers", 3)])
def test_the_committed_peers_are_drawn_with_every_shape_and_no_ladder_of_one_rung(
        machine, experiment, panels):
    folder = ROOT / "data/results" / machine
    (found,) = load(folder, [folder / f"{experiment}.jsonl"]).experiments
    kinds = [spec["kind"] for spec in specs(found, "figures")]
    assert (kinds[0] == "ratio_to_library" and kinds.count("ratio_to_library") == 1
            and "ladder_bars" not in kinds)
    view = View(experiment, "ratio_to_library", "T", tuple(found.cases), found.run)
    assert len(figure_of(view).axes) == panels
    peer = peers_of(view)[0]
    assert len(peer.duels) >= 15 and peer.worst.ratio.value < 1, "losses are part of it"


def test_an_experiment_without_libraries_gets_no_such_figure():
    folder = ROOT / "data/results/intel-xeon-nvidia-h200"
    for name in ("gpu_ladder", "cpu_loops", "block_size", "quick"):
        (found,) = load(folder, [folder / f"{name}.jsonl"]).experiments
        assert "ratio_to_library" not in [spec["kind"] for spec in specs(found, "figures")], name


SPLIT_TABLES = [{"kind": "speedup", "group": "g", "baseline": {"implementation": "cpu.packed"}},
                {"kind": "accuracy"}]


def matrix_unit_beside(make, *others):
    cases = [point(make, "cpu.packed", 2.0, size, group="g") for size in (64, 128)]
    cases += [point(make, "cpu.mkl", 1.5, size, group="g") for size in (64, 128)]
    cases += [point(make, "cpu.matrix", 3.0, 64, group="g", precision="fp32-split"),
              point(make, "cpu.matrix", 0.5, 128, group="g", precision="fp32-split"),
              point(make, "cpu.matrix", 0.01, 512, group="errors alone", precision="fp32-split"),
              point(make, "cpu.mkl", 1.0, 512, group="errors alone")]
    return View("e", "", "T", (*cases, *others), {})


def test_split_operands_are_told_by_mean_worst_and_best_of_what_is_timed(make):
    head = split_finding(Section(view=matrix_unit_beside(make), wanted=SPLIT_TABLES))
    assert (head.finding == "matrix unit over the fastest library: 1.22 times in geometric mean "
            "over 2 shapes, 0.500 at worst (64), 3.00 at best (128; 1 more of other groups: 100 "
            "times)")
    assert [text for text in head.sentences
            if "ahead of MKL at 1 of 2 shapes" in text and "0.500 at worst" in text]


def test_split_operands_head_no_ladder_and_no_table_against_a_library(make):
    rung = point(make, "cpu.blocked", 4.0, 64, group="g")
    assert split_finding(Section(view=matrix_unit_beside(make, rung), wanted=SPLIT_TABLES)) is None
    against_library = [SPLIT_TABLES[0] | {"baseline": {"implementation": "cpu.mkl"}}]
    assert split_finding(Section(view=matrix_unit_beside(make), wanted=against_library)) is None


def test_every_type_beside_its_libraries_counts_and_no_sustained_load_does():
    """matrix_peers asks for it before what is kept up; counted without the code under test."""
    folder = ROOT / "data/results/intel-xeon-nvidia-h200"
    (found,) = load(folder, [folder / "matrix_peers.jsonl"]).experiments
    (view,) = views(found, {"kind": "summary"}, None)
    wanted = [*specs(found, "tables"), *specs(found, "figures")]
    there = {(case.group, case.shape) for case in view.shown if not case.load and case.library}
    there &= {(case.group, case.shape) for case in view.shown if not case.load and not case.library}
    told = found_in(view, wanted)
    cublas = there & {(case.group, case.shape) for case in view.shown
                      if not case.load and case.implementation == "gpu.cublas_typed"}
    assert 2 * len(cublas) < len(there), "elsewhere cublasLt was the only one"
    assert told.finding.startswith("matrix, tuned is ahead of the fastest library (cuBLAS, typed "
                                   f"measured at {len(cublas)} shapes) at ")
    assert f" of {len(there)} shapes, " in told.finding
    assert {shape[3] for _, shape in there if len(shape) == 4} == {"bfloat16", "float16"}
    assert any(text.startswith("Sustained, matrix, tuned is 0.975 times") for text in told.more)


@pytest.mark.parametrize(("fault", "told"), [
    ({}, "0.50 at worst on host theirs, in other (64)"),
    ({"options": {"transpose_a": "yes"}}, ""), ({"host": "own"}, ""), ({"experiment": "e"}, "in e"),
    ({"parameters": {"threads": 1}}, ""), ({"implementation": "cpu.blocked"}, ""),
    ({"distribution": "integer"}, "")])
def test_the_worst_of_a_mean_over_libraries_is_told_of_other_hosts_too(make, fault, told):
    """Planted: at twice the library's time on another host; not so in another form, with other
    threads, code or inputs, nor on the same host."""
    given = {"parameters": {"threads": 16}, "host": "own", "experiment": "e"}
    own = [point(make, name, seconds, size, **given, library=library) for size in (64, 128, 192)
           for name, seconds, library in (("cpu.packed", 1.0, False), ("cpu.mkl", 0.8, True))]
    planted = {"implementation": "cpu.packed"} | given | {"host": "theirs", "experiment": "other"} \
        | fault
    shared = {key: value for key, value in planted.items() if key != "implementation"}
    other = [point(make, planted["implementation"], 1.0, run_id="theirs", **shared),
             point(make, "cpu.mkl", 0.5, run_id="theirs", library=True, **shared)]
    view = replace(view_of(*own), host="own", everywhere=(*own, *other))
    found = worse_elsewhere(view)
    assert told in found if told else found == ""


def test_the_worst_elsewhere_counts_by_the_medians_and_where_nothing_is_resolved(make):
    """Planted on another host: 0.9 by the shared rounds but 0.6 by the medians, of five samples."""
    given = {"parameters": {"threads": 16}, "experiment": "e"}
    own = [point(make, name, seconds, size, **given, host="own", library=library)
           for size in (64, 128, 192)
           for name, seconds, library in (("cpu.packed", 1.0, False), ("cpu.mkl", 0.8, True))]
    other = [replace(point(make, name, seconds, **given, host="theirs", run_id="theirs",
                           library=library), samples_s=(seconds,) * 5, sample_count=5,
                     measured_s=median_s)
             for name, seconds, median_s, library in (("cpu.packed", 1.0, 1.0, False),
                                                      ("cpu.mkl", 0.9, 0.6, True))]
    found = worse_elsewhere(replace(view_of(*own), host="own", everywhere=(*own, *other)))
    assert found.startswith("0.60 at worst on host theirs") and "5 samples" in found


@pytest.mark.parametrize(("fault", "told"), [
    ({}, "0.50 times in geometric mean over 3 shapes on host theirs, in e, warm cache; 0.50 at "
     "worst"), ({"scope": "call"}, ""), ({"sizes": (64, 128)}, "0.50 at worst on host theirs")])
def test_the_mean_over_libraries_is_told_of_the_host_where_it_is_least(make, fault, told):
    """Planted: half the library's speed at each shape on another host, which measured one of them
    as fast in a smaller group, too; in another scope, and at two shapes, of which there is no
    mean."""
    given = {"parameters": {"threads": 16}, "experiment": "e"}

    def both(library_s, size, **more):
        return [point(make, name, seconds, size, **given | more, library=name == "cpu.mkl")
                for name, seconds in (("cpu.packed", 1.0), ("cpu.mkl", library_s))]

    sizes, more = fault.get("sizes", (64, 128, 192)), {"host": "theirs", "run_id": "theirs",
                                                       "cache": "warm"}
    more |= {key: value for key, value in fault.items() if key != "sizes"}
    own = [case for size in (64, 128, 192) for case in both(0.9, size, host="own")]
    other = [case for size in sizes for case in both(0.5, size, **more)]
    other += both(1.0, sizes[0], **more, group="smaller")
    found = worse_elsewhere(replace(view_of(*own), host="own", everywhere=(*own, *other)))
    assert found.startswith(told) if told else found == ""


@pytest.mark.parametrize(("experiment", "told"), [
    ("e", "in sustained load 0.50 (64)"), ("other", "in sustained load 0.50 (64, in other)")])
def test_a_mean_of_bursts_has_what_sustained_load_makes_of_it(make, experiment, told):
    """Planted: ours takes twice the library's time under load, in bursts half of it."""
    given = {"host": "own"}
    bursts = [point(make, name, seconds, experiment="e", library=library, **given)
              for name, seconds, library in (("gpu.pipelined", 0.5, False), ("gpu.cublas", 1.0, True))]
    held = [point(make, name, seconds, experiment=experiment, group="load", load="sustained",
                  library=library, **given)
            for name, seconds, library in (("gpu.pipelined", 1.0, False), ("gpu.cublas", 0.5, True))]
    view = replace(view_of(*bursts), host="own", experiment="e", everywhere=(*bursts, *held))
    assert in_sustained_load(view) == told
    assert in_sustained_load(replace(view, everywhere=tuple(bursts))) == ""
