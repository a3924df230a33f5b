"""gemmlab doctor on this machine: its rules, what it asks of the system, and the command with its
exit codes."""

import json
from dataclasses import replace

import pytest
from doctor_records import change, healthy_cases, healthy_run, of, results_of
from sample_records import DATA

from report.__main__ import main
from report.doctor import MACHINE_RULES, findings, machine_findings
from report.doctor.machine import Machine, cpu_shares, quota_cores

INFO = {"machine": "xeon", "host": {"cores": 16, "isa": ["baseline", "avx2"],
                                    "governor": "performance"}, "environment": {},
        "build": {"flags": "Release: -O3 -DNDEBUG", "sanitize": ""}, "program": {"dirty": False},
        "gpus": [], "gpu_unavailable": "built without CUDA", "unavailable": {}}
HEALTHY = Machine(INFO, gpu_files=False, quota_cores=16.0, busy=0.02, stolen=0.0)
GPU = {"gpus": [{"name": "NVIDIA H200"}], "gpu_unavailable": ""}
CARD = {"index": 0, "uuid": "GPU-1a2b3c4d-5e6f", "name": "NVIDIA H200", "visible": True,
        "busy_percent": 0, "throttle_reasons": []}

# rule -> (a machine with its cause, what is said, a look-alike without it)
PLANTED = {
    "gpu-unused": (Machine(INFO, gpu_files=True), "built without CUDA",
                   Machine(INFO | GPU, gpu_files=True)),
    "cpu-quota": (Machine(INFO, quota_cores=1.5), "1.50 cores' worth of time, but shows 16 cores",
                  Machine(INFO, quota_cores=None)),
    "busy": (Machine(INFO, busy=0.5), "Other programs take 50 % of the cores",
             Machine(INFO, busy=0.05)),
    "stolen": (Machine(INFO, stolen=0.06), "The hypervisor gives 6.0 %",
               Machine(INFO, stolen=0.01)),
    "gpu-busy": (Machine(INFO | GPU | {"cards": [CARD | {"busy_percent": 93}]}),
                 "GPU 0 (NVIDIA H200, GPU-1a2b3c4d) is 93 % busy", Machine(INFO | GPU | {
                     "cards": [CARD, CARD | {"visible": False, "busy_percent": 93}]})),
    "gpu-throttled": (Machine(INFO | GPU
                              | {"cards": [CARD | {"throttle_reasons": ["hw thermal slowdown"]}]}),
                      "holds its clock down at this moment: hw thermal slowdown",
                      Machine(INFO | GPU | {"cards": [CARD]})),
    "several-gpus": (Machine(INFO | {"gpus": [{"name": "NVIDIA H200", "uuid": "GPU-5e"}, {}],
                                     "cards": [CARD, CARD | {"index": 1, "uuid": "GPU-5e"}]}),
                     "There are 2 GPUs here (NVIDIA H200); without --gpu number 1 is measured",
                     Machine(INFO | GPU | {"cards": [CARD]})),
    "library-missing": (Machine(INFO | {"unavailable": {"cpu.mkl": "libmkl_rt.so was not found"}}),
                        "cpu.mkl is not available: libmkl_rt.so was not found", HEALTHY),
    "packages-missing": (replace(HEALTHY, missing_packages="bubblewrap, libdnnl3",
                                 add_packages="sudo apt-get install bubblewrap libdnnl3"),
                         "packages are missing: bubblewrap, libdnnl3.", HEALTHY),
    "governor": (Machine(INFO | {"host": {"governor": "powersave"}}), "powersave", HEALTHY),
    "not-optimised": (Machine(INFO | {"build": {"flags": "Debug: -g"}}), "a debug build", HEALTHY),
}


def test_a_healthy_machine_has_no_finding():
    assert machine_findings(HEALTHY) == []


@pytest.mark.parametrize("rule", PLANTED)
def test_a_planted_cause_is_found_and_its_look_alike_is_not(rule):
    machine, says, healthy = PLANTED[rule]
    (finding,) = machine_findings(machine)
    assert finding.rule == rule and says in finding.text and finding.advice
    assert machine_findings(healthy) == []


def test_every_rule_on_machines_has_its_planted_cause():
    hit = {rule for rule in MACHINE_RULES for machine, _, _ in PLANTED.values()
           if list(rule(machine))}
    assert hit == set(MACHINE_RULES)


def test_a_busy_card_is_told_with_an_idle_one_to_measure_on():
    cards = [CARD | {"busy_percent": 93}, CARD | {"index": 1, "uuid": "GPU-5e6f"}]
    found = {finding.rule: finding
             for finding in machine_findings(Machine(INFO | GPU | {"cards": cards}))}
    assert (found["gpu-busy"].advice == "Measure on another: --gpu 1."
            and set(found) == {"gpu-busy", "several-gpus"})


def test_a_gpu_that_the_driver_hides_is_told_with_the_reason():
    (finding,) = machine_findings(Machine(INFO | {"gpu_unavailable": "the driver is too old"},
                                          gpu_files=True))
    assert "cannot be used: the driver is too old" in finding.text


def test_a_gpu_that_the_build_has_no_code_for_is_told_though_the_driver_shows_it():
    why = "built without code for compute capability 7.5 (it has 90a-real)"
    found = {finding.rule: finding for finding in machine_findings(
        Machine(INFO | GPU | {"gpu_unavailable": why}, gpu_files=True))}
    assert why in found["gpu-unused"].text and "CUDAARCHS" in found["gpu-unused"].advice


@pytest.mark.parametrize("files,cores", [
    ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "150000 100000\n"}, 1.5),
    ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000\n"}, None),
    ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "max 100000\n",
      "sys/fs/cgroup/a/cpu.max": "200000 100000\n"}, 2.0),
    ({"proc/self/cgroup": "0::/docker/1\n", "sys/fs/cgroup/cpu.max": "50000 100000\n"}, 0.5),
    ({"proc/self/cgroup": "3:cpu:/x\n1:name=systemd:/\n",
      "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us": "300000\n",
      "sys/fs/cgroup/cpu/x/cpu.cfs_period_us": "100000\n"}, 3.0),
    ({"proc/self/cgroup": "3:cpu:/x\n", "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us": "-1\n",
      "sys/fs/cgroup/cpu/x/cpu.cfs_period_us": "100000\n"}, None),
    ({}, None)])
def test_the_quota_of_a_container_is_read_from_either_kind_of_control_groups(tmp_path,
                                                                             files, cores):
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert quota_cores(tmp_path) == cores


def test_busy_and_stolen_shares_between_two_readings():
    before, after = "cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1\n", "cpu  120 0 60 850 60 0 5 5 0 0\n"
    assert cpu_shares(before, after) == (pytest.approx(0.35), pytest.approx(0.05))
    assert cpu_shares(before, before) is None


PROGRAM = """#!/bin/bash
[[ "$*" == 'info --json' ]] || exit 9
cat "${0%/*}/info.json"
"""


@pytest.fixture(name="here")
def _here(tmp_path, monkeypatch):
    """This machine as a healthy one: a program that says so, and a system that is quiet."""
    program = tmp_path / "program"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    (tmp_path / "info.json").write_text(json.dumps(INFO))
    monkeypatch.setenv("GEMMLAB_PROGRAM", str(program))
    monkeypatch.setattr("report.doctor.command.OWN_RESULTS", tmp_path / "results")
    monkeypatch.setattr("report.doctor.machine._watch", lambda: (0.0, 0.0))
    monkeypatch.setattr("report.doctor.machine.quota_cores", lambda: None)
    monkeypatch.setattr("report.doctor.machine._gpu_files", lambda: False)
    return tmp_path


def test_without_problems_the_exit_code_is_0_and_it_says_so(here, capsys):
    assert main(["doctor"]) == 0
    assert capsys.readouterr().out == "Looked at this machine: nothing wrong was found.\n"


def test_problems_give_1_and_notes_alone_0(here, capsys):
    (here / "info.json").write_text(json.dumps(INFO | {"unavailable": {"cpu.mkl": "not found"}}))
    assert main(["doctor"]) == 0
    (here / "info.json").write_text(json.dumps(INFO | {"build": {"flags": "Debug: -g"}}))
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "0 problems, 1 note" in said and "1 problem, 0 notes" in said
    assert ("\nproblem  not-optimised\n  The program is a debug build" in said and "\n"
            "  What to do: Configure anew" in said)


def test_the_machines_own_records_are_looked_at_too(here, capsys):
    folder = here / "results/xeon"
    folder.mkdir(parents=True)
    run = healthy_run()
    cases = healthy_cases(run)
    change(of(cases, "gpu.register_tiled"), resources={"spill_bytes": 8})
    results_of(folder, run, *cases)
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert (said.startswith("Looked at this machine and 30 points of 1 experiment in ")
            and "problem  spills (sweep)" in said)


def test_records_alone_need_no_program(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("GEMMLAB_PROGRAM", raising=False)
    run = healthy_run()
    results_of(tmp_path, run, *healthy_cases(run))
    assert main(["doctor", str(tmp_path)]) == 0
    assert main(["doctor", str(tmp_path / "sweep.jsonl")]) == 0
    assert "nothing wrong was found" in capsys.readouterr().out


def test_json_holds_every_finding(capsys):
    assert main(["doctor", str(DATA / "workstation"), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["problems"] + said["notes"] == len(said["findings"])
    assert {"severity", "rule", "text", "advice", "experiment"} == set(said["findings"][0])
    assert "wrong-shapes" in {finding["rule"] for finding in said["findings"]}


@pytest.mark.parametrize("arguments",
                         [["doctor", "nowhere"], ["doctor", "--colour"], ["doctor", "a", "b"]])
def test_usage_errors_give_2(capsys, arguments):
    try:
        code = main(arguments)
    except SystemExit as end:
        code = end.code
    assert code == 2 and capsys.readouterr().out == ""


@pytest.mark.parametrize("answer", ["no json", "exit 3"])
def test_a_program_that_does_not_answer_is_one_clear_line(here, capsys, answer):
    (here / "info.json").unlink()
    (here / "program").write_text("#!/bin/bash\n"
                                  f"{answer if answer.startswith('exit') else 'echo ' + answer}\n")
    assert main(["doctor"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_the_same_finding_of_several_experiments_is_told_once_with_their_names(tmp_path):
    run = healthy_run()
    run["program"]["dirty"] = True
    other = run | {"experiment": "second", "run_id": "r2"}
    cases = healthy_cases(run)
    results = results_of(tmp_path, run, other, *cases,
                         *(case | {"experiment": "second", "run_id": "r2"} for case in cases))
    (finding,) = findings(results)
    assert (finding.rule, finding.experiment) == ("dirty-sources", "second, sweep")


def test_a_hundred_thousand_records_are_looked_through(tmp_path):
    # what takes quadratic time does not end within ctest's limit
    run = healthy_run()
    results = results_of(tmp_path, run, *healthy_cases(run))
    (experiment,) = results.experiments
    experiment.cases = [replace(case, dims=case.dims | {"m": case.m + step},
                                group=f"group {step % 7}") for step in range(3_334)
                        for case in experiment.cases]
    assert len(experiment.cases) > 90_000
    assert findings(results) == []
