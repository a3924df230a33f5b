"""The finding that heads a section: computed from the records, ties called ties, and at most two
sentences below it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sample_records import ROOT, experiment

from analysis.compared.peers import peers_of, said
from language import using
from records.cases.phrases import times as said_times
from records.cases.ratios import speedup
from records.loading import load
from records.view import View
from report.asked.wanted import specs, views
from report.findings.section import MOST_SENTENCES, found_in

STEADY = (1.0,) * 9


def found(*cases, kinds=(), counters=None, counted=(), run=None, **spec):
    view = View("e", "summary", "T", tuple(cases), run or {}, counters=counters or {})
    return found_in(view, [{"kind": kind} | spec for kind in kinds], counted)


def times(seconds, spread=0.0):
    return tuple(seconds * (1 + spread * turn) for turn in range(9))


def blocks(make, **seconds):
    return [make("gpu.tiled", times(value), label=f"tiled, block {name[1:]}",
                 parameters={"block": int(name[1:])}) for name, value in seconds.items()]


def test_a_block_is_set_against_the_next_and_the_last(make):
    one = found(*blocks(make, b4=5.6, b16=1.11, b32=1.0), kinds=("block_size",))
    assert (one.finding == "A 32×32 tile is 1.11 times as fast as 16×16, and 5.6 times as fast as "
            "4×4 at 64")
    assert "1.11 times [1.11, 1.11] over 16×16" in one.sentences[0]
    other = found(*blocks(make, b4=5.6, b16=1.0, b32=1.25), kinds=("block_size",))
    assert (other.finding == "A 16×16 tile is 1.25 times as fast as 32×32, and 5.6 times as fast "
            "as 4×4 at 64")


def test_blocks_that_tie_are_called_level(make):
    assert found(*blocks(make, b4=3.0, b16=1.0, b32=1.0), kinds=("block_size",)).finding == \
        "16×16 and 32×32 are level, 3.0 times as fast as 4×4 at 64"


def test_a_block_that_is_ahead_at_another_size_is_named(make):
    small = [make("gpu.tiled", times(value), size=32, parameters={"block": block},
                  label=f"tiled, block {block}") for block, value in ((16, 1.0), (32, 2.0))]
    one = found(*blocks(make, b16=1.5, b32=1.0), *small, kinds=("block_size",))
    assert (one.finding == "A 32×32 tile is 1.50 times as fast as 16×16 at 64; at 32 16×16 is "
            "ahead (2.0 times)")


def test_threads_tell_what_the_best_brings_and_what_more_bring(make):
    cases = [make("cpu.ikj", times(8.0 / gain), label=f"ikj, {threads} threads",
                  parameters={"threads": threads})
             for threads, gain in ((1, 1.0), (8, 6.9), (16, 5.1))]
    assert (found(*cases, kinds=("thread_scaling",)).finding == "8 threads make ikj 6.9 "
            "times as fast as one at 64; 16 make it 5.1 times")
    cases[2] = make("cpu.ikj", times(8.0 / 6.9), label="ikj, 16 threads",
                    parameters={"threads": 16})
    one = found(*cases, kinds=("thread_scaling",))
    assert (one.finding == "8 threads make ikj 6.9 times as fast as one at 64; 16 are no faster "
            "(6.9 times)")
    assert one.sentences == ["Over one thread at 64: ikj 6.90 times [6.90, 6.90] with 8 threads.",
                             "Efficiency of ikj: 86 % with 8 threads."]


def peers(make, **ours):
    """pipelined beside cuBLAS, which takes a second, at a size each."""
    return [case for size, (name, seconds) in enumerate(ours.items(), 1) for case in (
        make("gpu.pipelined", times(seconds), label="pipelined", size=64 * size),
        make("gpu.cublas", STEADY, label="cuBLAS", size=64 * size, chosen={"library": "cublas"}))]


def test_losses_to_the_library_count_as_well(make):
    one = found(*peers(make, a=0.5, b=1.0, c=2.0, d=0.25), kinds=("speedup",),
                baseline={"implementation": "gpu.cublas"})
    assert (one.finding == "pipelined is ahead of cuBLAS at 2 of 4 shapes, level at 1 (noise floor "
            "0.00 %), 1.41 times in geometric mean, 1.50 in the median, 0.50 at worst (192)")
    assert (one.sentences[0] == "Most ahead at 256 (4.00 times [4.00, 4.00]); behind at 192 (0.500 "
            "times [0.500, 0.500]).")
    assert "never behind" in found(*peers(make, a=0.5, b=0.5, c=0.5),
                                   kinds=("speedup",)).sentences[0]


@pytest.mark.parametrize(("odd", "size", "options", "told"), [
    (0.5, 257, {}, ", 1.00 over the 3 whose rows start at multiples of 16 bytes, 2.00 over the "),
    (1.0, 257, {}, ""), (0.5, 260, {}, ""),
    (0.5, 260, {"type": "bfloat16"}, "2.00 over the others")])
def test_a_mean_says_what_it_is_where_rows_start_aligned_and_where_not(make, odd, size, options,
                                                                       told):
    """Planted: three sizes of which each row is a multiple of 16 bytes, and three of others, at
    half the library's time; 260 is one in float32, not in 16 bits."""
    cases = [make(name, times(seconds), label=name, size=wide, options=options, library=library)
             for start, ours in ((64, 1.0), (size, odd)) for step in range(3)
             for wide in [start + 64 * step]
             for name, seconds, library in (("gpu.pipelined", ours, False),
                                            ("gpu.cublas", 1.0, True))]
    text = found(*cases, kinds=("ratio_to_library",)).finding
    assert told in text and ("multiples of 16 bytes" in text) is bool(told)


def grouped(make, **groups):
    """pipelined beside cuBLAS, which takes a second, at a size each of these groups."""
    sizes = iter(range(64, 64 * 99, 64))
    return [make(name, times(seconds), label=name, size=size, library=library,
                 group=group.replace("_", " "))
            for group, ours in groups.items() for own in ours for size in [next(sizes)]
            for name, seconds, library in (("gpu.pipelined", own, False),
                                           ("gpu.cublas", 1.0, True))]


def test_a_mean_says_what_it_is_without_the_few_shapes_that_carry_it(make):
    """Planted: two shapes of ten at a quarter of the library's time; without them a loss."""
    cases = grouped(make, few_rows=[0.25] * 2, squares=[1.1] * 8)
    text = found(*cases, kinds=("ratio_to_library",)).finding
    assert "1.22 times in geometric mean, 0.91 without the 2 of the group few rows, " in text
    even = found(*grouped(make, few_rows=[0.8] * 2, squares=[0.8] * 8),
                 kinds=("ratio_to_library",)).finding
    assert "without" not in even


@pytest.mark.parametrize(("few", "told"), [
    ((1.3, 1.3, 0.9), ", 0.98 over the 6 of the group drawn, with 4 of the 6 losses"),
    ((1.3, 1.3, 1.3), ", 0.77 over the 3 of the group few")])
def test_a_group_of_few_shapes_is_not_the_worst_where_a_larger_one_holds_more_losses(make, few,
                                                                                    told):
    """Planted: three shapes whose mean is least, and six with more losses; unless all three are."""
    cases = grouped(make, squares=[0.7] * 8, drawn=[1.1, 1.1, 1.1, 1.1, 0.9, 0.85], few=list(few))
    assert told in found(*cases, kinds=("ratio_to_library",)).finding


def test_a_noise_floor_says_which_points_chose_other_code_the_second_time(make):
    view = View("e", "e", "T", tuple(peers(make, a=0.5, b=1.0, c=2.0)), {},
                {"implementation": "gpu.cublas"}, unlike_twins=2)
    wanted = [{"kind": "speedup", "baseline": {"implementation": "gpu.cublas"}}]
    assert ("(noise floor 0.00 %, without 2 points that chose other code the second time)"
            in found_in(view, wanted).finding)
    folder = ROOT / "data" / "results" / "intel-xeon-nvidia-h200"
    (one,) = load(folder, [folder / "gpu_peers.jsonl"]).experiments
    assert views(one, {"kind": "summary"}, None)[0].unlike_twins == one.no_pairs["code"] == 1


def test_what_is_not_resolved_is_neither_level_nor_ahead(make):
    """A loss of 0.87 with too wide an interval counted as level."""
    cases = peers(make, a=0.5, b=1.0, c=2.0, d=1.0)
    wide = make("gpu.pipelined", (0.7, 0.8, 1.0, 1.15, 1.15, 1.2, 1.3, 1.6), label="pipelined",
                size=256)
    assert speedup(cases[-1], wide).undecided
    one = found(*cases[:-2], wide, cases[-1], kinds=("speedup",),
                baseline={"implementation": "gpu.cublas"})
    assert "ahead of cuBLAS at 1 of 4 shapes, level at 1 (noise floor 0.00 %) (1 not resolved), " in one.finding
    (peer,) = peers_of(View("e", "ratio_to_library", "T", (*cases[:-2], wide, cases[-1]), {}))
    assert "at 1 of 4 shapes and level at 1 (1 not resolved)" in said(peer)


def test_a_title_says_of_its_ratio_that_it_is_not_resolved(make):
    """1.05 times by threads stood in a title without the word."""
    cases = [make("cpu.ikj", samples, label="ikj", parameters={"threads": threads},
                  threads_actual=threads)
             for threads, samples in ((1, STEADY), (2, (0.5,) * 4 + (0.95,) * 2 + (1.02,) * 3))]
    assert "not resolved" in found(*cases, kinds=("thread_scaling",)).finding


def cpu_peers(make, isa, threads, seconds, sizes=(64, 128, 192)):
    """packed beside MKL, which takes a second, with these instructions and threads."""
    given = {"isa": isa, "threads": threads}
    return [case for size in sizes
            for case in (make("cpu.packed", times(seconds), label=f"packed {isa} {threads}",
                              size=size, parameters=given, group=f"{isa} {threads}"),
                         make("cpu.mkl", STEADY, label=f"MKL {isa} {threads}", size=size,
                              parameters=given, library=True, group=f"{isa} {threads}"))]


def test_shapes_are_counted_by_threads_and_libraries_held_to_narrow_instructions_left_out(make):
    cases = [*cpu_peers(make, "avx512", 16, 1.25), *cpu_peers(make, "avx512", 8, 0.8),
             *cpu_peers(make, "avx2", 16, 0.5)]
    one = found(*cases, kinds=("ratio_to_library",))
    assert (one.finding == "packed on 16 threads is ahead of MKL at 0 of 3 shapes, 0.80 times "
            "in geometric mean, 0.80 at worst (64)")
    assert ("On 8 threads it is ahead at 3 of 3 shapes, 1.25 times in geometric mean, "
            "1.25 at worst (64)." in one.sentences)


def test_a_disturbed_point_decides_nothing_about_the_library(make):
    cases = peers(make, a=0.5, b=0.5, c=0.5, d=4.0)
    cases[-2].steal_s = 9.0
    assert cases[-2].disturbed
    assert "at 3 of 3 shapes" in found(*cases, kinds=("speedup",)).finding


def ladder(make):
    return ([
        make(name, times(seconds), label=label, place=place)
        for place, (name, seconds, label) in enumerate((
            ("gpu.naive", 8.0, "naive"), ("gpu.tiled", 6.0, "tiled"),
            ("gpu.register_tiled", 2.0, "register_tiled"), ("gpu.pipelined", 1.5, "pipelined")))]
        + [make("gpu.cublas", times(1.6), label="cublas", place=4, chosen={"library": "cublas"})])


def test_a_ladder_names_its_largest_step(make):
    one = found(*ladder(make), kinds=("ladder_bars",))
    assert (one.finding == "pipelined is 5.3 times as fast as naive at 64; the largest step is "
            "register-tiled, 3.0 times tiled")
    assert one.sentences[0].endswith("as fast; cuBLAS 0.938 times [0.938, 0.938] as fast as that.")
    assert "the largest step" not in found(*ladder(make),
                                           kinds=("gflops",)).finding, "no ladder is asked for"


def test_the_reason_of_a_step_comes_from_its_counters():
    bench = experiment("bench", "evidence")
    (view,) = views(bench, {"kind": "summary"}, None)
    wanted = [*specs(bench, "tables"), *specs(bench, "figures")]
    one = found_in(view, wanted)
    assert one.finding and len(one.sentences) <= MOST_SENTENCES and one.why


def test_transfers_are_told_in_times_of_the_kernel(make):
    cases = [make("gpu.tiled", times(seconds), label=label, scope=scope, host_memory=memory,
                  allocation=allocation) for label, seconds, scope, memory, allocation in (
                      ("kernel", 1.0, "kernel", None, None),
                      ("pinned", 1.2, "end-to-end", "pinned", "not counted"),
                      ("pageable", 2.7, "end-to-end", "pageable", "not counted"))]
    assert found(*cases, kinds=("time",)).finding == ("With transfers, tiled at 64 takes 1.20 "
                                                      "times as long as the kernel alone from "
                                                      "pinned memory, 2.7 times from pageable")


def test_a_first_call_names_its_longest_phase(make):
    case = make("gpu.tiled", times(0.3), label="tiled", scope="first-call", steady_s=[0.003] * 9,
                first_call_s={"context": [0.29] * 9, "kernel": [0.01] * 9})
    assert (found(case, kinds=("first_call",)).finding == "The first call of tiled in a process "
            "takes 300 ms, 100 times a later one; 290 ms of it: context")


def test_gpu_and_cpu_of_one_host_are_set_against_each_other(make):
    cases = [make("cpu.ikj", times(3.0), label="ikj"), make("gpu.tiled", times(1.5), label="tiled")]
    assert (found(*cases, kinds=("gflops",)).finding == "Tiled is 2.0 times as fast as ikj, 1 core "
            "at 64"), "there is no best to choose"
    cases.append(make("cpu.serial", times(30.0), label="serial"))
    assert (found(*cases, kinds=("gflops",)).finding == "The GPU is 2.0 times as fast as the CPU "
            "at 64, best against best (tiled against ikj, 1 core)")
    cases[1] = make("gpu.tiled", times(3.0), label="tiled")
    assert (found(*cases, kinds=("gflops",)).finding == "The GPU is level with the CPU at 64, best "
            "against best (tiled against ikj, 1 core)")
    cases.append(make("gpu.tiled", times(2.0), label="pinned", scope="end-to-end",
                      host_memory="pinned", allocation="not counted"))
    assert (found(*cases, kinds=("versus",)).finding == "The GPU is level with the CPU at 64, best "
            "against best (tiled against ikj, 1 core); with transfers 1.50 times")


def test_without_anything_special_the_fastest_leads(make):
    one = found(make("cpu.ikj", times(2.0), label="ikj"),
                make("cpu.packed", times(1.0), label="packed"), kinds=("gflops",))
    assert one.finding == "packed is 2.0 times as fast as the next, ikj, at 64"
    assert found(make("cpu.ikj", label="ikj"), make("cpu.packed", label="packed"),
                 kinds=("gflops",)).finding == "ikj and packed are level at 64"


def test_what_may_not_be_shown_finds_nothing(make):
    one = found(*blocks(make, b4=2.0), make("gpu.tiled", status="crashed", label="tiled, block 32",
                                            parameters={"block": 32}), kinds=("block_size",))
    assert "32" not in one.finding
    assert (found(make(status="crashed")).finding == ""
            and found(make(status="crashed")).sentences == [
                "No point has a number that may be shown."])


@pytest.mark.parametrize("machine,name", [
    ("workstation", "quick"), ("workstation", "gpu_ladder"), ("workstation", "thread_scaling"),
    ("laptop", "quick"), ("bench", "evidence"), ("bench", "first_call"), ("bench", "noise_floor")])
def test_a_section_says_at_most_two_sentences_and_loses_none(machine, name):
    of = experiment(machine, name)
    wanted = [*specs(of, "tables"), *specs(of, "figures")]
    for view in views(of, {"kind": "summary"}, None):
        one = found_in(view, wanted)
        assert (one.finding and not one.finding.endswith(".")
                and 1 <= len(one.sentences) <= MOST_SENTENCES)
        assert len({*one.sentences, *one.more}) == len(one.sentences) + len(one.more)
        with using("zh"):
            other = found_in(view, wanted)
        assert other.finding != one.finding and len(other.sentences) == len(one.sentences)


def titles_of(name, change=lambda case: None):
    """The findings of a committed experiment of the reference machine, its points changed first."""
    folder = ROOT / "data" / "results" / "intel-xeon-nvidia-h200"
    one = load(folder, [folder / f"{name}.jsonl"]).experiments[0]
    for case in one.cases:
        change(case)
    wanted = specs(one, "tables") + specs(one, "figures")
    return [found_in(view, wanted) for view in views(one, {"kind": "summary"}, None)]


def test_a_title_says_what_is_unsound_about_its_two_points():
    (loops,) = titles_of("cpu_loops")
    assert loops.finding.endswith(
        "at 2048 (11 threads against 1; 1 sample); the largest step is ikj, 38 times OpenMP (1 "
        "sample)"), "OpenMP ran as many threads as ikj"
    assert len(loops.cases) == 2
    assert any("(multi, sharded; the clock was held down on one side)" in one.finding
               for one in titles_of("multi_gpu_strong"))
    assert ("OpenMP, 256 threads at 2048 (threads not bound to cores, 3 samples)"
            in titles_of("published_lab")[0].finding)


def test_the_title_of_a_contest_rests_on_a_sound_pair_or_says_that_none_is():
    def loosen(case):
        if case.device == "cpu":
            case.pinned, case.threads_actual = False, 16

    assert titles_of("cpu_vs_gpu")[0].finding == (
        "The GPU is 36 times as fast as the CPU at 4096, best against best (pipelined against "
        "packed, 16 threads (8 cores' worth)); with transfers 15 times")
    assert "(threads not bound to cores" in titles_of("cpu_vs_gpu", loosen)[0].finding


def test_the_title_of_a_contest_gives_the_range_over_the_hosts_of_the_folder():
    folder = ROOT / "data" / "results" / "intel-xeon-nvidia-h200"
    every = load(folder,
                 [folder / f"{name}.jsonl" for name in ("cpu_vs_gpu", "cpu_matrix")]).experiments
    one = next(one for one in every if one.name == "cpu_vs_gpu")
    (view, *_) = views(one, {"kind": "summary"}, None)
    assert (found_in(view, specs(one, "tables")).finding == "The GPU is 29 to 37 times as fast as "
            "the CPU at 4096, by host and run, best against best; with transfers 12 to 15 times")


@pytest.mark.parametrize(("fault", "told"),
                         [({"sample_count": 3}, "3 samples"),
                          ({"pinned": False, "threads_actual": 16}, "threads not bound to cores"),
                          ({"of_ceiling": 1.2}, "above its ceiling"),
                          ({"throttled": True}, "the clock was held down on one side")])
def test_every_ratio_in_a_sentence_says_what_is_unsound_of_its_points(make, fault, told):
    sound, other = make("cpu.ikj", times(3.0)), make("cpu.packed", times(1.5))
    assert (said_times(speedup(sound, other)).startswith("2.00 times")
            and told not in said_times(speedup(sound, other)))
    assert said_times(speedup(sound, replace(other, **fault))).endswith(f" ({told})")


def test_a_mean_over_libraries_is_told_without_its_unsound_points_too():
    (one,) = titles_of("cpu_peers")
    assert ("0.97 times in geometric mean (0.957 over the 15 with nothing unsound), 0.94 without "
            "the 9 of the group “squares, all cores”, 0.89 over the 3 of the group “large squares, "
            "all cores”, 0.84 at worst (3000, 0.796 by the medians)" in one.finding)
    (gpu,) = titles_of("gpu_peers")
    assert any("on one side at 16384" in text or "on one side at 4096" in text
               for text in (*gpu.sentences, *gpu.more))


def test_a_library_on_other_threads_is_told_as_such():
    (one,) = titles_of("blas1")
    assert any("7.14 times the rate of OpenBLAS (16 threads against 1)" in text
               for text in (*one.sentences, *one.more))


def test_the_one_block_size_that_a_library_was_measured_with_is_told():
    texts = [text for one in titles_of("multi_gpu_strong") for text in (*one.sentences, *one.more)]
    assert any("as fast as cuBLASXt (blocks of 4096, the only ones measured)" in text
               for text in texts)
    assert any("cuBLASXt, host, blocks of 8192” (of blocks of 4096 and 8192, the only ones measured)"
               in text for one in titles_of("multi_gpu_host") for text in one.sentences)


def test_what_ran_plain_kernels_is_not_told_as_matrix_units_and_a_mean_stands_with_its_worst():
    texts = [text for one in titles_of("gpu_batched") for text in (*one.sentences, *one.more)]
    (told,) = [text for text in texts if "geometric mean" in text]
    assert "one launch 53,453" in told, "the plain line stands beside the split one"
    assert ("1.33 times in geometric mean over 24 instances, 0.736 at worst (33×65×67×129); 19 of "
            "them ran kernels of plain FP32" in told)


def test_a_crossing_of_densities_says_at_which_size_and_on_which_points_it_stands():
    (one,) = titles_of("spmv")
    assert ("48 % on the GPU (8192×8192, not paired)" in one.finding
            and "(4096×4096, threads not bound to cores, not paired)" in one.finding)


def test_a_title_says_that_its_two_points_share_no_rounds(make):
    gpu, cpu = (make(name, times(seconds), group=name[:3])
                for name, seconds in (("gpu.tiled", 1e-3), ("cpu.packed", 1.0)))
    alone = found(gpu, cpu, kinds=("versus",))
    assert "(not paired)" in alone.finding and "; not paired)" in alone.sentences[0]
    beside = found(gpu, replace(cpu, group="gpu"), kinds=("versus",))
    assert "not paired" not in " ".join((beside.finding, *beside.sentences))


def test_a_library_that_ties_with_the_last_rung_is_told_to_tie(make):
    *rungs, library = ladder(make)
    level = make(library.implementation, times(1.5), label="cublas", place=4, chosen=library.chosen)
    (told, *_) = found(*rungs, level, kinds=("ladder_bars",)).sentences
    assert told.endswith("cuBLAS 1.00 times [1.00, 1.00] (a tie) as fast as that.")


def test_threads_stand_at_the_ratio_that_they_differ_in(make):
    names = ("cpu.serial", 8.0, 1), ("cpu.openmp", 6.0, 11), ("cpu.ikj", 1.0, 11)
    one = found(*(make(name, times(seconds), label=name, place=place,
                       parameters={"threads": threads}, threads_actual=threads)
                  for place, (name, seconds, threads) in enumerate(names)), kinds=("ladder_bars",))
    assert one.finding == ("ikj is 8.0 times as fast as serial at 64 (11 threads against 1); the "
                           "largest step is ikj, 6.0 times OpenMP")


def test_a_step_that_makes_good_a_loss_is_named_beside_the_largest_of_the_climb():
    assert ("over the rung before it bank-conflict free, 13 times coalesced"
            in titles_of("published_paper")[0].finding)
    assert "over the rung before it" not in titles_of("gpu_ladder")[0].finding
