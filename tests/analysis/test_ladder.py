"""The ladder as it is drawn: in the definition's order at one shape, factors over the rung before,
variants at their rung's parameters, libraries below, the counter's reason where one accounts for
the step."""

from dataclasses import replace
from importlib import import_module

from sample_records import ROOT

import plots
from analysis.compared.elsewhere import lead_elsewhere
from analysis.ladder.ladder import climbed, compact, factor_text, finding_of, ladders_of
from plots.drawing import style
from records.cases.ratios import Ratio
from records.loading import load
from records.view import View
from report.asked.wanted import specs, views

RECORDS = ROOT / "data/results/intel-xeon-nvidia-h200"


def rung(make, implementation, seconds, place, size=64, **more):
    return make(implementation, label=more.pop("label", implementation), place=place, size=size,
                samples=(seconds,) * 7, **more)


def view_of(*cases, **more):
    return View("e", "ladder_bars", "T", tuple(cases), more.pop("run", {}), **more)


def figure_of(view):
    with style.applied():
        return import_module("plots.ladder_bars").figure(view)


def names_of(figure):
    return [tick.get_text() for tick in figure.axes[0].get_yticklabels()]


def test_rungs_stand_in_the_order_of_the_definition_and_libraries_below_on_a_linear_axis(make):
    view = view_of(rung(make, "gpu.cublas", 0.05, 3),
                   rung(make, "gpu.pipelined", 0.1, 2), rung(make, "gpu.naive", 10.0, 0),
                   rung(make, "gpu.tiled", 20.0, 1, parameters={"block": 16}))
    figure = figure_of(view)
    assert names_of(figure) == ["naive", "tiled 16", "pipelined", "cuBLAS"]
    assert figure.axes[0].get_xscale() == "linear", ("a span of 400 times is no reason for a "
                                                     "logarithmic axis")
    texts = {text.get_text() for text in figure.axes[0].texts}
    assert {"×0.500", "×100",
            "×2.00"} <= texts, "pipelined over naive, which is the fastest before it"


def test_the_shape_is_the_largest_square_that_most_rungs_share(make):
    cases = [rung(make, name, 0.1, place, size)
             for place, name in enumerate(("gpu.naive", "gpu.warp_tiled", "gpu.cp_async"))
             for size in (64, 128)] + [rung(make, "gpu.naive", 0.1, 0, 256)]
    assert ladders_of(view_of(*cases))[0].shape == (128, 128, 128)


def test_a_variant_stands_beside_its_rung_at_the_same_block(make):
    cases = [rung(make, "gpu.tiled", seconds, place, parameters={"block": block})
             for place, (block, seconds) in enumerate(((8, 0.4), (32, 0.2)))]
    cases += [rung(make, "gpu.tiled_conflicting", seconds, place + 2, parameters={"block": block})
              for place, (block, seconds) in enumerate(((8, 0.5), (32, 4.0)))]
    (ladder,) = ladders_of(view_of(*cases))
    (tiled,) = ladder.rungs
    assert (tiled.name == "tiled 32"
            and [aside.name for aside in tiled.asides] == ["tiled 32, conflicting"])
    assert factor_text(tiled.asides[0].ratio) == "÷20.0"


def test_a_variant_that_the_definition_puts_first_is_a_rung(make):
    cases = rung(make, "gpu.naive_uncoalesced", 2.0, 0), rung(make, "gpu.naive", 1.0, 1)
    assert [one.name for one in ladders_of(view_of(*cases))[0].rungs] == ["naive, uncoalesced",
                                                                          "naive"]


def test_a_baseline_is_the_first_rung_wherever_the_definition_has_it(make):
    cases = (rung(make, "gpu.tiled", 4.0, 0, parameters={"block": 32}),
             rung(make, "gpu.warp_tiled", 1.0, 1), rung(make, "gpu.naive", 2.0, 2))
    (ladder,) = ladders_of(view_of(*cases, baseline={"implementation": "gpu.naive"}))
    assert [(one.name, one.over) for one in ladder.rungs] == [
        ("naive", ""), ("tiled 32", "naive"), ("warp-tiled", "naive")]


def test_ties_are_level_and_what_is_not_plain_fp32_is_told_and_not_drawn(make,
                                                                         tmp_path, monkeypatch):
    monkeypatch.setattr(plots, "FORMATS", ("svg",))
    cases = (rung(make, "gpu.naive", 1.0, 0),
             rung(make, "gpu.tiled", 1.0, 1, parameters={"block": 16}),
             rung(make, "gpu.tensor", 0.01, 2, precision="fp32-split"))
    figure = figure_of(view_of(*cases))
    assert ("level" in {text.get_text() for text in figure.axes[0].texts}
            and "tensor" not in " ".join(names_of(figure)))
    assert "tensor (fp32-split)" in plots.draw(view_of(*cases), tmp_path, "x").note
    assert factor_text(Ratio(1.2)) == "not resolved"


def test_on_the_cpu_each_instruction_set_has_a_ladder_and_libraries_stand_in_the_widest(make):
    sets = ("baseline", "avx2", "avx512")
    cases = [rung(make, f"cpu.{name}", 1 / (1 + place * (1 + sets.index(isa))),
                  place * 3 + sets.index(isa), parameters={"isa": isa, "threads": 1})
             for place, name in enumerate(("serial", "ikj", "packed")) for isa in sets]
    cases.append(rung(make, "cpu.openblas", 0.1, 9, parameters={"threads": 1}))
    ladders = ladders_of(view_of(*cases))
    assert ([one.isa for one in ladders] == list(sets)
            and [len(one.libraries) for one in ladders] == [0, 0, 1])
    assert all([one.name for one in ladder.rungs] == ["serial", "ikj", "packed"]
               for ladder in ladders)
    figure = figure_of(view_of(*cases))
    assert [axes.get_title("left") for axes in figure.axes] == ["baseline", "AVX2", "AVX-512"]
    assert names_of(figure) == ["serial", "ikj", "packed", "OpenBLAS"]
    assert finding_of(ladders).startswith("With AVX-512, from serial to packed: 7.00 times at 64")
    fewer = [case for case in cases if case.implementation != "cpu.ikj"
             or case.parameters["isa"] == "avx512"]
    # in order, whoever leaves one out
    assert names_of(figure_of(view_of(*fewer))) == ["serial", "ikj", "packed", "OpenBLAS"]


def test_the_compact_ladder_keeps_what_is_faster_than_all_before(make):
    times = (8.0, 9.0, 4.0, 3.9, 1.0)
    (ladder,) = ladders_of(view_of(*(rung(make, f"gpu.k{place}", time, place, label=f"k{place}")
                                     for place, time in enumerate(times)),
                                   rung(make, "gpu.cublas", 0.5, 9)))
    assert [one.name for one in climbed(ladder, 9)] == ["k0", "k2", "k3", "k4"]
    assert [one.name for one in climbed(ladder, 3)] == ["k0", "k2", "k4"]
    small = compact(view_of(), ladder, 3)
    assert ([factor_text(one.ratio) for one in small.rungs[1:]] == ["×2.00", "×4.00"]
            and len(small.libraries) == 1)


def _committed(experiment, group):
    (found,) = load(RECORDS, [RECORDS / f"{experiment}.jsonl"]).experiments
    return next(view for spec in specs(found, "figures") if spec["kind"] == "ladder_bars"
                and spec.get("group") == group for view in views(found, spec, None))


def test_the_committed_ladder_names_its_reasons_and_its_largest_step():
    view = _committed("gpu_ladder", "squares")
    (ladder,) = ladders_of(view)
    why = {one.name: one.why for one in ladder.rungs} | {one.name: one.why for rung in ladder.rungs
                                                         for one in rung.asides}
    assert (why["tiled 32"].startswith("instructions ÷")
            and why["tiled 32, conflicting"].startswith("bank conflicts ×"))
    assert why["register-tiled 8×8"] == "" and why["naive"] == ""
    assert "the largest step is register-tiled 2-D" in finding_of([ladder])
    assert all(one.why == "" for one in ladders_of(replace(view, counters={}))[0]
               .rungs), "no counters, no reasons"


def test_the_compact_figure_fits_the_first_screen():
    figure = figure_of(replace(_committed("gpu_ladder", "squares"), compact=True))
    assert figure.get_figwidth() <= 7.4 and figure.get_figheight() <= 3.4
    assert len(names_of(figure)) <= 10


def test_a_ladder_of_the_cpu_stands_at_a_size_that_is_no_power_of_two(make):
    """At 256 the plain loop collapses, and what mends that seemed to bring most of all."""
    names = ("serial", "ikj", "blocked", "packed", "openblas", "mkl", "eigen", "blis", "openmp",
             "onednn")
    cases = [rung(make, f"cpu.{name}", 1.0 / (place + 1), place, size)
             for size in (256, 200) for place, name in enumerate(names)
             if (size, name) != (200, "openmp")]
    assert ladders_of(view_of(*cases))[0].shape == (200,) * 3
    few = [case for case in cases if case.shape[0] == 256 or case.implementation == "cpu.ikj"]
    assert ladders_of(view_of(*few))[0].shape == (256,) * 3, "most lines stand there alone"
    cards = [rung(make, f"gpu.{name}", seconds, 0, size)
             for size in (100, 128) for name, seconds in (("naive", 2.0), ("tiled", 1.0))]
    assert ladders_of(view_of(*cards))[0].shape == (128,) * 3, "a GPU's loops do not collapse"


def test_the_heading_says_what_is_unsound_of_its_ends(make):
    cases = [make("cpu.serial", samples=(8.0,) * 3, label="serial", place=0),
             rung(make, "cpu.ikj", 4.0, 1), rung(make, "cpu.packed", 1.0, 2)]
    assert finding_of(ladders_of(view_of(*cases))) == (
        "From serial to packed: 8.00 times at 64 (3 samples), most of it by packed (×4.00)")
    few = [cases[0], rung(make, "cpu.ikj", 1.0, 1), rung(make, "cpu.packed", 0.9, 2)]
    assert finding_of(ladders_of(view_of(*few))).endswith(
        "8.89 times at 64 (3 samples), most of it by ikj (×8.00; 3 samples)")


def test_a_lead_over_a_library_is_told_over_the_host_s_fastest_one(make):
    ours, slow = (rung(make, name, seconds, 0, host="h")
                  for name, seconds in (("gpu.pipelined", 1.0), ("gpu.cublas", 1.11)))
    fast = rung(make, "gpu.cublas", 1.07, 0, host="h", experiment="timer_check")
    told = lead_elsewhere(slow, ours, [ours, slow, fast])
    assert told.startswith("1.070 times cuBLAS in timer_check, ")
    for unlike in ({"host": "other"}, {"cache": "warm"}, {"throttled": True}, {"experiment": "e"}):
        other = rung(make, "gpu.cublas", 1.07, 0, **{"host": "h", "experiment": "t"} | unlike)
        assert lead_elsewhere(slow, ours, [ours, slow, other]) == "", unlike
    fast.parameters = {"operands": "host"}
    assert lead_elsewhere(slow, ours, [ours, slow, fast]) == "", "they lie elsewhere"


def test_each_of_a_chain_of_variants_is_a_rung(make):
    """Planted: b changes one thing of a, c of b, d of c; e of f, which stays beside it."""
    stems = {"gpu.b": "gpu.a", "gpu.c": "gpu.b", "gpu.d": "gpu.c", "gpu.e": "gpu.f"}
    cases = [rung(make, f"gpu.{name}", 1.0 / (place + 1), place,
                  variant_of=stems.get(f"gpu.{name}", ""))
             for place, name in enumerate("abcdfe")]
    (ladder,) = ladders_of(view_of(*cases))
    assert [one.case.implementation[-1] for one in ladder.rungs] == list("abcdf")
    assert [one.case.implementation[-1] for one in ladder.rungs[-1].asides] == ["e"]


def test_the_committed_tensor_core_ladder_drops_no_rung_of_any_type():
    found = load(RECORDS, [RECORDS / "matrix_ladder.jsonl"]).experiments[0]
    for group in ("bfloat16", "float16", "int8", "odd"):
        (view,) = views(found, {"kind": "ladder_bars", "group": group}, None)
        (ladder,) = ladders_of(view)
        drawn = [*ladder.rungs, *ladder.libraries,
                 *(aside for one in ladder.rungs for aside in one.asides)]
        there = {case.implementation for case in view.shown if case.shape == ladder.shape}
        assert {one.case.implementation for one in drawn} == there
        assert not ladder.apart and (len(ladder.rungs) == 9 or group == "int8")


def test_rungs_of_a_narrow_type_are_drawn_whatever_precision_they_name_in_their_own_unit(make):
    options = {"type": "float8_e4m3", "result": "bfloat16"}
    cases = [rung(make, name, 1.0 / (place + 1), place, options=options, precision="fp8",
                  verdicts=("reduced-precision",)) for place, name in enumerate(("gpu.a", "gpu.b"))]
    (ladder,) = ladders_of(view_of(*cases))
    assert len(ladder.rungs) == 2 and not ladder.apart
    whole = [rung(make, name, 1.0 / (place + 1), place, options={"type": "int8", "result": "int32"},
                  rates={"gop_per_s": 5.0 + place}) for place, name in enumerate(("gpu.a", "gpu.b"))]
    figure = figure_of(view_of(*whole))
    assert figure.axes[0].get_xlabel().startswith("GOP/s at ")
    roof = {"ceilings": [{"device": "gpu", "what": "fma", "value": 8.0, "unit": "GFLOP/s",
                          "trusted": True}]}
    for of, drawn in ((whole, False), ([replace(case, options={}) for case in whole], True)):
        there = " ".join(text.get_text() for text in figure_of(view_of(*of, run=roof)).axes[0].texts)
        assert ("FMA ceiling" in there) is drawn, "that of float32 binds no other type"
    assert "GOP/s" in {text.get_text() for text in figure.axes[0].texts}
