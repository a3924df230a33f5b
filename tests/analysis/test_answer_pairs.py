"""Who is set against whom: one host, one state of the cache, only points that may be shown."""

from __future__ import annotations

import math
from array import array
from dataclasses import replace

import pytest
from sample_records import make_case

from analysis.answer.break_even import BreakEven, break_even, reuse_of
from analysis.answer.crossings import Crossing
from analysis.answer.names import crossing, sizes_text
from analysis.answer.pairs import BEST, PAIRINGS, PLAIN, SERIAL, SPLIT, UNITS, match_of
from analysis.answer.points import CALL, KERNEL, PAGEABLE, PINNED, Match, contest_in, contest_of
from records.cases.case import Case
from records.loading import Experiment, Results
from records.view import View

STEADY = (1.0, 1.001, 0.999, 1.0, 1.001, 0.999, 1.0, 1.0, 1.001)
UNSTEADY = (0.9, 1.1, 0.95, 1.05, 1.0, 0.92, 1.08, 1.0, 1.02)


def point(implementation: str, seconds: float, size: int = 64, **more) -> Case:
    return make_case(implementation, samples=tuple(seconds * one for one in STEADY),
                     size=size, **more)


def contest(*cases: Case, cores: int = 16):
    return contest_in(View("e", "versus", "", cases, {"host": {"cores": cores}}))


def of_ratio(size: int, ratio: float, samples: tuple[float, ...] = STEADY) -> Match:
    """A GPU that is `ratio` times as fast as the CPU at this size."""
    return Match(make_case("cpu.ikj", samples=tuple(ratio * one for one in samples), size=size),
                 make_case("gpu.naive", samples=tuple(1.0 for _ in samples), size=size))


def test_points_of_two_hosts_are_never_set_against_each_other(make):
    assert contest(point("cpu.ikj", 2.0, host="a"), point("gpu.naive", 1.0, host="b")) is None
    assert contest(point("cpu.ikj", 2.0, host="a"), point("gpu.naive", 1.0, host="a")).host == "a"


@pytest.mark.parametrize("fault", [{"cache": "warm"}, {"distribution": "normal"}, {"size": 65},
                                   {"status": "incorrect"}, {"verdicts": ("incorrect",)},
                                   {"replica": 1}, {"steal_s": 9.0}])
def test_what_is_unlike_unshown_or_disturbed_is_not_compared(fault):
    assert contest(point("cpu.ikj", 2.0), point("gpu.naive", 1.0, **fault)) is None


def test_a_disturbed_point_does_not_win_and_is_counted():
    found = contest(point("cpu.ikj", 2.0), point("cpu.openblas", 0.5, run_queue_delay_s=9.0),
                    point("gpu.naive", 1.0))
    match = match_of(BEST, found, (64, 64, 64))
    assert (match.cpu.implementation == "cpu.ikj" and match.ratio.value == pytest.approx(2)
            and found.disturbed == 1)


def test_ratios_between_scopes_are_taken_round_by_round():
    cpu = make_case("cpu.ikj", samples=(2.0, 4.0, 8.0, 2.0, 4.0, 8.0, 2.0))
    gpu = make_case("gpu.naive", samples=(1.0, 2.0, 4.0, 1.0, 2.0, 4.0, 1.0), scope="end-to-end",
                    host_memory="pinned")
    ratio = match_of(BEST, contest(cpu, gpu), (64, 64, 64), PINNED).ratio
    assert (ratio.value, ratio.low, ratio.high, ratio.pairs) == (2, 2, 2, 7)


def test_a_gpu_is_timed_in_four_ways_and_allocation_in_the_timed_part_is_none_of_them():
    found = contest(
        point("cpu.ikj", 9.0), point("gpu.naive", 1.0), point("gpu.naive", 2.0, scope="call"),
        point("gpu.naive", 3.0, scope="end-to-end", host_memory="pinned", allocation="not counted"),
        point("gpu.naive", 4.0, scope="end-to-end", host_memory="pageable"),
        point("gpu.naive", 0.1, scope="end-to-end", host_memory="pinned", allocation="counted"))
    ratios = [match_of(BEST, found, (64, 64, 64), way).ratio.value
              for way in (KERNEL, CALL, PINNED, PAGEABLE)]
    assert ratios == pytest.approx([9, 4.5, 3, 2.25])


def test_plain_loops_run_on_as_many_threads_as_there_are_cores():
    """The old cpu_vs_gpu asks for 64 and 256 threads of 16 cores: these are no plain loops on all
    cores."""
    found = contest(*(point("cpu.openmp", 16.0 / threads, parameters={"threads": threads})
                      for threads in (1, 8, 16, 64)),
                    point("gpu.naive", 0.1), point("gpu.cublas", 0.01))
    shape = (64, 64, 64)
    assert match_of(PLAIN, found, shape).cpu.threads == 16 and match_of(SERIAL, found,
                                                                        shape).cpu.threads == 1
    assert match_of(PLAIN, found, shape).gpu.implementation == "gpu.naive"
    assert match_of(BEST, found, shape).gpu.implementation == "gpu.cublas"


def test_serial_is_preferred_and_a_tile_of_32_where_it_was_measured():
    found = contest(point("cpu.serial", 9.0), point("cpu.openmp", 8.0, parameters={"threads": 1}),
                    point("gpu.naive", 1.0), point("cpu.blocked", 5.0, parameters={"threads": 1}),
                    point("gpu.tiled", 0.5, parameters={"block": 16}),
                    point("gpu.tiled", 0.6, parameters={"block": 32}))
    assert match_of(SERIAL, found, (64, 64, 64)).cpu.implementation == "cpu.serial"
    tiles = next(one for one in PAIRINGS if one.name == "tiles, one core")
    assert match_of(tiles, found, (64, 64, 64)).gpu.parameters == {"block": 32}


def test_what_is_less_than_fp32_is_never_the_best_and_split_operands_stand_apart():
    found = contest(point("cpu.ikj", 9.0), point("gpu.naive", 3.0),
                    point("gpu.cublas_tf32", 0.1, precision="tf32"),
                    point("gpu.tensor", 0.5, precision="fp32-split"))
    assert match_of(BEST, found, (64, 64, 64)).gpu.implementation == "gpu.naive"
    assert match_of(SPLIT, found, (64, 64, 64)).gpu.implementation == "gpu.tensor"


def test_matrix_units_of_both_sides_are_a_pair_and_decide_no_other():
    found = contest(point("cpu.packed", 9.0, parameters={"threads": 16}),
                    point("gpu.tensor", 0.5, precision="fp32-split"),
                    *(point("cpu.matrix", 48.0 / threads, precision="fp32-split",
                            parameters={"threads": threads}) for threads in (1, 16)))
    shape = (64, 64, 64)
    assert [match_of(pairing, found, shape).cpu.threads for pairing in UNITS] == [16, 1]
    assert match_of(UNITS[0], found, shape).ratio.value == pytest.approx(6)
    assert (match_of(SPLIT, found, shape).cpu.implementation
            == "cpu.matrix"), "units against units where the CPU has them"
    assert not any(match_of(one, found, shape) for one in PAIRINGS if one not in (SPLIT, *UNITS))


def test_break_even_is_interpolated_between_loss_and_win():
    found = break_even([of_ratio(64, 0.5), of_ratio(256, 2.0), of_ratio(512, 4.0)])
    assert (found.lost, found.won) == (64, 256)
    assert found.size == pytest.approx(128) and 64 < found.low < 128 < found.high < 256


def test_a_break_even_of_types_is_that_of_one_type_and_never_mixed_with_plain_squares():
    def of_type(match: Match, **options) -> Match:
        def typed(case: Case) -> Case:
            return replace(case, options=options)

        return Match(typed(match.cpu), typed(match.gpu))

    plain = [of_ratio(64, 0.5), of_ratio(256, 2.0)]
    narrow = [of_type(match, type="bfloat16") for match in (of_ratio(64, 2.0), of_ratio(256, 4.0))]
    assert break_even(narrow).always
    assert break_even([*narrow, *plain]).lost == 64
    other = [of_type(of_ratio(512, 0.5), type="int8")]
    assert break_even([*narrow, *other]).sizes == (64, 256)


def test_a_break_even_tells_what_is_unsound_of_its_neighbours():
    sound = [of_ratio(64, 0.5), of_ratio(256, 2.0), of_ratio(512, 4.0)]
    assert Crossing(break_even(sound)).text == crossing(break_even(sound))
    above = Match(replace(sound[0].cpu, of_ceiling=1.2), sound[0].gpu)
    assert Crossing(break_even([above, *sound[1:]])).text.endswith(" (64 above its ceiling)")
    tie = of_ratio(256, 1.03, UNSTEADY)
    assert Crossing(break_even([sound[0], tie, sound[2]])).text.endswith(" (256 a tie)")


def test_the_interval_follows_from_the_95_percent_ends_but_where_a_tie_lies_above_1():
    """At ties that hold 1, or lie below it, the 99 % end stood in: 839 where the table's ends give
    816."""
    tie, below = of_ratio(256, 1.0, UNSTEADY), of_ratio(256, 0.97, UNSTEADY)
    for one in (tie, below):
        assert one.ratio.tie and one.ratio.bounds[0] < one.ratio.low <= 1
        found = break_even([of_ratio(64, 0.5), one, of_ratio(1024, 4.0)])
        low, high = math.log(one.ratio.low), math.log(of_ratio(1024, 4.0).ratio.low)
        assert math.log(found.high / 256) == pytest.approx(math.log(4) * -low / (high - low))


def test_a_later_loss_or_tie_moves_the_break_even():
    tie = of_ratio(512, 1.03, UNSTEADY)
    assert tie.ratio.tie and tie.ratio.value > 1
    assert break_even([of_ratio(64, 0.5), of_ratio(256, 2.0), tie, of_ratio(1024, 2.0)]).lost == 512
    assert break_even([of_ratio(64, 3.0), of_ratio(256, 0.9), of_ratio(512, 2.0)]).lost == 256


def test_a_tie_at_the_largest_size_is_no_win():
    found = break_even([of_ratio(64, 2.0), of_ratio(256, 1.03, UNSTEADY)])
    assert found.never and not found.always and found.size is None


def test_wins_everywhere_never_and_too_few_sizes():
    assert break_even([of_ratio(64, 2.0), of_ratio(128, 3.0)]) == BreakEven((64, 128), None, 64)
    assert break_even([of_ratio(64, 0.5), of_ratio(128, 0.6)]).never
    assert break_even([of_ratio(64, 2.0)]) is None


def test_a_tie_for_its_noise_widens_the_interval_beyond_the_last_size_not_won():
    tie = of_ratio(256, 1.05)
    for case in (tie.cpu, tie.gpu):
        case.noise = 0.1
    assert tie.ratio.tie and tie.ratio.low > 1
    found = break_even([of_ratio(64, 0.5), tie, of_ratio(512, 2.0)])
    assert ((found.lost, found.won) == (256, 512)
            and 64 < found.low <= found.size < 256 < found.high < 512)
    assert found.size == pytest.approx(
        64 * 4 ** (math.log(2) / math.log(2.1))), ("where the line passes 1, not the size that is "
                                                   "a tie")
    assert (sizes_text(256.0) == "256" and sizes_text(1024.0) == "1024"
            and sizes_text(1023.7) == "1020")


def test_without_intervals_the_bracket_is_the_interval():
    few = [of_ratio(64, 0.25, STEADY[:3]), of_ratio(256, 4.0, STEADY[:3])]
    found = break_even(few)
    assert (found.low, found.high) == (64, 256) and found.size == pytest.approx(128)


def transferred(cpu: float, kernel: float, whole: float):
    return reuse_of(contest(point("cpu.ikj", cpu), point("gpu.naive", kernel), point(
        "gpu.naive", whole, scope="end-to-end", host_memory="pinned")), (64, 64, 64), PINNED)


def test_uses_until_the_transfer_is_paid():
    # 19 of transfer, 9 saved a use: after 3 it is (19 + 3) / 3 < 10
    assert transferred(10.0, 1.0, 20.0).uses == 3
    assert transferred(10.0, 1.0, 5.0).uses == 1
    assert transferred(10.0, 1.0,
                       19.0).uses == 3, "after 2 it is (18 + 2) / 2 = 10: level, not paid"
    found = transferred(10.0, 1.0, 20.1)
    assert found.low <= found.uses <= found.high


def test_a_kernel_that_is_no_faster_never_pays_its_transfer():
    assert transferred(1.0, 2.0, 5.0).uses is None
    cpu, moved = point("cpu.ikj", 1.0), point("gpu.naive", 5.0, scope="end-to-end",
                                              host_memory="pinned")
    even = make_case("gpu.naive", samples=tuple(0.9999 * one for one in UNSTEADY), size=64)
    assert reuse_of(contest(cpu, even, moved), (64, 64, 64),
                    PINNED).high is None, "within the intervals it may be no faster"


def test_reuse_is_that_of_the_kernel_that_is_paid_first_and_none_without_one_timed_end_to_end():
    """2 of the fastest kernel stood where the one beside it, 3 % slower, is paid at once."""
    points = [point("cpu.ikj", 10.0), point("gpu.naive", 1.0), point("gpu.cublas", 1.1)]
    moved = [point(name, seconds, scope="end-to-end", host_memory="pinned")
             for name, seconds in (("gpu.naive", 11.0), ("gpu.cublas", 9.0))]
    assert reuse_of(contest(*points), (64, 64, 64), PINNED) is None
    slow = reuse_of(contest(*points, moved[0]), (64, 64, 64), PINNED)
    both = reuse_of(contest(*points, *moved), (64, 64, 64), PINNED)
    assert (slow.uses, slow.moved.implementation) == (2, "gpu.naive")
    assert (both.uses, both.moved.implementation) == (1, "gpu.cublas")


def test_each_further_use_counts_its_launch_where_calls_were_timed():
    """Planted: a call takes 4 where its kernel takes 1; 16 of transfer are paid by 6 a use."""
    points = [point("cpu.ikj", 10.0), point("gpu.naive", 1.0), point(
        "gpu.naive", 20.0, scope="end-to-end", host_memory="pinned")]
    called = point("gpu.naive", 4.0, scope="call")
    assert reuse_of(contest(*points), (64, 64, 64), PINNED).uses == 3
    found = reuse_of(contest(*points, called), (64, 64, 64), PINNED)
    assert found.uses == 3 and found.match.gpu is called
    slower = reuse_of(contest(*points, point("gpu.naive", 9.0, scope="call")), (64, 64, 64), PINNED)
    assert slower.uses == 12, "11 of transfer, 1 saved a use"


def test_uses_are_of_the_rounds_that_calls_and_the_cpu_share():
    """Planted: by the medians a call takes 4 of the CPU's 10, in the shared rounds 12."""
    cpu, moved = point("cpu.ikj", 10.0), point("gpu.naive", 20.0, scope="end-to-end",
                                               host_memory="pinned")
    call = point("gpu.naive", 4.0, scope="call")
    shared = len(cpu.rounds)
    more = replace(call, samples_s=array("d", [12.0] * shared + [4.0] * 5 * shared),
                   rounds=array("q", [*cpu.rounds, *range(1000, 1000 + 5 * shared)]),
                   measured_s=4.0)
    assert more.median_s == 4.0
    found = reuse_of(contest(cpu, point("gpu.naive", 1.0), moved, more), (64, 64, 64), PINNED)
    assert found.match.gpu is more and found.uses is None


def results_of(**experiments: list[Case]) -> Results:
    from pathlib import Path

    return Results(Path("r"),
                   [Experiment(name, Path(name), [{"run_id": "r", "host": {"cores": 16}}], cases)
                    for name, cases in experiments.items()], [])


def test_the_flagship_answers_unless_it_has_one_kind_of_cpu_code():
    pair = [point("cpu.openmp", 2.0), point("gpu.naive", 1.0)]
    richer = [*pair, point("cpu.openblas", 1.5)]
    assert contest_of(results_of(quick=richer, cpu_vs_gpu=pair)).experiment == "quick"
    assert contest_of(results_of(quick=richer, cpu_vs_gpu=richer)).experiment == "cpu_vs_gpu"
    assert contest_of(results_of(quick=pair[:1])) is None and contest_of(None) is None
