"""What is said of an experiment where a plain ranking would say nothing, or leave out what
matters."""

from sample_records import DATA

from analysis.compared.independent import independent_sentences
from analysis.tables.kind import Section
from records.view import View
from report.findings.folded import over_baseline, reasons
from report.findings.section import every_sentence
from report.findings.standing import ties_text


def said(*cases, kinds=()):
    return every_sentence(Section(view=View("e", "summary", "T", cases, {}),
                                  wanted=[{"kind": kind} for kind in kinds]))


def test_one_kernel_with_and_without_transfers_is_set_side_by_side_and_not_ranked_alone(make):
    cases = [make("gpu.tiled", (seconds * size,) * 9, label=scope, scope=scope, size=size)
             for scope, seconds in (("kernel", 1e-5), ("end-to-end", 3e-5)) for size in (64, 128)]
    assert said(*cases) == [("One multiplication at 64: kernel 640 µs; end-to-end 1.92 ms, 3.00 "
                             "times [3.00, 3.00] as long."),
                            ("One multiplication at 128: kernel 1.28 ms; end-to-end 3.84 ms, 3.00 "
                             "times [3.00, 3.00] as long.")]


def test_groups_without_a_common_shape_are_not_set_side_by_side(make):
    one = said(make("gpu.tiled", group="a"), make("gpu.tiled", group="b", size=128))
    assert len(one) == 2 and all("is the only one ranked at" in text for text in one)


def test_what_is_told_over_a_baseline_names_its_group_where_there_are_others(make):
    cases = tuple(make(f"cpu.{name}", (seconds,) * 9, label=name, group=group)
                  for group, fast in (("one thread", 1e-3), ("all cores", 4e-3))
                  for name, seconds in (("packed", 2e-3), ("eigen", fast)))
    specs = [{"kind": "speedup", "group": group, "baseline": {"implementation": "cpu.packed"}}
             for group in ("one thread", "all cores")]

    def compared(wanted):
        return [text for text in every_sentence(Section(view=View("e", "summary", "T", cases, {}),
                                                        wanted=wanted)) if " packed" in text
                and ("as fast as packed" in text or "slower than packed" in text)]

    assert [text.split(",")[0] for text in compared(specs)] == ["One thread: At 64",
                                                                "All cores: At 64"]
    assert [text.split(",")[0] for text in compared(specs[:1])] == ["At 64"]


def test_what_does_not_compute_in_plain_fp32_is_told_against_the_fastest_that_does(make):
    fp32 = [make(f"gpu.{name}", (seconds,) * 9, label=name)
            for name, seconds in (("tiled", 4e-3), ("pipelined", 2e-3))]
    others = [make("gpu.tensor", (5e-4,) * 9, precision="fp32-split",
                   label="tensor", verdicts=("ok",)),
              *(make(f"gpu.cublas_{name}", (seconds,) * 9, precision=name,
                     label=f"cublas_{name}", verdicts=("reduced-precision",))
                for name, seconds in (("fp16", 3e-4), ("tf32", 2.5e-4)))]
    (text,) = [text for text in said(*fp32, *others) if text.startswith("Ranked apart")]
    assert text.startswith("Ranked apart because they do not compute in plain fp32, at 64 with "
                           "uniform inputs: tensor (fp32-split) with 1.05 [")
    assert ("4.00 times [4.00, 4.00] the rate of pipelined; cuBLAS TF32 with" in text
            and "8.00 times" in text)
    assert "FP16" not in text, "the fastest of what computes with less stands for all of it"
    assert not any("Ranked apart" in text for text in said(*fp32))
    alone = make("gpu.tensor", (5e-4,) * 9, precision="fp32-split", label="tensor", size=128)
    assert not any("Ranked apart" in text
                   for text in said(*fp32, alone)), "nothing in fp32 stands at that shape"


def test_a_test_of_the_statistics_ranks_nothing(make):
    assert said(make("cpu.ikj"), make("cpu.eigen", (1.0,) * 9), kinds=("noise",)) == []


def test_an_independent_timer_is_set_beside_the_library_that_both_timed(make, tmp_path):
    (tmp_path / "independent_timer.csv").write_text(
        "M,K,N,torch_s,torch_low_s,torch_high_s\n64,64,64,1.0,0.99,1.01\n512,512,512,9,8,10\n",
        encoding="utf-8")
    own = make("gpu.cublas", (1.02,) * 9, experiment="timer_check",
               chosen={"library": "libcublas.so"})
    other = make("gpu.naive", (7.0,) * 9, experiment="timer_check")
    view = View("timer_check", "summary", "T", (own, other), {})
    assert independent_sentences(view, tmp_path) == [
        ("Timed by PyTorch beside it, the same library's times differ by 2.0 % at most. Ours over "
         "PyTorch's: 1.020 [1.010, 1.030] at 64.")]
    assert independent_sentences(View("e", "summary", "T",
                                      (make("gpu.cublas", chosen={"library": "x"}),), {}),
                                 tmp_path) == []
    assert independent_sentences(view, DATA) == []


def test_what_is_slower_than_the_baseline_or_ties_with_it_is_said_with_its_name(make):
    spread = [1 + 0.001 * turn for turn in range(9)]
    cases = [make(f"cpu.{name}", tuple(seconds * one for one in spread), label=name)
             for name, seconds in (("serial", 1.0), ("ikj", 0.25), ("twin", 1.0), ("openmp", 2.0))]
    (text,) = over_baseline(View("e", "", "T", tuple(cases), {}, {"implementation": "cpu.serial"}))
    assert ("; slower than serial: OpenMP (" in text and "; a tie with serial: twin" in text
            and " it:" not in text)


def test_ties_are_counted_only_where_there_are_any(make):
    apart = make("cpu.serial", (2.0,) * 9, label="serial"), make("cpu.ikj", (1.0,) * 9, label="ikj")
    assert ties_text(View("e", "", "T", apart, {})) == ""
    twins = make("cpu.serial", (1.0,) * 9, label="serial"), make("cpu.ikj", (1.0,) * 9, label="ikj")
    assert ties_text(View("e", "", "T", twins,
                          {})) == "the fastest ties with another in 1 of 1 ranking."


def test_a_roofline_without_counters_is_said_in_shares_of_what_binds(make):
    cases = [make("cpu.serial", label="serial", of_ceiling=0.021, bound_by="compute"),
             make("cpu.ikj", label="ikj", of_ceiling=0.5, bound_by="l2"),
             make("cpu.packed", label="packed", of_ceiling=0.84, bound_by="compute"),
             make("cpu.blocked", label="blocked", group="other", of_ceiling=0.3,
                  bound_by="compute")]
    view = View("e", "summary", "T", tuple(cases), {})
    assert reasons(view, [{"kind": "roofline", "group": cases[0].group}]) == [
        "Share of the ceiling that binds it (L2 bandwidth) at 64: ikj 50 %.",
        "Share of the ceiling that binds it (arithmetic) at 64: packed 84 % and serial 2.1 %."]
    assert reasons(view, [{"kind": "gflops"}]) == []
