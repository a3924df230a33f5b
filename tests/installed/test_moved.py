"""An installed suite that was moved needs nothing of the folder that it was built in."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

from conftest import ROOT, Elsewhere

DEFINITION = """title = "Loops"
question = "Which?"
[settings]
min_time_s = 0
max_time_s = 0.1
precision = 0.9
[[group]]
name = "squares"
size = [64]
  [[group.run]]
  implementation = "cpu.blocked"
[[table]]
kind = "gflops"
"""


def test_programs_name_no_folder_of_their_build(installed: Path, tmp_path: Path) -> None:
    programs = [path for path in (installed / "build").rglob("*")
                if path.is_file() and path.suffix != ".a" and "emulated" not in path.name]
    assert {path.name for path in programs} >= {"gemmlab", "gemmlab-judge", "gemmlab-callee"}
    for program in programs:
        # GPU code's tables of lines are for profilers, who look for the sources as they were compiled
        host_code = tmp_path / program.name
        subprocess.run(["objcopy", "--remove-section", ".nv_fatbin", program, host_code], check=True)
        # what a failed call of CUDA says names the line that made it
        content = re.sub(re.escape(f"{ROOT}/").encode() + rb"[\w/]+\.(cpp|cu|h)\0", b"",
                         host_code.read_bytes())
        assert str(ROOT).encode() not in content, program


def test_no_file_looks_for_libraries_in_the_build(installed: Path) -> None:
    for file in (installed / "build").rglob("*"):
        if file.is_file() and file.suffix != ".a":
            header = subprocess.run(["objdump", "-p", file], text=True, capture_output=True,
                                    check=True).stdout
            assert "NEEDED" in header and "PATH" not in header, file


def test_the_commands_find_all_they_need_beside_themselves(elsewhere: Elsewhere) -> None:
    listed = elsewhere("list", "--json")
    assert listed.returncode == 0, listed.stderr
    known = json.loads(listed.stdout)
    assert "cpu.blocked" in str(known) and "cpu_ladder" in str(known)

    checked = elsewhere("check", "gpu.naive")
    assert checked.returncode == 0 and "gpu.naive" in checked.stdout, checked.stderr


def test_without_binutils_nothing_is_emulated_and_the_reason_is_told(elsewhere: Elsewhere) -> None:
    program, path = elsewhere.installed / "build/runner/gemmlab", str(elsewhere.folder / "bin")
    checked = subprocess.run([program, "check", "gpu.naive"], text=True, capture_output=True,
                             env={"PATH": path}, check=False)
    assert checked.returncode == 2 and "apt install binutils" in checked.stdout


def test_a_run_writes_where_the_user_stands(elsewhere: Elsewhere) -> None:
    (elsewhere.folder / "loops.toml").write_text(DEFINITION)
    ran = elsewhere("run", "loops.toml", "--no-report", "--machine", "here")
    assert ran.returncode == 0, ran.stderr
    records = (elsewhere.folder / "data/results/here/loops.jsonl").read_text().splitlines()
    assert any('"status":"ok"' in line for line in records)
    assert not (elsewhere.installed / "data/results/here").exists()


def test_a_kernel_is_judged_by_emulation(elsewhere: Elsewhere) -> None:
    hand_in = elsewhere.installed / "submissions/examples/gpu/starter.cu"
    options = () if _isolated(elsewhere) else ("--without-isolation",)
    judged = elsewhere("submit", hand_in, "--emulate", "--no-timing", *options)
    assert judged.returncode == 0, judged.stdout + judged.stderr
    verdict = json.loads(
        (elsewhere.folder / "judged/starter.cu/verdict.json").read_text(encoding="utf-8"))
    assert verdict["verdict"] == "correct"


def _isolated(elsewhere: Elsewhere) -> bool:
    facts = subprocess.run([elsewhere.installed / "build/submissions/gemmlab-judge", "facts"],
                           input='{"rule": "", "files": []}\n', text=True, capture_output=True,
                           env=os.environ | {"GEMMLAB_ROOT": str(elsewhere.installed)}, check=True)
    return not json.loads(facts.stdout)["not_isolated"]
