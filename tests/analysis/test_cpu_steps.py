"""The CPU ladder's steps beside the processor's counters: which one accounts for a step, and why
there are none."""

import pytest

from analysis.counters.cpu_counter_worth import cause_of
from analysis.ladder.ladder import ladders_of
from language import using
from records.view import View
from report.kinds.cpu_steps import cpu_steps_table

COUNTED = {"cpu_cycles": 4e9, "cpu_instructions": 4e9, "l1d_load_misses": 1e7,
           "dtlb_load_misses": 1e7, "llc_load_misses": 1e5}
NONE = ("the kernel knows no such counter here: the processor has none, or a virtual machine does "
        "not show it")


def record(metrics, **more):
    return {"kind": "counters", "tool": "perf_event_open", "metrics": {
        name: {"value": value, "unit": "count"} for name, value in metrics.items()}} | more


@pytest.fixture(name="view")
def _view(make):
    def view_of(*rungs, run=None):
        """A view of (implementation, seconds, `counters` record or None); times in 9 rounds."""
        cases = [make(f"cpu.{name}", label=name, case_id=name, samples=(seconds,) * 9, place=place)
                 for place, (name, seconds, _) in enumerate(rungs)]
        return View("cpu_ladder", "cpu_steps", "T", tuple(cases), run or {},
                    counters={name: found for name, _, found in rungs if found})
    return view_of


@pytest.mark.parametrize("change,said", [
    # worth 270 million of 2,000 million cycles
    ({"cpu_cycles": 2e9, "dtlb_load_misses": 1e6}, None),
    ({"cpu_cycles": 3.6e9, "dtlb_load_misses": 1e6}, "dtlb_load_misses"),
    ({"cpu_cycles": 3.9e9, "l1d_load_misses": 4e6}, "l1d_load_misses"),
    ({"cpu_cycles": 4.2e9, "llc_load_misses": 6e5}, "llc_load_misses"),  # slower, and more of them
    ({"cpu_cycles": 4.2e9, "llc_load_misses": 1e4}, None),  # slower, though fewer
    ({"cpu_cycles": 3e9, "cpu_instructions": 2e9}, "cpu_instructions"),
    ({}, None)])
def test_the_counter_whose_change_is_worth_half_of_the_cycles_accounts_for_a_step(change, said):
    cause = cause_of(COUNTED, COUNTED | change)
    assert (cause and cause.name) == said


def test_without_cycles_on_either_side_nothing_accounts_for_it():
    fewer = {name: value for name, value in COUNTED.items() if name != "cpu_cycles"}
    assert (cause_of(fewer, COUNTED) is None and cause_of(COUNTED, fewer) is None
            and cause_of({}, {}) is None)


def test_a_rung_stands_beside_the_one_before_with_what_was_counted_and_why(view):
    above = COUNTED | {"cpu_cycles": 3.6e9, "dtlb_load_misses": 1e6}
    shown = view(("register_edges", 2.0, record(COUNTED)), ("packed_b", 1.0, record(above)))
    table = cpu_steps_table(shown)
    assert [row.heads for row in table.rows] == [("register tiles at edges", "–", "–"), (
        "B packed", "register tiles at edges", "TLB misses ÷10")]
    assert [cell.text for cell in table.rows[1].cells] == ["2.00 [2.00, 2.00]", "3,600", "1.11",
                                                           "10.0", "1.00", "0.100"]
    assert "Counted by perf_event_open" in table.caption and "another host" not in table.caption
    assert ladders_of(shown)[0].rungs[1].why == "TLB misses ÷10"


def test_where_the_kernel_refuses_the_table_says_why(view):
    refused = record({"time_s": 1.0})
    refused["metrics"]["cpu_cycles"] = {"value": None, "unit": "count", "reason": NONE}
    table = cpu_steps_table(view(("packed_b", 2.0, refused), ("packed_a", 1.0, refused)))
    assert f"The machine counts nothing: {NONE}." in table.caption
    assert table.columns == ("times as fast",) and all(len(row.cells) == 1 for row in table.rows)
    with using("zh"):
        assert "虚拟机不予提供" in cpu_steps_table(view(("packed_b", 2.0, refused),
                                                        ("packed_a", 1.0, refused))).caption


def test_a_counter_that_alone_is_refused_is_named(view):
    some = record(COUNTED)
    some["metrics"]["llc_load_misses"] = {"value": None, "unit": "count",
                                          "reason": "the counter could not be read"}
    table = cpu_steps_table(view(("packed_b", 2.0, some), ("packed_a", 1.0, some)))
    assert ("Not counted: the counter could not be read." in table.caption
            and table.rows[0].cells[-1].text == "–")


def test_uncounted_rungs_say_how_to_count_and_another_host_is_named(view):
    assert "Nothing was counted: `gemmlab profile cpu_ladder --cpu` counts." in cpu_steps_table(
        view(("packed_b", 2.0, None), ("packed_a", 1.0, None))).caption
    elsewhere = record(COUNTED, host_id="there")
    assert "Counted on another host than the times." in cpu_steps_table(
        view(("packed_b", 2.0, elsewhere), ("packed_a", 1.0, elsewhere),
             run={"host": {"id": "here"}})).caption


def test_one_rung_makes_no_table(view):
    assert cpu_steps_table(view(("packed_b", 2.0, None))).rows == []
