"""What a CPU reaches by itself is its best over all groups and experiments of its host, and no
ratio heads it that is not resolved or rests on an unsound point, where a sound one is there."""

from pathlib import Path

import pytest
from sample_records import make_case

from records.loading import Experiment, Results
from report.summary.cpu_only import CpuAnswer
from report.summary.rates import of_cpu, rates_table

SPREAD = (0.998, 0.999, 1.0, 1.0, 1.0, 1.001, 1.002, 1.0)


def case(implementation, seconds, threads=1, **more):
    return make_case(implementation, tuple(seconds * one for one in SPREAD), host="h",
                     threads_actual=threads, parameters={"threads": threads}, **more)


def answer(*cases):
    """Of experiments by the cases' names of them, on a host of two cores."""
    run = {"run_id": "r", "host": {"id": "h", "cores": 2}}
    names = dict.fromkeys(one.experiment for one in cases)
    return CpuAnswer(Results(Path("/nowhere"), [
        Experiment(name, Path("/nowhere"), [run], [one for one in cases if one.experiment == name])
        for name in names], []))


def alone(**more):
    return [case(f"cpu.{name}", seconds, group="one thread", **more)
            for name, seconds in (("packed", 1.0), ("openblas", 1.1))]


@pytest.mark.parametrize("where", [{"group": "all cores"}, {"experiment": "other"}])
def test_the_best_is_that_of_all_groups_and_experiments_of_the_host(where):
    """Half the best was called the best: that of the group that stood first."""
    best = answer(*alone(), case("cpu.openblas", 0.5, 2, **where))
    assert best.fastest.threads == 2 and "OpenBLAS on 2 " in best.best_text
    assert best.numbers[0].detail.startswith("OpenBLAS on 2 ")


def jumping(threads):
    """Both threads on one core in most rounds: 1.05 [0.98, 2.00]."""
    return make_case("cpu.packed", (0.5,) * 5 + (0.95,) * 5 + (1.02,) * 4, host="h", threads_actual=threads,
                     parameters={"threads": threads}, group="too many threads", size=128)


def test_a_gain_by_threads_that_is_not_resolved_heads_nothing_where_another_is():
    one = make_case("cpu.packed", (1.0,) * 14, host="h", threads_actual=1,
                    parameters={"threads": 1}, group="too many threads", size=128)
    sound = [*alone(), case("cpu.packed", 0.5, 2, group="all cores")]
    open_one = answer(one, jumping(2)).threads
    assert open_one.ratio.undecided
    assert "not resolved" in answer(one, jumping(2)).threads_text
    assert "not resolved" in answer(one, jumping(2)).numbers[-1].detail
    told = answer(one, jumping(2), *sound)
    assert told.threads.best.shape[0] == 64 and "2.0 times as fast as one" in told.threads_text
    assert "not resolved" not in told.threads_text


def test_plain_loops_are_set_against_the_best_of_all_groups_and_what_is_unsound_is_said():
    plain = case("cpu.serial", 10.0, group="one thread")
    best = case("cpu.packed", 0.5, 2, group="all cores", pinned=False)
    told = answer(plain, *alone(), best)
    assert told.over_plain.best is best and "threads not bound to cores" in told.best_text


def test_the_table_of_rates_has_the_squares_of_every_group_on_as_many_threads():
    """Those where ours loses stood in a group of their own, and so in no table."""
    small = [case(f"cpu.{name}", seconds, 2, group="squares")
             for name, seconds in (("packed", 1.0), ("openblas", 1.1))]
    large = [case(f"cpu.{name}", seconds, 2, group="large squares", size=128)
             for name, seconds in (("packed", 9.0), ("openblas", 8.0))]
    fewer = [case("cpu.packed", 5.0, group="one thread", size=96)]
    again = [case("cpu.packed", 0.9, 2, group="another")]
    measured = of_cpu(answer(*small, *large, *fewer, *again))
    assert {one.case_id for one in measured.cases} == {one.case_id for one in small + large}
    (_, table), _ = rates_table(measured, "cpu", 128)
    assert [row.heads for row in table.rows] == [("64",), ("128",)]


def test_a_gain_by_threads_that_share_no_rounds_says_so():
    apart = answer(*alone(), case("cpu.packed", 0.5, 2, group="all cores"))
    assert apart.threads_text.endswith("times as fast as one (not paired)")
    assert apart.numbers[-1].detail.endswith("; not paired")
    beside = answer(*alone(), case("cpu.packed", 0.5, 2, group="one thread"))
    assert "not paired" not in beside.threads_text + beside.numbers[-1].detail
