"""doctor, export and profile: who gets the program, who needs none, and what they are called with;
the version."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys

import pytest
from conftest import ROOT, Launcher

# Stands in for a Python that has the packages: shows what it was started with.
PYTHON = """#!/bin/bash
[[ $1 == -m ]] || exit 0
printf '<%s>' "$@"
printf '\\nprogram <%s>\\n' "${GEMMLAB_PROGRAM-${GEMMLAB_JUDGE-none}}"
exit "${FAKE_EXIT:-0}"
"""


@pytest.fixture(name="built")
def _built(gemmlab: Launcher) -> Launcher:
    """A launcher that uses a finished build and a fake Python."""
    gemmlab.fake("python3", PYTHON)
    gemmlab.environment["GEMMLAB_BUILD"] = str(gemmlab.finished_build())
    return gemmlab


@pytest.mark.parametrize("arguments", [["doctor"], ["doctor", "--json"],
                                       ["profile", "gpu_ladder", "--size", "1024"]])
def test_the_path_of_the_program_is_handed_to_what_asks_it(built, arguments):
    done = built(*arguments)
    program = f"{built.environment['GEMMLAB_BUILD']}/runner/gemmlab"
    asked = "".join(f"<{text}>" for text in ["-m", "report", *arguments])
    assert (done.returncode, done.stdout) == (0, f"{asked}\nprogram <{program}>\n")


@pytest.mark.parametrize("arguments,told", [
    (["report"], True), (["report", "a folder"], True), (["doctor", "a folder"], True),
    (["bundle", "x"], False), (["compare", "x", "y"], False)])
def test_what_tells_stale_points_gets_the_program_that_is_built(built, arguments, told):
    program = f"{built.environment['GEMMLAB_BUILD']}/runner/gemmlab" if told else "none"
    assert built(*arguments).stdout.endswith(f"\nprogram <{program}>\n")


def test_of_two_builds_the_later_one_tells_and_nothing_is_built_for_it(gemmlab):
    gemmlab.fake("python3", PYTHON)
    python = gemmlab.root / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    gemmlab.fake("python", PYTHON, python)
    programs = [gemmlab.root / f"build/{name}"
                for name in ("cuda/runner/gemmlab", "cpu/runner/gemmlab-quick")]
    for age, program in enumerate(programs):
        program.parent.mkdir(parents=True)
        gemmlab.fake("", "#!/bin/bash\n", program)
        os.utime(program, (age + 1, age + 1))
    assert gemmlab("report", "x").stdout.endswith(f"\nprogram <{programs[1]}>\n")
    os.utime(programs[0], (9, 9))
    assert gemmlab("doctor", "x").stdout.endswith(f"\nprogram <{programs[0]}>\n")
    assert gemmlab.calls("cmake") == []


def test_submit_is_a_python_command_that_gets_the_judge(built):
    done = built("submit", "a b.cpp", "--json")
    judge = f"{built.environment['GEMMLAB_BUILD']}/submissions/gemmlab-judge"
    assert (done.returncode,
            done.stdout) == (0, f"<-m><submissions><a b.cpp><--json>\nprogram <{judge}>\n")


def test_submit_builds_the_judge_and_nothing_else(gemmlab):
    # building comes first, and is all that is asked here
    gemmlab.fake("python3", "#!/bin/bash\nexit 1\n")
    gemmlab("submit", "a.cpp")
    assert gemmlab.calls("cmake --build")[-1].endswith("--target gemmlab_judge")


@pytest.mark.parametrize("arguments", [["doctor", "a folder"], ["doctor", "--json", "x.jsonl"],
                                       ["export", "x", "--output", "y"], ["bundle", "x"],
                                       ["verify-bundle", "x.zip"]])
def test_records_need_no_program(gemmlab, arguments):
    gemmlab.fake("python3", PYTHON)
    empty = gemmlab.root.parent / "no build"
    done = gemmlab(*arguments, GEMMLAB_BUILD=str(empty), GEMMLAB_PROGRAM="stale",
                   GEMMLAB_JUDGE="stale")
    assert done.stdout.endswith("program <none>\n"), done.stderr


@pytest.mark.parametrize("command", ["doctor", "profile", "submit"])
def test_what_asks_the_program_refuses_a_folder_without_it(built, command):
    done = built(command, GEMMLAB_BUILD=str(built.bin))
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no program" in done.stderr


@pytest.mark.parametrize("code", [0, 1, 2])
def test_the_exit_code_of_doctor_is_passed_on(built, code):
    assert built("doctor", FAKE_EXIT=str(code)).returncode == code


def test_doctor_builds_the_program_only_where_it_looks_at_the_machine(gemmlab):
    # building comes first, and is all that is asked here
    gemmlab.fake("python3", "#!/bin/bash\nexit 1\n")
    gemmlab("doctor", "a folder")
    assert gemmlab.calls("cmake") == []
    gemmlab("doctor")
    assert gemmlab.calls("cmake --build")[-1].endswith("--target gemmlab_program")


def test_the_version_is_that_of_the_sources_and_starts_nothing(gemmlab):
    declared = re.search(r"project\(gemmlab VERSION (\S+)",
                         (ROOT / "CMakeLists.txt").read_text())[1]
    done = gemmlab("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"gemmlab {declared}\n", "")
    assert gemmlab.log.read_text() == ""


def test_sources_without_a_version_are_told_in_one_line(gemmlab):
    (gemmlab.root / "CMakeLists.txt").write_text("project(other)\n")
    done = gemmlab("--version")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1 and "project(gemmlab VERSION" in done.stderr


def test_python_reads_and_writes_utf8_in_every_locale_and_starts_deaf_to_ctrl_c(built):
    built.fake("python3", "#!/bin/bash\n[[ $1 == -m ]] || exit 0\necho \"$PYTHONUTF8\"\n"
               "grep SigBlk /proc/self/status\n")
    utf8, blocked = built("export", "x", LC_ALL="zh_CN.GBK").stdout.splitlines()
    # until there is a handler: commands/stop_signals.py
    assert utf8 == "1" and int(blocked.split()[1], 16) >> (signal.SIGINT - 1) & 1


def test_an_environment_that_python_found_damaged_is_made_anew_once(gemmlab):
    venv = gemmlab.root / ".venv"
    python = ('#!/bin/bash\necho "python $*" >>"$FAKE_LOG"\n'
              'if [[ $1 == -m && $2 == report ]]; then echo "again <${GEMMLAB_AGAIN-}>"; fi\n')
    made = ('#!/bin/bash\necho "python3 $*" >>"$FAKE_LOG"\n[[ "$1 $2" != "-m venv" ]] || { mkdir '
            '-p "$4/bin"; cp "$FAKE_VENV" "$4/bin/python"; }\n')
    gemmlab.fake("venv-python", python)
    gemmlab.fake("python3", made)
    (gemmlab.root.parent / "shadow").mkdir()
    # the system's own python3 makes none
    (gemmlab.root.parent / "shadow" / "venv.py").write_text("raise ImportError\n")
    gemmlab.environment |= {"FAKE_VENV": str(gemmlab.bin / "venv-python"),
                            "PYTHONPATH": str(gemmlab.root.parent / "shadow")}
    (venv / "bin").mkdir(parents=True)
    gemmlab.fake("python", python, venv / "bin" / "python")
    (venv / ".gemmlab").write_text("damaged\n")
    done = gemmlab("export", "x")
    assert (done.stdout == "again <export>\n" and len(gemmlab.calls("python3 -m venv --clear")) <= 1
            and "making .venv" in done.stderr)
    assert (venv / ".gemmlab").read_text() != "damaged\n"
    assert "making .venv" not in gemmlab("export", "x").stderr
    # what a new one does not mend is told
    assert gemmlab("export", "x", GEMMLAB_REPAIRED="1").stdout == "again <>\n"


def test_ctrl_c_while_python_itself_starts_shows_no_traceback(gemmlab):
    gemmlab.environment["GEMMLAB_BUILD"] = str(gemmlab.finished_build())
    for name in {path.parent.name for path in ROOT.glob("*/__init__.py")}:
        shutil.copytree(ROOT / name, gemmlab.root / name, dirs_exist_ok=True)
    gemmlab.fake("python3", f'#!/bin/bash\nexec {sys.executable} "$@"\n')
    (gemmlab.root / "sitecustomize.py").write_text("import os, signal\n"
                                                   "os.kill(os.getpid(), signal.SIGINT)\n")
    done = gemmlab("doctor", "nowhere")
    assert (done.returncode, done.stderr) == (130, "gemmlab: interrupted\n")
