"""What gemmlab export writes: tidy CSV, and JSON as Google Benchmark's own tools expect it."""

import csv
import json
import math
import shutil
from statistics import fmean, stdev

import pytest
from make_data import timed
from sample_records import DATA, read

from report.__main__ import main

WORKSTATION = DATA / "workstation"


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module", name="tables")
def _tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("csv")
    assert main(["export", str(WORKSTATION), "--output", str(folder)]) == 0
    return rows(folder / "cases.csv"), rows(folder / "samples.csv")


@pytest.fixture(scope="module", name="quick")
def _quick(tmp_path_factory):
    folder = tmp_path_factory.mktemp("json")
    assert main(["export", str(WORKSTATION / "quick.jsonl"), "--output", str(folder), "--format",
                 "google-benchmark"]) == 0
    return json.loads((folder / "quick.json").read_text(encoding="utf-8"))


def cases_of(machine):
    return [case for experiment in read(machine).experiments for case in experiment.cases]


def test_a_row_a_case_whatever_its_status(tables):
    found, _ = tables
    cases = cases_of("workstation")
    assert len(found) == len(cases)
    assert {row["status"] for row in found} >= {"ok", "incorrect", "crashed", "skipped"}
    assert [row["verified"] for row in found] == [str(case.shown) for case in cases]


def test_numbers_reach_the_file_unrounded(tables):
    for row, case in zip(tables[0], cases_of("workstation")):
        assert (row["case_id"], row["experiment"], row["label"], row["m"]) == (
            case.case_id, case.experiment, case.label, str(case.m))
        assert row["median_s"] == ("" if case.measured_s is None else repr(case.measured_s))
        if case.ci95_s:
            assert (float(row["ci95_low_s"]), float(row["ci95_high_s"])) == case.ci95_s


def test_parameters_are_columns(tables):
    tiled = next(row for row in tables[0] if row["label"] == "tiled, block 16")
    assert (tiled["parameter_block"] == "16" and tiled["parameter_threads"] == ""
            and tiled["parameter_tile"] == "-")


def test_a_row_a_sample_with_all_that_tells_cases_apart(tables):
    cases, samples = tables
    expected = [(case.case_id, case.experiment, str(turn), sample)
                for case in cases_of("workstation")
                for turn, sample in zip(case.rounds, case.samples_s)]
    assert [(row["case_id"], row["experiment"], row["round"], float(row["time_s"]))
            for row in samples] == expected
    assert set(cases[0]) & set(samples[0]) >= {"machine", "implementation", "label", "group", "m",
                                               "n", "k", "scope", "cache", "parameter_threads",
                                               "status", "verified", "run_id", "twin_of"}
    row = samples[0]
    assert float(row["gflop_per_s"]) == pytest.approx(
        2e-9 * int(row["m"]) * int(row["n"]) * int(row["k"]) / float(row["time_s"]), rel=1e-4)


def test_every_row_has_every_column_and_no_column_is_of_two_types(tables):
    for table in tables:
        for name in table[0]:
            values = [row[name] for row in table]
            assert None not in values
            texts = [value for value in values
                     if value and not _is_number(value) and value not in ("True", "False", "-")]
            assert not texts or "" not in values, f"{name} mixes text with empty fields"


def _is_number(text):
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def test_pandas_reads_both_files_in_one_line(tmp_path):
    pandas = pytest.importorskip("pandas")
    main(["export", str(WORKSTATION), "--output", str(tmp_path)])
    cases, samples = (pandas.read_csv(tmp_path / name) for name in ("cases.csv", "samples.csv"))
    assert cases.verified.dtype == bool and cases.median_s.dtype == float
    medians = samples.groupby(["case_id", "experiment"]).time_s.median()
    assert (medians - cases.set_index(["case_id",
                                       "experiment"]).median_s.dropna()).abs().max() < 1e-15


def test_twins_first_calls_and_counters_have_their_columns(tmp_path):
    run, case = (json.loads(line)
                 for line in (WORKSTATION / "gpu_ladder.jsonl").read_text().splitlines()[:2])
    twin = case | {"case_id": "t", "twin_of": case["case_id"], "label": f"{case['label']} (again)"}
    first = timed(case, [0.3, 0.4]) | {
        "case_id": "f", "scope": "first-call", "steady_s": [1e-3, 2e-3], "module_loading": "lazy",
        "first_call_s": {"context": [0.2, 0.25], "kernel": [0.1, 0.15]}}
    counters = {"kind": "counters", "run_id": "x",
                "case_id": case["case_id"], "experiment": case["experiment"],
                "metrics": {"dram_read_bytes": {"value": 12.0, "unit": "byte"}}}
    (tmp_path / "gpu_ladder.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in (run, case, first, twin, counters)))
    assert main(["export", str(tmp_path), "--output", str(tmp_path)]) == 0
    plain, later, again = rows(tmp_path / "cases.csv")
    assert (plain["twin_of"], again["twin_of"]) == ("-", case["case_id"])
    assert (plain["counter_dram_read_bytes"], again["counter_dram_read_bytes"]) == ("12.0", "")
    assert (float(later["first_call_context_s"]) == pytest.approx(0.225)
            and float(later["steady_s"]) == pytest.approx(1.5e-3))
    assert (plain["module_loading"], later["module_loading"]) == ("-", "lazy")
    samples = [row for row in rows(tmp_path / "samples.csv") if row["case_id"] == "f"]
    assert [(row["first_call_context_s"], row["steady_s"])
            for row in samples] == [("0.2", "0.001"), ("0.25", "0.002")]


# What compare.py of Google Benchmark 1.7 reads of each entry (tools/gbench/report.py), and the
# format's own promises.
def test_entries_have_what_google_benchmarks_compare_reads(quick):
    assert {"date", "host_name", "num_cpus", "mhz_per_cpu", "caches",
            "library_build_type"} <= set(quick["context"])
    assert quick["context"]["host_name"] == "workstation" and quick["context"]["num_cpus"] == 16
    assert quick["context"]["date"] == "2026-11-20T10:00:00+00:00"
    for entry in quick["benchmarks"]:
        assert (entry["time_unit"] == "ns" and entry["real_time"] > 0
                and entry["cpu_time"] == entry["real_time"])
        assert isinstance(entry["name"], str) and isinstance(entry["iterations"], int)
        assert entry["run_type"] in ("iteration", "aggregate")
        assert ("aggregate_name" in entry) == (entry["run_type"] == "aggregate")
        suffix = f"_{entry['aggregate_name']}" if entry["run_type"] == "aggregate" else ""
        assert entry["name"] == entry["run_name"] + suffix


def test_repetitions_are_the_samples_and_aggregates_follow_from_them(quick):
    name = "cpu.openmp/isa:avx2/threads:8/1024x1024x1024"
    case = next(case for case in cases_of("workstation") if case.experiment == "quick"
                and case.m == 1024 and case.label == "OpenMP, 8 threads")
    entries = [entry for entry in quick["benchmarks"] if entry["run_name"] == name]
    repeated = [entry for entry in entries if entry["run_type"] == "iteration"]
    assert [entry["real_time"]
            for entry in repeated] == pytest.approx([sample * 1e9 for sample in case.samples_s])
    assert [entry["repetition_index"] for entry in repeated] == list(range(11))
    assert ({entry["repetitions"] for entry in entries} == {11}
            and {entry["threads"] for entry in entries} == {8})
    times = {entry["aggregate_name"]: entry["real_time"] for entry in entries
             if entry["run_type"] == "aggregate"}
    assert times == pytest.approx({
        "mean": fmean(case.samples_s) * 1e9, "median": case.median_s * 1e9,
        "stddev": stdev(case.samples_s) * 1e9, "cv": stdev(case.samples_s) / fmean(case.samples_s)})
    assert entries[-1]["aggregate_unit"] == "percentage"


def test_only_verified_points_have_numbers_and_each_has_its_own_name(quick):
    shown = [case for case in cases_of("workstation") if case.experiment == "quick" and case.shown]
    names = {entry["run_name"] for entry in quick["benchmarks"]}
    assert len(names) == len(shown)
    assert "gpu.tiled/block:8/512x512x512" not in names, "it is incorrect"


def test_what_is_not_as_usual_and_a_second_group_stand_in_the_name(tmp_path):
    run, case = (json.loads(line)
                 for line in (WORKSTATION / "gpu_ladder.jsonl").read_text().splitlines()[:2])
    more = [case, case | {"group": "other"},
            case | {"case_id": "w", "cache": "warm", "scope": "call"},
            case | {"case_id": "h", "handicap": 0.03},
            case | {"case_id": "t", "twin_of": case["case_id"]}]
    (tmp_path / "gpu_ladder.jsonl").write_text("".join(json.dumps(line) + "\n"
                                                       for line in (run, *more)))
    assert main(["export", str(tmp_path), "--output", str(tmp_path), "--format",
                 "google-benchmark"]) == 0
    entries = json.loads((tmp_path / "gpu_ladder.json").read_text())["benchmarks"]
    point = "gpu.naive_uncoalesced/1024x1024x1024"
    assert {entry["run_name"] for entry in entries} == {
        f"{point}/group:ladder", f"{point}/group:other", f"{point}/scope:call/cache:warm",
        f"{point}/handicap:0.03"}


def test_one_sample_has_no_aggregates(tmp_path):
    run, case = (json.loads(line)
                 for line in (WORKSTATION / "gpu_ladder.jsonl").read_text().splitlines()[:2])
    one = timed(case, case["samples_s"][:1])
    (tmp_path / "x.jsonl").write_text(json.dumps(run) + "\n" + json.dumps(one) + "\n")
    main(["export", str(tmp_path), "--output", str(tmp_path), "--format", "google-benchmark"])
    (entry,) = json.loads((tmp_path / "gpu_ladder.json").read_text())["benchmarks"]
    assert entry["run_type"] == "iteration" and entry["repetitions"] == 1


def test_a_missing_folder_and_a_missing_output_are_usage_errors(tmp_path, capsys):
    assert main(["export", str(tmp_path / "none"), "--output", str(tmp_path)]) == 2
    assert "no such file or folder" in capsys.readouterr().err
    with pytest.raises(SystemExit) as end:
        main(["export", str(WORKSTATION)])
    assert end.value.code == 2 and "--output" in capsys.readouterr().err


def test_an_output_that_is_a_file_is_refused_in_one_line(tmp_path, capsys):
    shutil.copy(WORKSTATION / "quick.jsonl", tmp_path / "file")
    assert main(["export", str(WORKSTATION), "--output", str(tmp_path / "file")]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("gemmlab export: error: ") and str(tmp_path / "file") in last
