"""gemmlab profile from the list of points to the records, with stand-ins for ncu and for the
program."""

import fcntl
import json

import pytest
from sample_records import DATA

from records.loading import find_files, load
from report.__main__ import main

OUTPUT = DATA / "ncu/h200_two_kernels.txt"
GPU = {"gpus": [{"name": "NVIDIA H200"}], "gpu_unavailable": "", "machine": "xeon-h200"}

# Answers `info`, `points` and, for a CPU point, `multiply --counters` from files.
PROGRAM = """#!/bin/bash
case $1 in
  info) printf '%s\\n' "$*" >>"$FAKE/asked"; cat "$FAKE/info.json" ;;
  points) [[ $# == 2 ]] || { echo "gemmlab: The following argument was not expected: $3" >&2; exit 2; }
          [[ -e $FAKE/points.json ]] || { echo "gemmlab: unknown experiment '$2'; allowed: quick" >&2; exit 2; }
          cat "$FAKE/points.json" ;;
  multiply) printf '%s\\n' "$*" >>"$FAKE/calls"
            [[ "$*" != *"--implementation cpu.fails "* ]] || { echo "gemmlab: cpu.fails does not take 1024" >&2; exit 2; }
            printf 'cpu.ikj ok\\n%s\\n' "$(cat "$FAKE/counted")" ;;
esac
"""

# Writes down its calls; fails for implementations that $FAKE/fails names; refuses metrics that
# $FAKE/unknown names.
NCU = """#!/bin/bash
[[ $1 == --version ]] && { echo 'NVIDIA (R) Nsight Compute'; echo 'Version 2025.3.1.0 (build 3) (x)'; exit; }
printf '%s\\n' "$*" >>"$FAKE/calls"
echo "$CUDA_VISIBLE_DEVICES" >>"$FAKE/cards"
if [[ -e $FAKE/says ]]; then cat "$FAKE/says"; exit 1; fi
for metric in $(cat "$FAKE/unknown" 2>/dev/null); do
  [[ "$*" != *"$metric"* ]] || { echo "==ERROR== Failed to find metric $metric"; exit 1; }
done
for name in $(cat "$FAKE/fails" 2>/dev/null); do
  [[ "$*" != *"--implementation $name "* ]] || { echo "gemmlab: $name does not take 1024"
    echo '==ERROR== The application returned an error code (2).'; exit 2; }
done
cat "$FAKE/output"
"""


def point(implementation="gpu.tiled", size=1024, group="squares", scope="kernel", **parameters):
    label = ", ".join([implementation[4:],
                       *(f"{name} {value}" for name, value in parameters.items())])
    return {"case_id": f"{label}{size}{scope}", "implementation": implementation,
            "parameters": parameters, "label": label, "group": group, "operation": "gemm",
            "dims": {"m": size, "n": size, "k": size}, "options": {}, "scope": scope}


POINTS = [point("cpu.ikj"), point(block=16), point(block=16, size=4096), point(block=16, size=8192),
          point("gpu.naive"), point("gpu.naive", 4096), point(block=32, size=2048, group="other")]


@pytest.fixture(name="fake")
def _fake(tmp_path, monkeypatch):
    folder = tmp_path / "fake"
    for path, text in ((folder / "bin/ncu", NCU), (folder / "program", PROGRAM)):
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)
        path.chmod(0o755)
    (folder / "info.json").write_text(json.dumps(GPU))
    (folder / "points.json").write_text(json.dumps(POINTS))
    (folder / "output").write_text(OUTPUT.read_text())
    monkeypatch.setenv("FAKE", str(folder))
    monkeypatch.setenv("PATH", f"{folder / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("GEMMLAB_PROGRAM", str(folder / "program"))
    monkeypatch.delenv("CUDA_HOME", raising=False)
    return folder


def records(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def refused(capsys, *arguments):
    """The one line that it says on the way out with exit code 2."""
    assert main(["profile", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == "" and len(said.err.splitlines()) == 1, said
    assert said.err.startswith("gemmlab profile: error: ")
    return said.err


def test_each_label_is_profiled_at_its_groups_largest_shape_up_to_4096(fake, tmp_path):
    assert main(["profile", "gpu_ladder", "--output", str(tmp_path / "r")]) == 0
    written = records(tmp_path / "r/gpu_ladder.jsonl")
    assert [(record["label"], record["dims"]["m"]) for record in written] == [
        ("tiled, block 16", 4096), ("naive", 4096), ("tiled, block 32", 2048)]
    calls = (fake / "calls").read_text().splitlines()
    assert len(calls) == 3
    assert calls[0].endswith(f"{fake / 'program'} multiply --implementation gpu.tiled --parameters "
                             '{"block":16} --m 4096 --n 4096 --k 4096')


def test_a_record_is_as_the_format_says(fake, tmp_path):
    card = {"host": {"id": "0123abcd"}, "gpus": [GPU["gpus"][0] | {"uuid": "GPU-a"}]}
    (fake / "info.json").write_text(json.dumps(GPU | card))
    main(["profile", "gpu_ladder", "--output", str(tmp_path), "--points", "naive"])
    (record,) = records(tmp_path / "gpu_ladder.jsonl")
    assert {name: value for name, value in record.items() if name not in ("run_id", "metrics")} == {
        "kind": "counters", "case_id": "naive4096kernel", "experiment": "gpu_ladder",
        "implementation": "gpu.naive", "parameters": {}, "label": "naive", "group": "squares",
        "operation": "gemm", "dims": {"m": 4096, "n": 4096, "k": 4096}, "options": {},
        "tool": "ncu 2025.3.1", "kernel": "fill + tiled<16>", "host_id": "0123abcd",
        "gpu_uuid": "GPU-a"}
    assert len(record["run_id"]) == len("20261120T235901Z-1a2b3c")
    assert record["metrics"]["time_s"] == {"value": pytest.approx(731.936e-6), "unit": "s"}


def test_the_chosen_card_alone_is_seen_by_ncu(fake, tmp_path, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")  # so that it is put back afterwards
    (fake / "info.json").write_text(
        json.dumps(GPU | {"gpus": [GPU["gpus"][0] | {"uuid": "GPU-b"}]}))
    assert main(["profile", "gpu_ladder", "--gpu", "1", "--points", "naive", "--output",
                 str(tmp_path)]) == 0
    assert ((fake / "asked").read_text() == "info --json --gpu 1\n"
            and set((fake / "cards").read_text().split()) == {"GPU-b"})
    assert records(tmp_path / "gpu_ladder.jsonl")[0]["gpu_uuid"] == "GPU-b"


def test_the_readers_take_the_records_in(fake, tmp_path):
    main(["profile", "gpu_ladder", "--output", str(tmp_path)])
    (experiment,) = load(tmp_path, find_files(tmp_path)).experiments
    assert set(experiment.counters) == {"tiled, block 164096kernel", "naive4096kernel",
                                        "tiled, block 322048kernel"}


def test_without_output_the_machines_own_folder_is_written(fake, tmp_path, monkeypatch):
    monkeypatch.setattr("report.profile.command.OWN_RESULTS", tmp_path / "results")
    assert main(["profile", "gpu_ladder", "--points", "1"]) == 0
    assert main(["profile", "gpu_ladder", "--points", "1", "--machine", "mine"]) == 0
    assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.jsonl")} == {
        "results/xeon-h200/gpu_ladder.jsonl", "results/mine/gpu_ladder.jsonl"}


@pytest.mark.parametrize("size,sizes", [("1024", [1024, 1024]), ("2048", [1024, 1024, 2048]),
                                        ("9000", [8192, 2048])])
def test_size_limits_the_shapes(fake, tmp_path, size, sizes):
    assert main(["profile", "gpu_ladder", "--size", size, "--output", str(tmp_path)]) == 0
    assert [record["dims"]["m"] for record in records(tmp_path / "gpu_ladder.jsonl")] == sizes


@pytest.mark.parametrize("wanted,labels", [
    ("naive", ["naive"]), ("tiled, block 32", ["tiled, block 32"]),
    ("tiled, block 16,naive", ["tiled, block 16", "naive"]),
    ("3,1", ["tiled, block 32", "tiled, block 16"]),
    ("gpu.tiled", ["tiled, block 16", "tiled, block 32"]), ("naive,2", ["naive"])])
def test_points_are_picked_by_label_number_or_implementation(fake, tmp_path, wanted, labels):
    assert main(["profile", "gpu_ladder", "--points", wanted, "--output", str(tmp_path)]) == 0
    assert [record["label"] for record in records(tmp_path / "gpu_ladder.jsonl")] == labels


def test_list_shows_the_numbers_and_profiles_nothing(fake, capsys):
    assert main(["profile", "gpu_ladder", "--list"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "  1  tiled, block 16 at 4096  (gpu.tiled)", "  2  naive at 4096  (gpu.naive)",
        "  3  tiled, block 32 at 2048  (gpu.tiled)"]
    assert not (fake / "calls").exists()


def test_kernels_are_profiled_where_a_label_has_other_scopes_too(fake, tmp_path):
    (fake / "points.json").write_text(json.dumps([point(scope="end-to-end", size=2048), point()]))
    assert main(["profile", "x", "--output", str(tmp_path)]) == 0
    assert [record["dims"]["m"] for record in records(tmp_path / "x.jsonl")] == [1024]


def test_a_point_that_fails_costs_itself_and_is_told_with_the_programs_reason(fake,
                                                                              tmp_path, capsys):
    (fake / "fails").write_text("gpu.naive")
    assert main(["profile", "gpu_ladder", "--output", str(tmp_path)]) == 1
    assert "naive at 4096: gpu.naive does not take 1024" in capsys.readouterr().err
    assert ([record["label"] for record in records(tmp_path / "gpu_ladder.jsonl")]
            == ["tiled, block 16", "tiled, block 32"])


def test_a_metric_that_the_card_lacks_is_left_out_once_and_told(fake, tmp_path, capsys):
    (fake / "unknown").write_text("lts__t_bytes.sum")
    (fake / "output").write_text(OUTPUT.read_text().replace("lts__t_bytes.sum", "some__other.sum"))
    assert main(["profile", "gpu_ladder", "--output", str(tmp_path)]) == 0
    assert all("l2_bytes" not in record["metrics"] and "time_s" in record["metrics"]
               for record in records(tmp_path / "gpu_ladder.jsonl"))
    assert "not known on this card: lts__t_bytes.sum" in capsys.readouterr().err
    assert sum("lts__t_bytes" in call for call in (fake / "calls").read_text().splitlines()) == 1


def test_a_metric_that_ncu_silently_leaves_out_is_told_too(fake, tmp_path, capsys):
    (fake / "output").write_text(OUTPUT.read_text().replace("lts__t_bytes.sum", "some__other.sum"))
    assert main(["profile", "gpu_ladder", "--points", "1", "--output", str(tmp_path)]) == 0
    assert "tiled, block 16 at 4096: no l2_bytes" in capsys.readouterr().err


def test_a_torn_line_is_closed_first(fake, tmp_path):
    path = tmp_path / "gpu_ladder.jsonl"
    path.write_text('{"kind":"case","run')
    assert main(["profile", "gpu_ladder", "--points", "1", "--output", str(tmp_path)]) == 0
    torn, whole = path.read_text().splitlines()
    assert torn == '{"kind":"case","run' and json.loads(whole)["kind"] == "counters"


def test_without_ncu_one_line_says_where_to_get_it(fake, capsys, tmp_path):
    (fake / "bin/ncu").unlink()
    assert "ncu (NVIDIA Nsight Compute) is neither on PATH nor in CUDA_HOME/bin" in refused(
        capsys, "gpu_ladder", "--output", str(tmp_path))
    assert list(tmp_path.glob("*.jsonl")) == []


def test_ncu_beside_nvcc_is_found(fake, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("CUDA_HOME", str(fake))
    assert main(["profile", "gpu_ladder", "--points", "1", "--output", str(tmp_path)]) == 0


def test_without_permission_one_line_says_what_to_do(fake, capsys, tmp_path):
    (fake / "says").write_text("==PROF== Connected to process 9\n"
                               "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to "
                               "access NVIDIA GPU Performance Counters on the target device 0.\n")
    said = refused(capsys, "gpu_ladder", "--output", str(tmp_path))
    assert "ERR_NVGPUCTRPERM" in said and "run it as root" in said


@pytest.mark.parametrize("why,says", [("built without CUDA", "this program was built without CUDA"),
                                      ("the driver is too old",
                                       "there is no GPU to profile: the driver is too old")])
def test_without_a_gpu_one_line_says_why(fake, capsys, why, says):
    (fake / "info.json").write_text(json.dumps({"gpus": [], "gpu_unavailable": why,
                                                "machine": "x"}))
    assert says in refused(capsys, "gpu_ladder")


def test_an_experiment_without_gpu_points_is_refused(fake, capsys):
    (fake / "points.json").write_text(json.dumps([point("cpu.ikj")]))
    assert "experiment 'cpu_loops' has no GPU points" in refused(capsys, "cpu_loops")


def test_too_small_a_size_names_the_least(fake, capsys):
    assert "the smallest needs --size 1024" in refused(capsys, "gpu_ladder", "--size", "512")


def test_an_unknown_point_names_those_there_are(fake, capsys):
    said = refused(capsys, "gpu_ladder", "--points", "tiled, block 64")
    assert "there is no point 'tiled'" in said and "1 'tiled, block 16', 2 'naive'" in said


def test_the_programs_own_refusal_is_passed_on(fake, capsys):
    (fake / "points.json").unlink()
    assert "unknown experiment 'mesure'; allowed: quick" in refused(capsys, "mesure")


def test_outside_the_launcher_it_says_so(fake, capsys, monkeypatch):
    monkeypatch.delenv("GEMMLAB_PROGRAM")
    assert "./gemmlab" in refused(capsys, "gpu_ladder")


def test_a_file_that_another_run_holds_is_left_alone(fake, capsys, tmp_path):
    path = tmp_path / "gpu_ladder.jsonl"
    with path.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert "another run is writing to it" in refused(capsys, "gpu_ladder", "--output",
                                                         str(tmp_path))
    assert path.read_text() == ""


def test_where_no_point_can_be_profiled_that_is_an_error(fake, capsys, tmp_path):
    (fake / "fails").write_text("gpu.naive gpu.tiled")
    assert main(["profile", "gpu_ladder", "--output", str(tmp_path)]) == 2
    assert "none of 3 points could be profiled" in capsys.readouterr().err


@pytest.mark.parametrize("arguments,says",
                         [(["--size", "0"], "'0' is not allowed: a whole number from 1"),
                          (["--size", "big"], "'big' is not allowed: a whole number from 1"),
                          (["--machine", "../x"], "'../x' is not allowed")])
def test_bad_options_are_usage_errors(fake, capsys, arguments, says):
    with pytest.raises(SystemExit) as end:
        main(["profile", "gpu_ladder", *arguments])
    assert end.value.code == 2 and says in capsys.readouterr().err


NO_COUNTER = ("the kernel knows no such counter here: the processor has none, or a virtual machine "
              "does not show it")
COUNTED = {"tool": "perf_event_open", "calls": 9, "metrics": {
    "time_s": {"value": 0.002, "unit": "s"}, "cpu_cycles": {"value": 6e6, "unit": "count"},
    "cpu_instructions": {"value": 1.5e7, "unit": "count"},
    "dtlb_load_misses": {"value": None, "unit": "count", "reason": NO_COUNTER}}}


def test_cpu_points_are_counted_by_the_program_and_need_no_gpu(fake, tmp_path, capsys):
    (fake / "info.json").write_text(json.dumps({"gpus": [], "gpu_unavailable": "none",
                                                "machine": "x", "host": {"id": "0123abcd"}}))
    (fake / "counted").write_text(json.dumps(COUNTED))
    assert main(["profile", "cpu_ladder", "--cpu", "--output", str(tmp_path)]) == 0
    assert ((fake / "calls").read_text() == 'multiply --implementation cpu.ikj --parameters {} --m '
            '1024 --n 1024 --k 1024 --counters\n')
    (record,) = records(tmp_path / "cpu_ladder.jsonl")
    assert record["metrics"] == COUNTED["metrics"] and record["tool"] == "perf_event_open"
    assert (record["host_id"] == "0123abcd" and record["gpu_uuid"] is None
            and record["case_id"] == "ikj1024kernel")
    said = capsys.readouterr()
    assert "ikj at 1024: 2,000 µs, 2.50 instructions per cycle" in said.out
    assert f"warning: no dtlb_load_misses: {NO_COUNTER}" in said.err
    (experiment,) = load(tmp_path, find_files(tmp_path)).experiments
    assert set(experiment.counters) == {"ikj1024kernel"}


def test_where_nothing_is_counted_the_records_hold_the_reason_and_the_exit_code_says_so(
        fake, tmp_path, capsys):
    refused = {name: {"value": None, "unit": "count", "reason": NO_COUNTER}
               for name in ("cpu_cycles", "dtlb_load_misses")}
    (fake / "counted").write_text(
        json.dumps(COUNTED | {"metrics": {"time_s": COUNTED["metrics"]["time_s"]} | refused}))
    assert main(["profile", "cpu_ladder", "--cpu", "--output", str(tmp_path)]) == 2
    (record,) = records(tmp_path / "cpu_ladder.jsonl")
    assert record["metrics"]["cpu_cycles"] == {"value": None, "unit": "count", "reason": NO_COUNTER}
    assert f"warning: no cpu_cycles, dtlb_load_misses: {NO_COUNTER}" in capsys.readouterr().err


def test_a_cpu_point_that_fails_costs_itself(fake, tmp_path, capsys):
    (fake / "points.json").write_text(json.dumps([point("cpu.fails"), point("cpu.ikj")]))
    (fake / "counted").write_text(json.dumps(COUNTED))
    assert main(["profile", "cpu_ladder", "--cpu", "--output", str(tmp_path)]) == 1
    assert [record["label"] for record in records(tmp_path / "cpu_ladder.jsonl")] == ["ikj"]
    assert "fails at 1024: gemmlab: cpu.fails does not take 1024" in capsys.readouterr().err


@pytest.mark.parametrize("said", ["", "nonsense", "[]", '{"tool": "x"}',
                                  '{"tool": "x", "metrics": {"time_s": 3}}'])
def test_counters_that_are_not_as_expected_are_told(fake, tmp_path, capsys, said):
    (fake / "counted").write_text(said)
    assert main(["profile", "cpu_ladder", "--cpu", "--output", str(tmp_path)]) == 2
    assert "the program's counters are not as expected" in capsys.readouterr().err
