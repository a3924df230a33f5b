"""Where the time of a GPU multiplication goes: shares formed of differences."""

from dataclasses import replace

import pytest
from drawn import cut_off, figure_of, overlapping
from figure_samples import scoped, transfer_cases

from analysis.memory.transfers import (
    allocation_text,
    transfer_shares,
    transfers_described,
    transfers_finding,
)
from records.view import View


def view(cases):
    return View("e", "transfer_shares", "T", tuple(cases), {"gpus": [{"name": "A card"}]})


def test_parts_are_differences_of_the_scopes():
    pinned, pageable = transfer_shares(view(transfer_cases()))
    assert (pinned.memory, pageable.memory) == ("pinned", "pageable")
    assert pinned.parts == pytest.approx({"kernel": 2e-3, "launch": 1e-3, "copies": 1e-3,
                                          "allocation": 4e-3})
    assert pageable.parts == pytest.approx({"kernel": 2e-3, "launch": 1e-3, "copies": 4e-3,
                                            "allocation": 3e-3})
    assert (pinned.share("copies", "allocation") == pytest.approx(5 / 8)
            and pageable.total_s == pytest.approx(10e-3))
    assert pageable.whole.median_s == pytest.approx(10e-3)


def test_a_difference_below_zero_is_none_and_the_shares_still_make_a_whole():
    made = scoped(64, {("kernel", None, None): 2e-3, ("call", None, None): 1.9e-3,
                       ("end-to-end", "pinned", "not counted"): 4e-3})
    (one,) = transfer_shares(view(made))
    assert (one.parts == pytest.approx({"kernel": 2e-3, "launch": 0, "copies": 2e-3})
            and one.share(*one.parts) == pytest.approx(1))


def test_the_finding_says_how_far_the_transfers_rule():
    small, large = transfer_cases(512), scoped(2048, {
        ("kernel", None, None): 90e-3, ("call", None, None): 90e-3,
        ("end-to-end", "pinned", "not counted"): 91e-3,
        ("end-to-end", "pageable", "not counted"): 95e-3})
    assert (transfers_finding(view([*small, *large])) == "Up to 512, copies and allocation take "
            "most of the time from pageable memory (70 %); pinned, the copies are 4.0 to 5.0 times "
            "as fast")
    assert (transfers_finding(view(large)) == "The kernel takes most of the time at every size; "
            "the copies from pageable memory take 5.3 %; pinned, the copies are 5.0 times as fast")
    assert transfers_described(view(transfer_cases())).startswith("1024, pinned: 8.00 ms, kernel "
                                                                  "25 %, launch and wait 12 %")


def test_what_an_allocation_costs_stands_beside_that_it_is_left_out():
    """Of the smallest and the largest size; nothing where it took no time or was not measured."""
    cases = [case for size in (256, 512, 1024) for case in transfer_cases(size)]
    assert allocation_text(view(cases)) == (
        "The card's memory stays allocated: else tiled 32 takes, on an unknown host, 4.00 ms at "
        "256 and 4.00 ms at 1024 more (pinned) and 3.00 ms at 256 and 3.00 ms at 1024 more (pageable).")
    kept = [case for case in cases if case.allocation != "counted"]
    assert (allocation_text(view(kept)) == allocation_text(None)
            == "The memory on the card stays allocated.")


@pytest.mark.parametrize("lost", ["kernel", "call"])
def test_without_a_scope_there_are_no_shares(lost):
    cases = [replace(case, status="crashed" if case.scope == lost else "ok")
             for case in transfer_cases()]
    assert transfer_shares(view(cases)) == [] and transfers_finding(view(cases)) == ""
    assert "no shares can be formed" in figure_of(view(cases))


def test_runs_are_never_mixed():
    cases = transfer_cases()
    for case in cases:
        case.run_id = "other" if case.scope == "kernel" else "r"
    assert transfer_shares(view(cases)) == []


def test_the_text_of_the_figure_is_whole_and_clear():
    figure = figure_of(view([case for place, size in enumerate((64, 512, 4096))
                             for case in transfer_cases(size, 10.0**place)]))
    assert cut_off(figure) == [] and overlapping(figure) == []
