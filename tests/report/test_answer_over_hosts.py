"""The answer's range over hosts, links and runs: which of them count, and what is told of those
that do not."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import make_versus
import pytest
from sample_records import ROOT, make_case

from analysis.answer.allocation import with_allocation
from analysis.answer.break_even import break_even
from analysis.answer.crossings import Crossing
from analysis.answer.energy import Spent
from analysis.answer.headline import (
    called_text,
    clause,
    headline_of,
    not_square_text,
    numbers,
    other_readings,
)
from analysis.answer.names import rests_on, rounded, sizes_text
from analysis.answer.over_hosts import (
    faster_text,
    hosts_left_out,
    over_hosts,
    passed_over,
    told_together,
)
from analysis.answer.pairs import BEST, SPLIT, matches_of
from analysis.answer.points import Match, contest_of
from records.loading import Results, find_files, load
from records.schema.operations import is_square
from report.summary.exhibits import summary_of
from report.summary.questions import Asked
from report.summary.speedup import speedup_exhibit

REFERENCE = ROOT / "data" / "results" / "intel-xeon-nvidia-h200"



def loaded(folder: Path) -> Results:
    return load(folder, find_files(folder))


@pytest.fixture(scope="module", name="versus")
def _versus(tmp_path_factory) -> Results:
    return loaded(make_versus.write(tmp_path_factory.mktemp("versus")))


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
    card = base.host[:8]
    assert (f"; not counted: 41 (card of host {card}) by serial on host loops, cold cache: no MKL "
            "on 16 threads there; " in numbers(one)[0].detail), "left out, but told, with why"
    ranges = clause(one).endswith(" (ranges are over hosts and runs)")
    assert ("timed together" in numbers(one)[0].detail) is ("faster" in others) is ranges
    assert bool(least_by_mkl(numbers(one)[0].detail)) is ("faster" in others)


def least_by_mkl(detail: str, where: str = "faster") -> re.Match[str] | None:
    """The lower end of a range with its interval, however it was paired."""
    return re.search(rf"; 17\.\d \[[\d.]+, [\d.]+\] by MKL on host {where}", detail)


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
        assert (least_by_mkl(detail, "faster, warm cache")
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
            and "; 29.0 [25.3, 30.7] (card of host 944e1f55) by MKL on host 766d76a7, warm cache, 117 % of its "
            "run's ceiling; pipelined" in first.detail), "its mark and its card follow a point"


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
        assert least_by_mkl(detail, "faster, cold cache, above its ceiling")


def quicker(contest, share, sizes, pairing=BEST, **more):
    """The CPU's best at these sizes on another host, at that share of its time there."""
    found = [match.cpu for match in matches_of(pairing, contest) if match.shape[0] in sizes]
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


def test_a_break_even_of_matrix_units_is_a_range_over_hosts_and_links_too(versus):
    """Planted: another host's matrix unit takes half the time, and a third host's transfers take
    longer, of a kernel in plain float32. Neither moves what plain float32 is told of."""
    contest = contest_of(versus)
    every = [match.shape[0] for match in matches_of(SPLIT, contest)]
    units = quicker(contest, 0.5, every, SPLIT, cache="warm")
    assert {case.precision for case in units} == {"fp32-split"}

    def told(*beside):
        one = headline_of(replace(contest, beside=(*contest.cases, *beside)))
        plain, units = (text for text in Asked(one).from_where() if text.startswith(
            ("Best against best", "With matrix units on both sides")))
        return plain, units

    alone, planted = told(), told(*units)
    assert " on host " not in alone[1] and planted[0] == alone[0]
    assert planted[1].count(" by matrix unit on host faster, warm cache") == 3, "in each way"
    linked = told(*over_link(contest, "gpu.naive", 0.01))[1]
    assert "by matrix unit on host 01234567, cold cache, transfers as on host slower" in linked
    assert linked.count(" on host ") == 2, "from pinned memory nothing is planted"


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
    assert later.link == "slower" and " from pageable (ranges" in clause(one)
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


@pytest.mark.parametrize(("share", "times", "where"), [(1.2, 41, "not counted: "),
                                                       (0.5, 17, "left out: ")])
def test_a_host_without_a_sound_point_is_named_beside_the_range(versus, share, times, where):
    """Planted: a host whose only point is of five samples. Where it is faster than what the range
    begins with, the number tells of it as left out, and once."""
    contest = contest_of(versus)
    base = headline_of(contest).best["kernel"].cpu
    fewer = replace(base, host="theirs", run_id="theirs", measured_s=share * base.median_s,
                    samples_s=[share * one for one in base.samples_s[:5]], sample_count=5,
                    ci95_s=None)
    planted = replace(contest, beside=(base, fewer))
    out = hosts_left_out(headline_of(planted).best["kernel"], planted)
    detail = numbers(headline_of(planted))[0].detail
    assert out == f"{times} (card of host 01234567) by MKL on host theirs, cold cache, 5 samples"
    assert detail.count(" on host theirs") == 1 and where + str(times) in detail
    (_, table), *_ = speedup_exhibit(planted, False).tables
    assert f"The range over hosts does not count at 4096 {out}" in table.caption


def test_a_number_of_another_group_than_its_row_says_of_which_it_is():
    """At 4096 a pair of the group "energy" is told of, as the one of "pairs" is unbound."""
    table = dict(summary_of(loaded(REFERENCE), None)[0].tables)["speedup"]
    cells = {row.heads[0]: row.cells[0] for row in table.rows}
    note = table.notes[cells["4096"].note - 1]
    assert cells["4096"].text == "36.5" and note.startswith(
        "103 % of its run's ceiling; of the group energy; 41 by MKL, threads")
    assert "in the group pairs" in note
    assert not any("of the group" in table.notes[cell.note - 1] for size, cell in cells.items()
                   if cell.note and size != "4096")


def allocated(contest, price_s, **more):
    """The pinned points of the contest's GPU on another host, kept and counted at that price."""
    kept = [replace(case, host="priced", run_id="theirs") for case in contest.cases
            if case.host_memory == "pinned" and case.implementation == "gpu.cublas"]
    return (*kept, *(replace(case, **({
        "allocation": "counted", "case_id": f"{case.case_id}a",
        "measured_s": case.median_s + price_s} | more)) for case in kept))


@pytest.mark.parametrize("fault", [{}, {"card": "another"}, {"status": "crashed"}])
def test_a_break_even_is_told_with_allocation_too_where_its_price_was_measured(versus, fault):
    """Planted: 10 ms for each product, on another host; on another card, or of no number."""
    contest = contest_of(versus)
    assert with_allocation(contest, "pinned") is None
    assert "with allocation" not in numbers(headline_of(contest))[2].detail
    planted = replace(contest, beside=allocated(contest, 1e-2, **fault))
    found, detail = with_allocation(planted, "pinned"), numbers(headline_of(planted))[2].detail
    if fault:
        assert found is None and "with allocation" not in detail
        return
    kept = headline_of(contest).crossings["pinned"].own
    assert found[0].size > 2 * kept.size and with_allocation(planted, "pageable") is None
    assert f"; with allocation as on host priced about {float(f'{found[0].size:.2g}'):.0f} (" in detail
    free = with_allocation(replace(contest, beside=allocated(contest, 0.0)), "pinned")
    assert free[0].size == pytest.approx(kept.size, rel=0.2)


def test_transfers_are_told_as_without_allocation_of_either_memory_and_with_the_price_of_both():
    (exhibit,) = [one for one in summary_of(loaded(REFERENCE), None) if one.name == "transfers"]
    told = exhibit.sentences[1]
    assert told.startswith("With its launch (call) the kernel's speedup is 0.93 at 256 (not "
                           "resolved, 3.00 by the medians), 19 at 1024 (35.6 by the medians). With "
                           "transfers the speedup at shapes that are not square (3) is ")
    assert ("The card's memory stays allocated: else tiled 32 takes, on host 536c6b44, 132 µs at "
            "256 and 1.23 ms at 4096 more (pinned) and 120 µs " in told)
    assert ("With the price of host 536c6b44 the GPU wins from about 600 (pinned) and about 1000 "
            "(pageable) on, against the CPU of host 944e1f55. A process's first product takes "
            in told)
    (title,) = [table.title for stem, table in summary_of(loaded(REFERENCE), None)[0].tables]
    assert title == "Speedup of the GPU over the CPU, allocation not counted"


def test_the_headline_tells_what_a_launch_leaves_and_what_long_and_flat_products_gain(versus):
    """Planted: calls that take three times their kernel; one shape that loses from pageable
    memory."""
    contest = contest_of(versus)
    contest = replace(contest, cases=tuple(case for case in contest.cases if case.scope != "call"))
    assert called_text(headline_of(contest)) == "" == not_square_text(headline_of(contest))
    best = {match.shape: match for match in matches_of(BEST, contest)}
    calls = [replace(match.gpu, scope="call", case_id=f"{match.gpu.case_id}c",
                     samples_s=[3 * one for one in match.gpu.samples_s],
                     measured_s=3 * match.gpu.median_s, ci95_s=None) for match in best.values()]
    flat = {"m": 16, "n": 4096, "k": 4096}
    cpu, moved = (replace(next(case for case in contest.cases if case.device == device
                               and case.host_memory == memory and case.shape == one), dims=flat)
                  for device, memory, one in (("cpu", None, (4096, 4096, 4096)),
                                              ("gpu", "pageable", (4096, 4096, 4096))))
    slow = replace(moved, samples_s=[2 * one for one in cpu.samples_s], rounds=cpu.rounds,
                   measured_s=2 * cpu.median_s, ci95_s=None)
    one = headline_of(replace(contest, cases=(*contest.cases, *calls, cpu, slow)))
    last = max(match.shape[0] for match in best.values() if is_square(match.shape))
    told = re.fullmatch(r"With its launch \(call\) .* [\d.]+ at (\d+)[^,]*\.", called_text(one))
    assert told and int(told[1]) == last
    assert not_square_text(one).endswith("that are not square (1) is pageable 0.50.")


def test_a_break_even_that_the_medians_put_elsewhere_says_where():
    """"call 266 [247, 305]" stood beside times that cross at 135: after the CPU's work a launch
    takes three times as long as alone."""
    def met(size: int, cpu_s: float, held: float, alone: float) -> Match:
        made = make_case("cpu.packed", (cpu_s,) * 8, size=size)
        return Match(made, make_case("gpu.naive", (held,) * 8 + (alone,) * 92, size=size))

    found = break_even([met(64, 1.0, 3.0, 1.5), met(128, 2.0, 3.0, 1.0), met(256, 9.0, 3.0, 1.0)])
    assert 128 < found.size < 256 and 64 < found.by_medians < 128
    assert rests_on(found).startswith(f"{sizes_text(found.by_medians)} by the medians; ")
    assert Crossing(found).called.endswith(" by the medians)")
    steady = break_even([met(64, 1.0, 3.0, 3.0), met(128, 2.0, 3.0, 3.0), met(256, 9.0, 3.0, 3.0)])
    assert "medians" not in rests_on(steady)


def test_a_reading_of_fewer_joules_elsewhere_stands_beside_the_energy(versus):
    contest = contest_of(versus)
    own = replace(next(case for case in contest.cases if case.device == "gpu"),
                  energy_j_per_call=2.0, energy_s=1.0)
    less, as_much = (replace(own, host=host, energy_j_per_call=joules)
                     for host, joules in (("thrifty", 1.9), ("alike", 1.999)))
    assert other_readings(Spent(own), replace(contest, beside=(own, as_much))) == []
    assert other_readings(Spent(own), replace(contest, beside=(own, as_much, less))) == [less]
