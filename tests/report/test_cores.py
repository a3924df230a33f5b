"""What processors are worth and how it is said: planted in copies of a committed run."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path

import pytest
from doctor_records import diagnosed

from language import using
from records.cases.cores import (
    Processors,
    ceilings_worth,
    cores_worth,
    processors_of,
    processors_text,
)
from records.loading import find_files, load
from report.doctor import NOTE
from report.machine.machine_facts import machine_facts

RECORDS = (Path(__file__).parents[2] / "data" / "results" / "intel-xeon-nvidia-h200"
           / "cpu_vs_gpu.jsonl")


@pytest.fixture(scope="module")
def committed():
    """The first run of the experiment that the first screen rests on, as recorded."""
    with RECORDS.open(encoding="utf-8") as lines:
        return next(run for run in map(json.loads, lines) if run["kind"] == "run")


def planted(run, worth, **host):
    """The run with ceilings in which all processors together are worth so many cores."""
    changed = deepcopy(run)
    changed["host"] |= host
    fma = [one for one in changed["ceilings"] if one["device"] == "cpu" and one["what"] == "fma"]
    alone = {one["level"]: one["value"] for one in fma if one["threads"] == 1}
    for one in fma:
        one["trusted"] = True
        if one["threads"] != 1:
            one["value"] = worth * alone[one["level"]]
    return changed


@pytest.mark.parametrize(("worth", "text"), [
    (8.0, "16 threads (8 cores' worth)"), (11.9, "16 threads (12 cores' worth)"),
    (12.1, "16 processors"), (14.3, "16 processors"), (14.5, "16 cores"), (17.0, "16 cores")])
def test_ceilings_tell_what_the_processors_are_worth(committed, worth, text):
    run = planted(committed, worth)
    assert cores_worth(run) == pytest.approx(min(worth, 16.0)) and processors_text(run) == text


def test_what_was_measured_of_the_host_comes_before_its_ceilings(committed):
    assert processors_text(planted(committed, 16.0,
                                   cores_worth=8.2)) == "16 threads (8 cores' worth)"
    assert processors_text(planted(committed, 8.0, cores_worth=15.9)) == "16 cores"
    assert processors_text(planted(committed, 8.0,
                                   cores_worth=None)) == "16 threads (8 cores' worth)"


def test_a_pair_on_one_core_forbids_the_word_cores(committed):
    assert processors_text(planted(committed, 16.0, smt_pairs=[[0, 8]])) == "16 processors"
    assert processors_text(planted(committed, 16.0, smt_pairs=[])) == "16 cores"


def test_ceilings_that_are_not_trusted_or_not_there_tell_nothing(committed):
    run = planted(committed, 8.0)
    for one in run["ceilings"]:
        one["trusted"] = False
    assert ceilings_worth(run) is None and processors_text(run) == "16 processors"
    run["ceilings"] = []
    assert cores_worth(run) is None
    assert processors_text({}) == "" and processors_of({"host": {"cores": 1}}).text() == "1 core"


def test_processors_are_called_cores_only_where_all_runs_of_the_host_agree(committed, tmp_path):
    whole, halved = planted(committed, 16.0), planted(committed, 8.0)
    halved |= {"run_id": "other", "experiment": "another"}
    for run in (whole, halved):
        (tmp_path / f"{run['experiment']}.jsonl").write_text(json.dumps(run) + "\n",
                                                             encoding="utf-8")
    alone = load(tmp_path, [tmp_path / f"{whole['experiment']}.jsonl"])
    assert processors_text(alone.runs[0]) == "16 cores"
    told = {run["run_id"]: processors_text(run)
            for run in load(tmp_path, find_files(tmp_path)).runs}
    assert told == {committed["run_id"]: "16 threads (8 to 16 cores' worth, by run)",
                    "other": "16 threads (8 to 16 cores' worth, by run)"}


def test_a_run_that_was_given_fewer_processors_says_nothing_of_those_that_had_all(committed,
                                                                                  tmp_path):
    whole, few = planted(committed, 15.9), planted(committed, 4.0)
    few |= {"run_id": "few", "experiment": "another", "host": {**few["host"], "cores": 5}}
    for run in (whole, few):
        (tmp_path / f"{run['experiment']}.jsonl").write_text(json.dumps(run) + "\n",
                                                             encoding="utf-8")
    told = {run["run_id"]: processors_text(run)
            for run in load(tmp_path, find_files(tmp_path)).runs}
    assert told[committed["run_id"]] == "16 cores"


def test_some_of_the_processors_are_no_number_of_cores():
    assert Processors(16, 8.0).text(4) == "4 threads" and Processors(16, 8.0).text(1) == "1 core"
    assert Processors(16, 15.9).text(4) == "4 cores" and Processors(16,
                                                                    13.0).text(4) == "4 processors"


def test_runs_that_do_not_agree_are_told_with_their_range(committed):
    runs = [planted(committed, 8.0), planted(committed, 14.0)]
    assert "16 processors, worth 8 to 14 cores" in dict(machine_facts(runs))["CPU"]


def test_the_words_are_there_in_chinese(committed):
    with using("zh"):
        assert processors_text(planted(committed, 8.0)) == "16 线程（相当于 8 个核心）"


@pytest.mark.parametrize(("worth", "found"), [(0.74, True), (0.76, False)])
def test_doctor_names_a_run_whose_processors_are_not_worth_a_core_each(tmp_path, worth, found):
    def plant(run, cases):
        del cases
        all_ones = next(one for one in run["ceilings"]
                        if one["what"] == "fma" and one["threads"] == 16)
        one = next(one for one in run["ceilings"] if one["what"] == "fma" and one["threads"] == 1)
        all_ones["value"] = 16 * worth * one["value"]
    told = [one for one in diagnosed(tmp_path, plant) if one.rule == "shared-cores"]
    assert bool(told) is found
    if told:
        assert (told[0].severity == NOTE and "In 1 of 1 run " in told[0].text
                and "sweep: 16 processors, 11.8 cores' worth" in told[0].text)
