"""What the report answers first: sentence, numbers, badges, questions, lines, tables and
figures."""

from __future__ import annotations

import csv
import gzip
import io
import json
from dataclasses import replace
from pathlib import Path

import make_versus
import pytest
from english_left import english_in
from sample_records import DATA, ROOT, make_case, read

from analysis.answer.curves import curves_of, energy_finding, left_out_text, versus_finding
from analysis.answer.energy import Spent, cpu_unreadable, spent_of
from analysis.answer.headline import clause, headline_of, numbers, over_loops
from analysis.answer.names import cores_of, rounded, sizes_text
from analysis.answer.over_hosts import faster_text, over_hosts, passed_over, told_together
from analysis.answer.pairs import BEST, PLAIN, matches_of
from analysis.answer.points import contest_in, contest_of
from analysis.tables.tables import Table
from language import using
from records.cases.cores import Processors
from records.loading import Experiment, Results, find_files, load
from records.reference import load_reference
from records.schema.operations import is_square
from records.view import View
from report.__main__ import main
from report.asked.wanted import views
from report.pages.table_text import csv_text, make
from report.summary.answer import WIDTH, answer_of
from report.summary.exhibits import summary_of

REFERENCE = ROOT / "data" / "results" / "intel-xeon-nvidia-h200"


def loaded(folder: Path) -> Results:
    return load(folder, find_files(folder))


@pytest.fixture(scope="module", name="versus")
def _versus(tmp_path_factory) -> Results:
    return loaded(make_versus.write(tmp_path_factory.mktemp("versus")))


@pytest.fixture(scope="module", name="metered")
def _metered(tmp_path_factory) -> Results:
    return loaded(make_versus.write(tmp_path_factory.mktemp("metered"), rapl=True))


def table(results: Results, kind: str, group: str = "pairs") -> Table:
    return make(views(results.experiments[0], {"kind": kind, "group": group}, None)[0])


def cells(made: Table) -> dict[tuple[str, ...], dict[str, tuple[str, float | None]]]:
    return {row.heads: {column: (cell.text, cell.value)
                        for column, cell in zip(made.columns, row.cells)} for row in made.rows}


def told_in(results: Results, exhibit: str, reference: Results | None = None) -> str:
    """The sentences of that exhibit of the summary."""
    return " ".join(next(one for one in summary_of(results, reference)
                         if one.name == exhibit).sentences)


def test_the_sentence_says_how_much_and_from_where(versus):
    answer = answer_of(versus, None)
    assert answer.sentence.startswith("On 4096×4096 matrices in plain float32 the H200's best kernel is "
                                      "35 times as fast as the best on 16 cores (MKL)")
    assert ("with transfers (pinned) it pays from N = 3" in answer.sentence
            and " on, from pageable memory from " in answer.sentence)
    assert (answer.borrowed is None and answer.machine == "NVIDIA H200 + Intel Xeon Platinum 8480+"
            and not answer.missing)


def test_four_numbers_each_with_its_interval_and_what_was_compared(versus):
    numbers = answer_of(versus, None).numbers
    assert [number.value[-1] for number in numbers] == ["×", "×", numbers[2].value[-1], "J"]
    assert (numbers[0].value == "35×" and numbers[0].detail.startswith("[")
            and "cuBLAS against MKL, 16 cores" in numbers[0].detail)
    assert "pageable" in numbers[1].detail and numbers[2].value.startswith("N = ")
    assert (numbers[3].detail.endswith("the CPU's cannot be read here")
            and "card alone" in numbers[3].label)
    assert [number.anchor for number in numbers] == ["speedup", "transfers", "speedup", "energy"]


def test_badges_name_host_card_scope_cache_and_date(versus):
    badges = dict(answer_of(versus, None).badges)
    assert list(badges) == ["Product", "Host", "Card", "Scope", "Cache", "Load", "Date"]
    assert (badges["Card"] == "NVIDIA H200" and badges["Date"] == "2026-11-22"
            and badges["Cache"] == "cold")
    assert ("16 cores" in badges["Host"]
            and badges["Scope"] == "kernel and end to end (pinned, pageable)")


def test_the_readers_questions_are_answered_with_numbers(versus):
    sizes = told_in(versus, "speedup")
    assert ("Best against best, the GPU wins by its kernel from N = " in sizes
            and "A plain kernel against plain loops on all cores wins by" in sizes)
    moved = told_in(versus, "transfers")
    assert (moved.startswith("Yes, with transfers from pinned memory from N = ")
            and "Products with the same A and B pay from" in moved)
    library = told_in(versus, "gflops")
    assert (library.startswith("CPU library: MKL, 16 cores, the fastest of ")
            and "OpenBLAS 1.2.3" in library and "oneDNN 1.2.3" in library)
    assert ("600 W" in told_in(versus, "energy")
            and "cannot be read here" in told_in(versus, "energy"))


def test_ladder_and_block_are_answered_from_their_own_experiments():
    exhibits = {one.name: one for one in summary_of(loaded(REFERENCE), None)}
    assert ("From naive to pipelined 256×128: 9.33 times at 4096"
            in exhibits["steps-gpu"].sentences[0])
    assert ("From serial to packed: 60.3 times at 1000 (3 samples); the largest step is ikj (×5.38; "
            "3 samples" in exhibits["steps-cpu"].sentences[0].replace("With AVX-512, from", "From"))
    assert "A 32×32 tile is 1.11 times as fast as 16×16" in exhibits["block-size"].sentences[0]
    assert "Why is a 4×4 tile slower than naive?" in exhibits["block-size"].sentences[1]
    assert (exhibits["steps-gpu"].more == "gpu_ladder"
            and exhibits["block-size"].more == "block_size")


def test_a_machine_without_a_gpu_tells_of_its_cpu_first_and_behind_it_of_the_reference(tmp_path,
                                                                                       versus):
    own = loaded(make_versus.write(tmp_path, gpu=False))
    answer = answer_of(own, versus)
    assert answer.sentence.startswith("At 8192 MKL on 8 cores reaches 727 GFLOP/s; at 1024 "
                                      "MKL is 367 times as fast as three plain loops; 8 cores make "
                                      "MKL 6.4 times as fast as one.")
    assert (answer.sentence.endswith(" No GPU was measured here.")
            and answer.machine == "AMD Ryzen 7 5800U")
    assert [number.anchor for number in answer.numbers] == ["gflops", "steps-cpu",
                                                            "threads"], "its own numbers alone"
    assert dict(answer.badges)["This machine"] == "AMD Ryzen 7 5800U, 8 cores"
    behind = answer.borrowed
    assert behind.sentence.startswith("On the reference machine (NVIDIA H200 + Intel Xeon Platinum "
                                      "8480+), on 4096×4096")
    assert (behind.numbers == answer_of(versus, None).numbers
            and dict(behind.badges)["Card"] == "NVIDIA H200")


def test_anchors_lead_to_exhibits_that_there_are(tmp_path, versus):
    for results, reference in ((versus, None),
                               (loaded(make_versus.write(tmp_path, gpu=False)), versus)):
        answer, there = answer_of(results, reference), {one.name
                                                        for one in summary_of(results, reference)}
        numbers = [*answer.numbers, *(answer.borrowed.numbers if answer.borrowed else ())]
        assert numbers and {number.anchor for number in numbers} <= there


@pytest.mark.parametrize(("fault", "told"), [
    ({"pinned": False, "threads_actual": 16}, "(MKL, threads not bound to cores)"),
    ({"throttled": True}, "(MKL, the clock was held down on one side)")])
def test_a_headline_says_what_is_unsound_about_its_baseline(versus, fault, told):
    contest = contest_of(versus)
    unsound = tuple(replace(case, **fault) if case.device == "cpu" else case
                    for case in contest.cases)
    for cases, there in ((contest.cases, False), (unsound, True)):
        one = replace(contest, cases=cases)
        headline = headline_of(one)
        assert ((told in clause(headline)) is there
                and (told[6:-1] in numbers(headline)[0].detail) is there)


@pytest.mark.parametrize(("others", "told"), [
    ({"faster": 0.5}, "17 to 35 times as fast as the best on 16 cores; "),
    ({"alike": 1.03}, "is 35 times as fast as the best on 16 cores (MKL)"),
    ({}, "is 35 times as fast as the best on 16 cores (MKL)")])
def test_a_headline_gives_the_range_over_the_hosts_that_measured_its_baseline(versus, others, told):
    contest = contest_of(versus)
    base = headline_of(contest).best["kernel"].cpu
    beside = tuple(replace(base, host=host, samples_s=[one * share for one in base.samples_s],
                           measured_s=base.median_s * share) for host, share in others.items())
    unlike = replace(base, host="loops", implementation="cpu.serial", name_parts=("serial",),
                     run_id="theirs", measured_s=base.median_s * 1.2)
    one = headline_of(replace(contest, beside=(base, *beside, unlike)))
    assert told in clause(one), "a host that measured other code only says nothing of the best"
    assert ("; not counted: 42 by serial on host loops, cold cache: no MKL on 16 threads there; "
            in numbers(one)[0].detail), "but that it is left out is told, with why"
    ranges = clause(one).endswith(" (ranges are over hosts and runs)")
    assert ("timed together" in numbers(one)[0].detail) is ("faster" in others) is ranges
    assert ("; 17 by MKL on host faster" in numbers(one)[0].detail) is ("faster" in others)


@pytest.mark.parametrize(
    ("fault", "told"), [({"pinned": False, "threads_actual": 16}, "threads not bound to cores"),
                        ({"cache": "warm"}, "")])
def test_the_range_is_of_sound_points_and_others_are_named_beside_it(versus, fault, told):
    contest = contest_of(versus)
    base = headline_of(contest).best["kernel"].cpu
    other = replace(base, host="faster", samples_s=[one / 2 for one in base.samples_s],
                    measured_s=base.median_s / 2, **fault)
    planted = replace(contest, beside=(base, other))
    one = headline_of(planted)
    match, detail = one.best["kernel"], numbers(one)[0].detail
    if not told:
        assert over_hosts(match, planted).low == pytest.approx(match.ratio.value / 2, rel=0.02)
        assert ("17 by MKL on host faster, warm cache" in detail
                and "left out" not in detail), "another cache is named where it counts"
    else:
        assert over_hosts(match, planted) is None and passed_over(match, planted) == [other]
        assert ("35 times as fast" in clause(one)
                and f"left out: 17 by MKL on host faster, cold cache, {told}" in detail)


def test_a_ceiling_that_another_run_passed_drops_no_point_of_the_committed_headline():
    """packed took 94.6 ms, 1.027 of its own run's ceiling; nine minutes later the host's was 1.29
    times as high. MKL's 74.9 ms are 1.17 of its run's, and 1.03, less than its interval, of the
    highest there."""
    one = headline_of(contest_of(loaded(REFERENCE)))
    first = numbers(one)[0]
    assert first.value == "29 to 37×" and "29 to 37 times as fast" in clause(one)
    assert ("timed together 36.5 " in first.detail and "left out" not in first.detail
            and "; 29 by MKL on host 766d76a7, warm cache, 117 % of its run's ceiling; pipelined"
            in first.detail), "the mark of a point follows it into the range"


@pytest.mark.parametrize(("fault", "low"), [
    ({}, 17.5), ({"samples_s": [1.0] * 5, "sample_count": 5}, None),
    ({"pinned": False, "threads_actual": 16}, None)])
def test_a_point_above_its_ceiling_is_told_where_it_lessens_the_gpu_s_gain(versus, fault, low):
    """Planted on another host: half the time, and 1.2 times its ceiling. To leave it out would
    flatter the GPU; what is unsound in another way stays out."""
    contest = contest_of(versus)
    base = headline_of(contest).best["kernel"].cpu
    half = [one / 2 for one in base.samples_s]
    other = replace(base, **({"samples_s": half} | fault | {
        "host": "faster", "measured_s": base.median_s / 2, "of_ceiling": 1.2, "of_highest": 1.2,
        "ci95_s": None}))
    one = headline_of(replace(contest, beside=(base, other)))
    found, detail = over_hosts(one.best["kernel"], one.contest), numbers(one)[0].detail
    if low is None:
        assert found is None and "left out: " in detail and "above its ceiling" in detail
    else:
        assert found.low == pytest.approx(low, rel=0.03)
        assert "; 17 by MKL on host faster, cold cache, above its ceiling" in detail


def quicker(contest, share, sizes, **more):
    """The CPU's best at these sizes on another host, at that share of its time there."""
    found = [match.cpu for match in matches_of(BEST, contest) if match.shape[0] in sizes]
    return tuple(replace(case, **({"host": "faster", "measured_s": share * case.median_s,
                                   "samples_s": [share * one for one in case.samples_s],
                                   "ci95_s": tuple(share * end for end in case.ci95_s)} | more))
                 for case in found)


def test_a_break_even_is_a_range_over_hosts_and_caches(versus):
    contest = contest_of(versus)
    plain_one = headline_of(contest)
    every = [match.shape[0] for match in matches_of(BEST, contest) if is_square(match.shape)]
    own = plain_one.crossings["pinned"].own
    beside = quicker(contest, 0.5, every, cache="warm")
    one = headline_of(replace(contest, beside=beside))
    found = one.crossings["pinned"]
    other = found.later
    assert found.own == own and other.found.size > 1.2 * own.size
    assert found.sizes == f"{sizes_text(own.size)} to {sizes_text(other.found.size)}"
    text, third = clause(one), numbers(one)[2]
    assert f"it pays from N = {found.sizes} on" in text
    assert text.endswith(" (ranges are over hosts and runs)")
    assert third.value == f"N = {found.sizes}"
    assert f"({sizes_text(other.found.size)} by " in third.detail and (
        " on host faster, warm cache" in third.detail)


def over_link(contest, name, seconds, **more):
    """A kernel's pageable points on another host, each so much slower, with its kernels there."""
    found = [case for case in contest.cases if case.implementation == name
             and case.group == "pairs" and case.host_memory in (None, "pageable")
             and case.scope in ("kernel", "end-to-end")]
    return [replace(case, **({
        "host": "slower", "run_id": "theirs", "measured_s": case.median_s + late,
        "samples_s": [one + late for one in case.samples_s],
        "ci95_s": tuple(end + late for end in case.ci95_s)} | more))
        for case in found for late in [seconds if case.host_memory else 0.0]]


@pytest.mark.parametrize(("name", "fault"), [
    ("gpu.cublas", {}), ("gpu.naive", {}), ("gpu.cublas", {"card": "another"}),
    ("gpu.cublas", {"samples_s": [1.0] * 5, "sample_count": 5})])
def test_a_slower_link_of_another_host_takes_part_in_the_range(versus, name, fault):
    """Planted: transfers that take as long again as the match's whole time, of the match's kernel
    and of another, whose kernel's own time is not counted; on another card, or of 5 samples."""
    contest = contest_of(versus)
    match = headline_of(contest).best["pageable"]
    assert match.gpu.implementation == "gpu.cublas" and over_hosts(match, contest) is None
    late = match.gpu.median_s
    planted = replace(contest, beside=(*contest.cases, *over_link(contest, name, late, **fault)))
    one, found = headline_of(planted), over_hosts(match, planted)
    if fault:
        assert found is None and one.crossings["pageable"].later is None
        return
    assert found.high == match.ratio.value
    assert found.low == pytest.approx(match.ratio.value / 2, rel=0.05)
    later = one.crossings["pageable"].later
    assert later.link == "slower" and " on, from pageable memory from " in clause(one)
    assert "transfers as on host slower" in numbers(one)[2].detail and (
        clause(one).endswith(" (ranges are over hosts and runs)"))
    told = f"pageable {found}× ({rounded(found.low)} by MKL on host "
    assert told in numbers(one)[1].detail and "on host slower" in numbers(one)[1].detail


def test_the_kernel_pays_at_all_sizes_only_where_it_does_with_each_host(versus):
    """Planted: the CPU's best of 64 and 128 in a hundredth of the time on another host."""
    contest = contest_of(versus)
    squares = [match for match in matches_of(BEST, contest) if is_square(match.shape)]
    won = [match for match in squares if match.won][:2]
    only = replace(contest, cases=tuple(case for case in contest.cases
                                        if case.shape[0] >= won[0].shape[0]))
    first = headline_of(only).crossings["kernel"]
    assert first.own.always and first.later is None and first.sizes.startswith("all sizes (from ")
    sizes = [match.shape[0] for match in won]
    planted = (*quicker(contest, 0.9 / won[0].ratio.value, sizes[:1]),
               *quicker(contest, 1.0, sizes[1:]))
    found = headline_of(replace(only, beside=planted)).crossings["kernel"]
    assert found.later and found.sizes.startswith(f"{sizes[0]} to ")
    assert found.text.startswith(f"{sizes[0]} (the smallest measured; ")
    assert " on host faster" in found.text


def test_a_machine_without_a_gpu_tells_of_the_reference_what_its_own_report_tells():
    other = ROOT / "data" / "results" / "amd-epyc-avx512"
    theirs, own = (answer_of(loaded(other), load_reference(REFERENCE, other)).borrowed,
                   answer_of(loaded(REFERENCE), None))
    assert (theirs.numbers == own.numbers
            and own.sentence[0].lower() + own.sentence[1:] in theirs.sentence)


def test_a_sound_pair_of_another_group_stands_in_for_an_untold_together(versus):
    """The best is unbound, and another group timed a bound library beside the same kernel."""
    contest = contest_of(versus)
    match = headline_of(contest).best["kernel"]
    loose = replace(match.cpu, pinned=False, threads_actual=16)
    bound, kernel = (replace(case, group="again", case_id=f"{case.case_id}2") for case in (
        replace(match.cpu, measured_s=1.01 * match.cpu.median_s), match.gpu))
    cases = tuple(loose if case is match.cpu else case for case in contest.cases)
    assert told_together(
        replace(match, cpu=loose),
        replace(contest, cases=cases)).cpu.implementation == "cpu.onednn", "the next of its group"
    found = told_together(replace(match, cpu=loose),
                          replace(contest, cases=(*cases, bound, kernel)))
    assert found.cpu is bound and found.gpu is kernel
    faster = replace(bound, measured_s=0.9 * match.cpu.median_s)
    found = told_together(replace(match, cpu=loose), replace(contest, cases=(*(
        case for case in cases if case.device == "gpu" or case is loose), faster)))
    assert found.cpu is faster and found.gpu is match.gpu and found.ratio.not_paired, (
        "a sound and faster CPU of a group without the kernel")
    assert told_together(match, replace(contest,
                                        cases=(*cases, bound, kernel))) is match, "its own is sound"


def test_a_faster_point_of_the_match_s_own_group_is_named_too(versus):
    """Planted: at half the time, above its ceiling, in three of the rounds of its group."""
    contest = contest_of(versus)
    match = headline_of(contest).best["kernel"]
    assert faster_text(match, contest) == ""
    faster = replace(match.cpu, case_id="planted", measured_s=match.cpu.median_s / 2,
                     samples_s=[one / 2 for one in match.cpu.samples_s[:3]],
                     rounds=match.cpu.rounds[:3], of_ceiling=1.2, ci95_s=None)
    told = faster_text(match, replace(contest, cases=(*contest.cases, faster)))
    assert told.startswith(f"in the group {match.cpu.group} 17 by MKL on host ")
    assert told.endswith(f", above its ceiling, in 3 of {len(match.cpu.samples_s)} rounds")


def test_a_host_without_the_baseline_counts_where_it_is_faster(versus):
    contest = contest_of(versus)
    base = headline_of(contest).best["kernel"].cpu
    unlike = replace(base, host="other", implementation="cpu.packed", measured_s=base.median_s / 2,
                     samples_s=[one / 2 for one in base.samples_s])
    one = headline_of(replace(contest, beside=(base, unlike)))
    assert "17 to 35 times as fast" in clause(one)
    assert "not counted" not in numbers(one)[0].detail
    more = replace(unlike, parameters=unlike.parameters | {"threads": 64})
    other = headline_of(replace(contest, beside=(base, more)))
    assert "is 35 times as fast" in clause(other), "a larger machine is another question's"


def test_a_number_of_another_group_than_its_row_says_of_which_it_is():
    """At 4096 a pair of the group "energy" is told of, as the one of "pairs" is unbound."""
    table = dict(summary_of(loaded(REFERENCE), None)[0].tables)["speedup"]
    cells = {row.heads[0]: row.cells[0] for row in table.rows}
    note = table.notes[cells["4096"].note - 1]
    assert cells["4096"].text == "36.5" and note.startswith("of the group energy; 41 by MKL, threads")
    assert "in the group pairs" in note
    assert not any("of the group" in table.notes[cell.note - 1] for size, cell in cells.items()
                   if cell.note and size != "4096")


def test_cores_are_worth_what_they_were_to_the_point_s_own_run(versus):
    """Of the committed host one run saw 8 cores' worth, the other 10."""
    one = headline_of(contest_of(loaded(REFERENCE)))
    own = {cores_of(case) for case in one.contest.cases
           if case.device == "cpu" and len(set(case.cores)) == 16}
    assert own == {"16 threads (8 cores' worth)", "16 threads (10 cores' worth)"}
    assert "on 16 threads (8 to 14 cores' worth, by run)" in clause(one), "over the range's points"
    assert numbers(one)[0].detail.endswith("against packed, 16 threads (8 cores' worth)")
    base = replace(one.best["kernel"].cpu, processors=Processors(16, 8.0, True, ()))
    assert cores_of(base, replace(base, processors=Processors(16, 10.0))) == (
        "16 threads (8 to 10 cores' worth, by run)")


def test_a_plain_kernel_s_gain_is_told_over_the_sizes_around():
    """The committed records: loops collapse at 1024, and 895 times is that one size's."""
    one = headline_of(contest_of(loaded(REFERENCE)))
    span, sizes, less = one.plain_span
    gains = {match.shape[0]: match.ratio.value for match in matches_of(PLAIN, one.contest)
             if is_square(match.shape)}
    assert (span.low == min(gains[size] for size in sizes)
            and span.high == max(gains[size] for size in sizes) > 3 * gains[725])
    assert f"A plain kernel is {span} times as fast as plain loops on 16" in over_loops(one)
    assert (less.shape[0] == 64 and less.ratio.value == min(gains.values())
            and over_loops(one).endswith("; 3.2 at 64)."))


def test_two_hosts_of_one_folder_are_never_mixed_into_an_answer():
    cases = [make_case("cpu.ikj", host="a", run_id="a"),
             make_case("gpu.naive", samples=(1.0,) * 7, host="b", run_id="b")]
    results = Results(Path("r"), [Experiment("e", Path("e"), [{"run_id": "a", "host": {"id": "a"}},
                                                              {"run_id": "b", "host": {"id": "b"}}],
                                             cases)], [])
    answer = answer_of(results, None)
    assert "./gemmlab run cpu_vs_gpu" in answer.sentence and not answer.numbers and answer.missing


def test_where_the_cpu_wins_the_gpu_is_not_said_to(make):
    cases = [make(name, samples=(seconds,) * 7, size=size) for size in (64, 128)
             for name, seconds in (("cpu.ikj", 1.0), ("gpu.naive", 2.0))]
    results = Results(Path("r"), [Experiment("e", Path("e"), [{"run_id": "r"}], cases)], [])
    answer = answer_of(results, None)
    assert "2.0 times slower than the best on 1 core (ikj)" in answer.sentence
    assert (answer.numbers[1].value == "never"
            and "at no size up to N = 128" in told_in(results, "speedup"))


def test_a_tie_is_told_as_one(make):
    near = (1.0, 1.01, 0.99, 1.02, 0.98, 1.0, 1.01, 0.99, 1.0)
    cases = [make("cpu.ikj", samples=near), make("gpu.naive", samples=near[::-1])]
    answer = answer_of(
        Results(Path("r"), [Experiment("e", Path("e"), [{"run_id": "r"}], cases)], []), None)
    assert "level with" in answer.sentence and answer.numbers[0].value == "level"


def test_what_is_not_resolved_is_called_so_in_its_box(make):
    wide = (0.7, 0.8, 0.9, 0.9, 1.2, 1.3, 1.4)
    answer = answer_of(Results(Path("r"), [Experiment("e", Path("r"), [{"run_id": "r"}], [
        make("cpu.openblas", samples=(1.0,) * 7), make("gpu.pipelined", samples=wide)])], []), None)
    assert "×" in answer.numbers[0].value and "not resolved" in answer.numbers[0].detail


@pytest.mark.parametrize("results", [Results(Path("r"), [], []),
                                     Results(Path("r"), [Experiment("e", Path("e"))], [])])
def test_records_of_nothing_say_what_to_run(results):
    answer = answer_of(results, None)
    assert "./gemmlab run cpu_vs_gpu" in answer.sentence and not answer.numbers
    assert summary_of(results, None) == []


@pytest.mark.parametrize("machine", ["workstation", "laptop", "bench"])
def test_the_lines_of_a_terminal_are_short_and_plain(machine, versus):
    for lines in (answer_of(read(machine), versus).lines, answer_of(versus, None).lines):
        assert 1 <= len(lines) <= 3
        assert all(line.isascii() and 0 < len(line) <= WIDTH for line in lines), lines


def test_a_name_beyond_ascii_breaks_no_terminal(make):
    cases = [make("cpu.größe", samples=(2.0,) * 7), make("gpu.naive", samples=(1.0,) * 7)]
    lines = answer_of(
        Results(Path("r"), [Experiment("e", Path("e"), [{"run_id": "r"}], cases)], []), None).lines
    assert "gr??e" in lines[0] and all(line.isascii() for line in lines)


def test_a_report_ends_with_the_answer_in_the_terminal(tmp_path, capsys):
    assert main(["build", str(make_versus.write(tmp_path / "versus")), "--output",
                 str(tmp_path / "report"), "--no-pdf"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("N = 4096: cuBLAS on the GPU is 35 times as fast as MKL, 16 cores")
    assert (told[1].startswith("The GPU wins from: kernel N = ")
            and told[2].startswith("Energy at 8192: card "))
    assert told[3] == f"Report: {tmp_path / 'report' / 'report.html'}"
    for name in ("versus", "break_even", "reuse", "energy"):
        assert (tmp_path / "report" / "tables" / f"cpu_vs_gpu-{name}.csv").is_file(), name
    for name in ("answer-gpu_over_cpu", "summary-energy"):
        assert (tmp_path / "report" / "figures" / f"{name}.svg").is_file(), name
    assert not (tmp_path / "report" / "figures"
                / "cpu_vs_gpu-energy.svg").exists(), "a figure of the summary is drawn once"


def test_versus_has_a_row_a_pairing_and_size_and_names_both_sides(versus):
    made = table(versus, "versus")
    rows = cells(made)
    assert made.columns == ("kernel", "call", "end to end (pinned)", "end to end (pageable)")
    best = rows["4096", "best against best", "MKL, 16 cores", "cuBLAS"]
    assert (best["kernel"][1] == pytest.approx(34.6, rel=0.02)
            and best["end to end (pageable)"][1] < best["end to end (pinned)"][1])
    assert any(heads[1] == "best at FP32's accuracy against the GPU's matrix units"
               for heads in rows)
    assert not any(heads[:2] == ("4096", "plain loops, one core")
                   for heads in rows), "the serial loop was skipped there"
    assert "CPU libraries compared:" in made.caption and "MKL" in made.caption


def test_break_even_gives_the_bracket_of_measured_sizes(versus):
    rows = cells(table(versus, "break_even"))
    pinned = rows["best against best", "end to end (pinned)"]
    assert pinned["largest size not won"][1] == 256 and pinned["won from there on"][1] == 512
    assert 256 < pinned["GPU wins from N"][1] < 512
    always = rows["plain loops, all cores", "kernel"]
    assert (always["GPU wins from N"][0] == "all sizes (from 64)"
            and always["largest size not won"][0] == "–")


def test_reuse_falls_with_size_and_is_never_where_the_kernel_loses(versus):
    rows = {heads[0]: one for heads, one in cells(table(versus, "reuse")).items()}
    assert rows["64"]["end to end (pinned)"][0] == "never"
    assert (rows["128"]["end to end (pinned)"][1] >= rows["256"]["end to end (pinned)"][1] >= 1
            == rows["4096"]["end to end (pinned)"][1])
    assert rows["256"]["end to end (pageable)"][1] > rows["256"]["end to end (pinned)"][1]


def test_energy_is_joules_and_gflop_per_joule_with_its_source(metered, versus):
    rows = dict(cells(table(metered, "energy", "energy")).items())
    heads, one = next((heads, one) for heads, one in rows.items() if heads[:2] == ("8192", "cuBLAS")
                      and heads[2] == "kernel")
    assert (one["W"][1] == pytest.approx(600, rel=1e-3)
            and heads[3] == "the card's energy counter (NVML)")
    assert one["GFLOP/s per watt"][1] == pytest.approx(2e-9 * 8192**3 / one["J per product"][1])
    cpu = next(one for heads, one in rows.items() if heads[:2] == ("8192", "OpenBLAS, 16 cores"))
    assert cpu["W"][1] == pytest.approx(250, rel=1e-3)
    without = table(versus, "energy", "energy")
    assert make_versus.REASON in without.caption and not any("cores" in row.heads[1]
                                                             for row in without.rows)
    assert "the card alone" in without.caption


def test_energy_that_its_samples_told_is_power_over_the_median():
    case = make_case("gpu.naive", energy_j_per_call=6.0, energy_source="integrated power")
    assert (Spent(case).watts == 3.0
            and Spent(case).gflop_per_joule == pytest.approx(2e-9 * 64**3 / 6))


def test_a_longer_reading_of_the_same_kernel_stands_beside_the_energy(metered):
    contest = contest_of(metered)
    plain_one = headline_of(contest)
    own = plain_one.thriftiest("gpu").case
    longer = replace(own, host="another", energy_s=9.0, energy_calls=9, energy_j_per_call=77.0)
    unlike = replace(longer, distribution="zeros", energy_s=99.0)
    told = [numbers(headline_of(replace(contest, beside=beside)))[3].detail
            for beside in ((own,), (own, longer, unlike))]
    assert "another" not in told[0] and "77.0 J over 9.00 s on host another" in told[1]


def test_no_energy_of_a_point_that_is_not_shown_or_was_disturbed():
    told = {"energy_j_per_call": 6.0, "energy_source": "nvml counter"}
    assert spent_of([make_case("gpu.naive", **told, status="incorrect"),
                     make_case("gpu.tiled", **told, steal_s=9.0)]) == []
    assert cpu_unreadable({"host": {"rapl_unavailable": "no permission"}},
                          []) == "cannot be read here: no permission"
    assert cpu_unreadable({}, []) == "was not read"


def test_the_figures_title_is_the_finding(versus, metered):
    view = views(versus.experiments[0], {"kind": "gpu_over_cpu", "group": "pairs"}, None)[0]
    assert versus_finding(view).startswith("At 4096 the GPU is 35 times as fast as the CPU's best; "
                                           "with transfers (pinned) it pays from N = ")
    energy = views(metered.experiments[0], {"kind": "energy", "group": "energy"}, None)[0]
    assert energy_finding(energy).startswith("At 8192 cuBLAS takes 12.9 J per product, OpenBLAS on "
                                             "16 cores ")


def test_the_figure_draws_best_and_plain_by_scope_and_no_disturbed_point(versus):
    view = views(versus.experiments[0], {"kind": "gpu_over_cpu", "group": "pairs"}, None)[0]
    curves = curves_of(contest_in(view))
    assert [(curve.plain, curve.way) for curve in curves] == [
        (plain, way) for plain in (False, True) for way in ("kernel", "pinned", "pageable")]
    calm = curves[0].points
    disturbed = tuple(replace(case, steal_s=9.0) if case.m == 1024 else case for case in view.cases)
    assert ([size for size, _ in curves_of(contest_in(replace(view, cases=disturbed)))[0].points]
            == [size for size, _ in calm if size != 1024])
    count = sum(case.m == 1024 and case.shown for case in view.cases)
    assert (left_out_text(replace(view, cases=disturbed)) == f"{count} disturbed points are not "
            "used." and not left_out_text(view))


def test_a_view_without_both_devices_says_so():
    view = View("e", "versus", "A title", (make_case("cpu.ikj"),), {})
    for kind in ("versus", "break_even", "reuse"):
        assert "nothing can be compared" in make(replace(view, kind=kind)).caption
    assert list(csv.reader(io.StringIO(csv_text(make(view)))))


def test_a_chinese_answer_is_chinese_where_there_is_chinese(versus, tmp_path):
    with using("zh"):
        for answer in (answer_of(versus, None),
                       answer_of(loaded(make_versus.write(tmp_path, gpu=False)), versus)):
            told = [answer.sentence, *answer.lines,
                    *(part for number in answer.numbers for part in (number.label, number.detail))]
            assert english_in("\n".join(told)) == set()


@pytest.mark.parametrize("disturbed", ["all", "few"])
def test_a_machine_that_was_busy_throughout_has_an_answer_all_the_same_and_says_so(tmp_path,
                                                                                   disturbed):
    lines = [json.loads(line) for line in gzip.decompress((DATA / "quick_cpu.jsonl.gz")
                                                          .read_bytes()).decode().splitlines()]
    for line in lines:
        if (line["kind"] == "case" and line["status"] == "ok"
                and (disturbed == "all" or line["implementation"] == "cpu.openblas")):
            line["steal_s"] = 1e3
    (tmp_path / "quick.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines),
                                          encoding="utf-8")
    results = loaded(tmp_path)
    answer = answer_of(results, loaded(REFERENCE))
    tables = {stem: table for exhibit in summary_of(results, None)
              for stem, table in exhibit.tables}
    notes = {cell.note for row in tables["gflops-cpu"].rows
             for cell in row.cells if cell.value is not None and cell.unit == "GFLOP/s"}
    if disturbed == "all":
        assert ("GFLOP/s" in answer.sentence and "--fresh measures again" in answer.missing[0]
                and notes == {1})
    else:
        assert "OpenBLAS" not in answer.sentence and not answer.missing and notes == {0}
