"""The teaching figures of emulated counts: each number follows from the committed counts, and the
figures stand where they should."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from figure_samples import H200, LESSONS, predicted_cases
from sample_records import experiment

from emulator.counts.work import GLOBAL, SECTOR, SHARED
from emulator.explain import lessons, patterns
from language import using
from records.view import View
from report.asked.wanted import specs

LINES = [json.loads(line) for line in patterns.PATTERNS.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(name="view")
def _view():
    return View("gpu_ladder", "coalescing", "Title", tuple(predicted_cases()), H200)


def sectors_of(site):
    return {byte // SECTOR for address in site["addresses"]
            for byte in range(address, address + site["bytes"])}


@pytest.mark.parametrize("site", [site for line in LINES for site in line["sites"]],
                         ids=lambda site: f"{site['array']}-{site['line']}")
def test_the_recorded_addresses_are_those_that_were_counted(site):
    """One warp's addresses, against the counts per request of all warps."""
    if site["space"] == GLOBAL:
        assert len(sectors_of(site)) == site["sectors"] / site["requests"]
    elif site["bytes"] == 4:
        words = {address // 4 for address in site["addresses"]}
        assert max(sum(word % 32 == bank for word in words)
                   for bank in range(32)) == site["wavefronts"] / site["requests"]


@pytest.mark.parametrize("line", LINES, ids=lambda line: line["implementation"])
def test_the_recorded_code_is_the_code_that_is_there(line):
    for site in line["sites"]:
        text = (patterns.ROOT / site["file"]).read_text(encoding="utf-8").splitlines()[site["line"]
                                                                                       - 1]
        assert text.strip() == site["source"], "record again: python -m emulator.explain.patterns"


def test_a_pair_is_the_same_load_with_waste_and_without(view):
    for space in (GLOBAL, SHARED):
        bad, good = patterns.twins(space)
        assert (bad.site.array == good.site.array and bad.amount == bad.waste * good.amount
                and good.waste == 1)
        assert patterns.slowdown((bad, good), "h200") > 1.5
    assert ("Lanes 4,096 bytes apart touch 32 sectors in one load, side by side 4"
            in lessons.coalescing_finding(view))
    assert ("Rows of 128 bytes put a column into 1 of 32 banks: 32 passes per load, with rows of "
            "132 bytes 1" in lessons.banks_finding(view))


def test_nothing_is_said_of_patterns_that_are_not_there(view, monkeypatch, tmp_path):
    monkeypatch.setattr(patterns, "patterns", lambda: ())
    assert lessons.coalescing_finding(view) == lessons.banks_finding(view) == ""


def test_uses_are_those_of_the_tile(view):
    found = {(rung.point.implementation, str(rung.point.parameters.get("block", ""))): rung
             for rung in lessons.reusing(view)}
    for block in (4, 8, 16, 32):
        rung = found["gpu.tiled", str(block)]
        assert (rung.global_uses, rung.shared_uses) == (block, 1)
    assert (found["gpu.naive", ""].global_uses, found["gpu.naive", ""].shared_uses) == (1, None)
    assert found["gpu.register_tiled_2d", ""].shared_uses == 8
    assert re.match(r"Larger blocks use a value from global memory 4 to 32 times, .* always 1×",
                    lessons.reuse_finding(view))


def test_the_fastest_rung_is_compared_with_those_that_fill_an_sm(view):
    found = lessons.best_of_each(lessons.rungs(view))
    assert len({rung.point.implementation for rung in found}) == len(found)
    assert all(0 < rung.warps <= 64 and rung.limit for rung in found)
    assert (found[-1].name in lessons.occupancy_finding(view)
            and "of 64 warps per SM" in lessons.occupancy_finding(view))
    laptop = replace(view, run={"gpus": []})
    assert (lessons.card(laptop) == "h200"
            and lessons.occupancy_finding(laptop) == lessons.occupancy_finding(view))
    other = replace(view, run={"gpus": [{"name": "NVIDIA T4"}]})
    assert ("of 32 warps per SM" in lessons.occupancy_finding(other)
            and "T4" in lessons.emulated(other).machine)


def test_each_stands_once_behind_the_prediction_and_says_that_it_is_emulated(view):
    ladder = replace(experiment("workstation", "gpu_ladder"), cases=list(view.cases))
    kinds = [spec["kind"] for spec in specs(ladder, "figures")]
    assert (kinds[-5:] == ["predicted", *LESSONS]
            and "coalescing" not in [spec["kind"] for spec in specs(ladder, "tables")])
    assert not set(LESSONS) & {spec["kind"]
                               for spec in specs(experiment("laptop", "quick"), "figures")}
    assert ("Emulated on a CPU" in lessons.emulated(view).machine
            and not lessons.emulated(view).cases)
    with using("zh"):
        assert ("仿真" in lessons.emulated(view).machine
                and "扇区" in lessons.coalescing_finding(view))
