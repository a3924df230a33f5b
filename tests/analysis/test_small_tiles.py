"""Why is a 4×4 tile slower than naive? The answer follows the counters of the two."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from sample_records import ROOT, make_case

from analysis.ladder.small_tiles import small_tile_of, why_small_tiles
from language import using
from records.cases.experiment import Experiment, Results
from records.loading import find_files, load

REFERENCE = ROOT / "data" / "results" / "intel-xeon-nvidia-h200"


def counted(**values):
    return {"metrics": {name: {"value": value} for name, value in values.items()}}


def records(naive_s=1.0, tiled_s=4.0, naive=None, tiled=None, blocks=(4, 16), name="gpu_ladder"):
    """A naive kernel and tiled ones, the smallest of which takes `tiled_s`; with the counters of
    the first two, where given."""
    def timed(implementation, seconds, **more):
        samples = tuple(seconds * (1 + 1e-4 * n) for n in range(9))
        return make_case(implementation, samples=samples, size=4096, experiment=name, **more)

    made = [timed("gpu.naive", naive_s),
            *(timed("gpu.tiled", seconds, parameters={"block": block})
              for block, seconds in zip(blocks, (tiled_s, naive_s / 2)))]
    experiment = Experiment(name, ROOT / "none", cases=made[::-1])
    for case, metrics in zip(made, (naive, tiled)):
        if metrics:
            experiment.counters[case.case_id] = counted(**metrics)
    return Results(ROOT, [experiment], [])


NAIVE = {"instructions": 10e6, "l2_bytes": 20e9, "occupancy": 1.0,
         "stalled_long_scoreboard": 1.0, "warps_per_issue": 10.0}
TILED = {"instructions": 25e6, "l2_bytes": 160e9, "occupancy": 0.5,
         "stalled_long_scoreboard": 8.0, "warps_per_issue": 10.0}


def test_the_answer_names_the_counters_that_moved_and_no_other():
    answer = why_small_tiles(records(naive=NAIVE, tiled=TILED))
    assert answer.startswith("Why is a 4×4 tile slower than naive? At 4096 it takes 4.00 [4.00, "
                             "4.00] times as long. By the counters: a block of 16 threads fills 16 "
                             "of a warp's 32 lanes: 25.0 million instructions instead of 10.0; ")
    assert "160 GB through L2 instead of 20.0; " in answer
    assert answer.endswith("occupancy 50 % instead of 100 %, so that a warp waits 3.20 s of 4.00 s "
                           "for global memory, in naive 100 ms of 1.00 s.")
    fewer = TILED | {"l2_bytes": 20e9, "occupancy": 1.0}
    answer = why_small_tiles(records(naive=NAIVE, tiled=fewer))
    assert "instructions" in answer and "L2" not in answer and "occupancy" not in answer


def test_a_tile_of_whole_warps_leaves_no_lane_empty():
    answer = why_small_tiles(records(naive=NAIVE, tiled=TILED, blocks=(8, 16)))
    assert "lanes" not in answer and "serves only 8 threads" in answer


def test_without_counters_the_answer_says_so():
    answer = why_small_tiles(records(naive=NAIVE))
    assert answer == ("Why is a 4×4 tile slower than naive? At 4096 it takes 4.00 [4.00, 4.00] "
                      "times as long. Why, no counter tells: ./gemmlab profile counts.")


@pytest.mark.parametrize("tiled_s", [0.5, 1.0])
def test_a_tile_that_is_not_slower_is_not_explained(tiled_s):
    answer = why_small_tiles(records(tiled_s=tiled_s, naive=NAIVE, tiled=TILED))
    assert answer == ""


def test_records_without_a_tile_say_nothing():
    assert why_small_tiles(Results(ROOT, [], [])) == ""


def test_two_that_were_not_timed_together_are_not_compared():
    (experiment,) = records(naive=NAIVE, tiled=TILED).experiments
    experiment.cases = [replace(case, run_id="another") if case.implementation == "gpu.naive" else
                        case for case in experiment.cases]
    assert small_tile_of(experiment) is None


def test_the_reference_machine_answers_from_its_own_counters():
    results = load(REFERENCE, [path for path in find_files(REFERENCE) if path.stem == "gpu_ladder"])
    answer = why_small_tiles(results)
    assert answer.count(";") == 2
    assert all(part in answer for part in ("of a warp's 32 lanes", "through L2", "occupancy"))
    with using("zh"):
        answer = why_small_tiles(results)
    assert not set(re.findall(r"[a-z]{4,}", answer)) - {"warp", "lane", "naive"}
