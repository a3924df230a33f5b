"""The ladder's steps: which rungs stand beside which, and which counter is said to account for the
difference."""

from dataclasses import replace

import pytest
from sample_records import DATA, experiment

from analysis.counters.counter_worth import INSTRUCTIONS, WAITS, busy_share, card_of
from analysis.counters.metrics import STALLS
from analysis.ladder.ladder_steps import LIBRARY, RUNG, SIDE, step_sentences, steps_of, steps_table
from language import using
from records.view import View
from report.__main__ import main
from report.asked.wanted import specs
from report.kinds.counters import counters_table

pytestmark = pytest.mark.usefixtures("quick_forms")

# 10 SMs at 100 MHz: 1e9 cycles and 4e9 issue slots a second; L2 at 100 GB/s, DRAM at 10 GB/s.
RUN = {"gpus": [{"name": "a GPU", "uuid": "GPU-a", "sm_count": 10, "clocks": {"sm_mhz": 100}}],
       "ceilings": [{"device": "gpu", "what": "memory_read", "level": "l2",
                     "threads": 0, "value": 100.0, "unit": "GB/s"},
                    {"device": "gpu", "what": "memory_read", "level": "dram", "threads": 0,
                     "value": 10.0, "unit": "GB/s"}]}
PLAIN = {"instructions": 2e9, "global_load_requests": 1e8, "global_load_sectors_per_request": 4.0,
         "shared_load_bank_conflicts": 0.0, "shared_store_bank_conflicts": 0.0, "l2_bytes": 1e9,
         "dram_read_bytes": 1e8, "dram_write_bytes": 1e8, "occupancy": 0.5, "fma_pipe": 0.3}


@pytest.fixture(name="ladder")
def _ladder(make):
    def view_of(*rungs, run=RUN, **more):
        """A view of (implementation, seconds, counters or None, other fields of the case); times in
        9 rounds."""
        cases, counters = [], {}
        for place, (name, seconds, counted, fields) in enumerate(rungs):
            case = make(f"gpu.{name}", samples=(seconds,) * 9, place=place,
                        **({"label": name, "case_id": name} | fields))
            cases.append(case)
            if counted is not None:
                counters[case.case_id] = {"gpu_uuid": "GPU-a", "metrics": {
                    key: {"value": value, "unit": "-"} for key, value in (PLAIN | counted).items()}}
        return View("gpu_ladder", "ladder_steps", "T", tuple(cases), run, counters=counters, **more)
    return view_of


@pytest.mark.parametrize("uuid,text", [("GPU-bbbbbbbb-1",
                                        "Counted on another card (GPU-bbbbbbbb) than the times."),
                                       (None, "Counted on a card that the records do not name")])
def test_counters_of_another_card_say_so_where_they_are_used(ladder, uuid, text):
    view = ladder(("naive", 2.0, {}, {}), ("tiled", 1.0, {"instructions": 1e9}, {}))
    assert ("Counted on" not in step_sentences(view)[0] + steps_table(view).caption
            + counters_table(view).caption)
    view.counters["tiled"]["gpu_uuid"] = uuid
    assert all(text in said for said in (step_sentences(view)[0], steps_table(view).caption,
                                         counters_table(view).caption))


def told(view, name):
    (text,) = [text for text in step_sentences(view) if text.startswith(f"{name} after")]
    return text


def test_a_faster_step_names_the_counter_that_is_worth_the_time_saved(ladder):
    view = ladder(("naive", 2.0, {"instructions": 6e9}, {}),
                  ("tiled", 1.0, {"instructions": 2e9, "fma_pipe": 0.6}, {}))
    assert told(view, "tiled") == (
        "tiled after naive: 2.00 [2.00, 2.00] times as fast, 1.00 s less. What can account for it: "
        "instructions fell from 6,000 to 2,000 million, which could explain all of it. The FMA "
        "pipe is busy 60.0 % of the time instead of 30.0 %.")
    assert step_sentences(view)[0].endswith("1 step, of which 1 faster, 0 not to be told apart, 0 "
                                            "slower.")


@pytest.mark.parametrize("counted,said", [
    ({"shared_load_bank_conflicts": 2e8},
     "bank conflicts rose from 0.00 to 200 million, which could explain at most 200 ms of it"),
    ({"instructions": 2.6e9},
     "instructions rose from 2,000 to 2,600 million, which could explain at most 150 ms of it"),
    ({"global_load_sectors_per_request": 16.0},
     "cycles of L1 and shared memory rose from 100 to 400 million, which could explain all of it"),
    ({"global_load_sectors_per_request": 2.0, "global_load_requests": 3e8},
     "cycles of L1 and shared memory rose from 100 to 300 million, which could explain at most 200 "
     "ms of it"),
    ({"global_load_sectors_per_request": 16.5, "global_load_requests": 2e7},
     "cycles of L1 and shared memory rose from 100 to 330 million, which could explain at most 230 "
     "ms of it"),
    ({"l2_bytes": 2.5e10},
     "L2 traffic rose from 1,000 to 25,000 MB, which could explain at most 240 ms of it"),
    ({"dram_read_bytes": 1.6e9},
     "DRAM traffic rose from 200 to 1,700 MB, which could explain at most 150 ms of it")])
def test_a_slower_step_says_so_and_names_what_it_pays_for(ladder, counted, said):
    text = told(ladder(("a", 1.0, {}, {}), ("b", 1.25, counted, {})), "b")
    assert text.startswith("b after a: slower, 0.800 [0.800, 0.800] times as fast, 250 ms more. "
                           "What can account for it: " + said)
    assert "warps wait" not in text


def test_where_no_counter_accounts_for_it_the_largest_is_named_and_the_waiting(ladder):
    view = ladder(("double_buffered", 1.0, {"fma_pipe": 0.6}, {}), (
        "cp_async", 1.25, {"instructions": 2.2e9, "fma_pipe": 0.48, "occupancy": 0.25}, {}))
    assert told(view, "cp.async") == (
        "cp.async after double-buffered: slower, 0.800 [0.800, 0.800] times as fast, 250 ms more. "
        "No counter recorded is worth half of it; the largest: instructions rose from 2,000 to "
        "2,200 million, which could explain at most 50.0 ms of it. 44.0 % of the issue slots were "
        "used instead of 50.0 %: its warps wait more, and what for was not counted. Achieved "
        "occupancy is 25.0 % instead of 50.0 %. The FMA pipe is busy 48.0 % of the time instead of "
        "60.0 %.")


@pytest.mark.parametrize("seconds,per_issue,long,said",
                         [(1.25, 10.0, 4.0, "more, most of all for data from global memory (long "
                           "scoreboard), 500 ms of the time instead of 250 ms."),
                          (0.8, 8.0, 0.5, "less, most of all for data from global memory (long "
                           "scoreboard), 50.0 ms of the time instead of 250 ms.")])
def test_what_warps_wait_for_is_said_where_it_was_counted(ladder, seconds, per_issue, long, said):
    """An average warp waits a share of the time; what moved most the way of the step is named, not
    what is largest."""
    below = {"warps_per_issue": 8.0, "stalled_long_scoreboard": 2.0, "stalled_wait": 4.0,
             "stalled_barrier": 0.1}
    above = {"warps_per_issue": per_issue, "stalled_long_scoreboard": long, "stalled_wait": 4.0,
             "stalled_barrier": 0.1}
    view = ladder(("a", 1.0, below, {}), ("b", seconds, above, {}))
    assert f"its warps wait {said}" in told(view, "b")


def waiting(short=0.0, mio=0.0, **more):
    return {"warps_per_issue": 10.0, "stalled_short_scoreboard": short, "stalled_mio_throttle": mio,
            "stalled_long_scoreboard": 0.0, "stalled_lg_throttle": 0.0, **more}


@pytest.mark.parametrize("short,said", [
    (4.0, "What can account for it: cycles of L1 and shared memory rose from 500 to 900 million, "
     "which could explain all of it."),
    (2.4, "What can account for it: cycles of L1 and shared memory rose from 500 to 900 million, "
     "which could explain at most 200 ms of it."),
    (1.2, "the largest: cycles of L1 and shared memory rose from 500 to 900 million, which could "
     "explain at most 50.0 ms of it."),
    (0.5, "No counter recorded moved the way that would explain it.")])
def test_work_that_no_warp_waited_longer_for_is_worth_no_more_than_the_waits_moved(ladder, short,
                                                                                   said):
    """100 ms of a second before; of 1.25 s after, a tenth of `short`."""
    below, above = ({"shared_wavefronts": wavefronts, **waiting(stall)}
                    for wavefronts, stall in ((4e8, 1.0), (8e8, short)))
    assert said in told(ladder(("a", 1.0, below, {}), ("b", 1.25, above, {})), "b")


def test_a_ready_warp_that_was_not_selected_waited_for_nothing(ladder):
    below, above = waiting(stalled_not_selected=4.0,
                           stalled_wait=2.0), waiting(stalled_not_selected=1.0, stalled_wait=1.0)
    text = told(ladder(("a", 1.0, below, {}), ("b", 0.8, above, {})), "b")
    assert ("most of all for the fixed latency of an instruction (wait), 80.0 ms of the time "
            "instead of 200 ms" in text)


def test_every_wait_that_is_counted_has_words():
    assert list(WAITS) == [f"stalled_{reason}" for reason in STALLS]


def test_wavefronts_of_shared_memory_account_for_a_step(ladder):
    view = ladder(("a", 1.0, {"shared_wavefronts": 8e8}, {}),
                  ("b", 0.5, {"shared_wavefronts": 4e8}, {}))
    assert ("What can account for it: cycles of L1 and shared memory fell from 900 to 500 million, "
            "which could explain at most 400 ms of it." in told(view, "b"))
    assert (steps_table(view).rows[1].cells[3].value
            == pytest.approx(100.0)), "5e8 cycles of 1e9 a second, in half a second"


def test_loads_that_move_from_l1_to_shared_memory_save_none_of_their_cycles(ladder):
    """As from naive to tiled: L1 and shared memory are one unit."""
    view = ladder(("a", 1.0, {"global_load_requests": 8e8, "shared_wavefronts": 0.0}, {}),
                  ("b", 0.8, {"global_load_requests": 0.0, "shared_wavefronts": 8e8}, {}))
    assert "No counter recorded moved the way" in told(view, "b")


def test_a_step_against_its_instructions_says_so(ladder):
    slower = told(ladder(("a", 1.0, {}, {}), ("b", 1.25, {"instructions": 1e9}, {})), "b")
    assert ("No counter recorded moved the way that would explain it. Its instructions fell from "
            "2,000 to 1,000 million, which goes the other way. 20.0 % of the issue slots were used "
            "instead of 50.0 %: its warps wait more" in slower)
    faster = told(ladder(("a", 1.0, {}, {}), ("b", 0.8, {"instructions": 2.4e9}, {})), "b")
    assert ("Its instructions rose from 2,000 to 2,400 million" in faster
            and "its warps wait less" in faster)


def test_a_counter_that_moved_by_little_of_the_time_is_not_named(ladder):
    """From 2 conflicts to none is a great change of a count that costs nothing."""
    text = told(ladder(("a", 1.0, {"shared_load_bank_conflicts": 2.0}, {}), ("b", 0.8, {}, {})),
                "b")
    assert "No counter recorded moved the way" in text and "conflicts" not in text


def test_a_tie_has_nothing_to_explain(make, ladder):
    view = ladder(("a", 1.0, {}, {}), ("b", 1.0, {"instructions": 4e9}, {}))
    assert told(view, "b") == "b after a: a tie, 1.00 [1.00, 1.00] times; nothing to explain."
    noisy = ladder(("a", 1.0, {}, {"noise": 0.05}), ("b", 1.04, {}, {}))
    assert "a tie" in told(noisy, "b"), "within what the same code under two labels came apart by"
    assert step_sentences(noisy)[0].endswith("of which 0 faster, 1 not to be told apart, 0 slower.")


def test_missing_counters_are_named_with_what_counts_them(ladder):
    text = told(ladder(("a", 1.0, {}, {}), ("b", 1.25, None, {})), "b")
    assert text.startswith("b after a: slower, 0.800")
    assert ("No counters are recorded of b, so that nothing here can explain it: `gemmlab profile "
            "gpu_ladder` counts" in text)
    assert "recorded of a and b," in told(ladder(("a", 1.0, None, {}), ("b", 1.25, None, {})), "b")


def test_a_record_without_clock_or_ceilings_claims_no_worth(ladder):
    view = ladder(("a", 1.0, {}, {}), ("b", 1.25, {"instructions": 9e9}, {}), run={})
    assert ("Clock and number of SMs are not recorded, so that no count can be turned into time."
            in told(view, "b"))
    assert "issue slots" not in told(view, "b") and "No counter recorded" not in told(view, "b")
    assert [cell.text for cell in steps_table(view).rows[1].cells] == ["0.800 [0.800, 0.800]", "–",
                                                                       "30.0", "–", "–", "–"]


def test_a_rung_stands_beside_the_fastest_before_it_and_a_tie_makes_none_the_fastest(ladder):
    view = ladder(("a", 1.0, {}, {}), ("b", 1.25, {}, {}), ("c", 1.1, {}, {}), ("d", 0.5, {}, {}),
                  ("e", 0.5, {}, {}), ("f", 0.4, {}, {}))
    assert [(step.how, step.below.label, step.above.label) for step in steps_of(view)] == [
        (RUNG, "a", "b"), (RUNG, "a", "c"), (RUNG, "a", "d"), (RUNG, "d", "e"), (RUNG, "d", "f")]
    texts = step_sentences(view)
    assert "Slower than one before: b and c." in texts[0]
    assert texts[2].startswith("c after a: slower, 0.909")


def test_what_changes_one_thing_stands_beside_its_rung_at_the_same_parameters(ladder):
    def block(side):
        return {"parameters": {"block": side}, "label": f"block {side}"}
    view = ladder(("naive", 2.0, {}, {}), ("tiled", 1.0, {}, block(32) | {"case_id": "t32"}),
                  ("tiled", 1.2, {}, block(8) | {"case_id": "t8"}),
                  ("tiled_conflicting", 9.0, {"shared_load_bank_conflicts": 8e9},
                   block(32) | {"case_id": "c32"}),
                  ("tiled_conflicting", 1.5, {}, block(8) | {"case_id": "c8"}),
                  ("tiled_transposed", 0.9, {}, {}))
    assert [(step.how, step.below.case_id, step.above.case_id) for step in steps_of(view)] == [
        (RUNG, "naive", "t32"), (RUNG, "t32", "tiled_transposed"), (SIDE, "t32", "c32")]
    assert "which changes one thing of tiled 32: slower, 0.111" in step_sentences(view)[3]
    assert ("bank conflicts rose from 0.00 to 8,000 million, which could explain all of it"
            in step_sentences(view)[3])


def test_libraries_are_no_rungs_and_other_precisions_none_at_all(ladder):
    view = ladder(("a", 1.0, {}, {}), ("b", 0.8, {}, {}),
                  ("cublas", 0.9, {}, {"chosen": {"library": "libcublas.so"}}),
                  ("tensor", 0.1, {}, {"precision": "fp32-split"}),
                  ("broken", 0.2, {}, {"status": "incorrect"}))
    assert [(step.how, step.below.label, step.above.label) for step in steps_of(view)] == [
        (RUNG, "a", "b"), (LIBRARY, "b", "cublas")]
    assert step_sentences(view)[2].startswith("cuBLAS against b, the fastest rung: slower, 0.889")
    assert "Slower than the rung before" not in step_sentences(view)[0]


def test_the_largest_size_that_rungs_and_counters_share_is_taken(ladder):
    def at(size):
        return {"size": size, "case_id": f"{size}"}
    every = [(name, 1.0 + place / 8, {} if size < 99 else None,
              {"size": size, "case_id": f"{name}{size}"}) for size in (32, 64, 99)
             for place, name in enumerate("ab")]
    assert {case.m for step in steps_of(ladder(*every))
            for case in (step.below, step.above)} == {64}
    assert ({step.above.m for step in steps_of(ladder(*every, ("c", 0.1, {}, at(32))))}
            == {32}), "three rungs, not two"


def test_the_table_holds_the_99_percent_interval_and_the_shares(make, ladder):
    view = ladder(("a", 1.0, {}, {}), ("b", 1.25, {"instructions": 2.5e9}, {}))
    samples = tuple(1.25 + 0.01 * place for place in range(20))
    view = replace(view, cases=(make("gpu.a", samples=(1.0,) * 20, case_id="a", label="a"),
                                make("gpu.b", samples=samples, case_id="b", label="b")))
    (step,) = steps_of(view)
    first, row = steps_table(view).rows
    assert (first.heads == ("a", "–") and [cell.text for cell in first.cells]
            == ["–", "50.0", "30.0", "10.0", "1.00", "2.00"])
    assert (row.cells[0].low, row.cells[0].high) == step.ratio.decision != (step.ratio.low,
                                                                            step.ratio.high)
    assert row.cells[1].value == pytest.approx(100 * 2.5e9 / 4e9 / view.cases[1].median_s)
    metrics = {"instructions": 2.5e9}
    assert busy_share(INSTRUCTIONS, view.cases[1], metrics,
                      card_of(view, view.cases[1])) == pytest.approx(row.cells[1].value / 100)


def test_the_clock_at_which_a_point_was_timed_counts(make, ladder):
    view = ladder(("a", 1.0, {}, {}), ("b", 1.25, {}, {}))
    assert card_of(view, make(clock_mhz=50.0)).slots == 2e9 and card_of(view, make()).slots == 4e9


def test_one_rung_is_no_ladder(ladder):
    view = ladder(("a", 1.0, {}, {}))
    assert (step_sentences(view) == [] and steps_table(view).rows == []
            and "No two rungs" in steps_table(view).caption)


def test_it_is_said_in_chinese(ladder):
    with using("zh"):
        text = step_sentences(ladder(("a", 1.0, {}, {}),
                                     ("b", 1.25, {"shared_load_bank_conflicts": 2e8}, {})))[1]
    assert text == "b（此前最快：a）：更慢，速度为 0.800 [0.800, 0.800] 倍，多用 250 ms。" \
        "可以由此解释：bank 冲突数从 0.00 升到 200 百万，至多折合其中 200 ms。"


def test_the_steps_stand_before_the_counters_that_explain_them():
    kinds = [spec["kind"] for spec in specs(experiment("bench", "evidence"), "tables")]
    assert (kinds[kinds.index("counters") - 1] == "ladder_steps"
            and "ladder_steps" not in kinds[kinds.index("counters"):])


def test_every_form_of_the_report_holds_the_steps(tmp_path):
    assert main(["build", str(DATA / "bench" / "evidence.jsonl"), "--output", str(tmp_path)]) == 0
    rows = (tmp_path / "tables/evidence-ladder_steps.csv").read_text(encoding="utf-8").splitlines()
    assert any(row.startswith("tiled,naive,times as fast,1.7") for row in rows), rows[:4]
    for page in ("report.html", "report.md", "report.tex"):
        text = (tmp_path / page).read_text(encoding="utf-8")
        assert ("tiled after naive: 1.7" in text
                and "What can account for it: L2 traffic" in text), page
        assert "evidence-ladder_steps" in text, page
