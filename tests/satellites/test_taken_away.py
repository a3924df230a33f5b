"""The suite without its satellites: each away alone, and all of them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from taken_away import SATELLITES, needed_by, take_away

from commands.launch.first_look import rows_of_quick

LAPTOP, REFERENCE = "tests/samples/data/laptop", "tests/samples/data/workstation"
# A share of the suite's own tests, of each of its floors.
CHECKED = ("repository/test_imports", "records/test_records", "records/test_ratios",
           "language/test_language", "plots/test_figures", "files/test_output",
           *(f"report/test_{name}" for name in ("tables", "kinds", "summary", "report", "basis",
                                                "exhibits")))


def run(folder: Path, *command: str, timeout: float = 300, **environment: str) -> str:
    """What the command says, run in the copy; it has to end well."""
    own = {"PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1", "GEMMLAB_ROOT": str(folder),
           **environment}
    done = subprocess.run(command, cwd=folder, env={**os.environ, **own}, text=True,
                          capture_output=True, timeout=timeout, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


def build_report(folder: Path) -> None:
    run(folder, sys.executable, "-m", "report", "build", LAPTOP, "--no-pdf", "--figures", "png",
        "--reference", REFERENCE, "--output", "made")
    page = (folder / "made" / "report.html").read_text(encoding="utf-8")
    usage = run(folder, str(folder / "gemmlab"), "--help")
    named = re.findall(r"<dt><code>\./gemmlab (\S+)", page)
    assert "</html>" in page and "run" in named
    assert [command for command in named if f"\n  {command} " not in usage] == []


@pytest.mark.parametrize("name", SATELLITES)
def test_without_one_the_rest_is_configured_and_reports(tmp_path, name):
    folder = tmp_path / "tree"
    take_away(folder, sorted(needed_by(name)))
    build_report(folder)
    run(folder, "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DGEMMLAB_CUDA=OFF")


def test_without_all_a_satellite_s_command_is_refused_and_the_suite_s_are_there(tmp_path):
    folder = tmp_path / "tree"
    take_away(folder)

    def told(command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([folder / "gemmlab", command, "--no-such-option"], text=True,
                              capture_output=True, timeout=60, check=False,
                              env={**os.environ, "GEMMLAB_PYTHON": sys.executable})

    usage = run(folder, str(folder / "gemmlab"), "--help")
    for command in ("submit", "assignment", "slurm", "merge", "explain", "course", "gallery",
                    "contribute", "library"):
        done = told(command)
        assert done.returncode == 2 and not done.stdout and f"\n  {command} " not in usage
        assert done.stderr == (f"gemmlab: {command} is a satellite's command, whose folder is not "
                               "here\n")
    for command in ("compare", "export"):
        assert "satellite" not in told(command).stderr


def test_without_all_the_suite_builds_runs_quick_and_passes_its_tests(tmp_path):
    folder = tmp_path / "tree"
    take_away(folder)
    assert not any((folder / name).exists() for name in SATELLITES)
    build_report(folder)
    run(folder, "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DGEMMLAB_CUDA=OFF",
        f"-DGEMMLAB_ONLY={';'.join(rows_of_quick())}", "-DGEMMLAB_TESTS=OFF", "-DCMAKE_BUILD_TYPE=Release",
        "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG",
        "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=12")
    run(folder, "cmake", "--build", "build", "--target", "gemmlab_program", timeout=1200)
    run(folder, "build/runner/gemmlab-quick", "run", "quick", "--output", "measured", "--no-report",
        GEMMLAB_PYTHON=sys.executable)
    run(folder, sys.executable, "-m", "report", "build", "measured", "--no-pdf", "--figures", "png",
        "--output", "of_quick")
    run(folder, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
        *(f"tests/{name}.py" for name in CHECKED), timeout=600)
